# A model whose bound is a known function of one weight for all
toy_fit <- function(bound_at, n = 10, alpha = 1, weights = NULL) {
  refit <- function(weights) {
    alpha <- mean(weights)
    record <- c(bound_at(alpha), rep(bound_at(alpha) / 2, n - 1))
    # Most draws say nothing of how the weights come in
    rbind(0 * record, 0 * record, -record / alpha)
  }
  external_fit(refit(alpha), refit = refit, converged = TRUE)
}

test_that("the scalar reaches its target, from any curve", {
  curves <- list(
    function(a) 10 * a, function(a) 10 * sqrt(a), function(a) 10 * a^2,
    function(a) 3 * a + 7 * a^0.2
  )
  for (curve in curves) {
    for (target in c(9, 5, 2.5)) {
      if (curve(1e-6) > target) next
      solved <- solve_weights(toy_fit(curve), target, tolerance = 0.01)
      w <- solved$privacy_weights
      alpha <- attr(w, "arguments")$alpha
      expect_identical(solved$solution$value, alpha)
      expect_lt(abs(curve(alpha) / target - 1), 0.01)
      expect_identical(as.numeric(w), rep(alpha, 10))
      search <- solved$solution$search
      expect_lte(nrow(search), 10)
      expect_equal(search$reached, curve(search$value))
      expect_identical(search$accepted, c(rep(FALSE, nrow(search) - 1), TRUE))
    }
  }
  expect_identical(attr(w, "scheme"), "scalar")
  expect_identical(dependency_of(w)$kind, "other records")
})

test_that("a proportional bound takes one refit", {
  solution <- solve_weights(toy_fit(function(a) 10 * a), 4)$solution
  expect_equal(solution$value, 0.4)
  expect_identical(nrow(solution$search), 1L)
})

test_that("a target that cannot be reached names the nearest that can", {
  error <- expect_error(
    solve_weights(toy_fit(function(a) 10 * a), 20),
    class = "pseudosynth_error_unreachable"
  )
  expect_equal(error$nearest, 10)
  expect_match(conditionMessage(error), "10.0")
  # The bound stays at 4, however small the weight
  error <- expect_error(
    solve_weights(toy_fit(function(a) 4 + 6 * a), 2),
    class = "pseudosynth_error_unreachable"
  )
  expect_equal(error$nearest, 4, tolerance = 0.01)
  expect_match(conditionMessage(error), "nearest")
  expect_s3_class(error$search, "data.frame")
})

test_that("the target may be a fit or a bound", {
  fit <- toy_fit(function(a) 10 * a)
  expect_equal(solve_weights(fit, fit)$solution$value, 1)
  half <- update(fit, privacy_weights = 0.5)
  expect_equal(solve_weights(fit, half)$solution$value, 0.5)
  expect_equal(solve_weights(fit, half$bound)$solution$value, 0.5)
})

test_that("refits of a synthesizer reach the bound", {
  fit <- unweighted_fit()
  target <- lw_fit()$bound$overall
  solved <- solve_weights(fit, lw_fit(), tolerance = 0.05, seed = 3)
  w <- solved$privacy_weights
  expect_lt(attr(w, "arguments")$alpha, 1)
  refit <- update(fit, privacy_weights = w, seed = 4)
  expect_equal(refit$bound$overall, target, tolerance = 0.15)
  expect_identical(mechanism_of(refit), "scalar")
  expect_identical(guarantee(refit)$label, "asymptotic")
})

