test_that("the wrong setting of `weighted` is refused in all combinations", {
  # By form of the model and by whether its log-likelihood holds the weights
  forms <- list(
    matrix = function(values) values,
    array = function(values) array(values, c(500, 2, 60)),
    draws = function(values) {
      colnames(values) <- sprintf("log_lik[%d]", 1:60)
      posterior::as_draws_matrix(values)
    },
    method = function(values) {
      structure(list(values = values), class = "outside_model")
    }
  )
  s3_log_lik <- function(object, ...) object$values
  registerS3method(
    "log_lik", "outside_model", s3_log_lik,
    envir = asNamespace("rstantools")
  )
  for (form in by_night(forms, forms[c("array", "method")])) {
    for (holds in c(TRUE, FALSE)) {
      refit <- function(alpha) {
        values <- outside_matrix(outside_draws(alpha))
        form(if (holds) rep(alpha, each = 1000) * values else values)
      }
      model <- function(weighted) {
        external_fit(
          refit(rep(1, 60)), refit, weighted = weighted, converged = TRUE
        )
      }
      right <- model(holds)
      lw <- lipschitz_weights(right, allow_unconverged = TRUE)
      # With and without a record of weight 0
      spread <- 0.3 + 0.7 * rep_len(0:9, 60) / 9
      for (weights in list(lw, rep(0.5, 60), spread)) {
        refitted <- update(right, privacy_weights = weights)
        again <- outside_matrix(outside_draws(as.numeric(weights)))
        expect_equal(
          refitted$bound$record,
          as.numeric(weights) * apply(abs(again), 2, max)
        )
        error <- expect_error(
          update(model(!holds), privacy_weights = weights),
          sprintf("weighted = %s", holds), class = "pseudosynth_error_weighted"
        )
        expect_identical(error$arg, "weighted")
      }
    }
  }
})

test_that("so it is of a fit of rstan, by a vector that is multiplied", {
  weights <- stored_stan()$weights
  plain <- update(stan_model_of(), privacy_weights = weights)
  own <- update(
    stan_model_of(log_lik = "weighted_log_lik", weighted = TRUE),
    privacy_weights = weights
  )
  expect_equal(own$bound$record, plain$bound$record, tolerance = 1e-4)
  expect_error(
    update(stan_model_of(weighted = TRUE), privacy_weights = weights),
    class = "pseudosynth_error_weighted"
  )
  expect_error(
    update(
      stan_model_of(log_lik = "weighted_log_lik"), privacy_weights = weights
    ),
    class = "pseudosynth_error_weighted"
  )
  # From one weighted fit to the next
  half <- rep(1:0, each = 6)
  expect_no_error(update(own, privacy_weights = half))
  expect_no_error(update(plain, privacy_weights = half))
})

test_that("weights that hardly differ say nothing, and nothing is refused", {
  f <- outside_matrix(outside_draws(rep(1, 60)))
  typical <- apply(f, 2, median)
  one <- rep(1, 60)
  expect_identical(holds_weights(typical, one, typical, one), NA)
  expect_identical(holds_weights(typical, one, typical, rep(0.99, 60)), NA)
  expect_identical(
    holds_weights(typical, one, 0.5 * typical, rep(0.5, 60)), TRUE
  )
  expect_identical(holds_weights(typical, one, typical, rep(0.5, 60)), FALSE)
})

test_that("a refit that does not use its weights is refused", {
  withr::local_seed(1)
  weights <- rep_len(c(0.2, 0.6, 1), 60)
  weights[1] <- 0
  for (holds in c(TRUE, FALSE)) {
    ignores <- function(alpha) {
      values <- outside_matrix(
        outside_draws(rep(1, 60), seed = random_seed())
      )
      if (holds) rep(alpha, each = 1000) * values else values
    }
    model <- external_fit(
      ignores(rep(1, 60)), ignores, weighted = holds, converged = TRUE
    )
    for (given in list(weights, rep(0.4, 60), lipschitz_weights(model))) {
      expect_error(
        update(model, privacy_weights = given, seed = 1),
        class = "pseudosynth_error_weights_ignored"
      )
    }
    uses <- function(alpha) {
      values <- outside_matrix(outside_draws(alpha, seed = random_seed()))
      if (holds) rep(alpha, each = 1000) * values else values
    }
    model <- external_fit(
      uses(rep(1, 60)), uses, weighted = holds, converged = TRUE
    )
    # Weights that hardly change anything are no ground for it
    for (given in list(
      weights, rep(0.4, 60), lipschitz_weights(model), rep(0.999, 60)
    )) {
      expect_no_error(update(model, privacy_weights = given, seed = 1))
    }
  }
})

