# What a reference gives without the file: epsilon 0. For comparisons.

mechanism_reference <- function(reference) {
  new_mechanism(
    definition_reference(), reference_settings(reference, NULL)
  )
}

definition_reference <- function() {
  mechanism_definition(
    name = "reference", kind = "free", label = "no data",
    does = "sets drawn at the reference's parameters",
    short = "Reference alone", title = "reference alone", colour = "#BBBBBB",
    make = mechanism_reference, release = release_reference
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

#' Sets drawn at the reference's parameters for the published predictors
#' @return (list of data frames)
#' @noRd
synthesize_reference <- function(job, sets) {
  call <- job$call
  reference <- job$mechanism$settings$reference
  model <- job$model
  model$prior <- resolve_prior(
    job$fit_arguments$prior %||% centred_prior(reference), job$family,
    model$design$columns, call
  )
  spec <- model_spec(model, NULL, NULL, call)
  draw <- if (reference$origin == "history") {
    check_reference_model(reference, model, spec, call)
    parts <- design_parts(reference$design, model$data, call = call)
    spec[names(parts)] <- parts
    reference$values
  } else {
    reference_draw(reference$values, model, spec, call)
  }
  spec$y[] <- 0
  values <- synthesize_(
    spec, matrix(draw, sets, length(draw), byrow = TRUE),
    seed_words(stage_seed(job$seed, 6)), 0L
  )
  lapply(seq_len(sets), function(j) {
    set <- model$data
    set[[model$response$variable]] <- response_inverse(
      model$response, values[, j]
    )
    set
  })
}
