test_that("values beyond the thresholds are replaced, others are not", {
  data <- privacy_data()
  coded <- topcode(income ~ age, data, top = 1e5, bottom = 2000)
  expect_identical(
    coded[[1]]$income, as.integer(pmin(pmax(data$income, 2000), 1e5))
  )
  expect_named(coded[[1]], c("income", "age"))
  above <- data$income > 1e5
  meant <- topcode(income ~ ., data, top = 1e5, replace = "mean")
  expect_equal(
    meant[[1]]$income[above],
    rep(as.integer(round(mean(data$income[above]))), sum(above))
  )
  expect_named(meant[[1]], names(data))
})

test_that("top-coding promises nothing", {
  coded <- topcode(income ~ age, privacy_data(), top = 1e5)
  label <- guarantee(coded)
  expect_identical(label$label, "none")
  expect_true(all(is.na(label$epsilon$total)))
  expect_output(print(label), "confidential ones")
})

test_that("bad thresholds and variables are refused", {
  data <- privacy_data()
  bad <- function(...) {
    expect_error(topcode(...), class = "pseudosynth_error_input")
  }
  bad(income ~ age, data, top = NA)
  bad(income ~ age, data, top = 10, bottom = 20)
  bad(age ~ income, data, top = 10)
  bad(nothing ~ income, data, top = 10)
  bad(income ~ age, data, top = 10, replace = "median")
})

test_that("a predictor that is no column is refused", {
  expect_error(
    topcode(income ~ nosuch, privacy_data(), top = 1e5),
    class = "pseudosynth_error_input"
  )
})
