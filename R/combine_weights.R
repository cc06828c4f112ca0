#' Combine weights of several schemes
#'
#' The product of the weights of each record. A scalar for all records and
#' record weights on top make the vector-scalar combined weight that the papers
#' name as future work: the scalar brings every record below a threshold, the
#' record weights take more from those that need it.
#'
#' @param ... Two or more [privacy_weights], a [public_scalar()] among them.
#'   Plain numbers are of unknown origin, and so is what they are combined to.
#' @return [`privacy_weights`][privacy_weights] of scheme `"combined"`, whose
#'   `arguments$of` names the parts. Combined with public scalars alone, weights
#'   are scaled and keep their scheme, see [scale_weights()]. The weakest part
#'   counts: frozen and two-stage weights stay functions of the record, and the
#'   costs of different first stages add up.
#'
#' @section Error types:
#' `pseudosynth_error_input`: fewer than two parts, parts of different length.
#' `pseudosynth_error_privacy`: parts made for different records.
#' @references
#' Hu and Savitsky, Risk-weighted pseudo posterior, section 7.
#' @seealso [scale_weights()], [public_scalar()]
#' @examples
#' w <- count_weights("income", ce_income, radius = 0.2)
#' combine_weights(public_scalar(0.5), w)
#' @export
combine_weights <- function(...) {
  parts <- list(...)
  n <- max(lengths(parts), 0)
  if (length(parts) < 2 || n == 0) {
    abort_input(
      c(
        "Two or more weights are needed.",
        x = "There {?is/are} {length(parts)}."
      ),
      arg = "..."
    )
  }
  call <- rlang::current_env()
  parts <- lapply(parts, as_privacy_weights, n = n, arg = "...", call = call)
  numbers <- lapply(parts, function(part) public_number(node_of(part)))
  public <- lengths(numbers) == 1
  # Public numbers scale what is left, be it one of them
  scaled <- if (all(public)) 1 else which(!public)
  if (length(scaled) == 1) {
    return(scale_weights(parts[[scaled]], prod(unlist(numbers[-scaled]))))
  }
  combined_weights(parts, combined_marks(parts, call))
}

combined_marks <- function(parts, call) {
  marks <- unlist(lapply(parts, attr, "records"))
  if (is.null(marks)) {
    return(NULL)
  }
  if (any(tapply(marks, names(marks), function(m) length(unique(m))) > 1)) {
    abort_privacy(
      "Weights that are combined must be made for the same records.",
      call = call, class = "pseudosynth_error_other_records"
    )
  }
  marks[!duplicated(names(marks))]
}
