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
  expect_true(is.na(stages$epsilon_add_remove[1]))
  expect_equal(stages$epsilon_add_remove[-1], 2 * stages$lipschitz_bound[-1])
  expect_equal(stages$epsilon_replace[-1], 4 * stages$lipschitz_bound[-1])
  expect_equal(stages$alpha_min[1], 1)
})

test_that("the weights lower the bound", {
  stages <- small_job()$stages
  expect_lt(stages$lipschitz_bound[2], stages$lipschitz_bound[1])
})

test_that("the label of the job is that of its sets, with the number", {
  job <- small_job()
  label <- guarantee(job)
  expect_identical(label$mechanism, "lw_final")
  expect_identical(label$what, "synthetic data")
  expect_equal(label$m, 3)
  expect_equal(
    label$epsilon$total[["replace"]], 12 * job$stages$lipschitz_bound[3]
  )
  public <- guarantee(job, public = TRUE)
  expect_identical(public, guarantee(job$synthetic))
})

test_that("the one call equals the steps", {
  job <- small_job()
  first <- fit_synthesizer(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    prior = prior_normal(), chains = 2, warmup = 200, draws = 1000,
    seed = stage_seed(14, "unweighted")
  )
  lw <- update(
    first,
    privacy_weights = lipschitz_weights(first),
    seed = stage_seed(14, "weighted")
  )
  final <- reweight(lw, k = 0.95, seed = stage_seed(14, "reweight"))
  syn <- synthesize(final, 3, seed = stage_seed(14, "sets"))
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
  expect_output(print(summary(job)), "replace")
})

# Every mechanism --------------------------------------------------------------

# The first argument must not be one that `m` abbreviates
quick_job <- function(how, ..., seed = 21) {
  suppressWarnings(suppressMessages(pseudo_posterior(
    log(income) ~ age + earner, privacy_data(), gaussian(),
    mechanism = how, ..., chains = 2, warmup = by_night(500, 200),
    draws = by_night(2000, 700), seed = seed, threads = 1
  )), classes = "pseudosynth_warning_convergence")
}

public <- list("(Intercept)" = 10.8, sigma = 1)

test_that("the one-call strict job meets epsilon exactly", {
  job <- quick_job(
    "centred",
    epsilon = 6, m = 3, reference = public, bounds = c(10, 2e6)
  )
  label <- guarantee(job)
  expect_identical(label$label, "strict")
  expect_equal(label$epsilon$total[["add-remove"]], 6, tolerance = 1e-12)
  expect_equal(label$epsilon$one_off[["add-remove"]], 2.4)
  expect_equal(label$epsilon$per_draw[["add-remove"]], 1.2)
  expect_equal(label$epsilon$total[["replace"]], 12)
  expect_named(job$internal$fits, "centred")
  fit <- job$internal$fits$centred
  expect_equal(fit$prior, prior_normal(1, c(10.8, 2.5)))
  expect_equal(fit$censor$upper, 0.6)
  expect_identical(guarantee(job$synthetic)$epsilon, label$epsilon)
  expect_output(print(job), "ratio to a reference, calibrated")
  expect_equal(job$stages$epsilon_add_remove, 1.2)
})

test_that("replace totals are met exactly too", {
  job <- quick_job(
    "centred",
    epsilon = 8, reference = public, bounds = c(10, 2e6), margin_share = 0.5,
    neighbours = "replace"
  )
  label <- guarantee(job)
  expect_equal(label$epsilon$total[["replace"]], 8)
  expect_equal(label$epsilon$total[["add-remove"]], 4)
  expect_equal(job$internal$margin$epsilon, 4)
})

test_that("clipped mechanisms carry their labels", {
  # Clipped hard without a centre, the posterior of few records falls apart
  prior <- prior_normal(1, c(10.8, 2.5))
  uw <- quick_job("censor_uw", epsilon = 24, m = 2, prior = prior)
  expect_identical(guarantee(uw)$label, "strict")
  expect_equal(guarantee(uw)$epsilon$total[["add-remove"]], 24)
  expect_equal(uw$internal$fits$censor_uw$censor$lower, -6)

  w <- quick_job("censor_w", epsilon = 12, prior = prior)
  expect_named(w$internal$fits, c("unweighted", "censor_w"))
  expect_identical(guarantee(w)$label, "asymptotic")
  expect_identical(guarantee(w)$mechanism, "censor_w")

  history <- privacy_data(400)[151:400, ]
  first <- quick_fit(log(income) ~ age + earner, history,
    prior = prior_normal(), draws = 1000
  )
  rule <- freeze(lipschitz_weights(first))
  frozen <- quick_job("frozen", epsilon = 12, rule = rule, prior = prior)
  expect_identical(guarantee(frozen)$label, "strict")
  expect_match(
    paste(guarantee(frozen)$reasons, collapse = " "), "label of its own"
  )

  skip_unless_nightly()
  staged <- quick_job("two_stage",
    epsilon = 30, m = 2, weight_range = c(1, 6), prior = prior
  )
  label <- guarantee(staged)
  expect_identical(label$label, "strict")
  expect_equal(label$epsilon$one_off[["add-remove"]], 6)
  expect_equal(label$epsilon$total[["add-remove"]], 30)
})

