kernel_spec <- function(K, n = 137, seed = 1, ...) {
  withr::local_seed(seed)
  core_spec(
    rnorm(n, sd = 2), cbind(sample(0:4, n, TRUE), sample(0:2, n, TRUE)),
    matrix(round(rnorm(n), 1)), ..., K = K
  )
}

some_draws <- function(spec, n = 77, seed = 2) {
  withr::with_seed(seed, random_draws(spec, n))
}

expect_close <- function(x, truth, tolerance = 1e-12) {
  expect_lt(max(abs(x - truth) / pmax(1, abs(truth))), tolerance)
}

test_that("log densities equal base R's", {
  for (K in c(0, 1, 2, 5, 10)) {
    spec <- kernel_spec(K)
    draws <- some_draws(spec)
    expect_close(log_lik_(spec, draws), naive_log_lik(spec, draws))
  }
})

test_that("log densities equal base R's into the tails", {
  y <- c(-1e3, -30, -1, 0, 1e-12, 2, 50, 1e3)
  gaussian <- core_spec(y)
  draws <- cbind(c(0, 1, 0, 0), c(1, 1e-3, 1e150, 1e-150))
  expect_close(log_lik_(gaussian, draws), naive_log_lik(gaussian, draws))

  mixture <- core_spec(y, K = 3)
  draws <- rbind(
    c(0, 0, 0, 1 / 3, 1 / 3, 1 / 3, 1, 1, 1),
    c(0, 1, -1, 1e-300, 1 - 1e-12, 1e-12, 1, 1, 1),
    c(0, 0, 0, 0, 1, 0, 1, 2, 3),
    c(-1e3, 0, 1e3, 0.2, 0.3, 0.5, 1e-3, 1, 1e-3),
    c(0, 0, 0, 0.2, 0.3, 0.5, 1e100, 1, 1e200)
  )
  truth <- naive_log_lik(mixture, draws)
  expect_close(log_lik_(mixture, draws), truth)
  for (s in c(1, 2, 4, 5)) {
    expect_close(
      test_normal_mixture_log_lik_(
        y, draws[s, 1:3], log(draws[s, 4:6]), draws[s, 7:9]
      ),
      truth[s, ]
    )
  }
})

test_that("a single record equals the same record among others", {
  spec <- kernel_spec(3)
  draws <- some_draws(spec)
  all <- log_lik_(spec, draws)
  for (i in c(1, 50, 137)) {
    one <- utils::modifyList(spec, list(
      y = spec$y[i], codes = spec$codes[i, , drop = FALSE],
      numeric = spec$numeric[i, , drop = FALSE], alpha = 1
    ))
    expect_equal(log_lik_(one, draws)[, 1], all[, i], tolerance = 1e-14)
  }
})

# g_i of every draw and record in plain R
contributions <- function(spec, draws) {
  f <- naive_log_lik(spec, draws)
  g <- f * rep(spec$alpha, each = nrow(f))
  g[, spec$alpha == 0] <- 0
  if (!is.null(spec$censor)) {
    g <- g - rep(spec$censor$centre, each = nrow(f))
    g[] <- pmin(pmax(g, spec$censor$lower), spec$censor$upper)
  }
  g
}

expect_naive_bounds <- function(spec, draws) {
  g <- contributions(spec, draws)
  out <- lipschitz_(spec, draws, 1L)
  size <- apply(abs(g), 2, max)
  expect_close(out$record, size)
  expect_close(out$record + out$oscillation, size + width_of(g))
  expect_close(out$draw, apply(abs(g), 1, max))
  expect_identical(out$nonfinite, integer())
}

test_that("streaming bounds equal a naive loop", {
  weights <- withr::with_seed(3, sample(c(0, 1, 0.3, 1e-8), 137, TRUE))
  for (K in c(0, 1, 4)) {
    for (alpha in list(rep(1, 137), weights)) {
      for (n in c(1, 32, 77)) {
        spec <- kernel_spec(K, alpha = alpha)
        draws <- some_draws(spec, n)
        expect_naive_bounds(spec, draws)
        expect_naive_bounds(spec, draws[seq_len(n) %% 3 == 1, , drop = FALSE])
      }
    }
  }
})

test_that("censored bounds equal a naive loop and stay in the interval", {
  spec <- kernel_spec(2, alpha = rep(c(0, 0.4, 1), length.out = 137))
  spec$censor <- list(
    lower = -1, upper = 0.5, centre = withr::with_seed(4, rnorm(137, -1))
  )
  draws <- some_draws(spec)
  expect_naive_bounds(spec, draws)
  out <- lipschitz_(spec, draws, 1L)
  expect_lte(max(out$record), 1)
  expect_lte(max(out$oscillation), 1.5)
})

