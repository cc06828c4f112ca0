# Ends that are stated as public must not be read off the file: its smallest and
# its largest value are the values of records.

#' Refuse stated ends that are the smallest or the largest value of the file
#'
#' One end is enough, and so is one that nearly equals it. What 0 and 1 are,
#' everybody knows; all else must be confirmed, see public_response().
#' @param ends (numeric or `NULL`) As stated, in the response's own unit.
#' @param y The confidential values.
#' @param confirmed (numeric or `NULL`)
#' @noRd
check_public_ends <- function(ends, y, arg, confirmed = NULL,
                              call = rlang::caller_env()) {
  # What is no number is refused where ends are read
  if (!is.numeric(ends) || !is.numeric(y) || length(y) == 0) {
    return(invisible(ends))
  }
  y <- as.double(y)
  told <- ends[near_one_of(ends, range(y[is.finite(y)])) &
    !near_one_of(ends, c(0, 1, confirmed))]
  if (length(told) == 0) {
    return(invisible(ends))
  }
  rows <- which(near_one_of(y, told))
  which <- if (length(told) > 1) "Both are" else "One of them is"
  abort_privacy(
    c(
      "{.arg {arg}} must be public: chosen without the data.",
      x = "{which} the smallest or the largest value of the data, which
           {length(rows)} record{?s} {?has/have}.",
      i = "State what is known beforehand, such as {.code c(10, 2e6)} for
           incomes.",
      i = "An end that is public all the same, such as a top code, is confirmed
           by {.code response = public_response(confirmed = )}."
    ),
    arg = arg, call = call, rows = rows,
    class = c("pseudosynth_error_public_ends", "pseudosynth_error_input")
  )
}

#' Refuse stated breaks that are mostly values of the file
#'
#' Breaks of two digits, or equally wide ones, are what people write.
#' @param breaks (numeric) Increasing.
#' @noRd
check_public_breaks <- function(breaks, y, confirmed = NULL,
                                call = rlang::caller_env()) {
  width <- diff(breaks)
  if (max(width) - min(width) <= 1e-9 * sum(width)) {
    return(invisible(breaks))
  }
  stated <- breaks[breaks != signif(breaks, 2) & !breaks %in% confirmed]
  told <- stated[stated %in% y]
  if (length(told) > 2 && length(told) > length(stated) / 2) {
    abort_privacy(
      c(
        "{.arg bins} must be public: chosen without the data.",
        x = "{length(told)} of {length(breaks)} breaks are values of records.",
        i = "State round breaks, or their number and {.arg bounds}."
      ),
      arg = "bins", call = call, rows = which(y %in% told),
      class = c("pseudosynth_error_public_ends", "pseudosynth_error_input")
    )
  }
  invisible(breaks)
}

#' @param values (numeric or `NULL`)
#' @return (logical) For each of `x`.
#' @noRd
near_one_of <- function(x, values) {
  near <- logical(length(x))
  for (value in values[is.finite(values)]) {
    near <- near | abs(x - value) <= 1e-6 * abs(value)
  }
  near
}
