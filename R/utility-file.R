# Utility of whole files: how near the tables of all columns and of all pairs of
# columns are to those of the file.

#' @param sets (`synthetic_data`) Of a file release.
#' @param given (named list) Other arguments of utility(), as they were given.
#' @return (`file_utility`) See utility().
#' @noRd
file_utility <- function(sets, data, given) {
  asked <- names(Filter(function(x) !is.null(x) && !isFALSE(x), given))
  refuse_if(
    length(asked) > 0,
    "{.arg {asked}} {?does/do} not apply to sets of whole files.",
    i = "Tables of all pairs of columns are compared. For one column give data
         frames: {.code utility(as.list(sets), data, \"income\")}.",
    arg = asked[1]
  )
  names <- names(sets$sets[[1]])
  check_columns(names, data, "data")
  columns <- file_levels(sets$codebook, sets$sets, quantile_steps)
  levels <- vapply(columns, function(column) length(column$levels) + 1L, 1L)
  coded <- function(file) {
    Map(level_codes, as.list(file)[names], columns)
  }
  file <- coded(data)
  drawn <- lapply(sets$sets, coded)
  tables <- tables_of(length(names))
  n <- c(nrow(data), sets$n_records)
  pairs <- do.call(rbind, lapply(tables, function(j) {
    cells <- prod(levels[j])
    counts <- function(codes) tabulate(cell_codes(codes[j], levels[j]), cells)
    truth <- counts(file) / n[1]
    tv <- vapply(drawn, function(codes) {
      sum(abs(counts(codes) / n[2] - truth)) / 2
    }, 1)
    data.frame(
      first = names[j[1]], second = if (length(j) > 1) names[j[2]] else NA,
      set = seq_along(tv), distance = tv,
      fresh = fresh_distance(truth, n[2])
    )
  }))
  table <- do.call(rbind, lapply(split(pairs, pairs$set), function(one) {
    of <- function(rows) {
      mean <- colMeans(one[rows, c("distance", "fresh")])
      c(mean[["distance"]], mean[["distance"]] / mean[["fresh"]])
    }
    single <- of(is.na(one$second))
    double <- of(!is.na(one$second))
    data.frame(
      set = one$set[1], one_way = single[1], two_way = double[1],
      one_way_ratio = single[2], two_way_ratio = double[2]
    )
  }))
  pairs <- pairs[order(pairs$set), ]
  row.names(pairs) <- row.names(table) <- NULL
  new_result(
    "file_utility",
    table = table, pairs = pairs, columns = names, records = n
  )
}

#' All columns, and all pairs of them
#' @return (list of integer)
#' @noRd
tables_of <- function(d) {
  pairs <- if (d > 1) asplit(unname(utils::combn(d, 2)), 2)
  c(as.list(seq_len(d)), lapply(pairs, as.integer))
}

cell_codes <- function(codes, levels) {
  if (length(codes) == 1) {
    codes[[1]]
  } else {
    codes[[1]] + levels[1] * (codes[[2]] - 1L)
  }
}

#' Expected distance of a fresh sample from the file, with replacement
#'
#' The exact mean of a bootstrap: a cell's count is binomial, whose mean
#' absolute deviation is 2 k (1 - p) b(k; n, p) with k = floor(n p) + 1 (de
#' Moivre).
#' @param p (numeric) Shares of the cells.
#' @param n (count) Records of the sample.
#' @noRd
fresh_distance <- function(p, n) {
  p <- p[p > 0 & p < 1]
  k <- floor(n * p) + 1
  sum(2 * k * (1 - p) * stats::dbinom(k, n, p)) / n / 2
}

print_lines.file_utility <- function(x) {
  mean <- colMeans(x$table[-1])
  pairs <- x$pairs[!is.na(x$pairs$second), ]
  worst <- mean_pairs(pairs)
  worst <- utils::head(worst[order(-worst$ratio), ], 5)
  shown <- data.frame(
    tables = c("of one column", "of two columns"),
    distance = mean[c("one_way", "two_way")],
    "beside a fresh sample" = mean[c("one_way_ratio", "two_way_ratio")],
    check.names = FALSE
  )
  named <- data.frame(
    pair = paste(worst$first, worst$second, sep = " x "),
    distance = worst$distance, "beside a fresh sample" = worst$ratio,
    check.names = FALSE
  )
  c(
    sprintf(
      "Utility of synthetic files, mean over %s",
      counted(nrow(x$table), "set")
    ),
    paste0("  ", format_table(shown)),
    if (nrow(named) > 0) {
      c("  The pairs that are farthest off:", paste0("  ", format_table(named)))
    },
    wrap_line(paste(
      "Total variation distance of tables from the file's. A fresh sample of",
      "the file, as large as a set, has 1."
    )),
    sprintf(
      "  Records: %s in the file, %s in a set", format_count(x$records[1]),
      format_count(x$records[2])
    ),
    paste0("  ", confidential_line())
  )
}

#' Pairs with their mean over sets
#' @noRd
mean_pairs <- function(pairs) {
  first <- pairs[pairs$set == 1, c("first", "second", "fresh")]
  first$distance <- rowMeans(matrix(pairs$distance, nrow(first)))
  # A column of one level is as good as can be
  first$ratio <- ifelse(first$fresh == 0, 1, first$distance / first$fresh)
  first
}
