# Kernels of kernel/grid_posterior.hpp and grid_loss.hpp against plain R.

random_grid <- function(G = 1037, V = 5) {
  withr::with_seed(1, list(
    f = matrix(stats::rnorm(G * V, -2, 2), G), start = stats::rnorm(G),
    volume = stats::runif(G, -1, 1)
  ))
}

test_that("sums of clipped terms are those of a plain loop", {
  grid <- random_grid()
  counts <- c(3, 0, 1, -1, 2)
  alpha <- c(1, 1, 0.3, 0.5, 0)
  centre <- c(0, 0, 0.2, -0.1, 0)
  # Weight 0 contributes 0, whatever the density; a density of 0 is clipped
  grid$f[, 5] <- -Inf
  grid$f[7, 1] <- -Inf
  expected <- grid$start
  for (v in c(1, 3, 4)) {
    g <- pmin(pmax(alpha[v] * grid$f[, v] - centre[v], -1), 0.5)
    expected <- expected + counts[v] * g
  }
  found <- grid_sum_(grid$f, grid$start, counts, alpha, centre, -1, 0.5)
  expect_equal(found, expected, tolerance = 1e-13)
  # Not clipped, and the input is left as it was
  free <- grid_sum_(grid$f, grid$start, c(1, 0, 0, 0, 0), alpha, centre,
    -Inf, Inf
  )
  expect_identical(free[7], -Inf)
  expect_equal(free[-7], (grid$start + grid$f[, 1])[-7], tolerance = 1e-13)
  expect_identical(grid$start, random_grid()$start)
})

test_that("the bulk holds its mass and nothing denser is outside", {
  grid <- random_grid()
  for (mass in c(0.5, 0.99, 1 - 1 / 4000)) {
    cells <- grid_bulk_(grid$start, grid$volume, mass)
    p <- exp(grid$start) / sum(exp(grid$start))
    density <- grid$start - grid$volume
    expect_gte(sum(p[cells]), mass)
    expect_gte(min(density[cells]), max(density[-cells]))
    # Bins are 1/64 wide on the log scale
    inner <- cells[density[cells] > min(density[cells]) + 1 / 64]
    expect_lt(sum(p[inner]), mass)
  }
})

test_that("extremes are those of the clipped terms over the cells", {
  grid <- random_grid()
  alpha <- c(1, 0.5, 0, 0.2, 1)
  centre <- c(0, 0.3, 0, 0, -1)
  cells <- c(3L, 500L, 1037L)
  found <- grid_extremes_(grid$f, alpha, centre, -1.5, 1.5, cells)
  g <- vapply(1:5, function(v) {
    range(pmin(pmax(alpha[v] * grid$f[cells, v] - centre[v], -1.5), 1.5))
  }, numeric(2))
  g[, 3] <- 0
  expect_equal(found$min, g[1, ])
  expect_equal(found$max, g[2, ])
})

test_that("losses and delta are those of their definitions", {
  grid <- random_grid()
  x <- grid$start
  y <- grid$start + 0.4 * grid$f[, 1]
  y[11] <- -Inf
  x[11] <- -Inf
  p <- exp(x) / sum(exp(x))
  q <- exp(y) / sum(exp(y))
  r <- log(p / q)[-11]
  claims <- c(0.1, 1)
  found <- grid_loss_(x, y, 1:20, claims)
  expect_equal(found$everywhere, max(abs(r)))
  expect_equal(c(found$lowest, found$highest), range(r))
  expect_equal(found$bulk, max(abs(log(p / q)[c(1:10, 12:20)])))
  delta <- vapply(claims, function(e) {
    max(sum(pmax(p - exp(e) * q, 0)), sum(pmax(q - exp(e) * p, 0)))
  }, 1)
  expect_equal(found$delta, delta)
  # A cell that only one of them can reach
  y[12] <- -Inf
  expect_identical(grid_loss_(x, y, 1:20, 1)$everywhere, Inf)
})

test_that("cells and sizes that do not fit are refused", {
  grid <- random_grid(10, 2)
  expect_error(grid_sum_(grid$f, 1:9, c(1, 1), c(1, 1), c(0, 0), -1, 1))
  expect_error(grid_extremes_(grid$f, c(1, 1), c(0, 0), -1, 1, 11L))
  expect_error(grid_loss_(1:3, 1:4, 1L, 1))
})
