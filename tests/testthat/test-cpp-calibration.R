# Long: `make test` runs it, R CMD check only where NOT_CRAN is set.
skip_on_cran()

# A small version of `make calibrate`.
expect_calibrated <- function(name, n = 60, ...) {
  spec <- calibration_models()[[name]]
  # By day fewer files and draws, and fewer bins, each as full as at night
  if (!is_nightly()) n <- min(n, 40)
  draws <- by_night(99, 49)
  ranks <- calibration_ranks(spec, n, draws, seed = 7, ...)
  for (q in colnames(ranks)) {
    p <- rank_uniformity(ranks[, q], draws, by_night(10, 5))
    expect_gt(p, 1e-5)
  }
}

test_that("the normal model is calibrated under both priors", {
  expect_calibrated("normal, normal prior", n = 80)
  expect_calibrated("normal, hierarchical prior", n = 80)
})

test_that("the mixture is calibrated", {
  for (name in paste("mixture, K =", by_night(2:3, 2))) {
    expect_calibrated(name, n = 60, warmup = 150, thin = by_night(8, 4))
  }
})

test_that("the families are calibrated under the surrogate sampler", {
  for (name in c(
    "student_t", "poisson", "neg_binomial", "neg_binomial, hierarchical prior",
    "beta", "bernoulli"
  )) {
    expect_calibrated(name, n = 60, warmup = 200, thin = 4)
  }
})

test_that("the families are calibrated under NUTS", {
  all <- c("student_t", "poisson", "neg_binomial", "beta", "bernoulli")
  for (name in by_night(all, c("student_t", "beta"))) {
    expect_calibrated(name, n = 60, warmup = 200, thin = 4, sampler = "nuts")
  }
})

test_that("the samplers are calibrated where all weights are fractions", {
  skip_unless_nightly()
  all <- names(calibration_models())
  for (name in by_night(all, setdiff(all, "mixture, K = 3"))) {
    expect_calibrated(name, n = 40, warmup = 150, thin = 5, shared = TRUE)
  }
  for (name in c("student_t", "neg_binomial")) {
    expect_calibrated(
      name, n = 40, warmup = 150, thin = 3, shared = TRUE, sampler = "nuts"
    )
  }
})

test_that("shared weights leave the posterior as it is", {
  spec <- calibration_models()$student_t
  spec$y <- withr::with_seed(1, rnorm(16))
  shared <- withr::with_seed(2, share_weights(spec))
  expect_true(all(shared$alpha < 1))
  draws <- withr::with_seed(3, random_draws(spec, 3))
  f <- naive_log_lik(shared, draws)
  expect_equal(
    (f %*% shared$alpha)[, 1], rowSums(naive_log_lik(spec, draws))
  )
})
