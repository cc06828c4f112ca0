test_that("stages made one by one look as those of one call", {
  data <- simulated()
  fit <- quick_fit(data = data)
  lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)
  job <- as_pseudo_posterior(
    synthesize(lw, 2, seed = 3), list(unweighted = fit, lw = lw)
  )
  expect_s3_class(job, "pseudo_posterior")
  expect_identical(job$mechanism, "lw")
  expect_identical(job$stages$stage, c("unweighted", "lw"))
  expect_identical(job$stages$delta[2], lw$bound$overall)
  expect_identical(guarantee(job)$epsilon$total, guarantee(
    lw, 2
  )$epsilon$total[c("replace-one", "add/remove-one")])
  expect_output(print(job), "m = 2 sets")
  for (type in c("bounds", "weights", "density")) {
    expect_no_error(ggplot2::ggplot_build(autoplot(job, type)))
  }
})

test_that("stages that do not belong together are refused", {
  fit <- quick_fit()
  lw <- update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)
  other <- quick_fit(data = simulated(40))
  refuse <- function(...) {
    expect_error(as_pseudo_posterior(...), class = "pseudosynth_error_input")
  }
  set <- synthesize(lw, seed = 1)
  refuse(set, list(fit, lw))
  refuse(set, list(a = fit, a = lw))
  refuse(set, list())
  refuse(set, list(lw = lw$draws))
  refuse(set, list(unweighted = other, lw = lw))
  refuse(set, list(lw = lw, unweighted = fit))
  refuse(set$sets[[1]], list(lw = lw))
  refuse(set, list(lw = lw), margin = 1)
})
