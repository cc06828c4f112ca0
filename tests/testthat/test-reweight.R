test_that("re-weighted weights are clamp(k alpha Delta / Delta_i)", {
  fit <- lw_fit()
  alpha <- as.numeric(fit$privacy_weights)
  raised <- reweighted_weights(fit, 0.9)
  expected <- pmin(0.9 * alpha * fit$bound$overall / fit$bound$record, 1)
  expected[alpha == 0] <- 0
  expect_equal(as.numeric(raised), expected)
  expect_true(any(alpha == 0))
  expect_identical(attr(raised, "scheme"), "reweighted")
  expect_identical(attr(raised, "arguments")$of, "lipschitz")
})

# A model whose bound is a known function of k
stub_search <- function(bound_at, tolerance = 0.02, max_refits = 6) {
  weighted <- list(bound = list(overall = 10))
  refits <- numeric()
  refit_at <- function(k, from, count) {
    refits <<- c(refits, k)
    list(bound = list(overall = bound_at(k)), converged = TRUE, k = k)
  }
  found <- search_k(weighted, refit_at, tolerance, max_refits)
  found$refits <- refits
  found
}

test_that("the search ends at the largest k that keeps the bound", {
  for (slope in c(1.02, 1.2, 1.5, 3)) {
    found <- stub_search(function(k) 10 * slope * k)
    expect_lte(found$fit$bound$overall, 10.2)
    expect_gte(found$fit$bound$overall, 9.8)
    expect_equal(found$refits[1], 0.95)
    expect_identical(found$search$k, found$refits)
    expect_identical(found$fit$k, found$k)
  }
})

test_that("the search stays below 1 where every k keeps the bound", {
  found <- stub_search(function(k) 5)
  expect_lt(found$k, 1)
  expect_gt(found$k, 0.99)
  expect_lte(length(found$refits), 3)
})

test_that("the search keeps the bound of a curved and a noisy model", {
  curved <- stub_search(function(k) 10 * (1 + 2 * (k - 0.7)))
  expect_lte(curved$fit$bound$overall, 10.2)
  noise <- withr::with_seed(3, runif(20, 0.99, 1.01))
  turn <- 0
  noisy <- stub_search(function(k) {
    turn <<- turn + 1
    12 * k * noise[turn]
  })
  expect_lte(noisy$fit$bound$overall, 10.2)
  expect_gte(noisy$fit$bound$overall, 9.6)
})

test_that("a bound that no k keeps is an error of privacy", {
  expect_error(stub_search(function(k) 20), class = "pseudosynth_error_privacy")
  expect_error(stub_search(function(k) Inf),
    class = "pseudosynth_error_privacy"
  )
})

test_that("a numeric k does one refit", {
  final <- lw_final_fit()
  expect_identical(guarantee(final)$mechanism, "lw_final")
  expect_identical(final$reweighting$k, 0.95)
  expect_equal(nrow(final$reweighting$search), 1)
  expect_identical(final$reweighting$target, lw_fit()$bound$overall)
  expect_identical(final$reweighting$bound, final$bound$overall)
  expect_equal(
    as.numeric(final$privacy_weights),
    as.numeric(reweighted_weights(lw_fit(), 0.95))
  )
})

test_that("re-weighting by search keeps the bound and raises the weights", {
  fit <- lw_fit()
  final <- reweight(fit, seed = 5, draws = 500)
  expect_lte(final$bound$overall, fit$bound$overall * 1.02)
  raised <- as.numeric(final$privacy_weights)
  expect_gt(mean(raised), mean(as.numeric(fit$privacy_weights)))
  expect_true(any(final$reweighting$search$accepted))
  expect_true(final$reweighting$k < 1)
})

test_that("draws dropped before are dropped from the refits as well", {
  cut <- truncate_draws(lw_fit(), 0.9)
  final <- reweight(cut, k = 0.9, seed = 6)
  expect_equal(final$quantile, 0.9)
  expect_equal(nrow(final$draws), nrow(cut$draws))
})

test_that("re-weighted count weights are CW_final", {
  w <- count_weights(unweighted_fit(), radius = 0.2)
  cw <- update(unweighted_fit(), privacy_weights = w, seed = 7)
  final <- reweight(cw, k = 0.95, seed = 8)
  expect_identical(guarantee(final)$mechanism, "cw_final")
  expect_identical(mechanism_of(final), "cw_final")
  expect_identical(attr(final$privacy_weights, "arguments")$of, "count")
  expect_identical(guarantee(final)$label, "asymptotic")
})

test_that("an unweighted fit and a wrong k are refused", {
  expect_error(reweight(unweighted_fit()), class = "pseudosynth_error_input")
  expect_error(reweight(1), class = "pseudosynth_error_input")
  for (odd in list(as.name("y"), quote(stop("evaluated")))) {
    expect_error(
      reweight(lw_fit(), k = 0.9, quantile = odd),
      class = "pseudosynth_error_input"
    )
    expect_error(
      plot(lw_fit(), odd),
      class = "pseudosynth_error_input"
    )
  }
  for (k in list("most", 0, 1.5, NA, c(0.5, 0.6))) {
    expect_error(reweight(lw_fit(), k = k), class = "pseudosynth_error_input")
  }
})

test_that("a fit has its own weights and its own way of fitting again", {
  for (stated in list(list(refit = identity), list(privacy_weights = 0.5))) {
    error <- expect_error(
      do.call(reweight, c(list(lw_fit()), stated)),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, names(stated))
  }
})

test_that("a function in place of a fit is refused in words", {
  expect_error(reweight(function(x) 1), class = "pseudosynth_error_input")
  expect_error(truncate_draws(function(x) 1), class = "pseudosynth_error_input")
})

test_that("each refit has random numbers of its own from one seed", {
  seeds <- numeric()
  refit <- function(alpha, seed) {
    seeds <<- c(seeds, seed)
    outside_matrix(outside_draws(alpha))
  }
  fit <- external_fit(
    refit(rep(1, 60), 0), refit, unit = "y", converged = TRUE, seeded = FALSE
  )
  lw <- update(fit, privacy_weights = lipschitz_weights(fit))
  seeds <- numeric()
  final <- reweight(lw, seed = 5)
  n <- nrow(final$reweighting$search)
  expect_gt(n, 1)
  own <- vapply(seq_len(n), stage_seed, 0, seed = 5, stage = "refit")
  expect_identical(seeds, own %% .Machine$integer.max)
  # One refit is the first
  seeds <- numeric()
  reweight(lw, k = 0.9, seed = 5)
  expect_identical(seeds, own[1] %% .Machine$integer.max)
  expect_error(reweight(lw, seed = -1), class = "pseudosynth_error_input")
})
