# The survey weight of a file: an amount above 0 of every record, which is
# measured and drawn after all other columns.

#' Check which column holds the survey weights, and that it can
#'
#' @param weight (string or `NULL`)
#' @param specs (named list) See column_specs().
#' @noRd
check_weight <- function(weight, data, specs) {
  if (is.null(weight)) {
    return(invisible())
  }
  check_string(weight)
  check_names(weight, names(specs))
  spec <- specs[[weight]]
  refuse_if(
    spec$type != "amount",
    "{.arg weight} must be an {.val amount} of the codebook.",
    x = "{.val {weight}} is of type {.val {spec$type}} there.", arg = "weight"
  )
  parts <- amount_parts(spec)
  refuse_if(
    spec$lower <= 0 || !all(parts$valued),
    "Every record must have a weight above 0, and the codebook must say so.",
    i = "Set {.field lower} of {.val {weight}} above 0, by public knowledge, and
         state no {.field missing}, {.field zero} or {.field codes}.",
    arg = "weight"
  )
  refuse_if(
    spec$transform != "log",
    "{.arg weight} must have the {.field transform} {.val log}.",
    x = "That of {.val {weight}} is {.val {spec$transform}}.",
    i = "Weights are modelled on the log scale. Set it in the codebook.",
    arg = "weight"
  )
  check_weight_values(plain_column(data[[weight]]), weight)
}

check_weight_values <- function(values, weight) {
  # Of another type: the check of types says so
  if (!is.numeric(values)) {
    return(invisible())
  }
  missing <- which(is.na(values))
  low <- which(values <= 0)
  rows <- sort(c(missing, low))
  refuse_if(
    length(rows) > 0, "Every record must have a weight above 0.",
    x = if (length(missing) > 0) {
      "{.val {weight}} is missing for {length(missing)} record{?s}."
    },
    x = if (length(low) > 0) {
      "{.val {weight}} is 0 or below for {length(low)} record{?s}."
    },
    i = "Leave these records out, or give them a weight, before the plan.",
    arg = "weight", rows = rows
  )
}
