test_that("sums over records equal a matrix product", {
  withr::local_seed(1)
  z <- matrix(sample(-4096:4096, 60, TRUE), 12)
  row <- sample(12, 500, TRUE)
  q <- sample(-1024:1024, 500, TRUE)
  expect_identical(score_sums_(z, row, q, 1024), drop(crossprod(z[row, ], q)))
  # Sums that a running sum of doubles would round
  large <- matrix(2^40 + c(1, 3), 2)
  expect_identical(
    score_sums_(large, c(1L, 2L, 1L), c(1, -1, 1), 1), 2^40 - 1
  )
})

test_that("sums that could be too large, or are none, are refused", {
  one <- matrix(1, 1, 1)
  expect_error(score_sums_(one, c(1L, 1L), c(1, 3), 2), "exceeds its limit")
  expect_error(score_sums_(one, 2L, 1, 2), "no such design row")
  expect_error(score_sums_(one, c(1L, 1L), 1, 2), "differ in length")
  expect_error(score_sums_(one, 1L, 1, 0), "differ in length")
  expect_error(
    score_sums_(matrix(2^50), rep(1L, 5), rep(1, 5), 1), "leave 2\\^52"
  )
  expect_error(
    score_sums_(one, rep(1L, 5), rep(1, 5), 2^50), "leave 2\\^52"
  )
  expect_identical(score_sums_(matrix(2^50), rep(1L, 4), rep(1, 4), 1), 2^52)
})

test_that("design rows are found record by record", {
  withr::local_seed(2)
  data <- data.frame(
    y = 0, a = factor(sample(letters[1:3], 60, TRUE)),
    x = sample(c(0.5, 2), 60, TRUE)
  )
  design <- new_design(y ~ a + x, data, "y")
  parts <- design_parts(design, data)
  found <- design_rows_(c(parts, list(y = numeric(60), alpha = rep(1, 60))))
  x <- dense_design(parts)
  expect_identical(x[found$first[found$row], ], x)
  expect_length(found$first, nrow(unique(x)))
})
