regression_spec <- function(prior = NULL, n = 60, alpha = NULL, offset = 0) {
  withr::local_seed(6)
  group <- rep(0:2, length.out = n)
  z <- rnorm(n)
  y <- offset + c(0, 0.8, -0.5)[group + 1] + 0.4 * z + rnorm(n, sd = 0.7)
  if (is.null(alpha)) alpha <- rep(c(0, 0.3, 0.8, 1), length.out = n)
  core_spec(y, matrix(group), matrix(z), alpha = alpha, prior = prior)
}

expect_quadrature <- function(spec, ...) {
  run <- run_core(spec, "gibbs", by_night(2e4, 8000), ...)
  truth <- gaussian_quadrature(spec)
  P <- spec$n_columns
  for (j in seq_len(P)) {
    expect_truth(run$draws[, j], truth$mean_b[j], 2)
    expect_truth(run$draws[, j]^2, truth$square_b[j], 2)
  }
  u <- log(run$draws[, P + 1])
  expect_truth(u, truth$mean_log_sigma, 2)
  expect_truth(u^2, truth$square_log_sigma, 2)
}

test_that("the normal prior's posterior is that of quadrature", {
  expect_quadrature(regression_spec())
  expect_quadrature(regression_spec(alpha = rep(1, 60)))
  expect_quadrature(regression_spec(alpha = rep(0.02, 60)))
  off_centre <- list(
    kind = "normal", location = c(3, 0, -1, 0), scale = c(0.1, 2, 0.5, 1)
  )
  expect_quadrature(regression_spec(off_centre))
})

test_that("a response far from 0 loses no digits", {
  flat <- list(kind = "normal", location = c(1e6, 0, 0, 0), scale = rep(2, 4))
  near <- list(kind = "normal", location = rep(0, 4), scale = rep(2, 4))
  far <- run_core(regression_spec(flat, offset = 1e6), "gibbs", 2000)
  here <- run_core(regression_spec(near), "gibbs", 2000)
  expect_equal(far$draws[, 1] - 1e6, here$draws[, 1], tolerance = 1e-6)
  expect_equal(far$draws[, -1], here$draws[, -1], tolerance = 1e-6)
})

test_that("the hierarchical prior's posterior is that of Hamiltonian chains", {
  for (lkj in c(1, 6)) {
    spec <- regression_spec(hierarchical_prior(lkj))
    gibbs <- run_core(spec, "gibbs", by_night(2e4, 8000), thin = 2, seed = 2)
    nuts <- run_core(
      spec, "nuts", by_night(4000, 2000), warmup = by_night(1000, 500),
      seed = 3
    )
    for (j in 1:5) {
      x <- gibbs$draws[, j]
      y <- nuts$draws[, j]
      middle <- median(y)
      expect_same_mean(x, y)
      expect_same_mean(1 * (x < middle), 1 * (y < middle))
    }
    # Not the logarithm: Hamiltonian chains do not reach tau near 0.
    for (j in 1:4) {
      x <- gibbs$hyper[, j]
      y <- nuts$hyper[, j]
      expect_same_mean(1 * (x < 0.5), 1 * (y < 0.5))
      expect_same_mean(1 * (x < 1), 1 * (y < 1))
    }
  }
})

# b, sigma and tau from the hierarchical prior, Omega ~ LKJ(lkj) of two columns.
two_column_prior <- function(n, lkj) {
  tau <- matrix(draw_half_t(2 * n, 3), n)
  omega <- 2 * rbeta(n, lkj, lkj) - 1
  u <- rnorm(n)
  v <- omega * u + sqrt(1 - omega^2) * rnorm(n)
  list(b = tau * cbind(u, v), tau = tau, sigma = draw_half_t(n, 3))
}

