# Tables of DuckDB, and CSV and Parquet files, which it reads.

# What must not be set otherwise: how text and NULL are compared and sorted, and
# numbers divided. Not all versions have all of these.
duckdb_settings <- c(
  default_collation = "", default_order = "ASCENDING",
  integer_division = "false", ieee_floating_point_ops = "true",
  old_implicit_casting = "false"
)

# Types as columns_by_type() calls them
duckdb_types <- c(
  BOOLEAN = "bool", TINYINT = "int2", UTINYINT = "int2", SMALLINT = "int2",
  USMALLINT = "int4", INTEGER = "int4", UINTEGER = "int8", BIGINT = "int8",
  UBIGINT = "int8", HUGEINT = "int8", UHUGEINT = "int8", FLOAT = "float4",
  DOUBLE = "float8", DECIMAL = "float4", VARCHAR = "text", ENUM = "text",
  DATE = "date"
)

#' Is the connection in a transaction?
#'
#' Another one would not only be refused: it would end what the user began.
#' @noRd
duckdb_inside <- function(con) {
  moment <- function() {
    or_else(DBI::dbGetQuery(con, "SELECT txid_current() AS id")$id)
  }
  identical(moment(), moment())
}

#' See found_table()
#' @noRd
duckdb_table <- function(source, dialect, ask) {
  duckdb_check_session(dialect, ask)
  path <- source$path
  text <- sql_value(dialect, tolower(path))
  name <- text[length(text)]
  # A schema, or a database whose schema has its usual name
  among <- switch(min(length(path), 3),
    paste(
      "(d = lower(current_database()) AND s = lower(current_schema())",
      "OR d = 'temp')"
    ),
    sprintf(paste(
      "(s = %1$s AND d IN (lower(current_database()), 'temp')",
      "OR d = %1$s AND s = 'main')"
    ), text[1]),
    sprintf("(d = %s AND s = %s)", text[1], text[2])
  )
  found <- ask(sprintf(
    "SELECT * FROM (
       SELECT lower(database_name) AS d, lower(schema_name) AS s,
         database_name, schema_name, table_name AS name, 'table' AS kind
       FROM system.main.duckdb_tables() WHERE NOT internal
       UNION ALL SELECT lower(database_name), lower(schema_name),
         database_name, schema_name, view_name, 'view'
       FROM system.main.duckdb_views() WHERE NOT internal
     ) WHERE lower(name) = %s AND %s", name, among
  ))
  refuse_no_table(nrow(found) == 0, path, "not there")
  refuse_no_table(nrow(found) > 1, path, "the name of several tables")
  refuse_no_table(found$kind == "view", path, "a view")
  home <- ask(sprintf(
    "SELECT type, COALESCE(path, '') AS file
     FROM system.main.duckdb_databases() WHERE database_name = %s",
    sql_value(dialect, found$database_name)
  ))
  refuse_no_table(
    !identical(home$type, "duckdb"), path, "a table of another engine"
  )
  columns <- ask(sprintf(
    "SELECT column_name, data_type FROM system.main.duckdb_columns()
     WHERE database_name = %s AND schema_name = %s AND table_name = %s",
    sql_value(dialect, found$database_name),
    sql_value(dialect, found$schema_name), sql_value(dialect, found$name)
  ))
  stored <- duckdb_types[sub("[(].*", "", columns$data_type)]
  # A list of a type is another one
  stored[is.na(stored) | grepl("\\]$", columns$data_type)] <- "another"
  list(
    schema = c(found$database_name, found$schema_name), name = found$name,
    columns = columns$column_name, stored = unname(stored),
    # Connections may share a database in memory
    marks = paste(c(
      if (nzchar(home$file)) normalizePath(home$file, mustWork = FALSE) else
        c("memory", tolower(found$database_name)),
      tolower(c(found$schema_name, found$name))
    ), collapse = "\r")
  )
}

#' Refuse a session in which a query would mean something else
#' @noRd
duckdb_check_session <- function(dialect, ask) {
  set <- ask("SELECT name, value FROM system.main.duckdb_settings()")
  value <- set$value[match(names(duckdb_settings), set$name)]
  other <- !is.na(value) & toupper(value) != toupper(duckdb_settings)
  if (any(other)) {
    abort_query(
      dialect, "compare and sort as expected",
      i = sprintf("Run {.code RESET %s}.", names(duckdb_settings)[other][1])
    )
  }
  # A macro goes before the function of its name, and operators are functions
  functions <- ask(
    "SELECT function_name, internal FROM system.main.duckdb_functions()"
  )
  own <- tolower(functions$function_name[!functions$internal])
  hidden <- own[own %in% functions$function_name[functions$internal]]
  if (length(hidden) > 0) {
    abort_query(
      dialect, "use its own functions",
      i = "Remove macros that have the name of one."
    )
  }
}

