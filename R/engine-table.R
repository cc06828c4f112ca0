# The table of a part of a file: its columns, combinations of their values, and
# its records.

#' @param source (list) One of `tables` of table_source(), with its `con` and
#'   `backend`.
#' @param found (list) See `find` of new_backend().
#' @param log (environment) See asker().
#' @return (list) A part: `backend`, `ask`, `fetch`, `log`; `names` (of its
#'   columns) and `own` (what the table calls each); `table` (string), `found`;
#'   `where` (character: its conditions), `from` (string, with them); `marks`,
#'   see new_backend().
#' @noRd
new_part <- function(source, found, log) {
  backend <- found$backend %||% source$backend
  lost <- setdiff(source$columns, found$columns)
  refuse_if(
    length(lost) > 0, "Columns of {.arg data} must be those of its table.",
    x = "{.val {lost}} {?is/are} not among them.",
    i = "If the table was changed, make the {.fn tbl} again.", arg = "data",
    class = "pseudosynth_error_engine"
  )
  table <- paste(sql_name(c(found$schema, found$name)), collapse = ".")
  part <- list(
    backend = backend, ask = asker(source$con, backend, log),
    fetch = fetcher(source$con, backend, log), log = log,
    names = names(source$columns), own = source$columns,
    table = paste(c(if (isTRUE(found$alone)) "ONLY", table, "f"),
      collapse = " "
    ), found = found, marks = found$marks
  )
  named <- unique(unlist(lapply(source$where, all.vars)))
  known <- Filter(
    function(column) !is.null(column$type), columns_of_table(part, named)
  )
  part$where <- c(found$only, vapply(source$where, sql_condition, "",
    backend = backend, columns = known
  ))
  part$from <- sql_from(part)
  part
}

#' @param types (list) `NULL` of a column that has no value that tells it.
#' @noRd
refuse_empty <- function(types) {
  empty <- names(types)[vapply(types, is.null, NA)]
  refuse_if(
    length(empty) > 0, "Column {.val {empty[1]}} must have values.",
    x = "It has none.", arg = "data"
  )
}

# Columns ----------------------------------------------------------------------

# Not by its name alone, which one of the engines would take for text
quoted_column <- function(name) {
  paste0("f.", sql_name(name))
}

#' Columns as queries read them
#'
#' @param own (character) As the table calls them.
#' @return (named list) See sql_column(); `type` is `NULL` where a column has no
#'   value that tells it. Where its values may need it also `quoted` (string:
#'   its name), `whole` (flag: whole numbers that R's integers may not hold) and
#'   `exact` (string: the number where `read` takes what is none as missing).
#' @noRd
columns_of_table <- function(part, own, names = own) {
  quoted <- quoted_column(own)
  names(quoted) <- own
  columns <- if (length(own) > 0) {
    part$backend$columns(
      quoted, part$found, part$table, part$backend, part$ask
    )
  }
  stats::setNames(as.list(columns), names)
}

# Combinations -----------------------------------------------------------------

#' Rows as text, equal where the rows are and nowhere else
#'
#' Each value has its length before it: no text can stand for two columns.
#' @param data (list) Columns.
#' @param n (count) Rows, which a list without columns does not tell.
#' @noRd
cell_keys <- function(data, n) {
  if (length(data) == 0) {
    return(rep("", n))
  }
  columns <- lapply(unclass(data), function(x) {
    text <- if (is.numeric(x)) {
      # Two zeros are one
      sprintf("%.17g", as.double(x) + 0)
    } else {
      as_text(x)
    }
    ifelse(is.na(x), "-", paste0(nchar(text, "bytes"), ":", text))
  })
  do.call(paste0, unname(columns))
}

#' @param cells (list) See new_engine().
#' @noRd
keys_of_cells <- function(cells) cell_keys(cells$values, length(cells$n))

sorted_cells <- function(cells) {
  if (length(cells$values) == 0) {
    return(cells)
  }
  sorted <- do.call(order, c(unname(cells$values), method = "radix"))
  list(values = lapply(cells$values, `[`, sorted), n = cells$n[sorted])
}

# Combinations of published values, at most
most_cells <- 1e6

refuse_many_cells <- function(n) {
  refuse_if(
    n > most_cells,
    "The predictors must have at most {format_count(most_cells)} combinations of
     values.",
    x = "They have more.",
    i = "Leave out the predictor with the most values.",
    arg = "data", class = "pseudosynth_error_engine"
  )
}

table_cells <- function(part, names) {
  query <- sql_cells(part$from, part$columns[names])
  cells <- part$ask(query, most_cells + 1)
  refuse_many_cells(nrow(cells))
  cells <- cells[cells$n > 0, , drop = FALSE]
  values <- stats::setNames(as.list(cells[seq_along(names)]), names)
  cells <- sorted_cells(list(values = values, n = cells$n))
  twice <- sum(duplicated(keys_of_cells(cells)))
  refuse_if(
    twice > 0,
    "Values of a predictor that differ in the database must also differ in R.",
    x = "In R, {twice} combination{?s} of values {?equals/equal} another one.",
    i = "A column of text may hold characters that R cannot read, such as NUL.",
    arg = "data", class = "pseudosynth_error_engine"
  )
  cells
}

# Records ----------------------------------------------------------------------

