test_that("the mechanism must be named", {
  error <- expect_error(
    pseudo_posterior(log(income) ~ age, privacy_data()),
    class = "pseudosynth_error_input"
  )
  expect_match(conditionMessage(error), "lw_final")
  for (mechanism in list("dp", "topcode", c("lw", "lw_final"), 1, NA)) {
    expect_error(
      pseudo_posterior(
        log(income) ~ age, privacy_data(),
        mechanism = mechanism
      ),
      class = "pseudosynth_error_input"
    )
  }
})

test_that("one call gives sets, fits by stage and their table", {
  job <- small_job()
  expect_s3_class(job, "pseudo_posterior")
  expect_s3_class(job$synthetic, "synthetic_data")
  expect_named(job$internal$fits, c("unweighted", "lw", "lw_final"))
  expect_equal(job$m, 3)
  stages <- summary(job)$stages
  expect_identical(stages$stage, c("unweighted", "lw", "lw_final"))
  expect_identical(stages$label, c("none", "asymptotic", "asymptotic"))
  expect_equal(stages$two_delta, 2 * stages$delta)
  expect_true(is.na(stages$epsilon_add_remove[1]))
  expect_equal(stages$epsilon_add_remove[-1], 2 * stages$delta[-1])
  expect_equal(stages$epsilon_replace[-1], 4 * stages$delta[-1])
  expect_equal(stages$alpha_min[1], 1)
})

test_that("the weights lower the bound", {
  stages <- small_job()$stages
  expect_lt(stages$delta[2], stages$delta[1])
})

test_that("the label of the job is that of its sets, with the number", {
  job <- small_job()
  label <- guarantee(job)
  expect_identical(label$mechanism, "lw_final")
  expect_identical(label$what, "synthetic data")
  expect_equal(label$m, 3)
  expect_equal(
    label$epsilon$total[["replace-one"]], 12 * job$stages$delta[3]
  )
  public <- guarantee(job, public = TRUE)
  expect_identical(public, guarantee(job$synthetic))
})

test_that("the one call equals the steps", {
  job <- small_job()
  first <- fit_synthesizer(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 14
  )
  lw <- update(first, privacy_weights = lipschitz_weights(first), seed = 15)
  final <- reweight(lw, k = 0.95, seed = 16)
  syn <- synthesize(final, 3, seed = 17)
  expect_identical(job$internal$fits$lw_final$draws, final$draws)
  expect_identical(job$synthetic, syn)
})

test_that("other mechanisms stop at their stage", {
  job <- suppressMessages(pseudo_posterior(
    log(income) ~ age, privacy_data(), gaussian(),
    prior = prior_normal(), mechanism = "lw", chains = 2, warmup = 200,
    draws = 1000, seed = 1,
    quantile = 0.9, shift = 0.1
  ))
  expect_named(job$internal$fits, c("unweighted", "lw"))
  expect_equal(nrow(job$internal$fits$lw$draws), 1800)
  expect_gte(job$stages$alpha_min[2], 0.1)
  job <- suppressMessages(pseudo_posterior(
    log(income) ~ age, privacy_data(), gaussian(),
    prior = prior_normal(), mechanism = "unweighted", chains = 2, warmup = 200,
    draws = 1000, seed = 1
  ))
  expect_named(job$internal$fits, "unweighted")
  expect_identical(guarantee(job$synthetic)$label, "none")
})

test_that("print and summary show the stages and the label", {
  job <- small_job()
  expect_output(print(job), "lw_final")
  expect_output(print(job), "confidential")
  expect_output(print(summary(job)), "Search for k")
  expect_output(print(summary(job)), "replace-one")
})
