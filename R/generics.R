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

# Elements of objects ----------------------------------------------------------

#' An element by its whole name; any other name is an error, where a list would
#' answer NULL
#'
#' @param what (string) The object in words, a plural.
#' @param instead (string or `NULL`) What to ask, in cli's markup.
#' @noRd
element_of <- function(x, name, what, instead = NULL,
                       call = rlang::caller_env()) {
  parts <- unclass(x)
  if (isTRUE(name %in% names(parts))) {
    return(parts[[name]])
  }
  abort_input(
    c(
      "{what} have no element {.val {name}}.",
      i = instead %||% "Their elements are {.val {names(parts)}}."
    ),
    arg = "name", call = call
  )
}
