# Small files for the families, and the round trip that every family must make.

family_data <- function(n = 80) {
  withr::with_seed(4, {
    group <- factor(sample(c("a", "b", "c"), n, TRUE))
    x <- stats::rnorm(n)
    eta <- 0.8 + 0.5 * (group == "b") + 0.3 * x
    data.frame(
      count = as.integer(stats::rnbinom(n, mu = exp(eta), size = 2)),
      part = 10 + 40 * stats::rbeta(n, 4 * stats::plogis(eta), 4 *
        stats::plogis(-eta)),
      yes = stats::rbinom(n, 1, stats::plogis(eta - 0.8)),
      heavy = eta + stats::rt(n, 3),
      group = group, x = x
    )
  })
}

# Fit, bounds, weights, refit, synthetic data, predictions, figures. Returns the
# pieces for what a family has to add.
family_round_trip <- function(formula, family, data = family_data(), ...) {
  variable <- all.vars(formula)[1]
  fit <- quick_fit(formula, data, family, ..., draws = 1200)
  expect_s3_class(fit, "synthesizer")
  expect_true(fit$converged)
  expect_true(all(is.finite(fit$draws)))

  # the bound is the largest absolute value of the log-likelihood matrix
  f <- log_lik(fit)
  expect_true(all(is.finite(f)))
  expect_equal(fit$bound$record, unname(apply(abs(f), 2, max)))
  expect_equal(lipschitz(f)$overall, fit$bound$overall)

  # weights pull the bound down, weight 0 takes a record out
  weights <- lipschitz_weights(fit)
  weighted <- update(fit, privacy_weights = weights, seed = 2)
  expect_true(weighted$converged)
  expect_lt(weighted$bound$overall, fit$bound$overall)
  expect_equal(
    weighted$bound$record,
    unname(as.double(weights) * apply(abs(log_lik(weighted)), 2, max))
  )
  expect_identical(weighted$prior, fit$prior)

  # censoring clips every contribution to a public interval of this width
  censored <- update(fit, censor = censor(6), seed = 5)
  expect_true(censored$converged)
  ends <- unlist(censored$spec$censor[c("lower", "upper")])
  expect_equal(unname(diff(ends)), 6)
  clipped <- pmin(pmax(log_lik(censored), ends[1]), ends[2])
  expect_equal(censored$bound$record, unname(apply(abs(clipped), 2, max)))
  expect_identical(guarantee(censored)$label, "strict")

  # synthetic values keep the variable's type and, on average, its level
  syn <- synthesize(fit, m = 4, seed = 3)
  made <- syn[[2]][[variable]]
  expect_identical(class(made), class(data[[variable]]))
  expect_identical(levels(made), levels(data[[variable]]))
  expect_false(anyNA(made))
  expect_identical(length(made), nrow(data))
  elsewhere <- synthesize(fit, newdata = data[1:5, ], seed = 3)
  expect_identical(nrow(elsewhere[[1]]), 5L)
  expect_s3_class(summary(syn)$table, "data.frame")

  predicted <- posterior_predict(fit, draws = 100, seed = 4)
  expect_identical(dim(predicted), c(100L, nrow(data)))
  y <- as_number(data[[variable]])
  spread <- stats::sd(rowMeans(predicted))
  expect_lt(abs(mean(predicted) - mean(y)), 4 * spread)

  for (figure in list(
    autoplot(fit), autoplot(fit, "weights"), autoplot(fit, "trace"),
    autoplot(syn), plot_family(fit, syn)
  )) {
    expect_s3_class(figure, "ggplot")
    expect_silent(built <- ggplot2::ggplot_build(figure))
    expect_gt(nrow(built$data[[1]]), 0)
  }
  if (requireNamespace("bayesplot", quietly = TRUE)) {
    expect_silent(ggplot2::ggplot_build(pp_check(fit, n_draws = 20, seed = 1)))
  }
  expect_output(print(fit), format(fit$family), fixed = TRUE)
  expect_output(print(summary(fit)), "q95")
  expect_output(print(prior_summary(fit)), "Public numbers only")
  list(fit = fit, weighted = weighted, synthetic = syn, predicted = predicted)
}

# The figure of confidential against synthetic values.
plot_family <- function(fit, syn) {
  job <- structure(
    list(
      synthetic = syn, internal = list(fits = list(unweighted = fit)),
      mechanism = "unweighted"
    ),
    class = "pseudo_posterior"
  )
  autoplot(job, "density")
}

expect_refused <- function(expr, pattern, rows = NULL) {
  error <- tryCatch(expr, error = identity)
  expect_s3_class(error, "pseudosynth_error_input")
  expect_match(gsub("\\s+", " ", conditionMessage(error)), pattern)
  if (!is.null(rows)) {
    expect_identical(error$rows, rows)
  }
  invisible(error)
}
