# Log-normal values, a noisy histogram of them, and five sets of their model
calibration <- function(seed, n = 600, epsilon = 0.4, bins = 60) {
  withr::with_seed(seed, {
    mean <- 2 + 0.3 * rep(0:1, length.out = n)
    data <- data.frame(y = exp(stats::rnorm(n, mean, 0.5)))
    values <- matrix(stats::rnorm(5 * n, mean, 0.5), n)
  })
  histogram <- perturbed_histogram(
    log(y) ~ 1, data,
    bounds = c(0.5, 100), epsilon = epsilon, bins = bins, seed = seed
  )
  list(y = data$y, histogram = histogram, values = values)
}

test_that("noise in empty bins does not move means and upper quantiles", {
  off <- vapply(1:20, function(seed) {
    case <- calibration(seed)
    sets <- exp(calibrate_sets(
      case$values, case$histogram$response, case$histogram, seed
    ))
    figures <- function(y) {
      c(mean(y), stats::sd(y), stats::quantile(y, 0.95, names = FALSE))
    }
    figures(sets) / figures(case$y) - 1
  }, numeric(3))
  off <- rowMeans(off)
  expect_lt(abs(off[1]), 0.03)
  expect_lt(abs(off[2]), 0.12)
  expect_lt(abs(off[3]), 0.06)
})

test_that("counts that tell much are kept, of few bins and of thousands", {
  withr::local_seed(1)
  # A heap, a gap, two hills
  z <- c(rep(1.015, 400), stats::rnorm(2000, 3, 0.3), stats::runif(1600, 4, 5))
  values <- matrix(stats::rnorm(8000, 3.2, 1.2), 4000)
  for (bins in c(60, 3000)) {
    histogram <- perturbed_histogram(
      z,
      bounds = c(0, 6), bins = bins, epsilon = 50, seed = 1
    )
    found <- calibrated_counts(histogram, values)
    expect_equal(sum(found$counts), sum(histogram$noisy))
    expect_true(all(found$counts >= 0))
    share <- function(from, to) {
      diff(stats::approx(
        found$breaks, c(0, cumsum(found$counts)), c(from, to)
      )$y) / 4000
    }
    expect_lt(abs(share(1, 1.1) - mean(z > 1 & z <= 1.1)), 0.002)
    expect_lt(share(1.2, 1.9), 0.003)
    expect_lt(abs(share(4, 5) - mean(z >= 4 & z <= 5)), 0.005)
  }
})

test_that("sets follow their own law where no count is left", {
  case <- calibration(1, epsilon = 1)
  case$histogram$noisy <- -abs(case$histogram$noisy)
  sets <- calibrate_sets(
    case$values, case$histogram$response, case$histogram, 1
  )
  expect_lt(abs(stats::median(sets) - stats::median(case$values)), 0.02)
  expect_lt(abs(stats::sd(sets) / stats::sd(case$values) - 1), 0.05)
})

test_that("one value in all sets is calibrated, too", {
  case <- calibration(2, epsilon = 5)
  same <- calibrate_sets(
    case$values * 0 + 2, case$histogram$response, case$histogram, 1
  )
  expect_true(all(is.finite(same)))
  expect_lt(abs(stats::median(exp(same)) / stats::median(case$y) - 1), 0.1)
})

test_that("the noise of a count has the variance that is reckoned with", {
  for (neighbours in c("add-remove", "replace")) {
    histogram <- perturbed_histogram(
      rep(0.5, 100),
      bounds = c(0, 20000), bins = 20000, epsilon = 0.7,
      neighbours = neighbours, seed = 3,
      response = public_response(confirmed = 0)
    )
    empty <- histogram$noisy[-1]
    expect_lt(abs(stats::var(empty) / noise_variance(histogram) - 1), 0.05)
  }
})
