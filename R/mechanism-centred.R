# The likelihood ratio to a public reference, censored.

#' @rdname mechanisms
#' @export
mechanism_centred <- function(reference, window = NULL) {
  check_given(
    rlang::maybe_missing(reference), "centred",
    "For instance {.code list(\"(Intercept)\" = 10.8, sigma = 1)}.",
    arg = "reference"
  )
  new_mechanism(definition_centred(), reference_settings(reference, window))
}

definition_centred <- function() {
  mechanism_definition(
    name = "centred", kind = "censored", label = "strict",
    title = "censored likelihood ratio to a reference",
    does = "censors the likelihood ratio to a public `reference`",
    short = "Centred", colour = "#332288", make = mechanism_centred,
    prepare = function(job) prepare_clip(with_centred_prior(job)),
    stages = function(job) clipped_stage(job, job_rule(job))
  )
}
