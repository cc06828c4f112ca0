test_that("dropped draws leave every part of the fit", {
  fit <- unweighted_fit()
  cut <- truncate_draws(fit, 0.9)
  n <- nrow(cut$draws)
  expect_equal(n, 0.9 * nrow(fit$draws))
  expect_equal(cut$dropped, nrow(fit$draws) - n)
  expect_equal(cut$quantile, 0.9)
  expect_length(cut$chain, n)
  expect_equal(nrow(cut$monitor), n)
  expect_equal(nrow(cut$hyper), n)
  expect_length(cut$bound$draw, n)
  expect_length(cut$bound$kept, n)
  expect_equal(cut$draws, fit$draws[lipschitz(fit, 0.9)$kept, ])
})

test_that("the cut fit's bound is the bound over its own draws", {
  cut <- truncate_draws(lw_fit(), 0.8)
  expect_identical(lipschitz(cut), cut$bound)
  again <- bound_of_draws(cut$spec, cut$draws, 1L, "log(income)")
  expect_equal(again$record, cut$bound$record)
  expect_equal(again$draw, cut$bound$draw)
  expect_equal(cut$bound$overall, max(cut$bound$draw))
})

test_that("quantiles count from all draws of the fit", {
  fit <- unweighted_fit()
  once <- truncate_draws(fit, 0.8)
  twice <- truncate_draws(truncate_draws(fit, 0.95), 0.8)
  expect_identical(once$draws, twice$draws)
  expect_identical(once$dropped, twice$dropped)
  expect_identical(once$bound, twice$bound)
  expect_identical(truncate_draws(once, 0.8), once)
  expect_identical(truncate_draws(once, 1), once)
})

test_that("a wrong quantile or object is refused", {
  expect_error(truncate_draws(1, 0.9), class = "pseudosynth_error_input")
  expect_error(truncate_draws(unweighted_fit(), 0),
    class = "pseudosynth_error_input"
  )
})
