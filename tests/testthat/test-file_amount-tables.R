
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
