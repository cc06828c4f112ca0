# The likelihood ratio to a public reference, censored.

definition_centred <- function() {
  mechanism_definition(
    name = without_weights$centred, kind = "censored", label = "strict",
    title = title_of_fit(NULL, censored = TRUE, centred = TRUE),
    does = "censors the likelihood ratio to a public `reference`",
    short = "Centred", colour = "#332288",
    settings = list(reference = reference_needed, window = NULL),
    checks = reference_check, settle = settle_window,
    prepare = function(job) prepare_clip(with_centred_prior(job)),
    stages = function(job) clipped_stage(job, job_rule(job))
  )
}
