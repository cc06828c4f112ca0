# The predictors of an amount: levels of other columns, as the core reads a
# design.

# Rows of the synthetic set that geometry and posterior are computed from
amount_rows <- 50000

# Bins of an amount where it is a predictor of others: of an amount that the
# budget bears tables of, and of any other. More bins keep more of a correlation
# of two amounts and add more noise.
earlier_bins <- c(tables = 12, plain = 5)

#' Each predictor's most common level in a synthetic set: others are compared
#' with it
#' @noRd
most_common <- function(set, levels) {
  vapply(seq_along(levels), function(j) {
    which.max(tabulate(set[, j], levels[j]))
  }, 1L)
}

#' Predictors as the core reads a design
#' @param predictors (integer matrix) Levels.
#' @return (list) See design_parts().
#' @noRd
predictor_parts <- function(predictors, levels, baseline) {
  n <- nrow(predictors)
  codes <- predictors
  for (j in seq_along(levels)) {
    own <- predictors[, j]
    codes[, j] <- (own - (own > baseline[j])) * (own != baseline[j])
  }
  storage.mode(codes) <- "integer"
  list(
    n_columns = 1L + sum(levels - 1L), intercept = TRUE,
    codes = unname(codes), n_levels = as.integer(levels),
    factor_column = as.integer(1 + cumsum(c(0, levels - 1))[seq_along(levels)]),
    numeric = matrix(0, n, 0), numeric_column = integer()
  )
}

#' A synthetic set in place of the file: its distinct rows, as many as released
#' @return (list) See distinct_rows(); `codes`: levels of each row; `kept`:
#'   the records of the set that these are of.
#' @noRd
set_rows <- function(set, levels, baseline, n) {
  kept <- spaced_rows(nrow(set), amount_rows)
  if (nrow(set) > amount_rows) set <- set[kept, , drop = FALSE]
  rows <- distinct_rows(predictor_parts(set, levels, baseline))
  rows$codes <- set[match(seq_along(rows$count), rows$row), , drop = FALSE]
  rows$count <- rows$count * n / nrow(set)
  rows$kept <- kept
  rows
}

#' Levels of an amount in bins: as many whatever was released, since the cost is
#' known beforehand; a set may have no record in some
#' @return (integer)
#' @noRd
levels_of_bins <- function() as.integer(max(earlier_bins)) + 1L

#' Levels of these predictors, those of one level among them
#' @param levels (named list) Of the block's columns.
#' @param earlier (named integer) Levels of amounts in bins.
#' @return (named integer)
#' @noRd
predictor_levels <- function(amount, levels, earlier) {
  sizes <- lengths(levels)
  own <- match(amount$name, names(levels))
  if (!is.na(own)) sizes[own] <- length(amount$part)
  c(sizes, earlier)
}
