test_that("poisson densities equal dpois() at the edges", {
  y <- c(0, 1, 2, 5, 9, 10, 11, 150, 199, 200, 201, 1e4, 1e6, 1e8)
  eta <- c(-700, -100, -3, -0.5, 0, 0.1, 2.3, 5.3, 9.2, 13.8, 18.4, 30, 600)
  expect_densities("poisson", y, eta)
})

test_that("a mean that underflows keeps its logarithm", {
  f <- density_table("poisson", c(0, 1, 7), -1e3)
  expect_exact(f, t(c(0, -1e3, -7e3 - lgamma(8))))
})

test_that("a mean that overflows is -Inf, never NaN", {
  f <- density_table("poisson", c(0, 1, 1e8), c(710, 1e3))
  expect_true(all(f == -Inf))
  spec <- core_spec(c(0, 3), family = "poisson")
  expect_identical(log_posterior_(spec, 800)$value, -Inf)
})

test_that("log posterior and gradient of poisson", {
  expect_family_value("poisson", level = 1)
  expect_family_gradients("poisson", level = 1)
})

test_that("bounds, ties and far draws of poisson", {
  expect_family_bounds("poisson", level = 1)
  expect_family_bounds("poisson", level = 8)
  expect_order_free("poisson", level = 1)
  expect_far_draws("poisson")
})

test_that("poisson synthetic values follow their distribution", {
  for (mean in c(0.05, 1, 9.9, 10.1, 60, 1e4, 1e9)) {
    spec <- core_spec(numeric(4000), family = "poisson")
    y <- synthesize_(spec, cbind(log(mean)), c(0, 4), 0)[, 1]
    expect_identical(y, floor(y))
    # the distribution function, made continuous
    v <- withr::with_seed(1, runif(4000))
    u <- ppois(y - 1, mean) + v * dpois(y, mean)
    expect_gt(ks.test(u, "punif")$p.value, 1e-4)
  }
})

test_that("weights 0 recover the prior of poisson", {
  expect_prior_recovered("poisson")
})

test_that("NUTS agrees with quadrature for poisson, weighted and clipped", {
  spec <- core_spec(
    withr::with_seed(6, rpois(60, 4)),
    family = "poisson", alpha = rep(c(1, 0.4, 0.8), 20)
  )
  b <- seq(-6, 5, by = 0.002)
  expect_quadrature(spec, clips_of(spec), b)
  expect_quadrature(spec, clips_of(spec, below_zero = TRUE)[-1], b)
})
