test_that("student_t() has 3 degrees of freedom unless said otherwise", {
  expect_identical(student_t()$df, 3)
  expect_identical(student_t(2.5)$df, 2.5)
  expect_identical(resolve_prior(NULL, student_t()), prior_hierarchical(1))
})

test_that("df must be a positive number", {
  for (bad in list(0, -1, Inf, NA, "3", c(1, 2), NULL)) {
    expect_refused(student_t(bad), "`df` must be")
  }
})

test_that("the core is told the degrees of freedom", {
  fit <- quick_fit(heavy ~ 1, family_data(), student_t(5))
  expect_identical(fit$spec$df, 5)
})

test_that("the log-likelihood is R's dt, scaled", {
  data <- family_data()
  fit <- quick_fit(heavy ~ group, data, student_t(4), prior = prior_normal())
  rows <- c(1, 77, 1000)
  x <- stats::model.matrix(~group, data)
  for (row in rows) {
    theta <- fit$draws[row, ]
    z <- (data$heavy - x %*% theta[1:3]) / theta[["sigma"]]
    expect_equal(
      as.vector(log_lik(fit, draw_ids = row)),
      as.vector(stats::dt(z, 4, log = TRUE) - log(theta[["sigma"]]))
    )
  }
})

test_that("a heavy-tailed regression makes the round trip", {
  pieces <- family_round_trip(
    heavy ~ group + x, student_t(),
    prior = prior_normal()
  )
  expect_identical(
    colnames(pieces$fit$draws), c("(Intercept)", "groupb", "groupc", "x",
                                  "sigma")
  )
  expect_identical(pieces$fit$bound$unit, "heavy")
})

test_that("it models the log through the formula's left side", {
  data <- transform(family_data(), heavy = round(exp(heavy), 1) + 0.1)
  fit <- quick_fit(
    log(heavy) ~ group, data, student_t(),
    prior = prior_normal(), draws = 1000
  )
  expect_identical(fit$bound$unit, "log(heavy)")
  set <- suppressMessages(synthesize(fit, seed = 1, bounds = c(0.1, 1e6)))[[1]]
  expect_true(all(set$heavy > 0))
})

test_that("an outlier pulls less than on a normal regression", {
  data <- family_data()
  data$heavy[1] <- 200
  heavy <- quick_fit(heavy ~ 1, data, student_t(), prior = prior_normal())
  normal <- quick_fit(heavy ~ 1, data, gaussian(), prior = prior_normal())
  expect_lt(heavy$bound$overall, normal$bound$overall / 2)
})

test_that("a constant response is refused", {
  data <- transform(family_data(), heavy = 2)
  expect_refused(quick_fit(heavy ~ 1, data, student_t()), "must vary")
})
