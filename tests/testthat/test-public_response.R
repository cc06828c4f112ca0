input_error <- "pseudosynth_error_input"
crude <- list("(Intercept)" = 10.8, sigma = 1)

strict_fit <- function(data, ..., seed = 1) {
  fit_synthesizer(log(income) ~ 1, data, gaussian(),
    prior = prior_normal(1, c(10.8, 2.5)),
    censor = censor(2, reference = crude),
    chains = 2, warmup = 200, draws = 1000, threads = 1, seed = seed, ...
  )
}

test_that("digits of a class of its own are refused as such", {
  for (x in list(1, NA_real_, "a")) {
    labelled <- structure(
      x, labels = c(one = 1), class = c("haven_labelled", "vctrs_vctr")
    )
    expect_error(
      public_response(digits = labelled, bounds = 1:2), "whole number",
      class = "pseudosynth_error_input"
    )
  }
})

test_that("a strict histogram does not know the decimals of the file", {
  y <- round(exp(withr::with_seed(1, stats::rnorm(200, 10.8, 1))))
  z <- y
  z[7] <- z[7] + 0.5
  found <- lapply(list(y, as.integer(y), z), function(v) {
    perturbed_histogram(v, bounds = c(1, 2e6), epsilon = 0.1)$response
  })
  expect_identical(found[[1]], found[[2]])
  expect_identical(found[[1]], found[[3]])
  expect_true(is.na(found[[1]]$digits))
  stated <- perturbed_histogram(
    z,
    bounds = c(1, 2e6), epsilon = 5, response = public_response(digits = 0)
  )
  set <- synthesize(stated)[[1]]
  expect_identical(set$x, round(set$x))
  expect_match(guarantee(stated)$public_inputs[["values"]], "whole numbers")
})

test_that("a strict release does not know the decimals or type of the file", {
  data <- privacy_data()
  cents <- transform(data, income = as.double(income))
  cents$income[7] <- cents$income[7] + 0.25
  for (file in list(data, cents)) {
    syn <- synthesize(strict_fit(file), 2, seed = 3)
    expect_identical(guarantee(syn)$label, "strict")
    expect_type(syn[[1]]$income, "double")
    expect_true(any(syn[[1]]$income != round(syn[[1]]$income, 2)))
    expect_identical(
      guarantee(syn)$public_inputs[["values"]], "not rounded"
    )
    known <- strict_fit(file, response = public_response(digits = 0))
    whole <- synthesize(known, 2, seed = 3)
    expect_identical(guarantee(whole)$label, "strict")
    expect_type(whole[[1]]$income, "double")
    expect_identical(whole[[1]]$income, round(whole[[1]]$income))
    expect_identical(
      guarantee(whole)$public_inputs[["values"]], "whole numbers"
    )
  }
})

test_that("what is not strict keeps the file's decimals and says so", {
  syn <- synthesize(lw_fit(), seed = 1)
  expect_type(syn[[1]]$income, "integer")
  expect_match(guarantee(syn)$public_inputs[["values"]], "as in the file")
  clipped <- update(lw_fit(), censor = censor(5), seed = 1)
  expect_type(
    synthesize(clipped, seed = 1, allow_unconverged = TRUE)[[1]]$income,
    "integer"
  )
})

test_that("records are rounded and clamped before they are modelled", {
  data <- data.frame(income = c(0.3, 12.6, 700, 5e7, 1e4))
  stated <- public_response(digits = 0, bounds = c(1, 1e6))
  fit <- strict_fit(data, response = stated)
  expect_equal(exp(fit$spec$y), c(1, 13, 700, 1e6, 1e4))
  # so that another record that rounds to the same gives the same fit
  same <- data.frame(income = c(0.1, 12.9, 700.2, 6e7, 9999.9))
  expect_identical(strict_fit(same, response = stated)$draws, fit$draws)
  set <- synthesize(fit, 50, seed = 2)
  values <- unlist(lapply(set$sets, `[[`, "income"))
  expect_type(values, "integer")
  expect_true(all(values >= 1 & values <= 1e6))
  # Other records are taken in the same way
  again <- record_spec(fit, data.frame(income = c(3e7, 0.2)))
  expect_equal(exp(again$y), c(1e6, 1))
})

test_that("decimals alone leave what the model cannot take to the checks", {
  stated <- public_response(digits = 0)
  zero <- data.frame(income = c(0, 12.6, 700))
  expect_error(strict_fit(zero, response = stated), "positive")
  small <- data.frame(income = c(0.2, 12.6, 700))
  expect_equal(exp(strict_fit(small, response = stated)$spec$y), c(1, 13, 700))
  expect_equal(
    exp(strict_fit(
      data.frame(income = c(149, 151, 8000)),
      response = public_response(digits = -2)
    )$spec$y), c(100, 200, 8000)
  )
})

test_that("a proportion with stated decimals is moved inside its bounds", {
  data <- data.frame(y = c(0, 0.254, 1, 0.7))
  model <- function(...) {
    new_response(y ~ 1, data, as_synth_family(beta_response(c(0, 1))), ...)
  }
  expect_error(model(), "strictly between")
  response <- model(stated = public_response(digits = 2))
  expect_equal(record_values(response, data), c(0.01, 0.25, 0.99, 0.7))
  expect_identical(released_response(response), response)
})

