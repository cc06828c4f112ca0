input_error <- "pseudosynth_error_input"

test_that("the normal log-likelihood equals dnorm()", {
  fit <- quick_fit()
  x <- dense_design(fit$spec)
  mean <- tcrossprod(fit$draws[, 1:4], x)
  expected <- dnorm(
    rep(fit$data$y, each = n_draws(fit)), mean, fit$draws[, "sigma"],
    log = TRUE
  )
  f <- log_lik(fit)
  expect_identical(dim(f), c(1000L, 60L))
  error <- abs(f - as.vector(expected)) / pmax(1, abs(as.vector(expected)))
  expect_lt(max(error), 1e-12)
})

test_that("the mixture's log-likelihood sums the components out", {
  fit <- quick_mixture()
  x <- dense_design(fit$spec)
  for (s in c(1, 77, 200)) {
    draw <- fit$draws[s, ]
    density <- 0
    for (k in 1:2) {
      b <- draw[sprintf("b[%d,%s]", k, fit$design$columns)]
      density <- density + draw[sprintf("pi[%d]", k)] *
        dnorm(fit$data$y, drop(x %*% b), draw[sprintf("sigma[%d]", k)])
    }
    expect_equal(
      drop(log_lik(fit, draw_ids = s)), log(density),
      tolerance = 1e-12
    )
  }
})

test_that("log_lik() never carries the weights", {
  fit <- quick_fit()
  weighted <- fit
  weighted$spec$alpha <- rep(0.5, nobs(fit))
  expect_identical(log_lik(weighted), log_lik(fit))
})

test_that("it is the density of the log for a logged response", {
  data <- transform(simulated(), y = exp(y))
  fit <- quick_fit(log(y) ~ 1, data)
  expected <- dnorm(
    log(data$y[3]), fit$draws[, "(Intercept)"], fit$draws[, "sigma"],
    log = TRUE
  )
  expect_equal(drop(log_lik(fit, records = 3)), unname(expected))
})

test_that("one record at a time gives the same columns", {
  for (fit in list(quick_fit(), quick_mixture())) {
    f <- log_lik(fit)
    for (i in c(1, 9, 60)) {
      expect_equal(
        log_lik(fit, records = i), f[, i, drop = FALSE],
        tolerance = 1e-12
      )
    }
    expect_identical(log_lik(fit, draw_ids = c(5, 2)), f[c(5, 2), ])
  }
})

test_that("a matrix that is too large is refused before it is made", {
  fit <- quick_fit()
  withr::local_options(pseudosynth.memory = 1e4)
  expect_error(log_lik(fit), class = input_error)
  expect_error(posterior_predict(fit), class = input_error)
  expect_identical(dim(log_lik(fit, draws = 2)), c(2L, 60L))
})

test_that("draws and records that do not exist are refused", {
  fit <- quick_fit()
  expect_error(log_lik(fit, draws = 0), class = input_error)
  expect_error(log_lik(fit, records = 61), class = input_error)
  expect_error(log_lik(fit, draws = 1.5), class = input_error)
  expect_error(log_lik(fit, iterations = 1), class = input_error)
})
