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
    # Messages of databases show values
    tryCatch(
      asked(con, query, most), error = function(e) {
        abort_query(dialect, paid = isTRUE(log$paid))
      }
    )
  }
}

#' @return (data frame) Text in UTF-8, long whole numbers as doubles.
#' @noRd
asked <- function(con, query, most = -1) {
  result <- DBI::dbSendQuery(con, query)
  on.exit(DBI::dbClearResult(result))
  found <- DBI::dbFetch(result, n = most)
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
    x = "{dialect$called} raised an error, or did something else. What it says
         is not shown: it may hold values of records.",
    i = if (paid) still_spent, ...,
    i = "{.fn release_queries} gives the queries, to run them by hand.",
    arg = "data", class = class
  )
}

still_spent <- "The release was paid for before this query ran. Its cost stays
                spent, and stays in the ledger if one was given."
