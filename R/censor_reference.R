# What a censoring rule is centred on: a `censor_reference` holds a parameter
# vector and where it comes from, never a record.

#' Turn what the user gave into a reference
#'
#' @param x `NULL`, a named list of public values or a fit on other data.
#' @return (`censor_reference` or `NULL`) A list with `origin` (`"public"` or
#'   `"history"`), `values` (named double) and for a fit `family`, `response`,
#'   `design` (none holds a record), `fingerprint` and `rows`, which tell
#'   whether the reference was fitted to the file itself or to most of it.
#' @noRd
as_reference <- function(x, call = rlang::caller_env()) {
  if (is.null(x)) {
    return(x)
  }
  if (inherits(x, "censor_reference")) {
    return(check_sealed(x, "censor", arg = "reference", call = call))
  }
  if (inherits(x, "synthesizer")) {
    check_sealed(x, "fit_synthesizer", arg = "reference", call = call)
    return(new_censor_reference(
      "history", reference_values(x),
      family = x$family, response = x$response, design = x$design,
      fingerprint = values_mark(x$spec$y),
      rows = row_hashes(as.list(x$data))
    ))
  }
  new_censor_reference("public", public_values(x, call))
}

new_censor_reference <- function(origin, values, ...) {
  seal(structure(
    list(origin = origin, values = values, ...),
    class = "censor_reference"
  ))
}

#' The posterior mean, or a mixture's draw of largest log-likelihood
#' @noRd
reference_values <- function(fit) {
  if (is_mixture(fit$family)) {
    return(fit$draws[which.max(fit$monitor[, "log_lik"]), ])
  }
  colMeans(fit$draws)
}

public_values <- function(x, call) {
  named <- (is.list(x) || is.numeric(x)) && !is.object(x) && length(x) > 0 &&
    !is.null(names(x)) && all(nzchar(names(x)))
  number <- vapply(as.list(if (named) x), function(value) {
    is.numeric(value) && !is.object(value) && length(value) == 1 &&
      is.finite(value)
  }, TRUE)
  if (!named || !all(number)) {
    abort_input(
      c(
        "{.arg reference} must be a list of one finite number for each
         parameter named, or a {.cls synthesizer} fitted to other data.",
        x = "It is {describe_type(x)}.",
        i = "For instance {.code list(\"(Intercept)\" = 10.8, sigma = 1)}."
      ),
      arg = "reference", call = call
    )
  }
  twice <- unique(names(x)[duplicated(names(x))])
  if (length(twice) > 0) {
    abort_input(
      c(
        "{.arg reference} must name each parameter once.",
        x = "{cli::qty(length(twice))}Found more than once: {.val {twice}}."
      ),
      arg = "reference", call = call
    )
  }
  vapply(x, as.double, numeric(1))
}

#' Slopes N(0, 1), the intercept around the public one
#'
#' What a confidential history says stays out of the prior, which labels print.
#' @param unit (number) Of the linear predictor.
#' @noRd
centred_prior <- function(reference, unit = 1) {
  if (reference$origin == "history") {
    return(prior_normal(unit))
  }
  values <- reference$values
  intercept <- if ("(Intercept)" %in% names(values)) {
    values[["(Intercept)"]]
  } else {
    0
  }
  prior_normal(unit, c(intercept, 2.5 * unit))
}

#' @export
format.censor_reference <- function(x, ...) {
  if (x$origin == "history") {
    return("a fit on other data")
  }
  paste0(
    "public values ",
    paste(names(x$values), "=", vapply(x$values, format, ""), collapse = ", ")
  )
}

#' @export
print.censor_reference <- function(x, ...) {
  cat("<censor_reference> ", format(x), "\n", sep = "")
  invisible(x)
}
