#' Compute the log-likelihood of every record at every draw
#'
#' Returns the unweighted, uncensored log-likelihood f_i(theta_s) = log p(y_i |
#' x_i, theta_s): the log density of the *modelled* response (for
#' `log(income) ~ ...`, the density of the log, without a Jacobian).
#'
#' Use it for other packages, such as loo. [lipschitz()] does not need this
#' matrix.
#'
#' @param object (`synthesizer`) A fit of [fit_synthesizer()].
#' @param draws (count or `NULL`) Number of draws, spread evenly over the fit's.
#'   `NULL`, the default: all of them.
#' @param draw_ids (whole numbers from 1 to S, or `NULL`) Which draws, in place
#'   of `draws`. Default `NULL`.
#' @param records (whole numbers from 1 to N, or `NULL`) Which records. `NULL`,
#'   the default: all of them.
#' @param ... Not used.
#' @return (numeric matrix, S x N) Draws in rows (chains merged, chain 1 first)
#'   and records in columns, in the order of the data. `-Inf` where a density is
#'   0. Confidential.
#' @section Error types: `pseudosynth_error_input`: a matrix larger than the
#'   memory available (option `pseudosynth.memory`, in bytes), or a draw or
#'   record that does not exist.
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(), chains = 2, draws = 1000, seed = 1
#' )
#' dim(log_lik(fit, draws = 10))
#' @importFrom rstantools log_lik
#' @method log_lik synthesizer
#' @export
log_lik.synthesizer <- function(object, draws = NULL, records = NULL,
                                draw_ids = NULL, ...) {
  check_no_dots(...)
  check_class(object, "synthesizer")
  draws <- chosen_draws(draws, draw_ids, n_draws(object))
  records <- check_index(records, n_records(object))
  check_memory(8 * length(draws) * length(records), "The matrix", "draws")
  call_core(log_lik_(
    subset_spec(object$spec, records), object$draws[draws, , drop = FALSE]
  ))
}

#' How many draws, or which: one number alone could be meant as either
#' @return (integer) Which.
#' @noRd
chosen_draws <- function(draws, ids, n) {
  if (is.null(draws)) {
    return(check_index(ids, n, arg = "draw_ids"))
  }
  refuse_if(
    !is.null(ids), "Only one of {.arg draws} and {.arg draw_ids} can be given.",
    arg = "draws"
  )
  refuse_if(
    length(draws) > 1, "{.arg draws} must be one number: how many draws.",
    x = "It is {describe_type(draws)}.",
    i = "To choose draws, use {.arg draw_ids}.", arg = "draws"
  )
  draws <- check_count(draws, min = 1, max = n, arg = "draws")
  round(seq(1, n, length.out = draws))
}

#' Draw responses from the posterior predictive distribution
#'
#' Simulates responses to check the model inside the agency, for instance by
#' `bayesplot::pp_check()`. Never release them: every row uses a parameter draw
#' of its own, and each parameter draw costs privacy. Use [synthesize()] for
#' what is to be released.
#'
#' @param object (`synthesizer`) A fit of [fit_synthesizer()].
#' @param newdata (data frame or `NULL`) Predictors of other records. `NULL`,
#'   the default: the fit's own.
#' @param draws (count or `NULL`) Number of draws, spread evenly over the fit's.
#'   `NULL`, the default: all of them.
#' @param seed (whole number or `NULL`) As in [fit_synthesizer()].
#' @param draw_ids (whole numbers from 1 to S, or `NULL`) Which draws, in place
#'   of `draws`. Default `NULL`.
#' @param ... Not used.
#' @return (numeric matrix, S x N) Draws in rows, records in columns, in the
#'   response's own unit. Counts are whole. A response with two values is 0 for
#'   the first and 1 for the second. Confidential.
#' @section Error types: `pseudosynth_error_input`: new data without a predictor
#'   or with an unknown level, or a matrix larger than the memory available
#'   (option `pseudosynth.memory`, in bytes).
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(), chains = 2, draws = 1000, seed = 1
#' )
#' dim(posterior_predict(fit, draws = 10))
#' @importFrom rstantools posterior_predict
#' @method posterior_predict synthesizer
#' @export
posterior_predict.synthesizer <- function(object, newdata = NULL, draws = NULL,
                                          seed = NULL, draw_ids = NULL, ...) {
  check_no_dots(...)
  check_class(object, "synthesizer")
  draws <- chosen_draws(draws, draw_ids, n_draws(object))
  check_argument(seed)
  spec <- newdata_spec(object, newdata)
  check_memory(8 * length(draws) * length(spec$y), "The matrix", "draws")
  values <- call_core(synthesize_(
    spec, object$draws[draws, , drop = FALSE], seed_words(seed, "predict"), 0L
  ))
  t(response_number(object$response, values))
}

