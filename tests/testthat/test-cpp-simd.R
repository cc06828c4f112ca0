# 0 is the lane count this machine dispatches to; NULL where it has fewer.
for_lane_counts <- function(what, x, check) {
  for (lanes in c(0, 2, 4, 8)) {
    y <- test_simd_(what, lanes, x)
    if (!is.null(y)) check(y)
  }
}

test_that("exp agrees with base R to two roundings at every lane count", {
  x <- c(seq(-708, 700, length.out = 20011), 0, -1e-300, 1e-17, log(2) / 2)
  for_lane_counts("exp", x, function(y) {
    expect_lt(max(abs(y / exp(x) - 1)), 5e-16)
  })
})

test_that("exp stops falling at exp(-708) and keeps NaN", {
  for_lane_counts("exp", c(-709, -1e4, -Inf, NaN), function(y) {
    expect_equal(y[1:3], rep(exp(-708), 3))
    expect_true(is.nan(y[4]))
  })
})

test_that("log agrees with base R to one rounding at every lane count", {
  x <- c(
    10^seq(-307, 308, length.out = 20011), seq(0.5, 2, length.out = 20011),
    1, .Machine$double.xmin, .Machine$double.xmax
  )
  truth <- log(x)
  for_lane_counts("log", x, function(y) {
    expect_lt(max(abs(y - truth) / pmax(abs(truth), 1e-300)), 4.5e-16)
    expect_identical(y[x == 1], rep(0, sum(x == 1)))
  })
})

test_that("log keeps NaN", {
  for_lane_counts("log", c(1, NaN, NA, 2), function(y) {
    expect_identical(is.nan(y) | is.na(y), c(FALSE, TRUE, TRUE, FALSE))
  })
})
