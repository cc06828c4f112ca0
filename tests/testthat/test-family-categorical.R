three_levels <- function(n = 300) {
  withr::local_seed(21)
  data <- data.frame(
    g = factor(sample(c("a", "b", "c"), n, TRUE)),
    x = round(stats::rnorm(n), 1)
  )
  eta <- cbind(0, 0.5 + data$x, -0.5 + (data$g == "b"))
  data$y <- factor(
    c("low", "mid", "top")[max.col(eta - log(-log(matrix(
      stats::runif(3 * n), n
    ))))],
    c("low", "mid", "top")
  )
  data
}

level_fit <- function(data = three_levels(), ..., formula = y ~ g + x,
                      family = categorical(), seed = 1,
                      control = sampler_control(progress = FALSE)) {
  fit_synthesizer(
    formula, data, family,
    seed = seed, threads = 1, scaling = list(x = c(0, 1)), control = control,
    ...
  )
}

named_levels <- public_response(levels = c("low", "mid", "top"))

test_that("the posterior of levels is that of importance-weighted draws", {
  skip_on_cran()
  data <- three_levels(by_night(300, 120))
  fit <- level_fit(data, response = named_levels)
  expect_true(fit$converged)
  expect_identical(fit$control$sampler, "nuts")
  names <- paste(
    c("mid", "top"), rep(c("(Intercept)", "gb", "gc", "x"), each = 2),
    sep = ":"
  )
  expect_identical(colnames(fit$draws), names)
  expect_named(stats::coef(fit), names)
  # Independent draws of a t around the mode, weighted by density in plain R
  x <- stats::model.matrix(~ g + x, data)
  y <- as.integer(data$y)
  precision <- solve((diag(2) + 1) / 2)
  density <- function(b) {
    b <- t(matrix(b, 2))
    eta <- cbind(0, x %*% b)
    chosen <- eta[cbind(seq_along(y), y)]
    prior <- vapply(seq_len(4), function(j) {
      scale <- if (j == 1) 2.5 else 1
      sum(b[j, ] * (precision %*% b[j, ])) / scale^2
    }, 0)
    sum(chosen - log(rowSums(exp(eta)))) - sum(prior) / 2
  }
  mode <- stats::optim(
    numeric(8), density,
    method = "BFGS", control = list(fnscale = -1, reltol = 1e-12),
    hessian = TRUE
  )
  root <- chol(solve(-mode$hessian))
  withr::local_seed(22)
  n <- by_night(8000, 4000)
  z <- matrix(stats::rnorm(8 * n), n) / sqrt(stats::rchisq(n, 8) / 8)
  points <- sweep(z %*% root, 2, mode$par, `+`)
  log_weight <- apply(points, 1, density) + 8 * log1p(rowSums(z^2) / 8)
  weight <- exp(log_weight - max(log_weight))
  weight <- weight / sum(weight)
  mean <- colSums(weight * points)
  sd <- sqrt(colSums(weight * sweep(points, 2, mean)^2))
  independent <- 1 / sum(weight^2)
  error <- sd * sqrt(1 / independent + 1 / min(fit$diagnostics$ess_bulk))
  expect_lt(max(abs(colMeans(fit$draws) - mean) / error), 4.5)
  expect_equal(apply(fit$draws, 2, stats::sd), sd,
    tolerance = 0.08, ignore_attr = TRUE
  )
})

test_that("two levels have the posterior of bernoulli()", {
  skip_on_cran()
  data <- three_levels()
  data$y <- factor(data$y == "top", c(FALSE, TRUE), c("no", "yes"))
  prior <- prior_normal(1, c(0, 2.5))
  draws <- by_night(2000, 1000)
  one <- level_fit(data, prior = prior, draws = draws)
  other <- level_fit(data, family = bernoulli(), prior = prior, draws = draws)
  ess <- min(one$diagnostics$ess_bulk, other$diagnostics$ess_bulk)
  sd <- apply(other$draws, 2, stats::sd)
  apart <- unname(colMeans(one$draws)) - unname(colMeans(other$draws))
  expect_lt(max(abs(apart) / sd), 4.5 * sqrt(2 / ess))
  # The default is the same prior
  expect_identical(format(level_fit(data, draws = 50, warmup = 50,
    control = sampler_control(min_ess = 1, max_rhat = 10, progress = FALSE)
  )$prior), format(prior))
})

