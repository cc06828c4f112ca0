# Chi-square of draws against P(x) proportional to exp(-x^2 / (2 sigma^2)).
discrete_gaussian_p <- function(draws, sigma) {
  all <- seq(-ceiling(40 * sigma), ceiling(40 * sigma))
  density <- exp(-all^2 / (2 * sigma^2))
  density <- density / sum(density)
  # Cells of at least 20 expected draws, the tails in one each
  reach <- max(all[density * length(draws) >= 20])
  inside <- abs(all) <= reach
  tail <- sum(density[all > reach])
  cut <- pmin(pmax(draws, -reach - 1), reach + 1)
  observed <- tabulate(cut + reach + 2, sum(inside) + 2)
  suppressWarnings(stats::chisq.test(
    observed,
    p = c(tail, density[inside], tail)
  )$p.value)
}

test_that("discrete Gaussian noise has its exact distribution", {
  for (sigma in c(1, 2, 3, 7, 20)) {
    draws <- discrete_gaussian_(2e5, sigma, c(1, sigma))
    expect_gt(discrete_gaussian_p(draws, sigma), 1e-6)
    # A standard deviation wrong by 3% must be seen
    expect_lt(discrete_gaussian_p(draws, sigma * 1.03), 1e-6)
    expect_lt(discrete_gaussian_p(draws, sigma / 1.03), 1e-6)
  }
})

test_that("noise of the operating system's entropy has it too", {
  draws <- discrete_gaussian_(2e4, 3, NULL)
  expect_gt(discrete_gaussian_p(draws, 3), 1e-6)
  expect_false(identical(draws[1:50], discrete_gaussian_(50, 3, NULL)))
})

test_that("wide noise is normal in its moments, tails and distribution", {
  for (sigma in c(2^20 + 1, 2^31)) {
    z <- discrete_gaussian_(2e5, sigma, c(5, 6)) / sigma
    expect_lt(abs(mean(z)), 5 / sqrt(2e5))
    expect_lt(abs(mean(z^2) - 1), 5 * sqrt(2 / 2e5))
    expect_lt(abs(mean(z^4) - 3), 5 * sqrt(96 / 2e5))
    # Ties of the narrower one are no fault
    expect_gt(suppressWarnings(stats::ks.test(z, "pnorm")$p.value), 1e-6)
    # Beyond 3 and 4 standard deviations
    for (far in 3:4) {
      expected <- 2e5 * 2 * stats::pnorm(-far)
      expect_lt(abs(sum(abs(z) > far) - expected), 5 * sqrt(expected))
    }
  }
})

test_that("noise is whole, even in its last digit, and the same under a seed", {
  draws <- discrete_gaussian_(2e4, 2^31, c(3, 4))
  expect_true(all(draws == floor(draws)))
  # Multiples of anything would show
  expect_lt(abs(mean(draws %% 2) - 0.5), 5 * 0.5 / sqrt(2e4))
  expect_identical(draws[1:10], discrete_gaussian_(10, 2^31, c(3, 4)))
})

test_that("a standard deviation out of range is an error", {
  for (sigma in c(0, 0.5, 2^31 + 1, NaN, Inf)) {
    expect_error(discrete_gaussian_(1, sigma, NULL), "sigma must be whole")
  }
})
