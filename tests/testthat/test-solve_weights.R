# Refits needed to reach a target, `NA` if ten do not do.
refits_needed <- function(f, target, start, noise, log = TRUE, limits = c(0, 1),
                          tolerance = 0.02) {
  points <- as.data.frame(NULL)
  value <- start
  for (count in 1:10) {
    reached <- f(value) * exp(noise * stats::rnorm(1))
    if (abs(reached / target - 1) <= tolerance) {
      return(count)
    }
    points <- rbind(points, data.frame(value = value, reached = reached))
    if (is_jump(points, target, log, tolerance)) {
      return(NA)
    }
    value <- clamp(next_value(points, target, limits, log), 1e-6, 1)
  }
  NA
}

curves <- list(
  proportional = function(x) 10 * x, root = function(x) 8 * sqrt(x),
  bent = function(x) 3 * x + 9 * pmax(0, x - 0.4), steep = function(x) 9 * x^4
)

test_that("an exact measure is solved in a few refits", {
  for (f in curves) {
    for (start in c(0.02, 0.3, 0.9)) {
      expect_lte(refits_needed(f, 3, start, noise = 0), 8)
    }
    expect_lte(
      refits_needed(f, 3, 0.1, noise = 0, log = FALSE, limits = c(-1, 1)), 8
    )
  }
})

test_that("noise of the size of the tolerance does not mislead the search", {
  withr::local_seed(1)
  for (f in curves) {
    found <- replicate(200, refits_needed(f, 3, 0.5, noise = 0.025))
    expect_gt(mean(!is.na(found)), 0.94)
  }
})

test_that("a jump over the target ends the search", {
  jump <- function(x) if (x > 0.3) 5 else 1
  withr::local_seed(2)
  expect_identical(refits_needed(jump, 3, 0.5, noise = 0), NA)
  at <- data.frame(value = c(0.3, 0.300001), reached = c(1, 5))
  expect_true(is_jump(at, 3, TRUE, 0.02))
  expect_false(is_jump(
    data.frame(value = c(0.3, 0.300001), reached = c(2.9, 3.1)), 3, TRUE, 0.02
  ))
})

test_that("infinite and zero measures do not stop the search", {
  expect_true(is.finite(next_value(
    data.frame(value = c(1, 0.2), reached = c(Inf, 1)), 3, c(0, 1), TRUE
  )))
  expect_true(is.finite(next_value(
    data.frame(value = c(0.5, 0.01), reached = c(4, 0)), 3, c(0, 1), TRUE
  )))
})

test_that("each refit of a search has noise of its own", {
  seeds <- c()
  fit <- external_fit(
    matrix(-c(10, 5), 1),
    refit = function(weights, seed) {
      seeds <<- c(seeds, seed)
      matrix(-c(10, 5) * (1 + (length(seeds) == 1)), 1)
    },
    converged = TRUE
  )
  solve_weights(fit, 5, tolerance = 0.2, seed = 7)
  expect_identical(seeds[1:2], c(
    stage_seed(7, "refit", 1), stage_seed(7, "refit", 2)
  ))
  expect_gt(length(seeds), 1)
  expect_false(anyDuplicated(seeds) > 0)
})
