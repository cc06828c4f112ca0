# What a release checks of records, where a database holds them: by counts. No
# response leaves it.

#' Refuse responses that the model cannot take, and stated numbers that are
#' theirs
#'
#' As new_response() does of records in memory.
#' @param x (list) `engine`, `dialect`, `response`, `cells`, `records` (see
#'   sql_records()), `own` and `modelled` (strings, see sql_own() and
#'   sql_modelled(), of the column) and `of_y` (`modelled`, of records' `y`).
#' @param stated (list) `ends`, `own` and `modelled` (numbers on either scale),
#'   with the argument that each is of; `confirmed`; `constants` (of the
#'   formula).
#' @noRd
check_table <- function(x, stated) {
  check_table_values(x)
  if (!has_labels(x$response)) {
    refuse_ends(stated, function(ends) {
      found <- ends_in_table(x, ends)
      found[["least", "near"]] | found[["most", "near"]]
    })
    refuse_numbers(stated, function(values, of) numbers_in_table(x, values, of))
  }
}

ask_table <- function(x, totals) {
  unlist(x$engine$ask(sql_query(x$dialect, totals, x$engine$from)))
}

check_table_values <- function(x) {
  response <- x$response
  dialect <- x$dialect
  own <- x$own
  modelled <- x$modelled
  column <- x$records$variable$read
  labels <- has_labels(response)
  raw <- if (!labels) sql_as_double(dialect, x$records$variable)
  number <- function(x) sql_value(dialect, as.double(x))
  unit <- number(10^response$digits)
  # Whole in units of the last stated decimal, but for how it is stored. What is
  # too large to have decimals is not looked at, nor is its product taken.
  step <- sprintf("(%s) * %s", own, unit)
  size <- sprintf("ABS(%s)", own)
  rounds <- !labels && "digits" %in% response$stated && !is.na(response$digits)
  faults <- c(
    missing = sprintf("%s IS NULL", column),
    infinite = if (!labels) {
      sprintf("%s > %s OR %s < %s", raw, number(.Machine$double.xmax), raw,
        number(-.Machine$double.xmax))
    },
    negative = if (response$kind == "count") sprintf("(%s) < 0", own),
    fraction = if (response$kind == "count") {
      sprintf("(%s) <> %s", own, sql_floor(dialect, sprintf("(%s)", own)))
    },
    outside = if (!is.null(response$bounds)) {
      sprintf("%s <= 0 OR %s >= 1", modelled, modelled)
    } else if (labels && is.null(response$levels)) {
      sprintf("(%s) <> 0 AND (%s) <> 1", own, own)
    } else {
      sprintf("(%s) IS NULL AND NOT %s IS NULL", modelled, column)
    },
    finer = if (rounds) {
      sprintf(
        paste(
          "CASE WHEN %s > 0 AND %s < %s THEN 1 WHEN %s >= %s THEN 0",
          "WHEN ABS(%s - %s) > 1e-6 THEN 1 ELSE 0 END = 1"
        ), size, size, number(1e-100), size,
        number(min(1e15, 1e15 / 10^response$digits)), step, sql_floor(
          dialect, sprintf("(%s + %s)", step, number(0.5))
        )
      )
    }
  )
  if (response$kind == "count") {
    faults <- c(faults, huge = sprintf("(%s) > 9007199254740992", own))
  }
  found <- ask_table(x, c(
    sql_count(dialect), sql_number(dialect, faults, names(faults))
  ))
  n <- found[["n"]]
  is <- c(
    missing = "missing", infinite = "not finite", negative = "negative",
    fraction = "not a whole number",
    outside = "a value that the model cannot take",
    finer = "a number with more decimals than stated", huge = "above 2^53"
  )
  wrong <- found[names(is)[names(is) %in% names(found)]]
  wrong <- wrong[!is.na(wrong) & wrong > 0]
  refuse_if(
    length(wrong) > 0,
    "The response {.val {response$name}} must have a value that
     {.code {response_label(response)}} can take, in every record.",
    x = "It is {is[[names(wrong)[1]]]} for {format_count(wrong[[1]])} of
         {format_count(n)} records.",
    i = "Leave these records out by {.fn filter}, or correct the column in the
         database.", arg = "data"
  )
}

#' Refuse stated ends that are the least or the greatest response
#' @param told (function of ends) Which are?
#' @noRd
refuse_ends <- function(stated, told) {
  for (arg in names(stated$ends)) {
    ends <- as.double(stated$ends[[arg]])
    ends <- ends[!near_one_of(ends, c(0, 1, stated$confirmed))]
    refuse_private(
      length(ends) > 0 && any(told(ends)), "{.arg {arg}}",
      x = "One of them is the smallest or the largest value of the data.",
      i = "State what is known beforehand. If it is public all the same, confirm
           it with {.code response = public_response(confirmed = )}.", arg = arg
    )
  }
}

#' How the least and the greatest response of a table lie to some ends
#' @return (list matrix) Rows `least`, `most`; columns `near`, `beyond`
#'   (logical, for each end): farther out than near?
#' @noRd
ends_in_table <- function(x, ends) {
  dialect <- x$dialect
  number <- function(x) sql_value(dialect, as.double(x))
  raw <- sql_as_double(dialect, x$records$variable)
  low <- number(ends - 1e-6 * abs(ends))
  high <- number(ends + 1e-6 * abs(ends))
  holds <- list(
    sprintf("MIN(%1$s) >= %2$s AND MIN(%1$s) <= %3$s", raw, low, high),
    sprintf("MAX(%1$s) >= %2$s AND MAX(%1$s) <= %3$s", raw, low, high),
    sprintf("MIN(%s) < %s", raw, low), sprintf("MAX(%s) > %s", raw, high)
  )
  holds <- unlist(holds)
  found <- ask_table(x, sprintf(
    "CASE WHEN %s THEN 1 ELSE 0 END AS e%d", holds, seq_along(holds)
  )) > 0
  matrix(
    split(found, rep(1:4, each = length(ends))), 2,
    dimnames = list(c("least", "most"), c("near", "beyond"))
  )
}

