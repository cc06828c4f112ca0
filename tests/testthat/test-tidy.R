test_that("a fit has a row for each quantity, and one row of all", {
  skip_if_not_installed("generics")
  fit <- lw_fit()
  table <- generics::tidy(fit)
  expect_identical(table$term, summary(fit)$table$variable)
  expect_equal(table$estimate, summary(fit)$table$mean)
  expect_true(all(table$conf.low < table$conf.high))
  row <- generics::glance(fit)
  expect_identical(nrow(row), 1L)
  expect_identical(row$delta, lipschitz(fit)$overall)
  expect_identical(row$nobs, nobs(fit))
  expect_identical(row$label, "asymptotic")
})

test_that("augment() puts weights and bounds beside the records", {
  skip_if_not_installed("generics")
  for (x in list(lw_fit(), small_job())) {
    found <- generics::augment(x)
    expect_identical(found$income, privacy_data()$income)
    expect_identical(found$.bound, lipschitz(x)$record)
    expect_identical(found$.weight, as.double(weights(x)))
  }
})

test_that("jobs, bounds and measures have tables and rows", {
  skip_if_not_installed("generics")
  job <- small_job()
  expect_identical(generics::tidy(job), job$stages)
  row <- generics::glance(job)
  expect_identical(row$m, 3L)
  expect_identical(
    row$add_remove, guarantee(job)$epsilon$total[["add/remove-one"]]
  )
  bound <- lipschitz(job)
  expect_identical(as.data.frame(bound)$bound, bound$record)
  expect_identical(generics::tidy(bound), as.data.frame(bound))
  expect_identical(generics::glance(bound)$delta, bound$overall)
  use <- utility(job)
  expect_identical(generics::tidy(use), use$table)
  expect_equal(generics::glance(use)$ecdf_max, mean(use$table$ecdf_max))
  risk <- identification_risk(job, known = "earner", radius = 0.2)
  expect_identical(generics::tidy(risk), risk$record)
  expect_identical(
    generics::glance(risk)$mean_risk, risk$overall[["mean_risk"]]
  )
  attribution <- attribute_risk(job, known = "earner")
  expect_identical(nrow(generics::glance(attribution)), 1L)
  expect_s3_class(generics::tidy(attribution), "data.frame")
  expect_s3_class(generics::tidy(weights(job)), "data.frame")
})
