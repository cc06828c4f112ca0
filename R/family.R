# Families: what one record's log density is. A `synth_family` holds public
# numbers only; the C++ core knows it by its `likelihood`.

#' Make a family (internal constructor)
#'
#' @param name (string) The constructor's name, as the user writes it.
#' @param likelihood (string) The core's name of the density.
#' @param K (count) Number of components, 1 without a mixture.
#' @param sigma_floor (number) Public lower bound of every scale.
#' @param log_response (flag) Is the logarithm of the response modelled?
#' @param arguments (list) What the constructor was given, for printing.
#' @noRd
new_synth_family <- function(name, likelihood, K = 1L, sigma_floor = 0,
                             log_response = FALSE, arguments = list()) {
  structure(
    list(
      name = name, likelihood = likelihood, K = as.integer(K),
      sigma_floor = as.double(sigma_floor), log_response = log_response,
      arguments = arguments
    ),
    class = "synth_family"
  )
}

#' Turn what the user gave into a family
#'
#' @param x A `synth_family`, a family of the stats package, the name of a
#'   family or a function that makes one.
#' @return (`synth_family`)
#' @noRd
as_synth_family <- function(x, arg = rlang::caller_arg(x),
                            call = rlang::caller_env()) {
  if (inherits(x, "synth_family")) {
    return(x)
  }
  makers <- list(
    gaussian = function() gaussian_family(),
    lognormal = function() lognormal(),
    normal_mixture = function() normal_mixture()
  )
  if (is.character(x)) {
    return(makers[[check_choice(x, names(makers), arg = arg, call = call)]]())
  }
  if (is.function(x)) {
    # gaussian, lognormal or normal_mixture without their parentheses.
    x <- tryCatch(x(), error = function(e) NULL)
    if (inherits(x, "synth_family")) {
      return(x)
    }
  }
  if (!inherits(x, "family")) {
    abort_input(
      c(
        "{.arg {arg}} must be a family: {.code {family_choices()}}.",
        x = "It is {describe_type(x)}."
      ),
      arg = arg, call = call
    )
  }
  if (!identical(x$family, "gaussian")) {
    abort_input(
      c(
        "{.arg {arg}} must be one of {.code {family_choices()}}.",
        x = "The family {.val {x$family}} is not available."
      ),
      arg = arg, call = call
    )
  }
  if (!identical(x$link, "identity")) {
    abort_input(
      c(
        "{.fn gaussian} must have the identity link.",
        x = "Its link is {.val {x$link}}.",
        i = "Model {.code log(y)} or use {.fn lognormal} for a log scale."
      ),
      arg = arg, call = call
    )
  }
  gaussian_family()
}

family_choices <- function() {
  c("gaussian()", "lognormal()", "normal_mixture()")
}

gaussian_family <- function() {
  new_synth_family("gaussian", "gaussian")
}

is_mixture <- function(family) {
  identical(family$likelihood, "normal_mixture")
}

#' @export
format.synth_family <- function(x, ...) {
  arguments <- vapply(x$arguments, format, "")
  sprintf(
    "%s(%s)", x$name,
    paste(names(x$arguments), "=", arguments, collapse = ", ",
          recycle0 = TRUE)
  )
}

#' @export
print.synth_family <- function(x, ...) {
  target <- if (x$log_response) "the log of the response" else "the response"
  density <- switch(x$likelihood,
    gaussian = "normal errors with one standard deviation",
    normal_mixture = sprintf(
      "a mixture of %d normal regressions, each standard deviation >= %s",
      x$K, format(x$sigma_floor)
    )
  )
  cat("<synth_family> ", format(x), "\n", sep = "")
  cat("Models ", target, " by ", density, ".\n", sep = "")
  invisible(x)
}
