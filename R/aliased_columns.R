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
    for (panel in column_panels(length(rest), length(rows))) {
      let_interrupt()
      cross[, panel] <- cross[, panel] + crossprod(x, x[, panel, drop = FALSE])
    }
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

#' Panels of columns of which a product with all takes a part of a second
#' @param size (count) Columns, `rows` of the product's inner dimension.
#' @return (list of integer)
#' @noRd
column_panels <- function(size, rows) {
  if (size == 0) {
    return(list())
  }
  width <- max(1, floor(1e8 / (size * max(1, rows))))
  unname(split(seq_len(size), (seq_len(size) - 1) %/% width))
}

# R looks for an interrupt at every thousandth step of a loop, of which one may
# take a second here.
let_interrupt <- function() Sys.sleep(0)

#' Which columns those before them determine, from their inner products
#'
#' Cholesky's factor, a panel of columns at a time.
#' @param whole (numeric) Squared lengths that what is left is compared with.
#' @noRd
swept <- function(cross, whole = diag(cross)) {
  length <- sqrt(ifelse(whole > 0, whole, 1))
  left <- cross / outer(length, length)
  size <- length(whole)
  aliased <- logical(size)
  # Nearly always, and then in no time
  if (size > 0 && size <= 500 && has_full_rank(left)) {
    return(aliased)
  }
  for (first in seq(1, by = 64, length.out = ceiling(size / 64))) {
    own <- first:min(size, first + 63)
    factor <- sweep_panel(left[first:size, own, drop = FALSE])
    # A level that no record has is another remark
    aliased[own] <- factor$gone & whole[own] > 0
    later <- seq_len(size - max(own))
    for (panel in column_panels(length(later), length(own))) {
      let_interrupt()
      rows <- min(panel):length(later)
      left[max(own) + rows, max(own) + panel] <-
        left[max(own) + rows, max(own) + panel] - tcrossprod(
          factor$columns[length(own) + rows, , drop = FALSE],
          factor$columns[length(own) + panel, , drop = FALSE]
        )
    }
  }
  aliased
}

has_full_rank <- function(cross) {
  factor <- tryCatch(chol(cross), error = function(e) NULL)
  !is.null(factor) && all(diag(factor)^2 > exactly_determined)
}

#' The factor of some columns, from the diagonal down
#' @return (list) `columns`, 0 where nothing is left of one, and `gone`.
#' @noRd
sweep_panel <- function(left) {
  gone <- logical(ncol(left))
  for (k in seq_len(ncol(left))) {
    pivot <- left[k, k]
    gone[k] <- !(pivot > exactly_determined)
    left[seq_len(k - 1), k] <- 0
    left[, k] <- if (gone[k]) 0 else left[, k] / sqrt(pivot)
    later <- which(seq_len(ncol(left)) > k)
    if (length(later) > 0) {
      left[, later] <- left[, later] - tcrossprod(left[, k], left[later, k])
    }
  }
  list(columns = left, gone = gone)
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
