# Numeric derivative of a vector function, one column per input.
numeric_jacobian <- function(f, u, h = 1e-5) {
  vapply(seq_along(u), function(j) {
    up <- down <- u
    up[j] <- u[j] + h
    down[j] <- u[j] - h
    (f(up) - f(down)) / (2 * h)
  }, f(u))
}

numeric_gradient <- function(f, u, h = 1e-5) {
  as.numeric(numeric_jacobian(f, u, h))
}

transform <- function(kind, u, weight, lower = 0) {
  test_transform_(kind, u, weight, lower)
}

log_det <- function(x) as.numeric(determinant(as.matrix(x))$modulus)

test_that("the lower bound's log Jacobian is the numeric one", {
  for (u in c(-3, 0.2, 4)) {
    x <- function(u) transform("lower_bound", u, 1, 0.3)$x
    expect_equal(
      transform("lower_bound", u, 1, 0.3)$log_jacobian,
      log_det(numeric_jacobian(x, u)),
      tolerance = 1e-7
    )
    expect_equal(transform("lower_bound", u, 1, 0.3)$back, u)
  }
})

test_that("the simplex's log Jacobian is the numeric determinant", {
  withr::local_seed(11)
  for (size in 2:6) {
    u <- rnorm(size - 1)
    pi <- function(u) {
      exp(transform("simplex", u, numeric(size))$x)[-size]
    }
    J <- matrix(numeric_jacobian(pi, u), size - 1)
    result <- transform("simplex", u, numeric(size))
    expect_equal(result$log_jacobian, log_det(J), tolerance = 1e-7)
    expect_equal(sum(exp(result$x)), 1)
    expect_equal(result$back, u, tolerance = 1e-10)
  }
})

test_that("the Cholesky factor's log Jacobian is the numeric determinant", {
  withr::local_seed(12)
  for (size in 2:5) {
    u <- rnorm(size * (size - 1) / 2)
    free <- lower.tri(diag(size))
    elements <- function(u) {
      transform("cholesky", u, numeric(size^2))$x[free]
    }
    J <- matrix(numeric_jacobian(elements, u), length(u))
    result <- transform("cholesky", u, numeric(size^2))
    expect_equal(result$log_jacobian, log_det(J), tolerance = 1e-7)
    L <- matrix(result$x, size)
    expect_equal(diag(L %*% t(L)), rep(1, size), tolerance = 1e-14)
    expect_equal(result$back, u, tolerance = 1e-8)
  }
})

test_that("gradients of all transforms equal central differences", {
  withr::local_seed(13)
  cases <- list(
    list("lower_bound", rnorm(1), rnorm(1)),
    list("simplex", rnorm(5), rnorm(6)),
    list("cholesky", rnorm(6), rnorm(16))
  )
  # The strict upper triangle is 0 whatever u is.
  cases[[3]][[3]] <- cases[[3]][[3]] * as.numeric(lower.tri(diag(4), TRUE))
  for (case in cases) {
    value <- function(u) transform(case[[1]], u, case[[3]], 0.1)$value
    expect_equal(
      transform(case[[1]], case[[2]], case[[3]], 0.1)$gradient,
      numeric_gradient(value, case[[2]]),
      tolerance = 1e-7
    )
  }
})

test_that("simplex components down to exp(-700) and below keep their log", {
  u <- c(-700 + log(2), 2)
  log_pi <- transform("simplex", u, numeric(3))$x
  expect_equal(log_pi[1], -700, tolerance = 1e-13)
  expect_equal(transform("simplex", u, numeric(3))$back, u, tolerance = 1e-13)
  far <- transform("simplex", c(-5000, 3000), c(1, 1, 1))
  expect_true(all(is.finite(far$x)))
  expect_true(all(is.finite(far$gradient)))
  expect_equal(far$x[3], -3000, tolerance = 1e-13)
})

test_that("correlations near 1 keep a finite log Jacobian and gradient", {
  far <- transform("cholesky", c(400, -400, 5), as.numeric(diag(3)))
  expect_true(is.finite(far$log_jacobian))
  expect_true(all(is.finite(far$gradient)))
})
