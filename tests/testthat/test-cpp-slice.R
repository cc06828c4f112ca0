slice <- function(what, a = 0, start = 0.5, width = 1, lower = -Inf,
                  upper = Inf, n = 4e4, seed = 1) {
  test_slice_(what, n, seed, a, start, width, lower, upper)
}

test_that("a normal target is met at widths far from its scale", {
  for (width in c(0.1, 1, 30)) {
    expect_law(slice("normal", width = width), qnorm)
  }
})

test_that("bounds are those of a truncated target", {
  truncated <- function(p) qnorm(pnorm(1) + p * (pnorm(2) - pnorm(1)))
  x <- slice("normal", start = 1.5, lower = 1, upper = 2)
  expect_true(all(x > 1 & x < 2))
  expect_law(x, truncated)
  expect_law(slice("uniform", 3, lower = 0, upper = 3), function(p) 3 * p)
  # the target's own edge, where the density falls to 0
  expect_law(slice("uniform", 3, width = 0.7), function(p) 3 * p)
})

test_that("a density with a pole at its bound is met", {
  expect_law(slice("gamma", 0.5, lower = 0), function(p) qgamma(p, 0.5))
  expect_law(slice("gamma", 4, lower = 0), function(p) qgamma(p, 4))
})

test_that("two separate modes get equal shares", {
  x <- slice("two_normals", 8, width = 2)
  expect_truth(1 * (x > 4), 0.5)
  expect_truth(1 * (abs(x - 4) < 4), 0.5)
})
