input_error <- "pseudosynth_error_input"

test_that("update() refits the same model with other weights", {
  fit <- quick_fit()
  weights <- seq(0, 1, length.out = nobs(fit))
  weighted <- update(fit, privacy_weights = weights, seed = 5)
  expect_identical(alpha_of(weighted), weights)
  expect_identical(weighted$family, fit$family)
  expect_identical(weighted$prior, fit$prior)
  expect_identical(weighted$formula, fit$formula)
  expect_identical(guarantee(weighted)$mechanism, "weighted")
  expect_identical(attr(weighted$privacy_weights, "scheme"), "user")
  expect_identical(dim(weighted$draws), dim(fit$draws))
})

test_that("weights left out stay, NULL removes them", {
  n <- nrow(simulated())
  fit <- quick_fit(privacy_weights = rep(0.5, n))
  expect_identical(alpha_of(update(fit, seed = 1)), rep(0.5, n))
  none <- update(fit, privacy_weights = NULL, seed = 1)
  expect_null(none$privacy_weights)
  expect_identical(alpha_of(none), rep(1, n))
  expect_identical(guarantee(none)$mechanism, "unweighted")
})

test_that("update() is reproducible by its own seed", {
  withr::local_options(tests.entropy = TRUE)
  fit <- quick_mixture()
  quietly <- function(...) suppressWarnings(update(fit, ...))
  expect_identical(quietly(seed = 2)$draws, quietly(seed = 2)$draws)
  expect_false(identical(quietly()$draws, quietly()$draws))
  expect_false(quietly()$seed_given)
})

test_that("the run's settings can change", {
  fit <- quick_fit(prior = prior_normal(1, c(2, 2)))
  other <- update(fit, chains = 1, draws = 1200, warmup = 50, seed = 1)
  expect_identical(n_draws(other), 1200L)
  expect_identical(n_chains(other), 1L)
  nuts <- update(
    fit,
    seed = 1, warmup = 500, draws = 1500,
    control = sampler_control("nuts", progress = FALSE)
  )
  expect_identical(nuts$control$sampler, "nuts")
})

test_that("chains of NUTS on a clipped target start anew", {
  first <- function(seed, ...) {
    suppressWarnings(quick_fit(
      prior = prior_normal(1, c(2, 2)), seed = seed, ...,
      control = sampler_control("nuts", progress = FALSE)
    ))
  }
  again <- function(fit) suppressWarnings(update(fit, seed = 3))$draws
  clip <- censor(2)
  expect_identical(
    again(first(1, censor = clip)), again(first(2, censor = clip))
  )
  expect_false(identical(again(first(1)), again(first(2))))
})

test_that("wrong weights and unknown arguments are refused", {
  fit <- quick_fit()
  n <- nobs(fit)
  expect_error(
    update(fit, privacy_weights = rep(2, n)),
    class = input_error
  )
  expect_error(update(fit, privacy_weights = c(1, 1)), class = input_error)
  expect_error(update(fit, family = lognormal()), class = input_error)
  expect_error(update(fit, y ~ x), class = input_error)
})

test_that("update() keeps the share of draws that the fit keeps", {
  fit <- quick_fit()
  cut <- truncate_draws(fit, 0.9)
  again <- update(cut, seed = 2)
  expect_equal(again$quantile, 0.9)
  expect_identical(nrow(again$draws), nrow(cut$draws))
  whole <- update(cut, quantile = 1, seed = 2)
  expect_identical(whole$dropped, 0L)
  expect_identical(whole$draws, update(fit, seed = 2)$draws)
  expect_equal(update(fit, quantile = 0.8, seed = 2)$quantile, 0.8)
  expect_error(update(fit, quantile = 0), class = "pseudosynth_error_input")
})