#' Read rows page by page: the driver would keep all rows of a result until the
#' last is taken
#' @param ask (function) See asker().
#' @return (function) Gives the next rows.
#' @noRd
duckdb_pages <- function(query, rows, dialect, ask) {
  # Or two pages could have the same row
  ordered <- ask(
    "SELECT value FROM system.main.duckdb_settings()
     WHERE name = 'preserve_insertion_order'"
  )$value
  if (!identical(tolower(ordered), "true")) {
    abort_query(
      dialect, "keep the order of its rows",
      i = "Run {.code RESET preserve_insertion_order}."
    )
  }
  place <- 0
  function() {
    found <- ask(sprintf("%s\nLIMIT %.0f OFFSET %.0f", query, rows, place))
    place <<- place + rows
    found
  }
}

# Files ------------------------------------------------------------------------

file_readers <- c(csv = "read_csv", parquet = "read_parquet")

# What a CSV file means is not guessed: after a row of another length DuckDB
# would take another sign for the comma. No row is left out as a comment or a
# title. All rows tell a column's type: numbers, dates such as 2020-01-31, true
# and false, or else text, such as yes and no. Missing values are as R writes
# them.
reader_settings <- c(
  csv = ", delim = ',', quote = '\"', escape = '\"', header = true, skip = 0,
         comment = '', sample_size = -1, nullstr = ['', 'NA'],
         auto_type_candidates = ['BIGINT', 'DOUBLE', 'DATE', 'VARCHAR'],
         dateformat = '%Y-%m-%d'", parquet = ""
)

#' Files of one kind, read into a database of this session's own
#'
#' A file that changes meanwhile changes no sum. What is read lies where R's own
#' temporary files do, packed, and not in memory.
#' @param paths (character)
#' @return (list) See table_source(); `close()` ends and removes it.
#' @noRd
paths_source <- function(paths) {
  kind <- check_paths(paths)
  check_installed(c("DBI", "duckdb"), arg = "data")
  dialect <- sql_dialect("duckdb")
  folder <- tempfile("pseudosynth-records-")
  dir.create(folder, mode = "0700")
  # It says where it keeps extensions, of which none is needed
  con <- suppressMessages(DBI::dbConnect(
    duckdb::duckdb(file.path(folder, "read.duckdb"))
  ))
  close <- function() {
    DBI::dbDisconnect(con, shutdown = TRUE)
    unlink(folder, recursive = TRUE)
  }
  done <- FALSE
  on.exit(if (!done) close())
  done <- or_else({
    DBI::dbExecute(con, sprintf(
      "CREATE TABLE records AS SELECT * FROM
       %s([%s], union_by_name = true, hive_partitioning = false%s)",
      file_readers[[kind]], toString(sql_value(dialect, normalizePath(paths))),
      reader_settings[[kind]]
    ))
    if (kind == "csv") duckdb_flags(con, dialect)
    TRUE
  }, FALSE)
  refuse_if(
    !done, "{.arg data} must be files that DuckDB can read.",
    x = "It could not read {length(paths)} {toupper(kind)} file{?s}. What it
         says is not shown: it may hold values of records.",
    i = "Read {cli::qty(length(paths))}{?it/them} with
         {.fn {file_readers[[kind]]}} of DuckDB to see why.",
    arg = "data", class = "pseudosynth_error_engine"
  )
  columns <- names(DBI::dbGetQuery(con, "SELECT * FROM records LIMIT 0"))
  list(
    con = con, dialect = dialect, path = c("read", "main", "records"),
    columns = stats::setNames(nm = columns), where = list(), close = close,
    marks = rlang::hash_file(normalizePath(paths))
  )
}

#' Columns of the words true and false alone become flags
#' @noRd
duckdb_flags <- function(con, dialect) {
  columns <- DBI::dbGetQuery(con, "DESCRIBE records")
  text <- sql_name(dialect, columns$column_name[columns$column_type ==
    "VARCHAR"])
  if (length(text) == 0) {
    return(invisible())
  }
  flags <- unlist(DBI::dbGetQuery(con, sql_query(dialect, sprintf(
    "BOOL_AND(%s IN ('TRUE', 'FALSE', 'true', 'false')) AS b%d", text,
    seq_along(text)
  ), "records")))
  for (name in text[flags %in% TRUE]) {
    DBI::dbExecute(
      con, sprintf("ALTER TABLE records ALTER %s TYPE BOOLEAN", name)
    )
  }
}

#' Refuse paths that are not of different files of one kind
#' @return (string) `"csv"` or `"parquet"`.
#' @noRd
check_paths <- function(paths) {
  refuse <- function(wrong, is) {
    refuse_if(
      any(wrong), "{.arg data} must be paths of CSV files or of Parquet files.",
      x = "{sum(wrong)} of the paths {?is/are} {is}.", arg = "data"
    )
  }
  refuse(is.na(paths) | !file.exists(paths) | dir.exists(paths), "no file")
  # DuckDB takes these for patterns of several names
  real <- normalizePath(paths)
  refuse(grepl("[*?{}\\[]", real), "named with one of * ? [ {")
  refuse(duplicated(real), "named twice")
  # Under another name, too: each record would count twice
  refuse(duplicated(rlang::hash_file(real)), "a copy of another file")
  kinds <- sub(".*[.](csv|parquet)([.]gz)?$", "\\1", tolower(paths))
  refuse(!kinds %in% names(file_readers), "of another kind of file")
  refuse(kinds != kinds[1], "not of the kind of the first")
  kinds[1]
}
