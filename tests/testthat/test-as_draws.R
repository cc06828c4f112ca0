test_that("as_draws methods keep chains and values", {
  fit <- quick_fit()
  array <- as_draws_array(fit)
  expect_identical(unname(dim(array)), c(500L, 2L, 5L))
  expect_identical(posterior::variables(array), colnames(fit$draws))
  expect_identical(
    as.vector(unclass(array)[, 2, "sigma"]),
    unname(fit$draws[501:1000, "sigma"])
  )
  expect_s3_class(as_draws(fit), "draws_array")
  expect_s3_class(as_draws_df(fit), "draws_df")
  expect_identical(posterior::nchains(as_draws_matrix(fit)), 2L)
})

test_that("hyperparameters come along when asked for", {
  fit <- quick_fit()
  names <- posterior::variables(as_draws(fit, hyper = TRUE))
  expect_identical(names, c(colnames(fit$draws), colnames(fit$hyper)))
  expect_true("tau[x]" %in% names)
})

test_that("chains of unequal length are merged", {
  fit <- truncate_draws(quick_fit(), 0.9)
  draws <- as_draws_array(fit)
  expect_identical(posterior::ndraws(draws), n_draws(fit))
})
