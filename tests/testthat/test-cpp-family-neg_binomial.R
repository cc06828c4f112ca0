counts <- c(0, 1, 2, 5, 9, 10, 11, 100, 1e4, 1e6)
means <- c(-600, -100, -3, -0.5, 0, 0.1, 2.3, 5, 9.2, 13.8, 30, 100)

test_that("neg_binomial densities equal dnbinom() at the edges", {
  expect_densities(
    "neg_binomial", counts, means, c(1e-8, 1e-3, 0.5, 3, 40, 1e3)
  )
})

# log f with the product over counts written out; no special function.
by_product <- function(y, eta, size) {
  j <- seq_len(y) - 1
  sum(log1p(j / size)) - lfactorial(y) + y * eta -
    (y + size) * log1p(exp(eta) / size)
}

test_that("near the Poisson limit densities equal the exact product", {
  # R 4.2's dnbinom(mu =) loses digits there and is a first-order expansion
  # further on.
  for (size in c(1e5, 1e7, 1e9, 1e12)) {
    for (eta in c(-3, 0, 2, 4)) {
      y <- c(0, 1, 7, 80)
      f <- density_table("neg_binomial", y, eta, size)
      expect_exact(f[1, ], vapply(y, by_product, 0, eta, size))
    }
  }
  expect_exact(
    density_table("neg_binomial", c(0, 3, 50), 2, 1e300),
    density_table("poisson", c(0, 3, 50), 2)
  )
})

test_that("a mean that overflows keeps its logarithm", {
  # for mu -> Inf: f = log Gamma(y + phi)/(Gamma(phi) y!) + phi (log phi - eta)
  y <- c(0, 1, 30)
  f <- density_table("neg_binomial", y, 1e3, 2)
  expect_exact(f[1, ], lchoose(y + 1, y) + 2 * (log(2) - 1e3))
  f <- density_table("neg_binomial", y, -1e3, 2)
  expect_exact(f[1, ], lchoose(y + 1, y) + y * (-1e3 - log(2)))
  spec <- core_spec(c(0, 3), family = "neg_binomial")
  out <- log_posterior_(spec, c(800, 0.5))
  expect_true(is.finite(out$value))
  expect_equal(out$gradient[1], -2 * exp(0.5) - 800)
})

test_that("log posterior and gradient of neg_binomial", {
  expect_family_value("neg_binomial", 2, level = 1)
  expect_family_gradients("neg_binomial", 2, level = 1)
})

test_that("the gradient is right for small and large sizes", {
  spec <- core_spec(c(0, 0, 1, 4, 30), family = "neg_binomial")
  model <- model_(spec)
  for (u in c(-12, -4, 8, 18)) {
    value <- function(x) model_evaluate_(model, x)$value
    h <- 1e-3
    # fourth order: the value is large beside its slope
    numeric <- vapply(1:2, function(j) {
      at <- function(k) value(c(0.7, u) + replace(c(0, 0), j, k * h))
      (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h)
    }, 0)
    expect_equal(
      model_evaluate_(model, c(0.7, u))$gradient, numeric,
      tolerance = 1e-6
    )
  }
})

test_that("bounds, ties and far draws of neg_binomial", {
  expect_family_bounds("neg_binomial", 2, level = 1)
  expect_family_bounds("neg_binomial", 5, level = 8)
  expect_order_free("neg_binomial", 2, level = 1)
  expect_far_draws("neg_binomial", 2)
})

test_that("tiles use tables only where they are exact", {
  spec <- core_spec(c(0, 3, 90, 2000, 1e6), family = "neg_binomial")
  draws <- cbind(
    rep(c(1, 7), each = 40), exp(seq(-10, 20, length.out = 80))
  )
  f <- log_lik_(spec, draws)
  for (s in c(1, 30, 80)) {
    # one draw alone goes another way through the tile
    expect_exact(log_lik_(spec, draws[s, , drop = FALSE]), f[s, ])
  }
  moderate <- draws[, 2] < 1e5
  expect_exact(f[moderate, ], naive_log_lik(spec, draws[moderate, ]))
})

test_that("neg_binomial synthetic values follow their distribution", {
  for (size in c(1e-3, 0.3, 4, 1e7)) {
    for (mean in c(0.5, 20, 1e5)) {
      spec <- core_spec(numeric(4000), family = "neg_binomial")
      y <- synthesize_(spec, cbind(log(mean), size), c(0, 5), 0)[, 1]
      expect_identical(y, floor(y))
      v <- withr::with_seed(1, runif(4000))
      u <- pnbinom(y - 1, size = size, mu = mean) +
        v * dnbinom(y, size = size, mu = mean)
      expect_gt(ks.test(u, "punif")$p.value, 1e-4)
    }
  }
})

test_that("weights 0 recover the prior of neg_binomial", {
  # 1/size is half-Cauchy(0, 5)
  expect_prior_recovered(
    "neg_binomial", function(p) 1 / half_t_quantile(1, 5)(1 - p)
  )
})

test_that("NUTS agrees with quadrature for neg_binomial, weighted, clipped", {
  spec <- core_spec(
    withr::with_seed(7, rnbinom(60, mu = 4, size = 1.5)),
    family = "neg_binomial", alpha = rep(c(1, 0.4, 0.8), 20)
  )
  b <- seq(-4, 5, by = 0.04)
  u <- seq(-14, 12, by = 0.1)
  clips <- c(
    clips_of(spec, by_night(c(10, 5, 3, 1), c(5, 1)), below_zero = TRUE),
    clips_of(spec, by_night(c(5, 1), 1))[-1]
  )
  expect_quadrature(spec, clips, b, u, draws = by_night(1000, 500))
})