test_that("the refitted model is kept", {
  stored <- stored_stan()
  lw <- update(stan_model_of(), privacy_weights = stored$weights)
  expect_identical(lw$fit, stored$weighted)
  by_draws <- update(function_fit(), privacy_weights = 0.5)
  expect_identical(by_draws$fit, outside_draws(rep(0.5, 60)))
  # And what was edited is not gone on from
  lw$fit <- stored$unweighted
  expect_identical(guarantee(lw)$label, "none")
  expect_error(
    update(lw, privacy_weights = 0.5), class = "pseudosynth_error_edited"
  )
})

test_that("a seed inside of a refit is found and the label says so", {
  stored <- stored_stan()
  weights <- stored$weights
  reproducible <- function(refit, ...) {
    fit <- stan_model_of(refit = refit, ...)
    guarantee(update(fit, privacy_weights = weights))$reproducible
  }
  # Two fits, two seeds: called twice
  calls <- 0
  expect_false(reproducible(function(alpha) {
    calls <<- calls + 1
    if (calls == 1) stored$weighted else stored$again
  }))
  expect_identical(calls, 2)
  expect_true(reproducible(function(alpha) stored$weighted))
  # Stan's own record: the seed of the earlier fit, in one call
  calls <- 0
  expect_true(reproducible(function(alpha) {
    calls <<- calls + 1
    made <- stored$weighted
    made@stan_args[[1]]$seed <- 1L
    made
  }))
  expect_identical(calls, 1)
  # The seed that it was given
  calls <- 0
  expect_false(reproducible(function(alpha, seed) {
    calls <<- calls + 1
    made <- stored$weighted
    made@stan_args[[1]]$seed <- seed
    made
  }))
  expect_identical(calls, 1)
  # A seed that it was given, and did not take
  expect_true(reproducible(function(alpha, seed) stored$weighted))
  # Your own statement
  expect_false(reproducible(function(alpha) stored$weighted, seeded = FALSE))
  expect_true(reproducible(stored_refit(), seeded = TRUE))
  # A seed of update() is one, too
  fit <- stan_model_of(seeded = FALSE)
  lw <- update(fit, privacy_weights = weights, seed = 1)
  expect_true(guarantee(lw)$reproducible)
  # Of a fit that never was refitted nobody knows
  weighted <- external_fit(stored$weighted, privacy_weights = weights)
  expect_true(guarantee(weighted)$reproducible)
  expect_output(print(weighted), "not known")
  sets <- synthesize(external_fit(
    stored$weighted, privacy_weights = weights, predict = "y_rep",
    data = stored$records, formula = log(income) ~ x
  ))
  error <- expect_error(
    release(sets, withr::local_tempfile(), data = stored$records),
    class = "pseudosynth_error_not_releasable"
  )
  expect_match(toString(error$reasons), "seeded = FALSE")
})

test_that("a refit starts R's random numbers anew", {
  draws_of <- function(alpha) {
    matrix(rnorm(1000, sum(alpha) / 60, 1 / sqrt(60)), 500)
  }
  f <- function(data_i, draws) dnorm(data_i$y, draws[, 1], log = TRUE)
  fit <- external_fit(
    f, draws_of, data = outside_data(), draws = draws_of(rep(1, 60)),
    converged = TRUE
  )
  withr::with_seed(1, {
    before <- .Random.seed
    one <- update(fit, privacy_weights = 0.5)
    expect_identical(.Random.seed, before)
  })
  two <- withr::with_seed(1, update(fit, privacy_weights = 0.5))
  expect_false(identical(one$fit, two$fit))
  expect_false(guarantee(one)$reproducible)
  seeded <- update(fit, privacy_weights = 0.5, seed = 3)
  expect_identical(
    update(fit, privacy_weights = 0.5, seed = 3)$fit, seeded$fit
  )
  expect_true(guarantee(seeded)$reproducible)
  # A set.seed() inside
  inside <- external_fit(
    f, function(alpha) {
      set.seed(1)
      draws_of(alpha)
    },
    data = outside_data(), draws = draws_of(rep(1, 60)), converged = TRUE
  )
  fixed <- update(inside, privacy_weights = 0.5)
  expect_true(guarantee(fixed)$reproducible)
})

