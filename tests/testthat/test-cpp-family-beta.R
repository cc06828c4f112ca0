test_that("beta densities equal dbeta() at the edges", {
  y <- c(1e-300, 1e-12, 0.01, 0.3, 0.5, 0.9, 1 - 1e-6)
  eta <- c(-690, -30, -3, -0.5, 0, 0.1, 2.3, 9, 30, 690)
  expect_densities("beta", y, eta, 0.1 + c(1e-9, 0.4, 2, 30, 450, 1e4, 1e6))
})

test_that("beta densities equal dbeta() next to 1 and at sharp precisions", {
  # dbeta() forms 1 - y and its shapes with rounding of its own.
  y <- c(0.2, 0.5, 1 - 1e-10, 1 - 2^-53)
  expect_densities("beta", y, c(-2, 0, 2, 20), c(0.3, 7, 1e8),
    tolerance = 1e-10
  )
})

# Gamma functions by their own logarithms, for means that underflow: with
# a -> 0, -log Gamma(a) = log a.
test_that("a mean that underflows keeps its logarithm", {
  lambda <- 3
  for (y in c(0.2, 0.7)) {
    f <- density_table("beta", y, c(-1e3, 1e3), lambda)
    expect_exact(
      f[, 1], c(
        log(lambda) - 1e3 - log(y) + (lambda - 1) * log1p(-y),
        log(lambda) - 1e3 - log1p(-y) + (lambda - 1) * log(y)
      )
    )
  }
  spec <- core_spec(c(0.2, 0.7), family = "beta")
  out <- log_posterior_(spec, c(-1e3, 1))
  expect_true(all(is.finite(c(out$value, out$gradient))))
  expect_equal(out$gradient[1], 2 + 1e3)
})

test_that("log posterior and gradient of beta", {
  expect_family_value("beta", 6)
  expect_family_gradients("beta", 6)
})

test_that("the gradient is right for sharp and flat precisions", {
  spec <- core_spec(c(0.001, 0.2, 0.25, 0.999), family = "beta")
  model <- model_(spec)
  for (u in c(-8, -2, 7)) {
    for (b in c(-8, -0.3, 8)) {
      value <- function(x) model_evaluate_(model, x)$value
      h <- 1e-3
      numeric <- vapply(1:2, function(j) {
        at <- function(k) value(c(b, u) + replace(c(0, 0), j, k * h))
        (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
      }, 0)
      expect_equal(
        model_evaluate_(model, c(b, u))$gradient, numeric,
        tolerance = 1e-6
      )
    }
  }
})

test_that("bounds, ties and far draws of beta", {
  expect_family_bounds("beta", 6)
  expect_order_free("beta", 6)
  expect_far_draws("beta", 6)
})

test_that("tiles agree with single draws at every precision", {
  spec <- core_spec(c(0.001, 0.2, 0.5, 0.97), family = "beta")
  draws <- cbind(
    rep(c(-1, 0.5), each = 40), 0.1 + exp(seq(-10, 15, length.out = 80))
  )
  f <- log_lik_(spec, draws)
  expect_exact(f, naive_log_lik(spec, draws), 1e-11)
  for (s in c(1, 30, 80)) {
    expect_exact(log_lik_(spec, draws[s, , drop = FALSE]), f[s, ])
  }
})

test_that("beta synthetic values follow their distribution", {
  for (precision in c(2, 30, 1e6)) {
    for (eta in c(-2, 0, 1)) {
      spec <- core_spec(numeric(4000) + 0.5, family = "beta")
      y <- synthesize_(spec, cbind(eta, precision), c(0, 6), 0)[, 1]
      u <- pbeta(y, plogis(eta) * precision, plogis(-eta) * precision)
      expect_gt(ks.test(u, "punif")$p.value, 1e-4)
    }
  }
})

test_that("beta synthetic values are never 0 or 1", {
  spec <- core_spec(numeric(4000) + 0.5, family = "beta")
  for (eta in c(-30, -1, 0, 1, 30)) {
    y <- synthesize_(spec, cbind(eta, 0.1 + 1e-6), c(0, 7), 0)[, 1]
    expect_true(all(y > 0 & y < 1))
    # half of the mass at eta = 0 is on either side
    share <- mean(y > 0.5)
    expect_lt(abs(share - plogis(eta)), 0.08)
  }
})

test_that("weights 0 recover the prior of beta", {
  # Pareto(0.1, 1.5)
  expect_prior_recovered("beta", function(p) 0.1 * (1 - p)^(-1 / 1.5))
})

test_that("NUTS agrees with quadrature for beta, weighted and clipped", {
  spec <- core_spec(
    withr::with_seed(8, round(rbeta(60, 0.5, 3) + 5e-4, 3)),
    family = "beta", alpha = rep(c(1, 0.4, 0.8), 20)
  )
  b <- seq(-5, 4.5, by = 0.04)
  u <- seq(-14, 9, by = 0.1)
  f <- log_density("beta", spec$y, -1.5, 3)
  clips <- c(
    clips_of(spec, by_night(c(10, 5, 3, 1), c(5, 1))),
    clips_of(spec, by_night(c(5, 1), 1), centre = spec$alpha * f)[-1]
  )
  expect_quadrature(spec, clips, b, u, draws = by_night(1000, 500))
})
