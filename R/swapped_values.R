# Values swapped between records: the values of a set stay as they are, and its
# tables and scores come close to what is expected of them.

# Of the amounts of files: sweeps of swaps at each inverse temperature, and how
# much scores weigh in the energy
swapping <- list(beta = c(0.3, 1, 5), sweeps = 10L, scores = 15)

#' @param y (double, n) Values on the modelled scale.
#' @param expected (double, n) Scores are of values beside these.
#' @param breaks (double) Of the tables' bins, without the ends.
#' @param predictors (list) `codes` (integer matrix, n rows, from 1), `levels`
#'   of each column and `lines`, see swap_amounts_().
#' @param targets (list of double) Of each column: a table, its level fastest;
#'   none where the column has no table.
#' @param weight (double, n) What a record's row is multiplied by.
#' @param words (two words) See seed_words().
#' @param group (integer, n) Only records of the same group swap.
#' @return (double, n) The same values, in another order.
#' @noRd
swapped_values <- function(y, expected, breaks, predictors, targets, weight,
                           words, group = rep(1L, length(y)),
                           swaps = swapping) {
  variance <- max(mean((y - expected)^2), 1e-300)
  found <- swap_amounts_(
    y, findInterval(y, breaks), predictors$codes, predictors$levels, targets,
    predictors$lines, list(
      bins = length(breaks) + 1L, row_weight = weight, expected = expected,
      score_weight = swaps$scores / variance, group = as.integer(group),
      beta = swaps$beta, sweeps = swaps$sweeps
    ), words
  )
  y[found$from]
}
