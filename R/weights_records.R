# Which records weights are for: marks of their columns against those of a file.

#' Refuse weights that were made for other records
#'
#' Weights that depend on a record's own value would else depend on another
#' file. Predictors that `data` does not have cannot be compared.
#' @noRd
check_weights_records <- function(weights, data, arg = "privacy_weights",
                                  call = rlang::caller_env()) {
  marks <- attr(weights, "records")
  response <- names(marks)[1]
  if (!is.null(response) && !response %in% names(data)) {
    abort_input(
      c(
        "{.arg {arg}} must be made for the model's own response.",
        x = "They were made for the column {.val {response}}, which is not in
             the model's data."
      ),
      arg = arg, call = call, class = "pseudosynth_error_frozen_variables"
    )
  }
  known <- intersect(names(marks), names(data))
  differ <- known[record_marks(data, known) != marks[known]]
  if (length(differ) > 0) {
    abort_privacy(
      c(
        "{.arg {arg}} must be made for these records, in this order.",
        x = "The {cli::qty(length(differ))}column{?s} {.val {differ}}
             {?holds/hold} other values than those of the weights.",
        i = "Make the weights again from this file, or
             {.code predict(rule, data)} frozen ones."
      ),
      arg = arg, call = call, class = "pseudosynth_error_other_records"
    )
  }
  invisible(weights)
}