test_that("weights, bounds and clips of levels are those of any family", {
  skip_on_cran()
  data <- three_levels(by_night(300, 80))
  few <- by_night(list(), list(chains = 2, warmup = 300, draws = 500))
  own_fit <- function(...) do.call(level_fit, c(list(data, ...), few))
  fit <- own_fit(response = named_levels)
  f <- log_lik(fit)
  x <- stats::model.matrix(~ g + x, data)
  b <- t(matrix(fit$draws[7, ], 2))
  eta <- cbind(0, x %*% b)
  expect_equal(
    unname(as.matrix(f)[7, ]),
    unname(eta[cbind(seq_len(nrow(data)), as.integer(data$y))] -
      log(rowSums(exp(eta))))
  )
  expect_equal(lipschitz(fit)$record, unname(apply(abs(f), 2, max)))
  weights <- lipschitz_weights(fit)
  weighted <- own_fit(response = named_levels, privacy_weights = weights)
  expect_lt(lipschitz(weighted)$overall, lipschitz(fit)$overall)
  clipped <- own_fit(
    response = named_levels, seed = NULL,
    censor = censor(3, reference = list("(Intercept)" = 0), window = 2)
  )
  expect_lte(lipschitz(clipped)$overall, 1.5)
  sets <- suppressWarnings(synthesize(clipped, 2))
  label <- guarantee(sets)
  expect_identical(label$label, "strict")
  expect_match(paste(format(label), collapse = " "), "6 add-remove")
  expect_identical(levels(sets[[1]]$y), levels(data$y))
  # Labels that were read from the file are nobody's to claim
  own <- own_fit(
    seed = NULL, censor = censor(3, reference = list("(Intercept)" = 0),
      window = 2)
  )
  expect_false(guarantee(own)$label == "strict")
})

test_that("neighbours of a clipped file of levels lose no more than claimed", {
  data <- three_levels(60)
  model <- new_model(
    y ~ g + x, data, categorical(), NULL,
    named_levels, list(x = c(0, 1))
  )
  clip <- resolve_censor(
    censor(2, reference = list("(Intercept)" = 0), window = 1),
    categorical()
  )
  density <- function(data) {
    model$data <- data
    model_(weighted_spec(model_spec(model), model, NULL, clip))
  }
  withr::local_seed(3)
  theta <- matrix(stats::rnorm(8 * 200, sd = 4), 200)
  log_density <- function(target) {
    apply(theta, 1, function(at) model_evaluate_(target, at)$value)
  }
  whole <- log_density(density(data))
  widest <- c(dropped = 0, changed = 0)
  for (i in c(1, 17, 60)) {
    loss <- log_density(density(data[-i, ])) - whole
    widest["dropped"] <- max(widest["dropped"], abs(loss))
    for (level in levels(data$y)) {
      changed <- data
      changed$y[i] <- level
      loss <- log_density(density(changed)) - whole
      widest["changed"] <- max(widest["changed"], abs(loss))
    }
  }
  # A term of epsilon / 2, normalised by at most as much
  expect_lte(widest[["dropped"]], 1 + 1e-9)
  expect_lte(widest[["changed"]], 2 + 1e-9)
  expect_gt(widest[["dropped"]], 0.99)
  expect_gt(widest[["changed"]], 1.99)
})

test_that("a sampled audit and a job take levels", {
  skip_unless_nightly()
  data <- three_levels(200)
  job <- suppressMessages(pseudo_posterior(
    y ~ g + x, data, categorical(),
    mechanism = mechanism("centred",
      reference = list("(Intercept)" = 0), window = 2
    ),
    epsilon = 3, seed = 1, response = named_levels,
    scaling = list(x = c(0, 1)), threads = 1
  ))
  expect_match(format(guarantee(job)), "^strict")
  audit <- suppressWarnings(
    audit_guarantee(final_fit(job), files = 1, seed = 1)
  )
  row <- audit$worst[audit$worst$neighbours == "add-remove", ]
  expect_lte(row$loss, row$claim)
  expect_error(
    audit_guarantee(final_fit(job), method = "exact"),
    "at most three parameters"
  )
  expect_s3_class(ggplot2::autoplot(job), "ggplot")
})

test_that("what does not suit levels is refused", {
  data <- three_levels(60)
  expect_error(level_fit(data, prior = prior_hierarchical()), "prior_normal")
  expect_error(
    level_fit(data, control = sampler_control("surrogate")), "surrogate"
  )
  expect_error(
    level_fit(data, response = public_response(levels = c("low", "mid"))),
    "another value"
  )
  expect_error(
    level_fit(data,
      censor = censor(2, reference = list(sigma = 1), window = 2)
    ),
    "parameters"
  )
})
