test_that("risk weights follow the S-curve", {
  data <- awkward_data()
  set <- transform(data, y = y * rep(c(1, 1.1, 2), length.out = nrow(data)))
  risk <- identification_risk(set, data, "a", 0.2, variable = "y")
  w <- risk_weights(set, data, "a", 0.2, variable = "y")
  ir <- risk$record$risk
  c_i <- 0.5 + 1 / (1 + exp(-10 * (ir - 0.5)))
  expect_equal(as.numeric(w), pmax(1 - c_i * ir, 0))
  expect_true(min(as.numeric(w)) < 0.2 && max(as.numeric(w)) == 1)
  expect_identical(attr(w, "scheme"), "risk")
  expect_identical(dependency_of(w)$kind, "other records")
  expect_equal(as.numeric(risk_weights(risk, data)), as.numeric(w))
  flat <- risk_weights(risk, lower = 1, upper = 1)
  expect_equal(as.numeric(flat), 1 - ir)
})

test_that("the curve is the papers' scurve(x, a, start, end)", {
  # As package LS2Wstat defines it
  scurve <- function(x, a = 1, start = 1, end = 2) {
    start + (end - start) / (1 + exp(-a * (20 * x - 10)))
  }
  x <- c(0, 0.1, 0.5, 0.77, 0.9)
  curve_of <- function(...) {
    # Below 1, where the weight is not clamped
    w <- new_risk_weights(x, list(), ..., made_from = NA)
    (1 - as.numeric(w)[-1]) / x[-1]
  }
  for (a in c(0.2, 0.5, 1)) {
    expect_equal(
      curve_of(lower = 0.2, upper = 1.1, slope = 20 * a),
      scurve(x, a, 0.2, 1.1)[-1]
    )
  }
  expect_equal(curve_of(upper = 1), scurve(x, 0.5, 0.5, 1)[-1])
})

test_that("risk weights claim nothing and cannot be frozen", {
  set <- synthesize(unweighted_fit(), 3, seed = 1)
  w <- risk_weights(set, unweighted_fit(), c("age", "earner"), radius = 0.2)
  fit <- update(unweighted_fit(), privacy_weights = w, seed = 2)
  expect_identical(guarantee(fit)$label, "none")
  expect_error(freeze(w), class = "pseudosynth_error_not_freezable")
})

test_that("a curve out of order is refused", {
  data <- awkward_data()
  risk <- identification_risk(data, data, "a", 0.2, variable = "y")
  for (bad in list(
    list(lower = -1), list(lower = 2, upper = 1), list(slope = -1),
    list(mid = NA)
  )) {
    expect_error(
      do.call(risk_weights, c(list(risk), bad)),
      class = "pseudosynth_error_input"
    )
  }
})

test_that("a ball without width is refused before anything is fitted", {
  expect_error(mechanism("risk", radius = 0), class = "pseudosynth_error_input")
  expect_no_error(mechanism("cw", radius = 0))
})
