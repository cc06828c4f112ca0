# Joint-distribution tests: everything must follow its prior.
joint <- function(P, eta, n = by_night(2e4, 1e4), thin = 2, seed = 1, scale = 1,
                  curvature = matrix(0, 0, 0)) {
  x <- test_hierarchical_sweep_(P, eta, 3, scale, n, thin, seed, curvature)
  list(
    tau = x[, seq_len(P)], b = x[, P + seq_len(P)],
    omega = x[, -seq_len(2 * P), drop = FALSE]
  )
}

# u' Omega^-1 u with u = b / tau: what b, tau and Omega make together.
squared_distance <- function(x, P, n = by_night(8000, 3000)) {
  u <- x$b / x$tau
  vapply(seq_len(n), function(s) {
    omega <- diag(P)
    # rows of the lower triangle are columns of the upper one
    omega[upper.tri(omega)] <- x$omega[s, ]
    root <- chol(omega)
    sum(backsolve(root, u[s, ], transpose = TRUE)^2)
  }, 0)
}

expect_prior <- function(x, P, eta, scale = 1) {
  a <- eta + (P - 2) / 2
  expect_law(squared_distance(x, P), function(p) qchisq(p, P))
  for (j in seq_len(P)) {
    expect_law(x$tau[, j], half_t_quantile(3, scale))
    expect_law(x$b[, j] / x$tau[, j], qnorm)
  }
  for (l in seq_len(ncol(x$omega))) {
    expect_law((x$omega[, l] + 1) / 2, function(p) qbeta(p, a, a))
  }
}

test_that("tau and Omega keep their prior, b drawn anew from its own", {
  cases <- list(c(2, 4), c(3, 1), c(4, 0.6), c(3, 6))
  for (case in by_night(cases, cases[3:4])) {
    expect_prior(joint(case[1], case[2]), case[1], case[2])
  }
})

test_that("tau, Omega and b keep their prior while data are drawn anew", {
  C <- 3 * stats::toeplitz(c(1, 0.5, 0.2))
  x <- joint(3, 1, curvature = C, scale = 0.7, seed = 2)
  expect_prior(x, 3, 1, 0.7)
})

test_that("b and Omega are joined as the prior says", {
  x <- joint(2, 1, curvature = diag(2), seed = 3)
  u <- x$b / x$tau
  # given Omega, u1 u2 has mean Omega_12
  expect_truth(u[, 1] * u[, 2] - x$omega[, 1], 0)
  expect_truth(u[, 1] * u[, 2] * x$omega[, 1], 1 / 3)
})

# An error in the law of q hardly shows: with the order eta in place of
# eta - 1/2 the share of tau below its median falls by 1 percent. A long run of
# the smallest case sees it.
test_that("Omega and tau keep their prior to three figures", {
  x <- joint(2, 0.75, n = 2e5, seed = 4)
  expect_truth(x$omega[, 1]^2, 0.4)
  for (j in 1:2) {
    expect_truth(1 * (x$tau[, j] < half_t_quantile(3, 1)(0.5)), 0.5)
  }
})

test_that("the same seed gives the same draws", {
  expect_identical(joint(3, 1, n = 50), joint(3, 1, n = 50))
})
