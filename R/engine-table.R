# A table of a database as an engine: what runs the queries of engine-sql.R, in
# one transaction that reads and does not write.

#' @return (list) See sql_dialect().
#' @noRd
dialect_of <- function(table) {
  class <- class(dbplyr::remote_con(table))
  known <- vapply(sql_dialects, function(x) any(x$class %in% class), NA)
  tried <- Filter(function(x) isTRUE(x$tried), sql_dialects)
  refuse_if(
    !any(known), "{.arg data} must be a table of a known kind of database.",
    x = "Its connection is a {.cls {class[1]}}.",
    i = "The package's tests run on {.or {vapply(tried, `[[`, '', 'called')}}.",
    arg = "data"
  )
  sql_dialect(names(sql_dialects)[known][1])
}

table_engine <- function(table) {
  check_installed(c("DBI", "dbplyr"), arg = "data")
  dialect <- dialect_of(table)
  con <- dbplyr::remote_con(table)
  text <- as.character(dbplyr::sql_render(table))
  check_row_by_row(text, dialect)
  from <- sprintf("(\n%s\n) f", text)
  run <- character()
  ask <- function(query, most = -1) {
    run <<- c(run, query)
    # Messages of databases show values
    tryCatch(
      asked(con, query, most), error = function(e) abort_query(dialect)
    )
  }
  engine <- list(
    dialect = dialect, from = from, ask = ask, asked = function() run,
    begin = function() begin_reading(con, dialect, ask),
    end = function() runs(con, "ROLLBACK")
  )
  names <- NULL
  engine$all_columns <- function() {
    if (is.null(names)) {
      names <<- names(ask(sql_query(dialect, "*", paste(from, "WHERE 0 = 1"))))
    }
    names
  }
  engine$columns <- function(names) column_types(engine, names)
  engine$cells <- function(names) table_cells(engine, names)
  engine$for_response <- function(response, cells) {
    table_sums(engine, response, cells)
  }
  engine
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
                        class = "pseudosynth_error_engine", ...) {
  abort_input(
    "The database could not {what}.",
    x = "{dialect$called} raised an error, which is not shown: it may hold
         values of records.",
    ..., i = "{.fn release_queries} gives the queries, to run them by hand.",
    arg = "data", class = class
  )
}

# One moment -------------------------------------------------------------------

#' Start a transaction in which every query sees the same file
#'
#' An update between two queries would leave the count as it was and move a sum.
#' @noRd
begin_reading <- function(con, dialect, ask) {
  refuse_if(
    is.null(dialect$begin),
    "{.arg data} must be in a database whose transactions see one moment.",
    x = "For {dialect$called} the package only writes queries.",
    i = "{.fn release_queries} shows them.", arg = "data",
    class = "pseudosynth_error_engine"
  )
  # Outside of a transaction PostgreSQL refuses a savepoint
  inside <- !is.null(dialect$savepoint) &&
    runs(con, "SAVEPOINT pseudosynth") &&
    runs(con, "RELEASE SAVEPOINT pseudosynth")
  refuse_if(
    inside || !runs(con, dialect$begin),
    "The connection must be able to start a transaction of its own.",
    i = "It may be in one: end it by {.fn DBI::dbCommit}, or open another
         connection.", arg = "data", class = "pseudosynth_error_engine"
  )
  if (dialect$called == "PostgreSQL") {
    # To compile a query with thousands of combinations takes minutes
    runs(con, "SET LOCAL jit = off")
    level <- ask("SHOW transaction_isolation")[[1]]
    if (!identical(level, "repeatable read")) {
      DBI::dbExecute(con, "ROLLBACK")
      abort_query(dialect, "keep one moment for all queries")
    }
  }
}

#' Does a statement run?
#' @noRd
runs <- function(con, statement) {
  or_else({
    DBI::dbExecute(con, statement)
    TRUE
  }, FALSE)
}

# What the engine must do as stated --------------------------------------------

