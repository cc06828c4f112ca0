# What other packages' generics ask of the chains: bayesplot's figures of
# diagnostics, loo's comparison of models.

#' Diagnostics for bayesplot, leave-one-out for loo
#'
#' Methods for generics of the packages bayesplot and loo, so that
#' `bayesplot::mcmc_rhat(bayesplot::rhat(fit))`, `mcmc_neff()` and
#' `mcmc_nuts_energy()` draw a fit, and `loo::loo(fit)` tells which family
#' predicts the file better. To choose a family is a look at the file: a label
#' does not count it.
#'
#' @param object,x (`synthesizer`) A fit of [fit_synthesizer()].
#' @param pars (character or `NULL`) Which quantities. Default: all.
#' @param ... Of `loo()`: passed on. Of the others: not used.
#' @return `rhat()`, `neff_ratio()`: a named number for each quantity that the
#'   fit is judged by; the ratio is that of the smaller of the bulk and the tail
#'   effective sample size to the draws. `nuts_params()`: a data frame with
#'   `Chain`, `Iteration`, `Parameter` and `Value`. `loo()`: of the package loo.
#'   All are confidential.
#' @section Error types: `pseudosynth_error_input`: `nuts_params()` of a fit of
#'   another sampler, `loo()` of a fit with weights or a clip, whose likelihood
#'   is not that of the data.
#' @examplesIf requireNamespace("bayesplot", quietly = TRUE)
#' ce <- head(subset(ce_income, income > 0), 200)
#' fit <- fit_synthesizer(log(income) ~ age, ce, student_t(5),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 300, seed = 1
#' )
#' bayesplot::rhat(fit)
#' bayesplot::neff_ratio(fit)
#' @name bayesplot-methods
NULL

#' @rdname bayesplot-methods
#' @exportS3Method bayesplot::rhat
rhat.synthesizer <- function(object, pars = NULL, ...) {
  judged(object, object$diagnostics$rhat, pars)
}

#' @rdname bayesplot-methods
#' @exportS3Method bayesplot::neff_ratio
neff_ratio.synthesizer <- function(object, pars = NULL, ...) {
  table <- object$diagnostics
  judged(object, pmin(table$ess_bulk, table$ess_tail) / n_draws(object), pars)
}

judged <- function(fit, values, pars, call = rlang::caller_env()) {
  values <- stats::setNames(values, fit$diagnostics$variable)
  check_names(pars, names(values), arg = "pars", call = call)
  if (is.null(pars)) values else values[pars]
}

#' @rdname bayesplot-methods
#' @exportS3Method bayesplot::nuts_params
nuts_params.synthesizer <- function(object, pars = NULL, ...) {
  found <- object$sampler
  if (length(found$energy) == 0) {
    abort_input(
      c(
        "Only a fit of the sampler NUTS has what {.fn nuts_params} tells.",
        x = "This one was made by {.val {object$control$sampler}}.",
        i = "{.code control = sampler_control(sampler = \"nuts\")} asks for it."
      ),
      arg = "object"
    )
  }
  chain <- object$chain
  values <- list(
    accept_stat__ = found$accept_stat, stepsize__ = found$stepsize[chain],
    treedepth__ = found$treedepth, n_leapfrog__ = found$n_leapfrog,
    divergent__ = found$divergent, energy__ = found$energy
  )
  check_names(pars, names(values), arg = "pars")
  values <- values[pars %||% names(values)]
  n <- length(chain)
  data.frame(
    Chain = rep(chain, length(values)),
    Iteration = rep(
      as.integer(stats::ave(seq_len(n), chain, FUN = seq_along)),
      length(values)
    ),
    Parameter = factor(rep(names(values), each = n), names(values)),
    Value = unlist(values, use.names = FALSE)
  )
}

#' @rdname bayesplot-methods
#' @exportS3Method loo::loo
loo.synthesizer <- function(x, ...) {
  if (!is.null(x$privacy_weights) || !is.null(x$censor)) {
    abort_input(
      c(
        "{.fn loo} is for fits without weights and without a clip.",
        x = "The likelihood of this one is not that of the data.",
        i = "Compare families by their unweighted fits."
      ),
      arg = "x"
    )
  }
  values <- log_lik.synthesizer(x)
  loo::loo(
    values,
    r_eff = loo::relative_eff(exp(values), chain_id = x$chain), ...
  )
}
