numeric_gradient <- function(f, u, h = 1e-5) {
  vapply(seq_along(u), function(j) {
    up <- down <- u
    up[j] <- u[j] + h
    down[j] <- u[j] - h
    (f(up) - f(down)) / (2 * h)
  }, 0)
}

half_t <- function(x, df = 3, scale = 1) {
  log(2) + dt(x / scale, df, log = TRUE) - log(scale)
}

# log density of a multivariate normal, the slow way.
mvn <- function(b, covariance) {
  -0.5 * (length(b) * log(2 * pi) +
    as.numeric(determinant(covariance)$modulus) +
    sum(b * solve(covariance, b)))
}

test_that("half_t equals the folded dt(), far into the tail", {
  for (x in c(1e-8, 0.3, 2, 50, 1e6)) {
    result <- test_half_t_(3, 0.7, x, 0)
    expect_equal(result$value, half_t(x, 3, 0.7), tolerance = 1e-12)
    expect_equal(result$log_value, half_t(x, 3, 0.7) + log(x),
      tolerance = 1e-12
    )
    slope <- numeric_gradient(function(x) half_t(x, 3, 0.7), x, 1e-5 * x)
    expect_equal(result$derivative, slope, tolerance = 1e-6)
  }
  # Far beyond exp()'s range, on the log scale.
  expect_true(is.finite(test_half_t_(3, 1, 1e300, 0)$log_derivative))
})

test_that("half_t above a floor is the density at floor + x", {
  result <- test_half_t_(3, 1, 0.2, 0.3)
  expect_equal(result$above, half_t(0.5) + log(0.2), tolerance = 1e-12)
  slope <- numeric_gradient(function(u) half_t(0.3 + exp(u)) + u, log(0.2))
  expect_equal(result$above_derivative, slope, tolerance = 1e-7)
})

test_that("the LKJ density of two variables is that of a scaled beta", {
  for (shape in c(0.5, 1, 2, 6)) {
    r <- tanh(0.4)
    # r = 2 Beta(shape, shape) - 1
    expect_equal(
      test_lkj_(2, shape, 0.4)$omega,
      dbeta((r + 1) / 2, shape, shape, log = TRUE) - log(2),
      tolerance = 1e-12
    )
  }
})

test_that("the LKJ density of three variables integrates to 1", {
  grid <- seq(-0.99, 0.99, by = 0.02)
  points <- expand.grid(a = grid, b = grid, c = grid)
  det <- with(points, 1 + 2 * a * b * c - a^2 - b^2 - c^2)
  # |Omega| to the power shape - 1, summed over the cube it lives in.
  mass <- log(sum(det[det > 0]) * 0.02^3)
  u <- c(0.3, -0.5, 0.8)
  L <- matrix(test_transform_("cholesky", u, numeric(9), 0)$x, 3)
  expect_equal(
    test_lkj_(3, 2, u)$omega,
    log(det(L %*% t(L))) - mass,
    tolerance = 1e-3
  )
})

test_that("the LKJ closed form equals density plus Jacobian", {
  withr::local_seed(21)
  for (size in 2:6) {
    u <- rnorm(size * (size - 1) / 2)
    result <- test_lkj_(size, 1.7, u)
    expect_equal(result$value, result$cholesky + result$log_jacobian,
      tolerance = 1e-12
    )
    value <- function(u) test_lkj_(size, 1.7, u)$value
    expect_equal(result$gradient, numeric_gradient(value, u),
      tolerance = 1e-7
    )
  }
})

priors <- function(size) {
  list(
    normal = list(
      kind = "normal", location = seq_len(size), scale = seq_len(size) / 2
    ),
    shared = list(
      kind = "shared", scale = 0.25, df = 3,
      location = c(10, rep(0, size - 1)), m_scale = c(20, rep(1, size - 1))
    ),
    hierarchical = list(kind = "hierarchical", lkj = 2, df = 3, scale = 1)
  )
}

n_hyper <- function(kind, size) {
  switch(kind,
    normal = 0,
    shared = 2 * size,
    hierarchical = size + size * (size - 1) / 2
  )
}

