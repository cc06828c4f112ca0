test_that("sdr_salary is the published frequency table, row by row", {
  expect_identical(dim(sdr_salary), c(74429L, 1L))
  expect_type(sdr_salary$salary, "integer")
  count <- function(value) sum(sdr_salary$salary == value)
  expect_identical(count(0), 426L)
  expect_identical(count(1000), 184L)
  expect_identical(count(509000), 862L)
  expect_identical(max(sdr_salary$salary), 509000L)
  expect_true(all(sdr_salary$salary %% 1000 == 0))
  expect_identical(round(mean(sdr_salary$salary)), 107244)
  expect_identical(stats::median(sdr_salary$salary), 95000L)
})

test_that("the first rows of sdr_salary are a random sample", {
  first <- head(sdr_salary$salary, 1000)
  error <- stats::sd(sdr_salary$salary) / sqrt(1000)
  expect_lt(abs(mean(first) - mean(sdr_salary$salary)), 3 * error)
})

test_that("sdr_simulated meets the paper's Table 2", {
  expect_identical(dim(sdr_simulated), c(1601L, 4L))
  salary <- sdr_simulated$salary
  expect_identical(round(mean(salary)), 91019)
  expect_identical(
    unname(stats::quantile(salary, c(0.15, 0.5, 0.9))), c(51000, 80000, 150000)
  )
  expect_identical(nlevels(sdr_simulated$age), 9L)
  expect_identical(levels(sdr_simulated$gender), c("female", "male"))
  expect_true(all(sdr_simulated$weeks >= 2 & sdr_simulated$weeks <= 52))
  expect_true(all(salary > 0))
})

test_that("sdr_simulated has the codebook's margins", {
  # shares of the codebook, within the error of 1,601 independent draws
  near <- function(share, expected) {
    error <- sqrt(expected * (1 - expected) / 1601)
    expect_lt(max(abs(share - expected) / error), 4)
  }
  near(mean(sdr_simulated$gender == "female"), 35326 / 85739)
  ages <- c(9153, 12544, 10809, 9945, 9401, 9158, 8719, 7706, 7446)
  near(as.vector(table(sdr_simulated$age)) / 1601, ages / sum(ages))
})

test_that("salary of sdr_simulated depends on the predictors", {
  model <- stats::lm(log(salary) ~ gender + age + weeks, sdr_simulated)
  expect_gt(summary(model)$r.squared, 0.1)
})
