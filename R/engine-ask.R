# How a database is asked, and what is said where it fails.

#' What runs queries on a connection
#'
#' @param log (environment) `queries` (character: those that ran) and `paid`
#'   (flag: has the release been paid for?).
#' @return (function)
#' @noRd
asker <- function(con, dialect, log) {
  function(query, most = -1) {
    log$queries <- c(log$queries, query)
    without_values(dialect, log, asked(con, query, most))
  }
}

#' Messages of databases show values
#' @noRd
without_values <- function(dialect, log, expr) {
  tryCatch(
    expr, error = function(e) abort_query(dialect, paid = isTRUE(log$paid))
  )
}

#' @return (data frame) Text in UTF-8, long whole numbers as doubles.
#' @noRd
asked <- function(con, query, most = -1) {
  result <- DBI::dbSendQuery(con, query)
  on.exit(DBI::dbClearResult(result))
  plain_answer(DBI::dbFetch(result, n = most))
}

plain_answer <- function(found) {
  found[] <- lapply(found, function(x) {
    if (inherits(x, "integer64")) {
      as.double(as.character(x))
    } else if (is.character(x)) {
      enc2utf8(x)
    } else {
      x
    }
  })
  found
}

abort_query <- function(dialect, what = "run a query of the release",
                        class = "pseudosynth_error_engine", ...,
                        paid = FALSE) {
  abort_input(
    "The database could not {what}.",
    x = "{dialect$called} raised an error, or did not do what was expected. Its
         message is not shown, because it may hold values of records.",
    i = if (paid) still_spent, ...,
    i = "{.fn release_queries} gives the queries of a score release, for you to
         run by hand.",
    arg = "data", class = class
  )
}

still_spent <- "The release was paid for before this query ran. Its cost stays
                spent, and stays in the ledger if one was given."

#' Refuse sums that cannot be those of the records that were counted
#'
#' Necessary, not sufficient: the last step of each record bounds what it adds.
#' @param cell (integer) Which of the combinations have records.
#' @param n,counted (double) Records of these, and as counted of all.
#' @param good (flag) Are the sums what they may be?
#' @noRd
check_as_counted <- function(engine, cell, n, counted, good) {
  holds <- setequal(cell, seq_along(counted)) &&
    length(cell) == length(counted) && identical(as.double(n), counted[cell])
  refuse_if(
    !(holds && good),
    "The database must sum over the same records that it counted.",
    x = "Combinations, counts or limits differ between two queries.",
    i = "The table may change while it is read, or the engine may compute
         differently. Write the file to a table of its own.",
    i = if (isTRUE(engine$log$paid)) still_spent,
    arg = "data", class = "pseudosynth_error_engine"
  )
}

#' Refuse a name that is none of a table with records
#'
#' @param path (character) See table_path().
#' @param is (string) What the catalogue has in its place.
#' @noRd
refuse_no_table <- function(wrong, path, is) {
  shown <- paste(path, collapse = ".")
  refuse_if(
    wrong, "{.arg data} must be a table that itself holds the records.",
    x = "{.val {shown}} is {is}.",
    i = "The package cannot see how {.val {shown}} is made. If it joins tables,
         one record may give several rows. Name the table itself, or write the
         rows to a table.",
    arg = "data", class = "pseudosynth_error_rows"
  )
}
