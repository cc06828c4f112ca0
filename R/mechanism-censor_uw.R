# The papers' Censor_uw: the unweighted likelihood, censored.

#' @rdname mechanisms
#' @export
mechanism_censor_uw <- function() new_mechanism(definition_censor_uw())

definition_censor_uw <- function() {
  mechanism_definition(
    name = "censor_uw", kind = "censored", label = "strict",
    title = "censored likelihood", does = "censors the unweighted likelihood",
    short = "Censor_uw", colour = "#D55E00", make = mechanism_censor_uw,
    prepare = function(job) prepare_clip(job, job_rule(job, "symmetric")),
    stages = function(job) clipped_stage(job, job_rule(job, "symmetric"))
  )
}