#' Try what the release rests on, on numbers and text that are nobody's
#' @param log (flag) Is the logarithm needed?
#' @return (list) The dialect, with the engine's name for the natural logarithm.
#' @noRd
probed_dialect <- function(engine, log) {
  dialect <- engine$dialect
  number <- function(x) sql_value(dialect, as.double(x))
  text <- function(x, y) {
    sprintf("CASE %s WHEN %s THEN 1 ELSE 0 END", trimws(paste(
      sql_value(dialect, x), dialect$collate
    )), sql_value(dialect, y))
  }
  points <- c(-1.5, -0.25, 0, 2.5, 1023.75)
  floors <- vapply(sprintf("(%s + %s)", number(points), number(0.5)),
    sql_floor, "", dialect = dialect
  )
  probe <- sql_query(
    dialect, c(
      sprintf("%s AS f%d", sql_double(dialect, floors), seq_along(floors)),
      sprintf("%s AS a", text("a", "A")), sprintf("%s AS b", text("a ", "a")),
      sprintf("CASE WHEN v > 0 THEN 1 ELSE 0 END AS c")
    ), "s", with = c(s = "SELECT NULLIF(1, 1) AS v")
  )
  found <- unlist(engine$ask(probe))
  expected <- c(floor(points + 0.5), 0, 0, 0)
  if (!identical(as.double(found), expected)) {
    abort_query(dialect, "round, compare text and treat NULL as expected")
  }
  if (!log) {
    return(dialect)
  }
  points <- c(0.5, 2, 10, 12345.678)
  for (name in unique(c(dialect$ln, "LN", "LOG"))) {
    values <- tryCatch(
      unlist(engine$ask(sql_query(dialect, sprintf(
        "%s(%s) AS l%d", name, number(points), seq_along(points)
      ), "(SELECT 1 AS one) s"))),
      pseudosynth_error_engine = function(e) NULL
    )
    right <- length(values) == length(points) &&
      all(abs(as.double(values) / log(points) - 1) < 1e-14)
    if (isTRUE(right)) {
      dialect$ln <- name
      return(dialect)
    }
  }
  abort_query(
    dialect, "compute natural logarithms",
    i = if (dialect$called == "SQLite") {
      "Load its functions: {.code RSQLite::initExtension(con, \"math\")}."
    }
  )
}

# A record is a row ------------------------------------------------------------

# Functions of a record alone, in the words of several engines
row_functions <- c(
  "CASE", "CAST", "COALESCE", "IFNULL", "NULLIF", "LN", "LOG", "LOG10", "EXP",
  "ABS", "SQRT", "POWER", "POW", "ROUND", "FLOOR", "CEIL", "CEILING", "SIGN",
  "UPPER", "LOWER", "TRIM", "LTRIM", "RTRIM", "SUBSTR", "SUBSTRING", "REPLACE",
  "LENGTH", "CONCAT", "GREATEST", "LEAST", "IN", "AND", "OR", "NOT", "WHEN",
  "THEN", "ELSE", "WHERE", "SELECT", "FROM", "AS", "BETWEEN", "IIF", "NUMERIC",
  "DECIMAL", "VARCHAR", "CHAR"
)

#' Refuse a query in which a record may be several rows, or depend on others
#'
#' A join gives a record's rows twice: it would move the sums twice as far as is
#' paid for. Windows and subqueries look at other records. Views cannot be
#' looked into: the help page says what they must be.
#' @noRd
check_row_by_row <- function(text, dialect) {
  plain <- gsub("'[^']*'", "''", text)
  plain <- gsub("\"[^\"]*\"|`[^`]*`|\\[[^]]*\\]", "x", plain)
  plain <- toupper(gsub("\\s+", " ", plain))
  found <- function(pattern) regmatches(plain, gregexpr(pattern, plain))[[1]]
  called <- sub("[ ]*\\($", "", found("[A-Z_][A-Z0-9_.]*[ ]*\\("))
  words <- found(paste0(
    "\\b(JOIN|OVER|UNION|INTERSECT|EXCEPT|MINUS|GROUP BY|HAVING|LIMIT|FETCH|",
    "DISTINCT|TOP|WITH|EXISTS|TABLESAMPLE|LATERAL|CURRENT_[A-Z]+|ORDER BY)\\b"
  ))
  told <- unique(c(
    words, setdiff(called, row_functions),
    # More than one table, or a query inside of another's condition
    if (grepl("FROM [^()]*, ?[^()]*( WHERE|$)", plain)) "a second table",
    if (length(found("\\( ?SELECT")) > length(found("FROM \\( ?SELECT"))) {
      "a subquery"
    }
  ))
  refuse_if(
    length(told) > 0,
    "Each row of {.arg data} must be one record of one table, computed from that
     record alone.",
    x = "The query has {.val {tolower(told)}}.",
    i = "Use a table, with {.fn filter}, {.fn select} and {.fn mutate} of its
         columns. Write what else is needed to a table first.",
    arg = "data", class = "pseudosynth_error_rows"
  )
}

# Columns ----------------------------------------------------------------------

#' A vector of each column's type, of length 0
#'
#' A column of SQLite has no type: what it holds is looked at.
#' @noRd
column_types <- function(engine, names) {
  if (length(names) == 0) {
    return(list())
  }
  dialect <- engine$dialect
  quoted <- sql_name(dialect, names)
  if (dialect$called != "SQLite") {
    empty <- engine$ask(
      sql_query(dialect, quoted, paste(engine$from, "WHERE 0 = 1"))
    )
    return(lapply(stats::setNames(empty, names), `[`, 0L))
  }
  ends <- unlist(engine$ask(sql_query(dialect, c(
    sprintf("MIN(TYPEOF(%s))", quoted), sprintf("MAX(TYPEOF(%s))", quoted)
  ), engine$from)))
  refuse_if(anyNA(ends), "Every part of {.arg data} must have records.",
    x = "A table has none.", arg = "data"
  )
  low <- ends[seq_along(names)]
  high <- ends[-seq_along(names)]
  number <- c("integer", "real")
  mixed <- names[low != high & !(low %in% number & high %in% number) &
    low != "null" & high != "null"]
  refuse_if(
    length(mixed) > 0, "A column must hold text or numbers.",
    x = "{.val {mixed}} {?holds/hold} both.", arg = "data",
    class = "pseudosynth_error_engine"
  )
  types <- lapply(seq_along(names), function(j) {
    both <- setdiff(c(low[j], high[j]), "null")
    if ("text" %in% both) {
      character()
    } else if (identical(both, "integer")) {
      integer()
    } else {
      double()
    }
  })
  stats::setNames(types, names)
}

