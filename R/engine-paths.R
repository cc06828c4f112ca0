# CSV and Parquet files, which DuckDB reads.

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
  backend <- duckdb_backend()
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
      file_readers[[kind]], toString(sql_value(backend, normalizePath(paths))),
      reader_settings[[kind]]
    ))
    if (kind == "csv") duckdb_flags(con, backend)
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
    con = con, backend = backend, path = c("read", "main", "records"),
    columns = stats::setNames(nm = columns), where = list(), close = close,
    marks = rlang::hash_file(normalizePath(paths))
  )
}

#' Columns of the words true and false alone become flags
#' @noRd
duckdb_flags <- function(con, backend) {
  columns <- DBI::dbGetQuery(con, "DESCRIBE records")
  text <- sql_name(columns$column_name[columns$column_type ==
    "VARCHAR"])
  if (length(text) == 0) {
    return(invisible())
  }
  flags <- unlist(DBI::dbGetQuery(con, sql_query(sprintf(
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
      x = "{sum(wrong)} of the paths {?is/are} {is}.",
      i = "A column is given in a data frame: {.code data[\"column\"]}.",
      arg = "data"
    )
  }
  refuse(!in_known_encoding(paths), "not text in a known encoding")
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