test_that("counts are whole and of one type under a strict label", {
  expect_same <- function(y) {
    response <- new_response(
      y ~ 1, data.frame(y = y), as_synth_family(poisson())
    )
    released_response(response)[c("digits", "type")]
  }
  expect_identical(expect_same(c(1L, 4L)), expect_same(c(1, 4)))
  expect_identical(expect_same(c(1, 4))$digits, 0L)
})

test_that("two labels must be stated for a strict label", {
  data <- transform(simulated(), y = ifelse(y > 2, "yes", "no"))
  label <- function(data, ...) {
    fit <- quick_fit(
      y ~ 1, data, bernoulli(), ...,
      prior = prior_normal(1, c(0, 2)), censor = censor(3)
    )
    expect_true(fit$converged)
    synthesize(fit, seed = 1)
  }
  read <- guarantee(label(data))
  expect_identical(read$label, "asymptotic")
  expect_match(read$reasons[1], "levels of the response were read")
  expect_identical(read$public_inputs[["values"]], "no or yes, as in the file")
  stated <- public_response(levels = c("no", "yes"))
  known <- guarantee(label(data, response = stated))
  expect_identical(known$label, "strict")
  expect_identical(known$public_inputs[["values"]], "no or yes")
  factors <- label(transform(data, y = factor(y)), response = stated)
  expect_identical(guarantee(factors)$label, "strict")
  expect_identical(levels(factors[[1]]$y), c("no", "yes"))
  expect_error(
    label(transform(data, y = sub("yes", "ja", y)), response = stated),
    "one of the stated levels"
  )
  # 0/1 and yes/no by nature need no labels, and have one type
  numbers <- label(transform(data, y = as.double(y == "yes")))
  expect_identical(guarantee(numbers)$label, "strict")
  expect_type(numbers[[1]]$y, "integer")
  expect_identical(
    guarantee(label(transform(data, y = y == "yes")))$label, "strict"
  )
})

test_that("stated labels decide which value is modelled as 1", {
  data <- data.frame(y = c("b", "a", "b", "b"))
  code <- function(levels) {
    response <- new_response(
      y ~ 1, data, as_synth_family(bernoulli()),
      stated = public_response(levels = levels)
    )
    record_values(response, data)
  }
  expect_identical(code(c("a", "b")), c(1, 0, 1, 1))
  expect_identical(code(c("b", "a")), c(0, 1, 0, 0))
})

test_that("the one strict call stays strict with and without statements", {
  job <- function(...) {
    suppressMessages(pseudo_posterior(
      log(income) ~ ., privacy_data(), gaussian(),
      mechanism = "centred", epsilon = 2, reference = crude,
      bounds = c(10, 2e6), chains = 2, warmup = 200, draws = 1000, ...
    ))
  }
  plain <- job()
  expect_identical(guarantee(plain)$label, "strict")
  whole <- job(response = public_response(digits = 0))
  expect_identical(guarantee(whole)$label, "strict")
  income <- whole$synthetic[[1]]$income
  expect_identical(income, round(income))
})

test_that("wrong statements are refused", {
  for (digits in list(0.5, "0", c(0, 1), 99, TRUE, list(0))) {
    expect_error(public_response(digits = digits), class = input_error)
  }
  for (levels in list("a", c("a", "a"), c("a", NA), 0:1, c("a", "b", "a"))) {
    expect_error(public_response(levels = levels), class = input_error)
  }
  for (bounds in list(1, c(2, 1), c(0, Inf), c("a", "b"))) {
    expect_error(public_response(bounds = bounds), class = input_error)
  }
  data <- data.frame(y = c(1, 3, 7), yes = c(TRUE, FALSE, TRUE))
  refuse <- function(formula, family, ...) {
    expect_error(
      new_response(
        formula, data, as_synth_family(family),
        stated = public_response(...)
      ), class = input_error
    )
  }
  refuse(y ~ 1, gaussian(), levels = c("a", "b"))
  refuse(log(y) ~ 1, gaussian(), bounds = c(0, 10))
  refuse(y ~ 1, gaussian(), digits = 0, bounds = c(0.2, 0.8))
  refuse(y ~ 1, poisson(), digits = 1)
  refuse(y ~ 1, poisson(), digits = NA)
  refuse(y ~ 1, beta_response(c(0, 10)), bounds = c(0, 10))
  refuse(yes ~ 1, bernoulli(), digits = 0)
  refuse(yes ~ 1, bernoulli(), levels = c("a", "b"))
  expect_error(
    new_response(y ~ 1, data, stated = list(digits = 0)), class = input_error
  )
})

test_that("a statement prints as it is written", {
  expect_identical(
    format(public_response(0, bounds = c(1, 2e6))),
    "public_response(digits = 0, bounds = c(1, 2000000))"
  )
  expect_output(
    print(public_response(levels = c("no", "yes"))),
    "levels = c(\"no\", \"yes\")",
    fixed = TRUE
  )
})

