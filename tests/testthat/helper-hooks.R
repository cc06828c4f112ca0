# Parts of the C++ core that no R function shows are reached through
# tests/hooks, a package of its own that `make test` installs. Where it is not
# there, as under R CMD check, the tests that call a hook are skipped.
hook <- function(name, package = "pseudosynth.hooks") {
  if (requireNamespace(package, quietly = TRUE)) {
    return(getExportedValue(package, name))
  }
  function(...) {
    testthat::skip("pseudosynth.hooks is not installed: run `make hooks`")
  }
}

for (name in c(
  "test_math_", "test_log_sum_exp_", "test_simd_", "test_rng_",
  "test_rng_extremes_", "test_slice_", "test_generalised_inverse_gaussian_",
  "test_design_", "test_screen_series_", "test_predictive_quantile_",
  "test_normal_mixture_log_lik_",
  "test_transform_", "test_half_t_", "test_lkj_", "test_coefficient_prior_",
  "test_dirichlet_prior_", "test_hierarchical_sweep_",
  "test_mixture_joint_", "test_mixture_slope_",
  "test_nuts_target_", "test_warmup_windows_", "test_dual_averaging_",
  "test_surrogate_density_", "test_run_tasks_", "test_sweep_records_",
  "test_likeliest_size_",
  "model_", "model_evaluate_", "unconstrained_size_", "log_posterior_",
  "posterior_parts_", "posterior_start_"
)) {
  assign(name, hook(name))
}
