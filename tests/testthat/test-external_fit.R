test_that("matrix, array, function and fit give the same bound", {
  draws <- outside_draws(rep(1, 60))
  log_lik <- outside_matrix(draws)
  bound <- lipschitz(log_lik, unit = "y")
  expect_equal(bound$record, apply(abs(log_lik), 2, max))
  for (quantile in c(1, 0.9)) {
    expected <- lipschitz(log_lik, quantile, unit = "y")
    expect_equal(
      lipschitz(outside_log_lik, quantile, outside_data(), draws, unit = "y"),
      expected
    )
    chains <- array(log_lik, c(500, 2, 60))
    expect_equal(lipschitz(chains, quantile, unit = "y"), expected)
    expect_equal(lipschitz(matrix_fit(), quantile), expected)
    expect_equal(lipschitz(function_fit(), quantile), expected)
  }
})

test_that("a fit of rstan in any form gives the bounds computed by hand", {
  stored <- stored_stan()
  all <- as.array(stored$unweighted)
  values <- all[, , sprintf("log_lik[%d]", 1:12)]
  by_hand <- apply(abs(values), 3, max, simplify = TRUE)
  # The density itself, of parameters to five digits
  y <- log(stored$records$income)
  a <- as.vector(all[, , "a"])
  f <- vapply(1:12, function(i) {
    mean <- a + as.vector(all[, , "b"]) * stored$records$x[i]
    max(abs(dnorm(y[i], mean, as.vector(all[, , "sigma"]), log = TRUE)))
  }, 0)
  expect_equal(unname(by_hand), f, tolerance = 2e-3)
  draws <- posterior::as_draws_array(all)
  # Elements in the order of their numbers, whatever the order of the draws
  shuffled <- draws[, , rev(seq_len(dim(draws)[3]))]
  cmdstan <- structure(
    list(draws = function(variables) posterior::subset_draws(draws, variables)),
    class = c("CmdStanMCMC", "CmdStanFit", "R6")
  )
  forms <- list(
    stored$unweighted, values, all, draws, shuffled, cmdstan,
    posterior::as_draws_matrix(draws), posterior::as_draws_df(draws),
    posterior::as_draws_list(draws), as.matrix(stored$unweighted)
  )
  for (form in forms) {
    expect_equal(lipschitz(form)$record, unname(by_hand))
    expect_equal(
      as.numeric(lipschitz_weights(form)), stored$weights, tolerance = 1e-12
    )
  }
  for (form in forms[1:6]) {
    fit <- external_fit(form)
    expect_identical(fit$chains, 2L)
    expect_true(fit$converged)
    expect_equal(fit$bound$record, unname(by_hand))
  }
  by_function <- external_fit(
    list(values = values), log_lik = function(fit) fit$values
  )
  expect_equal(by_function$bound, external_fit(values)$bound)
})

test_that("a program without a log-likelihood is told the line to add", {
  stored <- stored_stan()
  all <- as.array(stored$unweighted)
  others <- all[, , c("a", "b", "sigma", "lp__")]
  parameters <- posterior::as_draws_array(all[, , c("a", "b", "sigma")])
  sum <- array(
    rowSums(all[, , 4:15], dims = 2), c(400, 2, 1),
    list(NULL, NULL, "log_lik")
  )
  refuse <- function(code) {
    expect_error(code, "log_lik", class = "pseudosynth_error_log_lik")
  }
  for (verb in list(lipschitz, lipschitz_weights, external_fit)) {
    refuse(verb(others))
    refuse(verb(parameters))
    error <- refuse(verb(sum))
    expect_match(conditionMessage(error), "normal_lpdf")
  }
  refuse(external_fit(stored$unweighted, log_lik = "log_lik_of_y"))
  failed <- stored$unweighted
  failed@mode <- 2L
  expect_error(
    lipschitz(failed), "none", class = "pseudosynth_error_log_lik"
  )
  expect_error(
    external_fit(
      stored$unweighted, data = stored$records[-1, ], formula = log(income) ~ x
    ),
    class = "pseudosynth_error_records"
  )
  error <- expect_error(
    external_fit(list(1), log_lik = function(fit) stop("income is 7654321")),
    class = "pseudosynth_error_input"
  )
  expect_no_match(conditionMessage(error), "7654321")
  expect_match(conditionMessage(error$cause), "7654321")
})

