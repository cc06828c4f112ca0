#' Multiply weights of several schemes
#'
#' Returns the product of the weights of each record. The product of one scalar
#' for all records and record weights is the vector-scalar combined weight that
#' the papers name as future work. The scalar brings every record below a
#' threshold, and the record weights further lower the records that need it.
#'
#' @param ... Two or more [privacy_weights] or [public_scalar()]s. Plain numbers
#'   count as weights of unknown origin, and so does any product with them.
#' @return [`privacy_weights`][privacy_weights] of scheme `"combined"`;
#'   `arguments$of` names the parts. Weights that are multiplied only by public
#'   scalars keep their scheme, see [scale_weights()]. The weakest part decides
#'   what can be claimed. Products of frozen and two-stage weights remain
#'   functions of the record, and the costs of different first stages add up.
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
  refuse_if(
    length(parts) < 2 || n == 0, "Two or more weights are needed.",
    x = "There {?is/are} {length(parts)}.", arg = "..."
  )
  parts <- lapply(parts, as_privacy_weights, n = n, arg = "...")
  numbers <- lapply(parts, function(part) public_number(node_of(part)))
  public <- lengths(numbers) == 1
  # Public numbers scale what is left, be it one of them
  scaled <- if (all(public)) 1 else which(!public)
  if (length(scaled) == 1) {
    return(scale_weights(parts[[scaled]], prod(unlist(numbers[-scaled]))))
  }
  combined_weights(parts, combined_marks(parts))
}

combined_marks <- function(parts) {
  marks <- unlist(lapply(parts, attr, "records"))
  if (is.null(marks)) {
    return(NULL)
  }
  refuse_privacy(
    any(tapply(marks, names(marks), function(m) length(unique(m))) > 1),
    "Weights that are combined must be made for the same records.",
    class = "pseudosynth_error_other_records"
  )
  marks[!duplicated(names(marks))]
}

#' Scale or shift weights by public numbers
#'
#' Computes \eqn{\alpha_i \leftarrow \mathrm{clamp}(c_1 \alpha_i + c_2)}, the
#' papers' downscaling, after which fewer contributions are censored. What can
#' be proven about the weights still holds. Arithmetic such as `0.8 * w` instead
#' gives a plain vector of unknown origin.
#'
#' @param weights ([privacy_weights]) The weights.
#' @param scale (number >= 0) The factor \eqn{c_1}. Default 1.
#' @param shift (number) The shift \eqn{c_2}. Default 0. A positive value acts
#'   as a floor.
#' @param ... Must be empty.
#'
#' @return [`privacy_weights`][privacy_weights]. Count weights with scale c and
#'   shift g stay count weights, with `scale` \eqn{c_1 c}, `shift`
#'   \eqn{c_1 \mathrm{clamp}(g) + c_2} and the corresponding factors. Frozen,
#'   two-stage and public scalar weights keep their scheme. All others get the
#'   scheme `"scaled"` and depend on the file as before.
#'
#' @section Error types:
#' `pseudosynth_error_input`: arguments out of range, a plain vector.
#' @section Privacy:
#' `scale` and `shift` must be public. Do not choose them by looking at results
#' of this file.
#' @references
#' Hu, Williams and Savitsky, Mechanisms for global differential privacy under
#' Bayesian data synthesis, section 4.4.
#' @seealso [combine_weights()]
#' @examples
#' w <- count_weights("income", ce_income, radius = 0.2)
#' scale_weights(w, scale = 0.5, shift = 0.25)
#' @export
scale_weights <- function(weights, scale = 1, shift = 0, ...) {
  check_no_dots(..., hint = "See {.fn scale_weights}.")
  check_class(weights, "privacy_weights",
    how = "A plain vector can be multiplied as it is."
  )
  check_argument(scale)
  check_argument(shift)
  node <- node_of(weights)
  rescale <- scheme_of(node)$rescale %||% scaled_node
  at_scale(weights, rescale(node, scale, shift), scale, shift)
}
