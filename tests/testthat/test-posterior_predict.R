test_that("posterior_predict() gives S x N in the response's type", {
  fit <- quick_fit(log(income) ~ age, small_ce(), draws = 800)
  values <- posterior_predict(fit, draws = 1:7, seed = 1)
  expect_identical(dim(values), c(7L, 150L))
  expect_type(values, "integer")
  expect_true(all(values > 0))
  again <- posterior_predict(fit, draws = 1:7, seed = 1)
  expect_true(identical(again, values))
  expect_false(identical(posterior_predict(fit, draws = 1:7), values))
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
