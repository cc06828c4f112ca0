# What R's own generics give of our objects. Without a method of ours most of
# them would answer NULL: those that have no meaning here say so.

#' What R's own functions give of fits, jobs and synthetic data
#'
#' `coef()` and `weights()` work on fits and on jobs, of which they take the
#' last fit. What has no meaning for a Bayesian fit of weighted records, or for
#' synthetic data, is an error that names what to ask instead.
#'
#' @param object,x (`synthesizer`, [`pseudo_posterior`][pseudo_posterior] or
#'   [`synthetic_data`][synthetic_data])
#' @param row.names,optional As in [as.data.frame()].
#' @param set As in [`as.data.frame()`][synthetic_data] of synthetic data.
#' @param ... Not used.
#' @return `coef()`: the posterior means of the coefficients, named by the
#'   columns of the design (of a [categorical()] response by level and column);
#'   not for mixtures, whose components exchange places
#'   between draws. `weights()`: the [privacy_weights] of the fit, all 1 where
#'   it has none. Both are confidential. `nobs()` of a job: the records of the
#'   file, as many as of each set.
#' @section Error types:
#' `pseudosynth_error_input`: `coef()` of a mixture, `weights()` of a score
#' release, `fitted()`, `residuals()`, `deviance()`, `df.residual()`, `sigma()`,
#' `head()` and `tail()` of a fit or a job, and all but the last two of
#' synthetic data, whose rows these give.
#' @seealso [summary()][synthesizer] of a fit, [as_draws()],
#'   [posterior_predict()][posterior_predict.synthesizer]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' coef(fit)
#' range(weights(fit))
#' @name stats-methods
NULL

# What works -------------------------------------------------------------------

#' @rdname stats-methods
#' @importFrom stats coef
#' @export
coef.synthesizer <- function(object, ...) {
  if (is_mixture(object$family)) {
    abort_input(
      "A mixture has no coefficients of its own.",
      i = "Its components exchange places between draws, and means over draws
           tell nothing. {.fn as_draws_df} gives the draws, {.fn summary} what
           can be summarised.",
      arg = "object"
    )
  }
  draws <- object$draws
  own <- setdiff(colnames(draws), names(object$family$extras))
  colMeans(draws[, own, drop = FALSE])
}

#' @rdname stats-methods
#' @importFrom stats weights
#' @export
weights.synthesizer <- function(object, ...) {
  object$privacy_weights %||%
    as_privacy_weights(public_scalar(1), n_records(object))
}

#' @rdname stats-methods
#' @export
coef.pseudo_posterior <- function(object, ...) {
  stats::coef(final_fit(object))
}

#' @rdname stats-methods
#' @method nobs pseudo_posterior
#' @export
nobs.pseudo_posterior <- function(object, ...) {
  object$synthetic$n_records
}

#' @rdname stats-methods
#' @export
as.data.frame.pseudo_posterior <- function(x,
                                           row.names = NULL, # nolint
                                           optional = FALSE, set = NULL, ...) {
  as.data.frame(x$synthetic, set = set)
}

#' @rdname stats-methods
#' @export
weights.pseudo_posterior <- function(object, ...) {
  fit <- final_fit(object)
  check_class(
    fit, "synthesizer", "A score release has no weights of records.",
    arg = "object"
  )
  weights.synthesizer(fit)
}

# What has no meaning ----------------------------------------------------------

# What to ask instead, in cli's markup
of_records <- "{.fn posterior_predict} draws responses, {.fn log_lik} their log
  density, {.fn lipschitz} the bounds of the records."
of_fits <- "{.fn summary} shows what it holds."
of_sets <- "Fit a model to every set by {.code with(x, lm(..))} and combine them
  by {.fn pool}."

no_method <- function(object, verb, instead) {
  abort_input(
    "There is no {.fn {verb}} of {describe_type(object)}.", i = instead,
    arg = "object"
  )
}

#' @rdname stats-methods
#' @importFrom stats fitted
#' @method fitted synthesizer
#' @export
fitted.synthesizer <- function(object, ...) {
  no_method(object, "fitted", of_records)
}

#' @rdname stats-methods
#' @method fitted pseudo_posterior
#' @export
fitted.pseudo_posterior <- function(object, ...) {
  no_method(object, "fitted", of_records)
}

#' @rdname stats-methods
#' @method fitted synthetic_data
#' @export
fitted.synthetic_data <- function(object, ...) {
  no_method(object, "fitted", of_sets)
}

#' @rdname stats-methods
#' @importFrom stats residuals
#' @method residuals synthesizer
#' @export
residuals.synthesizer <- function(object, ...) {
  no_method(object, "residuals", of_records)
}

#' @rdname stats-methods
#' @method residuals pseudo_posterior
#' @export
residuals.pseudo_posterior <- function(object, ...) {
  no_method(object, "residuals", of_records)
}

#' @rdname stats-methods
#' @method residuals synthetic_data
#' @export
residuals.synthetic_data <- function(object, ...) {
  no_method(object, "residuals", of_sets)
}

#' @rdname stats-methods
#' @importFrom stats deviance
#' @method deviance synthesizer
#' @export
deviance.synthesizer <- function(object, ...) {
  no_method(object, "deviance", of_records)
}

#' @rdname stats-methods
#' @method deviance pseudo_posterior
#' @export
deviance.pseudo_posterior <- function(object, ...) {
  no_method(object, "deviance", of_records)
}

#' @rdname stats-methods
#' @method deviance synthetic_data
#' @export
deviance.synthetic_data <- function(object, ...) {
  no_method(object, "deviance", of_sets)
}

#' @rdname stats-methods
#' @importFrom stats df.residual
#' @method df.residual synthesizer
#' @export
df.residual.synthesizer <- function(object, ...) {
  no_method(object, "df.residual", of_fits)
}

#' @rdname stats-methods
#' @method df.residual pseudo_posterior
#' @export
df.residual.pseudo_posterior <- function(object, ...) {
  no_method(object, "df.residual", of_fits)
}

#' @rdname stats-methods
#' @method df.residual synthetic_data
#' @export
df.residual.synthetic_data <- function(object, ...) {
  no_method(object, "df.residual", of_sets)
}

#' @rdname stats-methods
#' @importFrom stats sigma
#' @method sigma synthesizer
#' @export
sigma.synthesizer <- function(object, ...) {
  no_method(object, "sigma", of_fits)
}

#' @rdname stats-methods
#' @method sigma pseudo_posterior
#' @export
sigma.pseudo_posterior <- function(object, ...) {
  no_method(object, "sigma", of_fits)
}

#' @rdname stats-methods
#' @method sigma synthetic_data
#' @export
sigma.synthetic_data <- function(object, ...) {
  no_method(object, "sigma", of_sets)
}

#' @rdname stats-methods
#' @export
coef.synthetic_data <- function(object, ...) {
  no_method(object, "coef", of_sets)
}

#' @rdname stats-methods
#' @export
weights.synthetic_data <- function(object, ...) {
  no_method(object, "weights", of_sets)
}

#' @rdname stats-methods
#' @export
head.synthesizer <- function(x, ...) {
  no_method(x, "head", of_fits)
}

#' @rdname stats-methods
#' @export
head.pseudo_posterior <- function(x, ...) {
  no_method(x, "head", of_fits)
}

#' @rdname stats-methods
#' @export
tail.synthesizer <- function(x, ...) {
  no_method(x, "tail", of_fits)
}

#' @rdname stats-methods
#' @export
tail.pseudo_posterior <- function(x, ...) {
  no_method(x, "tail", of_fits)
}
