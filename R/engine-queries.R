# The queries of a release, by the constructs of engine-sql.R.

#' @param select,group (character)
#' @param with (named character) Queries that it starts from. Those of `once`
#'   are computed once, or engines compute their columns where each is used.
#' @noRd
sql_query <- function(dialect, select, from, group = character(),
                      with = character(), once = names(with)[1]) {
  paste0(
    if (length(with) > 0) sql_with(dialect, with, once),
    "SELECT ", paste(select, collapse = ", "), "\nFROM ", from,
    if (length(group) > 0) paste("\nGROUP BY", paste(group, collapse = ", "))
  )
}

sql_with <- function(dialect, with, once) {
  kept <- ifelse(names(with) %in% once, dialect$materialized, "")
  parts <- sprintf("%s AS %s(\n%s\n)", names(with), kept, with)
  paste0("WITH ", paste(parts, collapse = ", "), "\n")
}

#' Counts and sums leave as doubles, which are exact up to 2^53
#' @noRd
sql_total <- function(dialect, x, as) {
  sprintf("%s AS %s", sql_double(dialect, x), as)
}

sql_count <- function(dialect) sql_total(dialect, "COUNT(*)", "n")

#' Sums over rows, each of which may stand for several records
#' @noRd
sql_sum <- function(dialect, x, as) {
  sql_total(dialect, sprintf("SUM(%s)", x), as)
}

#' How many records something holds for
#' @noRd
sql_number <- function(dialect, holds, as) {
  sql_total(dialect, sprintf("SUM(CASE WHEN %s THEN 1 ELSE 0 END)", holds), as)
}

#' Combinations of some columns' values with the number of records
#' @param columns (list) See sql_column().
#' @noRd
sql_cells <- function(dialect, from, columns) {
  read <- vapply(columns, `[[`, "", "read", USE.NAMES = FALSE)
  # No column of the table can share these names
  named <- sprintf("%s AS k%d", read, seq_along(read))
  sql_query(dialect, c(named, sql_count(dialect)), from, read)
}

#' Records with the number of their combination and the modelled response
#'
#' All further queries are of numbers: text is looked at here alone. Where
#' records repeat each other, equal ones are counted first: `n` is how many a
#' row stands for.
#' @param records (list) `from`; `columns` and `variable` (the response's), see
#'   sql_column(); `numbers`, see cell_numbers(); `counted` (flag: are equal
#'   ones counted first?).
#' @param value (string) Of the response `y`.
#' @return (named character) Queries that others start from, the last one `s` of
#'   `cell`, `v` and `n`.
#' @noRd
sql_records <- function(dialect, records, value) {
  read <- vapply(records$columns, `[[`, "", "read", USE.NAMES = FALSE)
  read <- c(read, records$variable$read)
  keys <- sprintf("k%d", seq_along(records$columns))
  n <- if (records$counted) {
    sprintf("CAST(COUNT(*) AS %s)", dialect$whole)
  } else {
    "1"
  }
  # No column of the table can share these names
  queries <- c(r = sql_query(
    dialect, sprintf("%s AS %s", c(read, n), c(keys, "y", "n")), records$from,
    if (records$counted) read
  ))
  steps <- records$numbers$steps
  for (i in seq_along(steps)) {
    keys <- setdiff(keys, sprintf("k%d", steps[[i]]$columns))
    last <- i == length(steps)
    query <- sql_query(dialect, c(
      sprintf("%s AS cell", steps[[i]]$sum),
      if (last) sprintf("%s AS v", value) else c(keys, "y"), "n"
    ), names(queries)[i])
    queries[if (last) "s" else sprintf("r%d", i)] <- query
  }
  queries
}

#' The whole sums of a step, see whole_scores(), by combination
#'
#' @param records (list) See sql_records().
#' @param scored (string) See sql_scored(), of `y`.
#' @param at (data frame) `centre`, `spread`, `lowest` of each combination.
#' @noRd
sql_whole <- function(dialect, records, scored, at, clip) {
  by_cell <- function(x) {
    value <- sql_value(dialect, x)
    sprintf("(%s)", sql_by_number(records$numbers$number, value))
  }
  centre <- clamp(as.double(at$centre), -largest_number, largest_number)
  centre[abs(centre) < 1 / largest_spread] <- 0
  spread <- clamp(as.double(at$spread), 1 / largest_spread, largest_spread)
  # A mean that is no number, of a step that went astray, is far from all
  centre[is.na(centre)] <- largest_number
  spread[is.na(spread)] <- largest_spread
  lowest <- clamp(as.double(at$lowest), -largest_number, largest_number)
  clip <- sql_value(
    dialect, clamp(as.double(clip), 1 / largest_spread, largest_spread)
  )
  halves_up <- sql_floor(dialect, sprintf(
    "(u * %s + %s)", sql_value(dialect, as.double(score_steps)),
    sql_value(dialect, 0.5)
  ))
  # The last step of each record: it adds at most score_steps, and so many times
  # as there are records equal to it
  whole <- sprintf(
    paste(
      "CASE WHEN u >= 1 THEN %d WHEN u <= -1 THEN -%d",
      "WHEN u > -1 AND u < 1 THEN CAST(%s AS %s) ELSE 0 END"
    ),
    score_steps, score_steps, halves_up, dialect$whole
  )
  number <- function(holds) sprintf("CASE WHEN %s THEN n ELSE 0 END", holds)
  varied <- any(vapply(list(centre, spread, lowest), function(x) {
    length(unique(x)) > 1
  }, NA))
  with <- c(
    sql_records(dialect, records, scored),
    t = sql_query(dialect, c(
      "cell", sprintf("(v - %s) / %s AS v", by_cell(centre), by_cell(spread)),
      sprintf("%s AS low", by_cell(lowest)), "n"
    ), "s"),
    u = sql_query(
      dialect, c("cell", "v", "low", sprintf("v / %s AS u", clip), "n"), "t"
    )
  )
  if (varied && dialect$vectors) {
    with[["s"]] <- paste0(with[["s"]], "\nORDER BY cell")
  }
  sql_query(
    dialect, c(
      "cell", sql_sum(dialect, c(
        "n", number(sprintf("v > low AND v < %s", clip)),
        sprintf("n * %s", whole), number("u IS NULL OR low IS NULL")
      ), c("n", "inside", "q", "lost"))
    ), "u", "cell", with = with,
    # What is used more than once
    once = setdiff(names(with), c("r", if (!varied) "s", "u"))
  )
}

#' How many records are in each bin, from 1, by combination
#' @param breaks (double) Between bins: a bin holds its lower one.
#' @noRd
sql_tally <- function(dialect, records, modelled, breaks) {
  bin <- sql_tree(
    sprintf("v < %s", sql_value(dialect, as.double(breaks))),
    as.character(seq_len(length(breaks) + 1))
  )
  with <- c(
    sql_records(dialect, records, modelled),
    t = sql_query(
      dialect, c("cell", sprintf("%s AS bin", bin), "n"), "s"
    )
  )
  sql_query(
    dialect, c("cell", "bin", sql_sum(dialect, "n", "n")), "t",
    c("cell", "bin"), with = with, once = setdiff(names(with), c("r", "t"))
  )
}
