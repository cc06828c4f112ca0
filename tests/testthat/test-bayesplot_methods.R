nuts_fit <- function() {
  remember("nuts", fit_synthesizer(
    log(income) ~ age + earner, privacy_data(), student_t(5),
    prior = prior_normal(), chains = 2, warmup = 300, draws = 1000, seed = 11,
    control = sampler_control(sampler = "nuts")
  ))
}

test_that("bayesplot finds R-hat and the effective sample sizes", {
  skip_if_not_installed("bayesplot")
  fit <- nuts_fit()
  table <- fit$diagnostics
  expect_identical(unname(bayesplot::rhat(fit)), table$rhat)
  expect_identical(names(bayesplot::rhat(fit)), table$variable)
  expect_identical(
    bayesplot::rhat(fit, pars = table$variable[2]), bayesplot::rhat(fit)[2]
  )
  ratio <- bayesplot::neff_ratio(fit)
  expect_equal(unname(ratio) * 2000, pmin(table$ess_bulk, table$ess_tail))
  expect_s3_class(bayesplot::mcmc_rhat(bayesplot::rhat(fit)), "ggplot")
  expect_error(bayesplot::rhat(fit, pars = "none"), "none")
})

test_that("bayesplot finds the steps of NUTS, and of no other sampler", {
  skip_if_not_installed("bayesplot")
  fit <- nuts_fit()
  steps <- bayesplot::nuts_params(fit)
  expect_identical(nrow(steps), 6L * 2000L)
  energy <- steps[steps$Parameter == "energy__", ]
  expect_identical(energy$Value, fit$sampler$energy)
  expect_identical(energy$Iteration, rep(1:1000, 2))
  expect_identical(energy$Chain, fit$chain)
  expect_s3_class(bayesplot::mcmc_nuts_energy(steps), "gg")
  expect_error(
    bayesplot::nuts_params(unweighted_fit()), "NUTS",
    class = "pseudosynth_error_input"
  )
})

test_that("loo() is that of the log-likelihood, without weights alone", {
  skip_if_not_installed("loo")
  fit <- unweighted_fit()
  found <- suppressWarnings(loo::loo(fit))
  values <- log_lik(fit)
  by_hand <- suppressWarnings(loo::loo(
    values,
    r_eff = loo::relative_eff(exp(values), chain_id = fit$chain)
  ))
  expect_equal(found$estimates, by_hand$estimates)
  expect_error(loo::loo(lw_fit()), class = "pseudosynth_error_input")
})
