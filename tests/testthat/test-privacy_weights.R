some_weights <- function() {
  new_privacy_weights(
    c(0, 0.25, 1), "lipschitz", list(map = "linear"),
    made_from = "a file"
  )
}

test_that("weights know their scheme and source", {
  w <- some_weights()
  expect_true(is_privacy_weights(w))
  expect_identical(attr(w, "scheme"), "lipschitz")
  expect_identical(dependency_of(w)$kind, "other records")
  expect_false(is_privacy_weights(c(0, 1)))
})

test_that("every computation on weights gives a plain numeric", {
  w <- some_weights()
  results <- list(
    w[1:2], w[], w * 2, 1 - w, -w, w + w, sqrt(w), round(w), cumsum(w),
    as.numeric(w), as.double(w), c(w, 1), rep(w, 2), rev(w), sort(w), max(w),
    range(w), sum(w), mean(w), pmin(w[], 0.5), w[[2]], head(w, 2),
    ifelse(w > 0, w, 0), unlist(list(w[1], w[2]))
  )
  for (result in results) {
    expect_false(is_privacy_weights(result))
    expect_null(attr(result, "scheme"))
  }
  changed <- w
  changed[1] <- 0.5
  expect_identical(changed, c(0.5, 0.25, 1))
  expect_identical(w * 2, c(0, 0.5, 2))
  expect_identical(w > 0.5, c(FALSE, FALSE, TRUE))
})

test_that("a plain numeric has scheme and source user", {
  w <- as_privacy_weights(c(0.5, 1), 2)
  expect_identical(attr(w, "scheme"), "user")
  expect_identical(dependency_of(w)$kind, "unknown")
  kept <- some_weights()
  expect_identical(as_privacy_weights(kept, 3), kept)
  expect_null(as_privacy_weights(NULL, 3))
})

test_that("values outside [0, 1], missing or miscounted are refused", {
  expect_error(new_privacy_weights(c(0, 1.2), "user", list(), NA),
    class = "pseudosynth_error_input"
  )
  expect_error(as_privacy_weights(c(0, NA), 2),
    class = "pseudosynth_error_input"
  )
  expect_error(as_privacy_weights(c(0, 1), 3),
    class = "pseudosynth_error_input"
  )
  expect_error(as_privacy_weights("a", 1), class = "pseudosynth_error_input")
})

test_that("print and summary count zeros and say where weights come from", {
  w <- some_weights()
  summary <- summary(w)
  expect_identical(summary$zeros, 1L)
  expect_identical(summary$ones, 1L)
  expect_identical(summary$n, 3L)
  expect_output(print(w), "made from the confidential file")
  expect_output(print(w), "1 of weight 0")
  expect_identical(format(w), c("0.00", "0.25", "1.00"))
})

test_that("a public scalar is stated, one number is of unknown origin", {
  w <- as_privacy_weights(public_scalar(0.5), 4)
  expect_identical(attr(w, "scheme"), "public_scalar")
  expect_identical(dependency_of(w)$kind, "own record")
  expect_identical(as.numeric(w), rep(0.5, 4))
  for (unknown in list(0.5, rep(0.5, 4), as.numeric(public_scalar(0.5)))) {
    unknown <- as_privacy_weights(unknown, 4)
    expect_identical(as.numeric(unknown), rep(0.5, 4))
    expect_identical(dependency_of(unknown)$kind, "unknown")
  }
  for (bad in list(-0.1, 1.1, NA_real_, NaN)) {
    expect_error(as_privacy_weights(bad, 4), class = "pseudosynth_error_input")
    expect_error(public_scalar(bad), class = "pseudosynth_error_input")
  }
  fit <- update(
    unweighted_fit(),
    privacy_weights = public_scalar(0.5), seed = 2
  )
  expect_identical(alpha_of(fit), rep(0.5, 150))
  expect_identical(mechanism_of(fit), "public_scalar_weights")
})

test_that("as.numeric() and subsets drop rule and marks of the records", {
  w <- lipschitz_weights(unweighted_fit())
  expect_false(is.null(attr(w, "basis")))
  expect_null(attributes(as.numeric(w)))
  expect_null(attributes(w[1:10]))
  expect_null(attributes(2 * w))
  expect_null(attributes(data.frame(alpha = w)$alpha))
  expect_false(any(grepl("basis|history|hash", capture.output(print(w)))))
})

test_that("several schemes are drawn as violins under distinct names", {
  w <- lipschitz_weights(unweighted_fit())
  figure <- autoplot(w, lw_final_fit()$privacy_weights, w, other = w)
  expect_identical(
    levels(figure$data$scheme), c("LW", "LW_final", "LW (2)", "other")
  )
  expect_silent(ggplot2::ggplot_build(figure))
  expect_match(figure$labels$caption, "not for release")
  expect_error(autoplot(w, 1), class = "pseudosynth_error_input")
})
