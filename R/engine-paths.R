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
  keys <- hive_keys(paths)
  paths <- keys$paths %||% paths
  is_hive <- length(keys$names) > 0
  kind <- check_paths(paths, keys$of)
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
  check_hive_names(con, backend, paths, keys$names)
  reading <- function(paths) {
    sprintf(
      "%s([%s], union_by_name = true, hive_partitioning = %s%s)",
      file_readers[[kind]], toString(sql_value(backend, normalizePath(paths))),
      tolower(is_hive), if (is_hive) hive_settings else reader_settings[[kind]]
    )
  }
  done <- or_else({
    read_into_table(con, reading(paths))
    tell_lacking(con, lapply(paths, reading))
    if (kind == "csv") duckdb_flags(con)
    duckdb_typed(con, keys$names, hive_number, "BIGINT")
    TRUE
  }, FALSE)
  refuse_if(
    !done, "{.arg data} must be files that DuckDB can read.",
    x = "It could not read {length(paths)} {toupper(kind)} file{?s}. What it
         says is not shown: it may hold values of records.",
    i = if (kind == "csv") {
      "Columns of CSV files must have commas between them, and text must be in
       UTF-8."
    },
    i = "Read {cli::qty(length(paths))}{?it/them} with
         {.fn {file_readers[[kind]]}} of DuckDB to see why.",
    arg = "data", class = "pseudosynth_error_engine"
  )
  columns <- names(DBI::dbGetQuery(con, "SELECT * FROM records LIMIT 0"))
  list(
    con = con, backend = backend, close = close, tables = list(list(
      path = c("read", "main", "records"),
      columns = stats::setNames(nm = columns), where = list()
    ))
  )
}

#' Say which columns some of several files lack: their records lack a value
#' @param readings (list of string) Each file, as a query names it.
#' @noRd
tell_lacking <- function(con, readings) {
  if (length(readings) == 1) {
    return(invisible())
  }
  columns <- lapply(readings, function(from) {
    # No row is needed to tell names. Those in other case are the same column
    from <- sub("sample_size = -1", "sample_size = 1", from, fixed = TRUE)
    tolower(names(DBI::dbGetQuery(
      con, sprintf("SELECT * FROM %s LIMIT 0", from)
    )))
  })
  files <- table(unlist(columns))
  lacking <- files[files < length(readings)]
  if (length(lacking) > 0) {
    tell_of(
      "files", "The {length(readings)} files of {.arg data} do not all have the
                same columns. Where one lacks a column, no record has a value.",
      i = "Files that have {.code {names(lacking)}}: {as.vector(lacking)}."
    )
  }
  invisible()
}

# What DuckDB keeps of files in memory, at most: its own limit is most of the
# machine's, and it would keep all of them
memory_of_files <- "1GB"

#' Read files into the table `records`
#'
#' A block of records of very many columns may need more than the limit.
#' @param from (string) Files, as a query names them.
#' @noRd
read_into_table <- function(con, from) {
  DBI::dbExecute(con, sprintf("SET memory_limit = '%s'", memory_of_files))
  query <- paste("CREATE TABLE records AS SELECT * FROM", from)
  tryCatch(DBI::dbExecute(con, query), error = function(e) {
    if (!grepl("out of memory", conditionMessage(e), ignore.case = TRUE)) {
      stop(e)
    }
    DBI::dbExecute(con, "RESET memory_limit")
    DBI::dbExecute(con, query)
  })
}

#' Columns of the words true and false alone become flags
#' @noRd
duckdb_flags <- function(con) {
  columns <- DBI::dbGetQuery(con, "DESCRIBE records")
  text <- columns$column_name[columns$column_type == "VARCHAR"]
  words <- "{x} IN ('TRUE', 'FALSE', 'true', 'false')"
  duckdb_typed(con, text, words, "BOOLEAN")
}

#' Columns of text of which something holds in all records get another type
#' @noRd
duckdb_typed <- function(con, text, holds, type) {
  if (length(text) == 0) {
    return(invisible())
  }
  text <- sql_name(text)
  holds <- vapply(text, function(x) gsub("{x}", x, holds, fixed = TRUE), "")
  all <- unlist(DBI::dbGetQuery(con, sql_query(
    sprintf("BOOL_AND(%s) AS b%d", holds, seq_along(text)), "records"
  )))
  for (name in text[all %in% TRUE]) {
    DBI::dbExecute(
      con, sprintf("ALTER TABLE records ALTER %s TYPE %s", name, type)
    )
  }
}

# Folders in hive partitions ---------------------------------------------------

# Folders such as year=2024 have columns in their names. What they mean is not
# guessed: they are text, or whole numbers where all of them are written as such
hive_settings <- ", hive_types_autocast = false"
hive_number <- "regexp_full_match({x}, '0|-?[1-9][0-9]{0,14}')"