test_that("scale and shift of other weights are solved for", {
  fit <- unweighted_fit()
  w <- lipschitz_weights(fit)
  solved <- solve_weights(fit, 1.5, w, tolerance = 0.05, seed = 5)
  solution <- solved$solution
  expect_equal(solved$bound$overall, 1.5, tolerance = 0.05)
  expect_equal(
    as.numeric(solved$privacy_weights), solution$value * as.numeric(w)
  )
  expect_identical(solution$reached, solved$bound$overall)
  arguments <- attr(solved$privacy_weights, "arguments")
  expect_true(arguments$solved)
  expect_identical(arguments$of, "lipschitz")
  shifted <- solve_weights(
    fit, 1.3 * lw_fit()$bound$overall, w,
    by = "shift", tolerance = 0.1, seed = 6
  )
  expect_gt(shifted$solution$value, 0)
  expect_equal(
    as.numeric(shifted$privacy_weights),
    pmin(as.numeric(w) + shifted$solution$value, 1)
  )
})

test_that("a scalar reaches a target risk", {
  fit <- unweighted_fit()
  known <- c("age", "earner")
  before <- identification_risk(
    synthesize(fit, 20, seed = 1), fit, known, 0.2
  )$overall[["mean_risk"]]
  solve <- function(seed) {
    solve_weights(
      fit, risk = 0.5 * before, known = known, radius = 0.2, tolerance = 0.2,
      seed = seed
    )$privacy_weights
  }
  w <- solve(7)
  # The sets whose risk is measured are those of the seed
  expect_identical(solve(7), w)
  expect_false(identical(as.double(solve(9)), as.double(w)))
  expect_lt(attr(w, "arguments")$alpha, 0.5)
  refit <- update(fit, privacy_weights = w, seed = 8)
  after <- identification_risk(
    synthesize(refit, 20, seed = 2), fit, known, 0.2
  )$overall[["mean_risk"]]
  expect_lt(after, 0.75 * before)
})

test_that("bad input is a classed error", {
  fit <- toy_fit(function(a) 10 * a)
  refuse <- function(...) {
    expect_error(solve_weights(...), class = "pseudosynth_error_input")
  }
  refuse(fit)
  refuse(fit, 1, risk = 0.1)
  for (target in list(0, -1, Inf, NA, "5", c(1, 2))) refuse(fit, target)
  refuse(fit, 5, tolerance = 0)
  refuse(fit, 5, max_refits = 0)
  # How a risk is measured, without one
  refuse(fit, 5, radius = 0.2)
  refuse(fit, 5, known = "g")
  refuse(fit, 5, m = "a")
  refuse(fit, 5, relative = 0)
  refuse(fit, risk = 0.1, radius = 0.2)
  refuse(unweighted_fit(), risk = 0.1)
  refuse(unweighted_fit(), risk = 1.1, radius = 0.2)
  refuse(lw_fit(), 2)
  expect_error(solve_weights(lw_fit(), 2), class = "pseudosynth_error_input")
  expect_error(
    solve_weights(fit, 2, by = "map"),
    class = "pseudosynth_error_input"
  )
})

# The search -------------------------------------------------------------------

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

test_that("the search never goes halfway twice", {
  # Halfway was tried and was no nearer than the ends
  points <- data.frame(
    value = c(0.2116, 0.0787, 0.0619, 0.0404, 0.05, sqrt(0.05 * 0.0619)),
    reached = c(4.035, 1.818, 1.78, 1.241, 1.2815, 1.264)
  )
  expect_gt(next_value(points, 1.5, c(1e-6, 1), TRUE), 1.01 * points$value[6])
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
    rbind(0, 0, -c(10, 5)),
    refit = function(weights, seed) {
      seeds <<- c(seeds, seed)
      rbind(0, 0, -c(10, 5) * (1 + (length(seeds) == 1)))
    },
    converged = TRUE, seeded = FALSE
  )
  solve_weights(fit, 5, tolerance = 0.2, seed = 7)
  # As Stan takes them: below 2^31
  expect_identical(seeds[1:2], c(
    stage_seed(7, "refit", 1), stage_seed(7, "refit", 2)
  ) %% .Machine$integer.max)
  expect_gt(length(seeds), 1)
  expect_false(anyDuplicated(seeds) > 0)
})
