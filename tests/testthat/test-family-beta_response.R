bounds <- c(10, 50)

test_that("bounds must be given, finite and increasing", {
  expect_refused(beta_response(), "must be given: the public range")
  expect_refused(beta_response(c(1, 0)), "the smaller one first")
  expect_refused(beta_response(c(1, 1)), "the smaller one first")
  expect_refused(beta_response(NULL), "must be given: the public range")
  for (bad in list(1, c(0, Inf), c(NA, 1), "0", 1:3)) {
    expect_refused(beta_response(bad), "must be two finite numbers")
  }
  expect_identical(beta_response(c(low = 0L, high = 1L))$bounds, c(0, 1))
})

test_that("values at or outside the bounds are refused", {
  data <- family_data()
  data$part[c(2, 4)] <- 10
  data$part[7] <- 60.125
  error <- expect_refused(
    quick_fit(part ~ 1, data, beta_response(bounds)),
    "at a bound for 2 of 80 records.*outside for 1 of 80",
    rows = c(2L, 4L, 7L)
  )
  expect_no_match(conditionMessage(error), "60.125", fixed = TRUE)
})

test_that("bounds taken from the data are refused and called so", {
  data <- family_data()
  error <- expect_refused(
    quick_fit(part ~ 1, data, beta_response(range(data$part))),
    "as if they had been taken from the data.*Bounds must be public"
  )
  expect_length(error$rows, 2)
})

test_that("a transformed left side and a constant are refused", {
  data <- family_data()
  expect_refused(
    quick_fit(log(part) ~ 1, data, beta_response(bounds)),
    "scales the variable by its `bounds`.*Write `part ~ ...`"
  )
  data$part <- 20
  expect_refused(
    quick_fit(part ~ 1, data, beta_response(bounds)), "must vary"
  )
})

test_that("the mean is uniform without predictors, else hierarchical", {
  family <- beta_response(bounds)
  expect_identical(
    resolve_prior(NULL, family, "(Intercept)"), prior_beta_mean()
  )
  expect_identical(
    resolve_prior(NULL, family, c("(Intercept)", "x")), prior_hierarchical(1)
  )
  fit <- quick_fit(part ~ 1, family_data(), family)
  expect_identical(fit$prior, prior_beta_mean(1, 1))
  expect_identical(
    fit$spec$prior, list(kind = "beta_mean", shape1 = 1, shape2 = 1)
  )
})

test_that("prior_beta_mean() is refused where it means nothing", {
  expect_refused(
    quick_fit(
      part ~ x, family_data(), beta_response(bounds),
      prior = prior_beta_mean()
    ), "the formula has some"
  )
  expect_refused(
    quick_fit(count ~ 1, family_data(), poisson(), prior = prior_beta_mean()),
    "the family is poisson"
  )
  expect_refused(prior_beta_mean(0), "`shape1` must be")
  expect_refused(prior_beta_mean(1, -1), "`shape2` must be")
})

test_that("the response is scaled by the bounds and back", {
  data <- family_data()
  response <- new_response(part ~ 1, data, beta_response(bounds))
  z <- response_forward(response, data$part)
  expect_equal(z, (data$part - 10) / 40)
  expect_equal(response_inverse(response, z), data$part)
  expect_identical(
    response$label, "part scaled to (0, 1) by the bounds 10 and 50"
  )
})

test_that("synthetic values stay inside the bounds at any precision", {
  ends <- c(0, .Machine$double.xmin, 1e-17, 0.5, 1 - 1e-16, 1)
  for (values in list(
    c(11, 49), c(11L, 49L), c(11.25, 48), c(10 + pi, 40)
  )) {
    data <- data.frame(part = values)
    response <- new_response(part ~ 1, data, beta_response(bounds))
    back <- response_inverse(response, ends)
    expect_identical(typeof(back), typeof(values))
    expect_true(all(back > 10 & back < 50))
    z <- response_forward(response, back)
    expect_true(all(z > 0 & z < 1))
  }
})

test_that("a beta regression makes the round trip", {
  pieces <- family_round_trip(
    part ~ group + x, beta_response(bounds),
    prior = prior_normal()
  )
  fit <- pieces$fit
  expect_identical(
    colnames(fit$draws), c("(Intercept)", "groupb", "groupc", "x", "precision")
  )
  expect_true(all(pieces$predicted > 10 & pieces$predicted < 50))
  expect_true(all(fit$draws[, "precision"] > 0.1))
  label <- guarantee(fit)
  expect_match(label$public_inputs[["model"]], "bounds = c(10, 50)",
    fixed = TRUE
  )
})

test_that("the log-likelihood is R's dbeta of the scaled response", {
  data <- family_data()
  fit <- quick_fit(part ~ 1, data, beta_response(bounds))
  theta <- fit$draws[11, ]
  mean <- stats::plogis(theta[["(Intercept)"]])
  lambda <- theta[["precision"]]
  expect_equal(
    as.vector(log_lik(fit, draw_ids = 11)),
    stats::dbeta(
      (data$part - 10) / 40, mean * lambda, (1 - mean) * lambda,
      log = TRUE
    )
  )
})

test_that("wider bounds change the unit, and so the bound", {
  data <- family_data()
  narrow <- quick_fit(part ~ 1, data, beta_response(bounds))
  wide <- quick_fit(part ~ 1, data, beta_response(c(0, 500)))
  expect_false(isTRUE(all.equal(
    narrow$bound$overall, wide$bound$overall,
    tolerance = 0.1
  )))
})
