# The queries of a release, by the constructs of engine-sql.R.

#' @param select,group (character)
#' @param with (named character) Queries that it starts from. Those of `once`
#'   are computed once, or engines compute their columns where each is used.
#' @noRd
sql_query <- function(dialect, select, from, group = character(),
                      with = character(), once = names(with)[1]) {
  kept <- ifelse(names(with) %in% once, dialect$materialized, "")
  parts <- sprintf("%s AS %s(\n%s\n)", names(with), kept, with)
  paste0(
    if (length(with) > 0) paste0("WITH ", paste(parts, collapse = ", "), "\n"),
    "SELECT ", paste(select, collapse = ", "), "\nFROM ", from,
    if (length(group) > 0) paste("\nGROUP BY", paste(group, collapse = ", "))
  )
}

#' Counts and sums leave as doubles, which are exact up to 2^53
#' @noRd
sql_total <- function(dialect, x, as) {
  sprintf("%s AS %s", sql_double(dialect, x), as)
}

sql_count <- function(dialect) sql_total(dialect, "COUNT(*)", "n")

#' How many records something holds for
#' @noRd
sql_number <- function(dialect, holds, as) {
  sql_total(dialect, sprintf("SUM(CASE WHEN %s THEN 1 ELSE 0 END)", holds), as)
}

#' Names of keys in queries, which no column of the table can share
#' @noRd
key_names <- function(columns) sprintf("k%d", seq_along(columns))

#' Keys as a query has them of another one, whose collation may be lost
#' @param columns (list) See sql_column().
#' @noRd
sql_keys_again <- function(dialect, columns) {
  text <- vapply(columns, function(column) is.character(column$type), NA)
  collate <- ifelse(text, dialect$collate, "")
  trimws(paste(key_names(columns), collate))
}

sql_reads <- function(columns) vapply(columns, `[[`, "", "read")

#' Combinations of some columns' values with the number of records
#' @param columns (list) See sql_column().
#' @noRd
sql_cells <- function(dialect, from, columns) {
  read <- unname(sql_reads(columns))
  sql_query(
    dialect,
    c(sprintf("%s AS %s", read, key_names(columns)), sql_count(dialect)),
    from, read
  )
}

#' A query over records with their keys and computed values
#'
#' @param columns (list) Of the keys, see sql_column().
#' @param values (named character) What is computed of a record, once.
#' @param further (named character) What is computed of that.
#' @param group,totals (character) Beside the keys, of these.
#' @noRd
sql_over_records <- function(dialect, from, columns, values, further, group,
                             totals) {
  held <- key_names(columns)
  of_record <- c(stats::setNames(unname(sql_reads(columns)), held), values)
  again <- sql_keys_again(dialect, columns)
  sql_query(
    dialect, c(sprintf("%s AS %s", again, held), group, totals),
    "t", c(again, group), with = c(
      s = sql_query(
        dialect, sprintf("%s AS %s", of_record, names(of_record)), from
      ),
      t = sql_query(
        dialect, c(held, names(values), sprintf(
          "%s AS %s", further, names(further)
        )), "s"
      )
    )
  )
}

#' The whole sums of a step, see whole_scores(), by combination
#'
#' Beside them `lost`: records of a combination that is none of these.
#' @param columns (list) Of the keys, see sql_column().
#' @param levels (data frame) The combinations, as literals.
#' @param scored (string) See sql_scored().
#' @param at (data frame) `centre`, `spread`, `lowest` of each combination.
#' @noRd
sql_whole <- function(dialect, from, columns, levels, scored, at, clip) {
  by_cell <- function(x) {
    sprintf("(%s)", sql_by_cell(
      sql_reads(columns), levels, sql_value(dialect, x)
    ))
  }
  centre <- clamp(as.double(at$centre), -largest_number, largest_number)
  centre[abs(centre) < 1 / largest_spread] <- 0
  spread <- clamp(as.double(at$spread), 1 / largest_spread, largest_spread)
  # A mean that is no number, of a step that went astray, is far from all
  centre[is.na(centre)] <- largest_number
  spread[is.na(spread)] <- largest_spread
  clip <- sql_value(
    dialect, clamp(as.double(clip), 1 / largest_spread, largest_spread)
  )
  halves_up <- sql_floor(dialect, sprintf(
    "(u * %s + %s)", sql_value(dialect, as.double(score_steps)),
    sql_value(dialect, 0.5)
  ))
  # The last step of each record: it adds at most score_steps
  whole <- sprintf(
    paste(
      "CASE WHEN u >= 1 THEN %d WHEN u <= -1 THEN -%d",
      "WHEN u > -1 AND u < 1 THEN CAST(%s AS %s) ELSE 0 END"
    ),
    score_steps, score_steps, halves_up, dialect$whole
  )
  sql_over_records(
    dialect, from, columns,
    values = c(
      v = sprintf("(%s - %s) / %s", scored, by_cell(centre), by_cell(spread)),
      low = by_cell(clamp(
        as.double(at$lowest), -largest_number, largest_number
      ))
    ),
    further = c(u = sprintf("v / %s", clip)),
    group = character(),
    totals = c(
      sql_count(dialect),
      sql_number(dialect, sprintf("v > low AND v < %s", clip), "inside"),
      sql_total(dialect, sprintf("SUM(%s)", whole), "q"),
      sql_number(dialect, "u IS NULL OR low IS NULL", "lost")
    )
  )
}

#' How many records are in each bin, from 1, by combination
#' @param breaks (double) Between bins: a bin holds its lower one.
#' @noRd
sql_tally <- function(dialect, from, columns, modelled, breaks) {
  arms <- sprintf(
    "WHEN v < %s THEN %d", sql_value(dialect, as.double(breaks)),
    seq_along(breaks)
  )
  sql_over_records(
    dialect, from, columns,
    values = c(v = modelled),
    further = c(bin = sprintf(
      "CASE %s ELSE %d END", paste(arms, collapse = " "), length(breaks) + 1L
    )),
    group = "bin", totals = sql_count(dialect)
  )
}
