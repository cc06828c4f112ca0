# Which table of a database is meant, and which of its records. A release counts
# on one row for each record, so that a record moves no sum further than is paid
# for. Text of a query cannot show that, so none is taken from the user: dplyr's
# own list of steps is read, and the package writes the query.

is_remote_table <- function(x) inherits(x, c("tbl_sql", "tbl_lazy"))

#' What a table of dplyr stands for
#'
#' @return (list) `con`, `backend` and `tables`, of each its `path` (its name,
#'   after the schema's if one is given), `columns` (named character: what the
#'   table calls each) and `where` (list of code in the table's own names, see
#'   sql_condition()).
#' @noRd
table_source <- function(table) {
  check_installed(c("DBI", "dbplyr"), arg = "data")
  backend <- backend_of(table)
  con <- dbplyr::remote_con(table)
  check_open(con, "data")
  list(con = con, backend = backend, tables = steps_of(table$lazy_query, con))
}

check_open <- function(con, arg) {
  refuse_if(
    !isTRUE(or_else(DBI::dbIsValid(con))),
    "The connection of {.arg {arg}} must be open.", x = "It is closed.",
    i = "Open another by {.fn DBI::dbConnect}.", arg = arg,
    class = "pseudosynth_error_engine"
  )
}

# The kinds of databases, one a file
backends <- function() {
  list(sqlite_backend(), postgresql_backend(), duckdb_backend())
}

#' @return (list) See new_backend().
#' @noRd
backend_of <- function(table, arg = "data") {
  class <- class(dbplyr::remote_con(table))
  known <- Filter(function(x) any(x$class %in% class), backends())
  refuse_if(
    length(known) == 0,
    "{.arg {arg}} must be a table of a known kind of database.",
    x = "Its connection is a {.cls {class[1]}}.",
    i = "Use {.or {vapply(backends(), `[[`, '', 'called')}}.",
    arg = arg, class = "pseudosynth_error_engine"
  )
  known[[1]]
}

refuse_steps <- function(wrong, has) {
  refuse_if(
    wrong, "Each row of {.arg data} must be one record of one table.",
    x = "{.arg data} is computed: it has {has}.",
    i = "Name a table, as in {.code tbl(con, \"persons\")}. You can use
         {.fn select} and {.fn rename}. In {.fn filter} you can compare columns
         with constants. {.fn union_all} takes tables with the same columns.",
    i = "If you need other steps, first write their result to a table with one
         row for each record.",
    arg = "data", class = "pseudosynth_error_rows"
  )
}

#' Read the steps of a table, from the last to the tables themselves
#'
#' What is not known to keep one row for each record is refused, also in
#' versions of dbplyr to come.
#' @return (list) See `tables` of table_source().
#' @noRd
steps_of <- function(query, con) {
  if (inherits(query, "lazy_base_remote_query")) {
    refuse_others(query, c("x", "vars"))
    return(list(list(
      path = table_path(query$x, con),
      columns = stats::setNames(nm = as.character(query$vars)), where = list()
    )))
  }
  united <- united_queries(query, con)
  if (!is.null(united)) {
    tables <- unlist(lapply(united, steps_of, con), recursive = FALSE)
    columns <- lapply(tables, function(table) names(table$columns))
    refuse_steps(length(unique(columns)) > 1, "tables of other columns")
    return(tables)
  }
  refuse_steps(
    !inherits(query, "lazy_select_query"),
    "a join, rows of several tables that are compared, or records that come from
     no table"
  )
  refuse_others(query, c("x", "select", "where", "select_operation"))
  refuse_steps(
    !all(query$select_operation %in% c("select", "mutate")), "a summary"
  )
  lapply(steps_of(query$x, con), further_steps, query)
}

#' The queries that union_all() joins, as dbplyr's versions have it
#' @return (list) `NULL` where it is none.
#' @noRd
united_queries <- function(query, con) {
  if (inherits(query, "lazy_union_query")) {
    refuse_others(query, c("x", "unions"))
    others <- lapply(query$unions$table, function(table) {
      if (!is_remote_table(table)) {
        return(table)
      }
      refuse_steps(
        !identical(dbplyr::remote_con(table), con), "tables of two connections"
      )
      table$lazy_query
    })
    refuse_steps(!all(vapply(query$unions$all, isTRUE, NA)), "distinct rows")
    return(c(list(query$x), others))
  }
  if (inherits(query, "lazy_set_op_query")) {
    refuse_others(query, c("x", "y", "type", "all"))
    if (identical(query$type, "UNION ALL")) list(query$x, query$y)
  }
}