test_that("gradients of coefficient priors equal central differences", {
  withr::local_seed(22)
  size <- 4
  for (kind in names(priors(size))) {
    for (K in c(1, 3)) {
      prior <- priors(size)[[kind]]
      b <- rnorm(size * K)
      u <- rnorm(n_hyper(kind, size), sd = 0.7)
      result <- test_coefficient_prior_(prior, size, K, b, u)
      at_b <- function(b) test_coefficient_prior_(prior, size, K, b, u)$value
      at_u <- function(u) test_coefficient_prior_(prior, size, K, b, u)$value
      expect_equal(result$d_b, numeric_gradient(at_b, b), tolerance = 1e-6)
      expect_equal(result$d_u, numeric_gradient(at_u, u), tolerance = 1e-6)
    }
  }
})

test_that("the normal prior equals dnorm()", {
  prior <- priors(3)$normal
  b <- c(0.1, -2, 7, 3, 0, 1)
  j <- rep(1:3, each = 2)
  expect_equal(
    test_coefficient_prior_(prior, 3, 2, b, numeric(0))$value,
    sum(dnorm(b, prior$location[j], prior$scale[j], log = TRUE)),
    tolerance = 1e-12
  )
})

test_that("the shared prior equals its factors, constants included", {
  prior <- priors(3)$shared
  b <- c(10.1, 9, 0.3, -0.2, 1, 0)
  j <- rep(1:3, each = 2)
  m <- c(9.5, 0.1, 0.4)
  tau <- c(0.5, 0.1, 2)
  expect_equal(
    test_coefficient_prior_(prior, 3, 2, b, c(m, log(tau)))$value,
    sum(dnorm(b, m[j], tau[j], log = TRUE)) +
      sum(dnorm(m, prior$location, prior$m_scale, log = TRUE)) +
      sum(half_t(tau, 3, 0.25) + log(tau)),
    tolerance = 1e-12
  )
})

test_that("the hierarchical prior equals its factors, constants included", {
  prior <- priors(3)$hierarchical
  b <- c(1, -0.5, 0.3, 0.2, 2, -1)
  tau <- c(0.5, 1.5, 2)
  u <- c(0.3, -0.5, 0.8)
  L <- matrix(test_transform_("cholesky", u, numeric(9), 0)$x, 3)
  covariance <- diag(tau) %*% L %*% t(L) %*% diag(tau)
  B <- matrix(b, 2)
  expect_equal(
    test_coefficient_prior_(prior, 3, 2, b, c(log(tau), u))$value,
    mvn(B[1, ], covariance) + mvn(B[2, ], covariance) +
      sum(half_t(tau) + log(tau)) + test_lkj_(3, 2, u)$value,
    tolerance = 1e-12
  )
})

test_that("stored hyperparameters lead back to the unconstrained ones", {
  shared <- test_coefficient_prior_(
    priors(2)$shared, 2, 1, c(0, 0), c(1, 2, -1, 0.5)
  )
  expect_equal(shared$stored, c(exp(c(-1, 0.5)), 1, 2))
  expect_equal(shared$back, c(1, 2, -1, 0.5))
  # Correlations are not stored and start at 0.
  hierarchical <- test_coefficient_prior_(
    priors(2)$hierarchical, 2, 1, c(0, 0), c(-1, 0.5, 0.3)
  )
  expect_equal(hierarchical$stored, exp(c(-1, 0.5)))
  expect_equal(hierarchical$back, c(-1, 0.5, 0))
})

test_that("the Dirichlet prior equals its formula, tiny weights included", {
  for (gamma in c(1e-6, 0.4, 5)) {
    log_pi <- c(-700, log(0.3), log(0.7))
    a <- gamma / 3
    u <- log(gamma)
    result <- test_dirichlet_prior_(log_pi, u)
    expect_equal(
      result$value,
      lgamma(gamma) - 3 * lgamma(a) + (a - 1) * sum(log_pi) +
        dexp(gamma, log = TRUE) + u,
      tolerance = 1e-12
    )
    at_u <- function(u) test_dirichlet_prior_(log_pi, u)$value
    expect_equal(result$d_u, numeric_gradient(at_u, u), tolerance = 1e-6)
    expect_equal(result$d_log_pi, rep(a - 1, 3), tolerance = 1e-12)
  }
})