test_that("no decimals bring a value outside the ends of a margin", {
  data <- withr::with_seed(8, data.frame(
    x = sample(1:9, 400, TRUE), wage = pmin(7.25 + stats::rexp(400) * 15, 99)
  ))
  ends <- c(7.3, 24.6)
  whole <- public_response(digits = 0)
  centre <- list("(Intercept)" = 3, sigma = 0.5)
  drawn <- function(response, bounds = ends) {
    quiet <- function(expr) suppressWarnings(suppressMessages(expr))
    histogram <- perturbed_histogram(log(wage) ~ 1, data,
      bounds = bounds, epsilon = 1, response = response, seed = 1
    )
    scores <- quiet(score_release(log(wage) ~ x, data, gaussian(),
      epsilon = 1, delta = 1e-6, reference = centre, bounds = bounds,
      response = response, seed = 1
    ))
    fit <- quick_fit(log(wage) ~ x, data, stats::gaussian(),
      response = response, prior = prior_normal()
    )
    generator <- quiet(as_generator(fit, margin = histogram, seed = 1))
    list(
      quiet(synthesize(histogram, seed = 1)),
      quiet(synthesize(scores, newdata = data, seed = 1)),
      quiet(synthesize(fit, margin = histogram, seed = 1)),
      quiet(synthesize(generator, newdata = data, seed = 1))
    )
  }
  for (set in drawn(whole)) {
    expect_identical(range(set[[1]]$wage), c(8, 24))
    expect_identical(sum(only_column(set)$moved), 0L)
  }
  for (set in drawn(public_response(digits = 1), c(7.32, 24.58))) {
    expect_equal(range(set[[1]]$wage), c(7.4, 24.5), tolerance = 1e-12)
  }
  expect_error(
    drawn(public_response(digits = -2)), "decimals",
    class = "pseudosynth_error_input"
  )
  # Of bounds, too, and what rounding does is not counted as moved
  fit <- quick_fit(log(wage) ~ x, data, stats::gaussian(),
    response = whole, prior = prior_normal()
  )
  far <- suppressMessages(synthesize(fit, bounds = c(0.5, 1e6), seed = 1))
  expect_identical(sum(only_column(far)$moved), 0L)
})

test_that("zeros survive multiples of tens", {
  response <- function(digits) {
    structure(
      list(
        transform = "log1p", kind = "continuous", type = "double",
        digits = digits
      ),
      class = "synth_response"
    )
  }
  for (digits in -3:0) {
    expect_identical(response_range(response(digits))[1], 0)
    expect_identical(response_number(response(digits), log1p(0.2)), 0)
  }
  expect_equal(response_range(response(1L))[1], -0.9)
  expect_identical(response_number(response(-2L), log1p(149)), 100)
})

test_that("whole numbers keep their shares in bins between whole numbers", {
  data <- withr::with_seed(1, data.frame(v = stats::rpois(2000, 3)))
  whole <- public_response(digits = 0)
  counted <- function(v) tabulate(v + 1, 9) / length(v)
  sets <- function(bins, ends, response = whole) {
    histogram <- perturbed_histogram(v ~ 1, data,
      bounds = ends, bins = bins, epsilon = 100, response = response, seed = 1
    )
    synthesize(histogram, newdata = data[0], seed = 1)[[1]]$v
  }
  # Noise is nothing beside 2,000 draws
  expect_lt(max(abs(counted(sets(20, c(0, 20))) - counted(data$v))), 0.04)
  # In bins of five all are equally likely, the first and the last, too
  wide <- sets(c(0, 5, 10, 15), c(0, 15))
  expect_lt(max(abs(tabulate(wide + 1, 5) / sum(wide < 5) - 0.2)), 0.04)
  expect_lt(abs(mean(wide >= 5) - mean(data$v >= 5)), 0.03)
  # The last bin holds its upper end
  ends <- sets(c(0, 1, 2), c(0, 2))
  expect_setequal(unique(ends), 0:2)
  # Bins between decimals stay as they are
  between <- sets(seq(-0.5, 20.5), c(-0.5, 20.5))
  expect_lt(max(abs(counted(between) - counted(data$v))), 0.04)
  response <- structure(
    list(
      transform = "identity", kind = "continuous", type = "double", digits = 1L
    ),
    class = "synth_response"
  )
  margin <- list(breaks = c(0, 0.1, 0.17, 0.2, 0.4), bounds = c(0, 0.4))
  moved <- between_rounded(margin$breaks, response, margin)
  expect_equal(moved, c(-0.05, 0.05, 0.17, 0.17, 0.45))
})

test_that("a margin of counts does not move their mean", {
  data <- withr::with_seed(2, data.frame(v = stats::rpois(1000, 2)))
  fit <- quick_fit(v ~ 1, data, stats::poisson(), prior = prior_normal())
  margin <- perturbed_histogram(v ~ 1, data,
    bounds = c(0, 40), bins = 40, epsilon = 100, seed = 1
  )
  set <- suppressMessages(synthesize(fit, margin = margin, seed = 1))
  expect_equal(mean(set[[1]]$v), mean(data$v), tolerance = 0.02)
})
