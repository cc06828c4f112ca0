# The papers' Censor_w: censored under Lipschitz weights of the same file.

#' @rdname mechanisms
#' @export
mechanism_censor_w <- function(scale = 1, shift = 0,
                               map = c(
                                 "linear", "inverse", "softmax", "logistic"
                               ), ...) {
  check_no_dots(..., hint = "See {.help mechanisms}.")
  new_mechanism(definition_censor_w())
}

definition_censor_w <- function() {
  mechanism_definition(
    name = "censor_w", kind = "censored", label = "asymptotic",
    title = "censored likelihood, Lipschitz weights (LW)",
    does = "censors under Lipschitz weights of this file", short = "Censor_w",
    colour = "#F2A37E", make = mechanism_censor_w, from_unweighted = TRUE,
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
