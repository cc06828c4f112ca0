test_that("bernoulli densities equal plogis(log.p) out to 1e3", {
  expect_densities(
    "bernoulli", 0:1, c(-1e3, -745, -700, -40, -1, -1e-9, 0, 0.3, 30, 720, 1e3)
  )
})

test_that("log posterior and gradient of bernoulli", {
  expect_family_value("bernoulli")
  expect_family_gradients("bernoulli")
})

test_that("bounds, ties and far draws of bernoulli", {
  expect_family_bounds("bernoulli")
  expect_order_free("bernoulli")
  expect_far_draws("bernoulli")
})

test_that("bernoulli synthetic values follow their distribution", {
  for (eta in c(-6, -0.5, 0, 2)) {
    spec <- core_spec(numeric(20000), family = "bernoulli")
    y <- synthesize_(spec, cbind(eta), c(0, 8), 0)[, 1]
    expect_true(all(y %in% 0:1))
    p <- plogis(eta)
    expect_lt(abs(mean(y) - p), 4.5 * sqrt(p * (1 - p) / 20000))
  }
})

test_that("separated data run: the prior holds the coefficients", {
  group <- rep(0:1, each = 20)
  spec <- core_spec(group, matrix(group), family = "bernoulli")
  run <- nuts_draws(spec)
  expect_true(all(is.finite(run$draws)))
  expect_lt(posterior::rhat(by_chain(run$draws[, 2], 4)), 1.02)
  expect_gt(mean(run$draws[, 2]), 1)
})

test_that("weights 0 recover the prior of bernoulli", {
  expect_prior_recovered("bernoulli")
})

test_that("NUTS agrees with quadrature for bernoulli, weighted and clipped", {
  spec <- core_spec(
    rep(c(0, 0, 1), 20), family = "bernoulli",
    alpha = rep(c(1, 0.4, 0.8, 0.6), 15)
  )
  b <- seq(-6, 6, by = 0.002)
  expect_quadrature(spec, clips_of(spec), b)
  expect_quadrature(spec, clips_of(spec, below_zero = TRUE)[-1], b)
})
