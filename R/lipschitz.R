#' Lipschitz bounds of a fit
#'
#' Computes how far each record can pull the log pseudo posterior.
#'
#' The record Lipschitz bound is \eqn{\Delta_i = \max_s |g_i(\theta_s)|} over
#' the kept draws. Here \eqn{g_i = \alpha_i f_i}, and \eqn{f_i} is the record's
#' log-likelihood; for a censored fit, \eqn{g_i} is censored. The draw bound is
#' \eqn{\Delta(\theta_s) = \max_i |g_i(\theta_s)|}, and the bound of the fit is
#' \eqn{\Delta = \max_i \Delta_i}. The source papers report
#' \eqn{\epsilon = 2\Delta}; [guarantee()] says what that is worth.
#'
#' The S x N log-likelihood of a fit is never stored. It is computed and reduced
#' in blocks of records, with the same result at any number of threads.
#'
#' @param x A `synthesizer`; a [pseudo_posterior()] job, whose last fit is used;
#'   or any other Bayesian model in one of four forms:
#'   * a log-likelihood matrix (numeric, S x N: draws in rows with all chains
#'     merged, records in columns, as in package loo) or array (iterations x
#'     chains x N);
#'   * `function(data_i, draws)` that returns the S log-likelihoods of one
#'     record, given one row of `data` and all `draws`, as in package loo; no
#'     matrix is stored;
#'   * a fit that has a `log_lik()` method of rstantools (rstanarm, brms), or a
#'     fit of rstan or CmdStan, or its draws, with a vector `log_lik`;
#'   * an [external_fit()] of one of these, which can be weighted and refitted.
#'
#'   Give the unweighted log-likelihood. A weighted fit of rstanarm or brms
#'   returns one that is already multiplied by the weights, and is an error.
#'   `-Inf` and `Inf` are allowed and give an infinite bound; `NA` is an error.
#' @param quantile (number in (0, 1]) Draws whose draw bound lies above this
#'   quantile are dropped, and the record bounds are taken over the kept draws.
#'   The quantile is an order statistic, so `$overall` is exactly the quantile
#'   of the draw bounds. It counts all draws of the fit, including those that
#'   [truncate_draws()] has dropped. Default 1: all draws are kept.
#' @param unit (string) For another model: the response to whose density the
#'   log-likelihood belongs, such as `"log(income)"`. The bound depends on the
#'   response's unit.
#' @param data (data frame or matrix) If `x` is a function: the data, with one
#'   row per record.
#' @param draws If `x` is a function: its second argument, all S draws.
#' @param threads (count or `NULL`) Number of threads. Default `NULL`: the fit's
#'   own number.
#' @param ... Not used.
#'
#' @return A `lipschitz_bound`: a list with
#'   * `overall` (number): \eqn{\Delta};
#'   * `record` (numeric, N): \eqn{\Delta_i}, 0 for a record of weight 0, `Inf`
#'     where a kept draw gave a non-finite log-likelihood;
#'   * `draw` (numeric, S): \eqn{\Delta(\theta_s)} of all draws, dropped ones
#'     included;
#'   * `oscillation` (numeric, N): \eqn{\max_s g_i - \min_s g_i}, which does not
#'     depend on the unit and never exceeds \eqn{2\Delta_i};
#'   * `nonfinite` (integer): the number of kept draws in which a record's
#'     log-likelihood is not finite, for each record that has any; the names are
#'     the records' numbers;
#'   * `kept` (logical, S), `quantile`, `unit` (string), `weighted` (flag).
#'
#'   It is confidential, because bounds are computed from the file.
#'
#' @section Invariants:
#' `overall == max(record)`; `overall == max(draw[kept])`;
#' `all(oscillation <= 2 * record)`.
#'
#' @section Error types:
#' `pseudosynth_error_input`: a matrix has missing values, `quantile` is outside
#' (0, 1], or `x` is of another kind.
#'
#' @section Privacy:
#' A maximum over S draws is not a supremum: one more draw exceeds it with
#' probability 1 / (S + 1). The bound treats the weights as fixed, although one
#' record changes the weights of all others. It is an index of risk, not a
#' guarantee.
#'
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55).
#' Savitsky, Hu and Williams, Re-weighting of vector-weighted mechanisms for
#' utility maximization under differential privacy, Algorithm 1.
#' @seealso [lipschitz_weights()], [truncate_draws()], [reweight()]
#' @examples
#' # Any Bayesian model: draws in rows, records in columns
#' y <- c(-1, 0, 2)
#' mu <- c(-0.1, 0, 0.2, 0.1)
#' log_lik <- outer(mu, y, function(m, y) dnorm(y, m, log = TRUE))
#' bound <- lipschitz(log_lik)
#' bound
#' bound$record
#' @export
#' @order 1
lipschitz <- function(x, quantile = 1, ...) {
  check_present(x)
  UseMethod("lipschitz")
}