test_that("a log-likelihood that is not finite is counted, never hidden", {
  for (K in c(0, 1, 3)) {
    spec <- kernel_spec(K, n = 40, alpha = rep(c(1, 0), 20))
    draws <- some_draws(spec)
    draws[5, 1] <- NaN
    draws[40, 1] <- NaN
    draws[60, 1] <- Inf
    f <- log_lik_(spec, draws)
    expect_false(any(is.finite(f[c(5, 40), ])))
    expect_true(all(is.finite(f[-c(5, 40, 60), ])))
    out <- lipschitz_(spec, draws, 1L)
    finite <- rowSums(is.finite(f)) == 40
    expect_identical(
      out$nonfinite, counts_met(rep(c(sum(!finite), 0L), 20))
    )
    expect_identical(is.infinite(out$record), rep(c(TRUE, FALSE), 20))
    expect_identical(is.infinite(out$oscillation), rep(c(TRUE, FALSE), 20))
    expect_identical(is.infinite(out$draw), !finite)
    clipped <- with_clip(spec)
    expect_identical(
      is.infinite(lipschitz_(clipped, draws, 1L)$draw), !finite
    )
    # draws beside the bad ones keep their bounds
    clean <- lipschitz_(spec, draws[finite, ], 1L)
    g <- contributions(spec, draws)[finite, ]
    expect_equal(clean$record, apply(abs(g), 2, max))
    expect_equal(clean$oscillation, width_of(g))
  }
})

test_that("one component without a finite density makes f NaN", {
  spec <- core_spec(c(0, 1), K = 2)
  f <- log_lik_(spec, rbind(c(0, 0, 0.5, 0.5, NaN, 1)))
  expect_true(all(is.nan(f)))
})

test_that("weights 0 give 0 whatever the log-likelihood is", {
  spec <- core_spec(c(1e200, 0), alpha = c(0, 1))
  out <- lipschitz_(spec, cbind(0, 1e-200), 1L)
  expect_identical(out$record[1], 0)
  expect_identical(out$oscillation[1], 0)
  expect_identical(out$nonfinite, integer())
})

test_that("kernels give the same at 1, 2 and 4 threads", {
  spec <- kernel_spec(3, n = 3000)
  draws <- some_draws(spec, 40)
  for (threads in c(2L, 4L)) {
    expect_identical(
      lipschitz_(spec, draws, threads), lipschitz_(spec, draws, 1L)
    )
    expect_identical(
      record_screen_(spec, draws, 2, threads),
      record_screen_(spec, draws, 2, 1L)
    )
  }
})

test_that("the screen's R-hat is the split R-hat up to 1 / draws", {
  withr::local_seed(5)
  for (shift in c(0, 0.3, 2)) {
    x <- matrix(rnorm(2000), 500) + rep(c(0, 0, 0, shift), each = 500)
    rhat <- test_screen_series_(as.numeric(x), 4)[1]
    expect_equal(rhat, posterior::rhat_basic(x, split = TRUE), tolerance = 5e-3)
  }
})

test_that("the screen's ESS falls with the truth and is never far above it", {
  withr::local_seed(6)
  for (phi in c(0, 0.5, 0.9)) {
    x <- replicate(4, {
      as.numeric(stats::filter(rnorm(4200), phi, "recursive"))[201:4200]
    })
    ess <- test_screen_series_(as.numeric(x), 4)[2]
    truth <- 16000 * (1 - phi) / (1 + phi)
    # Batches of 44 draws, and the spread of chains counted on top of them: up
    # to a half below the truth.
    expect_gt(ess / truth, 0.3)
    expect_lt(ess / truth, 1.3)
  }
})

test_that("a constant series has converged, chains apart have not", {
  expect_equal(test_screen_series_(rep(1, 80), 4), c(1, 80))
  expect_equal(test_screen_series_(rep(1:4, each = 20), 4), c(Inf, 0))
})

test_that("predictive quantiles solve the exact distribution function", {
  p <- c(0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
  for (K in c(0, 1, 4)) {
    spec <- kernel_spec(K)
    draws <- some_draws(spec, 6)
    out <- test_predictive_quantile_(spec, draws, p)
    x <- dense_matrix(spec)
    k <- max(K, 1)
    for (s in 1:6) {
      eta <- x %*% coefficients_of(spec, draws[s, ])
      rest <- draws[s, -seq_len(spec$n_columns * k)]
      share <- if (K == 0) 1 else rest[seq_len(k)]
      sigma <- rest[length(rest) - k + seq_len(k)]
      cdf <- function(q) {
        sum(share * colMeans(pnorm((q - eta) / rep(sigma, each = nrow(eta)))))
      }
      # Linear predictors are binned to 1/255 of their range.
      bin <- diff(range(eta)) / 255
      for (j in seq_along(p)) {
        root <- uniroot(function(q) cdf(q) - p[j], c(-60, 60), tol = 1e-10)$root
        expect_lt(abs(out[s, j] - root), 0.1 * bin)
      }
    }
  }
})

test_that("predictive quantiles of draws that are not finite are NaN", {
  spec <- kernel_spec(2)
  draws <- some_draws(spec, 4)
  draws[1, 1] <- NaN
  draws[2, 1] <- Inf
  draws[3, 1:2] <- c(1e308, -1e308)
  out <- test_predictive_quantile_(spec, draws, c(0.1, 0.9))
  expect_true(all(is.nan(out[1:3, ])))
  expect_true(all(is.finite(out[4, ])))
})
