two_fits <- function() {
  list(
    list(estimate = c(a = 1, b = 4), variance = c(a = 0.2, b = 0.3)),
    list(estimate = c(a = 2, b = 2), variance = c(a = 0.4, b = 0.1)),
    list(estimate = c(b = 3, a = 3), variance = c(b = 0.2, a = 0.6))
  )
}

test_that("the rules are Reiter's", {
  found <- pool(two_fits())
  expect_equal(coef(found), c(a = 2, b = 3))
  u <- c(0.4, 0.2)
  b <- c(1, 1)
  t <- u + b / 3
  df <- 2 * (1 + 3 * u / b)^2
  expect_equal(found$table$std_error, sqrt(t))
  expect_equal(found$table$df, df)
  expect_equal(found$table$conf_high, c(2, 3) + qt(0.975, df) * sqrt(t))
  expect_equal(
    unname(confint(found, level = 0.8)[, 1]), c(2, 3) - qt(0.9, df) * sqrt(t)
  )
  expect_equal(
    vcov(found), matrix(diag(t), 2, dimnames = rep(list(c("a", "b")), 2))
  )
  expect_equal(
    found$table$p_value, 2 * pt(-abs(c(2, 3) / sqrt(t)), df)
  )
})

test_that("models are pooled with their covariances", {
  withr::local_seed(1)
  sets <- replicate(
    4, data.frame(x = rnorm(50), z = rnorm(50), y = rnorm(50)),
    simplify = FALSE
  )
  fits <- lapply(sets, function(d) lm(y ~ x + z, d))
  found <- pool(fits)
  within <- Reduce(`+`, lapply(fits, vcov)) / 4
  between <- cov(t(sapply(fits, coef)))
  expect_equal(vcov(found), within + between / 4)
  expect_equal(coef(found), rowMeans(sapply(fits, coef)))
  logistic <- lapply(sets, function(d) glm(y > 0 ~ x, binomial(), d))
  expect_named(coef(pool(logistic)), c("(Intercept)", "x"))
  # one term
  expect_equal(dim(vcov(pool(lapply(sets, function(d) lm(y ~ 1, d))))), c(1, 1))
})

test_that("identical sets add nothing", {
  one <- two_fits()[[1]]
  found <- pool(list(one, one))
  expect_equal(found$table$std_error, unname(sqrt(one$variance)))
  expect_equal(found$table$df, c(Inf, Inf))
  expect_equal(
    found$table$conf_low, unname(one$estimate - 1.959964 * sqrt(one$variance)),
    tolerance = 1e-6
  )
})

test_that("with() computes in each set, with the caller's variables", {
  synthetic <- synthesize(unweighted_fit(), 3, seed = 1)
  shift <- 2
  fits <- with(synthetic, lm(log(income) + shift ~ age + earner))
  expect_s3_class(fits, "synthetic_fits")
  expect_length(fits, 3)
  expect_output(print(fits), "3 results of class lm")
  by_hand <- lapply(synthetic, function(set) {
    lm(log(income) + 2 ~ age + earner, set)
  })
  expect_equal(pool(fits)$table, pool(by_hand)$table)
})

test_that("intervals of pooled sets hold what they promise", {
  # A regression whose response is drawn again from its posterior, as synthesize
  # does without weights: 95% intervals from five sets.
  withr::local_seed(3)
  covered <- replicate(by_night(300, 100), {
    x <- rnorm(60)
    y <- 1 + 0.5 * x + rnorm(60)
    fit <- lm(y ~ x)
    r <- summary(fit)
    sets <- lapply(1:5, function(j) {
      sigma <- r$sigma * sqrt(58 / rchisq(1, 58))
      beta <- coef(fit) +
        drop(sigma * t(chol(r$cov.unscaled)) %*% rnorm(2))
      lm(beta[1] + beta[2] * x + rnorm(60, sd = sigma) ~ x)
    })
    ends <- confint(pool(sets))
    ends[, 1] < c(1, 0.5) & ends[, 2] > c(1, 0.5)
  })
  # 600 intervals; the standard error of the share is about .01
  expect_gt(mean(covered), by_night(0.92, 0.9))
  expect_lt(mean(covered), by_night(0.98, 0.99))
})

test_that("what cannot be pooled is an error", {
  fits <- two_fits()
  bad <- list(
    NULL, 1, fits[1], list(), mtcars, lm(mpg ~ cyl, mtcars),
    list(fits[[1]], 2), list(fits[[1]], list(estimate = 1, variance = 1)),
    list(fits[[1]], list(estimate = c(a = 1, b = 1), variance = c(a = 1))),
    list(
      fits[[1]], list(estimate = c(a = 1, b = 1), variance = c(a = 1, b = -1))
    ),
    list(fits[[1]], list(estimate = c(a = 1), variance = c(a = 1))),
    list(
      fits[[1]], list(estimate = c(a = 1, b = 1), variance = c(a = NA, b = 1))
    )
  )
  for (fits in bad) {
    expect_error(pool(fits), class = "pseudosynth_error_input")
  }
  expect_error(
    pool(two_fits(), level = 95), class = "pseudosynth_error_input"
  )
})