test_that("infinite log-likelihoods give weight 0 and no claim", {
  values <- outside_matrix(outside_draws(rep(1, 60)))
  values[7, 3] <- -Inf
  fit <- external_fit(
    array(values, c(500, 2, 60)),
    refit = function(alpha) {
      # As a program that multiplies: 0 times an infinite number
      made <- outside_matrix(outside_draws(alpha))
      made[7, 3] <- -Inf
      array(rep(alpha, each = 1000) * made, c(500, 2, 60))
    },
    weighted = TRUE, converged = TRUE
  )
  expect_true(fit$converged)
  expect_identical(fit$bound$record[3], Inf)
  weights <- lipschitz_weights(fit)
  expect_identical(as.numeric(weights)[3], 0)
  lw <- update(fit, privacy_weights = weights)
  expect_identical(lw$bound$record[3], 0)
  expect_true(is.finite(lw$bound$overall))
  expect_identical(guarantee(lw)$label, "asymptotic")
  floor <- update(fit, privacy_weights = rep(0.5, 60))
  expect_identical(guarantee(floor)$label, "none")
})

test_that("weights enter the bound, zero weights whatever the likelihood", {
  log_lik <- matrix(-c(1, 2, 4, 1.5, 2.5, Inf), 2, byrow = TRUE)
  fit <- external_fit(log_lik, privacy_weights = c(0.5, 1, 0))
  expect_equal(fit$bound$record, c(0.75, 2.5, 0))
  expect_equal(fit$bound$draw, c(2, 2.5))
  expect_true(fit$bound$weighted)
  expect_equal(lipschitz(fit, 0.5)$record, c(0.5, 2, 0))
  # Packages that multiply themselves
  own <- external_fit(
    log_lik[, 1:2] * rep(c(0.5, 1), each = 2),
    privacy_weights = c(0.5, 1), weighted = TRUE
  )
  expect_equal(own$bound$record, c(0.75, 2.5))
  expect_equal(external_fit(log_lik, privacy_weights = 0.5)$bound$record[1:2],
    c(0.75, 1.25)
  )
})

test_that("a model fitted elsewhere is weighted, re-weighted and truncated", {
  for (fit in list(
    matrix_fit(converged = TRUE), function_fit(converged = TRUE)
  )) {
    w <- lipschitz_weights(fit)
    delta <- fit$bound$record
    expect_equal(
      as.numeric(w), 1 - (delta - min(delta)) / (max(delta) - min(delta))
    )
    lw <- update(fit, privacy_weights = w)
    expect_lt(lw$bound$overall, fit$bound$overall)
    # The refit was made with these weights
    expected <- outside_matrix(outside_draws(as.numeric(w)))
    expect_equal(
      lw$bound$record, apply(abs(expected), 2, max) * as.numeric(w)
    )
    final <- reweight(lw)
    expect_s3_class(final, "external_fit")
    expect_lte(final$bound$overall, lw$bound$overall * 1.02)
    expect_gt(mean(as.numeric(final$privacy_weights)), mean(as.numeric(w)))
    expect_identical(guarantee(final)$mechanism, "lw_final")
    cut <- truncate_draws(lw, 0.9)
    expect_identical(n_draws(cut), 900L)
    expect_equal(cut$bound$overall, lipschitz(lw, 0.9)$overall)
    expect_identical(cut$bound$record, lipschitz(lw, 0.9)$record)
    twice <- truncate_draws(truncate_draws(lw, 0.95), 0.9)
    expect_identical(twice$bound, cut$bound)
    expect_identical(twice$dropped, 100L)
    again <- reweight(cut, k = 0.9)
    expect_identical(again$quantile, 0.9)
    expect_identical(n_draws(again), 900L)
    epsilon <- 1.9 * lw$bound$overall
    te <- truncate_weights(lw, epsilon)
    gone <- lw$bound$record > epsilon / 2
    expect_identical(as.numeric(te) == 0, w == 0 | gone)
    sw <- solve_weights(fit, lw, tolerance = 0.15)$privacy_weights
    refit <- update(fit, privacy_weights = sw)
    expect_equal(refit$bound$overall, lw$bound$overall, tolerance = 0.15)
  }
})

