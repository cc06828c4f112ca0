# Tables of a response's bins by each predictor: where a budget bears them, what
# is measured of them, and what they say beside a model.

# Bins of a number where it is a predictor
predictor_bins <- 5

#' Does a budget bear tables?
#'
#' Not where a level has fewer records than 32 deviations of the noise that
#' tables of counts would have.
#' @param n (number) Records.
#' @param levels (integer) Of the predictors.
#' @param mu (number) Of the tables.
#' @return (flag)
#' @noRd
bears_tables <- function(n, levels, mu) {
  levels <- levels[levels > 1]
  length(levels) > 0 && n >= 32 * mean(levels) * sqrt(length(levels)) / mu
}

#' The pairs of a predictor and the bins, as a block's plan has its tables
#'
#' @param budget (list) See noise_of(), with `sigma`, see refined().
#' @param public (flag) Are the predictors published? A replaced record then
#'   moves to another bin of the same level.
#' @return (list) See plan_block(); `told`: which predictors have a table.
#' @noRd
binned_tables_plan <- function(levels, bins, budget, public = FALSE) {
  told <- which(levels > 1)
  own <- c(levels[told], bins)
  tables <- lapply(seq_along(told), function(t) c(t, length(own)))
  list(
    told = told, levels = own, tables = tables,
    published = c(rep(public, length(told)), FALSE),
    lengths = residual_lengths(tables, own), squared = budget$amount^2,
    neighbours = budget$neighbours, sigma = budget$sigma
  )
}

#' What tables have beyond what a model expects, without what is only noise
#'
#' @param residuals (list of double) Noisy, see noisy_residuals().
#' @param expected (list of double) Tables of the model, in counts.
#' @param plan (list) See binned_tables_plan().
#' @param noise (data frame) See table_noise().
#' @return (list of double) In counts, see shrunk_residual().
#' @noRd
shrunk_tables <- function(residuals, expected, plan, n, noise) {
  lapply(seq_along(residuals), function(t) {
    levels <- plan$levels[plan$tables[[t]]]
    base <- pmax(expected[[t]], 0)
    shrunk_residual(
      residuals[[t]] - centred_table(base, levels), base / n, levels,
      noise$variance[t]
    )
  })
}

#' Sums of rows' shares of the bins by each predictor's levels
#' @param share (matrix, N x bins)
#' @param codes (integer matrix, N x predictors) Levels, from 1.
#' @return (list of double) One for each predictor, its level fastest.
#' @noRd
sums_of_bins <- function(share, codes, levels) {
  lapply(seq_along(levels), function(j) {
    table <- matrix(0, levels[j], ncol(share))
    sums <- rowsum(share, codes[, j])
    table[as.integer(rownames(sums)), ] <- sums
    as.vector(table)
  })
}
