# Issue "Bad input": each a classed error that says what was expected, which
# column and how many records.

refused <- function(pattern, ..., rows = NULL) {
  error <- tryCatch(quick_fit(...), error = identity)
  expect_s3_class(error, "pseudosynth_error_input")
  expect_s3_class(error, "pseudosynth_error")
  text <- gsub("\\s+", " ", conditionMessage(error))
  expect_match(text, pattern)
  expect_identical(error$call[[1]], quote(fit_synthesizer))
  if (!is.null(rows)) {
    expect_identical(error$rows, rows)
  }
}

test_that("missing values are refused", {
  data <- simulated()
  data$y[c(4, 9)] <- NA
  refused("\"y\".*missing for 2 of 60 records", data = data, rows = c(4L, 9L))
  data <- simulated()
  data$group[7] <- NA
  refused("\"group\".*missing for 1 of 60", data = data, rows = 7L)
})

test_that("infinite values are refused", {
  data <- simulated()
  data$y[4] <- -Inf
  refused("\"y\".*infinite for 1 of 60 records", data = data, rows = 4L)
  data <- simulated()
  data$x[1:3] <- Inf
  refused("\"x\".*infinite for 3 of 60", data = data, rows = 1:3)
})

test_that("a constant response is refused", {
  refused("\"y\" must vary", data = transform(simulated(), y = 3))
})

test_that("no record and one record are refused", {
  refused("at least 1 record", data = simulated()[0, ])
  refused("at least two records", data = simulated()[1, ])
})

test_that("two records are enough", {
  data <- data.frame(y = c(1, 2))
  expect_s3_class(
    suppressWarnings(quick_fit(y ~ 1, data)), "synthesizer"
  )
})

test_that("weights outside [0, 1] or of the wrong length are refused", {
  refused("60 weights are above 1", privacy_weights = rep(1.5, 60))
  refused("1 weight is below 0", privacy_weights = c(-1, rep(1, 59)))
  refused("It holds 3", privacy_weights = c(1, 1, 1))
  refused("1 weight is missing", privacy_weights = c(NA, rep(1, 59)))
  refused("numeric vector", privacy_weights = rep("1", 60))
})

test_that("a formula that names no column is refused", {
  refused("no column \"z\"", z ~ group)
  refused("no column \"nothing\"", y ~ nothing)
  refused("right side is empty", y ~ 0)
  refused("must be a formula", "y ~ group")
  refused("no left side", ~group)
})

test_that("a response that is not positive is refused for a log", {
  data <- transform(simulated(), y = c(0, -1, rep(5:6, 29)))
  refused("for 2 of 60 records", log(y) ~ group, data, rows = 1:2)
  refused("for 2 of 60 records", y ~ group, data, lognormal(), rows = 1:2)
})

test_that("a response that is not a plain number is refused", {
  for (bad in list(
    factor(rep(1:2, 30)), rep(c("a", "b"), 30), rep(c(TRUE, FALSE), 30),
    Sys.Date() + 1:60
  )) {
    data <- simulated()
    data$y <- bad
    refused("plain numeric column", data = data)
  }
})

test_that("data that are no data frame are refused", {
  refused("must be a data frame", data = as.matrix(simulated()["x"]))
  refused("must be a data frame", data = list(y = 1))
})

test_that("run settings out of range are refused", {
  refused("`chains`", chains = 0)
  refused("`draws`", draws = 1.5)
  refused("`warmup`", warmup = -1)
  refused("`threads`", threads = 0)
  refused("`seed`", seed = -1)
  refused("`seed`", seed = "a")
  refused("`control`", control = list(thin = 2))
  refused("`prior`", prior = "normal")
  refused("`censor`", censor = 5)
})

test_that("no message shows a value of a record", {
  data <- simulated()
  data$y[1] <- 987654
  data$y[2] <- NA
  error <- tryCatch(quick_fit(data = data), error = identity)
  expect_no_match(conditionMessage(error), "987654")
  expect_no_match(paste(deparse(error$call), collapse = ""), "987654")
})

test_that("an unknown argument is named and its values are not shown", {
  secret <- c(123456.5, 234567.25, 345678.125)
  shown <- function(expr) {
    error <- tryCatch(expr, error = identity)
    expect_s3_class(error, "pseudosynth_error_input")
    text <- paste(
      c(conditionMessage(error), deparse(conditionCall(error)), format(error)),
      collapse = " "
    )
    expect_match(text, "survey_weights")
    expect_no_match(text, "123456|234567|345678")
    error
  }
  pass_on <- function(...) quick_fit(...)
  error <- shown(quick_fit(survey_weights = secret))
  expect_identical(error$call[[1]], quote(fit_synthesizer))
  shown(pass_on(survey_weights = secret))
  error <- shown(pseudo_posterior(
    y ~ x, simulated(), gaussian(), "unweighted",
    survey_weights = secret
  ))
  expect_identical(error$call[[1]], quote(pseudo_posterior))
  shown(two_stage_weights(
    y ~ x, 1, c(2, 3), simulated(), gaussian(),
    survey_weights = secret
  ))
  refused("arguments too many", y ~ x, simulated(), gaussian(), NULL, NULL,
    NULL, 1, 10, 10, 1, 1, sampler_control(), NULL, secret
  )
})

test_that("a predictor with the name of a parameter is refused", {
  data <- transform(simulated(), sigma = x)
  refused("name of a parameter", y ~ sigma, data)
  # A mixture's coefficients have names of their own
  expect_s3_class(quick_mixture(y ~ sigma, data), "synthesizer")
})

test_that("a predictor too large to be squared is refused, not dropped", {
  refused("Measure it in a larger unit", data = transform(
    simulated(),
    x = x * 1e300
  ))
})

test_that("more draws than memory holds are refused", {
  refused("GB of memory", draws = 1e7, chains = 100)
})