test_that("print, tidy and figure", {
  found <- pool(two_fits())
  expect_output(print(found), "m = 3 synthetic sets, 95% intervals")
  expect_equal(as.data.frame(found)$term, c("a", "b"))
  skip_if_not_installed("generics")
  expect_named(generics::tidy(found), c(
    "term", "estimate", "std.error", "statistic", "p.value", "conf.low",
    "conf.high", "df"
  ))
  expect_equal(generics::glance(found)$m, 3)
})

test_that("the figure names the confidential model as such", {
  found <- pool(two_fits())
  alone <- autoplot(found)
  expect_null(alone$labels$caption)
  both <- autoplot(
    found,
    confidential = list(estimate = c(a = 1, b = 1), variance = c(a = 1, b = 1))
  )
  expect_match(both$labels$caption, "not for release")
  expect_equal(nrow(ggplot2::layer_data(both, 3)), 4)
})

test_that("terms twice, infinite estimates and unknown terms are errors", {
  twice <- list(
    estimate = c(a = 1, a = 2), variance = matrix(diag(2), 2, dimnames = rep(
      list(c("a", "a")), 2
    ))
  )
  endless <- list(estimate = c(a = Inf), variance = c(a = 1))
  for (bad in list(twice, endless)) {
    expect_error(pool(list(bad, bad)), class = "pseudosynth_error_input")
  }
  for (parm in list("zzz", 9, -1, NA, list("x"), TRUE, factor("x"))) {
    expect_error(
      confint(pool(two_fits()), parm),
      class = "pseudosynth_error_input"
    )
  }
})

test_that("with() of a job goes over its sets", {
  job <- small_job()
  shift <- 1
  fits <- with(job, lm(log(income + shift) ~ age))
  sets <- with(job$synthetic, lm(log(income + shift) ~ age))
  expect_s3_class(fits, "synthetic_fits")
  expect_identical(lapply(fits, coef), lapply(sets, coef))
  expect_identical(pool(fits)$m, job$m)
})

test_that("large degrees of freedom are printed as they are", {
  fits <- lapply(c(1, 1.1), function(a) {
    list(estimate = c(a = a, b = 1), variance = c(a = 1, b = 1))
  })
  pooled <- pool(fits)
  expect_gt(pooled$table$df[1], 9999)
  shown <- capture.output(print(pooled))
  expect_match(shown, format_figure(pooled$table$df[1]), all = FALSE)
  expect_match(shown, "Inf$", all = FALSE)
})

test_that("sets of draws that know the noise are pooled by Rubin's rule", {
  found <- pool(two_fits(), rule = "rubin")
  u <- c(0.4, 0.2)
  expect_equal(found$table$std_error, sqrt(u + 4 / 3))
  expect_equal(found$table$df, 2 * (1 + u / (4 / 3))^2)
  expect_equal(unname(diag(vcov(found))), u + 4 / 3)
  expect_output(print(found), "Rubin 1987")
  expect_output(print(pool(two_fits())), "Reiter 2003")
  expect_error(
    pool(two_fits(), rule = "none"), class = "pseudosynth_error_input"
  )
  skip_if_not_installed("generics")
  expect_identical(generics::glance(found)$rule, "rubin")
  expect_equal(generics::glance(found)$added, mean(1 - u / (u + 4 / 3)))
})

test_that("sets that all give the same have no end of degrees of freedom", {
  one <- list(estimate = c(a = 1 / 3), variance = c(a = 0.1))
  other <- list(estimate = c(a = 1 / 3 + 1e-16), variance = c(a = 0.1))
  for (rule in c("reiter", "rubin")) {
    found <- pool(list(one, other), rule = rule)
    expect_identical(found$table$df, Inf)
    expect_true(all(nchar(capture.output(print(found))) <= 80))
  }
  known <- list(estimate = c(a = 0), variance = c(a = 0))
  found <- pool(list(known, known))$table
  expect_false(anyNA(found))
  expect_identical(c(found$conf_low, found$conf_high), c(0, 0))
})

test_that("sets themselves are no results", {
  synthetic <- synthesize(unweighted_fit(), 2, seed = 1)
  expect_error(
    pool(synthetic, function(set) lm(log(income) ~ age, set)),
    "with\\(sets", class = "pseudosynth_error_input"
  )
})

# Households -------------------------------------------------------------------

