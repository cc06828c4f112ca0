#' Use a model that was fitted outside this package
#'
#' Wraps the log-likelihood of any Bayesian model, and a function that fits it
#' again. [lipschitz()], [lipschitz_weights()], [update()], [reweight()],
#' [solve_weights()], [truncate_weights()], [truncate_draws()] and [guarantee()]
#' then work on it as they do on a `synthesizer`.
#'
#' @param x The model's log-likelihood in one of the forms [lipschitz()] takes:
#'   an S x N matrix or iterations x chains x N array, a `function(data_i,
#'   draws)`, or a fit with a `log_lik()` method or variable (rstanarm, brms,
#'   rstan).
#' @param refit (function or `NULL`) A `function(weights)` that fits the model
#'   again with each record's likelihood raised to its weight (numeric, N). It
#'   returns the same kind of object as `x` or, if `x` is a function, the new
#'   draws. Default `NULL`: the fit can be measured but not refitted.
#' @param privacy_weights The weights `x` was fitted with, as in
#'   [fit_synthesizer()]. Default `NULL`: unweighted.
#' @param data,draws If `x` is a function: the records, one row per record, and
#'   all draws.
#' @param weighted (flag or `NULL`) Does the log-likelihood of `x`, and of what
#'   `refit` returns, include the weights? Default `NULL`: `TRUE` for fits of
#'   rstanarm and brms, whose log-likelihoods do, otherwise `FALSE`.
#' @param chains (count or `NULL`) How many chains of equal length were merged
#'   one after another. Needed for the convergence checks: R-hat of the sum of
#'   the weighted log-likelihoods below 1.01 and of the worst record's below
#'   1.05, bulk ESS of the sum at least 400. Default `NULL`: taken from `x` if
#'   it is an array or a fit of rstan, rstanarm or brms; otherwise convergence
#'   is not checked.
#' @param converged (flag or `NA`) Your own judgement if the chains are not
#'   known. Default `NA`: not known, so the label is `"none"`.
#' @param unit (string) The response as the log-likelihood models it, such as
#'   `"log(income)"`.
#' @param name (string) The model's name in prints and labels.
#' @param ... Must be empty.
#'
#' @return An `external_fit`: a list with `bound` (see [lipschitz()]),
#'   `privacy_weights`, `converged`, `problems`, `diagnostics` (named numeric),
#'   `log_lik`, `refit` and more. It is confidential.
#'
#' @section Error types:
#' `pseudosynth_error_input`: `x` is of another kind, log-likelihoods are
#' missing, weights have the wrong length, or a refit has other records.
#'
#' @section Privacy:
#' The label of such a model is at best the papers' asymptotic one, and `"none"`
#' without weights. It is never strict: nothing is censored, and the package
#' cannot know what the prior holds or how the likelihood was weighted.
#'
#' @seealso [reweight()], [guarantee()]
#' @examples
#' # A normal mean with known standard deviation, weighted in closed form
#' y <- c(-1.2, -0.3, 0.1, 0.4, 2.5)
#' fit_mean <- function(alpha) {
#'   precision <- 1 + sum(alpha)
#'   mu <- sum(alpha * y) / precision +
#'     stats::qnorm(stats::ppoints(1000)) / sqrt(precision)
#'   outer(mu, y, function(mu, y) stats::dnorm(y, mu, log = TRUE))
#' }
#' fit <- external_fit(
#'   fit_mean(rep(1, 5)), refit = fit_mean, converged = TRUE, unit = "y"
#' )
#' lw <- update(fit, privacy_weights = lipschitz_weights(fit))
#' reweight(lw)
#' @export
external_fit <- function(x, refit = NULL, privacy_weights = NULL, data = NULL,
                         draws = NULL, weighted = NULL, chains = NULL,
                         converged = NA, unit = "not stated",
                         name = "a model fitted elsewhere", ...) {
  check_no_dots(..., hint = "See {.fn external_fit}.")
  check_present(x)
  check_that(
    is.null(refit) || is.function(refit), refit,
    "{.arg refit} must be a function of the weights."
  )
  weighted <- weighted %||% inherits(x, c("stanreg", "brmsfit"))
  check_flag(weighted)
  chains <- check_count(chains, min = 1, null = TRUE)
  check_string(unit)
  check_string(name)
  refuse_if(
    !is.logical(converged) || length(converged) != 1,
    "{.arg converged} must be {.code TRUE}, {.code FALSE} or {.code NA}.",
    arg = "converged"
  )
  source <- if (is.function(x)) {
    list(kind = "function", f = x, data = data, draws = draws)
  } else {
    as_log_lik_matrix(x, chains)
  }
  given <- c("data", "draws")[!c(is.null(data), is.null(draws))]
  refuse_if(
    !is.function(x) && length(given) > 0,
    "{.arg {given[1]}} is only used if {.arg x} is a function.",
    x = "{.arg x} is {describe_type(x)}.", arg = given[1]
  )
  columns <- external_columns(source)
  weights <- as_privacy_weights(privacy_weights, columns$n)
  alpha <- if (is.null(weights)) rep(1, columns$n) else bare_numbers(weights)
  bound <- bound_of_columns(
    columns, 1, unit,
    alpha = if (!weighted) alpha, weighted = any(alpha != 1)
  )
  fit <- new_result(
    "external_fit",
    name = name, log_lik = source, refit = refit, weighted = weighted,
    privacy_weights = weights, censor = NULL, bound = bound,
    # Records and draws are counted in these, as in a synthesizer
    spec = list(alpha = alpha, y = rep(NA_real_, columns$n)),
    draws = matrix(numeric(), length(bound$draw), 0),
    chains = source$chains %||% chains, converged = converged,
    problems = character(), diagnostics = NULL, dropped = 0L, quantile = 1,
    family = new_result("external_model", name = name),
    prior = new_result("external_prior"),
    seed_given = FALSE, seconds = list(), id = new_charge_id()
  )
  seal(judge_external(fit, columns))
}

