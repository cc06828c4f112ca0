# Distribution function of log q by the trapezium rule on a fine grid.
log_cdf <- function(lambda, chi) {
  f <- function(u) lambda * u - 0.5 * (chi * exp(-u) + exp(u))
  mode <- log(lambda + sqrt(lambda^2 + chi))
  low <- high <- mode
  while (f(low) > f(mode) - 40) low <- low - 0.5
  while (f(high) > f(mode) - 40) high <- high + 0.1
  u <- seq(low, high, length.out = 2e5)
  density <- exp(f(u) - f(mode))
  mass <- cumsum(c(0, (density[-1] + density[-length(u)]) / 2))
  stats::approxfun(u, mass / mass[length(u)], yleft = 0, yright = 1)
}

test_that("draws follow the density over its whole range of shapes", {
  for (lambda in c(0.1, 0.5, 2.5, 40)) {
    for (chi in c(1e-8, 0.3, 5, 900)) {
      q <- test_generalised_inverse_gaussian_(2e4, 1, lambda, chi)
      expect_true(all(is.finite(q) & q > 0))
      p <- log_cdf(lambda, chi)(log(q))
      expect_gt(suppressWarnings(ks.test(p, "punif")$p.value), 1e-6)
    }
  }
})

test_that("chi = 0 is a gamma distribution", {
  for (lambda in c(0.1, 1, 6)) {
    q <- test_generalised_inverse_gaussian_(2e4, 2, lambda, 0)
    expect_gt(ks.test(q, "pgamma", lambda, 0.5)$p.value, 1e-6)
  }
})

test_that("a huge chi gives draws next to its root, and an end", {
  for (chi in c(1e20, 1e45, 1e100, 1e300)) {
    q <- test_generalised_inverse_gaussian_(100, 3, 0.5, chi)
    expect_lt(max(abs(q / sqrt(chi) - 1)), 10 * chi^-0.25 + 1e-12)
  }
  q <- test_generalised_inverse_gaussian_(1, 3, 0.5, Inf)
  expect_identical(q, Inf)
})
