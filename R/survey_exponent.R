# Survey weights as exponents: a record's likelihood is raised to its survey
# weight over a number, and then to its privacy weight. What is clipped and
# bounded is the product. A survey weight is a part of its record and is read
# with it; it is not published.

#' The survey weights of a model
#'
#' @param x (string, one named number, or `NULL`) The column; a number is what
#'   its weights are divided by.
#' @param response (string) The response's column.
#' @return (list or `NULL`) `column`; `scale` (number); `stated` (flag): did the
#'   user state the scale? Otherwise it is the mean of the file.
#' @noRd
new_survey <- function(x, data, response) {
  if (is.null(x)) {
    return(NULL)
  }
  stated <- is.numeric(x)
  good <- if (stated) {
    is.null(dim(x)) && length(x) == 1 && length(names(x)) == 1 &&
      nzchar(names(x)) && is.finite(x) && x > 0
  } else {
    is.character(x) && length(x) == 1 && !is.na(x)
  }
  check_that(
    good, x,
    "{.arg survey_weights} must be the name of a column, or a positive number
     with that name.",
    i = "Name a positive number to state what the weights are divided by, as in
         {.code c(weight = 1250)}.", arg = "survey_weights"
  )
  column <- if (stated) names(x) else x
  check_names(
    column, setdiff(names(data), response), null = FALSE,
    arg = "survey_weights",
    of = "a column of {.arg data} other than the response"
  )
  check_survey_weights(data, column, "data", response)
  own <- survey_mean(data[[column]])
  list(
    column = column, stated = stated, scale = if (stated) as.double(x) else own
  )
}

# Sums of doubles do not depend on the order of the records to the last bit:
# records of one weight then have the exponent 1 exactly
survey_mean <- function(w) if (all(w == w[1])) as.double(w[1]) else mean(w)

#' The survey weights of a model in a file of its own
#'
#' Weights over the mean of a file are others where a record is gone.
#' @noRd
survey_of_file <- function(survey, data) {
  if (!is.null(survey) && !survey$stated) {
    survey$scale <- survey_mean(data[[survey$column]])
  }
  survey
}

#' The exponents of records
#' @return (double, N, or `NULL` without survey weights)
#' @noRd
survey_exponents <- function(survey, data) {
  if (is.null(survey)) {
    return(NULL)
  }
  check_columns(survey$column, data, "data")
  w <- data[[survey$column]]
  refuse_if(
    is.object(w) || !is.null(dim(w)),
    "Survey weights {.val {survey$column}} must be a plain column of numbers.",
    x = "It is {describe_type(w)}.",
    i = "Convert it by {.fn as.numeric} first.", arg = "data"
  )
  check_finite_column(w, survey$column)
  refuse_if(
    !is.numeric(w) || any(w < 0),
    "Survey weights {.val {survey$column}} must be numbers of at least 0.",
    x = if (is.numeric(w)) {
      "{sum(w < 0)} record{?s} {?has/have} a negative weight."
    },
    arg = "data", rows = if (is.numeric(w)) which(w < 0)
  )
  exponents <- as.double(w) / survey$scale
  lost <- which(!is.finite(exponents))
  refuse_if(
    length(lost) > 0,
    "Survey weights {.val {survey$column}} must be finite when divided by their
     mean or the stated number.",
    x = "They are not finite for {length(lost)} record{?s}.",
    arg = "survey_weights", rows = lost
  )
  exponents
}

#' Exponents of a specification, 1 where there are no survey weights
#' @noRd
spec_exponents <- function(spec) spec$survey %||% rep(1, length(spec$y))

#' What the label says of them; the mean of a file is no public number
#' @noRd
survey_text <- function(survey) {
  if (is.null(survey)) {
    return(NULL)
  }
  c("survey weights" = paste0(
    survey$column, " as exponents, not published, divided by ",
    if (survey$stated) format_exact(survey$scale) else "the file's own mean"
  ))
}

#' Refuse a strict mechanism whose exponents depend on all records
#' @noRd
check_survey_is_public <- function(survey) {
  refuse_privacy(
    !is.null(survey) && !survey$stated,
    "A strict label needs survey weights divided by a public number.",
    x = "{.val {survey$column}} is divided by its own mean, which one record
         changes.",
    i = "State the number, for instance the population over the number of
         records: {.code survey_weights = c({survey$column} = 1250)}.",
    arg = "survey_weights"
  )
}
