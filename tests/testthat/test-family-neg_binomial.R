test_that("the defaults are the papers'", {
  expect_identical(resolve_prior(NULL, neg_binomial()), prior_hierarchical(6))
})

test_that("counts must be whole and not negative", {
  data <- family_data()
  bad <- transform(data, count = replace(as.double(count), c(3, 9), -1))
  expect_refused(
    quick_fit(count ~ 1, bad, neg_binomial()),
    "\"count\" must hold counts.*negative for 2 of 80 records",
    rows = c(3L, 9L)
  )
  bad <- transform(data, count = replace(count, 5, 987654.5))
  error <- expect_refused(
    quick_fit(count ~ 1, bad, neg_binomial()), "fractional for 1 of 80",
    rows = 5L
  )
  expect_no_match(conditionMessage(error), "987654")
  bad <- transform(data, count = replace(count, 5, 2^60))
  expect_refused(quick_fit(count ~ 1, bad, neg_binomial()), "2\\^53", rows = 5L)
  bad <- transform(data, count = as.character(count))
  expect_refused(quick_fit(count ~ 1, bad, neg_binomial()), "plain numeric")
})

test_that("a transformed left side is refused, with what to write", {
  for (formula in c(log(count) ~ 1, log1p(count) ~ group, sqrt(count) ~ 1)) {
    expect_refused(
      quick_fit(formula, family_data(), neg_binomial()),
      "must be the variable itself.*Write `count ~ ...`"
    )
  }
})

test_that("a count regression makes the round trip", {
  pieces <- family_round_trip(
    count ~ group + x, neg_binomial(),
    prior = prior_normal()
  )
  fit <- pieces$fit
  expect_identical(
    colnames(fit$draws), c("(Intercept)", "groupb", "groupc", "x", "size")
  )
  expect_type(pieces$synthetic[[1]]$count, "integer")
  expect_true(all(pieces$predicted >= 0))
  expect_match(fit$bound$unit, "count: probability mass, unit-free")
  expect_true(all(log_lik(fit, draws = 50) <= 0))
})

test_that("the log-likelihood is R's dnbinom", {
  data <- family_data()
  fit <- quick_fit(count ~ group, data, neg_binomial())
  x <- stats::model.matrix(~group, data)
  for (row in c(1, 500)) {
    theta <- fit$draws[row, ]
    expect_equal(
      as.vector(log_lik(fit, draw_ids = row)),
      stats::dnbinom(
        data$count,
        mu = as.vector(exp(x %*% theta[1:3])), size = theta[["size"]],
        log = TRUE
      )
    )
  }
})

test_that("quantiles of counts are R's, those of large ones to a few counts", {
  p <- (1:999) / 1000
  quantile <- law_neg_binomial$quantile
  for (size in c(0.05, 1, 50)) {
    for (mean in c(0.1, 7, 1e4)) {
      expect_identical(
        quantile(p, mean, size), stats::qnbinom(p, size, mu = mean)
      )
    }
  }
  # Of a large size they are next to Poisson
  p <- c(1e-6, 0.01, 0.25, 0.5, 0.75, 0.99, 1 - 1e-6)
  for (size in c(0.05, 1, 50, 1e4, 1e6, 1e9)) {
    for (mean in c(1.1e4, 1e6, 3e6)) {
      exact <- stats::qnbinom(p, size, mu = mean)
      expect_lte(max(abs(quantile(p, mean, size) - exact)), 6)
    }
  }
  expect_identical(
    quantile(0.5, c(3, 1e7, NA), 2)[-2], c(quantile(0.5, 3, 2), NA)
  )
})

test_that("counts given as doubles stay doubles, and whole", {
  data <- transform(family_data(), count = as.double(count))
  fit <- quick_fit(count ~ 1, data, neg_binomial(), draws = 1000)
  made <- synthesize(fit, seed = 1)[[1]]
  expect_type(made$count, "double")
  expect_identical(made$count, round(made$count))
})

test_that("rare counts run, and the remarks say what the prior decides", {
  data <- transform(family_data(), count = ifelse(group == "b", 0L, count))
  fit <- quick_fit(
    count ~ group, data, neg_binomial(),
    prior = prior_normal(), draws = 1000
  )
  expect_true(fit$converged)
  expect_match(fit$remarks, "All counts are 0 in `groupb`", all = FALSE)
  expect_output(print(fit), "Remarks")
  # Nothing tells the shape, whose prior has far tails: chains may disagree
  none <- suppressWarnings(quick_fit(
    count ~ 1, transform(data, count = 0L), neg_binomial(),
    prior = prior_normal(), draws = 1000
  ))
  expect_match(none$remarks, "All counts are 0: the prior decides")
  same <- suppressWarnings(
    quick_fit(count ~ 1, transform(data, count = 3L), neg_binomial())
  )
  expect_match(same$remarks, "All counts are equal")
})

test_that("quantiles of no records are none", {
  for (mean in list(3, 1e6, double())) {
    expect_identical(neg_binomial_quantile(double(), mean, 1), double())
  }
  expect_identical(neg_binomial_quantile(0.5, double(), 1), double())
})