test_that("two stages around a reference reach a strict epsilon", {
  skip_unless_nightly()
  staged <- quick_job("two_stage",
    epsilon = 4, weight_range = c(1, 6),
    reference = list("(Intercept)" = 10.8, sigma = 1)
  )
  fit <- staged$internal$fits$two_stage
  expect_identical(format(fit$censor$reference), format(as_reference(
    list("(Intercept)" = 10.8, sigma = 1)
  )))
  expect_equal(fit$prior, prior_normal(1, c(10.8, 2.5)))
  label <- guarantee(staged)
  expect_identical(label$label, "strict")
  expect_identical(label$mechanism, "two_stage")
  expect_equal(label$epsilon$one_off[["add-remove"]], 0.8)
  expect_equal(label$epsilon$total[["add-remove"]], 4)
})

test_that("weighted mechanisms are solved to their target", {
  for (mechanism in c("lw", "scalar")) {
    job <- quick_job(mechanism,
      epsilon = 6, m = 2, prior = prior_normal(), tolerance = 0.1
    )
    label <- guarantee(job)
    expect_identical(label$label, "asymptotic")
    # The refit that reached the target is the one released from
    expect_equal(
      label$epsilon$total[["add-remove"]], 6,
      tolerance = 0.1001
    )
    expect_identical(label$mechanism, mechanism)
    expect_match(label$public_inputs[["weights"]], "not public")
  }
})

test_that("count, truncated and risk weights run", {
  cw <- quick_job("cw",
    radius = 0.3, scale = 0.5, shift = 0.2, prior = prior_normal()
  )
  expect_identical(guarantee(cw)$mechanism, "cw")
  expect_identical(guarantee(cw)$label, "asymptotic")
  risk <- quick_job("risk",
    radius = 0.3, prior = prior_normal(), risk_sets = 5
  )
  expect_identical(guarantee(risk)$label, "none")
  plain <- quick_job("lw", prior = prior_normal())
  target <- 0.95 * guarantee(plain)$epsilon$total[["add-remove"]]
  dropped <- quick_job("weighted_e",
    epsilon = target, prior = prior_normal(), tolerance = 0.05
  )
  expect_identical(guarantee(dropped)$mechanism, "weighted_e")
  expect_lte(
    guarantee(dropped)$epsilon$total[["add-remove"]], 1.05 * target
  )
})

test_that("a target that cannot be reached names the nearest that can", {
  error <- expect_error(
    quick_job("scalar",
      epsilon = 0.5, prior = prior_normal(), tolerance = 0.001, max_refits = 1
    ),
    class = "pseudosynth_error_unreachable"
  )
  expect_s3_class(error, "pseudosynth_error_privacy")
  expect_gt(error$nearest, 0.5)
  expect_match(conditionMessage(error), "nearest")
})

test_that("a target above what weights of 1 claim is reached, and said so", {
  job <- quick_job("scalar", epsilon = 1000, prior = prior_normal())
  expect_identical(as.double(weights(job)), rep(1, 150))
  claim <- guarantee(job)$epsilon$total[["add-remove"]]
  expect_equal(claim, 2 * lipschitz(job)$overall)
  expect_lt(claim, 1000)
  expect_identical(guarantee(job)$label, "asymptotic")
  expect_message(
    suppressWarnings(pseudo_posterior(
      log(income) ~ age, privacy_data(), gaussian(), "scalar", 1000,
      prior = prior_normal(), chains = 2, draws = 1000, seed = 1
    )),
    "less than the 1000"
  )
  fit <- unweighted_fit()
  expect_error(
    solve_weights(fit, 500, max_refits = 2),
    class = "pseudosynth_error_unreachable"
  )
  near <- solve_weights(fit, 500, max_refits = 2, below = TRUE)
  expect_lt(near$solution$reached, 500)
  expect_false(any(near$solution$search$accepted))
})

test_that("arguments that a mechanism needs or cannot use are errors", {
  bad <- function(...) {
    expect_error(quick_job(...), class = "pseudosynth_error_input")
  }
  bad("centred", epsilon = 1)
  bad("centred", reference = public)
  bad("censor_uw")
  bad("frozen", epsilon = 1)
  bad("frozen", epsilon = 1, rule = 3)
  bad("two_stage", epsilon = 1)
  bad("two_stage", epsilon = 1, weight_range = 3)
  bad("weighted_e")
  bad("scalar")
  bad("unweighted", epsilon = 1)
  bad("risk", epsilon = 1, radius = 0.2)
  bad("cw")
  bad("lw", bounds = c(10, 2e6), bins = 30)
  bad("censor_uw", epsilon = 1, quantile = 0.9)
  bad("centred", epsilon = 1, reference = public, bounds = c(10, 5, 3))
  bad("centred", epsilon = 1, reference = public, margin_share = 1)
  for (epsilon in list(0, -1, Inf, NaN, "1")) {
    bad("censor_uw", epsilon = epsilon)
  }
})

test_that("without a seed a strict job is ready for release", {
  job <- quick_job(
    "centred",
    epsilon = 5, reference = public, bounds = c(10, 2e6), seed = NULL
  )
  expect_false(guarantee(job)$reproducible)
  expect_output(print(job), "Only as.data.frame.*may leave the agency")
})

test_that("lipschitz() of a job is that of its last fit", {
  job <- small_job()
  last <- job$internal$fits[[length(job$internal$fits)]]
  expect_identical(lipschitz(job), lipschitz(last))
  expect_identical(lipschitz(job, 0.9)$overall, lipschitz(last, 0.9)$overall)
})

test_that("what a job does not hold is an error that says where it is", {
  job <- small_job()
  expect_error(job$sets, "x$synthetic", fixed = TRUE)
  expect_error(job$income, class = "pseudosynth_error_input")
  expect_identical(job$m, 3L)
  expect_null(job$epsilon)
})
