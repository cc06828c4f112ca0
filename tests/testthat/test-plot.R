expect_figure <- function(figure, confidential = TRUE) {
  expect_s3_class(figure, "ggplot")
  expect_silent(built <- ggplot2::ggplot_build(figure))
  expect_gt(nrow(built$data[[1]]), 0)
  caption <- figure$labels$caption
  if (confidential) {
    expect_match(caption, "not for release")
  } else {
    expect_null(caption)
  }
}

test_that("every figure of confidential objects says so", {
  expect_figure(autoplot(unweighted_fit()$bound))
  expect_figure(autoplot(lw_fit()$privacy_weights))
  for (type in c("bounds", "weights", "trace")) {
    expect_figure(autoplot(lw_fit(), type))
  }
  for (type in c("bounds", "weights", "density")) {
    expect_figure(autoplot(small_job(), type))
  }
})

test_that("a figure of synthetic data is not confidential", {
  expect_figure(autoplot(small_job()$synthetic), confidential = FALSE)
})

test_that("plot() draws and returns the figure", {
  withr::local_pdf(NULL)
  expect_s3_class(plot(unweighted_fit()), "ggplot")
  expect_s3_class(plot(unweighted_fit()$bound), "ggplot")
  expect_s3_class(plot(lw_fit()$privacy_weights), "ggplot")
  expect_s3_class(plot(small_job()), "ggplot")
  expect_s3_class(plot(small_job()$synthetic), "ggplot")
})

test_that("an infinite bound is left out and counted", {
  bound <- lipschitz(matrix(c(-1, -2, -3, -Inf, -1, -2), 2))
  figure <- autoplot(bound)
  expect_figure(figure)
  expect_match(figure$labels$subtitle, "1 infinite")
})

test_that("unknown types are refused", {
  expect_error(autoplot(lw_fit(), "pie"), class = "pseudosynth_error_input")
  expect_error(autoplot(small_job(), "pie"), class = "pseudosynth_error_input")
})

test_that("amounts are readable", {
  label <- label_amount("$")
  expect_identical(
    label(c(500, 20000, 1e5, 1.5e6, -300, NA)),
    c("$500", "$20,000", "$100,000", "$1.5 million", "-$300", NA)
  )
  expect_identical(log_breaks(c(900, 120000)), c(1e3, 3e3, 1e4, 3e4, 1e5))
  expect_identical(root_breaks(65)[1], 0)
})

test_that("the figure of weights says how near the bound the records are", {
  fit <- list(
    spec = list(alpha = c(0, 0.5, 0.6, 0.7, 1)),
    bound = list(record = c(9, 9, 8, 7, 1), overall = 10)
  )
  expect_equal(
    flatness_text(fit),
    "Of the records below weight 1 half have at least 80% of the bound"
  )
  fit$spec$alpha <- rep(1, 5)
  expect_equal(flatness_text(fit), "One point is one record")
})
