# One margin for all parts of an amount that have values. Where a bin holds no
# value of a part, such as a bin between two heaps, its records are of others:
# each part gets the bins that it can have.

#' Parts of the same range that have values in the same bins of the margin
#'
#' @param amount (list) See release_amount().
#' @return (list) `group` (integer, of each row of `amount$parts`) and `open`
#'   (logical matrix, groups x bins): has a group values in a bin?
#' @noRd
part_groups <- function(amount) {
  breaks <- amount$margin$breaks
  bins <- length(breaks) - 1
  if (is.null(amount$parts)) {
    return(list(group = 1L, open = matrix(TRUE, 1, bins)))
  }
  back <- response_transforms[[amount$transform]]$back
  ends <- back(breaks)
  open <- vapply(seq_along(amount$part), function(k) {
    low <- ends[-(bins + 1)]
    high <- ends[-1]
    # A logarithm takes negative values without their sign
    if (amount$parts$kind[k] == "negative" && amount$transform == "log") {
      turned <- low
      low <- -high
      high <- -turned
    }
    own <- rep(amount$part[k], bins)
    first <- in_part_beyond(low, own, amount$all_parts, 1)
    # What rounding puts beside a bound is the bound
    first <= high + 1e-12 * abs(high)
  }, logical(bins))
  open <- matrix(t(open), ncol = bins)
  # Swapped values must fit their part's range, too
  kind <- paste(
    amount$parts$low, amount$parts$high,
    apply(open, 1, function(row) paste(which(row), collapse = " "))
  )
  list(
    group = match(kind, unique(kind)),
    open = open[!duplicated(kind), , drop = FALSE]
  )
}

#' What the parts make of the margin's law
#'
#' The family's law knows no parts: between heaps it expects as much as at them.
#' How many records each part has was released, and in which bins it can have
#' values is public. So each group has its records in its own bins, by the law.
#' @param amount (list) `sizes` (of each row of `parts`, as released), see
#'   part_groups().
#' @param law (double) Shares of the margin's bins.
#' @return (double) What each bin's share is multiplied by, above 0.
#' @noRd
part_factors <- function(amount, law) {
  groups <- part_groups(amount)
  size <- as.vector(rowsum(amount$sizes, groups$group, reorder = FALSE))
  own <- groups$open * rep(law, each = nrow(groups$open))
  each <- rowSums(own)
  total <- sum(size[each > 0])
  # Of an amount that no record has, as far as noise tells, the law says all
  if (total <= 0) {
    return(rep(1, length(law)))
  }
  held <- colSums(own * ifelse(each > 0, size / each, 0)) / total
  # What no part has, or a part of no records, noise alone may say
  pmax(held / law, 1e-6)
}

#' Which groups have values in each bin, as one word
#' @noRd
open_kinds <- function(amount) {
  apply(part_groups(amount)$open, 2, function(open) {
    paste(which(open), collapse = " ")
  })
}

#' The margin's bin that each of the finer counts is in
#' @noRd
bins_of_counts <- function(counts, amount) {
  middle <- (counts$breaks[-1] + counts$breaks[-length(counts$breaks)]) / 2
  findInterval(middle, amount$margin$breaks)
}

#' The margin of each group of parts
#'
#' The model's expected counts of groups by bins, where they can be, fitted to
#' the margin and to the groups' sizes, which are met exactly.
#' @param group (integer, n) Of each record, see part_groups().
#' @param open (logical matrix, groups x bins)
#' @param line (double, n) Linear predictors.
#' @return (list) For each group `counts` and `breaks`, as `amount$counts`.
#' @noRd
group_margins <- function(amount, group, open, line, most = 20000) {
  counts <- amount$counts
  groups <- nrow(open)
  if (groups == 1) {
    return(list(counts))
  }
  breaks <- amount$margin$breaks
  bin <- bins_of_counts(counts, amount)
  wanted <- as.vector(rowsum(
    counts$counts, factor(bin, seq_len(ncol(open))), reorder = TRUE
  ))
  # A drawn margin has counts that are too small to be divided by
  wanted[wanted < 1e-12 * sum(wanted)] <- 0
  some <- spaced_rows(length(group), most)
  share <- bin_shares(
    amount, line[some], breaks[-c(1, length(breaks))]
  )
  expected <- matrix(sums_of_bins(
    share, cbind(group[some]), groups
  )[[1]], groups)
  size <- tabulate(group, groups)
  fitted <- fitted_margins(
    open * pmax(expected, 1e-9 * mean(expected)), size, wanted
  )
  lapply(seq_len(groups), function(g) {
    kept <- ifelse(wanted > 0, fitted[g, ] / wanted, 0)
    counts$counts <- counts$counts * kept[bin]
    # Of a part that the margin has no record of nothing else is known
    if (sum(counts$counts) == 0) {
      counts$counts <- diff(counts$breaks) * open[g, bin]
    }
    counts
  })
}

#' Iterative proportional fitting to columns and rows, rows last
#' @noRd
fitted_margins <- function(table, rows, columns, rounds = 50) {
  scaled <- function(wanted, sums) ifelse(sums > 0, wanted / sums, 0)
  for (round in seq_len(rounds)) {
    table <- sweep(table, 2, scaled(columns, colSums(table)), `*`)
    table <- table * scaled(rows, rowSums(table))
  }
  table
}

#' Which of an amount's parts with values each record is in
#' @param codes (integer matrix) Of all records.
#' @param rows (integer) Records with values.
#' @noRd
part_number <- function(amount, codes, rows) {
  if (!amount$name %in% colnames(codes)) {
    return(rep(1L, length(rows)))
  }
  match(codes[rows, amount$name], amount$part)
}
