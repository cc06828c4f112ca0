# Predictors that tell the response, where a database holds it. What
# copied_response.R looks for in records is found by queries over groups: of
# each group of equal predictors its number, and its smallest and its largest
# response. Groups do not leave the database; what leaves is how many of them
# follow each other, overlap or hold one response.

#' Refuse predictors that tell the response, hold it, or are its means
#'
#' @param x (list) See check_table().
#' @param stated (list) See there.
#' @param terms (named list) Computed terms of the formula, by combination.
#' @noRd
check_table_copies <- function(x, terms, stated) {
  if (length(x$cells$values) == 0) {
    return(invisible())
  }
  check <- columns_to_check(x$cells$values, terms)
  followed <- groups_by_column(x, check$columns)
  check_combinations(x, followed)
  refuse_followed(x$cells, check$columns, followed, function() {
    response_repeats(x)
  })
  if (is.numeric(x$records$variable$type)) {
    refuse_held(check$numbers, stated$constants, function(among, own) {
      held_in_table(x, among, own)
    })
    refuse_means(check$numbers, x$cells$n, function(column, value, long) {
      means_in_table(x, column, value, long)
    })
  }
}

#' Refuse combinations that queries do not find again, as they are told them
#' @param followed (matrix) See groups_by_column().
#' @noRd
check_combinations <- function(x, followed) {
  n <- x$cells$n
  check_as_counted(
    x$engine, seq_along(n), n, n,
    followed[1, "groups"] == length(n) && followed[1, "over"] == 0
  )
}

#' What may tell the response: columns of the cells, and terms of the formula
#'
#' Amounts that are written as text, too, as numbers.
#' @return (list) `columns` and, of these, `numbers`: named lists of `values` by
#'   combination and `of` (place of the predictor whose levels they are of;
#'   `NULL` for a term).
#' @noRd
columns_to_check <- function(predictors, terms) {
  columns <- Map(function(values, j) {
    list(values = values, of = j)
  }, predictors, seq_along(predictors))
  written <- Filter(
    function(column) !is.null(column$values), lapply(columns, function(column) {
      list(values = numbers_in(column$values), of = column$of)
    })
  )
  list(
    numbers = Filter(
      function(column) is.numeric(column$values), c(columns, written)
    ),
    columns = Filter(function(column) length(unique(column$values)) > 1, c(
      columns, lapply(terms, function(values) list(values = values)), written
    ))
  )
}

#' @param followed (matrix) See groups_by_column().
#' @param repeats (function) Gives response_repeats().
#' @noRd
refuse_followed <- function(cells, columns, followed, repeats) {
  times <- NULL
  once <- function() {
    if (is.null(times)) times <<- repeats()
    times
  }
  refuse_telling(unique(names(columns)[vapply(seq_along(columns), function(i) {
    tells_by_groups(columns[[i]]$values, cells$n, followed[i + 1, ], once)
  }, NA)]))
  refuse_joint(names(cells$values), cells$n, followed[1, "varied"], once)
}

# Groups -----------------------------------------------------------------------

#' How the groups of each column lie to each other
#'
#' @return (double matrix, a row for each, after one for the combinations)
#'   `groups`; `varied`: groups of several responses; `over`: in the order of
#'   responses, groups that begin before another ends; `down`, `up`: in the
#'   order of the column, groups that begin below the end of the one before, and
#'   that end above its beginning. Of the combinations `over` are those that are
#'   none as queries are told them.
#' @noRd
groups_by_column <- function(x, columns) {
  dialect <- x$dialect
  all <- sql_query(dialect, c(
    "0 AS number", sql_total(dialect, "COUNT(*)", "groups"),
    sql_number(dialect, c("low < high", "cell IS NULL"), c("varied", "over")),
    sql_total(dialect, "0", c("down", "up"))
  ), "g")
  one <- function(i) {
    groups <- sql_query(dialect, c(
      "k", "MIN(low) AS low", "MAX(high) AS high"
    ), sprintf("(\n%s\n) h", sql_query(dialect, c(
      sprintf("%s AS k", sql_place(x, columns[[i]])), "low", "high"
    ), "g")), "k")
    lain <- sql_query(dialect, c(
      "low", "high", "LAG(low) OVER (ORDER BY k) AS low_before",
      "LAG(high) OVER (ORDER BY k) AS high_before",
      paste(
        "MAX(high) OVER (ORDER BY low, high ROWS BETWEEN UNBOUNDED PRECEDING",
        "AND 1 PRECEDING) AS end_before"
      )
    ), sprintf("(\n%s\n) o", groups))
    sql_query(dialect, c(
      sprintf("%d AS number", i), sql_total(dialect, "COUNT(*)", "groups"),
      sql_number(dialect, c(
        "low < high", "low <= end_before", "low < high_before",
        "high > low_before"
      ), c("varied", "over", "down", "up"))
    ), sprintf("(\n%s\n) l", lain))
  }
  with <- sql_records(dialect, x$records, x$of_y)
  with[["g"]] <- sql_query(
    dialect, c("cell", "MIN(v) AS low", "MAX(v) AS high"), "s", "cell"
  )
  start <- sql_with(dialect, with, setdiff(names(with), c("r", "s")))
  # Engines take some hundred parts of a query at most
  arms <- c(all, vapply(seq_along(columns), one, ""))
  parts <- split(arms, (seq_along(arms) - 1) %/% 50)
  found <- do.call(rbind, lapply(parts, function(part) {
    x$engine$ask(paste0(start, paste(part, collapse = "\nUNION ALL\n")))
  }))
  as.matrix(found[order(found$number), -1])
}

