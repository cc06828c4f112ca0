# What R's own generics give of our objects. Without a method of ours most of
# them would answer NULL: those that have no meaning here say so.

#' Use R's own functions on fits, jobs and synthetic data
#'
#' `coef()` and `weights()` work on fits and on jobs, where they use the last
#' fit. Functions that have no meaning for a Bayesian fit of weighted records or
#' for synthetic data give an error that names an alternative.
#'
#' @param object A `synthesizer`, a [`pseudo_posterior`][pseudo_posterior] or
#'   [`synthetic_data`][synthetic_data].
#' @param ... Not used.
#' @return `coef()`: the posterior means of the coefficients, named by the
#'   columns of the design (for a [categorical()] response by level and column).
#'   It does not apply to mixtures, because their components exchange places
#'   between draws. `weights()`: the [privacy_weights] of the fit, all 1 if it
#'   has none. Both are confidential.
#' @section Error types:
#' `pseudosynth_error_input`: `coef()` of a mixture; `weights()` of a score
#' release; `fitted()`, `residuals()`, `deviance()`, `df.residual()`, `sigma()`,
#' `head()` and `tail()` of a fit or a job; the same for synthetic data, except
#' `head()` and `tail()`, which return rows.
#' @seealso [summary()][synthesizer] of a fit, [as_draws()],
#'   [posterior_predict()][posterior_predict.synthesizer]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' coef(fit)
#' range(weights(fit))
#' @name stats-methods
NULL

# What works -------------------------------------------------------------------

#' @rdname stats-methods
#' @export
coef.synthesizer <- function(object, ...) {
  refuse_if(
    is_mixture(object$family), "{.fn coef} does not apply to mixtures.",
    i = "Components exchange places between draws, so means over draws have no
         meaning. {.fn as_draws_df} gives the draws, {.fn summary} what can be
         summarised.", arg = "object"
  )
  draws <- object$draws
  own <- setdiff(colnames(draws), names(object$family$extras))
  colMeans(draws[, own, drop = FALSE])
}

#' @rdname stats-methods
#' @export
weights.synthesizer <- function(object, ...) {
  object$privacy_weights %||%
    as_privacy_weights(public_scalar(1), n_records(object))
}

#' @rdname stats-methods
#' @export
coef.pseudo_posterior <- function(object, ...) stats::coef(final_fit(object))

#' @rdname stats-methods
#' @export
weights.pseudo_posterior <- function(object, ...) {
  weights.synthesizer(fit_of_records(object, "object"))
}

# What has no meaning ----------------------------------------------------------

#' @importFrom stats coef deviance df.residual fitted residuals sigma weights
#' @importFrom utils head tail
#' @rawNamespace
#' S3method(coef, pseudosynth_result, no_method)
#' S3method(deviance, pseudosynth_result, no_method)
#' S3method(df.residual, pseudosynth_result, no_method)
#' S3method(fitted, pseudosynth_result, no_method)
#' S3method(head, pseudosynth_result, no_method)
#' S3method(residuals, pseudosynth_result, no_method)
#' S3method(sigma, pseudosynth_result, no_method)
#' S3method(tail, pseudosynth_result, no_method)
#' S3method(update, pseudosynth_result, no_method)
#' S3method(weights, pseudosynth_result, no_method)
#' S3method(with, pseudosynth_result, no_method)
no_method <- function(...) {
  object <- ..1
  verb <- .Generic
  of_records <- inherits(object, c("synthesizer", "pseudo_posterior")) &&
    verb %in% c("deviance", "fitted", "residuals")
  abort_input(
    "{.fn {verb}} does not apply to {describe_type(object)}.",
    i = if (inherits(object, "synthetic_data")) {
      "Fit a model to every set by {.code with(x, lm(..))} and combine the
       estimates by {.fn pool}."
    } else if (inherits(object, "noisy_release")) {
      "{.fn synthesize} draws sets of it, and {.code with(sets, lm(..))} fits a
       model to each."
    } else if (of_records) {
      "{.fn posterior_predict} draws responses, {.fn log_lik} gives their log
       density, {.fn lipschitz} the bounds of the records."
    } else {
      "{.fn summary} shows what it holds."
    },
    arg = "object"
  )
}
