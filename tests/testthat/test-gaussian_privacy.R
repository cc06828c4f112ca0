test_that("delta is that of telling N(0, 1) from N(mu, 1)", {
  for (mu in c(0.05, 0.4, 1, 3)) {
    for (epsilon in c(0, 0.1, 1, 4)) {
      # The mass by which one density exceeds exp(epsilon) times the other
      excess <- stats::integrate(function(z) {
        pmax(stats::dnorm(z, mu) - exp(epsilon) * stats::dnorm(z), 0)
      }, epsilon / mu + mu / 2, Inf, rel.tol = 1e-11, abs.tol = 0)$value
      expect_equal(gaussian_delta(epsilon, mu), excess, tolerance = 1e-6)
    }
  }
  expect_identical(gaussian_delta(1, 0), 0)
})

test_that("epsilon and mu are each other's inverse, rounded to the safe side", {
  for (mu in c(0.01, 0.1, 0.4483, 2, 6)) {
    for (delta in c(1e-12, 1e-6, 0.01)) {
      for (gap in c(0, 1e-41)) {
        epsilon <- gaussian_epsilon(mu, delta, gap)
        left <- delta - (1 + exp(epsilon)) * gap
        expect_lte(gaussian_delta(epsilon, mu), left)
        if (epsilon == 0) next
        expect_gt(gaussian_delta(epsilon * (1 - 1e-6), mu), left)
        back <- gaussian_mu(epsilon, delta, gap)
        expect_lte(gaussian_epsilon(back, delta, gap), epsilon)
        expect_equal(back, mu, tolerance = 1e-8)
      }
    }
  }
  expect_identical(gaussian_mu(1, 1e-6, 1e-6), 0)
  expect_identical(gaussian_epsilon(1, 1e-6, 1e-6), Inf)
  expect_identical(gaussian_epsilon(0, 1e-6), 0)
  expect_identical(gaussian_epsilon(1, 0), Inf)
})

test_that("it is smaller than what zCDP allows", {
  for (mu in c(0.1, 0.5, 2)) {
    expect_lt(gaussian_epsilon(mu, 1e-6), zcdp_epsilon(mu^2 / 2, 1e-6))
  }
})

test_that("the gap bounds the distance to rounded Gaussian noise", {
  for (sigma in c(16, 23, 60)) {
    x <- seq(-60 * sigma, 60 * sigma)
    discrete <- stats::dnorm(x, 0, sigma)
    discrete <- discrete / sum(discrete)
    # By the upper tail on either side: no mass is lost by cancellation
    upper <- function(t) stats::pnorm(t, 0, sigma, lower.tail = FALSE)
    rounded <- upper(abs(x) - 0.5) - upper(abs(x) + 0.5)
    distance <- sum(abs(discrete - rounded)) / 2
    expect_lt(distance, gaussian_gap(sigma, 1))
    expect_gt(distance, gaussian_gap(sigma, 1) / 2)
  }
  expect_identical(gaussian_gap(15, 1), NA_real_)
  expect_equal(gaussian_gap(100, 7), 7 * gaussian_gap(100, 1))
})

test_that("charges that are all Gaussian are stated as such, others are not", {
  one <- charge("a", "sum", rho = by_relation(0.02, 0.08), gap = 1e-16)
  two <- charge("b", "sum", rho = by_relation(0.01, 0.02), gap = 1e-16)
  total <- total_charges(join_charges(one, two), 1e-6)
  expect_equal(total$rho, by_relation(0.03, 0.10))
  expect_equal(
    total$epsilon[["replace"]], gaussian_epsilon(sqrt(0.2), 1e-6, 2e-16)
  )
  other <- charge("c", "sum", rho = by_relation(0.01, 0.02))
  pure <- charge("d", "count", by_relation(0.1))
  for (beside in list(other, pure)) {
    mixed <- total_charges(join_charges(one, beside), 1e-6)
    expect_identical(
      mixed$epsilon[[2]], zcdp_epsilon(mixed$rho[[2]], 1e-6)
    )
  }
})
