# The short way of expectations lets nothing pass that testthat would not

test_that("what differs fails, and the message names what was written", {
  one <- 1
  expect_failure(expect_identical(one, 2), "one")
  expect_failure(expect_identical(one, 1L), "one")
  expect_failure(expect_equal(c(a = one), c(b = 1)), "c\\(a = one\\)")
  expect_failure(expect_equal(one, 1.1, tolerance = 0.01), "one")
  expect_failure(expect_true(one), "one")
  expect_failure(expect_true(NA))
  expect_failure(expect_false(is.numeric(one)), "is.numeric\\(one\\)")
  expect_failure(expect_false(NULL))
})

test_that("what testthat takes for the same passes", {
  expect_success(expect_identical(1:2, c(1L, 2L)))
  expect_success(expect_equal(1, 1 + 1e-12))
  expect_success(expect_equal(1, 1.1, tolerance = 0.2))
  expect_success(expect_equal(c(a = 1), 1, ignore_attr = TRUE))
  expect_success(expect_true(c(a = TRUE)))
  expect_success(expect_false(c(a = FALSE)))
})

test_that("a label of the test's own is kept", {
  expect_failure(expect_identical(1, 2, label = "the first"), "the first")
  expect_failure(expect_true(FALSE, label = "the flag"), "the flag")
})
