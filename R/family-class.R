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
  new_result(
    "synth_family",
    name = name, likelihood = likelihood, density = density, extras = extras,
    kind = kind, K = as.integer(K), sigma_floor = as.double(sigma_floor),
    df = df, bounds = bounds, log_response = log_response, arguments = arguments
  )
}

#' A family made anew from its plain values: nothing else of it travels in a
#' release
#' @noRd
plain_family <- function(x) {
  parts <- bare_values(unclass(x))
  # Names that mean something are those of parameters
  named <- c("extras", "arguments")
  parts[] <- Map(function(part, name) {
    if (name %in% named) part else unname(part)
  }, parts, names(parts))
  parts$arguments <- lapply(parts$arguments, unname)
  own <- intersect(names(formals(new_synth_family)), names(parts))
  do.call(new_result, c("synth_family", parts[own]), quote = TRUE)
}

is_mixture <- function(family) identical(family$likelihood, "normal_mixture")

is_categorical <- function(family) family$kind == "categorical"

# What the package has to know of a family beside the core's density is its law,
# a list in the family's file; `families` lists them. Its entries, all but the
# first two only where there is something to say:
#
# make       the constructor
# link       "identity", "log" or "logit", of the mean
# prior      function of a flag (is there an intercept alone?): the default
#            prior of the coefficients, where it is not prior_hierarchical()
# several    TRUE: it has several linear predictors
# window     raw log ratio to a reference up to which nothing is censored
#
# and for a score release, where `shape` is the parameter besides the
# coefficients (sigma, size or precision):
#
# clip       where scores are clipped in the two steps, in standard deviations;
#            a family without it has no score release
# example    a named shape, as a reference may state it
# variance   function of mean and shape
# lowest     function of score_frame(): scores up to it never count as unclipped
# probability, quantile   functions of quantiles or probabilities, mean, shape;
#            of two values no probability
# above      function of a, eta, mean, shape: a list of `mean`, E max(Y - a, 0),
#            and its `slope` in the linear predictor eta; not of two values
# error_share, error_quantile   of a location model, in place of these four:
#            functions of errors or probabilities and degrees of freedom