# Members of a household are alike: sets of trees, which keep that
alike_sets <- function(m = 3) {
  data <- withr::with_seed(4, {
    homes <- 150
    size <- sample(1:3, homes, TRUE)
    of <- stats::rnorm(homes)
    n <- sum(size)
    data.frame(
      home = rep(seq_len(homes), size),
      town = rep(of > 0, size),
      pay = round(1000 * (rep(of, size) + stats::rnorm(n, 0, 0.3)), 1),
      age = sample(20:60, n, TRUE)
    )
  })
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(data), home = "id", pay = list(lower = -1e4, upper = 1e4),
    age = list(lower = 18, upper = 99)
  )))
  plan <- suppressMessages(file_plan(data, book,
    unit = "home", members = members(~ -age, 3, "town")
  ))
  suppressWarnings(synthesize_file(plan, m = m))
}

test_that("variances are those between households", {
  sets <- alike_sets()
  sandwich <- function(set, w = rep(1, nrow(set)), rows = seq_len(nrow(set))) {
    force(w)
    set <- set[rows, ]
    x <- cbind(1, set$town)
    bread <- solve(crossprod(x, w[rows] * x))
    b <- bread %*% crossprod(x, w[rows] * set$pay)
    sums <- rowsum(w[rows] * x * drop(set$pay - x %*% b), set$home)
    g <- nrow(sums)
    n <- nrow(x)
    diag(bread %*% crossprod(sums) %*% bread) * g / (g - 1) * (n - 1) / (n - 2)
  }
  within <- function(fits) pool(fits)$table$within
  over <- function(f) rowMeans(vapply(as.list(sets), f, c(0, 0)))
  expect_equal(within(with(sets, lm(pay ~ town))), over(sandwich))
  expect_equal(
    within(with(sets, glm(pay ~ town, weights = age))),
    over(function(set) sandwich(set, set$age))
  )
  expect_equal(
    within(with(sets, lm(pay ~ town, subset = age > 30))),
    over(function(set) sandwich(set, rows = which(set$age > 30)))
  )
  # Far more than if members were strangers
  strangers <- over(function(set) {
    diag(stats::vcov(stats::lm(pay ~ town, set)))
  })
  expect_gt(min(over(sandwich) / strangers), 1.3)
})

test_that("a model of households has one record each, others are refused", {
  sets <- alike_sets()
  # A variance of one's own counts as it is
  own <- with(sets, list(
    estimate = c(mean = mean(pay)), variance = c(mean = 7)
  ))
  expect_equal(pool(own)$table$within, 7)
  for (fits in list(
    with(sets, nls(pay ~ a, start = list(a = 0))),
    with(sets, lm(pay ~ town, data.frame(pay = pay, town = town)))
  )) {
    error <- expect_error(pool(fits), class = "pseudosynth_error_input")
    expect_match(conditionMessage(error), "vcovCL", fixed = TRUE)
  }
  # Of two tables
  homes <- lapply(as.list(sets), function(set) {
    list(homes = set[!duplicated(set$home), c("home", "town")], persons = set)
  })
  fit <- with(homes[[1]], stats::lm(town ~ 1, homes))
  known <- pseudosynth:::homes_of_fit(fit, homes[[1]], "home")
  expect_identical(known, seq_len(nrow(homes[[1]]$homes)))
})

test_that("parts of results keep their households, others have none", {
  fits <- with(alike_sets(4), lm(pay ~ 1))
  whole <- pool(fits)
  expect_identical(pool(fits[1:4])$table, whole$table)
  expect_identical(pool(fits[c(2, 1, 3, 4)])$variance, whole$variance)
  # They stand with their model, wherever it goes
  alone <- pool(lapply(fits, identity), rule = whole$rule)
  expect_identical(alone$variance, whole$variance)
  turned <- fits
  turned[1:2] <- fits[2:1]
  turned[[3]] <- fits[[4]]
  turned[[4]] <- fits[[3]]
  expect_equal(pool(turned)$variance, whole$variance)
  # A model made anew is not known to be of the set's rows
  fits[[1]] <- lm(pay ~ 1, data.frame(pay = 1:9))
  expect_error(pool(fits), class = "pseudosynth_error_input")
})

test_that("means off are told by standard errors between households", {
  sets <- alike_sets(1)
  set <- sets[[1]]
  beside <- function(sets) {
    found <- pseudosynth:::means_beside(sets, set)
    found$error[found$column == "pay"]
  }
  off <- rowsum(set$pay - mean(set$pay), set$home)
  expect_equal(beside(sets), sqrt(sum(off^2)) / nrow(set))
  alone <- unclass(sets)
  alone$unit <- NULL
  expect_gt(beside(sets) / beside(alone), 1.2)
})
