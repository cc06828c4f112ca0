# A kind of database: what it does in its own way, and how it is asked. A back
# end is one file that says what differs from this one.

#' A back end, with a default for every question
#'
#' @param called (string) For messages.
#' @param class (character) Of its connections.
#' @param begin (string) Starts a transaction in which every query sees the same
#'   file. Once its table is found it reads only.
#' @param collate (string) Compares text in bytes.
#' @param find (function of a source, the back end, `ask` and `moment`) Looks
#'   for a table in the catalogue, once a transaction has begun. `source`: see
#'   new_part(), with `whole` (flag: is it the only table of the file?); `ask`:
#'   see asker(); `moment` (environment): what the tables of the file share.
#'   Gives a list: `schema` (and its database before it), `name`, `columns`
#'   (names), `stored` (their types, as columns_by_type() calls them), `only`
#'   (string or `NULL`: a condition that none but the records of these tables
#'   meets), `marks` (strings: of all tables that its records are in, the same
#'   under any of their names), `backend` (if it is asked in another way),
#'   `alone` (flag: without what inherits from it). Or a list with `pieces`:
#'   such lists, of tables that hold its records between them.
#' @param target (function of a path, the back end and `ask`) What it does with
#'   rows that are written to a table. Gives a list, `NULL` where there is none
#'   of the name: `table` (flag: is it one?) and, where it knows of such,
#'   `triggers`, `rules` (numbers), `policies` (flag).
#' @param columns (function) Of columns as queries read them, see
#'   columns_by_type().
#' @param inside (function of a connection) Is it in a transaction, where
#'   `begin` would not fail for it?
#' @param paged (function of a part, its records and those of a page, or `NULL`)
#'   Does its driver keep all rows of a result until the last is taken? They are
#'   then read page by page. Gives what the query of each is from, as `from` of
#'   new_part(). To find a page should not take longer the further down it lies.
#' @param floor (string) Rounds `{x}` down.
#' @param nul (string or `NULL`) Which text has the sign of that name.
#' @param typed (flag) Do numbers need a type?
#' @param sorts (flag) Does it sort records to bring equal ones together? To
#'   compute of each what is computed once takes less time.
#' @param vectors (flag) Does it compute some thousand records at a time, with
#'   each arm of a CASE that one of them needs? Neighbours need fewest.
#' @param places (function of a number `x` as text, and of numbers in order, or
#'   `NULL`) How many of these are not above `x`, in less steps than CASEs take.
#' @param nth (function of numbers and a place as text, or `NULL`) Takes one.
#' @param passes_on (flag) Does it pass queries on to another server? That takes
#'   none that starts from another's answer.
#' @param dates (flag) Has it a type for dates? Without one they are text.
#' @param texts (function of a target) Which of its columns take numbers as
#'   text, see database_rows().
#' @param no_log (string or `NULL`) What to do where it has no logarithm.
#' @noRd
new_backend <- function(called, class, begin, collate, find, target,
                        columns = columns_by_type,
                        inside = function(con) FALSE, paged = NULL,
                        floor = "FLOOR({x})", nul = NULL, typed = FALSE,
                        sorts = FALSE, vectors = FALSE, places = NULL,
                        nth = NULL, passes_on = FALSE, dates = TRUE,
                        texts = function(target) target$columns,
                        no_log = NULL) {
  c(as.list(environment()), list(ln = "LN"))
}

# Asking -----------------------------------------------------------------------

#' Start a transaction in which every query sees the same file
#'
#' An update between two queries would leave the count as it was and move a sum.
#' @noRd
begin_reading <- function(con, backend) {
  refuse_inside(backend$inside(con) || !runs(con, backend$begin), "data")
}

refuse_inside <- function(wrong, arg) {
  refuse_if(
    wrong,
    "The connection must be able to start a transaction of its own.",
    i = "It may be in another transaction already: end that one by
         {.fn DBI::dbCommit}, or open another connection.",
    arg = arg, class = "pseudosynth_error_engine"
  )
}

#' Does a statement run?
#' @noRd
runs <- function(con, statement) {
  or_else({
    DBI::dbExecute(con, statement)
    TRUE
  }, FALSE)
}

#' What runs queries on a connection
#'
#' @param log (environment) `queries` (character: those that ran) and `paid`
#'   (flag: has the release been paid for?).
#' @return (function)
#' @noRd
asker <- function(con, backend, log) {
  function(query, most = -1) {
    log$queries <- c(log$queries, query)
    without_values(backend, log, asked(con, query, most))
  }
}

#' Messages of databases show values
#' @noRd
without_values <- function(backend, log, expr) {
  tryCatch(
    expr, error = function(e) abort_query(backend, paid = isTRUE(log$paid))
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

#' What reads records on a connection, some at a time
#'
#' @return (function of a query, a number of rows and a function) Calls the
#'   function with data frames of at most so many rows.
#' @noRd
fetcher <- function(con, backend, log) {
  safely <- function(expr) without_values(backend, log, expr)
  function(query, rows, f) {
    log$queries <- c(log$queries, query)
    result <- safely(DBI::dbSendQuery(con, query))
    on.exit(DBI::dbClearResult(result))
    repeat {
      found <- safely(plain_answer(DBI::dbFetch(result, n = rows)))
      if (nrow(found) > 0) f(found)
      if (nrow(found) < rows) break
    }
  }
}

abort_query <- function(backend, what = "run a query of the release",
                        class = "pseudosynth_error_engine", ...,
                        paid = FALSE) {
  abort_input(
    "The database could not {what}.",
    x = "{backend$called} raised an error, or did not do what was expected. Its
         message is not shown, because it may hold values of records.",
    i = if (paid) still_spent, ...,
    i = "{.fn release_queries} gives the queries of a score release, for you to
         run by hand.",
    arg = "data", class = class
  )
}

abort_moment <- function(backend, how = NULL) {
  abort_query(backend, "answer all queries as of one moment", i = how)
}

still_spent <- "The release was paid for before this query ran. Its cost stays
                spent, and stays in the ledger if one was given."

# Names that are no table ------------------------------------------------------

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
         one record may give several rows. Name the table itself, or those that
         hold the file between them, by {.fn dplyr::union_all}. Or write the
         rows to a table.",
    arg = "data", class = "pseudosynth_error_rows"
  )
}

