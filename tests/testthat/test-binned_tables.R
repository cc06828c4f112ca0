
test_that("tables by curves are sums over records", {
  withr::local_seed(7)
  n <- 500
  codes <- cbind(sample(1:3, n, TRUE), sample(1:5, n, TRUE))
  place <- stats::rnorm(n)
  at <- seq(min(place), max(place), length.out = 30)
  curves <- cbind(sin(at), cos(at))
  share <- apply(curves, 2, function(y) stats::approx(at, y, place)$y)
  found <- curve_tables_(codes, c(3L, 5L), place, range(at), curves)
  expect_equal(found, sums_of_bins(share, codes, c(3L, 5L)))
  # A grid of one place
  same <- curve_tables_(codes, c(3L, 5L), rep(2, n), c(2, 2), curves)
  expect_equal(
    same[[1]], as.vector(outer(tabulate(codes[, 1], 3), curves[1, ]))
  )
})

test_that("tables of an amount start from the block's axes but for its parts", {
  withr::local_seed(8)
  n <- 4000
  g <- sample(c("a", "b", "c"), n, TRUE)
  h <- ifelse(stats::runif(n) < 0.6, g, sample(c("a", "b", "c"), n, TRUE))
  data <- data.frame(
    first = ifelse(
      stats::runif(n) < 0.2, -9, round(exp(4 + (g == "c") + stats::rnorm(n)))
    ),
    second = round(exp(5 + (h == "a") + stats::rnorm(n))), g, h
  )
  plan <- file_plan(data, data.frame(
    column = names(data), type = c("amount", "amount", "category", "category"),
    levels = c("", "", "a|b|c", "a|b|c"), lower = c(1, 1, NA, NA),
    upper = c(1e5, 1e5, NA, NA), codes = c("-9", "", "", ""),
    heaps = c("10", "", "", ""),
    transform = c("log", "log", NA, NA), digits = c(0, 0, NA, NA)
  ))
  release <- file_release(plan, 5, seed = 1)
  axes <- block_axes(release$block)
  # first: code, multiple of 10, other value; g; h
  expect_identical(lengths(release$levels), c(first = 3L, g = 3L, h = 3L))
  one <- release$amounts$first$tables
  expect_null(one$known[[1]])
  expect_identical(one$known[2:3], axes[2:3])
  # Beside them the first amount, in bins
  two <- release$amounts$second$tables
  expect_identical(two$known[1:3], axes)
  expect_null(two$known[[4]])
  expect_length(two$known, 4)
  # What is known changes what noisy tables tell; nothing known does not
  tables <- list(stats::rnorm(36), stats::rnorm(36))
  variance <- c(0.5, 0.5)
  expected <- list(rep(100, 36), rep(100, 36))
  residuals <- lapply(tables, centred_table, levels = c(3, 12))
  plain <- shrunk_tables(residuals, expected, c(3, 3, 12), variance)
  informed <- shrunk_tables(
    residuals, expected, c(3, 3, 12), variance, axes[2:3]
  )
  expect_false(isTRUE(all.equal(plain, informed)))
  expect_equal(
    shrunk_tables(residuals, expected, c(3, 3, 12), variance, list(NULL, NULL)),
    plain
  )
  # A set with uncertainty, too
  sets <- synthesize(release, m = 2, uncertainty = TRUE, seed = 3)
  expect_identical(names(sets[[2]]), names(data))
})

test_that("a file's amount has tables of fewer records than a response", {
  levels <- c(3, 5, 1)
  # 4 levels on average, of two columns
  least <- least_deviations * 4 * sqrt(2) / 0.1
  expect_true(bears_tables(least + 1, levels, 0.1, least_deviations))
  expect_false(bears_tables(least - 1, levels, 0.1, least_deviations))
  expect_false(bears_tables(least + 1, levels, 0.1))
  expect_true(bears_tables(32 / least_deviations * least + 1, levels, 0.1))
  expect_false(bears_tables(1e9, 1, 0.1, least_deviations))
})

test_that("an amount's tables have more bins where more can be told", {
  data <- withr::with_seed(2, data.frame(
    pay = round(stats::rlnorm(6000, 9), 2), g = sample(c("a", "b"), 6000, TRUE)
  ))
  book <- codebook(data.frame(
    column = c("pay", "g"), type = c("amount", "category"),
    levels = c("", "a|b"), lower = c(1, NA), upper = c(1e6, NA),
    digits = c(2, NA), transform = c("log", NA)
  ))
  bins <- function(rows, epsilon) {
    plan <- file_plan(data[seq_len(rows), ], book)
    made <- suppressMessages(file_release(plan, epsilon, seed = 1))
    length(made$amounts$pay$tables$breaks) + 1
  }
  # Half as many as there may be where little can be told
  expect_identical(bins(1000, 1), table_bins / 2)
  expect_gt(bins(6000, 10), 1.5 * table_bins / 2)
  expect_lte(bins(6000, 10), table_bins)
})