#' The Parquet files in a folder, and the columns that their folders name
#' @return (list or `NULL`, for paths of files) `paths`; `of` (character: what
#'   the folders of each say), `names` (character: columns).
#' @noRd
hive_keys <- function(paths) {
  known <- length(paths) == 1 && !is.na(paths) && in_known_encoding(paths)
  if (!known || !dir.exists(paths)) {
    return(NULL)
  }
  # A folder of other things, such as a home, is not searched through
  inside <- list.dirs(paths, full.names = FALSE, recursive = FALSE)
  refuse_folder(
    any(!grepl("^[.]|=", inside)), "a folder in it names no column"
  )
  # Of Spark's own, such as _SUCCESS, none has records
  files <- list.files(paths, recursive = TRUE)
  files <- files[!grepl("^[_.]", basename(files))]
  of <- sub("^[.]$", "", dirname(files))
  names <- unique(lapply(strsplit(of, "/", fixed = TRUE), function(folders) {
    sub("=.*$", "", folders)
  }))
  odd <- !grepl("[.]parquet$", tolower(files)) |
    !grepl("^([^=/]+=[^=/]+(/|$))*$", of)
  refuse_folder(length(files) == 0, "no file is in it")
  refuse_folder(any(odd), sprintf(
    "%s in it %s no Parquet file, or in a folder of another name",
    counted(sum(odd), "path"), if (sum(odd) == 1) "is" else "are"
  ))
  refuse_folder(
    length(names) > 1 || anyDuplicated(names[[1]]) > 0,
    "its folders do not name the same columns"
  )
  # DuckDB would take it for a column, too
  refuse_folder(
    length(names[[1]]) > 0 && grepl("=", normalizePath(paths), fixed = TRUE),
    "its own path has the sign = in it, and its folders name columns"
  )
  # DuckDB reads names such as a%20b as a b
  of <- vapply(of, function(name) {
    read <- or_else(suppressWarnings(utils::URLdecode(name)), name)
    Encoding(read) <- "UTF-8"
    read
  }, "")
  list(paths = file.path(paths, files), of = of, names = names[[1]])
}

#' Refuse files with a column that a folder names: one would hide the other
#' @noRd
check_hive_names <- function(con, backend, paths, names) {
  if (length(names) == 0) {
    return(invisible())
  }
  own <- or_else(DBI::dbGetQuery(con, sprintf(
    "DESCRIBE SELECT * FROM read_parquet([%s], union_by_name = true,
     hive_partitioning = false)", toString(sql_value(backend, paths))
  ))$column_name)
  both <- names[tolower(names) %in% tolower(own)]
  refuse_folder(length(both) > 0, sprintf(
    "its files have columns that its folders name, too: %s", toString(both)
  ))
}

refuse_folder <- function(wrong, is) {
  refuse_if(
    wrong, "A folder of {.arg data} must hold Parquet files, in folders such as
            {.file year=2024} or in none.",
    x = "{toupper(substr(is, 1, 1))}{substring(is, 2)}.",
    i = "CSV files of a folder are named one by one:
         {.code list.files(folder, full.names = TRUE)}.", arg = "data"
  )
}

#' Refuse paths that are not of different files of one kind
#' @param of (character or `NULL`) What the folders of each say.
#' @return (string) `"csv"` or `"parquet"`.
#' @noRd
check_paths <- function(paths, of = NULL) {
  refuse <- function(wrong, is, hint = NULL) {
    refuse_if(
      any(wrong), "{.arg data} must be paths of CSV files or of Parquet files.",
      x = "{sum(wrong)} of the paths {?is/are} {is}.", i = hint,
      arg = "data"
    )
  }
  refuse(!in_known_encoding(paths), "not text in a known encoding")
  none <- is.na(paths) | !file.exists(paths) | dir.exists(paths)
  # Which is not shown: what is no file may be a column of the file
  refuse(none, "no file", if (any(grepl("[*?]", paths[none]))) {
    "{.fn Sys.glob} finds the files that a pattern names. A column is given in a
     data frame: {.code data[\"column\"]}."
  } else {
    "The first of them is number {which(none)[1]}. A column is given in a data
     frame: {.code data[\"column\"]}."
  })
  # DuckDB takes these for patterns of several names
  real <- normalizePath(paths)
  refuse(grepl("[*?{}\\[]", real), "named with one of * ? [ {")
  refuse(duplicated(real), "named twice")
  # Under another name, too: each record would count twice
  refuse(
    duplicated(paste(rlang::hash_file(real), of)), "a copy of another file"
  )
  kinds <- sub(".*[.](csv|parquet)([.]gz)?$", "\\1", tolower(paths))
  refuse(!kinds %in% names(file_readers), "of another kind of file")
  refuse(kinds != kinds[1], "not of the kind of the first")
  kinds[1]
}
