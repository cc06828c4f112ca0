# What a reference gives without the file: epsilon 0. For comparisons.

mechanism_reference <- function(reference) {
  check_given(
    rlang::maybe_missing(reference), "reference",
    "For instance {.code list(\"(Intercept)\" = 10.8, sigma = 1)}.",
    arg = "reference"
  )
  new_mechanism(
    definition_reference(), reference_settings(reference, NULL)["reference"]
  )
}

definition_reference <- function() {
  mechanism_definition(
    name = "reference", kind = "no data", label = "no data",
    does = "sets drawn at the reference's parameters",
    title = "reference alone", short = "Reference alone", colour = "#BBBBBB",
    make = mechanism_reference, prepare = checked_by(reference_model),
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
  spec <- model$spec
  if (reference$origin == "public") {
    return(list(
      spec = spec, draw = reference_draw(reference$values, model, spec)
    ))
  }
  check_reference_model(reference, model, spec)
  parts <- design_parts(reference$design, model$data)
  spec[names(parts)] <- parts
  list(spec = spec, draw = reference$values)
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
  lapply(seq_len(sets), function(j) {
    set <- model$data
    set[[response$name]] <- response_inverse(response, values[, j])
    set
  })
}
