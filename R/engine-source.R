# Which table of a database is meant, and which of its records. A release counts
# on one row for each record, so that a record moves no sum further than is paid
# for. Text of a query cannot show that, so none is taken from the user: dplyr's
# own list of steps is read, and the package writes the query.

is_one_source <- function(x) {
  is_remote_table(x) || is.character(x) && length(x) > 0 && is.null(dim(x))
}

is_remote_table <- function(x) inherits(x, c("tbl_sql", "tbl_lazy"))

#' What a table of dplyr stands for
#'
#' @return (list) `con`, `dialect`, `path` (its name, after the schema's if one
#'   is given), `columns` (named character: what the table calls each) and
#'   `where` (list of code in the table's own names, see sql_condition()).
#' @noRd
table_source <- function(table) {
  check_installed(c("DBI", "dbplyr"), arg = "data")
  dialect <- dialect_of(table)
  refuse_if(
    is.null(dialect$begin),
    "{.arg data} must be in a database that the package can read as of one
     moment.",
    x = "For {dialect$called}, the package writes queries but does not run
         them.",
    i = "The package's tests run queries on {.or {tried_engines()}}.",
    arg = "data",
    class = "pseudosynth_error_engine"
  )
  con <- dbplyr::remote_con(table)
  check_open(con, "data")
  c(list(con = con, dialect = dialect), steps_of(table$lazy_query, con))
}

check_open <- function(con, arg) {
  refuse_if(
    !isTRUE(or_else(DBI::dbIsValid(con))),
    "The connection of {.arg {arg}} must be open.", x = "It is closed.",
    i = "Open another by {.fn DBI::dbConnect}.", arg = arg,
    class = "pseudosynth_error_engine"
  )
}

#' @return (list) See sql_dialect().
#' @noRd
dialect_of <- function(table, arg = "data") {
  class <- class(dbplyr::remote_con(table))
  known <- vapply(sql_dialects, function(x) any(x$class %in% class), NA)
  refuse_if(
    !any(known), "{.arg {arg}} must be a table of a known kind of database.",
    x = "Its connection is a {.cls {class[1]}}.",
    i = "The package's tests run on {.or {tried_engines()}}.",
    arg = arg, class = "pseudosynth_error_engine"
  )
  sql_dialect(names(sql_dialects)[known][1])
}

tried_engines <- function() {
  tried <- Filter(function(x) isTRUE(x$tried), sql_dialects)
  vapply(tried, `[[`, "", "called", USE.NAMES = FALSE)
}

refuse_steps <- function(wrong, has) {
  refuse_if(
    wrong, "Each row of {.arg data} must be one record of one table.",
    x = "{.arg data} is computed: it has {has}.",
    i = "Name a table, as in {.code tbl(con, \"persons\")}. You can use
         {.fn select} and {.fn rename}. In {.fn filter} you can compare columns
         with constants.",
    i = "If you need other steps, first write their result to a table with one
         row for each record.",
    arg = "data", class = "pseudosynth_error_rows"
  )
}

#' Read the steps of a table, from the last to the table itself
#'
#' What is not known to keep one row for each record is refused, also in
#' versions of dbplyr to come.
#' @noRd
steps_of <- function(query, con) {
  if (inherits(query, "lazy_base_remote_query")) {
    refuse_others(query, c("x", "vars"))
    return(list(
      path = table_path(query$x, con),
      columns = stats::setNames(nm = as.character(query$vars)), where = list()
    ))
  }
  refuse_steps(
    !inherits(query, "lazy_select_query"),
    "a join, a union, or records that come from no table"
  )
  refuse_others(query, c("x", "select", "where", "select_operation"))
  refuse_steps(
    !all(query$select_operation %in% c("select", "mutate")), "a summary"
  )
  inner <- steps_of(query$x, con)
  taken <- vapply(query$select$expr, function(code) {
    code <- bare_code(code)
    if (is.symbol(code)) as.character(code) else NA_character_
  }, "")
  refuse_steps(
    anyNA(taken) || !all(taken %in% names(inner$columns)),
    "columns that are computed"
  )
  inner$where <- c(inner$where, lapply(query$where, function(code) {
    own_names(bare_code(code), inner$columns)
  }))
  inner$columns <- stats::setNames(
    inner$columns[taken], as.character(query$select$name)
  )
  refuse_steps(anyDuplicated(names(inner$columns)) > 0, "a column twice")
  inner
}

#' Refuse a step that has anything but what is known
#' @noRd
refuse_others <- function(query, known) {
  has <- vapply(unclass(query), function(x) {
    length(x) > 0 && !identical(x, FALSE)
  }, NA)
  other <- setdiff(names(query)[has], known)
  words <- c(
    limit = "a limit", distinct = "distinct rows", group_by = "groups",
    group_vars = "groups", order_by = "an order", order_vars = "an order"
  )
  refuse_steps(
    length(other) > 0,
    if (other[1] %in% names(words)) words[[other[1]]] else "another step"
  )
}

bare_code <- function(code) {
  if (rlang::is_quosure(code)) rlang::quo_get_expr(code) else code
}

#' A condition in the table's own names
#' @noRd
own_names <- function(code, columns) {
  if (is.symbol(code)) {
    name <- as.character(code)
    refuse_steps(
      !name %in% names(columns), "a condition on a name that is no column"
    )
    return(as.symbol(columns[[name]]))
  }
  if (is.call(code)) {
    code[-1] <- lapply(as.list(code)[-1], own_names, columns)
  }
  code
}

#' The name of a table, after that of its schema
#'
#' What it says needs no trust: the catalogue must have a table of that name.
#' @param x As dbplyr's versions have it: a name, a name as SQL, or parts.
#' @return (character, 1 to 3)
#' @noRd
table_path <- function(x, con) {
  unknown <- inherits(x, "sql") || !(is.character(x) || is.list(x))
  refuse_steps(unknown, "a query that you wrote")
  if (is.list(x)) {
    parts <- unlist(lapply(unclass(x), function(part) {
      refuse_steps(
        inherits(part, "sql") || !is.character(part), "a query that you wrote"
      )
      as.character(part)
    }))
    return(unname(parts))
  }
  if (identical(class(x), c("ident", "character"))) {
    return(as.character(x))
  }
  parts <- or_else(DBI::dbUnquoteIdentifier(con, DBI::SQL(as.character(x))))
  refuse_steps(length(parts) != 1, "a name that is not the name of a table")
  unname(parts[[1]]@name)
}
