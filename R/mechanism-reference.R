# What a reference gives without the file: epsilon 0. For comparisons.

definition_reference <- function() {
  mechanism_definition(
    name = "reference", kind = "no data", label = "no data",
    does = "sets drawn at the reference's parameters",
    title = "reference alone", short = "Reference alone", colour = "#BBBBBB",
    settings = list(reference = reference_needed), checks = reference_check,
    prepare = checked_by(reference_model),
    release = release_reference
  )
}

release_reference <- function(job, sets) {
  list(
    sets = synthesize_reference(job, sets),
    label = list(
      label = definition_reference()$label,
      epsilon = list(total = by_relation(0))
    )
  )
}

#' The model and the reference as one of its draws
#' @return (list) `spec`, `draw`.
#' @noRd
reference_model <- function(job) {
  reference <- job$mechanism$settings$reference
  model <- with_prior(
    job$model, job$fit_arguments$prior %||% centred_prior(reference)
  )
  reference_point(reference, model, model$spec)
}

#' Sets drawn at the reference's parameters for the published predictors
#' @return (list of data frames)
#' @noRd
synthesize_reference <- function(job, sets) {
  model <- job$model
  response <- with_bounds(model$response, job$bounds)
  found <- reference_model(job)
  spec <- found$spec
  # Nothing of the file's own response
  spec$y[] <- 0
  values <- synthesize_(
    spec, matrix(found$draw, sets, length(found$draw), byrow = TRUE),
    seed_words(job$seed, "reference"), 0L
  )
  sets_of_values(model$data, response, values)
}
