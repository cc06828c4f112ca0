# Clipped likelihoods of four parameters: plateaus and modes far apart, some of
# which fit a few records exactly, against a large tempered population.

# Long: `make test` runs it, R CMD check only where NOT_CRAN is set.
skip_on_cran()

clipped_case <- function(y, x1, x2, family, epsilon, prior, seed = 1,
                         threads = 1, ...) {
  suppressWarnings(fit_synthesizer(
    y ~ x1 + x2, data.frame(y, x1, x2), family,
    prior = prior, censor = censor(epsilon), seed = seed, threads = threads,
    scaling = list(x1 = c(0, 1), x2 = c(0, 1)), ...
  ), classes = "pseudosynth_warning_convergence")
}

law_cases <- function() {
  withr::with_seed(3, {
    x1 <- stats::rnorm(120)
    x2 <- stats::rnorm(120)
    z <- stats::rnorm(120, 0.5 * x1 - 0.3 * x2, 0.7)
    few <- 1:60
    weak <- prior_normal(1, c(0, 2))
    list(
      clones = list(
        rep(c(0.5, 0.52), c(36, 24)), x1[few], x2[few], beta_response(c(0, 1)),
        0.3, weak
      ),
      "one far" = list(
        c(rep(0.3, 59), 3), x1[few], x2[few], student_t(3), 1, weak
      ),
      heaps = list(round(z), x1, x2, student_t(3), 5, weak),
      modes = list(
        rep(c(-1.5, 1.5), 30), x1[few], x2[few], student_t(3), 5, weak
      ),
      counts = list(
        round(4 * exp(z[few])), x1[few], x2[few], neg_binomial(), 0.3, NULL
      )
    )
  })
}

law_fit <- function(name, seed = 1) {
  remember(paste("law", name, seed), {
    do.call(clipped_case, c(law_cases()[[name]], seed = seed))
  })
}

test_that("converged chains of clipped models have the law of their target", {
  for (name in by_night(names(law_cases()), "one far")) {
    fits <- lapply(by_night(1:2, 1), law_fit, name = name)
    truth <- tempered_posterior(fits[[1]]$spec, by_night(8000, 4000))
    expect_gt(truth$ess, 2000)
    for (fit in fits) {
      expect_identical(fit$control$sampler, "surrogate")
      expect_true(fit$converged, label = name)
      expect_lt(distance_to_weighted(fit$draws, truth), 0.1, label = name)
    }
  }
})

test_that("a narrow mode that fits a third of the records is found", {
  # At epsilon 5 records that fit exactly make up for all others
  fit <- law_fit("heaps")
  expect_lt(mean(fit$draws[, "sigma"]), 0.1)
  expect_lt(max(abs(colMeans(fit$draws[, 1:3]))), 0.05)
})

test_that("a narrow mode is found among many coefficients, too", {
  skip_unless_nightly()
  data <- withr::with_seed(3, {
    x <- matrix(stats::rnorm(300 * 14), 300)
    y <- round(stats::rnorm(300, 0.5 * x[, 1] - 0.3 * x[, 2], 0.7))
    data.frame(y, x)
  })
  scaling <- lapply(data[-1], function(x) c(0, 1))
  fit <- suppressWarnings(fit_synthesizer(
    y ~ ., data, student_t(3),
    prior = prior_normal(1, c(0, 2)), censor = censor(5), seed = 1,
    threads = 1, scaling = scaling
  ), classes = "pseudosynth_warning_convergence")
  clipped_sum <- function(draw) {
    f <- log_lik_(fit$spec, rbind(draw))
    sum(pmin(pmax(f, -2.5), 2.5))
  }
  # Where a third of the records fits exactly the density is e^190 times what
  # it is around the least squares fit, and the part e^-60 as wide
  fitted <- stats::lm(y ~ ., data)
  gap <- clipped_sum(c(numeric(15), 0.02)) -
    clipped_sum(c(stats::coef(fitted), 0.47))
  expect_gt(gap, 150)
  expect_true(fit$converged)
  expect_lt(max(tapply(fit$draws[, "sigma"], fit$chain, mean)), 0.1)
})

test_that("NUTS goes from mode to mode where there are few parameters", {
  skip_unless_nightly()
  # 30 records at each of two values: four chains that stay where they come in
  # agree in one fit of eight, at a distance of .5
  modes <- law_cases()$modes
  fits <- lapply(1:8, function(seed) {
    suppressWarnings(fit_synthesizer(
      y ~ x1, data.frame(y = modes[[1]], x1 = modes[[2]]), modes[[4]],
      prior = modes[[6]], censor = censor(modes[[5]]), seed = seed,
      threads = 1, draws = 2000, scaling = list(x1 = c(0, 1)),
      control = sampler_control("nuts", progress = FALSE)
    ), classes = "pseudosynth_warning_convergence")
  })
  truth <- tempered_posterior(fits[[1]]$spec)
  expect_gt(truth$ess, 2000)
  converged <- vapply(fits, `[[`, NA, "converged")
  distance <- vapply(fits, function(fit) {
    distance_to_weighted(fit$draws, truth)
  }, 1)
  expect_gte(mean(converged), 0.5)
  expect_lt(max(distance[converged]), 0.1)
  # Each chain has been in both
  both <- vapply(fits[converged], function(fit) {
    min(tapply(fit$draws[, 1] > 0, fit$chain, mean))
  }, 1)
  expect_gt(min(both), 0.1)
})

