# Names of columns that the user gives. Whoever gives a column in place of its
# name must not find its values in the message.

#' Check names of columns
#'
#' @param x (character or `NULL`)
#' @param columns (character) Those that there are.
#' @param of (string) Whose they are.
#' @return `x`, invisibly.
#' @noRd
check_names <- function(x, columns, null = TRUE, of = "data",
                        arg = rlang::caller_arg(x),
                        call = rlang::caller_env()) {
  check_present(x, arg, call)
  if (null && is.null(x)) {
    return(invisible(NULL))
  }
  if (!is.character(x) || length(x) == 0 || anyNA(x)) {
    abort_input(
      c(
        "{.arg {arg}} must be names of columns.",
        x = "It is {describe_type(x)}.",
        i = if (null) "{.code NULL} means none."
      ),
      arg = arg, call = call
    )
  }
  absent <- absent_names(x, columns)
  if (length(absent) > 0) {
    abort_input(
      c(
        "{.arg {arg}} must be names of columns of {.arg {of}}.",
        x = "{absent}",
        i = "The columns are {.val {columns}}."
      ),
      arg = arg, call = call
    )
  }
  invisible(x)
}

#' Check that a file has some columns
#' @param columns (character) Names that are known to be names.
#' @noRd
check_columns <- function(columns, data, arg, call = rlang::caller_env()) {
  absent <- absent_names(columns, names(data))
  if (length(absent) > 0) {
    abort_input(
      c(
        "{.arg {arg}} must have the columns that are compared.",
        x = "{absent}"
      ),
      arg = arg, call = call
    )
  }
}

#' Which names are no columns, in words
#'
#' More names than there are columns are no names, but values of one.
#' @return (string or `NULL`)
#' @noRd
absent_names <- function(x, columns) {
  absent <- setdiff(x, columns)
  if (length(absent) == 0) {
    return(NULL)
  }
  n <- length(absent)
  if (n > max(3, length(columns))) {
    return(cli::format_inline("{n} of {length(x)} names are no columns."))
  }
  cli::format_inline(
    "There {cli::qty(n)}{?is no column/are no columns} {.val {absent}}."
  )
}

#' Refuse to draw without the published predictors
#' @param from (string) What is drawn from, which holds no record.
#' @noRd
check_newdata <- function(newdata, from, call) {
  if (is.null(newdata)) {
    abort_input(
      c(
        "{.arg newdata} must give the published predictors.",
        x = "A {from} holds no record."
      ),
      arg = "newdata", call = call
    )
  }
  check_data_frame(newdata, arg = "newdata", call = call)
}

#' What to do with a column of a survey's labels, as package haven reads it
#' @noRd
haven_hint <- function(x) {
  if (inherits(x, "haven_labelled")) {
    "{.code haven::zap_labels()} makes it numbers, {.code haven::as_factor()}
     the labels."
  }
}
