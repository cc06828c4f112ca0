# What a release checks of records, where a database holds them: by counts. No
# response leaves it.

ask_table <- function(x, totals) {
  unlist(x$engine$ask(sql_query(x$dialect, totals, x$engine$from)))
}

#' Refuse responses that the model cannot take
#'
#' As new_response() does of records in memory.
#' @param x (list) `engine`, `dialect`, `response`, `records` (see
#'   sql_records()), `own` and `modelled` (strings, see sql_own() and
#'   sql_modelled(), of the column).
#' @noRd
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

# Numbers in a query at a time: engines take some hundred columns
asked_at_once <- 100

#' See facts_of(), of a table: no response is in an answer
#' @param scale (string) `"own"` or `"modelled"`.
#' @noRd
table_facts_of <- function(x, scale) {
  dialect <- x$dialect
  number <- function(x) sql_value(dialect, as.double(x))
  w <- sql_within(
    dialect, sql_double(dialect, sprintf("(%s)", x[[scale]])), c(-1, 1) * 1e140
  )
  with <- c(
    s = sql_query(dialect, sprintf("%s AS w", w), x$engine$from),
    p = sql_query(dialect, "AVG(w) AS m", "s")
  )
  ask <- function(select, from = "s CROSS JOIN p", more = NULL) {
    unlist(x$engine$ask(sql_query(
      dialect, select, from, with = c(with, more), once = c("s", "p")
    )))
  }
  all <- ask(c(
    sql_count(dialect), "MAX(m) AS mean", "SUM((w - m) * (w - m)) AS square"
  ))
  n <- all[["n"]]
  list(
    n = n, mean = all[["mean"]], sd = sqrt(all[["square"]] / max(1, n - 1)),
    counts = function(stated) {
      part <- (seq_len(nrow(stated)) - 1) %/% asked_at_once
      do.call(rbind, lapply(unname(split(stated, part)), function(some) {
        i <- seq_len(nrow(some))
        same <- 1e-9 * abs(some$number)
        found <- ask(sql_number(dialect, c(
          sprintf("w < %s", number(some$from)),
          sprintf("w > %s", number(some$to)),
          sprintf(
            "w >= %s AND w <= %s", number(some$number - same),
            number(some$number + same)
          )
        ), sprintf("%s%d", rep(c("b", "a", "e"), each = length(i)), i)))
        found <- matrix(as.double(found), ncol = 3)
        data.frame(
          below = found[, 1], above = found[, 2], equal = found[, 3]
        )
      }))
    },
    between = function(stated, parts) {
      v <- number(stated$number)
      gap <- sql_query(dialect, c(
        sprintf("MAX(CASE WHEN w < %s THEN w END) AS low", v),
        sprintf("MIN(CASE WHEN w > %s THEN w END) AS high", v)
      ), "s")
      point <- sprintf("low + %s * (high - low)", number(parts))
      any(ask(sprintf(
        "CASE WHEN %1$s >= %2$s AND %1$s <= %3$s THEN 1 ELSE 0 END AS t%4$d",
        point, number(stated$from), number(stated$to), seq_along(parts)
      ), "g", c(g = gap)) == 1)
    }
  )
}

#' The same, of several tables
#'
#' Where in a gap between two records a number lies no part knows: it is taken
#' for the quantile.
#' @param facts (list) Of each table.
#' @noRd
parts_facts <- function(facts) {
  n <- vapply(facts, `[[`, 1, "n")
  means <- vapply(facts, `[[`, 1, "mean")
  mean <- weighted_mean(means, n)
  square <- vapply(facts, function(own) own$sd^2 * max(1, own$n - 1), 1)
  list(
    n = sum(n), mean = mean,
    sd = sqrt((sum(square) + sum(n * (means - mean)^2)) / max(1, sum(n) - 1)),
    counts = function(stated) {
      Reduce(`+`, lapply(facts, function(own) own$counts(stated)))
    },
    between = function(stated, parts) TRUE
  )
}
