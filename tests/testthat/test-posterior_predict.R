test_that("posterior_predict() gives S x N in the response's type", {
  fit <- quick_fit(log(income) ~ age, small_ce(), draws = 800)
  values <- posterior_predict(fit, draws = 7, seed = 1)
  expect_identical(dim(values), c(7L, 150L))
  expect_type(values, "integer")
  expect_true(all(values > 0))
  again <- posterior_predict(fit, draws = 7, seed = 1)
  expect_true(identical(again, values))
  expect_false(identical(posterior_predict(fit, draws = 7), values))
})

test_that("predictions have the model's mean and spread", {
  fit <- quick_fit(data = simulated(200))
  values <- posterior_predict(fit, seed = 1)
  # 200,000 normal values: 5 standard errors of their mean is about 0.01.
  expect_lt(abs(mean(values) - mean(fit$data$y)), 0.05)
  residual <- values - tcrossprod(fit$draws[, 1:4], dense_design(fit$spec))
  z <- residual / fit$draws[, "sigma"]
  expect_lt(abs(mean(z)), 0.02)
  expect_lt(abs(sd(z) - 1), 0.02)
})

test_that("new data need no response", {
  fit <- quick_fit()
  newdata <- data.frame(group = c("c", "a"), x = c(40, 50))
  values <- posterior_predict(fit, newdata, seed = 1)
  expect_identical(dim(values), c(1000L, 2L))
  expect_error(
    posterior_predict(fit, data.frame(group = "d", x = 1)),
    class = "pseudosynth_error_input"
  )
})

test_that("draws is how many, draw_ids which", {
  fit <- quick_fit()
  n <- nrow(fit$draws)
  expect_identical(dim(posterior_predict(fit, draws = 10)), c(10L, 60L))
  expect_identical(dim(log_lik(fit, draws = 1)), c(1L, 60L))
  for (size in c(2, 7, n - 1, n)) {
    rows <- chosen_draws(size, NULL, n)
    expect_length(unique(rows), size)
    expect_identical(range(rows), c(1, n))
  }
  all <- log_lik(fit)
  expect_identical(log_lik(fit, draw_ids = 10), all[10, , drop = FALSE])
  one <- posterior_predict(fit, draw_ids = 10, seed = 1)
  expect_identical(dim(one), c(1L, 60L))
  for (bad in list(1:10, 0, n + 1, 2.5)) {
    expect_error(log_lik(fit, bad), class = "pseudosynth_error_input")
  }
  expect_error(
    posterior_predict(fit, draws = 2, draw_ids = 1:2),
    class = "pseudosynth_error_input"
  )
  expect_error(log_lik(fit, draws = 1:10), "draw_ids")
})
