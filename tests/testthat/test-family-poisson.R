test_that("the default prior is that of the counts", {
  expect_identical(
    resolve_prior(NULL, as_synth_family(poisson())), prior_hierarchical(6)
  )
})

test_that("counts must be whole and not negative, and left as they are", {
  data <- transform(family_data(), count = replace(count, 1:2, -0.5))
  expect_refused(
    quick_fit(count ~ 1, data, poisson()), "negative for 2.*fractional for 2",
    rows = 1:2
  )
  expect_refused(
    quick_fit(log(count) ~ 1, family_data(), poisson()), "variable itself"
  )
})

test_that("a Poisson regression makes the round trip", {
  data <- withr::with_seed(5, {
    transform(family_data(), count = stats::rpois(80, exp(0.5 + 0.3 * x)))
  })
  pieces <- family_round_trip(count ~ x, poisson(), data)
  expect_identical(colnames(pieces$fit$draws), c("(Intercept)", "x"))
  expect_type(pieces$synthetic[[1]]$count, "integer")
})

test_that("the log-likelihood is R's dpois", {
  data <- family_data()
  fit <- quick_fit(count ~ group, data, poisson())
  x <- stats::model.matrix(~group, data)
  mu <- as.vector(exp(x %*% fit$draws[9, ]))
  expect_equal(
    as.vector(log_lik(fit, draw_ids = 9)), stats::dpois(data$count, mu, TRUE)
  )
})
