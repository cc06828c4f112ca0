#' Logistic regression for a yes/no response
#'
#' Models a response with two values; the second has the probability
#' inverse-logit(x'b). For 0/1 responses with one row per record,
#' [stats::binomial()] is the same.
#'
#' The response may be 0/1 (integer or double), logical, a factor with exactly
#' two levels, or a character vector with two distinct values. As in
#' [stats::glm()], the second level is modelled; character values are first
#' sorted as in the C locale. Synthetic values have the same type and levels.
#' The two labels are public.
#'
#' The only parameters are the coefficients. Their default prior is
#' [prior_hierarchical()]. It is proper, so a fit exists even with rare
#' outcomes, outcomes that all records share, categories in which all records
#' have the same outcome (separation) and collinear predictors. The fit's
#' remarks then say what the prior decides.
#'
#' @section Unit of the bound: f is the log of a probability, which is never
#'   above 0 and has no unit.
#' @return A `synth_family` for [fit_synthesizer()]. It holds public numbers
#'   only.
#' @section Error types: [fit_synthesizer()] signals `pseudosynth_error_input`
#'   for a response with other values or with more than two levels, and for a
#'   transformed left side.
#' @references Savitsky, Williams and Hu (2022), "Bayesian Pseudo Posterior
#'   Mechanism under Asymptotic Differential Privacy", Journal of Machine
#'   Learning Research 23, section 2, for the mechanism; the family is not one
#'   of the papers'.
#' @seealso [beta_response()] for a proportion.
#' @examples
#' bernoulli()
#' ce <- transform(head(ce_income, 300), high = income > 50000)
#' fit <- fit_synthesizer(
#'   high ~ age + earner, ce, bernoulli(),
#'   chains = 2, warmup = 300, draws = 1000, seed = 1
#' )
#' fit
#' head(synthesize(fit)[[1]])
#' @export
bernoulli <- function() {
  new_synth_family(
    "bernoulli", "bernoulli",
    "the probability inverse-logit(x'b) of the second of two values",
    extras = character(), kind = "binary"
  )
}

# Two values have a score of one standard deviation where they are equally
# likely: there a clip at 1 is none
law_bernoulli <- list(
  make = bernoulli, link = "logit", clip = c(1, 1),
  variance = function(mean, shape) mean * (1 - mean),
  quantile = function(p, mean, shape) as.double(p > 1 - mean)
)
