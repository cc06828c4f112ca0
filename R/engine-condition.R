# Conditions of filter() that a release takes: each looks at one record alone.

#' A condition of filter() as SQL, of a record alone
#'
#' Comparisons of columns with constants, `is.na()`, `%in%`, `&`, `|` and `!`.
#' As in R, a missing value is in no set.
#' @param code (call) In the table's own names.
#' @param columns (named list) See sql_column(), of those that it names.
#' @noRd
sql_condition <- function(dialect, code, columns) {
  part <- function(i) sql_condition(dialect, code[[i]], columns)
  called <- if (is.call(code) && is.symbol(code[[1]])) as.character(code[[1]])
  arguments <- length(code) - 1
  column <- function(x) if (is.symbol(x)) columns[[as.character(x)]]
  if (is.symbol(code) && is.logical(column(code)$type)) {
    return(column(code)$read)
  }
  if (identical(called, "(") && arguments == 1) {
    return(part(2))
  }
  if (identical(called, "!") && arguments == 1) {
    return(sprintf("(NOT %s)", part(2)))
  }
  if (isTRUE(called %in% c("&", "|")) && arguments == 2) {
    word <- if (called == "&") "AND" else "OR"
    return(sprintf("(%s %s %s)", part(2), word, part(3)))
  }
  if (identical(called, "is.na") && arguments == 1 &&
    !is.null(column(code[[2]]))) {
    return(sprintf("(%s IS NULL)", column(code[[2]])$read))
  }
  if (identical(called, "%in%") && arguments == 2 &&
    !is.null(column(code[[2]]))) {
    x <- sql_operand(dialect, code[[2]], columns)
    set <- sql_constants(dialect, code[[3]])
    refuse_condition(is.null(set) || set$kind != x$kind)
    return(sprintf("(NOT %s IS NULL AND %s IN (%s))", x$read, x$read,
      paste(set$read, collapse = ", ")
    ))
  }
  known <- c(
    "==" = "=", "!=" = "<>", "<" = "<", "<=" = "<=", ">" = ">", ">=" = ">="
  )
  refuse_condition(!isTRUE(called %in% names(known)) || arguments != 2)
  x <- sql_operand(dialect, code[[2]], columns)
  y <- sql_operand(dialect, code[[3]], columns)
  # The order of text is another one in each language
  refuse_condition(
    x$kind != y$kind || x$kind != "number" && !called %in% c("==", "!=")
  )
  sprintf("(%s %s %s)", x$read, known[[called]], y$read)
}

refuse_condition <- function(wrong) {
  refuse_steps(
    wrong, "a condition other than a comparison of columns with constants of
            their type"
  )
}

kind_of <- function(x) if (is.numeric(x)) "number" else typeof(x)

sql_operand <- function(dialect, code, columns) {
  if (!is.symbol(code)) {
    one <- sql_constants(dialect, code)
    refuse_condition(length(one$read) != 1)
    return(one)
  }
  column <- columns[[as.character(code)]]
  kind <- kind_of(column$type)
  list(
    kind = kind, read = if (kind == "number") {
      sql_as_double(dialect, column)
    } else {
      column$read
    }
  )
}

#' @return (list or `NULL`, where code is no plain constant) `kind`, `read`.
#' @noRd
sql_constants <- function(dialect, code) {
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
    list(kind = kind_of(code), read = sql_value(dialect, code))
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