test_that("reweight() takes a matrix with its weights and a refit", {
  w <- lipschitz_weights(matrix_fit())
  refit <- function(alpha) outside_matrix(outside_draws(alpha))
  from_matrix <- reweight(
    refit(as.numeric(w)), 0.9,
    refit = refit, privacy_weights = w, allow_unconverged = TRUE
  )
  lw <- update(matrix_fit(converged = TRUE), privacy_weights = w)
  expect_equal(from_matrix$bound$record, reweight(lw, 0.9)$bound$record)
})

test_that("the label is asymptotic or none, never strict", {
  fit <- matrix_fit(converged = TRUE)
  expect_identical(guarantee(fit)$label, "none")
  lw <- update(fit, privacy_weights = lipschitz_weights(fit))
  label <- guarantee(lw, m = 3)
  expect_identical(label$label, "asymptotic")
  expect_equal(
    label$epsilon$total[["add-remove"]], 6 * lw$bound$overall
  )
  expect_true(all(is.na(guarantee(lw, public = TRUE)$epsilon$total)))
  expect_identical(guarantee(update(fit, privacy_weights = 0.5))$label,
    "asymptotic"
  )
  expect_output(print(label), "asymptotic")
  # Convergence that nobody vouches for
  unknown <- matrix_fit()
  lw <- update(unknown, privacy_weights = lipschitz_weights(unknown))
  expect_identical(guarantee(lw)$label, "none")
  expect_output(print(lw), "not known")
})

test_that("convergence is judged where chains are known", {
  fit <- matrix_fit(chains = 2)
  expect_true(fit$converged)
  expect_named(fit$diagnostics, c("rhat", "ess_bulk", "worst_record_rhat"))
  stuck <- outside_matrix(rbind(
    outside_draws(rep(1, 60)), outside_draws(rep(c(1, 0.05), 30), seed = 6)
  ))
  bad <- external_fit(stuck, chains = 2)
  expect_false(bad$converged)
  expect_error(lipschitz_weights(bad), class = "pseudosynth_error_privacy")
  # What the chains show is not overruled
  expect_false(external_fit(stuck, chains = 2, converged = TRUE)$converged)
  expect_false(external_fit(array(stuck, c(1000, 2, 60)))$converged)
})

test_that("weights of a function model can be frozen, of a matrix not", {
  fit <- function_fit(converged = TRUE)
  w <- lipschitz_weights(fit)
  rule <- freeze(w)
  data <- outside_data()
  expect_identical(as.numeric(predict(rule, data)), as.numeric(w))
  expect_identical(dependency_of(predict(rule, data))$kind, "other records")
  current <- transform(data[1:10, ], y = y + 0.1)
  expect_identical(dependency_of(predict(rule, current))$kind, "own record")
  expect_identical(
    as.numeric(predict(rule, current[-3, ])),
    as.numeric(predict(rule, current))[-3]
  )
  expect_error(
    predict(rule, current["y"]),
    class = "pseudosynth_error_frozen_variables"
  )
  expect_error(
    freeze(lipschitz_weights(matrix_fit())),
    class = "pseudosynth_error_not_freezable"
  )
})

test_that("a fit with a log_lik() method will do", {
  s3_log_lik <- function(object, ...) object$values
  registerS3method(
    "log_lik", "outside_model", s3_log_lik,
    envir = asNamespace("rstantools")
  )
  values <- outside_matrix(outside_draws(rep(1, 60)))
  model <- structure(list(values = values), class = "outside_model")
  expect_equal(lipschitz(model), lipschitz(values))
  expect_equal(
    as.numeric(lipschitz_weights(model)), as.numeric(lipschitz_weights(values))
  )
  expect_equal(external_fit(model)$bound$record, lipschitz(values)$record)
})

