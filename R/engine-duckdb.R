# Tables of DuckDB.

duckdb_backend <- function() {
  new_backend(
    "DuckDB", "duckdb_connection", begin = "BEGIN TRANSACTION READ ONLY",
    collate = "COLLATE C", find = duckdb_find, target = duckdb_target,
    inside = duckdb_inside, paged = duckdb_paged, nul = "CONTAINS({x}, CHR(0))",
    vectors = TRUE
  )
}

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

duckdb_find <- function(source, backend, ask, moment) {
  duckdb_check_session(backend, ask)
  path <- source$path
  text <- sql_value(backend, tolower(path))
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
    sql_value(backend, found$database_name)
  ))
  refuse_no_table(
    !identical(home$type, "duckdb"), path, "a table of another engine"
  )
  columns <- ask(sprintf(
    "SELECT column_name, data_type FROM system.main.duckdb_columns()
     WHERE database_name = %s AND schema_name = %s AND table_name = %s",
    sql_value(backend, found$database_name),
    sql_value(backend, found$schema_name), sql_value(backend, found$name)
  ))
  stored <- duckdb_types[sub("[(].*", "", columns$data_type)]
  # A list of a type is another one
  stored[is.na(stored) | grepl("\\]$", columns$data_type)] <- "another"
  list(
    schema = c(found$database_name, found$schema_name), name = found$name,
    columns = columns$column_name, stored = unname(stored),
    # A file that is only read may be attached under several names
    marks = paste(
      if (nzchar(home$file)) path_marks(home$file) else found$d, found$s,
      tolower(found$name), sep = "\r"
    )
  )
}

#' Refuse a session in which a query would mean something else
#' @noRd
duckdb_check_session <- function(backend, ask) {
  set <- ask("SELECT name, value FROM system.main.duckdb_settings()")
  value <- set$value[match(names(duckdb_settings), set$name)]
  other <- !is.na(value) & toupper(value) != toupper(duckdb_settings)
  if (any(other)) {
    abort_query(
      backend, "compare and sort as expected",
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
      backend, "use its own functions",
      i = "Remove macros that have the name of one."
    )
  }
}

#' Pages by the numbers of rows, which are in order and tell where a row lies
#'
#' A page has fewer rows where others were deleted, or meet no condition.
#' @noRd
duckdb_paged <- function(part, n, rows) {
  duckdb_check_order(part$backend, part$ask)
  # A column of that name hides it
  if ("rowid" %in% tolower(part$found$columns)) {
    first <- seq(0, n - 1, rows)
    return(sprintf("%s\nLIMIT %.0f OFFSET %.0f", part$from, rows, first))
  }
  ends <- part$ask(sql_query(
    sql_total(c("MIN(f.rowid)", "MAX(f.rowid)"), c("a", "b")), part$from
  ))
  vapply(seq(ends$a, ends$b, rows), function(first) {
    sql_from(part, sprintf(
      "f.rowid >= %.0f AND f.rowid < %.0f", first, first + rows
    ))
  }, "")
}

#' Refuse an order of rows with which two pages could have the same one
#' @noRd
duckdb_check_order <- function(backend, ask) {
  ordered <- ask(
    "SELECT value FROM system.main.duckdb_settings()
     WHERE name = 'preserve_insertion_order'"
  )$value
  if (!identical(tolower(ordered), "true")) {
    abort_query(
      backend, "keep the order of its rows",
      i = "Run {.code RESET preserve_insertion_order}."
    )
  }
}

# It has no triggers
duckdb_target <- function(path, backend, ask) {
  name <- sql_value(backend, tolower(path[length(path)]))
  kinds <- ask(sprintf(
    "SELECT 'table' AS kind FROM system.main.duckdb_tables()
     WHERE lower(table_name) = %1$s AND NOT internal
     UNION ALL SELECT 'view' FROM system.main.duckdb_views()
     WHERE lower(view_name) = %1$s AND NOT internal", name
  ))$kind
  if (length(kinds) > 0) list(table = !"view" %in% kinds)
}
