# What holds a file that is not a data frame: tables of a database, often one,
# or files on disk. An engine counts, sums and reads, in one moment: a score
# release asks it for the combinations of its published columns and for whole
# sums over records, and for no record. The plan of a file reads the records,
# some at a time.

#' Is it a table of a database, as dplyr has them, or paths of files?
#' @noRd
has_engine <- function(x) {
  is_remote_table(x) || is.character(x) && length(x) > 0 && is.null(dim(x))
}

#' Run code on the engine of a file, as it is at one moment
#'
#' Files on disk are read into one table.
#' @param f (function of an engine) See new_engine().
#' @noRd
with_engine <- function(data, f) {
  log <- new.env(parent = emptyenv())
  source <- if (is.character(data)) paths_source(data) else table_source(data)
  # What is left behind is ended, the last first, whatever happens
  if (!is.null(source$close)) on.exit(or_else(source$close()))
  begin_reading(source$con, source$backend)
  on.exit(runs(source$con, "ROLLBACK"), add = TRUE, after = FALSE)
  # What looks for a table is none of the release's queries
  ask <- asker(source$con, source$backend, new.env(parent = emptyenv()))
  moment <- new.env(parent = emptyenv())
  parts <- lapply(source$tables, function(table) {
    table <- c(source[c("con", "backend")], table)
    table$whole <- length(source$tables) == 1
    found <- source$backend$find(table, source$backend, ask, moment)
    lapply(found$pieces %||% list(found), function(one) {
      new_part(table, one, log)
    })
  })
  f(new_engine(unlist(parts, recursive = FALSE), log))
}

#' The engine of the tables that hold the parts of a file, often of one
#'
#' Each part is asked by itself, and R adds what they say.
#' @param parts (list) See new_part().
#' @param log (environment) See asker().
#' @return (list) A list:
#'   * `all_columns()`: names;
#'   * `types(names)`: for each column a vector of its type, of length 0;
#'   * `cells(names)`: the combinations of the values of these columns, sorted:
#'     `values` (list of columns), `n` (records of each) and `of_parts` (list of
#'     the records of each in each part);
#'   * `for_response(response, cells)`: counts and sums of a response, see
#'     response_sums();
#'   * `records(names)`: the records themselves in chunks, see
#'     records_of_parts();
#'   * `log`: see asker().
#' @noRd
new_engine <- function(parts, log) {
  check_parts_differ(parts)
  # As of the columns that were asked for last
  typed <- NULL
  types <- function(names, empty = FALSE) {
    typed <<- typed_parts(parts, names)
    if (!empty) refuse_empty(typed$types)
    typed$types
  }
  list(
    log = log, all_columns = function() parts[[1]]$names, types = types,
    cells = function(names) {
      joined_cells(lapply(typed$parts, table_cells, names))
    },
    for_response = function(response, cells) {
      response_sums(typed$parts, response, cells)
    },
    records = function(names) {
      types(names, empty = TRUE)
      records_of_parts(typed$parts, typed$types)
    }
  )
}

# Several parts ----------------------------------------------------------------

#' Refuse a table that is given twice: its records would count twice
#' @noRd
check_parts_differ <- function(parts) {
  refuse_if(
    anyDuplicated(unlist(lapply(parts, `[[`, "marks"))) > 0,
    "Each record must be in one table of {.arg data} only.",
    x = "Two of its tables are the same, or one is a partition of the other.",
    i = "Give each table once. If several conditions select its rows, join them
         by {.code |}.", arg = "data", class = "pseudosynth_error_rows"
  )
}

#' Columns of all parts as of one type: numbers that are whole in some parts are
#' numbers
#'
#' @return (list) `parts` with their `columns`, see columns_of_table(); `types`
#'   (named list: `NULL` of a column that has no value that tells it).
#' @noRd
typed_parts <- function(parts, names) {
  parts <- lapply(parts, function(part) {
    part$columns <- columns_of_table(part, part$own[names], names)
    part
  })
  types <- lapply(stats::setNames(nm = names), function(name) {
    # Some may have no record, or no value in it
    own <- lapply(parts, function(part) part$columns[[name]]$type)
    own <- Filter(Negate(is.null), own)
    kinds <- unique(vapply(own, function(x) class(x)[1], ""))
    refuse_if(
      length(kinds) > 1 && !all(kinds %in% c("integer", "numeric")),
      "Column {.val {name}} must be numbers, text, or true and false in all
       tables of {.arg data}.",
      x = "It is {.or {kinds}}.", arg = "data",
      class = "pseudosynth_error_engine"
    )
    if (length(kinds) > 1) double() else if (length(own) > 0) own[[1]]
  })
  list(types = types, parts = lapply(parts, function(part) {
    part$columns <- Map(as_numbers, part$columns, types)
    part
  }))
}

#' A column of whole numbers as numbers, where the type is so
#' @noRd
as_numbers <- function(column, type) {
  if (is.integer(column$type) && is.double(type)) {
    column$read <- sql_double(column$read)
    column$type <- type
  }
  column
}

#' @param own (list) See table_cells(), of each part.
#' @noRd
joined_cells <- function(own) {
  if (length(own) == 1) {
    return(c(own[[1]], list(of_parts = list(own[[1]]$n))))
  }
  keys <- lapply(own, keys_of_cells)
  key <- unlist(keys)
  first <- !duplicated(key)
  refuse_many_cells(sum(first))
  names <- names(own[[1]]$values)
  values <- lapply(stats::setNames(nm = names), function(name) {
    unlist(lapply(own, function(part) part$values[[name]]))[first]
  })
  cells <- sorted_cells(list(values = values, n = rep(0, sum(first))))
  all <- keys_of_cells(cells)
  cells$of_parts <- Map(function(part, key) {
    sums_by_code(part$n, match(key, all), length(all))
  }, own, keys)
  cells$n <- Reduce(`+`, cells$of_parts)
  cells
}
