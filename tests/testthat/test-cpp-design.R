random_spec <- function(n, n_levels, n_numeric, intercept, seed,
                        offset = FALSE) {
  withr::local_seed(seed)
  codes <- vapply(
    n_levels, function(l) sample(l, n, TRUE) - 1L, integer(n)
  )
  x <- matrix(round(rnorm(n * n_numeric), 1), n)
  spec <- core_spec(
    rnorm(n), matrix(codes, n), x,
    intercept = intercept, n_levels = n_levels
  )
  if (offset) spec$offset <- sample(c(0, -1.5, 2), n, TRUE)
  spec
}

# No factor, one, several, more cells than one group holds; a level that no
# record has; numeric columns alone; an offset with few factors, with numbers,
# alone.
specs <- function() {
  list(
    random_spec(40, integer(), 1, TRUE, 1),
    random_spec(40, integer(), 2, FALSE, 2),
    random_spec(40, 3L, 0, TRUE, 3),
    random_spec(40, c(3L, 2L), 0, FALSE, 4),
    random_spec(200, c(8L, 5L, 4L, 5L, 2L, 2L), 0, TRUE, 5),
    random_spec(200, c(30L, 25L, 20L, 11L), 2, TRUE, 6),
    random_spec(200, c(30L, 25L, 20L, 11L), 0, TRUE, 7),
    random_spec(1, c(3L, 2L), 1, TRUE, 8),
    random_spec(300, c(2L, 2L, 2L), 1, FALSE, 9),
    random_spec(200, c(3L, 2L), 0, TRUE, 10, offset = TRUE),
    random_spec(200, c(8L, 5L, 4L, 5L), 2, FALSE, 11, offset = TRUE),
    random_spec(30, integer(), 0, TRUE, 12, offset = TRUE)
  )
}

visit <- function(spec, K, seed = 1) {
  withr::local_seed(seed)
  b <- matrix(rnorm(spec$n_columns * K), ncol = K)
  one <- test_design_(spec, b, matrix(0, 0, 0), 0L, 1)
  n_rows <- nrow(one$matrix)
  d_eta <- matrix(rnorm(n_rows * K), ncol = K)
  some <- sort(sample(n_rows, ceiling(0.6 * n_rows)))
  weight <- runif(length(some))
  list(
    b = b, d_eta = d_eta, some = some, weight = weight, n_rows = n_rows,
    out = test_design_(spec, b, d_eta, some - 1L, weight)
  )
}

test_that("design rows are the distinct rows of the model matrix", {
  for (spec in specs()) {
    out <- visit(spec, 1)$out
    x <- dense_matrix(spec)
    expect_equal(sort(out$order), seq_along(spec$y) - 1L)
    expect_equal(out$matrix[out$row + 1, , drop = FALSE],
      x[out$order + 1, , drop = FALSE]
    )
    expect_equal(nrow(out$matrix), nrow(unique(cbind(x, spec$offset))))
    expect_false(is.unsorted(out$row))
    expect_equal(
      out$row_start,
      c(match(seq_len(nrow(out$matrix)) - 1, out$row) - 1, length(spec$y))
    )
  }
})

test_that("linear predictors and gradients equal the dense products", {
  for (spec in specs()) {
    for (K in c(1, 3, 8)) {
      at <- visit(spec, K)
      start <- if (is.null(spec$offset)) {
        0
      } else {
        spec$offset[at$out$order + 1][at$out$row_start[seq_len(at$n_rows)] + 1]
      }
      expect_equal(
        at$out$eta, start + at$out$matrix %*% at$b,
        tolerance = 1e-13
      )
      expect_equal(
        at$out$gradient, t(crossprod(at$d_eta, at$out$matrix)),
        tolerance = 1e-13
      )
    }
  }
})

test_that("the grouped design equals the dense products", {
  for (spec in specs()) {
    at <- visit(spec, 2, seed = 3)
    x <- at$out$matrix
    some <- x[at$some, , drop = FALSE]
    expect_equal(at$out$grouped_eta, x %*% at$b, tolerance = 1e-13)
    expect_equal(
      at$out$transpose_times, as.numeric(crossprod(some, at$weight)),
      tolerance = 1e-13
    )
    expect_equal(
      at$out$cross_products, crossprod(some, at$weight * some),
      tolerance = 1e-13
    )
  }
})

test_that("sums over no row are 0", {
  for (spec in specs()) {
    b <- matrix(0, spec$n_columns, 1)
    out <- test_design_(spec, b, matrix(0, 0, 0), integer(), numeric())
    expect_equal(out$transpose_times, numeric(spec$n_columns))
    expect_equal(sum(abs(out$cross_products)), 0)
  }
})

test_that("codes and columns out of range are refused", {
  spec <- random_spec(10, 3L, 1, TRUE, 1)
  broken <- function(...) utils::modifyList(spec, list(...))
  run <- function(spec) {
    test_design_(spec, matrix(0, 4, 1), matrix(0, 0, 0), 0L, 1)
  }
  expect_error(run(broken(codes = spec$codes + 1L)), "code out of range")
  expect_error(run(broken(factor_column = 5L)), "columns out of range")
  expect_error(run(broken(numeric_column = 9L)), "column out of range")
  expect_error(run(broken(alpha = rep(2, 10))), "weights")
})