external_columns <- function(source) {
  if (source$kind == "matrix") {
    return(matrix_columns(source$values))
  }
  data <- source$data %||% rlang::missing_arg()
  function_columns(source$f, rlang::maybe_missing(data), source$draws)
}

#' Convergence of an external fit, where its chains are known
#' @noRd
judge_external <- function(fit, columns) {
  n_draws <- length(fit$bound$draw)
  chains <- fit$chains
  if (is.null(chains) || n_draws %% chains != 0 || n_draws / chains < 8) {
    if (is.na(fit$converged)) {
      fit$problems <- "Its convergence is not known."
    } else if (!fit$converged) {
      fit$problems <- "You stated that it has not converged."
    }
    return(fit)
  }
  total <- 0
  worst <- 1
  for (i in seq_len(columns$n)) {
    if (fit$spec$alpha[i] == 0) next
    f <- columns$at(i)
    total <- total + (if (fit$weighted) 1 else fit$spec$alpha[i]) * f
    rhat <- posterior::rhat_basic(matrix(f, ncol = chains))
    worst <- max(worst, if (is.finite(rhat)) rhat else 1)
  }
  total <- matrix(total, ncol = chains)
  constant <- length(unique(as.vector(total))) == 1
  fit$diagnostics <- c(
    rhat = if (constant) 1 else posterior::rhat(total),
    ess_bulk = if (constant) n_draws else posterior::ess_bulk(total),
    worst_record_rhat = worst
  )
  rhat <- fit$diagnostics[["rhat"]]
  ess <- fit$diagnostics[["ess_bulk"]]
  fit$problems <- as.character(c(
    text_if(
      !isTRUE(rhat < 1.01), "R-hat of the log-likelihood is %s (limit 1.01).",
      format_rhat(rhat)
    ),
    text_if(
      !isTRUE(ess >= 400), "Bulk ESS of the log-likelihood is %s (limit 400).",
      format_count(round(ess))
    ),
    text_if(
      worst > 1.05, "R-hat of one record's log-likelihood is %s (limit 1.05).",
      format_rhat(worst)
    )
  ))
  fit$converged <- length(fit$problems) == 0 && !isFALSE(fit$converged)
  fit
}

