# Tables of a score release: bins of the response by each published predictor,
# where the budget bears them. What they have beyond what the release's model
# expects is what swaps put into sets.

# Bins of the response, at most: tenths and twentieths are unions of them
score_table_bins <- 20

# Records of a set whose values are swapped, at least: fewer are spread evenly,
# which weakens relations
least_swapped <- 50

# Predictors as tables have them -----------------------------------------------

#' How predictors are coded for tables: levels, or breaks of a number's fifths
#'
#' Of published columns. An interval holds its lower break, and each holds a
#' record of the file.
#' @param data (data frame) The file, or combinations with the `count` of their
#'   records.
#' @return (named list, by predictor) `levels` (character) or `breaks` (double).
#' @noRd
table_coding <- function(design, data, count = NULL) {
  data <- plain_columns(data)
  lapply(stats::setNames(nm = design$variables), function(name) {
    x <- data[[name]]
    if (!is.numeric(x)) {
      return(list(levels = distinct_text(x)))
    }
    inner <- seq_len(predictor_bins - 1) / predictor_bins
    breaks <- unique(if (is.null(count)) {
      stats::quantile(x, inner, names = FALSE, type = 1)
    } else {
      weighted_quantile(x, count, inner)
    })
    list(breaks = as.double(breaks[breaks > min(x)]))
  })
}

#' How many levels each predictor has in tables
#' @noRd
coded_levels <- function(coding) {
  vapply(coding, function(one) {
    if (is.null(one$levels)) length(one$breaks) + 1L else length(one$levels)
  }, 1L)
}

#' Codes of records, from 1; one above all levels where the file had no such
#' level
#' @return (integer matrix, N x predictors)
#' @noRd
table_codes <- function(coding, data) {
  data <- plain_columns(data)
  codes <- vapply(names(coding), function(name) {
    one <- coding[[name]]
    if (is.null(one$levels)) {
      return(findInterval(data[[name]], one$breaks) + 1L)
    }
    match(
      as_text(data[[name]]), as_text(one$levels), length(one$levels) + 1L
    )
  }, integer(nrow(data)))
  matrix(codes, nrow(data))
}

#' Design rows with the codes of their records' predictors, equal ones once
#'
#' A number's fifths may differ where a design row does not.
#' @param row (integer) Of each item, see score_file().
#' @param codes (integer matrix, a row for each item)
#' @param count (double) Records of each item.
#' @return (list) `row`, `codes` (a row for each), `count`; sorted.
#' @noRd
coded_cells <- function(row, codes, count = rep(1, length(row))) {
  cell <- row
  for (j in seq_len(ncol(codes))) {
    first <- match(seq_len(max(cell)), cell)
    if (!all(codes[first, j][cell] == codes[, j])) {
      # Numbered anew: without gaps, in order
      both <- cell * (largest_column + 1) + codes[, j]
      cell <- match(both, sort(unique(both), method = "radix"))
    }
  }
  first <- match(seq_len(max(cell)), cell)
  list(
    row = row[first], codes = codes[first, , drop = FALSE],
    count = sums_by_code(count, cell, length(first))
  )
}

#' A release with a margin as an amount, and records as a set of one
#'
#' Predictors are their codes in tables, which have no line, and design rows.
#' @param file (list) See published_rows(), with `codes`.
#' @param levels (named integer) Of the codes: one more each, for what the file
#'   had not.
#' @return (list) `amount` and `set`, see draw_amount().
#' @noRd
amount_of_scores <- function(x, file,
                             levels = coded_levels(x$population$coding) + 1L) {
  amount <- c(unclass(x), row_coding(file$x, unname(levels)), list(
    told = length(levels), n = x$n_records,
    unit = 1 * (x$family$kind == "count"), transform = "identity"
  ))
  amount$tables$columns <- match(x$tables$columns, names(levels))
  if (!has_own_predictors(x, file)) {
    amount$among <- drop(x$population$rows %*% x$draws$mean)
  }
  list(
    amount = amount, set = cbind(file$codes, design_codes(file$row, file$x))
  )
}

# What they cost ---------------------------------------------------------------

#' The plan of a release's tables, from public numbers alone
#'
#' @param file (list) `n` and `coding`.
#' @param budget (list) See score_budget(); `tables` is `NULL` without any.
#' @param bins (count) Of the margin.
#' @return (list or `NULL`) See binned_tables_plan(); `bins`, `noise` (see
#'   table_noise()) and `cost` (`rho` by relation, `gap`).
#' @noRd
plan_score_tables <- function(file, budget, bins) {
  if (is.null(budget$tables)) {
    return(NULL)
  }
  levels <- unname(coded_levels(file$coding))
  plan <- binned_tables_plan(
    levels, min(score_table_bins, bins), budget$tables,
    free = rep(FALSE, length(levels))
  )
  plan$bins <- plan$levels[length(plan$levels)]
  plan$noise <- table_noise(plan, file$n)
  plan$cost <- own_cost(table_measurement(plan, plan$noise))
  plan
}

#' Is there a margin whose bins tables may have, and Gaussian noise?
#'
#' Laplace noise would grow with the number of tables. Two values are told by
#' the steps, whose sums are their tables.
#' @noRd
can_have_tables <- function(settings, family) {
  !is.null(settings$bounds) && settings$delta > 0 && family$kind != "binary"
}

# What is released -------------------------------------------------------------

#' The noisy tables of a release
#'
#' @param x (list) The release without its tables.
#' @param file (list) See score_file().
#' @return (list) Of public and released numbers only: `breaks` (of the bins, on
#'   the modelled scale, without the ends), `columns` (predictors that have a
#'   table), `records` (of each of their levels, public), `residuals` (list of
#'   matrix, a row for each level: noisy counts, centred along rows and
#'   columns), `noise` (data frame, a row for each table), `excess` (what a
#'   record of each level has beyond what the model expects, by bin), and the
#'   cost.
#' @noRd
release_score_tables <- function(x, file, plan, seed) {
  # As many bins as were counted for, though some may coincide
  breaks <- table_breaks(x, plan$bins)
  cells <- file$coded()
  like <- amount_of_scores(
    x, c(file[c("x", "count")], cells[c("row", "codes")]),
    coded_levels(file$coding)
  )
  tables <- noisy_tables(
    like$amount, file$tables(plan, breaks), like$set, plan, breaks, seed,
    "noisy tables", count = cells$count
  )
  columns <- names(file$coding)[plan$told]
  records <- lapply(plan$told, function(j) {
    sums_by_code(cells$count, cells$codes[, j], like$amount$levels[j])
  })
  named <- function(tables) {
    tables <- Map(function(x, own) matrix(x, length(own)), tables, records)
    stats::setNames(tables, columns)
  }
  c(
    list(
      breaks = breaks, columns = columns,
      records = stats::setNames(records, columns),
      residuals = named(tables$residuals),
      noise = cbind(predictor = columns, tables$looks[[1]]$noise),
      excess = Map(`/`, named(tables$excess), records)
    ),
    plan$cost
  )
}

#' Breaks between bins of equal counts; those of counts between whole numbers
#'
#' @return (double) One less than there are bins; some may coincide.
#' @noRd
table_breaks <- function(x, bins) {
  breaks <- histogram_quantile(x$counts, seq_len(bins - 1) / bins)
  if (x$family$kind == "count") floor(breaks) + 0.5 else breaks
}
