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
    score_sums_(one, rep(1L, 5), rep(2^50, 5), 2^50), "leave 2\\^52"
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
  found <- design_rows_(parts)
  x <- dense_design(parts)
  expect_identical(x[found$first[found$row], ], x)
  expect_length(found$first, nrow(unique(x)))
})

test_that("products over design rows are those of the dense design", {
  withr::local_seed(3)
  n <- 80
  data <- data.frame(
    y = 0, a = factor(sample(letters[1:4], n, TRUE)),
    b = factor(sample(c("u", "v"), n, TRUE)),
    x = sample(c(-1, 0.5, 2), n, TRUE)
  )
  for (formula in list(y ~ a * b + x, y ~ a + b, y ~ a - 1, y ~ 1, y ~ x)) {
    parts <- design_parts(new_design(formula, data, "y"), data)
    rows <- distinct_rows(parts)
    expect_identical(rows$count, tabulate(rows$row))
    expect_identical(rows$x[rows$row, , drop = FALSE], dense_design(parts))
    # Weights of either sign
    weight <- stats::rnorm(nrow(rows$x))
    expect_equal(
      design_gram_(rows$products, weight),
      unname(crossprod(rows$x, weight * rows$x))
    )
    a <- crossprod(matrix(stats::rnorm(ncol(rows$x)^2), ncol(rows$x)))
    expect_equal(
      design_forms_(rows$products, a),
      rowSums((rows$x %*% a) * rows$x)
    )
    b <- stats::rnorm(ncol(rows$x))
    expect_equal(design_line_(rows$products, b), drop(rows$x %*% b))
    expect_error(design_line_(rows$products, b[-1]), "number for each column")
    expect_error(design_gram_(rows$products, weight[-1]), "weight for each")
    expect_error(design_forms_(rows$products, rbind(a, a)), "row and a column")
  }
  expect_error(design_products_(parts), "rows that differ")
})

test_that("products of a wide design are the same on any number of threads", {
  withr::local_seed(12)
  levels <- rep(c(19L, 12L, 3L, 2L), 5)
  predictors <- vapply(levels, function(k) sample.int(k, 400, TRUE), 1:400)
  rows <- distinct_rows(predictor_parts(
    predictors, list(levels = levels, baseline = rep(1L, 20))
  ))
  weight <- stats::rnorm(nrow(rows$x))
  gram <- design_gram_(rows$products, weight, 1)
  expect_equal(gram, unname(crossprod(rows$x, weight * rows$x)))
  expect_identical(design_gram_(rows$products, weight, 2), gram)
  b <- stats::rnorm(ncol(rows$x))
  expect_equal(design_line_(rows$products, b), drop(rows$x %*% b))
})

test_that("rows are sorted alike however many codes there are", {
  withr::local_seed(4)
  # Few combinations, more than records, more than 64 bits hold
  for (levels in list(c(3, 2), rep(9, 6), rep(40, 13))) {
    n <- 300
    codes <- vapply(levels, function(k) {
      sample(0:min(k - 1, 3), n, TRUE)
    }, integer(n))
    parts <- list(
      n_columns = as.integer(sum(levels - 1)), intercept = FALSE, codes = codes,
      n_levels = as.integer(levels),
      factor_column = as.integer(cumsum(c(0, levels - 1))[seq_along(levels)]),
      numeric = matrix(0, n, 0), numeric_column = integer()
    )
    found <- design_rows_(parts)
    # Fewer levels first, ties in the order of the file
    sorted <- codes[, order(levels), drop = FALSE]
    expect_identical(order(found$row), do.call(order, as.data.frame(sorted)))
    expect_identical(found$first, match(seq_along(found$first), found$row))
  }
})

test_that("products and covariances' products are those of base R", {
  withr::local_seed(11)
  for (n in c(1, 3, 8, 53)) {
    for (p in c(1, 2, 9)) {
      a <- matrix(stats::rnorm(n * p), n)
      b <- matrix(stats::rnorm(n * (p + 3)), n)
      expect_equal(column_products_(a, b), crossprod(a, b), tolerance = 1e-13)
      s <- crossprod(matrix(stats::rnorm(2 * n * n), 2 * n))
      x <- stats::rnorm(n)
      found <- weighed_products(s, a, x)
      weighed <- solve(s, a)
      expect_equal(found$products, crossprod(a, weighed), tolerance = 1e-8)
      expect_equal(found$with, drop(crossprod(weighed, x)), tolerance = 1e-8)
      expect_identical(found$products, t(found$products))
    }
  }
  # More rows and columns than are multiplied together
  a <- matrix(stats::rnorm(700 * 37), 700)
  b <- matrix(stats::rnorm(700 * 55), 700)
  products <- column_products_(a, b, 1)
  expect_equal(products, crossprod(a, b), tolerance = 1e-13)
  expect_identical(column_products_(a, b, 2), products)
  s <- crossprod(matrix(stats::rnorm(800 * 700), 800))
  found <- weighed_products(s, a, a[, 1])
  expect_equal(found$products, crossprod(a, solve(s, a)), tolerance = 1e-8)
  expect_identical(found$products, t(found$products))
  # Without a Cholesky factor
  s <- diag(c(1, -2))
  found <- weighed_products(s, diag(2), c(1, 1))
  expect_equal(found$products, diag(c(1, -0.5)))
  expect_error(column_products_(a, b[-1, ]), "as many rows")
})