#' Refuse stated numbers that are the response's, see check_public_numbers()
#' @param told (function of numbers and of the scale, `"own"` or `"modelled"`)
#'   How many are?
#' @noRd
refuse_numbers <- function(stated, told) {
  for (of in c("own", "modelled")) {
    for (arg in names(stated[[of]])) {
      values <- unique(abs(as.double(unlist(stated[[of]][[arg]]))))
      values <- values[is.finite(values) & signif(values, 3) != values &
        !near_one_of(values, abs(as.double(stated$confirmed)))]
      n <- if (length(values) > 0) told(values, of) else 0
      refuse_private(
        n > 0, "{.arg {arg}}",
        x = "{n} number{?s} {?is/are} a value of the response, or its mean, a
             quartile or another statistic of it.",
        i = "State a number that is known without this file. Two or three
             significant digits are enough.",
        i = "If such a number is public all the same, confirm it with
             {.code response = public_response(confirmed = )}.", arg = arg
      )
    }
  }
}

numbers_in_table <- function(x, values, of) {
  told <- unlist(x$engine$ask(sql_statistics(
    x$dialect, x$engine$from, x[[of]], sum(x$cells$n), values
  )))
  sum(told > 0 | equal_in_table(x, values, of) > 0)
}

#' How many records have a long number, up to its sign
#' @return (double) For each of `values`; 0 for numbers of six digits and fewer.
#' @noRd
equal_in_table <- function(x, values, of) {
  long <- signif(values, 6) != values
  found <- numeric(length(values))
  if (any(long)) {
    found[long] <- ask_table(x, sql_number(
      x$dialect, sprintf(
        "ABS(%s) = %s", x[[of]], sql_value(x$dialect, values[long])
      ), sprintf("e%d", which(long))
    ))
  }
  found
}

#' Which numbers are statistics of the response?
#'
#' As response_statistics() has them; only the answers leave the database.
#' @param n (count) Records.
#' @param values (double) Positive.
#' @noRd
sql_statistics <- function(dialect, from, scale, n, values) {
  number <- function(x) sql_value(dialect, as.double(x))
  quantile <- function(of, share, as) {
    at <- (n - 1) * share
    below <- floor(at) + 1
    part <- function(i) sprintf("MAX(CASE WHEN i = %.0f THEN %s END)", i, of)
    value <- if (at == floor(at)) part(below) else sprintf(
      "%s * %s + %s * %s", part(below), number(1 - (at - floor(at))),
      part(below + 1), number(at - floor(at))
    )
    sprintf("%s AS %s", value, as)
  }
  numbered <- function(of) {
    c(of, sprintf("ROW_NUMBER() OVER (ORDER BY %s) AS i", of))
  }
  with <- c(
    s = sql_query(dialect, sprintf(
      "%s AS w", sql_within(dialect, scale, c(-1, 1) * 1e140)
    ), from),
    r = sql_query(dialect, numbered("w"), "s"),
    p = sql_query(dialect, c(
      "MIN(w) AS least", "MAX(w) AS most", "AVG(w) AS mean",
      Map(quantile, "w", 1:3 / 4, c("q1", "q2", "q3"))
    ), "r"),
    d = sql_query(dialect, c(
      "(w - mean) * (w - mean) AS square", "ABS(w - q2) AS off"
    ), "s CROSS JOIN p"),
    e = sql_query(dialect, c("square", numbered("off")), "d"),
    v = sql_query(dialect, c(
      sprintf("SUM(square) / %s AS square", number(n - 1)),
      quantile("off", 0.5, "off")
    ), "e")
  )
  sd <- "SQRT(square)"
  mad <- sprintf("off * %s", number(1.4826))
  iqr <- "(q3 - q1)"
  spread <- c(sd, mad, sprintf("%s / %s", iqr, number(1.349)))
  statistics <- c(
    "least", "most", "q1", "q2", "q3", "mean", iqr, spread,
    sprintf("2.5e0 * %s", spread)
  )
  # Ranges of the statistic for which the number is near it, or near its link
  near <- function(of, low, high) {
    sprintf("%s >= %s AND %s <= %s", of, number(low), of, number(high))
  }
  told <- vapply(values, function(value) {
    ends <- value / (1 + c(1e-6, -1e-6))
    linked <- function(inverse, most) {
      if (value < most) c(
        near(c("mean", "q2"), inverse(ends[1]), inverse(ends[2])),
        near(c("mean", "q2"), inverse(-ends[2]), inverse(-ends[1]))
      )
    }
    paste(c(
      near(sprintf("ABS(%s)", statistics), ends[1], ends[2]),
      linked(exp, 700), linked(stats::plogis, 30)
    ), collapse = " OR ")
  }, "")
  sql_query(
    dialect, sprintf(
      "CASE WHEN %s THEN 1 ELSE 0 END AS t%d", told, seq_along(values)
    ), "p CROSS JOIN v", with = unlist(with), once = c("s", "p", "v")
  )
}
