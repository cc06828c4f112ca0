# The papers' Censor_w: censored under Lipschitz weights of the same file.

definition_censor_w <- function() {
  mechanism_definition(
    scheme = lipschitz_scheme(), kind = "censored", label = "asymptotic",
    name = lipschitz_scheme()$clipped[["censored"]], short = "Censor_w",
    does = "censors under Lipschitz weights of this file", colour = "#F2A37E",
    settings = lipschitz_settings, from_unweighted = TRUE,
    prepare = function(job) prepare_clip(job, job_rule(job, "symmetric")),
    stages = stages_censor_w
  )
}

stages_censor_w <- function(job) {
  fits <- first_stage(job)
  weights <- job_lipschitz_weights(job, fits[[1]])
  tell_step("Fitting the censored model")
  fits[[job$mechanism$name]] <- finished_stage(job$seed, "censored", update(
    fits[[1]],
    # The papers' interval, also for counts
    privacy_weights = weights, censor = job_rule(job, "symmetric"),
    seed = stage_seed(job$seed, "censored")
  ))
  fits
}
