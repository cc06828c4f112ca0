# Queries that a database is asked, as text: no more of SQL than all engines
# read alike. A record is clipped last, so that whatever the engine computes
# before, no record adds more than the release pays for.

#' What engines write each in their own way
#'
#' `tried`: whether the package's tests run its queries there. Queries for the
#' others are written, not run.
#' @noRd
sql_dialects <- list(
  sqlite = list(
    called = "SQLite", class = "SQLiteConnection", tried = TRUE,
    collate = "COLLATE BINARY", double = "REAL", materialized = "MATERIALIZED ",
    begin = "BEGIN",
    # Not all have floor(); halves are exact
    floor = "(CAST({x} AS INTEGER) - ({x} < CAST({x} AS INTEGER)))"
  ),
  postgresql = list(
    called = "PostgreSQL", class = c("PqConnection", "PostgreSQLConnection"),
    tried = TRUE, collate = "COLLATE \"C\"", double = "DOUBLE PRECISION",
    materialized = "MATERIALIZED ", typed = TRUE,
    begin = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
    savepoint = TRUE
  ),
  duckdb = list(
    called = "DuckDB", class = "duckdb_connection", double = "DOUBLE",
    materialized = "MATERIALIZED ", begin = "BEGIN TRANSACTION"
  ),
  spark = list(
    called = "Spark SQL", class = c("Spark SQL", "spark_connection"),
    quote = "`", double = "DOUBLE", typed = TRUE
  ),
  snowflake = list(called = "Snowflake", class = "Snowflake", typed = TRUE),
  mssql = list(
    called = "SQL Server", class = "Microsoft SQL Server",
    collate = "COLLATE Latin1_General_BIN2", double = "FLOAT(53)", ln = "LOG",
    typed = TRUE
  ),
  oracle = list(
    called = "Oracle", class = "Oracle", double = "BINARY_DOUBLE",
    whole = "NUMBER(19)", typed = TRUE
  )
)

sql_dialect <- function(name) {
  utils::modifyList(
    list(
      tried = FALSE, quote = "\"", collate = "", double = "DOUBLE PRECISION",
      whole = "BIGINT", ln = "LN", floor = "FLOOR({x})", materialized = "",
      typed = FALSE, begin = NULL
    ),
    sql_dialects[[name]]
  )
}

# Names and values -------------------------------------------------------------

sql_name <- function(dialect, name) {
  q <- dialect$quote
  paste0(q, gsub(q, paste0(q, q), name, fixed = TRUE), q)
}

#' Values as literals: doubles with all their digits
#' @param x (character, logical, integer or double)
#' @noRd
sql_value <- function(dialect, x) {
  if (is.character(x)) {
    # Backslashes are signs of their own in one of the dialects
    if (dialect$quote == "`") x <- gsub("\\", "\\\\", x, fixed = TRUE)
    paste0("'", gsub("'", "''", x, fixed = TRUE), "'")
  } else if (is.logical(x)) {
    ifelse(x, "TRUE", "FALSE")
  } else if (is.integer(x)) {
    as.character(x)
  } else {
    value <- shortest_text(x)
    # Without an exponent some engines read decimals, or whole numbers
    value <- ifelse(grepl("e", value), value, paste0(value, "e0"))
    if (dialect$typed) sql_double(dialect, value) else value
  }
}

sql_double <- function(dialect, x) sprintf("CAST(%s AS %s)", x, dialect$double)

#' A column as records are grouped and compared by it
#'
#' Text in bytes, whatever the column's collation: "a" and "A" are two levels.
#' @param x (vector) Of the column's type.
#' @noRd
sql_key <- function(dialect, name, x) {
  column <- sql_name(dialect, name)
  if (is.character(x)) {
    trimws(paste(column, dialect$collate))
  } else if (is.double(x)) {
    sql_double(dialect, column)
  } else {
    column
  }
}

sql_floor <- function(dialect, x) gsub("{x}", x, dialect$floor, fixed = TRUE)

#' A value for each combination of levels, as nested CASEs
#'
#' No join: where a collation takes two levels for one, it would count a record
#' twice.
#' @param keys (character) Of the columns, see sql_key().
#' @param levels (data frame) A row for each combination, as literals.
#' @param value (character) For each of them, as literals.
#' @noRd
sql_by_cell <- function(keys, levels, value) {
  if (length(unique(value)) == 1) {
    return(value[1])
  }
  for (j in rev(seq_along(keys))) {
    before <- do.call(paste, c(list(""), levels[seq_len(j - 1)], sep = "\r"))
    first <- !duplicated(before)
    arms <- paste("WHEN", levels[[j]], "THEN", value)
    arms <- split(arms, factor(before, before[first]))
    value <- sprintf(
      "CASE %s %s END", keys[j], vapply(arms, paste, "", collapse = " ")
    )
    levels <- levels[first, , drop = FALSE]
  }
  value
}

# The response -----------------------------------------------------------------

