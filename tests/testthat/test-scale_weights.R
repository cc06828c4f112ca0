lw_weights <- function() lw_fit()$privacy_weights

test_that("weights are clamp(c1 alpha + c2)", {
  w <- lw_weights()
  scaled <- scale_weights(w, 0.8, 0.3)
  expect_equal(as.numeric(scaled), pmin(0.8 * as.numeric(w) + 0.3, 1))
  expect_equal(as.numeric(scale_weights(w, 1, -0.2)), pmax(w - 0.2, 0))
  expect_identical(attr(scaled, "scheme"), "scaled")
  expect_identical(attr(scaled, "arguments")$of, "lipschitz")
  expect_identical(dependency_of(scaled)$kind, "other records")
})

test_that("scaled count weights are count weights with other c and g", {
  data <- awkward_data()
  w <- count_weights("y", data, 0.2, scale = 0.5, shift = 0.4)
  scaled <- scale_weights(w, 0.8, 0.1)
  again <- count_weights("y", data, 0.2, scale = 0.4, shift = 0.42)
  expect_equal(as.numeric(scaled), as.numeric(again))
  expect_equal(attr(scaled, "arguments"), attr(again, "arguments"))
  expect_identical(attr(scaled, "scheme"), "count")
})

test_that("the factors hold where the clamp has worked before", {
  data <- awkward_data(25)
  for (case in list(c(1, 0.8, 0.5, 0.1), c(1, -0.3, 1, 0.2))) {
    make <- function(data) {
      scale_weights(
        count_weights("y", data, 0.2, scale = case[1], shift = case[2]),
        case[3], case[4]
      )
    }
    w <- as.numeric(make(data))
    for (i in 1:25) {
      v <- make(data[-i, ])
      sum_rho <- sum(1 - pmin(w[-i], as.numeric(v)) /
        pmax(w[-i], as.numeric(v)))
      expect_lte(1 + sum_rho, attr(v, "arguments")$factor_add_remove + 1e-12)
    }
  }
})

test_that("weights that depend on the record alone stay so", {
  frozen <- predict(freeze(lw_weights()), current_data())
  scaled <- scale_weights(frozen, 0.5)
  expect_identical(dependency_of(scaled)$kind, "own record")
  expect_identical(attr(scaled, "scheme"), "frozen")
  expect_identical(attr(scaled, "arguments")$history, "confidential")
  scalar <- as_privacy_weights(scale_weights(public_scalar(0.5), 0.5, 0.1), 3)
  expect_identical(dependency_of(scalar)$kind, "own record")
  expect_equal(attr(scalar, "arguments")$alpha, 0.35)
  expect_equal(as.numeric(scalar), rep(0.35, 3))
})

# Count weights with a floor are strict when clipped; what is computed from them
# with the file's help must not be
test_that("no detour makes strict weights of what was solved or re-weighted", {
  fit <- unweighted_fit()
  count <- count_weights(fit, radius = 0.2, scale = 0.5, shift = 0.5)
  cw <- update(fit, privacy_weights = count, seed = 3)
  raised <- reweighted_weights(cw, 0.95)
  solved <- solve_weights(fit, 1.5, count, tolerance = 0.2, seed = 1)
  expect_null(attr(solved$privacy_weights, "arguments")$scale)
  expect_null(attr(raised, "arguments")$factor_add_remove)
  derived <- list(
    raised, scale_weights(raised, 0.9), scale_weights(raised, 0.9, 0.1),
    truncate_weights(cw, 4), scale_weights(truncate_weights(cw, 4), 0.5, 0.2),
    solved$privacy_weights, scale_weights(solved$privacy_weights, 0.9, 0.1),
    combine_weights(count, count), combine_weights(count, raised),
    combine_weights(public_scalar(0.5), raised),
    solve_weights(fit, 2, tolerance = 0.2)$privacy_weights
  )
  rule <- vapply(derived, function(w) dependency_of(w)$kind, "")
  expect_identical(rule, rep("other records", length(derived)))
  by_hand <- as_privacy_weights(as.numeric(count), 150)
  expect_identical(dependency_of(by_hand)$kind, "unknown")
  expect_identical(
    dependency_of(combine_weights(count, by_hand))$kind, "unknown"
  )
  expect_identical(dependency_of(count)$kind, "bounded")
  expect_identical(dependency_of(scale_weights(count, 0.5))$kind, "bounded")
  half <- combine_weights(public_scalar(0.5), count)
  expect_identical(dependency_of(half)$kind, "bounded")
})

test_that("bad input is a classed error", {
  expect_error(scale_weights(c(0.5, 1)), class = "pseudosynth_error_input")
  w <- lw_weights()
  expect_error(scale_weights(w, -1), class = "pseudosynth_error_input")
  expect_error(scale_weights(w, 1, NA), class = "pseudosynth_error_input")
})