test_that("weights that are all the same hold where rstanarm leaves them out", {
  # Its log_lik() multiplies by weights only where they differ
  registerS3method(
    "log_lik", "arm_alone", function(object, ...) {
      same <- length(unique(object$weights)) == 1
      object$values * if (same) 1 else rep(object$weights, each = 1000)
    },
    envir = asNamespace("rstantools")
  )
  registerS3method("as.array", "arm_alone", function(x, ...) {
    array(0, c(500, 2, 3))
  })
  refit <- function(alpha) {
    values <- outside_matrix(outside_draws(alpha))
    structure(
      list(values = values, weights = alpha), class = c("arm_alone", "stanreg")
    )
  }
  model <- external_fit(refit(rep(1, 60)), refit, seeded = FALSE)
  for (weights in list(rep(0.5, 60), rep_len(c(0.4, 0.9), 60))) {
    own <- outside_matrix(outside_draws(weights))
    expect_equal(
      update(model, privacy_weights = weights)$bound$record,
      weights * apply(abs(own), 2, max)
    )
    expect_equal(
      external_fit(refit(weights), privacy_weights = weights)$bound$record,
      weights * apply(abs(own), 2, max)
    )
  }
})

test_that("bad input is a classed error", {
  refuse <- function(code) {
    expect_error(code, class = "pseudosynth_error_input")
  }
  values <- outside_matrix(outside_draws(rep(1, 60)))
  refuse(external_fit(list()))
  refuse(external_fit(letters))
  refuse(external_fit(values, refit = 1))
  refuse(external_fit(values, privacy_weights = c(0.5, 1)))
  refuse(external_fit(values, converged = "yes"))
  refuse(external_fit(values, weighted = NA))
  # What a function is called with, given with values
  refuse(external_fit(values, data = outside_data()))
  refuse(external_fit(values, draws = 1))
  refuse(update(external_fit(values), privacy_weights = 0.5))
  refuse(update(
    external_fit(values, refit = function(w) values[, 1:3]),
    privacy_weights = 0.5
  ))
  refuse(external_fit(outside_log_lik))
  refuse(external_fit(outside_log_lik, data = outside_data()))
  refuse(external_fit(function(x) 1, data = outside_data(), draws = 1))
  refuse(lipschitz(function(data_i, draws) "a",
    data = outside_data(), draws = 1
  ))
  refuse(lipschitz(function(data_i, draws) rnorm(sample(3:9, 1)),
    data = outside_data(), draws = 1
  ))
  refuse(lipschitz(array(0, c(2, 2, 2, 2))))
  refuse(lipschitz("a"))
  values[3, 7] <- NaN
  error <- refuse(lipschitz(values))
  expect_identical(error$rows, 7L)
  refuse(external_fit(values))
})

test_that("a vector's name is no regular expression", {
  draws <- function(name) {
    array(
      c(stats::dnorm(seq(-2, 2, length.out = 60), log = TRUE)), c(10, 2, 3),
      list(NULL, NULL, sprintf("%s[%d]", name, c(2, 1, 3)))
    )
  }
  for (name in c("f.x", "x(", "x[", "a+b", "a*", "\\")) {
    fit <- external_fit(draws(name), log_lik = name)
    values <- draws(name)
    expect_equal(
      fit$bound$record,
      unname(apply(abs(values), 3, max))[c(2, 1, 3)]
    )
  }
  expect_error(
    external_fit(draws("f.x"), log_lik = "\xff"),
    class = "pseudosynth_error_input"
  )
  for (name in c("fzx", "x(", "x[", "")) {
    expect_error(
      external_fit(draws("f.x"), log_lik = name),
      class = "pseudosynth_error_log_lik"
    )
  }
})