#' Keys of columns, as queries have them
#' @param columns (named list) See column_types().
#' @noRd
keys_of <- function(dialect, columns) {
  vapply(stats::setNames(nm = names(columns)), function(name) {
    sql_key(dialect, name, columns[[name]])
  }, "")
}

# Combinations of published values, at most
most_cells <- 1e6

table_cells <- function(engine, names) {
  columns <- engine$columns(names)
  query <- sql_cells(
    engine$dialect, engine$from, keys_of(engine$dialect, columns)
  )
  cells <- engine$ask(query, most_cells + 1)
  refuse_if(
    nrow(cells) > most_cells,
    "The predictors must have at most {format_count(most_cells)} combinations of
     values.",
    x = "They have more.",
    i = "Leave out the one of most values, or put it into groups.",
    arg = "data", class = "pseudosynth_error_engine"
  )
  names(cells) <- c(names, "n")
  cells
}

# Sums -------------------------------------------------------------------------

#' The whole sums of a table's records by combination
#' @param cells (data frame) See with_engines(), of this table.
#' @noRd
table_sums <- function(engine, response, cells) {
  dialect <- probed_dialect(engine, response$transform == "log")
  from <- engine$from
  own <- sql_own(dialect, response, engine$columns(response$name)[[1]])
  modelled <- sql_modelled(dialect, response, own)
  columns <- as.list(cells[setdiff(names(cells), "n")])
  keys <- keys_of(dialect, columns)
  levels <- list2DF(
    lapply(columns, sql_value, dialect = dialect), nrow(cells)
  )
  queries <- list(
    whole = function(at, clip) {
      sql_whole(dialect, from, keys, columns, levels, modelled, at, clip)
    },
    tally = function(breaks) {
      sql_tally(dialect, from, keys, columns, modelled, breaks)
    }
  )
  list(
    queries = queries,
    check = function(stated, predictors) {
      check_table(engine, dialect, response, stated, predictors, own, modelled)
    },
    outside = function(bounds) {
      ends <- sql_value(dialect, as.double(bounds))
      engine$ask(sql_query(dialect, sql_number(dialect, sprintf(
        "(%s) < %s OR (%s) > %s", own, ends[1], own, ends[2]
      ), "n"), from))$n
    },
    whole = function(at, clip) {
      found <- engine$ask(queries$whole(at, clip))
      check_as_counted(found, cells)
      found[match(cell_keys(cells[names(columns)]), named_keys(found, columns)),
        c("inside", "q")
      ]
    },
    tally = function(breaks) {
      found <- engine$ask(queries$tally(breaks))
      found$cell <- match(
        named_keys(found, columns), cell_keys(cells[names(columns)])
      )
      n <- sums_by_code(found$n, found$cell, nrow(cells))
      check_as_counted(cbind(cells[names(columns)], n = n), cells)
      list(cell = found$cell, bin = as.integer(found$bin), n = found$n)
    }
  )
}

#' Rows' values as text, by a query's own order of columns
#' @noRd
named_keys <- function(found, columns) {
  cell_keys(stats::setNames(
    found[seq_along(columns)], names(columns)
  ))
}

#' Refuse sums that cannot be those of the records that were counted
#'
#' Necessary, not sufficient: the last step of each record bounds what it adds.
#' @param found (data frame) The columns of `cells`, and sums.
#' @noRd
check_as_counted <- function(found, cells) {
  columns <- setdiff(names(cells), "n")
  names(found)[seq_along(columns)] <- columns
  at <- match(cell_keys(found[columns]), cell_keys(cells[columns]))
  whole <- function(x) all(is.finite(x) & x == round(x))
  holds <- nrow(found) == nrow(cells) && !anyNA(at) &&
    identical(as.double(found$n), cells$n[at]) &&
    (is.null(found$q) || (whole(found$q) && whole(found$inside) &&
      all(abs(found$q) <= score_steps * found$n) &&
      all(found$inside >= 0 & found$inside <= found$n)))
  refuse_if(
    !holds, "The sums of the database must be those of the records it counted.",
    x = "Combinations, counts or limits differ between two queries.",
    i = "The table may change while it is read, or the engine may compute in
         another way. Write the file to a table of its own.", arg = "data",
    class = "pseudosynth_error_engine"
  )
}
