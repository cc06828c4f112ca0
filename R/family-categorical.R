#' Multinomial logistic regression for a response with several levels
#'
#' Models a response with K unordered levels. Level k has a probability
#' proportional to exp(x'b_k), with b_1 = 0.
#'
#' The response is a factor or a character vector. Its levels are public. State
#' them as `response = public_response(levels = )`; otherwise no label is
#' strict. The first level is the baseline: the coefficient `master:ageyoung` is
#' the coefficient of `ageyoung` in the log odds of `master` against the
#' baseline.
#'
#' The prior must be [prior_normal()]; the default is
#' `prior_normal(1, c(0, 2.5))`. Its standard deviations apply to every such
#' coefficient against the baseline. Half of each variance comes from the
#' baseline, so the prior does not depend on which level is the baseline. With
#' two levels, the model is [bernoulli()] with the same prior. Chains are
#' sampled by NUTS, which knows the curvature of the posterior at its mode
#' (`metric` of [sampler_control()]).
#'
#' Use weights from [lipschitz_weights()] or another rule that reads the
#' log-likelihood. [identification_risk()], [count_weights()], [utility()] and
#' [compare()] only take numeric responses. [audit_guarantee()] refits
#' neighbours, because the model has too many parameters for a grid.
#'
#' @section Unit of the bound: f is the log of a probability, which is never
#'   above 0 and has no unit.
#' @return A `synth_family` for [fit_synthesizer()], [pseudo_posterior()] and
#'   [score_release()]. It holds public text only.
#' @section Error types: [fit_synthesizer()] and [score_release()] signal
#'   `pseudosynth_error_input` for a response of another type, with fewer than
#'   two levels, or with values that are not among the stated levels, for a
#'   transformed left side, and for a prior other than [prior_normal()].
#' @seealso [bernoulli()] for two values.
#' @examples
#' categorical()
#' ce <- ce_income[1:500, ]
#' # From the codebook of the survey, not from the file
#' education <- c(
#'   "no schooling", "1st to 8th grade", "9th to 12th grade",
#'   "high school graduate", "some college", "associate degree",
#'   "bachelor degree", "advanced degree"
#' )
#' fit <- fit_synthesizer(education ~ age + earner, ce, categorical(),
#'   seed = 1, response = public_response(levels = education)
#' )
#' table(synthesize(fit)[[1]]$education)
#' release <- score_release(education ~ age + earner, ce, categorical(),
#'   epsilon = 2, response = public_response(levels = education)
#' )
#' table(synthesize(release, newdata = ce)[[1]]$education)
#' @export
categorical <- function() {
  new_synth_family(
    "categorical", "categorical",
    "probabilities proportional to exp(x'b_k) of its levels",
    extras = character(), kind = "categorical"
  )
}

# Its score release has no clip: see score_release-levels.R
law_categorical <- list(
  make = categorical, link = "logit",
  several = TRUE, prior = function(...) prior_normal(1, c(0, 2.5)),
  clip = c(Inf, Inf)
)
