#' A public scalar weight
#'
#' Makes one weight for all records from a number that you state beforehand: a
#' number from a paper, a policy or an earlier release. The weight depends on no
#' record, so a censored fit with this weight can have a strict label.
#'
#' A bare number, such as `privacy_weights = 0.5`, is instead a weight of
#' unknown origin, because the package cannot tell 0.5 from `mean(w)` of
#' confidential weights. By calling `public_scalar()` you state that the number
#' was not computed from this file.
#'
#' @param alpha (number in \[0, 1\]) The weight. It has no default.
#' @return [`privacy_weights`][privacy_weights] of scheme `"public_scalar"` and
#'   length 1, which every function that takes weights repeats for all records.
#' @section Error types:
#' `pseudosynth_error_input`: anything but one number in \[0, 1\].
#' @section Privacy:
#' The label relies on your statement.
#' @seealso [solve_weights()] for a scalar that is solved from the file,
#'   [combine_weights()] to apply one on top of other weights.
#' @examples
#' public_scalar(0.5)
#' @export
public_scalar <- function(alpha) {
  check_number(alpha, min = 0, max = 1)
  scalar_of(as.double(alpha))
}

scalar_of <- function(alpha) {
  new_privacy_weights(
    alpha, "public_scalar", list(alpha = alpha),
    made_from = character(), basis = list(alpha = alpha)
  )
}

public_scalar_scheme <- function() {
  new_weighting_scheme(
    "public_scalar", title = "public scalar weight", short = "Scalar",
    word = "public_scalar", clipped = c(censored = "public_scalar"),
    inputs = "alpha",
    dependency = function(node, inner) dependency("own record"),
    rule = one_for_all,
    rescale = function(node, scale, shift) {
      node_of(scalar_of(clamp(scale * node$basis$alpha + shift)))
    }
  )
}

one_for_all <- function(node, data, inner) rep(node$basis$alpha, nrow(data))

#' The number that weights are for every record, if it was stated
#' @return (number or `NULL`)
#' @noRd
public_number <- function(node) {
  if (node$scheme == public_scalar_scheme()$name) node$basis$alpha
}
