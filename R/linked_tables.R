# Two linked tables, of households and of their persons: one table of persons,
# and back. To everything else a file is one table.

#' @param tables (list of data frames) Named; households first.
#' @return (data frame) Of persons, with the columns of their households.
#' @noRd
joined_tables <- function(tables, arg = "data") {
  check_linked(tables, arg)
  for (table in tables) check_data_frame(table, columns = 1, arg = arg)
  key <- check_link(lapply(tables, names), arg)
  place <- rows_linked(lapply(tables, `[[`, key), key, arg)
  columns <- names(tables[[1]])
  homes <- columns_alone(tables[[1]], setdiff(columns, key))
  homes <- set_rows_of(homes, place)
  persons <- columns_alone(tables[[2]], names(tables[[2]]))
  columns <- c(columns, setdiff(names(persons), key))
  structure(
    c(unclass(homes), unclass(persons))[columns], names = columns,
    row.names = .set_row_names(length(place)),
    class = frame_class(is_tibble(tables[[2]]))
  )
}

#' Columns of a table, as they are: subsets of some classes are something else
#' @return (data frame, or a tibble)
#' @noRd
columns_alone <- function(table, columns) {
  structure(
    lapply(stats::setNames(nm = columns), function(name) table[[name]]),
    names = columns, class = frame_class(is_tibble(table)),
    row.names = .set_row_names(nrow(table))
  )
}

#' Names that files can have, too
#' @noRd
check_linked <- function(tables, arg) {
  names <- rlang::names2(tables)
  fine <- length(tables) == 2 && all(in_known_encoding(names)) &&
    all(grepl("^[A-Za-z][A-Za-z0-9_]*$", names)) &&
    !anyDuplicated(tolower(names))
  refuse_if(
    !fine, "{.arg {arg}} must be one table, or a list of two that are linked.",
    i = "Households first: {.code list(households = .., persons = ..)}. Names
         have letters, digits and underscores.", arg = arg
  )
}

#' The column that links two tables
#' @param columns (list of character)
#' @noRd
check_link <- function(columns, arg) {
  shared <- intersect(columns[[1]], columns[[2]])
  refuse_if(
    length(shared) != 1, "Two linked tables must have one column in common.",
    x = if (length(shared) == 0) "They have none.",
    x = if (length(shared) > 1) "They have {.val {shared}}.",
    i = "The number of the household, or person. Leave others out of one of
         the tables.",
    arg = arg
  )
  shared
}

#' The row of its household that each person has
#' @param keys (named list of vectors) Of households and of persons.
#' @return (integer)
#' @noRd
rows_linked <- function(keys, key, arg) {
  table <- names(keys)
  plain <- lapply(keys, function(x) {
    if (is.factor(x)) as.character(x) else as.vector(unclass(x))
  })
  refuse_if(
    is.character(plain[[1]]) != is.character(plain[[2]]),
    "{.val {key}} must be of the same type in both tables.",
    x = "It is {describe_type(keys[[1]])} in {.val {table[1]}} and
         {describe_type(keys[[2]])} in {.val {table[2]}}.", arg = arg
  )
  refuse <- function(rows, of, ...) {
    refuse_members(rows, ..., arg = arg, table = table[of])
  }
  for (k in 1:2) {
    rows <- unnamed_rows(plain[[k]])
    refuse(
      rows, k, "Every record must belong to a household.",
      x = "{.val {key}} is missing for {length(rows)} record{?s} of
           {.val {table[k]}}."
    )
  }
  homes <- plain[[1]]
  rows <- which(homes %in% homes[duplicated(homes)])
  refuse(
    rows, 1, "{.val {table[1]}} must have every household once.",
    x = "{length(rows)} records have a {.val {key}} that others have, too.",
    i = "The first of the two tables is that of households."
  )
  place <- match(plain[[2]], homes)
  rows <- which(is.na(place))
  refuse(
    rows, 2, "Every member must have its household in {.val {table[1]}}.",
    x = "{.val {table[2]}} has {length(rows)} record{?s} without one."
  )
  rows <- setdiff(seq_along(homes), place)
  refuse(
    rows, 1, "Every household must have members in {.val {table[2]}}.",
    x = "{.val {table[1]}} has {length(rows)} household{?s} without any.",
    i = "Leave empty households out of the file."
  )
  place
}

#' Text that is empty names nobody
#' @noRd
unnamed_rows <- function(x) which(is.na(x) | is.character(x) & x %in% "")

#' Refuse numbers of units that a double has not in full: two of them may be one
#' @noRd
refuse_long_numbers <- function(x, name) {
  rows <- if (is.numeric(x)) which(abs(x) >= 2^53)
  refuse_if(
    length(rows) > 0, "Numbers in {.val {name}} must be below 2^53.",
    x = "{length(rows)} record{?s} {?has/have} a larger one, whose last digits
         may be lost: different ones would be the same.",
    i = "Read the column as text, such as by
         {.code read.csv(colClasses = c({name} = \"character\"))}.",
    arg = "data", rows = rows
  )
}

#' Refuse records of members; the field `rows` has them
#' @noRd
refuse_members <- function(rows, ..., arg = "data",
                           .envir = rlang::caller_env()) {
  if (length(rows) > 0) {
    abort_input(
      ..., arg = arg, rows = rows, class = "pseudosynth_error_members",
      .envir = .envir
    )
  }
}

#' A set of persons as the two tables that its file was
#' @param x (list) `unit`, and `tables` (`NULL`: the file was one).
#' @return (data frame, or a named list of two)
#' @noRd
in_tables <- function(set, x) {
  if (is.null(x$tables)) {
    return(set)
  }
  rows <- list(which(!duplicated(set[[x$unit]])), seq_len(nrow(set)))
  Map(function(columns, rows) {
    set_rows_of(columns_alone(set, columns), rows)
  }, x$tables, rows)
}

#' Which table each column is in, in words
#' @noRd
tables_text <- function(x) {
  toString(sprintf("%s (%s)", names(x$tables), vapply(x$tables, toString, "")))
}
