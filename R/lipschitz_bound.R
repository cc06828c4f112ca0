# The class `lipschitz_bound`, and bounds from a specification and its draws.

#' Build a lipschitz_bound
#'
#' @param parts (list) `record`, `oscillation` (N), `draw` (S) and `nonfinite`
#'   (integer, named by record), as the streaming kernel gives them.
#' @param kept (logical, S) The draws that took part.
#' @param quantile (number) The draw quantile.
#' @param unit (string) The modelled response, such as `"log(income)"`.
#' @param weighted (flag) Is any weight below 1, or the fit censored?
#' @noRd
new_lipschitz_bound <- function(parts, kept, quantile, unit, weighted = FALSE) {
  new_result(
    "lipschitz_bound",
    overall = max(parts$record), record = parts$record, draw = parts$draw,
    oscillation = parts$oscillation, kept = kept, quantile = quantile,
    nonfinite = parts$nonfinite, unit = unit, weighted = weighted
  )
}

#' Numbers of records of which nearly all are 0, without those that are
#' @param x (integer, N)
#' @return (integer) Named by record.
#' @noRd
counts_met <- function(x) {
  met <- which(x > 0)
  if (length(met) == 0) integer() else stats::setNames(x[met], met)
}

#' The same with those that are 0
#' @noRd
counts_of_all <- function(met, n) {
  replace(integer(n), as.integer(names(met)), met)
}

#' Which draws lie at or below the quantile of the draw bounds
#'
#' The quantile is the order statistic of rank ceiling(q S), counted from all
#' draws: `dropped` earlier ones rank above those in `draw`.
#' @return (logical, S)
#' @noRd
keep_draws <- function(draw, quantile, dropped = 0L) {
  # 0.95 * 100 is a little above 95 in floating point
  rank <- max(1L, ceiling(quantile * (length(draw) + dropped) - 1e-9))
  if (rank >= length(draw)) {
    return(rep(TRUE, length(draw)))
  }
  draw <= sort(draw)[rank]
}

is_weighted <- function(alpha) {
  facts <- number_facts_(alpha)
  facts$least != 1 || facts$most != 1
}

#' Bounds of stored draws by the streaming kernel
#'
#' @param spec,draws As held in a fit; weights and censoring are in `spec`.
#' @param draw (numeric, S or `NULL`) Draw bounds, where known already.
#' @param dropped (count) Draws dropped before, all above those in `draws`.
#' @return A `lipschitz_bound`.
#' @noRd
bound_of_draws <- function(spec, draws, threads, unit, quantile = 1,
                           dropped = 0L, draw = NULL) {
  reduce <- function(draws) lipschitz_(spec, draws, as.integer(threads))
  kept <- rep(TRUE, nrow(draws))
  if (quantile < 1) {
    if (is.null(draw)) draw <- reduce(draws)$draw
    kept <- keep_draws(draw, quantile, dropped)
  }
  # What a dropped draw does, a non-finite value included, does not count
  parts <- reduce(draws[kept, , drop = FALSE])
  if (quantile < 1) parts$draw <- draw
  new_lipschitz_bound(
    parts, kept, quantile, unit,
    weighted = is_weighted(spec$alpha) || !is.null(spec$censor)
  )
}

#' Quantiles that stay defined with infinite values
#' @noRd
summarize_values <- function(x) {
  x <- stats::quantile(x, quantile_points, type = 1, names = FALSE)
  stats::setNames(x, c("min", "25%", "median", "75%", "95%", "max"))
}

quantile_points <- c(0, 0.25, 0.5, 0.75, 0.95, 1)
