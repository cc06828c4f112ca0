# What holds a file that is not a data frame: a table of a database, or files on
# disk. A score release asks an engine for the combinations of its published
# columns and for whole sums over records, and for no record. The plan of a file
# reads the records, some at a time.

#' Is it a table of a database, as dplyr has them, or paths of files?
#' @noRd
has_engine <- function(x) {
  is_remote_table(x) || is.character(x) && length(x) > 0 && is.null(dim(x))
}

is_remote_table <- function(x) inherits(x, c("tbl_sql", "tbl_lazy"))

#' Run code on the engine of a file, as it is at one moment
#'
#' Tables in several places are none: what tells the response of a whole file
#' need not tell it of a part. Files on disk are read into one table.
#' @param f (function of an engine) A list:
#'   * `all_columns()`: names;
#'   * `types(names)`: for each column a vector of its type, of length 0;
#'   * `cells(names)`: the combinations of the values of these columns, sorted:
#'     `values` (list of columns) and `n` (records of each);
#'   * `for_response(response, cells)`: further functions, of a response:
#'     `check(stated, terms)` refuses what check_table() and
#'     check_table_copies() do; `outside(bounds)` counts records;
#'     `whole(at, clip)` gives `inside` and `q`, see sql_whole(), and
#'     `tally(breaks)` lists `cell` (place in `cells`), `bin` and `n`;
#'   * `records(names)`: the records themselves, see table_records();
#'   * `log`: see asker().
#' @noRd
with_engine <- function(data, f) {
  if (is.character(data)) {
    source <- paths_source(data)
    on.exit(source$close())
  } else {
    source <- table_source(data)
  }
  dialect <- source$dialect
  begin_reading(source$con, dialect)
  on.exit(runs(source$con, "ROLLBACK"), add = TRUE, after = FALSE)
  # What looks for a table is none of the release's queries
  ask <- asker(source$con, dialect, new.env(parent = emptyenv()))
  f(table_engine(source, found_table(source, dialect, ask)))
}
