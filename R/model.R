# A model of a file, made once: formula, response, design, prior, and what the
# core reads of them. Whatever fits it is handed it.

#' The parts of a model, checked against the file
#' @param count (double or `NULL`) See new_design().
#' @return (list) `formula`, `family`, `prior`, `response`, `design`, `tibble`,
#'   `data` (the columns used), `spec` (neither weighted nor censored).
#' @noRd
new_model <- function(formula, data, family, prior, response = NULL,
                      scaling = NULL, survey_weights = NULL, count = NULL) {
  data <- plain_columns(data)
  response <- new_response(formula, data, family, response)
  survey <- new_survey(survey_weights, data, response$name)
  # `.` publishes what it stands for: survey weights only where they are named
  unnamed <- setdiff(survey$column, all.vars(formula[[3]]))
  predictors <- data[setdiff(names(data), unnamed)]
  check_public_divisor(survey, data[[survey$column]], response$confirmed)
  design <- new_design(
    formula, predictors, response$name, scaling, count, response$confirmed
  )
  assembled_model(
    formula, data, family, prior, response, design, survey = survey
  )
}

#' @param y (double or `NULL`) The response on the modelled scale. `NULL`: read
#'   from `data`.
#' @noRd
assembled_model <- function(formula, data, family, prior, response, design,
                            y = NULL, survey = NULL) {
  check_parameter_names(design$columns, family)
  check_family_offset(design, family)
  # Not the environment it was written in, which may hold data
  environment(formula) <- environment(design$terms)
  model <- list(
    formula = formula, family = family,
    prior = resolve_prior(prior, family, design$columns),
    response = response, design = design, tibble = is_tibble(data)
  )
  model$survey <- survey
  model$data <- used_columns(data, model)
  model$spec <- model_spec(model, y = y)
  model$design$aliased <- design$columns[aliased_columns_(model$spec)]
  model
}

# What fits share with the models that they were made of, beside the records;
# not all of it is there in each
model_parts <- c(
  "formula", "family", "prior", "response", "design", "survey"
)

#' The model of a fit without its records
#' @noRd
model_of_fit <- function(fit) {
  unclass(fit)[intersect(model_parts, names(fit))]
}

#' The model with another prior
#' @noRd
with_prior <- function(model, prior) {
  model$prior <- resolve_prior(prior, model$family, model$design$columns)
  model$spec$prior <- model_prior(model)
  model
}

#' The model of some records as the core reads it: not weighted or censored
#' @noRd
model_spec <- function(model, data = model$data, y = NULL) {
  spec <- c(
    list(
      family = model$family$likelihood, K = model$family$K,
      sigma_floor = model$family$sigma_floor, df = model$family$df,
      y = y %||% record_values(model$response, data)
    ),
    design_parts(model$design, data, arg = "data")
  )
  spec$survey <- survey_exponents(model$survey, data)
  spec$prior <- model_prior(model)
  if (is_categorical(model$family)) {
    spec$K <- length(model$response$levels)
    spec$levels <- model$response$levels
  }
  weighted_spec(spec, model, NULL, NULL)
}

#' The prior as the core reads it
#' @noRd
model_prior <- function(model) {
  prior <- prior_spec(model$prior, model$design$is_level)
  # Half of the stated variance is the baseline's
  if (is_categorical(model$family)) prior$kind <- "level"
  prior
}