#' Places of a column's values in their order, which for text is that of bytes
#' @param column (list) `values`, by combination, and `of` (place of the
#'   predictor whose levels they are of, or `NULL`).
#' @noRd
sql_place <- function(x, column) {
  value <- column$values
  place <- as.character(match(value, sort(unique(value), method = "radix")))
  numbers <- x$records$numbers
  code <- if (is.null(column$of)) NA else numbers$code[column$of]
  if (is.na(code)) {
    return(sql_by_number(numbers$number, place))
  }
  level <- x$cells$values[[column$of]]
  first <- which(!duplicated(level))
  first <- first[order(level[first], method = "radix")]
  sql_by_level(code, as.character(seq_along(first) - 1L), place[first])
}

#' How many responses are met once, twice and so on
#' @return (data frame) `times`, `n`.
#' @noRd
response_repeats <- function(x) {
  dialect <- x$dialect
  met <- sql_query(
    dialect, "COUNT(*) AS times", x$engine$from, sprintf("(%s)", x$modelled)
  )
  x$engine$ask(sql_query(
    dialect, c(sql_total(dialect, "times", "times"), sql_count(dialect)),
    sprintf("(\n%s\n) m", met), "m.times"
  ))
}

#' See tells_response()
#' @param n (double) Records of each combination.
#' @param lie (named double) See groups_by_column().
#' @param repeats (function) Gives response_repeats().
#' @noRd
tells_by_groups <- function(values, n, lie, repeats) {
  groups <- lie[["groups"]]
  if (groups < 2) {
    return(FALSE)
  }
  records <- sum(n)
  one_each <- lie[["varied"]] == 0
  apart <- lie[["over"]] == 0
  up <- lie[["down"]] == 0 || lie[["up"]] == 0
  if (one_each || apart) {
    # What the other way round is one each has as many orders as both together
    met <- repeats()
    if (nrow(met) == 1 && met$times[1] == records) {
      return(FALSE)
    }
    orders <- if (apart) {
      orders_of(sums_by_code(n, match(values, unique(values)), groups))
    } else {
      orders_of(met$times, met$n)
    }
    if (is_no_accident(orders - lfactorial(records), up, TRUE, groups)) {
      return(TRUE)
    }
  }
  # See nearly_follows()
  against <- min(lie[c("down", "up")]) / (groups - 1)
  if (groups < few_values || against >= 1 / 2 / 5) {
    return(FALSE)
  }
  met <- repeats()
  at_random <- (1 - sum(met$n * (met$times / records)^2)) / 2
  sum(met$n) >= few_values && against < at_random / 5
}

#' Refuse predictors that together tell the response of every record
#'
#' As tells_by_groups() of the combinations, which have no order.
#' @param n (double) Records of each combination.
#' @param varied (count) Combinations of several responses.
#' @noRd
refuse_joint <- function(predictors, n, varied, repeats) {
  if (length(predictors) < 2 || varied > 0 || length(n) > sum(n) / 2) {
    return(invisible())
  }
  met <- repeats()
  chance <- orders_of(met$times, met$n) - lfactorial(sum(n))
  told <- nrow(met) > 1 || met$times[1] < sum(n)
  refuse_copies(
    if (told && is_no_accident(chance, FALSE, TRUE, length(n))) predictors,
    "Predictors must not jointly determine the response.",
    x = "Records with the same values of {.val {predictors}} all have the same
         response.", i = "Leave one of them out."
  )
}

# Values and means -------------------------------------------------------------

