# Tables as linear functions of a release's noisy residuals, and what their
# noise is.

#' Which columns of a table have no residual of their own
#'
#' A table is the sum of the residuals of all its columns' subsets. Those of
#' published columns are known, those of columns of one level are 0.
#' @param columns (integer)
#' @return (integer) The first subset that was not measured; of length 0 where
#'   all were.
#' @noRd
unmeasured <- function(block, columns) {
  told <- columns[block$levels[columns] > 1]
  for (own in subsets_of(told)) {
    known <- all(block$published[own]) || !is.na(residual_place(block, own))
    if (!known) {
      return(own)
    }
  }
  integer()
}

#' All subsets of at least one element, smaller ones first
#' @noRd
subsets_of <- function(x) {
  unlist(lapply(seq_along(x), function(k) {
    utils::combn(length(x), k, function(at) x[at], simplify = FALSE)
  }), recursive = FALSE)
}

#' Where the residual of some columns stands
#' @noRd
residual_place <- function(block, columns) {
  match(list(as.integer(sort(columns))), block$tables)
}

#' The unbiased table of some columns
#'
#' Of columns a, b: N / (L_a L_b) + r_a / L_b + r_b / L_a + r_ab, and so on. A
#' residual is centred along its columns, and so is its noise: a cell of it has
#' variance v (1 - 1 / L_a)(1 - 1 / L_b), independent of other residuals'.
#' @param columns (integer) In the order wanted.
#' @return (list) `part`: the table in counts without N / cells (double, the
#'   first column's level fastest); `variance` (double) of its noise;
#'   `forbidden` (cells, from 1).
#' @noRd
table_estimate <- function(block, columns) {
  levels <- block$levels[columns]
  cells <- prod(levels)
  codes <- arrayInd(seq_len(cells), levels)
  part <- variance <- numeric(cells)
  for (own in subsets_of(columns[levels > 1])) {
    # Of the measured residual, whose columns increase
    own <- sort(own)
    place <- match(own, columns)
    inner <- block$levels[own]
    spread <- prod(inner) / cells
    at <- cell_number(codes[, place, drop = FALSE], inner) + 1
    measured <- residual_place(block, own)
    residual <- if (is.na(measured)) {
      published_residual(block, own)
    } else {
      block$residuals[[measured]]
    }
    part <- part + spread * residual[at]
    if (!is.na(measured)) {
      variance <- variance +
        spread^2 * block$noise$variance[measured] * prod(1 - 1 / inner)
    }
  }
  sorted <- sort(columns)
  closed <- forbidden_among(sorted, block$levels, block$rules) + 1
  at <- cell_number(
    codes[, match(sorted, columns), drop = FALSE], block$levels[sorted]
  ) + 1
  forbidden <- which(at %in% closed)
  list(part = part, variance = variance, forbidden = forbidden)
}

#' The exact residual of published columns
#' @noRd
published_residual <- function(block, columns) {
  at <- match(columns, which(block$published))
  levels <- block$levels[columns]
  codes <- block$fixed[, at, drop = FALSE]
  counts <- tabulate(cell_number(codes, levels) + 1, prod(levels))
  centred_table(counts, levels)
}

#' Estimates with their errors
#' @param cells (list) See table_estimate().
#' @return (data frame) See tables().
#' @noRd
table_errors <- function(cells, block, what, about, level) {
  n <- block$n
  even <- 1 / length(cells$part)
  share <- even + cells$part / n
  # Of N secret: its noise moves counts by its even part, shares by their size
  counts_noise <- sqrt(cells$variance + even^2 * size_variance(block))
  noise <- sqrt(
    cells$variance / n^2 + (cells$part / n^2)^2 * size_variance(block)
  )
  if (what == "counts") noise <- counts_noise / n
  share[cells$forbidden] <- 0
  noise[cells$forbidden] <- 0
  sampled <- about == "population"
  p <- clamp(share, 0, 1)
  std_error <- sqrt(noise^2 + sampled * p * (1 - p) / n)
  ends <- share_interval(share, noise, if (sampled) n else Inf, level)
  unit <- if (what == "counts") n else 1
  data.frame(
    estimate = unit * share, noise = unit * noise, std_error = unit * std_error,
    low = unit * ends$low, high = unit * ends$high
  )
}

#' Shares that an estimate is within some standard deviations of
#'
#' The p at which (share - p)^2 <= z^2 (noise^2 + p (1 - p) / n): Wilson's
#' interval, with noise.
#' @param n (number) `Inf`: the sample is no error.
#' @return (list of double) `low`, `high`, between 0 and 1.
#' @noRd
share_interval <- function(share, noise, n, level) {
  z <- stats::qnorm((1 + level) / 2)
  added <- z^2 / n
  middle <- (2 * share + added) / (2 * (1 + added))
  product <- (share^2 - z^2 * noise^2) / (1 + added)
  # An estimate far below 0 is beyond all shares: the nearest end is left
  reach <- sqrt(pmax(middle^2 - product, 0))
  list(low = clamp(middle - reach, 0, 1), high = clamp(middle + reach, 0, 1))
}
