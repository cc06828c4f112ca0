# Records of a table, for what must look at each of them: some at a time, in
# the one moment of the engine's transaction.

# Values of a chunk: with ten columns half a million records, 40 MB
chunk_values <- 5e6

least_rows <- 1000

#' Columns of a table as R has them, and its records in chunks
#'
#' What R cannot hold as the table does is refused here, before a record is
#' read.
#' @param types (named list) Of all columns that may be read, see with_engine().
#' @return (list) `n` (records), `types` (named list: a vector of length 0 for
#'   each column, or `NA` where nothing tells it, for it has no value; whole
#'   numbers are integers where all of them fit) and
#'   `chunks(names, f)`, which calls `f` with a named list of columns for some
#'   records after the others. The order is the engine's, the same in no two
#'   calls.
#' @noRd
table_records <- function(engine, types) {
  names <- names(types)
  types[vapply(types, is.null, NA)] <- list(NA)
  columns <- engine$columns(names)
  facts <- table_facts(engine, columns)
  for (name in names) refuse_unreadable(columns[[name]], name, facts[[name]])
  for (name in names) if (isTRUE(columns[[name]]$whole)) {
    types[[name]] <- if (facts[[name]] == 0) integer() else double()
  }
  list(
    n = facts$n, types = types,
    chunks = function(names, f) {
      read <- vapply(names, function(name) {
        exact_column(engine$dialect, columns[[name]], types[[name]])
      }, "")
      query <- sql_query(
        engine$dialect, sprintf("%s AS c%d", read, seq_along(read)),
        engine$from
      )
      rows <- max(least_rows, ceiling(chunk_values / length(names)))
      seen <- 0
      engine$fetch(query, rows, function(found) {
        seen <<- seen + nrow(found)
        f(stats::setNames(Map(as_type, as.list(found), types[names]), names))
      })
      # Necessary, not sufficient
      if (seen != facts$n) {
        abort_query(engine$dialect, "give the records that it counted")
      }
    }
  )
}

#' What of each column R would not read as it is, counted in one query
#'
#' @return (list) `n` and, by column, a number of records: of whole numbers
#'   those beyond R's integers, of dates those that are no day, of text those
#'   with the sign NUL, where text would end.
#' @noRd
table_facts <- function(engine, columns) {
  dialect <- engine$dialect
  holds <- vapply(columns, function(column) {
    if (isTRUE(column$whole)) {
      sprintf("%1$s > 2147483647 OR %1$s < -2147483647", column$quoted)
    } else if (inherits(column$type, "Date")) {
      sprintf("NOT ISFINITE(%s)", column$quoted)
    } else if (is.character(column$type) && !is.null(dialect$nul)) {
      gsub("{x}", column$quoted, dialect$nul, fixed = TRUE)
    } else {
      "1 = 0"
    }
  }, "")
  found <- engine$ask(sql_query(dialect, c(
    sql_count(dialect),
    sql_number(dialect, holds, sprintf("h%d", seq_along(holds)))
  ), engine$from))
  # Of no records nothing is the sum
  found[is.na(found)] <- 0
  n <- found$n
  refuse_many_records(n)
  c(list(n = n), stats::setNames(as.list(found)[-1], names(columns)))
}

refuse_few_records <- function(n, least) {
  refuse_if(
    n < least, "{.arg data} must have at least {counted(least, 'record')}.",
    x = "It has {n}.", arg = "data"
  )
}

refuse_many_records <- function(n) {
  refuse_if(
    n > .Machine$integer.max,
    "{.arg data} must have at most {format_count(.Machine$integer.max)}
     records.",
    x = "It has {format_count(n)}.", arg = "data"
  )
}

refuse_unreadable <- function(column, name, n) {
  date <- inherits(column$type, "Date")
  refuse_if(
    (date || is.character(column$type)) && n > 0,
    "Column {.val {name}} must hold values that R can read.",
    x = "It is {if (date) 'an infinite date' else 'text with the character NUL'}
         for {format_count(n)} {cli::qty(n)}record{?s}.",
    i = "Correct the column in the database, or leave it out by {.fn select}.",
    arg = "data", class = "pseudosynth_error_engine"
  )
}

#' A column as its records are read
#' @noRd
exact_column <- function(dialect, column, type) {
  if (isTRUE(column$whole) && is.double(type)) {
    # The least of the engine's integers is a missing one in R
    sql_double(dialect, column$quoted)
  } else {
    column$exact %||% column$read
  }
}

#' Values that a driver gives in the type that the column has in R
#' @param type (vector) Of length 0.
#' @noRd
as_type <- function(x, type) {
  if (inherits(type, "Date")) {
    return(structure(as.double(x), class = "Date"))
  }
  storage.mode(x) <- typeof(type)
  x
}

#' What reads records on a connection, some at a time
#'
#' @return (function of a query, a number of rows and a function) Calls the
#'   function with data frames of at most so many rows.
#' @noRd
fetcher <- function(con, dialect, log) {
  safely <- function(expr) without_values(dialect, log, expr)
  function(query, rows, f) {
    if (dialect$called == "DuckDB") {
      take <- duckdb_pages(query, rows, dialect, asker(con, dialect, log))
    } else {
      log$queries <- c(log$queries, query)
      result <- safely(DBI::dbSendQuery(con, query))
      on.exit(DBI::dbClearResult(result))
      take <- function() safely(plain_answer(DBI::dbFetch(result, n = rows)))
    }
    repeat {
      found <- take()
      if (nrow(found) > 0) f(found)
      if (nrow(found) < rows) break
    }
  }
}
