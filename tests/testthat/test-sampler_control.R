spec_like <- function(family, censored = FALSE, prior = "hierarchical") {
  list(
    family = family, prior = list(kind = prior, lkj = 1), K = 2L,
    alpha = rep(1, 9), n_columns = 3L,
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
  families <- c("student_t", "poisson", "neg_binomial", "beta", "bernoulli")
  for (family in families) {
    expect_identical(auto(family), "surrogate")
    expect_identical(auto(family, censored = TRUE), "surrogate")
    expect_identical(auto(family, prior = "normal"), "surrogate")
  }
})

test_that("with more coefficients than records \"auto\" is NUTS at once", {
  wide <- function(...) {
    choose_sampler("auto", replace(spec_like(...), "n_columns", 10L))
  }
  expect_identical(wide("student_t", prior = "normal"), "nuts")
  # The file must not decide, and NUTS would be defeated
  expect_identical(wide("student_t", TRUE, "normal"), "surrogate")
  expect_identical(wide("student_t"), "surrogate")
  expect_identical(wide("gaussian", prior = "normal"), "gibbs")
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

test_that("levels have the metric of the curvature where there is one mode", {
  levels <- spec_like("categorical", prior = "level")
  levels$K <- 9L
  levels$n_columns <- 125L
  expect_identical(choose_metric("auto", levels), "curvature")
  expect_identical(choose_metric("diagonal", levels), "diagonal")
  many <- utils::modifyList(levels, list(n_columns = 126L))
  expect_identical(choose_metric("auto", many), "diagonal")
  expect_identical(choose_metric("curvature", many), "curvature")
  others <- list(
    utils::modifyList(levels, list(censor = list(lower = -1, upper = 1))),
    spec_like("normal_mixture"), spec_like("poisson")
  )
  for (spec in others) {
    expect_identical(choose_metric("auto", spec), "diagonal")
    expect_refused(choose_metric("curvature", spec), "one mode")
  }
})

# A run of the surrogate sampler, as far as next_attempt() looks at it.
ran <- function(share, converged = FALSE, thin = 1L, sampler = "surrogate",
                columns = 3L, rhat = 1.2, ess = 100, censor = NULL) {
  list(
    spec = list(prior = list(kind = "hierarchical"), n_columns = columns),
    control = list(
      sampler = sampler, thin = thin, min_acceptance = 0.3, min_ess = 400,
      max_rhat = 1.05
    ),
    diagnostics = data.frame(rhat = rhat, ess_bulk = ess, ess_tail = 2 * ess),
    sampler = list(accept_stat = share), converged = converged, censor = censor
  )
}

test_that("only \"auto\" gives a poor surrogate up", {
  auto <- sampler_control()
  expect_null(next_attempt(ran(0.9, TRUE), auto))
  expect_null(next_attempt(ran(0.1, sampler = "nuts"), auto))
  expect_null(next_attempt(ran(0.1), sampler_control("surrogate")))
  poor <- next_attempt(ran(0.1, TRUE), auto)
  expect_identical(poor$sampler, "nuts")
  expect_match(judge_replaced(poor$replaced), "accepted 0.10 of its proposals")
  slow <- next_attempt(ran(0.9), auto)
  expect_identical(slow[c("sampler", "thin")], list(
    sampler = "surrogate", thin = 10L
  ))
  stuck <- next_attempt(ran(0.9, thin = 10L), auto)
  expect_identical(stuck[c("sampler", "thin")], list(
    sampler = "nuts", thin = 1L
  ))
  expect_match(judge_replaced(stuck$replaced), "did not mix: NUTS ran instead")
  own <- next_attempt(ran(0.9, thin = 2L), sampler_control(thin = 2))
  expect_identical(own$sampler, "nuts")
  expect_identical(own$thin, 2L)
  expect_null(judge_replaced(NULL))
  # NUTS would take hours over many correlations
  many <- next_attempt(ran(0.01, columns = 38L), auto)
  expect_identical(many[c("sampler", "thin")], list(
    sampler = "surrogate", thin = 10L
  ))
  last <- ran(0.01, thin = 10L, columns = 38L)
  expect_null(next_attempt(last, auto))
  expect_match(judge_acceptance(0.01, last$control), "a share of 0.010")
  expect_null(judge_acceptance(0.9, last$control))
})

test_that("chains that agree and have too few draws run as long as they lack", {
  thin <- function(...) next_attempt(ran(0.9, ...), sampler_control())$thin
  expect_identical(thin(rhat = 1.01, ess = 399), 2L)
  expect_identical(thin(rhat = 1.01, ess = 250), 3L)
  expect_identical(thin(rhat = 1.01, ess = 20), 10L)
  expect_identical(thin(rhat = 1.01, ess = 350, thin = 3L), 6L)
  # Whatever else is wrong: ten
  expect_identical(thin(rhat = 1.06, ess = 300), 10L)
  expect_identical(thin(rhat = NA, ess = NA), 10L)
  expect_identical(thin(rhat = 1.01, ess = 500), 10L)
  # What is run for a strict label does not depend on the file
  expect_null(thin(rhat = 1.01, ess = 300, censor = list()))
})

test_that("chains that lack draws go on, others start over", {
  next_goes_on <- function(...) {
    fit <- ran(0.9, ...)
    goes_on(fit, next_attempt(fit, sampler_control()))
  }
  expect_true(next_goes_on(rhat = 1.01, ess = 300))
  expect_true(next_goes_on(rhat = 1.01, ess = 300, thin = 3L))
  expect_false(next_goes_on(rhat = 1.01, ess = 300, thin = 6L))
  expect_false(next_goes_on(rhat = 1.06, ess = 300))
  expect_false(next_goes_on(rhat = NA, ess = NA))
  expect_false(next_goes_on(rhat = 1.01, ess = 300, thin = 10L))
})

test_that("a run that lacks draws keeps those it has", {
  data <- family_data()
  fit <- function(..., warmup = 200, draws = 400, chains = 2) {
    suppressWarnings(fit_synthesizer(
      count ~ x + group, data, neg_binomial(),
      chains = chains, warmup = warmup, draws = draws, seed = 3, threads = 1,
      control = sampler_control(progress = FALSE, ...)
    ), classes = "pseudosynth_warning_convergence")
  }
  joined <- fit()
  once <- fit(thin = 1, sampler = "surrogate")
  k <- joined$control$thin
  expect_gt(k, 1)
  expect_identical(joined$control$sampler, "surrogate")
  expect_true(joined$converged)
  for (part in c("draws", "hyper", "monitor")) {
    expect_identical(dim(joined[[part]]), dim(once[[part]]))
    for (chain in 1:2) {
      first <- seq(k, 400, by = k)
      expect_identical(
        joined[[part]][400 * (chain - 1) + seq_along(first), ],
        once[[part]][400 * (chain - 1) + first, ]
      )
    }
  }
  expect_length(joined$sampler$accept_stat, 800)
  # What follows is another part of the same posterior
  second <- joined$draws[(400 %/% k + 1):400, ]
  long <- fit(draws = 4000, sampler = "surrogate", chains = 1)
  z <- (colMeans(second) - colMeans(long$draws)) / apply(long$draws, 2, sd)
  expect_lt(max(abs(z)), 0.35)
  expect_identical(fit()$draws, joined$draws)
})

test_that("a surrogate given up is replaced by NUTS and the fit says so", {
  data <- family_data()
  fit <- suppressWarnings(quick_fit(
    yes ~ x, data, bernoulli(),
    prior = prior_normal(), draws = 1000,
    control = sampler_control(min_acceptance = 1)
  ), classes = "pseudosynth_warning_convergence")
  expect_identical(fit$control$sampler, "nuts")
  expect_match(fit$problems, "NUTS ran instead", all = FALSE)
  expect_true(fit$converged)
  nuts <- quick_fit(
    yes ~ x, data, bernoulli(),
    prior = prior_normal(), draws = 1000,
    control = sampler_control("nuts")
  )
  expect_identical(fit$draws, nuts$draws)
  kept <- quick_fit(
    yes ~ x, data, bernoulli(),
    prior = prior_normal(), draws = 1000,
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
