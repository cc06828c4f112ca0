# The papers' Censor_uw: the unweighted likelihood, censored.

definition_censor_uw <- function() {
  mechanism_definition(
    name = without_weights$censored, kind = "censored", label = "strict",
    does = "censors the unweighted likelihood", short = "Censor_uw",
    colour = "#D55E00", files = TRUE,
    prepare = function(job) prepare_clip(job, job_rule(job, "symmetric")),
    stages = function(job) clipped_stage(job, job_rule(job, "symmetric"))
  )
}
