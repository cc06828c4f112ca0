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

# Classes of R that are numbers and are written as text, such as dates. Their
# methods stand with the kind of column, kind-<name>.R.

#' Values as text, in each form that they may be written in
#' @return (list of character) The first is that of a CSV file, the same on
#'   every machine. `NULL`: it is no such class.
#' @noRd
time_forms <- function(x) UseMethod("time_forms")

time_forms.default <- function(x) NULL

#' The numbers that text stands for, `NA` where it is in no form
#' @param like (vector) Of the class.
#' @noRd
time_number <- function(text, like) UseMethod("time_number", like)

is_time <- function(x) {
  is.object(x) &&
    !is.null(time_forms(structure(double(), class = oldClass(x))))
}

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
