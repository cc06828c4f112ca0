# What a synthetic set hides of the file's pairs. Targets of pairs are shrunk,
# since most of a small interaction is noise. Of many pairs together the noise
# cancels: how much a sum over columns varies in the file is known well, and a
# set shows less of it. Post-processing of released numbers.

#' What noisy pairs have beside a set's, as shares of all records
#' @param block (list) See release_plan().
#' @param set (integer matrix) Codes.
#' @return (list of list) `columns`, `cells` (matrix, sums of rows and columns
#'   0) and `variance` (of the noise in a cell).
#' @noRd
unseen_pairs <- function(block, set) {
  pairs <- which(block$noise$order == 2)
  counts <- table_counts_(
    set, block$levels, block$tables[pairs], default_threads()
  )
  Map(function(t, counts) {
    columns <- block$tables[[t]]
    own <- block$levels[columns]
    shown <- centred_table(counts / nrow(set), own)
    list(
      columns = columns,
      cells = matrix(block$residuals[[t]] / block$n - shown, own[1]),
      variance = block$noise$variance[t] / block$n^2
    )
  }, pairs, counts)
}

#' How much more a sum over columns varies in the file than in a set
#'
#' As a share of its variance in the set. The noise of the difference is known:
#' the smaller the difference beside it, the less of it is believed.
#' @param b (list of double) What each level of each predictor adds.
#' @param names (character) Of the predictors.
#' @param own (string) The column of the amount's parts, which is left out:
#'   among records with values it is another one.
#' @return (number) At least -0.5.
#' @noRd
hidden_variance <- function(b, names, own, unseen, set) {
  kept <- which(names %in% setdiff(colnames(set), own))
  at <- match(names[kept], colnames(set))
  centred <- lapply(b[kept], function(b) b - mean(b))
  line <- numeric(nrow(set))
  for (k in seq_along(kept)) line <- line + b[[kept[k]]][set[, at[k]]]
  more <- noise <- 0
  among <- Filter(function(pair) all(pair$columns %in% at), unseen)
  for (pair in among) {
    k <- match(pair$columns, at)
    one <- centred[[k[1]]]
    other <- centred[[k[2]]]
    more <- more + 2 * drop(one %*% pair$cells %*% other)
    noise <- noise + 4 * pair$variance * sum(one^2) * sum(other^2)
  }
  shown <- mean((line - mean(line))^2)
  if (shown == 0 || more == 0) {
    return(0)
  }
  max(-0.5, more * more^2 / (more^2 + noise) / shown)
}
