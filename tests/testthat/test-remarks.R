test_that("collinear predictors are named, and their fit still runs", {
  data <- simulated()
  data$twice <- 2 * data$x + 1
  fit <- quick_fit(y ~ x + group + twice, data, prior = prior_normal())
  expect_true(fit$converged)
  expect_identical(fit$design$aliased, "twice")
  expect_match(
    fit$remarks,
    "Predictors are collinear \\(`twice`\\): the prior alone separates"
  )
  expect_length(fit$problems, 0)
  expect_output(print(fit), "collinear")
})

test_that("columns that only resemble each other are not collinear", {
  data <- simulated(400)
  data$near <- data$x + withr::with_seed(1, stats::rnorm(400, 0, 0.01))
  spec <- quick_fit(y ~ x + near + group, data, draws = 20,
    control = sampler_control(min_ess = 1, max_rhat = 10)
  )$spec
  expect_identical(
    aliased_columns(spec, c("(Intercept)", "x", "near", "b", "c")), character()
  )
})

test_that("aliased columns are those of a rank-revealing decomposition", {
  data <- simulated()
  data$same <- data$group
  data$sum <- data$x + (data$group == "b")
  design <- new_design(y ~ group + x + same + sum, data, "y")
  spec <- design_parts(design, data)
  spec$y <- data$y
  spec$alpha <- rep(1, nrow(data))
  expect_identical(
    aliased_columns(spec, design$columns), c("sameb", "samec", "sum")
  )
})

test_that("a level that no record has is named", {
  data <- simulated()
  data$group <- factor(data$group, c("a", "b", "c", "d"))
  fit <- quick_fit(y ~ group, data)
  expect_match(fit$remarks, "No record that takes part has `groupd`")
  expect_length(fit$design$aliased, 0)
})

test_that("a fit without anything to remark has no remarks", {
  expect_identical(quick_fit()$remarks, character())
  expect_false(any(grepl("Remarks", capture.output(print(quick_fit())))))
})