#' @param table (list) One of `tables` of table_source().
#' @param query What select(), rename() and filter() make of it.
#' @noRd
further_steps <- function(table, query) {
  codes <- lapply(query$select$expr, bare_code)
  refuse_steps(
    any(vapply(codes, function(code) identical(code, NA), NA)),
    "a column of NA, such as one that not all of its tables have"
  )
  taken <- vapply(codes, function(code) {
    if (is.symbol(code)) as.character(code) else NA_character_
  }, "")
  refuse_steps(
    anyNA(taken) || !all(taken %in% names(table$columns)),
    "columns that are computed"
  )
  table$where <- c(table$where, lapply(query$where, function(code) {
    own_names(bare_code(code), table$columns)
  }))
  table$columns <- stats::setNames(
    table$columns[taken], as.character(query$select$name)
  )
  refuse_steps(anyDuplicated(names(table$columns)) > 0, "a column twice")
  table
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

# Conditions -------------------------------------------------------------------

#' A condition of filter() as SQL, of a record alone
#'
#' Comparisons of columns with constants, `is.na()`, `%in%`, `&`, `|` and `!`.
#' As in R, a missing value is in no set.
#' @param code (call) In the table's own names.
#' @param columns (named list) See sql_column(), of those that it names.
#' @noRd
sql_condition <- function(backend, code, columns) {
  part <- function(i) sql_condition(backend, code[[i]], columns)
  if (is.symbol(code) && is.logical(columns[[as.character(code)]]$type)) {
    return(columns[[as.character(code)]]$read)
  }
  if (is_plain_call(code, "(", 1)) {
    return(part(2))
  }
  if (is_plain_call(code, "!", 1)) {
    return(sprintf("(NOT %s)", part(2)))
  }
  if (is_plain_call(code, c("&", "|"), 2)) {
    word <- if (is_plain_call(code, "&", 2)) "AND" else "OR"
    return(sprintf("(%s %s %s)", part(2), word, part(3)))
  }
  sql_comparison(backend, code, columns)
}

#' A column compared with nothing, with a set, with a constant or a column
#' @noRd
sql_comparison <- function(backend, code, columns) {
  operand <- function(i) sql_operand(backend, code[[i]], columns)
  is_column <- function(x) {
    is.symbol(x) && !is.null(columns[[as.character(x)]])
  }
  if (is_plain_call(code, "is.na", 1) && is_column(code[[2]])) {
    return(sprintf("(%s IS NULL)", columns[[as.character(code[[2]])]]$read))
  }
  if (is_plain_call(code, "%in%", 2) && is_column(code[[2]])) {
    x <- operand(2)
    set <- sql_constants(backend, code[[3]])
    refuse_condition(is.null(set) || set$kind != x$kind)
    return(sprintf("(NOT %s IS NULL AND %s IN (%s))", x$read, x$read,
      paste(set$read, collapse = ", ")
    ))
  }
  known <- c(
    "==" = "=", "!=" = "<>", "<" = "<", "<=" = "<=", ">" = ">", ">=" = ">="
  )
  refuse_condition(!is_plain_call(code, names(known), 2))
  called <- as.character(code[[1]])
  x <- operand(2)
  y <- operand(3)
  # The order of text is another one in each language
  refuse_condition(
    x$kind != y$kind || x$kind != "number" && !called %in% c("==", "!=")
  )
  sprintf("(%s %s %s)", x$read, known[[called]], y$read)
}

#' Is it a call of one of these functions, and of no other package's?
#' @noRd
is_plain_call <- function(code, names, n) {
  rlang::is_call(code, names, n = n, ns = "")
}

refuse_condition <- function(wrong) {
  refuse_steps(
    wrong, "a condition other than a comparison of columns with constants of
            their type"
  )
}

kind_of <- function(x) if (is.numeric(x)) "number" else typeof(x)

sql_operand <- function(backend, code, columns) {
  if (!is.symbol(code)) {
    one <- sql_constants(backend, code)
    refuse_condition(length(one$read) != 1)
    return(one)
  }
  column <- columns[[as.character(code)]]
  kind <- kind_of(column$type)
  list(
    kind = kind, read = if (kind == "number") {
      sql_as_double(column)
    } else {
      column$read
    }
  )
}

#' @return (list or `NULL`, where code is no plain constant) `kind`, `read`.
#' @noRd
sql_constants <- function(backend, code) {
  if (rlang::is_call(code, "c")) {
    constants <- lapply(as.list(code)[-1], plain_constant)
    # What is no constant must not be left out of the set
    whole <- !any(vapply(constants, is.null, NA))
    code <- if (whole) do.call(c, constants)
  } else {
    code <- plain_constant(code)
  }
  if (length(code) > 0 && !anyNA(code)) {
    if (is.numeric(code)) code <- as.double(code)
    list(kind = kind_of(code), read = sql_value(backend, code))
  }
}

plain_constant <- function(code) {
  negative <- rlang::is_call(code, "-", n = 1)
  if (negative) code <- code[[2]]
  plain <- is.atomic(code) && !is.object(code) && is.null(dim(code)) &&
    !is.null(code) && (is.numeric(code) && all(is.finite(code)) ||
    !negative && (is.character(code) || is.logical(code)))
  if (plain) {
    if (negative) -code else as.vector(code)
  }
}