#' Synthetic sets for a measure inside the agency: drawn as synthesize() draws
#' them, a parameter draw for each, but without a label, so not for release
#' @return (list of m data frames)
#' @noRd
predictive_sets <- function(fit, m, seed, count) {
  # Other draws in every refit of a search
  words <- function(purpose) seed_words(seed, purpose, count)
  check_draws_for(n_draws(fit), m)
  rows <- random_rows(n_draws(fit), m, words("draws"))
  values <- values_at_draws(fit, rows, fit$spec, words("risk"))
  sets_of_values(fit$data, fit$response, values)
}

#' A file with each column of values in place of its response
#' @param values (matrix) On the modelled scale.
#' @noRd
sets_of_values <- function(data, response, values) {
  lapply(seq_len(ncol(values)), function(j) {
    data[[response$name]] <- response_inverse(response, values[, j])
    data
  })
}

#' Each synthetic set takes a draw of its own
#' @noRd
check_draws_for <- function(n_kept, m, arg = "m") {
  refuse_if(
    m > n_kept, "Each synthetic set needs a draw of its own.",
    x = "{.arg {arg}} asks for {m} sets, but the fit keeps {n_kept} draw{?s}.",
    i = "Fit with more {.arg draws}.", arg = arg
  )
}

#' Convert a fit's draws for the posterior package
#'
#' Returns the parameter draws of a fit in the formats of the package posterior.
#'
#' @param x (`synthesizer`) A fit of [fit_synthesizer()].
#' @param hyper (flag; default `FALSE`) Add the hyperparameters `tau`, `m` and
#'   `gamma` if the model has them?
#' @param ... Not used.
#' @return A draws object of the posterior package, iterations x chains x
#'   variables. Parameters are `(Intercept)` and the names of the design's
#'   columns, then `sigma`, `size` or `precision` if the family has it. A
#'   mixture has `b[k,name]`, `pi[k]` and `sigma[k]`, whose components exchange
#'   places between draws. After [truncate_draws()] the chains have unequal
#'   lengths and are merged into one. Confidential.
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(), chains = 2, draws = 1000, seed = 1
#' )
#' as_draws_df(fit)
#' @name as_draws.synthesizer
#' @importFrom posterior as_draws
#' @importFrom posterior as_draws_array
#' @importFrom posterior as_draws_df
#' @importFrom posterior as_draws_matrix
#' @method as_draws synthesizer
#' @export
as_draws.synthesizer <- function(x, hyper = FALSE, ...) {
  as_draws_array.synthesizer(x, hyper = hyper, ...)
}

#' @rdname as_draws.synthesizer
#' @method as_draws_array synthesizer
#' @export
as_draws_array.synthesizer <- function(x, hyper = FALSE, ...) {
  check_class(x, "synthesizer")
  check_flag(hyper)
  values <- if (hyper) cbind(x$draws, x$hyper) else x$draws
  lengths <- table(x$chain)
  n_chains <- if (all(lengths == lengths[1])) length(lengths) else 1L
  posterior::as_draws_array(array(
    values, c(nrow(values) / n_chains, n_chains, ncol(values)),
    list(NULL, NULL, colnames(values))
  ))
}

