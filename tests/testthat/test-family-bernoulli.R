forms <- function(yes) {
  list(
    integer = as.integer(yes), double = as.double(yes), logical = yes == 1,
    factor = factor(c("no", "yes")[yes + 1], c("no", "yes")),
    ordered = factor(c("low", "high")[yes + 1], c("low", "high"),
      ordered = TRUE
    ),
    character = c("North", "south")[yes + 1]
  )
}

test_that("every type of a yes/no response comes back as it was", {
  yes <- family_data()$yes
  for (values in forms(yes)) {
    data <- data.frame(y = values)
    response <- new_response(y ~ 1, data, bernoulli())
    expect_identical(response_forward(response, values), as.double(yes))
    expect_identical(response_inverse(response, as.double(yes)), values)
  }
})

test_that("all types give the same fit", {
  data <- family_data()
  draws <- lapply(forms(data$yes), function(values) {
    quick_fit(y ~ x, transform(data, y = values), bernoulli(), draws = 50,
      control = sampler_control(min_ess = 1)
    )$draws
  })
  for (other in draws[-1]) {
    expect_identical(other, draws[[1]])
  }
})

test_that("characters are coded in the C locale", {
  response <- new_response(
    y ~ 1, data.frame(y = c("b", "B", "b")), bernoulli()
  )
  expect_identical(response$levels, c("B", "b"))
})

test_that("a response that is not yes/no is refused", {
  data <- family_data()
  data$yes[c(3, 8)] <- c(2, 0.25)
  expect_refused(
    quick_fit(yes ~ 1, data, bernoulli()), "neither for 2 of 80 records",
    rows = c(3L, 8L)
  )
  refuse <- function(values, pattern) {
    data <- transform(family_data(), y = values)
    expect_refused(quick_fit(y ~ 1, data, binomial()), pattern)
  }
  refuse(rep(c("a", "b", "c", "d"), 20), "It has 4 distinct values")
  refuse(rep("a", 80), "has 1 distinct value.*declares both levels")
  refuse(factor(rep(1:4, 20)), "has 4 levels.*droplevels")
  refuse(Sys.Date() + 1:80, "object of class <Date>")
  refuse(I(as.list(1:80)), "one column")
  missing <- replace(family_data()$yes, 5, NA)
  refuse(missing, "missing for 1 of 80")
})

test_that("counts of successes and a transformed left side are refused", {
  data <- family_data()
  expect_refused(
    quick_fit(cbind(yes, 1 - yes) ~ 1, data, binomial()),
    "one row for each answer"
  )
  expect_refused(quick_fit(log(yes) ~ 1, data, bernoulli()), "variable itself")
})

test_that("a continuous family says what to do with two values", {
  data <- transform(family_data(), yes = yes == 1)
  expect_refused(quick_fit(yes ~ 1, data, gaussian()), "use `bernoulli\\(\\)`")
})

test_that("a logistic regression makes the round trip", {
  data <- transform(family_data(), yes = factor(c("no", "yes")[yes + 1]))
  pieces <- family_round_trip(
    yes ~ group + x, bernoulli(), data,
    prior = prior_normal(),
    response = public_response(levels = c("no", "yes"))
  )
  fit <- pieces$fit
  expect_identical(
    colnames(fit$draws), c("(Intercept)", "groupb", "groupc", "x")
  )
  expect_true(all(pieces$predicted %in% 0:1))
  expect_match(fit$bound$unit, "two values: probability mass")
  table <- summary(pieces$synthetic)$table
  expect_identical(names(table), c("set", "no", "yes"))
  expect_equal(table$no + table$yes, rep(1, 4))
})

test_that("the log-likelihood is R's dbinom", {
  data <- family_data()
  fit <- quick_fit(yes ~ x, data, bernoulli())
  x <- as.vector(scale(data$x))
  p <- stats::plogis(fit$draws[7, 1] + fit$draws[7, 2] * x)
  expect_equal(
    as.vector(log_lik(fit, draw_ids = 7)),
    stats::dbinom(data$yes, 1, p, log = TRUE)
  )
})

test_that("rare, constant and separated outcomes run with a remark", {
  data <- family_data()
  fit <- function(formula, yes) {
    data$yes <- yes
    quick_fit(
      formula, data, bernoulli(),
      prior = prior_normal(1, c(0, 2)), draws = 1500
    )
  }
  none <- fit(yes ~ x, 0L)
  expect_true(none$converged)
  expect_match(none$remarks, "All records have the same outcome")
  rare <- fit(yes ~ x, as.integer(seq_len(80) %in% c(3, 40)))
  expect_match(rare$remarks, "One outcome is rare")
  separated <- fit(yes ~ group, ifelse(data$group == "c", 1L, data$yes))
  expect_true(separated$converged)
  expect_match(
    separated$remarks,
    "separated by `groupc`: the prior decides its coefficient"
  )
  split <- fit(yes ~ x, as.integer(data$x > 0))
  expect_match(split$remarks, "separated by `x`")
  expect_length(fit(yes ~ x, data$yes)$remarks, 0)
})

test_that("records of weight 0 take no part in the remarks", {
  data <- transform(family_data(), yes = ifelse(group == "c", 1L, yes))
  data$yes[which(data$group == "c")[1]] <- 0L
  weights <- rep(1, 80)
  weights[which(data$group == "c")[1]] <- 0
  whole <- quick_fit(yes ~ group, data, bernoulli(), prior = prior_normal())
  expect_length(whole$remarks, 0)
  part <- update(whole, privacy_weights = weights, seed = 1)
  expect_match(part$remarks, "separated by `groupc`")
})
