# Tables of SQLite.

sqlite_backend <- function() {
  new_backend(
    "SQLite", "SQLiteConnection", begin = "BEGIN", collate = "COLLATE BINARY",
    find = sqlite_find, target = sqlite_target, columns = sqlite_columns,
    # Not all have floor(); halves are exact
    floor = "(CAST({x} AS INTEGER) - ({x} < CAST({x} AS INTEGER)))",
    nul = "INSTR(CAST({x} AS BLOB), x'00') > 0", sorts = TRUE, dates = FALSE,
    texts = sqlite_texts, no_log = "Load its functions:
      {.code RSQLite::initExtension(con, \"math\")}."
  )
}

sqlite_find <- function(source, backend, ask, moment) {
  dirty <- ask("PRAGMA read_uncommitted")[[1]]
  if (!identical(as.double(dirty), 0)) {
    abort_moment(backend, "Set {.code PRAGMA read_uncommitted = 0}.")
  }
  path <- source$path
  named <- sqlite_named(path, backend, ask)
  refuse_no_table(nrow(named) == 0, path, "not there")
  found <- named[1, ]
  refuse_no_table(found$type == "view", path, "a view")
  refuse_shadowed(
    tolower(found$schema) == "temp" && nrow(named) > 1, path, "temp"
  )
  # Those that a module computes have no page of their own
  refuse_no_table(!isTRUE(found$page > 0), path, "a virtual table")
  sqlite_check_locks(source$con, found, backend, ask)
  list(
    schema = found$schema, name = found$name, columns = ask(sprintf(
      "SELECT name AS name FROM pragma_table_xinfo(%s, %s) WHERE hidden <> 1",
      sql_value(backend, found$name), sql_value(backend, found$schema)
    ))$name, marks = sqlite_marks(found)
  )
}

#' Tables and views of a name, in the order in which the engine looks
#' @return (data frame) `schema`, `home` (its file), `name`, `type`, `page`.
#' @noRd
sqlite_named <- function(path, backend, ask) {
  all <- ask("PRAGMA database_list")
  schemas <- union("temp", all$name)
  if (length(path) > 1) schemas <- schemas[tolower(schemas) == tolower(path[1])]
  Reduce(rbind, lapply(if (length(path) <= 2) schemas, function(schema) {
    found <- ask(sprintf(
      "SELECT name AS name, type AS type, rootpage AS page FROM %s.sqlite_master
       WHERE type IN ('table', 'view') AND name = %s COLLATE NOCASE",
      sql_name(schema), sql_value(backend, path[length(path)])
    ))
    found$schema <- rep(schema, nrow(found))
    found$home <- rep(all$file[match(schema, all$name)], nrow(found))
    found
  }), data.frame())
}

#' Refuse a file that is read without a lock: it could change between queries
#'
#' `immutable=1` and `nolock=1` of a URI are seen by the mode of locking.
#' @noRd
sqlite_check_locks <- function(con, found, backend, ask) {
  if (!in_file(found)) {
    return(invisible())
  }
  mode <- ask(paste0("PRAGMA ", sql_name(found$schema), ".locking_mode"))[[1]]
  unlocked <- "unix-none|vfs=|immutable=|nolock="
  own <- tolower(found$schema) == "main" &&
    (grepl(unlocked, con@vfs) || is_uri(con@dbname) &&
      grepl(unlocked, sub("^[^?]*", "", con@dbname)))
  if (own || !identical(mode, "normal")) {
    abort_moment(
      backend, "Open the file with its usual locks: without {.code immutable},
        {.code nolock} or {.code vfs}, and with
        {.code PRAGMA locking_mode = normal}."
    )
  }
}

in_file <- function(found) !is.na(found$home) && nzchar(found$home)

is_uri <- function(name) startsWith(name, "file:")

#' Marks of a table: of the file that its database is in
#'
#' A file may be attached under several names. A database in memory cannot, but
#' for those of the VFS `memdb`, which have a path.
#' @param found (data frame) A row of sqlite_named(). A database in memory has
#'   an empty home, or `NA`.
#' @noRd
sqlite_marks <- function(found) {
  homes <- if (in_file(found)) path_marks(found$home) else tolower(found$schema)
  paste(homes, tolower(found$name), sep = "\r")
}

#' Values, and not columns, have types
#'
#' Of all kinds that a column has the first and the last are known.
#' @noRd
sqlite_columns <- function(quoted, found, table, backend, ask) {
  kinds <- c("whole", "long", "real", "text", "huge", "bytes")
  kind <- sprintf(
    paste(
      "CASE TYPEOF(%s) WHEN 'integer' THEN CASE WHEN %s THEN 5 WHEN",
      "%s > 2147483647 OR %s < -2147483647 THEN 2 ELSE 1 END",
      "WHEN 'real' THEN 3 WHEN 'text' THEN 4 WHEN 'blob' THEN 6 END"
    ), quoted, is_huge(quoted), quoted, quoted
  )
  names(kind) <- names(quoted)
  found <- ask(sql_query(c(
    sprintf("MIN(%s) AS least%d", kind, seq_along(kind)),
    sprintf("MAX(%s) AS most%d", kind, seq_along(kind))
  ), table))
  found <- matrix(kinds[as.integer(unlist(found))], ncol = 2)
  Map(function(quoted, name, least, most) {
    if (most %in% "bytes") refuse_type(name, "bytes")
    if (most %in% "huge") {
      refuse_huge(name, unlist(ask(sql_query(sql_number(
        sprintf("%s = 5", kind[[name]]), "n"
      ), table))))
    }
    if (most %in% "text" && least != "text") {
      refuse_type(name, "both numbers and text")
    }
    switch(if (is.na(most)) "none" else most,
      text = c(
        sql_column(backend, quoted, character()), list(quoted = quoted)
      ),
      real = , long = sql_column(backend, quoted, double()),
      whole = list(
        read = sprintf("CAST(%s AS INTEGER)", quoted), type = integer()
      ),
      none = list(read = quoted, type = NULL)
    )
  }, quoted, names(quoted), found[, 1], found[, 2])
}

sqlite_target <- function(path, backend, ask) {
  named <- sqlite_named(path, backend, ask)
  if (nrow(named) == 0) {
    return(NULL)
  }
  found <- named[1, ]
  # A temporary trigger may be on a table of any schema
  triggers <- sprintf(
    "SELECT 1 FROM %s.sqlite_master WHERE type = 'trigger' AND tbl_name = %s
     COLLATE NOCASE", unique(c(sql_name(found$schema), "temp")),
    sql_value(backend, found$name)
  )
  list(
    table = found$type == "table" && found$page > 0,
    triggers = ask(sprintf(
      "SELECT 1.0 * COUNT(*) AS n FROM (%s)",
      paste(triggers, collapse = " UNION ALL ")
    ))$n
  )
}

#' Only a column of text takes numbers as text: another would keep doubles as
#' they are
#' @noRd
sqlite_texts <- function(target) {
  found <- DBI::dbGetQuery(target$con, sprintf(
    "SELECT name FROM pragma_table_info(%s) WHERE type LIKE '%%CHAR%%'
     OR type LIKE '%%CLOB%%' OR type LIKE '%%TEXT%%'",
    toString(DBI::dbQuoteString(target$con, rev(target$path)))
  ))
  target$columns[target$columns %in% found$name]
}
