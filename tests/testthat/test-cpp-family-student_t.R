test_that("student_t densities equal dt() into the tails", {
  y <- c(-1e8, -1e3, -3, -1e-9, 0, 1e-300, 0.5, 40, 1e12)
  eta <- c(-1e3, -1, 0, 1e-8, 2, 1e3)
  for (df in c(0.1, 1, 3, 30, 1e5)) {
    expect_densities("student_t", y, eta, c(1e-6, 0.3, 1, 1e6), df)
  }
})

test_that("a residual whose square overflows has its density", {
  f <- density_table("student_t", c(1e200, -1e300), 0, c(1e-3, 1))
  z <- abs(outer(c(1e3, 1), c(1e200, 1e300)))
  # log dt(z) = constant - 4/2 log(z^2 / 3) far out
  truth <- dt(1e5, 3, log = TRUE) - 4 * (log(z) - log(1e5)) + log(c(1e3, 1))
  expect_exact(f, truth)
})

test_that("many degrees of freedom are the normal density", {
  expect_exact(
    density_table("student_t", c(-2, 0.1, 5), 0.3, 0.7, df = 1e14),
    t(dnorm(c(-2, 0.1, 5), 0.3, 0.7, log = TRUE)), 1e-11
  )
})

test_that("df must be positive", {
  for (df in c(0, -1, NaN, Inf)) {
    spec <- core_spec(c(0, 1), family = "student_t", df = df)
    expect_error(log_lik_(spec, cbind(0, 1)), "degrees of freedom")
  }
})

test_that("log posterior and gradient of student_t", {
  expect_family_value("student_t", 0.5)
  expect_family_gradients("student_t", 0.5)
})

test_that("gradients stay bounded far from the data", {
  spec <- core_spec(c(1e6, -1e160, 0.3), family = "student_t")
  out <- log_posterior_(spec, c(0.3, 0.2))
  expect_true(is.finite(out$value))
  # the pull of a record is (df + 1) z / (df + z^2) / sigma, 0 far out
  z <- (spec$y - 0.3) * exp(-0.2)
  pull <- sum(4 * (1 / (3 / z[1:2] + z[1:2])) * exp(-0.2))
  expect_equal(out$gradient[1], pull - 0.3)
})

test_that("bounds, ties and far draws of student_t", {
  expect_family_bounds("student_t", 0.5)
  expect_order_free("student_t", 0.5)
  expect_far_draws("student_t", 0.5)
})

test_that("student_t synthetic values follow their density", {
  for (df in c(0.5, 3, 50)) {
    spec <- core_spec(numeric(4000), family = "student_t", df = df)
    y <- synthesize_(spec, cbind(1.5, 0.4), c(0, 3), 0)
    expect_gt(ks.test((y - 1.5) / 0.4, "pt", df)$p.value, 1e-4)
  }
})

test_that("weights 0 recover the prior of student_t", {
  expect_prior_recovered("student_t", half_t_quantile(3))
})

test_that("NUTS agrees with quadrature for student_t, weighted and clipped", {
  skip_unless_nightly() # by day the beta family's does
  spec <- core_spec(
    withr::with_seed(5, round(1 + 0.5 * rt(60, 3), 1)),
    family = "student_t", alpha = rep(c(1, 0.4, 0.8), 20)
  )
  b <- seq(-4, 5, by = 0.04)
  u <- seq(-9, 6, by = 0.08)
  # around a public reference
  f <- log_density("student_t", spec$y, 0.8, 0.6)
  clips <- c(
    clips_of(spec, by_night(c(10, 5, 3, 1), c(5, 1))),
    clips_of(spec, by_night(c(5, 1), 1), centre = spec$alpha * f)[-1]
  )
  expect_quadrature(spec, clips, b, u, draws = by_night(1000, 500))
})
