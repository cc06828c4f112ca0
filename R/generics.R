# Generics that every floor may call; their methods stand with what they need.

#' @rdname guarantee
#' @export
guarantee <- function(x, m = 1, ...) {
  check_present(x)
  UseMethod("guarantee")
}

#' @rdname guarantee
#' @export
guarantee.default <- function(x, m = 1, ...) {
  abort_input(
    c(
      "{.arg x} carries no privacy label.",
      x = "It is {describe_type(x)}.",
      i = "Labels belong to {.cls synthesizer}, {.cls synthetic_data} and
           {.cls pseudo_posterior} objects."
    ),
    arg = "x", call = rlang::caller_env()
  )
}
