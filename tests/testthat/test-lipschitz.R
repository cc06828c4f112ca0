log_lik_matrix <- function() {
  matrix(c(
    -1, -2, -4,
    -1.5, -2.5, 3,
    -0.5, -2.2, -8
  ), nrow = 3, byrow = TRUE)
}

test_that("a record bound is the largest absolute log-likelihood", {
  bound <- lipschitz(log_lik_matrix())
  expect_s3_class(bound, "lipschitz_bound")
  expect_equal(bound$record, c(1.5, 2.5, 8))
  expect_equal(bound$draw, c(4, 3, 8))
  expect_equal(bound$overall, 8)
  expect_equal(bound$oscillation, c(1, 0.5, 11))
  expect_equal(bound$kept, rep(TRUE, 3))
  expect_identical(bound$nonfinite, integer())
})

test_that("overall equals the largest record and the largest kept draw bound", {
  set <- withr::with_seed(1, matrix(rnorm(400 * 30, -2), 400))
  for (q in c(1, 0.95, 0.5, 0.01)) {
    bound <- lipschitz(set, q)
    expect_identical(bound$overall, max(bound$record))
    expect_identical(bound$overall, max(bound$draw[bound$kept]))
    expect_equal(sum(bound$kept), ceiling(q * 400))
    expect_true(all(bound$oscillation <= 2 * bound$record))
  }
})

test_that("draws above the quantile are left out of the record bounds", {
  bound <- lipschitz(log_lik_matrix(), 2 / 3)
  expect_equal(bound$kept, c(TRUE, TRUE, FALSE))
  expect_equal(bound$record, c(1.5, 2.5, 4))
  expect_equal(bound$draw, c(4, 3, 8))
})

test_that("missing values are an error and infinite ones an infinite bound", {
  x <- log_lik_matrix()
  x[2, 3] <- NA
  error <- expect_error(lipschitz(x), class = "pseudosynth_error_input")
  expect_identical(error$rows, 3L)
  x[2, 3] <- -Inf
  bound <- lipschitz(x)
  expect_identical(bound$record, c(1.5, 2.5, Inf))
  expect_identical(bound$nonfinite, c(`3` = 1L))
  expect_identical(as.data.frame(bound)$nonfinite, c(0L, 0L, 1L))
  # dropped with its draw
  expect_true(is.finite(lipschitz(x, 2 / 3)$overall))
})

test_that("wrong kinds and quantiles are refused", {
  expect_error(lipschitz("a"), class = "pseudosynth_error_input")
  expect_error(lipschitz(matrix("a")), class = "pseudosynth_error_input")
  expect_error(lipschitz(log_lik_matrix(), 0),
    class = "pseudosynth_error_input"
  )
  expect_error(lipschitz(log_lik_matrix(), 1.1),
    class = "pseudosynth_error_input"
  )
  bound <- lipschitz(log_lik_matrix())
  expect_identical(lipschitz(bound), bound)
  expect_error(lipschitz(bound, 0.5), class = "pseudosynth_error_input")
})

# The S x N log-likelihood by base R's densities
naive_log_lik <- function(fit) {
  x <- dense_design(fit$spec)
  k <- fit$spec$K
  p <- ncol(x)
  t(apply(fit$draws, 1, function(draw) {
    if (fit$spec$family == "gaussian") {
      return(dnorm(fit$spec$y, x %*% draw[1:p], draw[p + 1], log = TRUE))
    }
    eta <- x %*% matrix(draw[1:(p * k)], p, byrow = TRUE)
    pi <- draw[p * k + 1:k]
    sigma <- draw[p * k + k + 1:k]
    density <- vapply(1:k, function(j) {
      pi[j] * dnorm(fit$spec$y, eta[, j], sigma[j])
    }, fit$spec$y)
    log(rowSums(density))
  }))
}

test_that("the streaming bound equals the naive S x N computation", {
  for (fit in list(unweighted_fit(), quick_mixture())) {
    n <- length(fit$spec$y)
    alphas <- list(
      rep(1, n), rep(0, n), withr::with_seed(2, runif(n)),
      rep_len(c(0, 1, 0.3), n)
    )
    f <- naive_log_lik(fit)
    for (alpha in alphas) {
      spec <- fit$spec
      spec$alpha <- alpha
      g <- sweep(f, 2, alpha, "*")
      for (q in c(1, 0.9)) {
        naive <- lipschitz(g, q)
        streamed <- bound_of_draws(spec, fit$draws, 1L, "y", quantile = q)
        size <- pmax(1, naive$record)
        expect_lt(max(abs(streamed$record - naive$record) / size), 1e-12)
        expect_lt(
          max(abs(streamed$oscillation - naive$oscillation) / size), 1e-12
        )
        expect_lt(
          max(abs(streamed$draw - naive$draw) / pmax(1, naive$draw)), 1e-12
        )
        if (any(alpha > 0)) expect_identical(streamed$kept, naive$kept)
      }
    }
  }
})

test_that("the streaming bound is the same at any number of threads", {
  fit <- lw_fit()
  one <- lipschitz(fit, 0.9, threads = 1)
  expect_identical(lipschitz(fit, 0.9, threads = 2), one)
  expect_identical(lipschitz(fit, 0.9, threads = 4), one)
})

test_that("the stored bound of a fit is reused", {
  fit <- unweighted_fit()
  expect_identical(lipschitz(fit), fit$bound)
  expect_false(fit$bound$weighted)
  expect_true(lw_fit()$bound$weighted)
  expect_identical(fit$bound$unit, "log(income)")
})

test_that("print and summary state the bound and that it is confidential", {
  bound <- lipschitz(log_lik_matrix())
  expect_output(print(bound), "overall 8.00")
  expect_output(print(bound), "twice that 16.0")
  expect_output(print(bound), "not for release")
  expect_output(print(summary(bound)), "record oscillation")
})
