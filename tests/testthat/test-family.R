input_error <- "pseudosynth_error_input"

test_that("base R's gaussian is accepted as object, function and name", {
  for (given in list(gaussian(), gaussian, "gaussian")) {
    family <- as_synth_family(given)
    expect_s3_class(family, "synth_family")
    expect_identical(family$likelihood, "gaussian")
    expect_identical(family$K, 1L)
  }
})

test_that("our families are accepted as object, function and name", {
  expect_true(as_synth_family(lognormal)$log_response)
  expect_true(as_synth_family("lognormal")$log_response)
  expect_identical(as_synth_family(normal_mixture)$K, 10L)
  expect_identical(as_synth_family(normal_mixture(3))$K, 3L)
  expect_identical(as_synth_family(normal_mixture(3))$sigma_floor, 0.3)
})

test_that("other families and links are refused", {
  family <- poisson()
  expect_error(as_synth_family(family), class = input_error)
  family <- gaussian("log")
  expect_error(as_synth_family(family), class = input_error)
  family <- "poisson"
  expect_error(as_synth_family(family), class = input_error)
  family <- 1
  expect_error(as_synth_family(family), class = input_error)
})

test_that("normal_mixture() refuses a bad K and a floor of 0", {
  expect_error(normal_mixture(0), class = input_error)
  expect_error(normal_mixture(1.5), class = input_error)
  expect_error(normal_mixture(2, sigma_floor = 0), class = input_error)
  expect_error(normal_mixture(2, sigma_floor = Inf), class = input_error)
})

test_that("a family prints as the user writes it", {
  expect_identical(format(lognormal()), "lognormal()")
  expect_identical(
    format(normal_mixture(5)), "normal_mixture(K = 5, sigma_floor = 0.3)"
  )
  expect_output(print(normal_mixture(5)), "5 normal regressions")
  expect_output(print(lognormal()), "log of the response")
})