#' @rdname as_draws.synthesizer
#' @method as_draws_matrix synthesizer
#' @export
as_draws_matrix.synthesizer <- function(x, hyper = FALSE, ...) {
  posterior::as_draws_matrix(as_draws_array.synthesizer(x, hyper = hyper))
}

#' @rdname as_draws.synthesizer
#' @method as_draws_df synthesizer
#' @export
as_draws_df.synthesizer <- function(x, hyper = FALSE, ...) {
  posterior::as_draws_df(as_draws_array.synthesizer(x, hyper = hyper))
}

# What other packages' generics ask of the chains: bayesplot's figures of
# diagnostics, loo's comparison of models.

#' Check a fit with bayesplot, compare families with loo
#'
#' Methods for generics of the packages bayesplot and loo. They let
#' `bayesplot::mcmc_rhat(bayesplot::rhat(fit))`, `mcmc_neff()` and
#' `mcmc_nuts_energy()` plot a fit, and `loo::loo(fit)` compare how well
#' families predict the file. Choosing a family this way uses the file, and no
#' label accounts for that.
#'
#' @param object,x (`synthesizer`) A fit of [fit_synthesizer()].
#' @param pars (character or `NULL`) Which quantities to return. `NULL`, the
#'   default: all.
#' @param ... For `loo()`: passed to `loo::loo()`. Otherwise not used.
#' @return `rhat()`, `neff_ratio()`: named numbers, one for each quantity of the
#'   convergence checks. The ratio is the smaller of the bulk and the tail
#'   effective sample size, divided by the number of draws. `nuts_params()`: a
#'   data frame with `Chain`, `Iteration`, `Parameter` and `Value`. `loo()`: an
#'   object of the package loo. All are confidential.
#' @section Error types: `pseudosynth_error_input`: `nuts_params()` of a fit by
#'   another sampler, `loo()` of a fit with weights or censoring, whose
#'   likelihood is not that of the data.
#' @examplesIf requireNamespace("bayesplot", quietly = TRUE)
#' ce <- head(subset(ce_income, income > 0), 200)
#' fit <- fit_synthesizer(log(income) ~ age, ce, student_t(5),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 300, seed = 1
#' )
#' bayesplot::rhat(fit)
#' bayesplot::neff_ratio(fit)
#' @name bayesplot-methods
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

judged <- function(fit, values, pars) {
  values <- stats::setNames(values, fit$diagnostics$variable)
  check_names(pars, names(values), arg = "pars")
  if (is.null(pars)) values else values[pars]
}

#' @rdname bayesplot-methods
#' @exportS3Method bayesplot::nuts_params
nuts_params.synthesizer <- function(object, pars = NULL, ...) {
  found <- object$sampler
  refuse_if(
    length(found$energy) == 0,
    "{.fn nuts_params} only applies to fits by the sampler NUTS.",
    x = "This fit was made by {.val {object$control$sampler}}.",
    i = "Fit with {.code control = sampler_control(sampler = \"nuts\")}.",
    arg = "object"
  )
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
      as.integer(stats::ave(seq_len(n), chain, FUN = seq_along)), length(values)
    ),
    Parameter = factor(rep(names(values), each = n), names(values)),
    Value = unlist(values, use.names = FALSE)
  )
}

#' @rdname bayesplot-methods
#' @exportS3Method loo::loo
loo.synthesizer <- function(x, ...) {
  refuse_if(
    !is.null(x$privacy_weights) || !is.null(x$censor),
    "{.fn loo} only applies to fits without weights and censoring.",
    x = "The likelihood of this fit is not that of the data.",
    i = "Compare families by their unweighted fits.", arg = "x"
  )
  values <- log_lik.synthesizer(x)
  loo::loo(values, r_eff = loo::relative_eff(exp(values), x$chain), ...)
}