#' See check_holds_none() and check_terms_hold_none()
#' @param numbers (named list) Columns of numbers, see columns_to_check().
#' @param constants (double) Of the formula.
#' @param held (function of lists of values and of how the response is compared
#'   with them) How many of these one record alone has.
#' @noRd
refuse_held <- function(numbers, constants, held) {
  values <- lapply(numbers, function(column) unique(as.double(column$values)))
  among <- c(values, list(unique(abs(as.double(constants)))))
  own <- c(rep("w", length(values)), "ABS(w)")
  some <- lengths(among) > 10
  if (!any(some)) {
    return(invisible())
  }
  holds <- rep(FALSE, length(among))
  holds[some] <- held(among[some], own[some]) >
    pmax(10, lengths(among)[some] / 2)
  last <- length(among)
  refuse_holding(unique(names(values)[holds[-last]]), "values")
  refuse_formula_holding(holds[last])
}

held_in_table <- function(x, among, own) {
  raw <- sql_as_double(x$dialect, x$records$variable)
  once <- sql_query(
    x$dialect, sprintf("%s AS w", raw), x$engine$from,
    paste(raw, "HAVING COUNT(*) = 1")
  )
  listed <- vapply(among, function(values) {
    paste(sql_value(x$dialect, values), collapse = ", ")
  }, "")
  held <- unlist(x$engine$ask(sql_query(x$dialect, sql_number(
    x$dialect, sprintf("%s IN (%s)", own, listed),
    sprintf("h%d", seq_along(among))
  ), sprintf("(\n%s\n) o", once))))
  ifelse(is.na(held), 0, held)
}

#' See holds_means(): means, medians and means of logarithms by group
#'
#' Only of columns with several values of more than three digits.
#' @param met (function of a column, its values and the long ones) Of the groups
#'   of several responses whose value is long `varied`, their number, and how
#'   many are met by `means`, `medians` and, of a logarithm, `logs`.
#' @noRd
refuse_means <- function(numbers, n, met) {
  holds <- vapply(numbers, function(column) {
    value <- unique(as.double(column$values))
    long <- value[value != signif(value, 3)]
    if (length(long) < 2 || length(value) > sum(n) / 2) {
      return(FALSE)
    }
    found <- met(column, value, long)
    found[["varied"]] >= 2 &&
      max(found[-1]) > max(1, found[["varied"]] / 2)
  }, NA)
  refuse_holding(unique(names(numbers)[holds]), "means")
}

means_in_table <- function(x, column, value, long) {
  found <- unlist(x$engine$ask(sql_means(x, column, value, long)))
  ifelse(is.na(found), 0, found)
}

sql_means <- function(x, column, value, long) {
  dialect <- x$dialect
  number <- function(x) sql_value(dialect, as.double(x))
  variable <- x$records$variable
  raw <- sql_within(
    dialect, sql_as_double(dialect, variable), c(-1, 1) * largest_number
  )
  read <- x$records$columns[[column$of]]
  key <- if (is.character(read$type)) {
    # The numbers that its text writes
    text <- x$cells$values[[column$of]]
    first <- which(!duplicated(text))
    sql_by_level(
      read$read, sql_value(dialect, text[first]), number(column$values[first])
    )
  } else {
    sql_as_double(dialect, read)
  }
  # Up to the column's own rounding
  digits <- response_digits(value)
  half <- if (is.na(digits)) 0 else 0.5 * 10^-digits * (1 + 1e-9)
  near <- function(of) {
    sprintf(
      "long = 1 AND n > 1 AND low < high AND %s",
      sprintf(
        "(ABS(%s - k) <= 1e-6 * ABS(k) OR ABS(%s - k) <= %s)", of, of,
        number(half)
      )
    )
  }
  logs <- x$response$transform == "log"
  numbered <- sql_query(dialect, c(
    "k", "w", "ROW_NUMBER() OVER (PARTITION BY k ORDER BY w) AS i",
    "COUNT(*) OVER (PARTITION BY k) AS n"
  ), sprintf("(\n%s\n) s", sql_query(
    dialect, c(sprintf("%s AS k", key), sprintf("%s AS w", raw)), x$engine$from
  )))
  groups <- sql_query(dialect, c(
    "k", "MAX(n) AS n", "MIN(w) AS low", "MAX(w) AS high", "AVG(w) AS mean",
    "AVG(CASE WHEN 2 * i >= n AND 2 * i <= n + 2 THEN w END) AS middle",
    if (logs) {
      sprintf("AVG(%s(CASE WHEN w > 0 THEN w END)) AS logs", dialect$ln)
    },
    sprintf(
      "CASE WHEN k IN (%s) THEN 1 ELSE 0 END AS long",
      paste(number(long), collapse = ", ")
    )
  ), sprintf("(\n%s\n) r", numbered), "k")
  sql_query(
    dialect, sql_number(
      dialect, c(
        "long = 1 AND n > 1 AND low < high", near("mean"), near("middle"),
        if (logs) near("logs")
      ), c("varied", "means", "medians", if (logs) "logs")
    ), sprintf("(\n%s\n) g", groups)
  )
}
