# A table of a database as an engine: what runs the queries of a release.

#' @param source (list) See table_source().
#' @param found (list) See found_table().
#' @param log (environment) See asker().
#' @return (list) See with_engine(); also `marks`, see found_table().
#' @noRd
table_engine <- function(source, found, log) {
  dialect <- source$dialect
  ask <- asker(source$con, dialect, log)
  fetch <- fetcher(source$con, dialect, log)
  lost <- setdiff(source$columns, found$columns)
  refuse_if(
    length(lost) > 0, "Columns of {.arg data} must be those of its table.",
    x = "{.val {lost}} {?is/are} not among them.",
    i = "If the table was changed, make the {.fn tbl} again.", arg = "data",
    class = "pseudosynth_error_engine"
  )
  table <- paste(sql_name(dialect, c(found$schema, found$name)), collapse = ".")
  column_of <- function(own) {
    columns_of_table(own, found, paste(table, "f"), dialect, ask)
  }
  named <- unique(unlist(lapply(source$where, all.vars)))
  conditions <- vapply(source$where, sql_condition, "",
    dialect = dialect, columns = known_columns(column_of(named))
  )
  conditions <- c(found$only, conditions)
  from <- paste(c(
    paste(table, "f"), if (length(conditions) > 0) {
      paste("WHERE", paste(conditions, collapse = " AND "))
    }
  ), collapse = " ")
  columns <- NULL
  engine <- list(
    dialect = dialect, from = from, ask = ask, fetch = fetch, log = log,
    marks = c(found$marks, source$marks),
    all_columns = function() names(source$columns),
    types = function(names, empty = FALSE) {
      columns <<- column_of(unname(source$columns[names]))
      names(columns) <<- names
      types <- lapply(columns, `[[`, "type")
      if (!empty) refuse_empty(types)
      types
    },
    columns = function(names) columns[names]
  )
  engine$cells <- function(names) table_cells(engine, names)
  engine$records <- function(names) {
    records <- table_records(engine, engine$types(names, empty = TRUE))
    refuse_few_records(records$n, 1)
    records
  }
  engine$for_response <- function(response, cells) {
    table_sums(engine, response, cells)
  }
  engine
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
quoted_column <- function(dialect, name) {
  paste0("f.", sql_name(dialect, name))
}

known_columns <- function(columns) {
  Filter(function(column) !is.null(column$type), columns)
}

#' Columns as queries read them
#'
#' @param own (character) As the table calls them.
#' @return (named list) See sql_column(); `type` is `NULL` where a column has no
#'   value that tells it. Where its values may need it also `quoted` (string:
#'   its name), `whole` (flag: whole numbers that R's integers may not hold) and
#'   `exact` (string: the number where `read` takes what is none as missing).
#' @noRd
columns_of_table <- function(own, found, table, dialect, ask) {
  quoted <- quoted_column(dialect, own)
  names(quoted) <- own
  columns <- if (length(own) == 0) {
    list()
  } else if (is.null(found$stored)) {
    columns_by_value(quoted, table, dialect, ask)
  } else {
    columns_by_type(quoted, found, table, dialect, ask)
  }
  stats::setNames(columns, own)
}

refuse_type <- function(name, is) {
  refuse_if(
    TRUE, "Column {.val {name}} must hold numbers, text, or true and false.",
    x = "It holds {is}.",
    i = "Leave it out of the formula, or drop it by {.fn select}.",
    arg = "data", class = "pseudosynth_error_engine"
  )
}

#' Refuse whole numbers that are not exact as doubles
#' @param huge (number) Of records.
#' @noRd
refuse_huge <- function(name, huge) {
  refuse_if(
    huge > 0,
    "Whole numbers in column {.val {name}} must be at most 2^53 in absolute
     value.",
    x = "{format_count(huge)} {cli::qty(huge)}record{?s} {?has/have} a larger
         one.",
    i = "If it is a case number, leave it out.", arg = "data",
    class = "pseudosynth_error_engine"
  )
}

is_huge <- function(x) {
  sprintf("%s > 9007199254740992 OR %s < -9007199254740992", x, x)
}

#' Columns of an engine whose columns have types
#' @noRd
columns_by_type <- function(quoted, found, table, dialect, ask) {
  stored <- found$stored[match(names(quoted), found$columns)]
  columns <- Map(function(quoted, stored, name) {
    as_is <- function(type) sql_column(dialect, quoted, type)
    # What is no number is missing, as in R
    number <- function(x) {
      list(
        read = sprintf("NULLIF(%s, CAST('NaN' AS %s))", x, dialect$double),
        type = double(), exact = x
      )
    }
    own <- switch(stored,
      bool = as_is(logical()), int2 = , int4 = as_is(integer()),
      int8 = as_is(double()),
      float8 = number(quoted),
      numeric = number(sql_double(dialect, quoted)),
      # As they are written: 0.1 is not the double next to it
      float4 = number(
        sql_double(dialect, sprintf("CAST(%s AS TEXT)", quoted))
      ),
      # Of fixed length: without what fills it up
      text = , varchar = , bpchar = as_is(character()),
      date = list(
        read = sprintf("(%s - DATE '1970-01-01')", quoted),
        type = structure(double(), class = "Date")
      ),
      refuse_type(name, sprintf("values of type %s", stored))
    )
    c(own, list(quoted = quoted, whole = stored %in% c("int4", "int8")))
  }, quoted, stored, names(quoted))
  long <- names(quoted)[stored == "int8"]
  if (length(long) > 0) {
    huge <- unlist(ask(sql_query(dialect, sql_number(
      dialect, is_huge(quoted[long]), sprintf("h%d", seq_along(long))
    ), table)))
    Map(refuse_huge, long, ifelse(is.na(huge), 0, huge))
  }
  columns
}

#' Columns of an engine whose values have types
#' @noRd
columns_by_value <- function(quoted, table, dialect, ask) {
  kinds <- c("whole", "long", "real", "text", "huge", "bytes")
  kind <- sprintf(
    paste(
      "CASE TYPEOF(%s) WHEN 'integer' THEN CASE WHEN %s THEN 5 WHEN",
      "%s > 2147483647 OR %s < -2147483647 THEN 2 ELSE 1 END",
      "WHEN 'real' THEN 3 WHEN 'text' THEN 4 WHEN 'blob' THEN 6 END"
    ), quoted, is_huge(quoted), quoted, quoted
  )
  names(kind) <- names(quoted)
  found <- ask(sql_query(dialect, c(
    sprintf("MIN(%s) AS least%d", kind, seq_along(kind)),
    sprintf("MAX(%s) AS most%d", kind, seq_along(kind))
  ), table))
  found <- matrix(kinds[as.integer(unlist(found))], ncol = 2)
  Map(function(quoted, name, least, most) {
    # Of all kinds that it has the first and the last are known
    if (most %in% "bytes") refuse_type(name, "bytes")
    if (most %in% "huge") {
      refuse_huge(name, unlist(ask(sql_query(dialect, sql_number(
        dialect, sprintf("%s = 5", kind[[name]]), "n"
      ), table))))
    }
    if (most %in% "text" && least != "text") {
      refuse_type(name, "both numbers and text")
    }
    switch(if (is.na(most)) "none" else most,
      text = c(
        sql_column(dialect, quoted, character()), list(quoted = quoted)
      ),
      real = , long = sql_column(dialect, quoted, double()),
      whole = list(
        read = sprintf("CAST(%s AS INTEGER)", quoted), type = integer()
      ),
      none = list(read = quoted, type = NULL)
    )
  }, quoted, names(quoted), found[, 1], found[, 2])
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

table_cells <- function(engine, names) {
  query <- sql_cells(engine$dialect, engine$from, engine$columns(names))
  cells <- engine$ask(query, most_cells + 1)
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

# Sums -------------------------------------------------------------------------

#' Do many records of a response share its values?
#' @noRd
has_few_values <- function(response) {
  has_labels(response) || response$kind == "count"
}

#' Between the codes of levels, which are whole numbers from 0
#' @noRd
level_breaks <- function(response) seq_along(response$levels)[-1] - 1.5

#' The whole sums of a table's records by combination
#' @param cells (list) See with_engine(), of this table.
#' @noRd
table_sums <- function(engine, response, cells) {
  dialect <- probed_dialect(engine, response$transform == "log")
  from <- engine$from
  variable <- engine$columns(response$name)[[1]]
  own <- sql_own(dialect, response, variable)
  columns <- engine$columns(names(cells$values))
  numbers <- cell_numbers(dialect, columns, cells)
  # In queries that start from records the response is y
  named <- sql_own(dialect, response, replace(variable, "read", "y"))
  modelled <- sql_modelled(dialect, response, named)
  scored <- sql_scored(dialect, response, modelled)
  records <- list(
    from = from, columns = columns, variable = variable, numbers = numbers,
    counted = !dialect$sorts && has_few_values(response)
  )
  queries <- list(
    whole = function(at, clip) {
      sql_whole(dialect, records, scored, at, clip)
    },
    tally = function(breaks) sql_tally(dialect, records, modelled, breaks)
  )
  checked <- list(
    engine = engine, dialect = dialect, response = response,
    records = records, own = own,
    modelled = sql_modelled(dialect, response, own)
  )
  list(
    queries = queries,
    check = function() check_table_values(checked),
    facts = function(scale) table_facts_of(checked, scale),
    outside = function(bounds) {
      ends <- sql_value(dialect, as.double(bounds))
      engine$ask(sql_query(dialect, sql_number(dialect, sprintf(
        "(%s) < %s OR (%s) > %s", own, ends[1], own, ends[2]
      ), "n"), from))$n
    },
    whole = function(at, clip) {
      found <- engine$ask(queries$whole(at, clip))
      cell <- match(found$cell, numbers$number)
      whole <- function(x) all(is.finite(x) & x == round(x))
      check_as_counted(engine, cell, found$n, cells$n,
        whole(found$q) && whole(found$inside) &&
          all(abs(found$q) <= score_steps * found$n) &&
          all(found$inside >= 0 & found$inside <= found$n) &&
          all(found$lost == 0)
      )
      found[order(cell), c("inside", "q")]
    },
    tally = function(breaks) {
      found <- engine$ask(queries$tally(breaks))
      cell <- match(found$cell, numbers$number)
      n <- if (!anyNA(cell)) sums_by_code(found$n, cell, length(cells$n))
      check_as_counted(engine, seq_along(n), n, cells$n,
        all(found$bin %in% seq_len(length(breaks) + 1))
      )
      list(cell = cell, bin = as.integer(found$bin), n = found$n)
    }
  )
}

# A trial of the engine --------------------------------------------------------

# What an engine must do as stated, tried before anything rests on it.

#' Try what the release rests on, on numbers and text that are nobody's
#' @param log (flag) Is the logarithm needed?
#' @return (list) The dialect, with the engine's name for the natural logarithm.
#' @noRd
probed_dialect <- function(engine, log) {
  dialect <- engine$dialect
  number <- function(x) sql_value(dialect, as.double(x))
  text <- function(x, y) {
    sprintf("CASE %s WHEN %s THEN 1 ELSE 0 END", trimws(paste(
      sql_value(dialect, x), dialect$collate
    )), sql_value(dialect, y))
  }
  points <- c(-1.5, -0.25, 0, 2.5, 1023.75)
  floors <- sql_floor(
    dialect, sprintf("(%s + %s)", number(points), number(0.5))
  )
  probe <- sql_query(
    dialect, c(
      sprintf("%s AS f%d", sql_double(dialect, floors), seq_along(floors)),
      sprintf("%s AS a", text("a", "A")), sprintf("%s AS b", text("a ", "a")),
      sprintf("CASE WHEN v > 0 THEN 1 ELSE 0 END AS c")
    ), "s", with = c(s = "SELECT NULLIF(1, 1) AS v")
  )
  found <- unlist(engine$ask(probe))
  expected <- c(floor(points + 0.5), 0, 0, 0)
  if (!identical(as.double(found), expected)) {
    abort_query(dialect, "round, compare text and treat NULL as expected")
  }
  if (!log) {
    return(dialect)
  }
  points <- c(0.5, 2, 10, 12345.678)
  for (name in unique(c(dialect$ln, "LN", "LOG"))) {
    values <- tryCatch(
      unlist(engine$ask(sql_query(dialect, sprintf(
        "%s(%s) AS l%d", name, number(points), seq_along(points)
      ), "(SELECT 1 AS one) s"))),
      pseudosynth_error_engine = function(e) NULL
    )
    right <- length(values) == length(points) &&
      all(abs(as.double(values) / log(points) - 1) < 1e-14)
    if (isTRUE(right)) {
      dialect$ln <- name
      return(dialect)
    }
  }
  abort_query(
    dialect, "compute natural logarithms",
    i = if (dialect$called == "SQLite") {
      "Load its functions: {.code RSQLite::initExtension(con, \"math\")}."
    }
  )
}