test_that("refits that fail, or are of other records, are classed errors", {
  values <- outside_matrix(outside_draws(rep(1, 60)))
  update_of <- function(refit, ...) {
    update(external_fit(values, refit, ...), privacy_weights = 0.5)
  }
  error <- expect_error(
    update_of(function(alpha) stop("income 1234567")), "refit",
    class = "pseudosynth_error_input"
  )
  expect_no_match(conditionMessage(error), "1234567")
  expect_match(conditionMessage(error$cause), "1234567")
  expect_error(
    update_of(function(alpha) values[, 1:3]),
    class = "pseudosynth_error_records"
  )
  expect_error(
    update_of(function(alpha) NULL), class = "pseudosynth_error_input"
  )
  stuck <- update_of(chains = 2, function(alpha) {
    outside_matrix(rbind(
      outside_draws(rep(1, 60), n_draws = 500),
      outside_draws(rep(c(1, 0.05), 30), n_draws = 500, seed = 6)
    ))
  })
  expect_false(stuck$converged)
  expect_identical(guarantee(stuck)$label, "none")
  expect_error(reweight(stuck, 0.9), class = "pseudosynth_error_privacy")
})

test_that("a far record is measured, and stops no diagnostics", {
  withr::local_seed(1)
  n <- 40
  file <- data.frame(y = c(rep(0, n - 1), 1e6))
  fit_mean <- function(alpha) {
    precision <- 1 + sum(alpha)
    matrix(stats::rnorm(1000, sum(alpha * file$y) / precision, precision^-0.5))
  }
  log_lik <- function(data_i, draws) {
    stats::dnorm(data_i$y, draws[, 1], log = TRUE)
  }
  model <- external_fit(
    log_lik, refit = fit_mean, data = file, draws = fit_mean(rep(1, n)),
    chains = 2
  )
  lw <- update(model, privacy_weights = lipschitz_weights(model))
  alpha <- as.numeric(lw$privacy_weights)
  by_hand <- vapply(seq_len(n), function(i) {
    max(abs(alpha[i] * log_lik(file[i, , drop = FALSE], lw$fit)))
  }, 0)
  expect_equal(lw$bound$record, by_hand)
  expect_true(all(is.finite(lw$diagnostics)))
})

test_that("what a refit does not take is said before it is called", {
  called <- 0
  refit <- function(alpha, iterations = 60) {
    called <<- called + 1
    outside_matrix(outside_draws(alpha))
  }
  model_of <- function(refit) {
    external_fit(
      refit(rep(1, 60)), refit, unit = "y", converged = TRUE, seeded = FALSE
    )
  }
  model <- model_of(refit)
  rule <- censor(1, reference = list(sigma = 1))
  error <- expect_refused(update(model, 0.5, censor = rule), "be censored")
  expect_identical(error$arg, "censor")
  expect_match(conditionMessage(error), "fit_synthesizer")
  error <- expect_refused(
    two_stage_weights(model, 1, c(1, 6)), "cannot be censored"
  )
  expect_identical(error$arg, "x")
  expect_refused(update(model, 0.5, draws = 10), "no such argument")
  weighted <- update(model, privacy_weights = lipschitz_weights(model))
  passing <- model_of(function(alpha, ...) refit(alpha))
  called <- 0
  expect_refused(reweight(weighted, 0.9, draws = 10), "no such argument")
  expect_refused(solve_weights(model, 1, chains = 1), "no such argument")
  expect_identical(called, 0)
  # R takes the beginning of a name, and a refit may hand anything on
  update(model, privacy_weights = 0.5, iter = 9)
  expect_identical(called, 1)
  update(passing, privacy_weights = 0.5, draws = 10)
  expect_identical(called, 2)
})
