roles_data <- function(n = 60) {
  data <- simulated(n)
  data$hours <- round(withr::with_seed(4, stats::runif(n, 10, 50)))
  data$id <- seq_len(n)
  data
}

test_that("columns of the right side are published", {
  data <- roles_data()
  expect_identical(columns_published_by(log(y) ~ group, data), "group")
  top <- 2
  expect_identical(
    columns_published_by(asinh(y / top) ~ ., data),
    c("group", "x", "hours", "id")
  )
})

test_that("a column that the formula takes out again is not used", {
  data <- roles_data()
  for (formula in list(y ~ . - id, y ~ x + group + hours + id - id)) {
    expect_identical(
      columns_published_by(formula, data), c("group", "x", "hours")
    )
  }
  # A term that stays keeps its columns
  expect_identical(
    columns_published_by(y ~ x * group - x, data), c("group", "x")
  )
  expect_identical(columns_published_by(y ~ 1 - id, data), character())
})

test_that("a fit, its design and its synthetic sets leave out such a column", {
  data <- roles_data()
  # Neither text in a strange encoding nor a date keeps it from the fit
  data$id <- as.Date("2020-01-01") + data$id
  fit <- quick_fit(y ~ . - id, data)
  plain <- quick_fit(y ~ group + x + hours, data)
  expect_identical(fit$draws, plain$draws)
  expect_named(fit$data, c("y", "group", "x", "hours"))
  set <- synthesize(fit, seed = 1, allow_unconverged = TRUE)[[1]]
  expect_named(set, c("y", "group", "x", "hours"))
  expect_named(
    posterior_predict(fit, data[1:2, c("group", "x", "hours")], draws = 1) |>
      as.data.frame(),
    c("V1", "V2")
  )
  expect_named(
    topcode(y ~ . - id, data, top = 3)[[1]], c("y", "group", "x", "hours")
  )
})

test_that("a model gives the columns of its file, synthesized ones first", {
  fit <- quick_fit(y ~ group, roles_data())
  expect_identical(model_columns(fit), c("y", "group"))
  expect_named(used_columns(roles_data()[5:1], fit), c("group", "y"))
  expect_identical(published_columns(fit, roles_data()), c("y", "group"))
})