test_that("pairs under the hierarchical prior meet, and are told alone", {
  case <- law_cases()$heaps
  case[[6]] <- prior_hierarchical()
  fewer <- by_night(list(), list(warmup = 500, draws = 300))
  fit <- do.call(clipped_case, c(case, fewer))
  expect_true(fit$converged)
  expect_identical(fit$met$pairs, 20L)
  expect_lte(fit$met$apart, 2)
  expect_match(guarantee(fit)$empirical, "of 20 coupled pairs", all = FALSE)
  fit$sampler$meeting[] <- Inf
  apart <- diagnose(fit)
  expect_identical(apart$met$apart, 20L)
  expect_true(apart$converged)
})

test_that("chains that are far apart or pairs that do not meet are refused", {
  fit <- law_fit("one far")
  expect_identical(fit$met$pairs, 20L)
  expect_identical(fit$met$apart, 0L)
  expect_lt(fit$met$distance, 0.25)
  expect_true(fit$converged)

  apart <- fit
  apart$sampler$meeting[1:5] <- Inf
  apart <- diagnose(apart)
  expect_false(apart$converged)
  expect_match(apart$problems, "did not meet", all = FALSE)

  # A chain that stays in a part of the posterior, R-hat made to overlook it
  one <- fit
  chain <- one$chain == 2
  one$draws[chain, 1] <- sort(one$draws[, 1])[seq_len(sum(chain))]
  one$control$max_rhat <- 10
  one$control$min_ess <- 1
  one <- diagnose(one)
  expect_false(one$converged)
  expect_match(one$problems, "Kolmogorov distance", all = FALSE)
})

test_that("a strict label tells what was measured, inside the agency only", {
  fit <- law_fit("one far")
  label <- guarantee(fit)
  expect_identical(label$label, "strict")
  expect_match(label$reasons, "error is not certified", all = FALSE)
  expect_match(label$empirical, "Kolmogorov distance", all = FALSE)
  expect_match(label$empirical, "20 of 20 coupled pairs", all = FALSE)
  expect_length(guarantee(fit, public = TRUE)$empirical, 0)
})

test_that("clipped draws are those of their seed, at any number of threads", {
  for (name in by_night(c("one far", "counts"), "one far")) {
    two <- do.call(clipped_case, c(law_cases()[[name]], threads = 2))
    expect_identical(two$draws, law_fit(name)$draws)
  }
})

test_that("chains of one law are close, others are not", {
  rank <- match(1:40, 1:40)
  expect_equal(one_against_others(rank, 1:40 <= 20), 1)
  expect_equal(one_against_others(rank, 1:40 %% 2 == 0), 0.05)
  values <- cbind(a = rep(c(1, 2, 1, 2), 5))
  met <- measure_meeting(values, rep(1:2, each = 10), c(3, Inf, 7))
  expect_equal(met$distance, 0)
  expect_identical(met[c("pairs", "apart")], list(pairs = 3L, apart = 1L))
  expect_equal(met$latest, 7)
  expect_true(is.na(measure_meeting(values, rep(1, 20), numeric())$distance))
})

test_that("yes/no responses converge when clipped, under the default prior", {
  skip_unless_nightly()
  data <- withr::with_seed(7, {
    x <- matrix(stats::rnorm(1000), 200)
    data.frame(y = stats::rbinom(200, 1, stats::plogis(0.8 * x[, 1] - 0.3)), x)
  })
  fit <- suppressWarnings(fit_synthesizer(
    by_night(y ~ ., y ~ X1 + X2), data, bernoulli(),
    censor = censor(1), seed = 1, threads = 1
  ), classes = "pseudosynth_warning_convergence")
  expect_true(fit$converged)
  expect_identical(fit$control$sampler, "surrogate")
})

# 14 cells of 30 records at 0 and 33 at 3: chains that go down to the prior's
# centre stay there, and agree
clone_cells <- function() {
  do.call(rbind, lapply(1:14, function(cell) {
    data.frame(g = factor(cell, 1:14), y = rep(c(0, 3), c(30, 33)))
  }))
}

test_that("chains that agree and never cross are not converged", {
  skip_unless_nightly()
  fit <- suppressWarnings(fit_synthesizer(
    y ~ g, clone_cells(), student_t(3),
    censor = censor(2), warmup = 300, seed = 2, threads = 1,
    control = sampler_control(
      thin = 60, max_rhat = 1.1, min_ess = 50, progress = FALSE
    )
  ), classes = "pseudosynth_warning_convergence")
  # In the right mode, or refused
  right <- mean(fit$draws[, 1] > 1.5) > 0.95
  expect_true(right || !fit$converged)
  expect_false(guarantee(fit)$label == "strict")
})

test_that("how often each chain of a clipped model must have crossed", {
  fit <- law_fit("one far")
  accepting <- function(share, pairs = TRUE) {
    fit$sampler$accept_stat[fit$chain == 2] <- share
    if (!pairs) fit$sampler$meeting <- numeric()
    diagnose(fit)
  }
  expect_true(accepting(0.0011)$converged)
  expect_false(accepting(0.0009)$converged)
  expect_match(accepting(1e-18)$problems, "share of 1.0e-18", all = FALSE)
  # Without pairs an acceptance is the only sign that chains cross
  expect_true(accepting(0.11, pairs = FALSE)$converged)
  alone <- accepting(0.09, pairs = FALSE)
  expect_false(alone$converged)
  expect_match(alone$problems, "without coupled pairs", all = FALSE)
  expect_false(accepting(NaN)$converged)
})
