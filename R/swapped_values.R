# Values swapped between records: the values of a set stay as they are, and its
# tables and scores come close to what is expected of them.

# Of amounts of files: sweeps of swaps at each inverse temperature, and how much
# scores weigh in the energy. More records than so many need fewer sweeps: the
# share that must swap is the same, and what is left to gain is a few records a
# cell. They swap in parts of so many.
swapping <- list(
  beta = c(0.3, 1, 5), sweeps = 10L, scores = 15, records = 1e5
)

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
#' @param room (list or `NULL`) `low` and `high`, n each: no swap brings a value
#'   beyond those of its new record, and those that lie beyond swap first.
#' @return (double, n) The same values, in another order.
#' @noRd
swapped_values <- function(y, expected, breaks, predictors, targets, weight,
                           words, group = rep(1L, length(y)),
                           swaps = swapping, room = NULL) {
  variance <- max(mean((y - expected)^2), 1e-300)
  found <- swap_amounts_(
    y, findInterval(y, breaks), predictors$codes, predictors$levels, targets,
    predictors$lines, list(
      bins = length(breaks) + 1L, row_weight = weight, expected = expected,
      score_weight = swaps$scores / variance, group = as.integer(group),
      beta = swaps$beta, sweeps = as.integer(max(
        2, ceiling(swaps$sweeps * min(1, swaps$records / length(y)))
      )),
      together = swaps$records %||% max(1, length(y)),
      low = as.double(room$low), high = as.double(room$high)
    ), words, default_threads()
  )
  y[found$from]
}
