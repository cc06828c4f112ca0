spec_like <- function(family, censored = FALSE, prior = "hierarchical") {
  list(
    family = family, prior = list(kind = prior, lkj = 1), K = 2L,
    censor = if (censored) list(lower = -1, upper = 1)
  )
}

test_that("\"auto\" takes the fastest sampler that suits the model", {
  auto <- function(...) choose_sampler("auto", spec_like(...))
  expect_identical(auto("gaussian"), "gibbs")
  expect_identical(auto("gaussian", censored = TRUE), "surrogate")
  expect_identical(auto("normal_mixture", prior = "shared"), "augmentation")
  expect_identical(auto("normal_mixture"), "nuts")
  expect_identical(auto("normal_mixture", TRUE, "shared"), "nuts")
  for (family in c("student_t", "poisson", "neg_binomial", "beta", "bernoulli")) {
    expect_identical(auto(family), "surrogate")
    expect_identical(auto(family, censored = TRUE), "surrogate")
    expect_identical(auto(family, prior = "normal"), "surrogate")
  }
})

test_that("a sampler that does not suit is refused, with those that do", {
  expect_refused(
    choose_sampler("gibbs", spec_like("poisson")),
    "can use \"surrogate\" or \"nuts\""
  )
  expect_refused(
    choose_sampler("surrogate", spec_like("normal_mixture")), "does not"
  )
})

test_that("only \"auto\" gives a poor surrogate up", {
  control <- list(sampler = "surrogate", min_acceptance = 0.3)
  record <- list(accept_stat = c(0.1, 0.3))
  expect_true(surrogate_failed("auto", control, record))
  expect_false(surrogate_failed("surrogate", control, record))
  record <- list(accept_stat = c(0.9, 0.8))
  expect_false(surrogate_failed("auto", control, record))
  control$sampler <- "nuts"
  expect_false(surrogate_failed("auto", control, list(accept_stat = 0.1)))
  expect_match(judge_replaced(0.2), "accepted 0.20 of its proposals")
  expect_null(judge_replaced(NULL))
})

test_that("a surrogate given up is replaced by NUTS and the fit says so", {
  data <- family_data()
  fit <- suppressWarnings(quick_fit(
    yes ~ x, data, bernoulli(),
    control = sampler_control(min_acceptance = 1)
  ), classes = "pseudosynth_warning_convergence")
  expect_identical(fit$control$sampler, "nuts")
  expect_match(fit$problems, "NUTS was run instead", all = FALSE)
  expect_true(fit$converged)
  nuts <- quick_fit(
    yes ~ x, data, bernoulli(),
    control = sampler_control("nuts")
  )
  expect_identical(fit$draws, nuts$draws)
  kept <- quick_fit(
    yes ~ x, data, bernoulli(),
    control = sampler_control("surrogate", min_acceptance = 1)
  )
  expect_identical(kept$control$sampler, "surrogate")
  expect_output(print(kept), "surrogate, acceptance")
})

test_that("values out of range are refused", {
  expect_refused(sampler_control("slice"), "`sampler` must be one of")
  expect_refused(sampler_control(min_acceptance = 2), "`min_acceptance`")
  expect_refused(sampler_control(thin = 0), "`thin`")
})
