# The class `synth_family`: public numbers and words, which travel in releases.
# Functions do not: those of a family are its law, looked up by its name.

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
#' @param arguments (list) What the constructor was given, for printing.
#' @noRd
new_synth_family <- function(name, likelihood, density,
                             extras = c(sigma = "sigma ~ half-t(3, 0, 1)"),
                             kind = "continuous", K = 1L, sigma_floor = 0,
                             df = NULL, bounds = NULL, log_response = FALSE,
                             arguments = list()) {
  structure(
    list(
      name = name, likelihood = likelihood, density = density,
      extras = extras, kind = kind, K = as.integer(K),
      sigma_floor = as.double(sigma_floor), df = df, bounds = bounds,
      log_response = log_response, arguments = arguments
    ),
    class = "synth_family"
  )
}

#' A family made anew from its plain values: nothing else of it travels in a
#' release
#' @noRd
plain_family <- function(x) {
  parts <- bare_values(unclass(x))
  structure(
    parts[intersect(names(formals(new_synth_family)), names(parts))],
    class = "synth_family"
  )
}

is_mixture <- function(family) {
  identical(family$likelihood, "normal_mixture")
}

is_categorical <- function(family) {
  family$kind == "categorical"
}

#' What the package has to know of a family beside the core's density
#'
#' One for each, in its file; families() lists them. Without `clip` and the
#' entries after it there is no score release of the family. Location models
#' have `error_share` and `error_quantile`; other families `variance`,
#' `probability`, `quantile` and `above`, but two values no `probability` and
#' no `above`.
#'
#' `shape` is the parameter besides the coefficients: sigma, size or precision.
#' @param make (function) The constructor.
#' @param link (string) `"identity"`, `"log"` or `"logit"`, of the mean.
#' @param prior (function of a flag: is there an intercept alone?) Gives the
#'   default prior of the coefficients.
#' @param several (flag) Has it several linear predictors?
#' @param window (number or `NULL`) Raw log ratio to a reference up to which
#'   nothing is clipped by default.
#' @param example (named number or `NULL`) A shape that a reference may state.
#' @param clip (two numbers) Where scores are clipped in the two steps of a
#'   score release, in standard deviations.
#' @param variance (function of mean and shape) Of a response.
#' @param lowest (function of score_frame()) Scores up to it never count as
#'   unclipped.
#' @param probability,quantile (functions of quantiles or probabilities, mean
#'   and shape) The law of responses.
#' @param above (function of a, eta, mean, shape) Gives `mean`, that is
#'   E max(Y - a, 0), and its `slope` in the linear predictor eta.
#' @param error_share,error_quantile (functions of errors or probabilities and
#'   degrees of freedom) The law of a location model's errors.
#' @noRd
family_law <- function(make, link, prior = function(...) prior_hierarchical(),
                       several = FALSE, window = NULL, example = NULL,
                       clip = NULL, variance = NULL, lowest = NULL,
                       probability = NULL, quantile = NULL, above = NULL,
                       error_share = NULL, error_quantile = NULL) {
  as.list(environment())
}
