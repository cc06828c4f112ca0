# What noise in the block's tables hides of an amount's expected sums: these are
# taken over a synthetic set, while the noisy sums are over the file.

#' How much a table's noise leaves unknown
#'
#' The variance of the file's table given the noisy one, along its columns'
#' axes: see told_of(). A margin has no prior.
#' @param block (list) See release_plan().
#' @param axes (list) See block_axes().
#' @return (list of list) For each margin and pair `columns`, `axes` (see
#'   level_axes()) and `variance` (in counts, along each product of axes).
#' @noRd
unknown_tables <- function(block, axes = block_axes(block)) {
  pairs <- block_pairs(block)
  of <- function(columns, variance) {
    list(columns = columns, axes = axes[columns], variance = variance)
  }
  c(
    lapply(which(block$noise$order == 1), function(t) {
      column <- block$tables[[t]]
      of(column, rep(block$noise$variance[t], block$levels[column] - 1))
    }),
    lapply(pairs, function(pair) {
      of(pair$columns, told_of(
        pair$residual, axes[pair$columns], pair$variance
      )$variance)
    })
  )
}

#' The covariance of what a set's expected sums miss of the file's
#'
#' Expected sums are sums over records x of N(x) G(x), with N(x) the number of
#' such records and G(x) what one is expected to add: 0 without a value. The
#' file's N(x) is not known, but tables of it are, up to errors e(a, b) of their
#' centred cells. A set is fitted to these tables. To first order an error
#' changes the number of records in proportion: by N(x) e(a, b) / N(a, b), with
#' a and b the levels of x. So sums are off by the sum over cells of e(a, b)
#' M(a, b), where M(a, b) is the mean of G over records of the cell. Errors of
#' different tables are independent, and those of a table are centred: only M,
#' centred, counts.
#'
#' The noise of the number of records changes all N(x) in proportion.
#' @param block (list) See release_plan().
#' @param unknown (list) See unknown_tables().
#' @param set (integer matrix) Codes of all its records.
#' @param rows (integer) Its records that `pulls` is for.
#' @param pulls (matrix, a row for each of these) G.
#' @return (matrix)
#' @noRd
unknown_sums <- function(block, unknown, set, rows, pulls) {
  total <- size_variance(block) * tcrossprod(colSums(pulls) / nrow(set))
  for (table in unknown) {
    levels <- block$levels[table$columns]
    cell <- cell_number(set[, table$columns, drop = FALSE], levels) + 1
    # All other records of the cell add 0
    sums <- rowsum(pulls, cell[rows])
    seen <- as.integer(rownames(sums))
    means <- matrix(0, prod(levels), ncol(pulls))
    means[seen, ] <- sums / tabulate(cell, prod(levels))[seen]
    # Each of its columns
    along <- matrix(along_axes(means, table$axes), length(table$variance))
    total <- total + crossprod(sqrt(table$variance) * along)
  }
  total
}
