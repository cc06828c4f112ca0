# Normal errors, of the response or of its log. stats::gaussian() is accepted as
# it is, so that nothing of the stats package is masked.

gaussian_family <- function() {
  new_synth_family(
    "gaussian", "gaussian", "normal errors with one standard deviation"
  )
}

law_gaussian <- list(
  make = gaussian_family, link = "identity",
  window = 4, example = c(sigma = 1), clip = c(1.5, 0.8),
  error_share = function(x, df) stats::pnorm(x),
  error_quantile = function(p, df) stats::qnorm(p)
)

#' Normal regression for the log of the response
#'
#' Models the logarithm of the response by N(x'b, sigma^2). `income ~ age` with
#' `lognormal()` is the same model as `log(income) ~ age` with
#' [stats::gaussian()]. The log-likelihood, and therefore the Lipschitz bound,
#' is that of the *logged* response, without a Jacobian, as in the papers.
#' Synthetic values are in the response's own unit.
#'
#' sigma has the prior half-t(3, 0, 1). The default prior of the coefficients
#' is [prior_hierarchical()].
#'
#' @return A `synth_family` for [fit_synthesizer()]. It holds public numbers
#'   only.
#' @section Error types: [fit_synthesizer()] signals `pseudosynth_error_input`
#'   if the response has values that are not positive, or the formula already
#'   takes the logarithm.
#' @references Hu, Savitsky and Williams (2022), "Private Tabular Survey Data
#'   Products through Synthetic Microdata Generation".
#' @seealso [normal_mixture()] for a margin that is not normal.
#' @examples
#' lognormal()
#' @export
lognormal <- function() {
  new_synth_family(
    "lognormal", "gaussian", "normal errors with one standard deviation",
    log_response = TRUE
  )
}

law_lognormal <- replace(law_gaussian, "make", list(lognormal))