test_that("the hierarchical prior's posterior is exact for few records", {
  withr::local_seed(3)
  for (lkj in by_night(c(0.7, 1, 6), 0.7)) {
    spec <- core_spec(
      c(0.3, 1.4, -0.9, 2.2, 0.4), matrix(c(0L, 1L, 0L, 1L, 1L)),
      alpha = c(1, 0.3, 0.8, 0.5, 0.9), prior = hierarchical_prior(lkj)
    )
    x <- dense_matrix(spec)
    quantities <- function(b, sigma, tau) {
      cbind(b, log(sigma), log(tau), b[, 1] * b[, 2], abs(b) < 0.2)
    }
    n <- by_night(2e5, 8e4)
    prior <- two_column_prior(n, lkj)
    f <- vapply(1:5, function(i) {
      dnorm(spec$y[i], (prior$b %*% x[i, ])[, 1], prior$sigma, log = TRUE)
    }, numeric(n))
    truth <- weighted_means(
      quantities(prior$b, prior$sigma, prior$tau), (f %*% spec$alpha)[, 1]
    )
    run <- run_core(spec, "gibbs", by_night(2e4, 1e4), thin = 3, seed = 7)
    q <- quantities(run$draws[, 1:2], run$draws[, 3], run$hyper)
    for (j in seq_len(ncol(q))) {
      expect_truth(q[, j], truth$mean[j], 2, truth$error[j])
    }
  }
})

test_that("weights 0 give back the hierarchical prior", {
  spec <- regression_spec(hierarchical_prior(2), n = 12, alpha = rep(0, 12))
  run <- run_core(spec, "gibbs", by_night(2e4, 8000), thin = 3, seed = 5)
  for (j in 1:4) {
    expect_law(run$hyper[, j], half_t_quantile(3), 2)
    expect_law(run$draws[, j] / run$hyper[, j], qnorm, 2)
  }
  expect_law(run$draws[, 5], half_t_quantile(3), 2)
})

test_that("weights 0 give back the normal prior", {
  prior <- list(kind = "normal", location = 1:4, scale = c(0.1, 1, 2, 3))
  spec <- regression_spec(prior, alpha = rep(0, 60))
  run <- run_core(spec, "gibbs", 1e4)
  for (j in 1:4) {
    expect_law(run$draws[, j], function(p) qnorm(p, j, prior$scale[j]), 2)
  }
  expect_law(run$draws[, 5], half_t_quantile(3), 2)
})

test_that("weight 0 is the same as dropping the record", {
  full <- regression_spec()
  keep <- full$alpha > 0
  dropped <- core_spec(
    full$y[keep], full$codes[keep, , drop = FALSE],
    full$numeric[keep, , drop = FALSE],
    alpha = full$alpha[keep]
  )
  x <- run_core(full, "gibbs", 200)
  expect_equal(run_core(dropped, "gibbs", 200)$draws, x$draws, tolerance = 1e-8)
  other <- full
  other$y[!keep] <- 1e6
  expect_identical(run_core(other, "gibbs", 200)$draws, x$draws)
})

test_that("draws are the same at 1, 2 and 4 threads and on repetition", {
  spec <- regression_spec(hierarchical_prior())
  one <- run_core(spec, "gibbs", 50, chains = 4)
  for (threads in c(1, 2, 4)) {
    again <- run_core(spec, "gibbs", 50, chains = 4, threads = threads)
    for (part in c("draws", "hyper", "state", "monitor")) {
      expect_identical(again[[part]], one[[part]])
    }
  }
})

test_that("designs of every shape and a single record give finite draws", {
  specs <- list(
    core_spec(1.5), core_spec(1.5, alpha = 0), core_spec(rep(2, 9)),
    core_spec(rnorm(9), x = matrix(rnorm(18), 9), intercept = FALSE),
    core_spec(rnorm(9), matrix(rep(0:2, 3)), intercept = FALSE),
    core_spec(rnorm(9), matrix(rep(0:2, 3)), prior = hierarchical_prior())
  )
  for (spec in specs) {
    run <- run_core(spec, "gibbs", 50, warmup = 50)
    expect_true(all(is.finite(run$draws)))
    expect_true(all(run$draws[, spec$n_columns + 1] > 0))
  }
})

test_that("shapes of the LKJ prior that the sampler cannot serve are refused", {
  spec <- regression_spec(hierarchical_prior(0.5))
  expect_error(run_core(spec, "gibbs", 10), "above 1/2")
})