#' Refuse a table whose rows a policy chooses: it may look at other records, so
#' that one record decides on many rows
#' @noRd
refuse_policies <- function(wrong, path) {
  refuse_if(
    wrong, "All rows of the table of {.arg data} must be visible.",
    x = "Row-level security of {.val {paste(path, collapse = '.')}} chooses the
         rows that this role sees. A policy may look at other records.",
    i = "Use a role with {.code BYPASSRLS}, and choose rows by {.fn filter}. Or
         write the rows to a table without policies.",
    arg = "data", class = "pseudosynth_error_rows"
  )
}

#' Refuse a name that means another table in this session than in others
#' @param schema (string) Of temporary tables.
#' @noRd
refuse_shadowed <- function(wrong, path, schema) {
  name <- path[length(path)]
  refuse_if(
    wrong, "{.arg data} must name one table.",
    x = "{.val {name}} is a temporary table of this session, and also a table
         of the database that it hides.",
    i = "Say which one you mean:
         {.code tbl(con, dbplyr::in_schema(\"{schema}\", \"{name}\"))}, or with
         the schema of the other.",
    arg = "data", class = "pseudosynth_error_rows"
  )
}

#' Marks of a file: its path, and what all of its names share
#' @noRd
path_marks <- function(path) {
  c(normalizePath(path, mustWork = FALSE), file_number(path))
}

#' What all names of a file share, links that are files too
#'
#' Asked of another process: one that opens and closes a file itself loses the
#' locks of its databases on it.
#' @return (string) `NULL` where the system has no such number.
#' @noRd
file_number <- function(path) {
  listed <- or_else(
    system2("ls", c("-diL", shQuote(path)), stdout = TRUE, stderr = FALSE)
  )
  if (length(listed) != 1 || !grepl("^ *[0-9]+ ", listed)) {
    return(NULL)
  }
  number <- sub("^ *([0-9]+) .*$", "\\1", listed)
  found <- file.info(path, extra_cols = FALSE)
  paste("file", number, found$size, format_exact(as.double(found$mtime)))
}

# Columns ----------------------------------------------------------------------

refuse_type <- function(name, is) {
  refuse_if(
    TRUE, "Column {.val {name}} must hold numbers, text, or true and false.",
    x = "It holds {is}.",
    i = "Leave it out of the formula, or drop it by {.fn select}.",
    arg = "data", class = "pseudosynth_error_engine"
  )
}

#' Refuse whole numbers that are not exact as doubles
#' @param huge (number) Of records.
#' @noRd
refuse_huge <- function(name, huge) {
  refuse_if(
    huge > 0,
    "Whole numbers in column {.val {name}} must be at most 2^53 in absolute
     value.",
    x = "{format_count(huge)} {cli::qty(huge)}record{?s} {?has/have} a larger
         one.",
    i = "If it is a case number, leave it out.", arg = "data",
    class = "pseudosynth_error_engine"
  )
}

is_huge <- function(x) {
  sprintf("%s > 9007199254740992 OR %s < -9007199254740992", x, x)
}

#' Columns of a database whose columns have types
#'
#' @param quoted (named character) Columns, as queries name them.
#' @param found (list) See `find` of new_backend(): its `stored`.
#' @return (list) See columns_of_table().
#' @noRd
columns_by_type <- function(quoted, found, table, backend, ask) {
  stored <- found$stored[match(names(quoted), found$columns)]
  columns <- Map(function(quoted, stored, name) {
    as_is <- function(type) sql_column(backend, quoted, type)
    # What is no number is missing, as in R
    number <- function(x) {
      list(
        read = sprintf(
          "CASE WHEN %s <> %s THEN %s END", x, sql_double("'NaN'"), x
        ), type = double(), exact = x
      )
    }
    own <- switch(stored,
      bool = as_is(logical()), int2 = , int4 = as_is(integer()),
      int8 = as_is(double()),
      float8 = number(quoted),
      numeric = number(sql_double(quoted)),
      # As they are written: 0.1 is not the double next to it
      float4 = number(
        sql_double(sprintf("CAST(%s AS TEXT)", quoted))
      ),
      # Of fixed length: without what fills it up
      text = , varchar = , bpchar = as_is(character()),
      date = list(
        read = sprintf("(%s - DATE '1970-01-01')", quoted),
        type = structure(double(), class = "Date")
      ),
      refuse_type(name, sprintf("values of type %s", stored))
    )
    c(own, list(quoted = quoted, whole = stored %in% c("int4", "int8")))
  }, quoted, stored, names(quoted))
  long <- names(quoted)[stored == "int8"]
  if (length(long) > 0) {
    huge <- unlist(ask(sql_query(sql_number(
      is_huge(quoted[long]), sprintf("h%d", seq_along(long))
    ), table)))
    Map(refuse_huge, long, ifelse(is.na(huge), 0, huge))
  }
  columns
}