# Values of a chunk: with ten columns 200,000 records, 16 MB. What a release
# makes of a chunk takes several times as much
chunk_values <- 2e6

least_rows <- 1000

#' Columns of a file as R has them, and its records in chunks
#'
#' What R cannot hold as the table does is refused here, before a record is
#' read.
#' @param parts (list) See typed_parts(), of all columns that may be read.
#' @param types (named list) See typed_parts().
#' @return (list) `n` (records), `types` (named list: a vector of length 0 for
#'   each column, or `NA` where nothing tells it, for it has no value; whole
#'   numbers are integers where all of them fit) and
#'   `chunks(names, f)`, which calls `f` with a named list of columns for some
#'   records after the others, part after part. The order is the engine's, the
#'   same in no two calls.
#' @noRd
records_of_parts <- function(parts, types) {
  names <- names(types)
  types[vapply(types, is.null, NA)] <- list(NA)
  facts <- lapply(parts, part_facts)
  counts <- Reduce(`+`, facts)
  n <- counts[[1]]
  refuse_few_records(n, 1)
  refuse_many_records(n)
  for (name in names) {
    beyond <- counts[[match(name, names) + 1]]
    refuse_unreadable(types[[name]], name, beyond)
    own <- lapply(parts, function(part) part$columns[[name]])
    whole <- vapply(own, function(column) isTRUE(column$whole), NA)
    if (any(whole)) {
      real <- vapply(own, function(column) is.double(column$type), NA) & !whole
      types[[name]] <- if (beyond == 0 && !any(real)) integer() else double()
    }
  }
  list(n = n, types = types, chunks = function(names, f) {
    for (i in seq_along(parts)) {
      if (facts[[i]][[1]] > 0) {
        read_chunks(parts[[i]], facts[[i]][[1]], types[names], f)
      }
    }
  })
}

#' @param n (number) Records of the part, as counted before.
#' @noRd
read_chunks <- function(part, n, types, f) {
  read <- unlist(Map(exact_column, part$columns[names(types)], types))
  rows <- max(least_rows, ceiling(chunk_values / length(types)))
  paged <- part$backend$paged
  from <- if (is.null(paged)) part$from else paged(part, n, rows)
  seen <- 0
  for (query in sql_query(sprintf("%s AS c%d", read, seq_along(read)), from)) {
    part$fetch(query, rows, function(found) {
      seen <<- seen + nrow(found)
      f(stats::setNames(Map(as_type, as.list(found), types), names(types)))
    })
  }
  # Necessary, not sufficient
  if (seen != n) abort_query(part$backend, "give the records that it counted")
}

#' What of each column R would not read as it is
#'
#' @return (double) The number of records and, by column, of those beyond R's
#'   integers where it holds whole numbers, of those that are no day where it
#'   holds dates, and of text with the sign NUL, where text would end.
#' @noRd
part_facts <- function(part) {
  counted_where(part, vapply(unname(part$columns), function(column) {
    if (isTRUE(column$whole)) {
      sprintf("%1$s > 2147483647 OR %1$s < -2147483647", column$quoted)
    } else if (inherits(column$type, "Date")) {
      sprintf("NOT ISFINITE(%s)", column$quoted)
    } else if (is.character(column$type) && !is.null(part$backend$nul)) {
      gsub("{x}", column$quoted, part$backend$nul, fixed = TRUE)
    } else {
      "1 = 0"
    }
  }, ""))
}

#' How many records a part has, and for how many something holds
#' @param holds (character) Conditions. Their names are those of the query.
#' @return (double) Of no records nothing holds.
#' @noRd
counted_where <- function(part, holds) {
  as <- names(holds) %||% sprintf("h%d", seq_along(holds))
  found <- part$ask(sql_query(c(sql_count(), sql_number(holds, as)), part$from))
  found <- as.double(unlist(found))
  found[is.na(found)] <- 0
  found
}

refuse_few_records <- function(n, least) {
  refuse_if(
    n < least, "{.arg data} must have at least {counted(least, 'record')}.",
    x = "It has {n}.", arg = "data"
  )
}

refuse_many_records <- function(n) {
  refuse_if(
    n > .Machine$integer.max,
    "{.arg data} must have at most {format_count(.Machine$integer.max)}
     records.",
    x = "It has {format_count(n)}.", arg = "data"
  )
}

refuse_unreadable <- function(type, name, n) {
  date <- inherits(type, "Date")
  refuse_if(
    (date || is.character(type)) && n > 0,
    "Column {.val {name}} must hold values that R can read.",
    x = "It is {if (date) 'an infinite date' else 'text with the character NUL'}
         for {format_count(n)} {cli::qty(n)}record{?s}.",
    i = "Correct the column in the database, or leave it out by {.fn select}.",
    arg = "data", class = "pseudosynth_error_engine"
  )
}

#' A column as its records are read
#' @noRd
exact_column <- function(column, type) {
  if (isTRUE(column$whole) && is.double(type)) {
    # The least of the engine's integers is a missing one in R
    sql_double(column$quoted)
  } else {
    column$exact %||% column$read
  }
}

#' Values that a driver gives in the type that the column has in R
#' @param type (vector) Of length 0.
#' @noRd
as_type <- function(x, type) {
  if (inherits(type, "Date")) {
    return(structure(as.double(x), class = "Date"))
  }
  storage.mode(x) <- typeof(type)
  x
}
