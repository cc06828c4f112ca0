bound_of <- function(record) {
  lipschitz(matrix(-record, nrow = 1))
}

test_that("the four maps follow their formulas", {
  delta <- c(1, 2, 3, 7)
  linear <- lipschitz_weights(bound_of(delta))
  expect_equal(as.numeric(linear), 1 - (delta - 1) / 6)
  inverse <- lipschitz_weights(bound_of(delta), map = "inverse")
  expect_equal(as.numeric(inverse), 1 / delta)
  # One over the bound, of any constant, up to 1
  bound <- bound_of(delta + 1)
  inverse <- lipschitz_weights(
    bound, scale = 3.5 / min(bound$record), map = "inverse"
  )
  expect_equal(as.numeric(inverse), c(1, 1, 3.5 / 4, 3.5 / 8))
  expect_identical(
    as.numeric(lipschitz_weights(bound_of(c(0, 0, 2)), map = "inverse")),
    c(1, 1, 0)
  )
  softmax <- lipschitz_weights(bound_of(delta), map = "softmax")
  expect_equal(
    as.numeric(softmax),
    1 - 1 / (1 + exp(-1.69897 * (delta - mean(delta)) / sd(delta)))
  )
  # As the help page says of the constants
  standard <- list(min = -9, max = 9, mean = 0, sd = 1)
  at_one <- relative_risk(1, "softmax", standard)
  expect_equal(at_one, 0.85, tolerance = 0.01)
  expect_equal(log10(50), 1.69897, tolerance = 1e-6)
  expect_equal(relative_risk(4.4, "logistic", bound_range(c(1, 9))), 0.8,
    tolerance = 0.01
  )
  logistic <- lipschitz_weights(bound_of(delta), map = "logistic")
  expect_equal(as.numeric(logistic), 1 - (2 / (1 + exp(-0.5 * delta)) - 1))
  expect_identical(attr(linear, "scheme"), "lipschitz")
  expect_identical(dependency_of(linear)$kind, "other records")
})

test_that("scale and shift act before the clamp", {
  w <- lipschitz_weights(bound_of(c(1, 2, 3)), scale = 0.5, shift = 0.6)
  expect_equal(as.numeric(w), c(1, 0.85, 0.6))
  w <- lipschitz_weights(bound_of(c(1, 2, 3)), scale = 1, shift = -0.5)
  expect_equal(as.numeric(w), c(0.5, 0, 0))
})

test_that("equal bounds give no record any relative risk", {
  for (map in c("linear", "inverse", "softmax", "logistic")) {
    w <- lipschitz_weights(bound_of(c(2, 2, 2)), map = map)
    expect_equal(as.numeric(w), c(1, 1, 1))
  }
  expect_equal(as.numeric(lipschitz_weights(bound_of(3))), 1)
  # A frozen rule can meet other bounds than the only one of its history
  range <- bound_range(c(2, 2))
  expect_identical(relative_risk(c(1, 2, 2.5), "linear", range), c(0, 0, 1))
})

test_that("a record with an infinite bound gets 0 and takes no other part", {
  finite <- c(1, 2, 3, 7)
  for (map in c("linear", "inverse", "softmax", "logistic")) {
    for (scale in c(0, 1)) {
      with <- lipschitz_weights(
        bound_of(c(finite, Inf)),
        map = map, scale = scale, shift = 0.1
      )
      without <- lipschitz_weights(
        bound_of(finite),
        map = map, scale = scale, shift = 0.1
      )
      expect_identical(as.numeric(with), c(as.numeric(without), 0))
    }
  }
})

test_that("matrix, bound and fit give the same weights", {
  fit <- unweighted_fit()
  from_fit <- lipschitz_weights(fit)
  from_bound <- lipschitz_weights(fit$bound)
  expect_identical(as.numeric(from_bound), as.numeric(from_fit))
  expect_identical(
    attr(from_bound, "arguments"), attr(from_fit, "arguments")
  )
  from_matrix <- lipschitz_weights(log_lik_(fit$spec, fit$draws))
  expect_equal(as.numeric(from_matrix), as.numeric(from_fit))
  expect_equal(range(as.numeric(from_fit)), c(0, 1))
})

test_that("a weighted fit is refused", {
  expect_error(lipschitz_weights(lw_fit()), class = "pseudosynth_error_input")
  expect_error(lipschitz_weights(lw_fit()$bound),
    class = "pseudosynth_error_input"
  )
})

test_that("a fit that has not converged is refused unless allowed", {
  fit <- unweighted_fit()
  fit$converged <- FALSE
  fit$problems <- "R-hat"
  expect_error(lipschitz_weights(fit), class = "pseudosynth_error")
  w <- lipschitz_weights(fit, allow_unconverged = TRUE)
  expect_true(is_privacy_weights(w))
})

test_that("arguments out of range are refused", {
  bound <- bound_of(1:3)
  expect_error(lipschitz_weights(bound, scale = -1),
    class = "pseudosynth_error_input"
  )
  expect_error(lipschitz_weights(bound, shift = NA),
    class = "pseudosynth_error_input"
  )
  expect_error(lipschitz_weights(bound, map = "cubic"),
    class = "pseudosynth_error_input"
  )
})
