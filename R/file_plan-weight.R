# The survey weight of a file: an amount above 0 of every record, which is
# measured and drawn after all other columns.

#' Check which column holds the survey weights, and that it can
#'
#' @param survey_weights (string or `NULL`)
#' @param specs (named list) See column_specs().
#' @noRd
check_survey_column <- function(survey_weights, specs) {
  check_argument(survey_weights)
  if (is.null(survey_weights)) {
    return(invisible())
  }
  check_names(survey_weights, names(specs))
  spec <- specs[[survey_weights]]
  refuse_if(
    !spec$kind$weighs,
    "{.arg survey_weights} must be an {.val amount} of the codebook.",
    x = "In the codebook, {.val {survey_weights}} is of type
         {.val {spec$type}}.",
    arg = "survey_weights"
  )
  parts <- amount_parts(spec)
  refuse_if(
    spec$lower <= 0 || !all(parts$valued),
    "Every record must have a weight above 0, and the codebook must say so.",
    i = "Set {.field lower} of {.val {survey_weights}} above 0, by public
         knowledge, and state no {.field missing}, {.field zero} or
         {.field codes}.",
    arg = "survey_weights"
  )
  refuse_if(
    spec$transform != "log",
    "{.arg survey_weights} must have the {.field transform} {.val log}.",
    x = "The transform of {.val {survey_weights}} is {.val {spec$transform}}.",
    i = "Weights are modelled on the log scale. Set {.val log} in the
         codebook.",
    arg = "survey_weights"
  )
}

#' Refuse records without a weight above 0
#' @param missing,low (integer) Records whose weight is missing; is not above 0.
#' @noRd
check_survey_weight <- function(missing, low, survey_weights) {
  refuse_if(
    length(missing) + length(low) > 0,
    "Every record must have a weight above 0.",
    x = if (length(missing) > 0) {
      "{.val {survey_weights}} is missing for {length(missing)} record{?s}."
    },
    x = if (length(low) > 0) {
      "{.val {survey_weights}} is 0 or below for {length(low)} record{?s}."
    },
    i = "Leave these records out, or give them a weight, before the plan.",
    arg = "survey_weights", rows = sort(c(missing, low))
  )
}
