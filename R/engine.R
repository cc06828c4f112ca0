# What holds a file that is not a data frame: a table of a database, files on
# disk, or several of these. A score release asks an engine for the combinations
# of its published columns and for whole sums over records, and for no record.
# The plan of a file reads the records, some at a time.

#' Is it a table of a database, as dplyr has them, paths of files, or shards()?
#' @noRd
has_engine <- function(x) is_one_source(x) || inherits(x, "file_shards")

#' Run code on the engine of a file, as it is at one moment
#'
#' Files on disk are read into one table.
#' @param f (function of an engine) A list:
#'   * `all_columns()`: names;
#'   * `types(names)`: for each column a vector of its type, of length 0;
#'   * `cells(names)`: the combinations of the values of these columns, sorted:
#'     `values` (list of columns) and `n` (records of each);
#'   * `for_response(response, cells)`: further functions, of a response:
#'     `check()`, see check_table_values(); `facts(scale)`, see facts_of();
#'     `outside(bounds)` counts records; `whole(at, clip)` gives `inside` and
#'     `q`, see sql_whole(), and `tally(breaks)` lists `cell` (place in
#'     `cells`), `bin` and `n`;
#'   * `records(names)`: the records themselves, see table_records();
#'   * `log`: see asker().
#' @noRd
with_engine <- function(data, f) {
  log <- new.env(parent = emptyenv())
  if (inherits(data, "file_shards")) {
    return(with_shards(check_parts(data$parts), log, function(engines) {
      f(shards_engine(engines, log))
    }))
  }
  with_table(data, log, list(), function(engine, begun) f(engine))
}

#' @param begun (list) Connections whose transaction has begun: of each `con`
#'   and `moment` (environment: what their tables share).
#' @param f (function of an engine of one table, and of `begun` with its own)
#' @noRd
with_table <- function(data, log, begun, f) {
  if (is.character(data)) {
    source <- paths_source(data)
    on.exit(source$close())
  } else {
    source <- table_source(data)
  }
  dialect <- source$dialect
  own <- Filter(function(one) identical(one$con, source$con), begun)
  if (length(own) == 0) {
    begin_reading(source$con, dialect)
    on.exit(runs(source$con, "ROLLBACK"), add = TRUE, after = FALSE)
    moment <- new.env(parent = emptyenv())
    moment$number <- length(begun) + 1
    own <- list(list(con = source$con, moment = moment))
    begun <- c(begun, own)
  }
  # What looks for a table is none of the release's queries
  ask <- asker(source$con, dialect, new.env(parent = emptyenv()))
  found <- found_table(source, dialect, ask, own[[1]]$moment)
  f(table_engine(source, found, log), begun)
}

#' Run code on all parts at once
#' @param f (function of a list of engines of one table each)
#' @noRd
with_shards <- function(parts, log, f, engines = list(), begun = list()) {
  if (length(engines) == length(parts)) {
    check_shards_differ(engines)
    return(f(engines))
  }
  with_table(parts[[length(engines) + 1]], log, begun, function(engine, begun) {
    with_shards(parts, log, f, c(engines, list(engine)), begun)
  })
}
