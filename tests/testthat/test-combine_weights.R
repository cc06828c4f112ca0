test_that("combined weights are products", {
  fit <- unweighted_fit()
  w <- lipschitz_weights(fit)
  count <- count_weights(fit, radius = 0.2)
  both <- combine_weights(w, count)
  expect_equal(as.numeric(both), as.numeric(w) * as.numeric(count))
  expect_identical(attr(both, "scheme"), "combined")
  expect_identical(attr(both, "arguments")$of, "lipschitz x count")
  expect_identical(attr(both, "source"), "file")
})

test_that("a public scalar scales and keeps the scheme", {
  count <- count_weights(unweighted_fit(), radius = 0.2, shift = 0.5)
  half <- combine_weights(0.5, count)
  expect_equal(as.numeric(half), 0.5 * as.numeric(count))
  expect_identical(attr(half, "scheme"), "count")
  expect_equal(
    attr(half, "arguments")$factor_replace,
    attr(scale_weights(count, 0.5), "arguments")$factor_replace
  )
  scalars <- combine_weights(0.5, as_privacy_weights(0.5, 4))
  expect_identical(attr(scalars, "source"), "public")
  expect_equal(as.numeric(scalars), rep(0.25, 4))
})

test_that("the weakest part decides the source, and costs add up", {
  current <- current_data()
  frozen <- predict(freeze(lipschitz_weights(unweighted_fit())), current)
  public <- predict(
    freeze(lipschitz_weights(unweighted_fit()), "public"), current
  )
  both <- combine_weights(frozen, public)
  expect_identical(attr(both, "source"), "frozen")
  expect_identical(attr(both, "arguments")$history, "confidential")
  expect_identical(
    attr(combine_weights(public, public), "arguments")$history, "public"
  )
  stage <- function(id) {
    new_privacy_weights(
      rep(0.5, 120), "two_stage", list(
        epsilon0 = 0.2, charges = charge(id, "first stage", by_relation(0.2))
      ),
      source = "paid"
    )
  }
  paid <- stage("one")
  # The same first draw is paid once
  expect_equal(
    attr(combine_weights(paid, paid), "arguments")$epsilon0, 0.2
  )
  three <- combine_weights(paid, frozen, stage("another"))
  expect_identical(attr(three, "source"), "paid")
  expect_equal(attr(three, "arguments")$epsilon0, 0.4)
  count <- count_weights("income", current, radius = 0.2)
  expect_identical(attr(combine_weights(three, count), "source"), "file")
  by_hand <- as_privacy_weights(as.numeric(frozen), 120)
  expect_identical(attr(combine_weights(frozen, by_hand), "source"), "user")
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
