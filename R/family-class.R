# The class `synth_family`.

#' Make a family (internal constructor)
#'
#' @param name (string) The constructor's name, as the user writes it.
#' @param likelihood (string) The core's name of the density.
#' @param density (string) The density in words, for printing: `Models the
#'   response by ...`.
#' @param extras (named character) The parameters besides the coefficients, in
#'   the core's order, and the prior of each, in words.
#' @param kind (string) What the response must be: `"continuous"`, `"count"`,
#'   `"proportion"` or `"binary"`.
#' @param K (count) Number of components, 1 without a mixture.
#' @param sigma_floor (number) Public lower bound of every scale.
#' @param df (number or `NULL`) Public degrees of freedom.
#' @param bounds (two numbers or `NULL`) Public bounds of a proportion.
#' @param log_response (flag) Is the logarithm of the response modelled?
#' @param lkj (number) The default of [prior_hierarchical()]'s `lkj`.
#' @param arguments (list) What the constructor was given, for printing.
#' @noRd
new_synth_family <- function(name, likelihood, density,
                             extras = c(sigma = "sigma ~ half-t(3, 0, 1)"),
                             kind = "continuous", K = 1L, sigma_floor = 0,
                             df = NULL, bounds = NULL, log_response = FALSE,
                             lkj = 1, arguments = list()) {
  structure(
    list(
      name = name, likelihood = likelihood, density = density,
      extras = extras, kind = kind, K = as.integer(K),
      sigma_floor = as.double(sigma_floor), df = df, bounds = bounds,
      log_response = log_response, lkj = lkj, arguments = arguments
    ),
    class = c("synth_family", "pseudosynth_result")
  )
}

#' A family made anew from its plain values: nothing else of it travels in a
#' release
#' @noRd
plain_family <- function(x) {
  parts <- bare_values(unclass(x))
  structure(
    parts[intersect(names(formals(new_synth_family)), names(parts))],
    class = c("synth_family", "pseudosynth_result")
  )
}

is_mixture <- function(family) {
  identical(family$likelihood, "normal_mixture")
}

# Has the family the logit link, so that an intercept alone is a mean in (0, 1)?
has_logit_link <- function(family) {
  family$kind %in% c("proportion", "binary")
}
