# Columns of a design that those before them determine.

# A squared multiple correlation within this of 1 counts as exact
exactly_determined <- 1e-10

#' Columns that are determined by those before them
#'
#' By the Gram matrix of the columns, in blocks of records, so that the dense
#' design is never formed as a whole. The columns of the factor with the most
#' levels are orthogonal to each other: they are counted and not multiplied, so
#' that a factor of thousands of levels takes no cube of them.
#' @param spec (list) A model specification.
#' @param columns (character, P)
#' @return (character) Names, none when the columns are independent.
#' @noRd
aliased_columns <- function(spec, columns) {
  gram <- design_gram(spec, length(columns))
  before <- gram$rest < min(gram$own, Inf)
  aliased <- logical(length(columns))
  first <- swept(gram$cross[before, before, drop = FALSE])
  aliased[gram$rest[before]] <- first
  aliased[gram$own] <- aliased_levels(
    gram$cross[before, before, drop = FALSE], gram$sums[, before, drop = FALSE],
    gram$size
  )
  # What the levels leave of the others, and of those the ones after them
  there <- gram$size > 0
  sums <- gram$sums[there, , drop = FALSE]
  left <- gram$cross - crossprod(sums / sqrt(gram$size[there]))
  aliased[gram$rest[!before]] <- swept(left, diag(gram$cross))[!before]
  columns[aliased]
}

#' Inner products of the columns
#'
#' @return (list) `rest`, `own` (places of the columns of the other predictors,
#'   of the largest factor), `cross` (the others'), `size` (records of each
#'   level), `sums` (levels x others: sums of the others' columns).
#' @noRd
design_gram <- function(spec, size) {
  n <- length(spec$y)
  levels <- apply(spec$codes, 2, max, 0)
  largest <- which.max(levels)
  own <- if (length(largest) > 0) {
    spec$factor_column[largest] + seq_len(levels[largest])
  }
  rest <- setdiff(seq_len(size), own)
  others <- spec
  if (length(largest) > 0) {
    others$codes <- spec$codes[, -largest, drop = FALSE]
    others$factor_column <- spec$factor_column[-largest]
  }
  cross <- matrix(0, length(rest), length(rest))
  sums <- matrix(0, length(own), length(rest))
  block <- max(1, floor(2e6 / size))
  for (start in seq(1, n, block)) {
    rows <- start:min(n, start + block - 1)
    x <- dense_design(subset_spec(others, rows))[, rest, drop = FALSE]
    cross <- cross + crossprod(x)
    if (length(own) > 0) {
      code <- spec$codes[rows, largest]
      found <- rowsum(x, code)
      level <- as.integer(rownames(found))
      sums[level, ] <- sums[level, ] + found[level > 0, ]
    }
  }
  list(
    rest = rest, own = own, cross = cross, sums = sums,
    size = if (length(own) > 0) {
      tabulate(spec$codes[, largest], length(own))
    } else {
      integer()
    }
  )
}

#' Which columns those before them determine, from their inner products
#' @param whole (numeric) Squared lengths that what is left is compared with.
#' @noRd
swept <- function(cross, whole = diag(cross)) {
  length <- sqrt(ifelse(whole > 0, whole, 1))
  left <- cross / outer(length, length)
  aliased <- logical(length(whole))
  for (j in seq_along(whole)) {
    if (left[j, j] > exactly_determined) {
      later <- seq_along(whole) > j
      left[later, later] <- left[later, later] -
        tcrossprod(left[later, j]) / left[j, j]
    } else {
      # A level that no record has is another remark
      aliased[j] <- whole[j] > 0
    }
  }
  aliased
}

#' Which levels' columns are determined by the columns before the factor and by
#' the levels before them
#'
#' Levels are orthogonal to each other, so that only the columns before the
#' factor change: by what the levels so far take of them.
#' @param cross (matrix) Of the columns before the factor.
#' @param sums (matrix, levels x columns), `size` (levels).
#' @noRd
aliased_levels <- function(cross, sums, size) {
  aliased <- logical(length(size))
  kept <- integer()
  inverse <- NULL
  # The columns that are left are found again where one has gone
  find <- function(cross) {
    whole <- diag(cross)
    kept <<- which(whole > 0 & !swept(cross, start))
    inverse <<- if (length(kept) > 0) {
      chol2inv(chol(cross[kept, kept, drop = FALSE]))
    }
  }
  start <- diag(cross)
  find(cross)
  for (k in which(size > 0)) {
    if (length(kept) == 0) break
    part <- inverse %*% sums[k, kept]
    left <- size[k] - sum(part * sums[k, kept])
    cross <- cross - tcrossprod(sums[k, ]) / size[k]
    aliased[k] <- left <= exactly_determined * size[k]
    if (left < 1e-4 * size[k]) {
      find(cross)
    } else {
      inverse <- inverse + tcrossprod(part) / left
    }
  }
  aliased
}
