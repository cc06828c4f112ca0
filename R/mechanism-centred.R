# The likelihood ratio to a public reference, censored.

#' @rdname mechanisms
#' @export
mechanism_centred <- function(reference, window = NULL) {
  mechanism <- new_mechanism(definition_centred())
  check_window(window, reference)
  mechanism
}

definition_centred <- function() {
  mechanism_definition(
    name = "centred", kind = "censored", label = "strict",
    title = "censored likelihood ratio to a reference",
    does = "censors the likelihood ratio to a public `reference`",
    short = "Centred", colour = "#332288", needs = reference_needed,
    make = mechanism_centred,
    prepare = function(job) prepare_clip(with_centred_prior(job)),
    stages = function(job) clipped_stage(job, job_rule(job))
  )
}
