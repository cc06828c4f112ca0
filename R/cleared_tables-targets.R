# What records are fitted to: of each cleared table the counts that rounding and
# withholding leave open, as near as can be to what smaller tables say.

#' The block that sets of cleared tables are drawn from, see draw_block()
#' @param x (`cleared_tables`)
#' @noRd
cleared_block <- function(x) {
  levels <- lengths(x$levels, use.names = FALSE)
  rules <- numbered_rules(x$rules, levels)
  columns <- lapply(x$tables, function(frame) {
    match(columns_of_cells(frame), names(x$levels))
  })
  n <- x$n_records
  margins <- cleared_margins(x, columns, levels, rules)
  targets <- list()
  for (t in which(lengths(columns) > 1)) {
    own <- columns[[t]]
    smaller <- Filter(function(one) {
      length(one$columns) == length(own) - 1 && all(one$columns %in% own)
    }, targets)
    base <- expected_table(
      own, levels[own], n, margins, if (length(own) > 2) smaller
    )
    ends <- count_ends(counts_of_cells(x$tables[[t]]), x$multiple, x$least)
    closed <- forbidden_among(own, levels, rules) + 1
    ends$high[closed] <- 0
    targets <- c(targets, list(list(
      columns = own,
      target = within_counts(base, ends, levels[own], margins[own]),
      variance = max(x$multiple, 1)^2 / 12
    )))
  }
  list(
    n = n, margins = margins, targets = targets, rules = rules,
    fixed = matrix(0L, 0, 0), levels = levels,
    published = rep(FALSE, length(levels))
  )
}

#' The smallest and the largest count that a coarsened one may have been
#' @noRd
count_ends <- function(n, multiple, least) {
  half <- multiple / 2
  low <- ifelse(n == 0, 0, pmax(ceiling(n - half), least))
  high <- ifelse(n == 0, max(least, ceiling(half)), ceiling(n + half)) - 1
  # Nothing is known of what is withheld
  list(low = ifelse(is.na(n), 0, low), high = ifelse(is.na(n), Inf, high))
}

#' Counts of each column, of the sum that all records have
#' @noRd
cleared_margins <- function(x, columns, levels, rules) {
  lapply(seq_along(levels), function(j) {
    # Smaller tables come first
    t <- which(vapply(columns, function(own) j %in% own, TRUE))[1]
    own <- columns[[t]]
    counts <- counts_of_cells(x$tables[[t]])
    ends <- count_ends(counts, x$multiple, x$least)
    left <- max(0, x$n_records - sum(counts, na.rm = TRUE))
    # Withheld cells share what the others leave
    counts[is.na(counts)] <- left / max(1, sum(is.na(counts)))
    # Of a count that is 0 something may be there
    counts <- ifelse(counts == 0 & is.finite(ends$high), ends$high / 4, counts)
    margin <- as.vector(apply(
      array(counts, levels[own]), match(j, own), sum
    ))
    margin[forbidden_among(j, levels, rules) + 1] <- 0
    margin * x$n_records / sum(margin)
  })
}

#' The table within its cells' ends that is nearest to another one
#'
#' Cells are moved between their ends and the table is fitted to the margins, in
#' turns.
#' @param base (double) What smaller tables say.
#' @param ends (list) `low`, `high` of each cell.
#' @return (double)
#' @noRd
within_counts <- function(base, ends, levels, margins, rounds = 50) {
  x <- clamp(base, ends$low, ends$high)
  for (round in seq_len(rounds)) {
    x <- fitted_once(array(x, levels), seq_along(levels), margins)
    x <- clamp(as.vector(x), ends$low, ends$high)
  }
  x
}
