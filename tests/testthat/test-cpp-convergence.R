# The figures of kernel/convergence.hpp are posterior's.

by_posterior <- function(x) {
  suppressWarnings(c(
    rhat = posterior::rhat(x), ess_bulk = posterior::ess_bulk(x),
    ess_tail = posterior::ess_tail(x)
  ))
}

by_core <- function(x) {
  unlist(convergence_(matrix(x), ncol(x), 1L))
}

# `missing`: the figures that have no value.
expect_figures <- function(x, missing = character()) {
  expected <- by_posterior(x)
  expect_identical(names(expected)[is.na(expected)], missing)
  expect_agreement(x, expected)
}

expect_agreement <- function(x, expected = by_posterior(x)) {
  found <- by_core(x)
  expect_identical(is.na(found), is.na(expected))
  expect_equal(found, expected, tolerance = 1e-10)
}

# Autocorrelated draws, length x chains.
ar_chains <- function(length, chains, rho = 0.5) {
  x <- matrix(stats::rnorm(length * chains), length)
  for (t in seq_len(length)[-1]) {
    x[t, ] <- rho * x[t - 1, ] + sqrt(1 - rho^2) * x[t, ]
  }
  x
}

test_that("all lengths, numbers of chains and correlations agree", {
  withr::local_seed(1)
  for (length in c(6, 7, 8, 9, 10, 11, 12, 13, 37, 250, 1001)) {
    for (chains in c(1, 2, 3, 4)) {
      for (rho in c(-0.9, 0, 0.6, 0.99)) {
        x <- ar_chains(length, chains, rho)
        # In a few draws the tail may be the one that an odd chain drops
        if (length > 13) expect_figures(x) else expect_agreement(x)
      }
    }
  }
})

test_that("ties, as rejected proposals and whole numbers make them, agree", {
  withr::local_seed(2)
  for (chains in c(1, 4)) {
    x <- ar_chains(501, chains)
    stays <- matrix(stats::runif(length(x)) < 0.4, nrow(x))
    for (t in 2:501) x[t, stays[t, ]] <- x[t - 1, stays[t, ]]
    expect_figures(x)
    expect_figures(round(x))
    expect_figures(round(x, 1) + 1e6)
    expect_figures(abs(x))
  }
})

test_that("scale and place change nothing", {
  withr::local_seed(3)
  x <- ar_chains(200, 2)
  for (y in list(1e-12 * x, 1e12 * x, x - 1e8, exp(50 * x))) expect_figures(y)
})

test_that("chains that disagree, drift or have other widths agree", {
  withr::local_seed(4)
  x <- ar_chains(400, 4)
  expect_figures(sweep(x, 2, c(0, 0, 5, 0), `+`))
  expect_figures(sweep(x, 2, c(1, 1, 100, 1), `*`))
  expect_figures(x + seq_len(400))
  one_stuck <- x
  one_stuck[, 3] <- 1
  expect_figures(one_stuck)
  expect_figures(matrix(rep(c(1, 2), each = 50), 50), c("rhat", "ess_tail"))
})

test_that("a quantity that takes few values has no tail", {
  withr::local_seed(5)
  all <- c("rhat", "ess_bulk", "ess_tail")
  u <- matrix(stats::runif(800), 200)
  expect_figures(1 * (u < 0.02))
  expect_figures(1 * (u < 0.3), "ess_tail")
  expect_figures(matrix(3, 100, 4), all)
  expect_figures(matrix(3, 101, 1), all)
  # Only the draw in the middle, which is dropped, is another one.
  middle <- matrix(3, 101, 1)
  middle[51] <- 4
  expect_figures(middle, all)
})

test_that("values that are not finite agree", {
  withr::local_seed(6)
  all <- c("rhat", "ess_bulk", "ess_tail")
  x <- ar_chains(100, 4)
  for (bad in c(NaN, NA)) {
    y <- x
    y[7, 2] <- bad
    expect_figures(y, all)
  }
  for (bad in c(Inf, -Inf)) {
    y <- x
    y[7, 2] <- bad
    expect_figures(y, "ess_tail")
    y[1:80, ] <- bad
    expect_figures(y, c("rhat", "ess_tail"))
  }
})

test_that("too few draws have no figures", {
  for (length in 1:3) {
    expect_true(all(is.na(by_core(matrix(stats::rnorm(length), length)))))
  }
  x <- matrix(c(1, 3, 2, 5, 4), 5)
  expect_identical(is.na(by_core(x)), is.na(by_posterior(x)))
})

test_that("columns are diagnosed each by itself at any number of threads", {
  withr::local_seed(7)
  x <- matrix(stats::rnorm(400 * 5), 400)
  one <- convergence_(x, 4L, 1L)
  expect_identical(convergence_(x, 4L, 3L), one)
  for (j in 1:5) {
    expect_identical(one$rhat[j], by_core(matrix(x[, j], ncol = 4))[["rhat"]])
  }
  expect_identical(convergence_(x[, 0], 4L, 2L)$rhat, numeric())
  expect_error(convergence_(x, 3L, 1L), "each of 3 chains")
})

test_that("scores are normal quantiles at all ranks", {
  withr::local_seed(8)
  S <- 2000
  x <- matrix(sample(S), S / 2)
  z <- stats::qnorm((rank(x) - 0.375) / (S + 0.25))
  expect_equal(
    by_core(x)[["ess_bulk"]],
    posterior::ess_mean(matrix(z, ncol = 2)), tolerance = 1e-10
  )
})
