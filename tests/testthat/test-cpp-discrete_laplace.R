# Chi-square of draws against P(x) = (1 - q) / (1 + q) q^|x|, q = exp(-rate).
discrete_laplace_p <- function(draws, rate) {
  q <- exp(-rate)
  density <- function(x) (1 - q) / (1 + q) * q^abs(x)
  # Cells of at least 20 expected draws, the tails in one each
  reach <- max(0, floor(-log(40 / length(draws)) / rate) - 1)
  cells <- seq(-reach, reach)
  expected <- c(NA, density(cells), NA)
  expected[c(1, length(expected))] <- (1 - sum(density(cells))) / 2
  cut <- pmin(pmax(draws, -reach - 1), reach + 1)
  observed <- tabulate(cut + reach + 2, length(expected))
  suppressWarnings(stats::chisq.test(observed, p = expected)$p.value)
}

test_that("discrete Laplace noise has its exact distribution", {
  for (rate in c(0.05, 0.5, 1, 3)) {
    ratio <- ratio_below(rate)
    draws <- discrete_laplace_(1e5, ratio[["s"]], ratio[["t"]], c(1, 2))
    expect_gt(discrete_laplace_p(draws, rate), 1e-6)
    # A scale wrong by 30% must be seen
    expect_lt(discrete_laplace_p(draws, rate * 1.3), 1e-20)
    expect_lt(discrete_laplace_p(draws, rate / 1.3), 1e-20)
  }
})

test_that("noise of the operating system's entropy has it too", {
  draws <- discrete_laplace_(5e4, 1, 2, NULL)
  expect_gt(discrete_laplace_p(draws, 0.5), 1e-6)
  expect_false(identical(draws[1:50], discrete_laplace_(50, 1, 2, NULL)))
})

test_that("noise is whole, symmetric and the same under a seed", {
  draws <- discrete_laplace_(1e4, 1, 10, c(3, 4))
  expect_true(all(draws == floor(draws)))
  expect_lt(abs(mean(draws)), 5 * sqrt(2) * 10 / 100)
  expect_identical(draws[1:10], discrete_laplace_(10, 1, 10, c(3, 4)))
})

test_that("the ratio never exceeds the rate and is close to it", {
  for (rate in c(1e-6, 1 / 3, 0.1, 0.2, 0.5, 1, pi, 5, 50, 1e6)) {
    ratio <- ratio_below(rate)
    reached <- ratio[["s"]] / ratio[["t"]]
    expect_lte(reached, rate)
    expect_gt(reached, rate * (1 - 2^-20))
    expect_true(all(ratio == floor(ratio) & ratio >= 1 & ratio < 2^42))
  }
  expect_equal(ratio_below(0.5), c(s = 1, t = 2))
})

test_that("a rate that is no ratio of whole numbers is an error", {
  expect_error(discrete_laplace_(1, 0, 1, NULL), "ratio")
  expect_error(discrete_laplace_(1, 1, 2^43, NULL), "ratio")
})

test_that("uniforms are those of one stream", {
  u <- uniforms_(1e4, c(1, 2), 3L)
  expect_true(all(u > 0 & u < 1))
  expect_gt(suppressWarnings(stats::ks.test(u, "punif")$p.value), 1e-6)
  expect_false(identical(u[1:10], uniforms_(10, c(1, 2), 4L)))
})
