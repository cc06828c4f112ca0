test_that("a record above epsilon / 2 gets weight 0, others keep theirs", {
  fit <- lw_fit()
  alpha <- as.numeric(fit$privacy_weights)
  epsilon <- 2 * sort(fit$bound$record, decreasing = TRUE)[5]
  w <- truncate_weights(fit, epsilon)
  gone <- fit$bound$record > epsilon / 2
  expect_identical(sum(gone), 4L)
  expect_identical(as.numeric(w), ifelse(gone, 0, alpha))
  expect_identical(attr(w, "scheme"), "truncated")
  expect_identical(dependency_of(w)$kind, "other records")
  expect_identical(attr(w, "arguments")$of, "lipschitz")
  expect_identical(attr(w, "arguments")$epsilon, epsilon)
  expect_identical(as.numeric(truncate_weights(fit, 1000)), alpha)
})

test_that("only weighted and converged fits can be truncated", {
  expect_error(
    truncate_weights(unweighted_fit(), 2),
    class = "pseudosynth_error_input"
  )
  for (epsilon in list(0, -1, Inf, NA, "5")) {
    expect_error(
      truncate_weights(lw_fit(), epsilon),
      class = "pseudosynth_error_input"
    )
  }
  fit <- lw_fit()
  fit$converged <- FALSE
  fit$problems <- "R-hat"
  expect_error(truncate_weights(fit, 2), class = "pseudosynth_error_privacy")
  expect_error(truncate_weights(1:3, 2), class = "pseudosynth_error_input")
})

test_that("a target that drops every record is an error", {
  fit <- lw_fit()
  smallest <- min(fit$bound$record[as.numeric(fit$privacy_weights) > 0])
  e <- expect_error(
    truncate_weights(fit, smallest), class = "pseudosynth_error_unreachable"
  )
  expect_s3_class(e, "pseudosynth_error_privacy")
  expect_identical(e$nearest, smallest)
  # One record left is a file, however small
  expect_identical(sum(truncate_weights(fit, 2.0000001 * smallest) > 0), 1L)
})
