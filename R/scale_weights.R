#' Scale weights down
#'
#' \eqn{\alpha_i \leftarrow \mathrm{clamp}(c_1 \alpha_i + c_2)}: the papers'
#' downscaling, which leaves fewer contributions to be clipped. By public
#' numbers it keeps what can be proven about the weights, which arithmetic on
#' them (`0.8 * w`, a plain vector of unknown origin) does not.
#'
#' @param weights ([privacy_weights])
#' @param scale (number >= 0) c_1. Default 1.
#' @param shift (number) c_2. Default 0. A positive one is a floor.
#' @param ... Must be empty.
#'
#' @return [`privacy_weights`][privacy_weights]. Count weights stay count
#'   weights with `scale` \eqn{c_1 c}, `shift` \eqn{c_1 \mathrm{clamp}(g) + c_2}
#'   and the factors of these; frozen, two-stage and public scalar weights keep
#'   their scheme; all others get the scheme `"scaled"` and depend on what they
#'   did.
#'
#' @section Error types:
#' `pseudosynth_error_input`: arguments out of range, a plain vector.
#' @section Privacy:
#' `scale` and `shift` must be public: numbers chosen by looking at this file's
#' results are not.
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
  check_present(weights)
  check_class(weights, "privacy_weights",
    how = "A plain vector can be multiplied as it is."
  )
  check_number(scale, min = 0)
  check_number(shift)
  node <- node_of(weights)
  scheme <- scheme_of(node)
  if (is.null(scheme$rescale)) {
    scaled_weights(weights, scaled_node(node, scale, shift))
  } else {
    rescaled_weights(weights, scheme, scale, shift)
  }
}