#' @rdname lipschitz
#' @export
lipschitz.default <- function(x, quantile = 1, unit = "not stated", ...) {
  check_no_dots(..., hint = "See {.fn lipschitz}.")
  check_argument(quantile)
  check_string(unit)
  values <- as_log_lik_matrix(x, NULL)$values
  check_weights_taken(x, rep(1, ncol(values)), first = TRUE)
  bound_of_columns(matrix_columns(values), quantile, unit)
}

#' @rdname lipschitz
#' @export
lipschitz.lipschitz_bound <- function(x, quantile = 1, ...) {
  check_argument(quantile)
  refuse_if(
    quantile < x$quantile,
    "A bound cannot be changed to a smaller {.arg quantile}.",
    i = "Call {.fn lipschitz} on the fit or the log-likelihood matrix.",
    arg = "quantile"
  )
  x
}

#' @rdname lipschitz
#' @export
#' @order 2
lipschitz.synthesizer <- function(x, quantile = 1, threads = NULL, ...) {
  check_no_dots(..., hint = "See {.fn lipschitz}.")
  check_argument(quantile)
  check_argument(threads, null = TRUE)
  if (quantile >= x$quantile && !is.null(x$bound)) {
    return(x$bound)
  }
  threads <- threads %||% x$control$threads %||% 1L
  bound_of_draws(
    x$spec, x$draws, threads, x$response$label,
    quantile = quantile, dropped = x$dropped %||% 0L, draw = x$bound$draw
  )
}

#' @rdname lipschitz
#' @export
#' @order 3
lipschitz.pseudo_posterior <- function(x, quantile = 1, threads = NULL, ...) {
  check_no_dots(..., hint = "See {.fn lipschitz}.")
  lipschitz.synthesizer(fit_of_records(x, "x"), quantile, threads)
}

#' @rdname lipschitz
#' @export
lipschitz.function <- function(x, quantile = 1, data, draws,
                               unit = "not stated", ...) {
  check_no_dots(..., hint = "See {.fn lipschitz}.")
  check_argument(quantile)
  check_string(unit)
  bound_of_columns(function_columns(x, data, draws), quantile, unit)
}

print_lines.lipschitz_bound <- function(x) {
  n_infinite <- sum(is.infinite(x$record))
  c(
    sprintf(
      "Lipschitz bound%s (density of %s)",
      if (x$weighted) " of a weighted fit" else "", x$unit
    ),
    sprintf(
      "  overall %s, twice that %s, largest oscillation %s",
      format_figure(x$overall), format_figure(2 * x$overall),
      format_figure(max(x$oscillation))
    ),
    paste("  record bounds:", format_named(summarize_values(x$record))),
    paste0(
      "  N = ", format_count(length(x$record)), " records, S = ",
      format_count(sum(x$kept)), " draws",
      if (x$quantile < 1) paste(" kept at draw quantile", format(x$quantile))
    ),
    text_if(
      n_infinite > 0, "  %s: some draw has a non-finite log-likelihood",
      counted(n_infinite, "infinite record bound")
    ),
    "  A maximum over draws, not a guarantee.",
    paste0("  ", confidential_line())
  )
}

#' @export
summary.lipschitz_bound <- function(object, ...) {
  values <- lapply(Filter(Negate(is.null), list(
    "record bound" = object$record, "record oscillation" = object$oscillation,
    # Of a whole file draws have no bounds of their own
    "draw bound" = if (length(object$draw) > 0) object$draw[object$kept]
  )), summarize_values)
  table <- data.frame(
    what = names(values), do.call(rbind, unname(values)), check.names = FALSE
  )
  new_result(
    "summary_lipschitz_bound",
    table = table, overall = object$overall, n_records =
      length(object$record), n_draws = sum(object$kept),
    quantile = object$quantile, unit = object$unit
  )
}

print_lines.summary_lipschitz_bound <- function(x) {
  c(
    sprintf("Lipschitz bounds, density of %s", x$unit),
    paste0("  ", format_table(x$table)),
    sprintf(
      "  overall %s over N = %s records and S = %s draws",
      format_figure(x$overall), format_count(x$n_records),
      format_count(x$n_draws)
    ),
    paste0("  ", confidential_line())
  )
}
