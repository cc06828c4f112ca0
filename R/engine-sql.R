# Queries that a database is asked, as text: no more of SQL than all engines
# read alike. A record is clipped last, so that whatever the engine computes
# before, no record adds more than the release pays for.

# Names and values -------------------------------------------------------------

sql_name <- function(name) {
  paste0("\"", gsub("\"", "\"\"", name, fixed = TRUE), "\"")
}

#' Values as literals: doubles with all their digits
#' @param x (character, logical, integer or double)
#' @noRd
sql_value <- function(backend, x) {
  if (is.character(x)) {
    paste0("'", gsub("'", "''", enc2utf8(x), fixed = TRUE), "'")
  } else if (is.logical(x)) {
    ifelse(x, "TRUE", "FALSE")
  } else if (is.integer(x)) {
    as.character(x)
  } else {
    value <- shortest_text(x)
    # Without an exponent some engines read decimals, or whole numbers
    value <- ifelse(grepl("e", value), value, paste0(value, "e0"))
    if (backend$typed) sql_double(value) else value
  }
}

sql_double <- function(x) sprintf("CAST(%s AS DOUBLE PRECISION)", x)

#' A column as queries read it: the same value everywhere
#'
#' Text in bytes, whatever the column's collation: "a" and "A" are two levels.
#' @param quoted (string) The column.
#' @param type (vector) Of its type.
#' @return (list) `read` (string), `type`.
#' @noRd
sql_column <- function(backend, quoted, type) {
  read <- if (is.character(type)) {
    sprintf("CAST(%s AS TEXT) %s", quoted, backend$collate)
  } else if (is.double(type)) {
    sql_double(quoted)
  } else {
    quoted
  }
  list(read = read, type = type)
}

#' A column of numbers as doubles
#' @noRd
sql_as_double <- function(column) {
  read <- column$read
  if (is.double(column$type)) read else sql_double(read)
}

sql_floor <- function(backend, x) {
  vapply(x, function(x) gsub("{x}", x, backend$floor, fixed = TRUE), "",
    USE.NAMES = FALSE
  )
}

# Comparisons of a CASE before another is asked
most_arms <- 8

#' Values by conditions of which the first that holds is looked for
#' @param holds (character) Of all values but the last; each holds where one
#'   before it does.
#' @noRd
sql_tree <- function(holds, value) {
  # A few of one another at a time, from the leaves up
  while (length(value) > 1) {
    group <- (seq_along(value) - 1) %/% most_arms
    last <- c(diff(group) > 0, TRUE)
    arms <- ifelse(
      last, sprintf("ELSE %s END", value),
      sprintf("WHEN %s THEN %s", c(holds, ""), value)
    )
    value <- vapply(split(arms, group), function(arms) {
      if (length(arms) == 1) {
        sub("^ELSE (.*) END$", "\\1", arms)
      } else {
        paste(c("CASE", arms), collapse = " ")
      }
    }, "", USE.NAMES = FALSE)
    holds <- holds[last[-length(last)]]
  }
  value
}

#' A value for each level of a column, as CASEs
#'
#' What is none of the levels has no value. No join: where a collation takes two
#' levels for one, it would count a record twice.
#' @param key (string) The column, as queries read it.
#' @param level,value (character) Literals.
#' @param sorted (flag) Are the levels sorted, in bytes? Many are then looked
#'   for in a tree.
#' @noRd
sql_by_level <- function(key, level, value, sorted = FALSE) {
  most <- if (sorted) most_arms else length(level)
  leaf <- (seq_along(level) - 1) %/% most
  arms <- split(paste("WHEN", level, "THEN", value), leaf)
  ends <- level[!duplicated(leaf, fromLast = TRUE)]
  sql_tree(
    sprintf("%s <= %s", key, ends[-length(ends)]),
    sprintf("CASE %s %s END", key, vapply(arms, paste, "", collapse = " "))
  )
}

# The response -----------------------------------------------------------------

#' The response in its own unit, as stated
#' @param column (list) See sql_column().
#' @noRd
sql_own <- function(backend, response, column) {
  read <- column$read
  if (is.logical(column$type)) {
    return(sprintf("CASE WHEN %s THEN 1 WHEN NOT %s THEN 0 END", read, read))
  }
  if (is.character(column$type)) {
    return(sql_by_level(
      read, sql_value(backend, response$levels),
      as.character(seq_along(response$levels) - 1L)
    ))
  }
  y <- sql_as_double(column)
  if (is.null(response$limits)) {
    return(y)
  }
  sql_within(backend, y, response$limits)
}

#' Numbers cut at two ends
#' @noRd
sql_within <- function(backend, x, ends) {
  ends <- sql_value(backend, as.double(ends))
  sprintf(
    "CASE WHEN %s < %s THEN %s WHEN %s > %s THEN %s ELSE %s END", x, ends[1],
    ends[1], x, ends[2], ends[2], x
  )
}

#' The response on the modelled scale, `NULL` where it has no value there
#' @param own (string) See sql_own().
#' @noRd
sql_modelled <- function(backend, response, own) {
  own <- sprintf("(%s)", own)
  bounds <- response$bounds
  if (!is.null(bounds)) {
    ends <- sql_value(backend, as.double(c(bounds[1], bounds[2] - bounds[1])))
    return(sprintf("((%s - %s) / %s)", own, ends[1], ends[2]))
  }
  positive <- sprintf("CASE WHEN %s > 0 THEN %s END", own, own)
  switch(response$transform,
    identity = own,
    # Guarded: a record that has none must not end the query
    log = sprintf("%s(%s)", backend$ln, positive),
    sqrt = sprintf("SQRT(CASE WHEN %s >= 0 THEN %s END)", own, own)
  )
}

# Numbers beyond take part as these, and smaller ones as 0: some engines end a
# query where a number grows too large, or too small. No clip is so far away.
largest_number <- 1e150
largest_spread <- 1e60

#' The modelled response as scores are taken of it
#' @noRd
sql_scored <- function(backend, response, modelled) {
  if (has_labels(response) || response$kind == "count" ||
    !is.null(response$bounds) || response$transform != "identity") {
    return(modelled)
  }
  end <- sql_value(backend, c(-1, 1) * largest_number)
  least <- sql_value(backend, c(-1, 1) / largest_number)
  sprintf(
    paste(
      "(CASE WHEN %s < %s THEN %s WHEN %s > %s THEN %s",
      "WHEN %s > %s AND %s < %s THEN 0e0 ELSE %s END)"
    ), modelled, end[1], end[1], modelled, end[2], end[2], modelled, least[1],
    modelled, least[2], modelled
  )
}
