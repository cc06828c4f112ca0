# What noisy tables of pairs tell, where levels of a column that are alike in
# one table are alike in others: neighbouring ages are, and so are the levels of
# schooling beside whatever column. A few directions among the levels then carry
# most of all interactions of a column, and the rest is mostly noise.
#
# The interaction of columns j and k is normal with covariance t G_j x G_k (a
# Kronecker product, t a size of its own): the matrix normal law. G_j is the
# same in all tables of column j, so that many noisy cells tell it: empirical
# Bayes (Efron and Morris 1972, Empirical Bayes on vector observations). Before
# any table is seen, cells of p_a p_b records vary in proportion to that.

# Rounds of expectation and maximization: four and a hundred give the same
# accuracy. What is assumed beforehand counts as much as this many tables, by a
# column of as many levels, would: as two, which a column with few tables needs,
# or it is noise that they seem to tell. Where a column has more than two, as
# `told` over their number: with two throughout, sets of files of many columns
# are up to 1% farther off
alike <- list(rounds = 5, tables = 2, told = 4)

# What is assumed of columns whose levels have an order, see neighbours_alike().
# At epsilon 1 pairs of October's interviews are 3% nearer by it, those of
# EU-SILC's persons 4% (bench/file_rivals.R)
alike_ordered <- list(share = 0.9, reach = 0.3)

#' The directions among the levels of each column in which interactions vary
#'
#' @param pairs (list of list) `columns` (two integers), `residual` (double: a
#'   noisy interaction in counts, centred) and `variance` (of the noise).
#' @param margins (list of double) Of each column; only their shares matter.
#' @param order (list of integer or `NULL`, by column) Levels in their order,
#'   see level_orders().
#' @param known (list, by column, or `NULL`) What other tables told of a column:
#'   as returned; `NULL` where there are none. Without `tables`: what is assumed
#'   of it beforehand.
#' @return (list, by column) `axes` (matrix, L x (L - 1): orthonormal columns
#'   that sum to 0), `size` (double, L - 1: how much interactions vary along
#'   each, their mean 1) and `tables` (number: by a column of as many levels,
#'   which tell as much).
#' @noRd
level_axes <- function(pairs, margins, known = NULL, order = NULL) {
  before <- lapply(margins, expected_alike)
  for (j in which(lengths(order) > 2)) {
    before[[j]] <- covariance_of(
      neighbours_alike(margins[[j]], order[[j]], alike_ordered)
    )
  }
  tables <- assumed_tables(pairs, lengths(margins))
  for (j in which(lengths(known) > 0)) {
    before[[j]] <- covariance_of(known[[j]])
    tables[j] <- known[[j]]$tables %||% tables[j]
  }
  found <- lapply(before, axes_of)
  of <- c("columns", "residual", "variance")
  pairs <- lapply(stats::setNames(nm = of), function(part) {
    lapply(pairs, `[[`, part)
  })
  variance <- as.double(pairs$variance)
  weight <- tables * lengths(margins)
  for (round in seq_len(alike$rounds)) {
    told <- axis_moments_(pairs$columns, pairs$residual, found, variance)
    count <- weight + told$count
    found <- Map(function(before, weight, own, moments, count) {
      sum <- before * weight + own$axes %*% tcrossprod(moments, own$axes)
      axes_of(sum / count)
    }, before, weight, found, told$moments, count)
  }
  Map(c, found, lapply(count / lengths(margins), function(n) list(tables = n)))
}

#' How many tables what is assumed beforehand counts as, by column: see `alike`
#' @noRd
assumed_tables <- function(pairs, levels) {
  own <- numeric(length(levels))
  for (pair in pairs) {
    own[pair$columns] <- own[pair$columns] + levels[rev(pair$columns)] - 1
  }
  pmin(alike$tables, alike$told * levels / own)
}

#' How levels vary before any table is seen: by their shares, centred
#' @noRd
expected_alike <- function(margin) {
  share <- above_zero(margin)
  centre <- diag(length(share)) - 1 / length(share)
  of_mean_one(centre %*% (share * centre))
}

#' A margin none of whose levels has nothing
#' @noRd
above_zero <- function(margin) pmax(margin, 1e-9 * sum(margin), 1e-300)

#' A covariance of levels that sum to 0, scaled: its sizes are 1 on average
#' @noRd
of_mean_one <- function(varies) {
  varies * max(1, nrow(varies) - 1) / max(sum(diag(varies)), 1e-300)
}

#' How levels vary before any table is seen: those beside each other are alike
#'
#' Their correlation falls with the share of records between them; a part of
#' what a level has is its own.
#' @param margin (double) Of the levels.
#' @param order (integer) Levels in their order; others are alike to none.
#' @param near (list) `share` of what varies that is so, and `reach`, a share of
#'   the records.
#' @return (list) See level_axes().
#' @noRd
neighbours_alike <- function(margin, order, near) {
  share <- above_zero(margin)
  share <- share / sum(share)
  at <- cumsum(share[order]) - share[order] / 2
  beside <- diag(length(share))
  beside[order, order] <- exp(-abs(outer(at, at, `-`)) / near$reach)
  # Of counts: shares times what varies, less its mean
  centred <- diag(share, length(share)) - outer(share, share)
  varies <- centred %*% beside %*% centred
  axes_of((1 - near$share) * expected_alike(margin) +
    near$share * of_mean_one(varies))
}

#' Directions and sizes of a covariance of levels
#' @noRd
axes_of <- function(covariance) {
  l <- nrow(covariance)
  # Along the levels' common direction nothing varies
  if (l == 1) {
    return(list(axes = matrix(0, 1, 0), size = double()))
  }
  differences <- stats::contr.helmert(l)
  differences <- differences / rep(sqrt(colSums(differences^2)), each = l)
  found <- eigen(
    crossprod(differences, covariance %*% differences), symmetric = TRUE
  )
  size <- pmax(found$values, 1e-9 * found$values[1])
  list(axes = differences %*% found$vectors, size = size / mean(size))
}

covariance_of <- function(one) one$axes %*% (one$size * t(one$axes))

#' What a noisy interaction tells, along the axes of its columns
#'
#' @param residual (double) Noisy, centred, the first column's level fastest.
#' @param axes (list) Of its columns, see level_axes().
#' @param variance (number) Of the noise.
#' @return (list) `t` (how much it varies, beside the product of its columns'
#'   sizes), `kept` (share of signal in signal and noise along each product of
#'   axes), `mean` and `variance` of the posterior there.
#' @noRd
told_of <- function(residual, axes, variance) {
  told_of_(as.double(residual), axes, variance)
}

#' How much interactions vary along each product of axes
#' @noRd
varies_along <- function(axes) {
  Reduce(function(a, b) as.vector(outer(a, b)), lapply(axes, `[[`, "size"))
}

#' A table along the axes of its columns, and back
#' @param axes (list) Of the table's columns.
#' @noRd
along_axes <- function(table, axes) {
  turned_table_(table, lapply(axes, function(one) t(one$axes)))
}

from_axes <- function(along, axes) {
  turned_table_(along, lapply(axes, `[[`, "axes"))
}

#' Interactions without what is only noise: means of their posterior
#' @param residuals (list of double) See told_of().
#' @param columns (list of integer) Of each: their places in `axes`.
#' @param axes (list) See level_axes().
#' @param variance (double) Of the noise, of each.
#' @return (list of double)
#' @noRd
shrunk_residuals <- function(residuals, columns, axes, variance) {
  shrunk_residuals_(columns, residuals, axes, as.double(variance))
}
