skip_if_not_installed("bayesplot")

test_that("pp_check() is bayesplot's generic with a method for fits", {
  fit <- quick_fit()
  expect_s3_class(pp_check(fit, n_draws = 5, seed = 1), "ggplot")
  expect_s3_class(bayesplot::pp_check(fit, n_draws = 5, seed = 1), "ggplot")
  expect_match(
    pp_check(fit, n_draws = 5, seed = 1)$labels$caption, "not for release"
  )
})

test_that("the type follows the response", {
  expect_identical(pp_type(quick_fit()), "dens_overlay")
  fit <- list(spec = list(y = c(0, 1)), family = bernoulli())
  expect_identical(pp_type(fit), "bars")
  fit <- list(spec = list(y = 0:9), family = neg_binomial())
  expect_identical(pp_type(fit), "bars")
  fit$spec$y <- 1:200
  expect_identical(pp_type(fit), "ecdf_overlay")
})

test_that("it is drawn on the model's scale or the variable's", {
  data <- transform(simulated(), y = round(exp(y), 1))
  fit <- quick_fit(log(y) ~ group, data)
  figure <- pp_check(fit, n_draws = 10, seed = 1)
  expect_identical(figure$labels$x, "log(y)")
  shown <- figure$data
  expect_equal(sort(unique(shown$value[shown$is_y])), sort(unique(log(data$y))))
  figure <- pp_check(fit, n_draws = 10, seed = 1, scale = "response")
  expect_identical(figure$labels$x, "y")
  shown <- figure$data
  expect_equal(sort(unique(shown$value[shown$is_y])), sort(unique(data$y)))
})

test_that("arguments reach bayesplot, and bad ones are refused", {
  fit <- quick_fit()
  expect_s3_class(pp_check(fit, "stat", stat = "max", seed = 1), "ggplot")
  expect_refused(pp_check(fit, "pie"), "There is no `ppc_pie\\(\\)`")
  expect_refused(pp_check(fit, n_draws = 0), "`n_draws`")
  expect_refused(pp_check(fit, n_draws = 1e5), "`n_draws`")
  expect_refused(pp_check(fit, scale = "log"), "`scale`")
  expect_refused(pp_check(), "`object` must be given")
  expect_refused(pp_check("a"), "must be a <synthesizer> object")
  expect_refused(pp_check(student_t()), "must be a <synthesizer> object")
})

test_that("checks have the look of our figures, answers at 0 and 1 alone", {
  skip_if_not_installed("bayesplot")
  fit <- quick_fit(z ~ x, transform(simulated(), z = y > 2), bernoulli())
  figure <- pp_check(fit, seed = 1)
  expect_identical(figure$theme$legend.position, "top")
  expect_identical(
    figure$theme$plot.caption$hjust, theme_pseudosynth()$plot.caption$hjust
  )
  breaks <- ggplot2::layer_scales(figure)$x$get_breaks()
  expect_equal(breaks[!is.na(breaks)], c(0, 1))
})
