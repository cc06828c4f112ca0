# Tables as they are at one moment: a transaction that reads only, in a session
# whose settings change nothing, and a table found in the catalogue.

#' Start a transaction in which every query sees the same file
#'
#' An update between two queries would leave the count as it was and move a sum.
#' @noRd
begin_reading <- function(con, dialect) {
  inside <- switch(dialect$called,
    # Outside of a transaction it refuses a savepoint
    PostgreSQL = runs(con, "SAVEPOINT pseudosynth") &&
      runs(con, "RELEASE SAVEPOINT pseudosynth"),
    DuckDB = duckdb_inside(con),
    FALSE
  )
  refuse_inside(inside || !runs(con, dialect$begin), "data")
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

#' Find a table in the catalogue, once a transaction has begun
#'
#' @param source (list) See table_source().
#' @param ask (function) See asker().
#' @param moment (environment) `number` of the connection, and what its tables
#'   share.
#' @return (list) `schema` (and its database before it), `name`, `columns`
#'   (names), `stored` (their types, as PostgreSQL calls them; `NULL` where each
#'   value has its own), `only` (string or `NULL`: a condition that none but the
#'   records of these tables meets), `marks` (strings: of all tables that its
#'   records are in, the same over any connection).
#' @noRd
found_table <- function(source, dialect, ask, moment) {
  switch(dialect$called,
    DuckDB = duckdb_table(source, dialect, ask),
    PostgreSQL = postgresql_table(source, dialect, ask, moment),
    SQLite = sqlite_table(source, dialect, ask, moment)
  )
}


# PostgreSQL -------------------------------------------------------------------

# For this transaction alone. A policy that hides rows is an error in place of
# fewer rows. Numbers leave with all their digits, backslashes
# are plain, and queries are not compiled, which takes minutes for thousands of
# combinations. It sorts no records to count equal ones, since it expects far
# more combinations of many columns than there are; and records pass from its
# workers for less than it expects. Not all versions have all of these.
postgresql_settings <- c(
  standard_conforming_strings = "on", extra_float_digits = "3", jit = "off",
  client_min_messages = "error", client_encoding = "UTF8", enable_sort = "off",
  parallel_tuple_cost = "0.01", row_security = "off"
)

postgresql_set <- function(settings, ask) {
  ask(sprintf(
    "SELECT pg_catalog.set_config(name, s.v, true) FROM (VALUES %s) s (n, v)
     JOIN pg_catalog.pg_settings ON name OPERATOR(pg_catalog.=) s.n",
    toString(sprintf("('%s', '%s')", names(settings), settings))
  ))
}

postgresql_table <- function(source, dialect, ask, moment) {
  level <- ask("SHOW transaction_isolation")[[1]]
  if (!identical(level, "repeatable read")) {
    abort_query(dialect, "answer all queries as of one moment")
  }
  postgresql_set(postgresql_settings, ask)
  # The name as the user's session reads it; then none but the engine's own
  if (is.null(moment$search_path)) {
    moment$search_path <- ask("SHOW search_path")[[1]]
  }
  postgresql_set(c(search_path = moment$search_path), ask)
  path <- paste(sql_name(dialect, source$path), collapse = ".")
  oid <- as.double(ask(sprintf(
    "SELECT pg_catalog.to_regclass(%s)::pg_catalog.oid::pg_catalog.int8 AS o",
    sql_value(dialect, path)
  ))[[1]])
  refuse_no_table(is.na(oid), source$path, "not there")
  # Where a policy comes later the queries fail
  refuse_policies(postgresql_policies(oid, ask), source$path)
  # No one renames or changes it from here on, if it still is that table
  ask(sprintf("SELECT 1 AS one FROM %s WHERE FALSE", path))
  postgresql_set(c(search_path = "pg_catalog, pg_temp"), ask)
  locked <- ask(sprintf(
    "SELECT COUNT(*) AS n FROM pg_locks WHERE locktype = 'relation' AND granted
     AND pid = pg_backend_pid() AND relation = %.0f", oid
  ))[[1]]
  refuse_no_table(
    as.double(locked) < 1, source$path, "no longer the table that it was"
  )
  found <- postgresql_columns(source, oid, ask)
  refuse_shadowed(
    length(source$path) == 1 && postgresql_shadows(oid, moment, ask),
    source$path, "pg_temp"
  )
  found
}

#' Do policies decide which rows this role sees?
#' @noRd
postgresql_policies <- function(oid, ask) {
  isTRUE(ask(sprintf(
    "SELECT pg_catalog.row_security_active(CAST(%.0f AS pg_catalog.oid)) AS a",
    oid
  ))[[1]])
}

#' Is it a temporary table whose name hides another's on the user's path?
#' @noRd
postgresql_shadows <- function(oid, moment, ask) {
  postgresql_set(c(search_path = moment$search_path), ask)
  on.exit(postgresql_set(c(search_path = "pg_catalog, pg_temp"), ask))
  as.double(ask(sprintf(
    "SELECT pg_catalog.count(*) AS n FROM pg_catalog.pg_class t
     JOIN pg_catalog.pg_class o
       ON t.relname OPERATOR(pg_catalog.=) o.relname
       AND t.oid OPERATOR(pg_catalog.<>) o.oid
     JOIN pg_catalog.pg_namespace n
       ON o.relnamespace OPERATOR(pg_catalog.=) n.oid
     WHERE t.oid OPERATOR(pg_catalog.=) CAST(%.0f AS pg_catalog.oid)
       AND t.relpersistence OPERATOR(pg_catalog.=) 't'
       AND n.nspname OPERATOR(pg_catalog.=)
         ANY (pg_catalog.current_schemas(false))", oid
  ))[[1]]) > 0
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

postgresql_columns <- function(source, oid, ask) {
  oid <- sprintf("%.0f", oid)
  # With partitions and tables that inherit from it
  found <- ask(sprintf(
    "WITH RECURSIVE tree (oid) AS (
       SELECT CAST(%s AS OID)
       UNION SELECT inhrelid FROM pg_inherits JOIN tree ON inhparent = tree.oid
     )
     SELECT CAST(c.oid AS BIGINT) AS oid, n.nspname, c.relname,
       CAST(c.relkind AS TEXT) AS kind
     FROM tree JOIN pg_class c ON c.oid = tree.oid
     JOIN pg_namespace n ON n.oid = c.relnamespace", oid
  ))
  kinds <- c(
    v = "a view", m = "a materialised view", f = "a table of another server",
    S = "a sequence"
  )
  other <- found$kind[!found$kind %in% c("r", "p")]
  refuse_no_table(
    length(other) > 0, source$path,
    if (other[1] %in% names(kinds)) kinds[[other[1]]] else "no table"
  )
  own <- which(sprintf("%.0f", as.double(found$oid)) == oid)
  refuse_no_table(length(own) != 1, source$path, "newer than the transaction")
  columns <- ask(sprintf(
    "SELECT attname, CASE WHEN n.nspname = 'pg_catalog' THEN ''
       ELSE n.nspname || '.' END || typname AS type
     FROM pg_attribute JOIN pg_type t ON t.oid = atttypid
     JOIN pg_namespace n ON n.oid = typnamespace
     WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped", oid
  ))
  list(
    schema = found$nspname[own], name = found$relname[own],
    columns = columns$attname, stored = columns$type,
    # A table that is attached later is read by none of the queries
    only = sprintf(
      "f.tableoid IN (%s)",
      toString(sprintf("%.0f", as.double(found$oid)))
    ),
    marks = as.vector(outer(
      postgresql_homes(ask), sprintf("%.0f", as.double(found$oid)), paste
    ))
  )
}

#' Marks of the server and the database: of when it started, the same in all
#' sessions, and of its files, which its copies share, where the role may see it
#' @noRd
postgresql_homes <- function(ask) {
  of <- function(what) {
    ask(sprintf(
      "SELECT CAST(%s AS TEXT) || '.' || oid AS home FROM pg_database
       WHERE datname = current_database()", what
    ))$home
  }
  may <- ask(
    "SELECT has_function_privilege('pg_control_system()', 'execute') AS may"
  )$may
  c(
    of("CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000 AS BIGINT)"),
    if (isTRUE(may)) of("(SELECT system_identifier FROM pg_control_system())")
  )
}

# SQLite -----------------------------------------------------------------------

sqlite_table <- function(source, dialect, ask, moment) {
  dirty <- ask("PRAGMA read_uncommitted")[[1]]
  if (!identical(as.double(dirty), 0)) {
    abort_query(
      dialect, "answer all queries as of one moment",
      i = "Set {.code PRAGMA read_uncommitted = 0}."
    )
  }
  schemas <- ask("PRAGMA database_list")
  path <- source$path
  # In the order in which the engine looks
  among <- union("temp", schemas$name)
  if (length(path) > 1) {
    among <- among[tolower(among) == tolower(path[1])]
  }
  name <- path[length(path)]
  named <- lapply(if (length(path) <= 2) among, function(schema) {
    ask(sprintf(
      "SELECT name AS name, type AS type, rootpage AS rootpage
       FROM %s.sqlite_master
       WHERE type IN ('table', 'view') AND name = %s COLLATE NOCASE",
      sql_name(dialect, schema), sql_value(dialect, name)
    ))
  })
  there <- which(vapply(named, nrow, 1L) > 0)
  refuse_no_table(length(there) == 0, path, "not there")
  schema <- among[there[1]]
  found <- named[[there[1]]]
  refuse_no_table(found$type == "view", path, "a view")
  refuse_shadowed(tolower(schema) == "temp" && length(there) > 1, path, "temp")
  # Those that a module computes have no page of their own
  refuse_no_table(!isTRUE(found$rootpage > 0), path, "a virtual table")
  columns <- ask(sprintf(
    "SELECT name AS name FROM pragma_table_xinfo(%s, %s) WHERE hidden <> 1",
    sql_value(dialect, found$name), sql_value(dialect, schema)
  ))$name
  home <- schemas$file[match(schema, schemas$name)]
  sqlite_check_locks(source$con, schema, home, dialect, ask)
  list(
    schema = schema, name = found$name, columns = columns,
    marks = sqlite_mark(home, schema, found$name, source$con, moment)
  )
}

#' Refuse a file that is read without a lock: it could change between queries
#'
#' `immutable=1` and `nolock=1` of a URI are seen by the mode of locking.
#' @noRd
sqlite_check_locks <- function(con, schema, home, dialect, ask) {
  if (is.na(home) || !nzchar(home)) {
    return(invisible())
  }
  mode <- ask(sprintf("PRAGMA %s.locking_mode", sql_name(dialect, schema)))[[1]]
  unlocked <- "unix-none|vfs=|immutable=|nolock="
  own <- tolower(schema) == "main" &&
    (grepl(unlocked, con@vfs) || is_uri(con@dbname) &&
      grepl(unlocked, sub("^[^?]*", "", con@dbname)))
  if (own || !identical(mode, "normal")) {
    abort_query(
      dialect, "answer all queries as of one moment",
      i = "Open the file with its usual locks: without {.code immutable},
           {.code nolock} or {.code vfs}, and with
           {.code PRAGMA locking_mode = normal}."
    )
  }
}

is_uri <- function(name) startsWith(name, "file:")

#' A mark of a table: of the file that its database is in
#'
#' Databases in memory may be shared by connections, but for the temporary one
#' and for one without a name. Of an attached one the name is not known: two of
#' the same schema and table are taken for one.
#' @param home (string) The file. Empty or `NA` for a database in memory.
#' @return (character) Of a file its path, and what all of its names share.
#' @noRd
sqlite_mark <- function(home, schema, name, con, moment) {
  schema <- tolower(schema)
  homes <- if (!is.na(home) && nzchar(home)) {
    c(normalizePath(home, mustWork = FALSE), file_number(home))
  } else if (schema == "main" && !con@dbname %in% c("", ":memory:")) {
    memory_name(con@dbname)
  } else if (schema %in% c("main", "temp")) {
    paste("connection", moment$number, schema)
  } else {
    paste("memory", schema)
  }
  paste(homes, tolower(name), sep = "\r")
}

#' The name of a database in memory that connections share, of any spelling
#' @noRd
memory_name <- function(name) {
  if (!is_uri(name)) {
    return(name)
  }
  path <- sub("^file:(//[^/]*)?([^?#]*).*$", "\\2", name)
  paste("shared memory", or_else(utils::URLdecode(path), path))
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