#' The response in its own unit, as stated
#' @param x (vector) Of the column's type.
#' @noRd
sql_own <- function(dialect, response, x) {
  column <- sql_name(dialect, response$name)
  if (is.logical(x)) {
    return(sprintf(
      "CASE WHEN %s THEN 1 WHEN NOT %s THEN 0 END", column, column
    ))
  }
  if (is.character(x)) {
    return(sql_by_cell(
      sql_key(dialect, response$name, x),
      data.frame(level = sql_value(dialect, response$levels)),
      as.character(seq_along(response$levels) - 1L)
    ))
  }
  y <- sql_double(dialect, column)
  if (is.null(response$limits)) {
    return(y)
  }
  ends <- sql_value(dialect, as.double(response$limits))
  sprintf(
    "CASE WHEN %s < %s THEN %s WHEN %s > %s THEN %s ELSE %s END", y, ends[1],
    ends[1], y, ends[2], ends[2], y
  )
}

#' The response on the modelled scale, `NULL` where it has no value there
#' @param own (string) See sql_own().
#' @noRd
sql_modelled <- function(dialect, response, own) {
  own <- sprintf("(%s)", own)
  bounds <- response$bounds
  if (!is.null(bounds)) {
    ends <- sql_value(dialect, as.double(c(bounds[1], bounds[2] - bounds[1])))
    return(sprintf("((%s - %s) / %s)", own, ends[1], ends[2]))
  }
  positive <- sprintf("CASE WHEN %s > 0 THEN %s END", own, own)
  switch(response$transform,
    identity = own,
    # Guarded: a record that has none must not end the query
    log = sprintf("%s(%s)", dialect$ln, positive),
    sqrt = sprintf("SQRT(CASE WHEN %s >= 0 THEN %s END)", own, own)
  )
}

# Queries ----------------------------------------------------------------------

#' @param select,group (character)
#' @param with (named character) Queries that it starts from. The first is
#'   computed once, or engines compute its columns where each is used.
#' @noRd
sql_query <- function(dialect, select, from, group = character(),
                      with = character()) {
  once <- c(dialect$materialized, rep("", length(with)))[seq_along(with)]
  parts <- sprintf("%s AS %s(\n%s\n)", names(with), once, with)
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

#' Combinations of some columns' values with the number of records
#' @param keys (named character) See sql_key().
#' @noRd
sql_cells <- function(dialect, from, keys) {
  named <- sprintf("%s AS %s", keys, sql_name(dialect, names(keys)))
  sql_query(dialect, c(named, sql_count(dialect)), from, keys)
}

#' A query over records with their keys and computed values
#'
#' @param columns (list) Of the keys' columns, a vector of the type of each.
#' @param values (named character) What is computed of a record, once.
#' @param further (named character) What is computed of that.
#' @param group,totals (character) Beside the keys, of these.
#' @noRd
sql_over_records <- function(dialect, from, keys, columns, values, further,
                             group, totals) {
  held <- sprintf("k%d", seq_along(keys))
  of_record <- c(stats::setNames(keys, held), values)
  text <- vapply(columns[names(keys)], is.character, NA)
  # Where a query has a column of another one, its collation may be lost
  told <- ifelse(text, trimws(paste(held, dialect$collate)), held)
  sql_query(
    dialect,
    c(sprintf("%s AS %s", told, sql_name(dialect, names(keys))), group, totals),
    "t", c(told, group), with = c(
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
#' @param levels (data frame) The combinations, as literals.
#' @param at (data frame) `centre`, `spread`, `lowest` of each combination.
#' @noRd
sql_whole <- function(dialect, from, keys, columns, levels, modelled, at,
                      clip) {
  by_cell <- function(x) {
    sprintf("(%s)", sql_by_cell(keys, levels, sql_value(dialect, x)))
  }
  clip <- sql_value(dialect, as.double(clip))
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
    dialect, from, keys, columns,
    values = c(
      v = sprintf(
        "(%s - %s) / %s", modelled, by_cell(at$centre), by_cell(at$spread)
      ),
      low = by_cell(at$lowest)
    ),
    further = c(u = sprintf("v / %s", clip)),
    group = character(),
    totals = c(
      sql_count(dialect),
      sql_number(dialect, sprintf("v > low AND v < %s", clip), "inside"),
      sql_total(dialect, sprintf("SUM(%s)", whole), "q")
    )
  )
}

#' How many records are in each bin, from 1, by combination
#' @param breaks (double) Between bins: a bin holds its lower one.
#' @noRd
sql_tally <- function(dialect, from, keys, columns, modelled, breaks) {
  arms <- sprintf(
    "WHEN v < %s THEN %d", sql_value(dialect, as.double(breaks)),
    seq_along(breaks)
  )
  sql_over_records(
    dialect, from, keys, columns,
    values = c(v = modelled),
    further = c(bin = sprintf(
      "CASE %s ELSE %d END", paste(arms, collapse = " "), length(breaks) + 1L
    )),
    group = "bin", totals = sql_count(dialect)
  )
}
