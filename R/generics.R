#' @importFrom rstantools log_lik
#' @export
rstantools::log_lik

#' @importFrom rstantools posterior_predict
#' @export
rstantools::posterior_predict

#' @importFrom rstantools prior_summary
#' @export
rstantools::prior_summary

#' @importFrom posterior as_draws
#' @export
posterior::as_draws

#' @importFrom posterior as_draws_array
#' @export
posterior::as_draws_array

#' @importFrom posterior as_draws_df
#' @export
posterior::as_draws_df

#' @importFrom posterior as_draws_matrix
#' @export
posterior::as_draws_matrix

# Generics that every floor may call; their methods stand with what they need.

#' @rdname guarantee
#' @export
#' @order 1
guarantee <- function(x, m = 1, ...) {
  check_present(x)
  UseMethod("guarantee")
}

#' @rdname guarantee
#' @export
guarantee.default <- function(x, m = 1, ...) {
  abort_input(
    "{.arg x} has no privacy label.", x = "It is {describe_type(x)}.",
    i = "{.cls synthesizer}, {.cls synthetic_data} and {.cls pseudo_posterior}
         objects have one.",
    arg = "x"
  )
}
