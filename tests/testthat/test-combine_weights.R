test_that("combined weights are products", {
  fit <- unweighted_fit()
  w <- lipschitz_weights(fit)
  count <- count_weights(fit, radius = 0.2)
  both <- combine_weights(w, count)
  expect_equal(as.numeric(both), as.numeric(w) * as.numeric(count))
  expect_identical(attr(both, "scheme"), "combined")
  expect_identical(attr(both, "arguments")$of, "lipschitz x count")
  expect_identical(dependency_of(both)$kind, "other records")
})

test_that("a public scalar scales and keeps the scheme", {
  count <- count_weights(unweighted_fit(), radius = 0.2, shift = 0.5)
  half <- combine_weights(public_scalar(0.5), count)
  expect_equal(as.numeric(half), 0.5 * as.numeric(count))
  expect_identical(attr(half, "scheme"), "count")
  expect_equal(
    attr(half, "arguments")$factor_replace,
    attr(scale_weights(count, 0.5), "arguments")$factor_replace
  )
  scalars <- combine_weights(
    public_scalar(0.5), as_privacy_weights(public_scalar(0.5), 4)
  )
  expect_identical(dependency_of(scalars)$kind, "own record")
  expect_equal(as.numeric(scalars), rep(0.25, 4))
})

test_that("the weakest part decides the source, and costs add up", {
  current <- current_data()
  frozen <- predict(freeze(lipschitz_weights(unweighted_fit())), current)
  public <- predict(
    freeze(lipschitz_weights(unweighted_fit()), "public"), current
  )
  both <- combine_weights(frozen, public)
  expect_identical(dependency_of(both)$kind, "own record")
  expect_identical(dependency_of(both)$history, "confidential")
  expect_identical(
    dependency_of(combine_weights(public, public))$history, "public"
  )
  count <- count_weights("income", current, radius = 0.2)
  expect_identical(
    dependency_of(combine_weights(both, count))$kind, "other records"
  )
  by_hand <- as_privacy_weights(as.numeric(frozen), 120)
  expect_identical(
    dependency_of(combine_weights(frozen, by_hand))$kind, "unknown"
  )
  # A bare number may be the mean of confidential weights
  expect_identical(dependency_of(combine_weights(0.5, frozen))$kind, "unknown")
})

test_that("two first stages are both paid, the same one once", {
  paid <- function(id) paid_by(0.2, id)
  cost <- function(...) {
    charges <- dependency_of(combine_weights(...))$charges
    total_charges(charges)$epsilon[["add-remove"]]
  }
  expect_equal(cost(paid("x"), paid("y")), 0.4)
  expect_equal(cost(paid("x"), paid("y"), paid("x")), 0.4)
  expect_equal(cost(paid("x"), paid("x")), 0.2)
})

test_that("parts of other records or lengths are refused", {
  w <- lipschitz_weights(unweighted_fit())
  expect_error(combine_weights(w), class = "pseudosynth_error_input")
  expect_error(combine_weights(w, rep(1, 7)), class = "pseudosynth_error_input")
  expect_error(combine_weights(w, 2), class = "pseudosynth_error_input")
  turned <- count_weights("income", privacy_data()[150:1, ], radius = 0.2)
  expect_error(
    combine_weights(w, turned),
    class = "pseudosynth_error_other_records"
  )
})

test_that("one seeded part marks the product as reproducible", {
  plain <- paid_by(0.5)
  seeded <- paid_by(0.5, "another draw", reproducible = TRUE)
  expect_false(is_reproducible(node_of(combine_weights(plain, plain))))
  for (parts in list(list(plain, seeded), list(seeded, plain))) {
    product <- do.call(combine_weights, parts)
    expect_true(is_reproducible(node_of(product)))
    expect_true(dependency_of(product)$reproducible)
  }
})
