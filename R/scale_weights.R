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
#'
#' @return [`privacy_weights`][privacy_weights]. Count weights stay count
#'   weights with `scale` \eqn{c_1 c}, `shift` \eqn{c_1 \mathrm{clamp}(g) + c_2}
#'   and the factors of these; frozen, two-stage and public scalar weights keep
#'   their scheme and source; all others get the scheme `"scaled"`.
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
scale_weights <- function(weights, scale = 1, shift = 0) {
  check_class(weights, "privacy_weights",
    how = "A plain vector can be multiplied as it is."
  )
  check_number(scale, min = 0)
  check_number(shift)
  alpha <- clamp(scale * as.double(weights) + shift)
  basis <- attr(weights, "basis")
  if (!is.null(basis)) {
    basis <- list(kind = "scaled", of = basis, scale = scale, shift = shift)
  }
  make <- function(scheme, arguments) {
    new_privacy_weights(
      alpha, scheme, arguments,
      source = attr(weights, "source"), basis = basis,
      records = attr(weights, "records")
    )
  }
  arguments <- attr(weights, "arguments")
  scheme <- attr(weights, "scheme")
  switch(scheme,
    count = make("count", scaled_count(arguments, scale, shift)),
    public_scalar = make(
      "public_scalar", list(alpha = clamp(scale * arguments$alpha + shift))
    ),
    frozen = ,
    two_stage = make(
      scheme, utils::modifyList(
        arguments, rescaled(arguments, scale, shift)
      )
    ),
    make(
      "scaled", c(
        list(of = scheme, scaled_by = scale, shifted_by = shift),
        inherited_arguments(weights, "scale", "shift")
      )
    )
  )
}

#' Count weights scaled are count weights with other c and g
#' @noRd
scaled_count <- function(arguments, scale, shift) {
  kept <- c(
    "radius", "relative", "known", "n_pattern_min", "n_pattern_max"
  )
  # In the order of count_weights()
  slope <- scale * arguments$scale
  # The clamp may have raised or cut the floor before
  floor <- scale * clamp(arguments$shift) + shift
  c(
    list(scale = slope, shift = floor), arguments[intersect(
      kept, names(arguments)
    )],
    count_factors(slope, floor, arguments$n_pattern_max)
  )
}

# Scaled twice is scaled once, but for the clamp between.
rescaled <- function(arguments, scale, shift) {
  list(
    scaled_by = scale * (arguments$scaled_by %||% 1),
    shifted_by = scale * (arguments$shifted_by %||% 0) + shift
  )
}