#' @rdname lipschitz
#' @export
lipschitz.external_fit <- function(x, quantile = 1, ...) {
  check_no_dots(..., hint = "See {.fn external_fit}.")
  check_quantile(quantile)
  if (quantile >= x$quantile) {
    return(x$bound)
  }
  refuse_if(
    is.null(unclass(x)$log_lik), "{.arg quantile} must be 1 for a whole file.",
    x = "Each regression has its own draws, and no draw covers all columns.",
    arg = "quantile"
  )
  bound_of_columns(
    external_columns(x$log_lik), quantile, x$bound$unit,
    alpha = if (!x$weighted) x$spec$alpha, weighted = x$bound$weighted,
    dropped = x$dropped
  )
}

#' @rdname external_fit
#' @param object An `external_fit`.
#' @param ... For `update()`: passed to `refit` after the weights. Otherwise not
#'   used.
#' @method update external_fit
#' @export
update.external_fit <- function(object, privacy_weights, ...) {
  # A whole file, or a posterior on a grid, knows how it is made again
  if (is.function(object$again)) {
    return(if (missing(privacy_weights)) {
      object$again(object, ...)
    } else {
      object$again(object, privacy_weights, ...)
    })
  }
  refuse_if(
    is.null(object$refit),
    "{.arg object} has no function to fit the model again.",
    i = "Give {.fn external_fit} a {.arg refit} function of the weights.",
    arg = "object"
  )
  n <- n_records(object)
  weights <- as_privacy_weights(privacy_weights, n)
  started <- proc.time()[["elapsed"]]
  alpha <- if (is.null(weights)) rep(1, n) else bare_numbers(weights)
  again <- object$refit(alpha, ...)
  source <- object$log_lik
  from_function <- source$kind == "function"
  fit <- external_fit(
    if (from_function) source$f else again,
    refit = object$refit, privacy_weights = weights,
    data = source$data, draws = if (from_function) again,
    weighted = object$weighted, chains = object$chains,
    converged = if (is.null(object$diagnostics)) object$converged else NA,
    unit = object$bound$unit, name = object$name
  )
  refuse_if(
    n_records(fit) != n, "A refit must have the same records.",
    x = "The log-likelihood had {n}, and the refit has {n_records(fit)}.",
    arg = "object"
  )
  fit$seconds <- list(total = proc.time()[["elapsed"]] - started)
  fit
}

#' Turn any model into something with a bound, weights and a refit
#' @noRd
as_weightable <- function(x, ..., arg = "fit") {
  check_present(x, arg)
  if (inherits(x, c("synthesizer", "external_fit"))) {
    stated <- names(Filter(Negate(is.null), list(...)))
    refuse_if(
      length(stated) > 0,
      "{.arg {stated[1]}} is for log-likelihoods from other packages.",
      x = "{.arg {arg}} is {describe_type(x)}, which has its own.",
      arg = stated[1]
    )
    return(x)
  }
  log_lik <- is.function(x) || (is.numeric(x) && !is.null(dim(x))) ||
    inherits(x, "stanfit") || has_log_lik(x)
  check_that(
    log_lik, x,
    "{.arg {arg}} must be a {.cls synthesizer} or an {.fn external_fit}.",
    arg = arg
  )
  external_fit(x, ...)
}

#' @export
format.external_model <- function(x, ...) x$name

#' @export
format.external_prior <- function(x, ...) "as in the model fitted elsewhere"

print_lines.external_fit <- function(x) {
  convergence <- if (isTRUE(x$converged)) {
    paste0("yes", if (is.null(x$diagnostics)) ", as stated by the user")
  } else {
    paste("NO:", paste(x$problems, collapse = " "))
  }
  fields <- c(
    Model = x$name, Records = paste("N =", format_count(n_records(x))),
    Draws = paste0(
      "S = ", format_count(n_draws(x)),
      text_if(
        x$dropped > 0, "; %s dropped by truncation", format_count(x$dropped)
      )
    ),
    Weights = describe_weights(x),
    Bound = describe_bound(x$bound),
    Converged = convergence, Guarantee = format(guarantee(x))
  )
  c(
    "<external_fit>  CONFIDENTIAL: for the agency only, not for release.",
    field_lines(fields)
  )
}
