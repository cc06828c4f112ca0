# What a release checks of records, where a database holds them: by counts. No
# response leaves it.

#' Refuse responses that the model cannot take, stated numbers that are theirs,
#' and predictors that tell them
#'
#' As new_response() and check_not_copied() do of records in memory.
#' @param stated (list) `ends`, `own` and `modelled` (numbers on either scale),
#'   `confirmed`, with the argument that each is of.
#' @param predictors (named list) Vectors of their types.
#' @param own,modelled (strings) See sql_own(), sql_modelled().
#' @noRd
check_table <- function(engine, dialect, response, stated, predictors, own,
                        modelled) {
  column <- sql_name(dialect, response$name)
  ask <- function(totals) {
    unlist(engine$ask(sql_query(dialect, totals, engine$from)))
  }
  check_table_values(response, column, own, modelled, dialect, ask)
  check_table_numbers(response, stated, own, modelled, dialect, ask)
  for (name in names(predictors)) {
    check_table_copy(
      engine, dialect, name, predictors[[name]], response, own, modelled
    )
  }
}

check_table_values <- function(response, column, own, modelled, dialect, ask) {
  labels <- has_labels(response)
  number <- function(x) sql_value(dialect, as.double(x))
  unit <- number(10^response$digits)
  # Whole in units of the last stated decimal, but for how it is stored
  step <- sprintf("(%s) * %s", own, unit)
  rounds <- !labels && "digits" %in% response$stated && !is.na(response$digits)
  faults <- c(
    missing = sprintf("%s IS NULL", column),
    infinite = if (!labels) {
      sprintf("(%s) > %s OR (%s) < %s", own, number(1.79e308), own,
        number(-1.79e308))
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
        "ABS(%s - %s) > 1e-6", step, sql_floor(dialect, sprintf(
          "(%s + %s)", step, number(0.5)
        ))
      )
    }
  )
  found <- ask(c(
    sql_count(dialect), sql_number(dialect, faults, names(faults))
  ))
  n <- found[["n"]]
  refuse_if(
    !(n >= 2), "{.arg data} must have at least two records.",
    x = "It has {n}.", arg = "data"
  )
  is <- c(
    missing = "missing", infinite = "not finite", negative = "negative",
    fraction = "no whole number",
    outside = "none that the model can take",
    finer = "of more decimals than are stated"
  )
  wrong <- found[names(is)[names(is) %in% names(found)]]
  wrong <- wrong[!is.na(wrong) & wrong > 0]
  refuse_if(
    length(wrong) > 0,
    "The response {.val {response$name}} must have a value that
     {.code {response_label(response)}} can take, in every record.",
    x = "It is {is[[names(wrong)[1]]]} for {format_count(wrong[[1]])} of
         {format_count(n)} records.",
    i = "Leave these records out by {.fn filter}, or correct the column by
         {.fn mutate}.", arg = "data"
  )
}

#' @param stated See check_table().
#' @noRd
check_table_numbers <- function(response, stated, own, modelled, dialect, ask) {
  if (has_labels(response)) {
    return(invisible())
  }
  number <- function(x) sql_value(dialect, as.double(x))
  near <- function(what, x) {
    sprintf("ABS(%s - %s) <= %s", what, number(x), number(1e-6 * abs(x)))
  }
  either_end <- function(x, of) {
    sprintf(
      "CASE WHEN %s OR %s THEN 1 ELSE 0 END", near(sprintf("MIN(%s)", of), x),
      near(sprintf("MAX(%s)", of), x)
    )
  }
  for (arg in names(stated$ends)) {
    ends <- as.double(stated$ends[[arg]])
    ends <- ends[!near_one_of(ends, c(0, 1, stated$confirmed))]
    raw <- sql_double(dialect, sql_name(dialect, response$name))
    told <- length(ends) > 0 &&
      any(ask(sprintf("%s AS e%d", either_end(ends, raw), seq_along(ends))) > 0)
    refuse_private(
      told, "{.arg {arg}}",
      x = "One of them is the smallest or the largest value of the data.",
      i = "State what is known beforehand. If it is public all the same, confirm
           it with {.code response = public_response(confirmed = )}.", arg = arg
    )
  }
  for (of in c("own", "modelled")) {
    scale <- if (of == "own") sprintf("(%s)", own) else modelled
    for (arg in names(stated[[of]])) {
      values <- unique(abs(as.double(unlist(stated[[of]][[arg]]))))
      values <- values[is.finite(values) & signif(values, 3) != values &
        !near_one_of(values, abs(as.double(stated$confirmed)))]
      refuse_private(
        any(vapply(values, is_statistic, NA, scale, dialect, ask)),
        "{.arg {arg}}",
        x = "A number of it is a value of the response, or its mean, a quartile
             or another statistic of it.",
        i = "State what is known beforehand: a number of two or three digits
             will do.", arg = arg
      )
    }
  }
}

#' Is a number a value of the response, or a simple statistic of it?
#' @param scale (string) The response, as a query has it.
#' @noRd
is_statistic <- function(value, scale, dialect, ask) {
  number <- function(x) sql_value(dialect, as.double(x))
  off <- 1e-6 * value
  ends <- c(value - off, value + off, -value - off, -value + off)
  found <- ask(c(
    sql_count(dialect),
    sql_number(
      dialect, sprintf("%s < %s", scale, number(ends)), sprintf("l%d", 1:4)
    ),
    sql_number(dialect, sprintf(
      "%s = %s OR %s = %s", scale, number(value), scale, number(-value)
    ), "equal"),
    sql_total(dialect, sprintf("SUM(%s)", scale), "total"),
    sql_total(dialect, sprintf("SUM(%s * %s)", scale, scale), "square")
  ))
  n <- found[["n"]]
  mean <- found[["total"]] / n
  sd <- sqrt(max(0, (found[["square"]] - n * mean^2) / (n - 1)))
  at <- (n - 1) * c(0, 0.25, 0.5, 0.75, 1)
  is_quartile <- function(x, below, up_to) {
    if (below < up_to) {
      return(any(below <= at & at <= up_to - 1))
    }
    # Between two records, of which neither leaves the database
    at <- at[at > below - 1 & at < below]
    if (length(at) == 0 || below == 0 || below == n) {
      return(FALSE)
    }
    share <- number(at - floor(at))
    between <- sprintf(
      paste(
        "CASE WHEN ABS(MAX(CASE WHEN %s < %s THEN %s END) * (1 - %s) +",
        "MIN(CASE WHEN %s >= %s THEN %s END) * %s - %s) <= %s THEN 1 ELSE 0",
        "END AS near"
      ),
      scale, number(x), scale, share, scale, number(x), scale, share,
      number(x), number(abs(off))
    )
    ask(between[1]) > 0
  }
  long <- signif(value, 6) != value
  near_one_of(value, abs(c(mean, sd, 2.5 * sd))) ||
    is_quartile(value, found[["l1"]], found[["l2"]]) ||
    is_quartile(-value, found[["l3"]], found[["l4"]]) ||
    long && found[["equal"]] > 0
}

#' Refuse a predictor whose values tell the response, hold it, or are its means
#'
#' Where every value of the predictor that several records have goes with one
#' response, and where most of its values are values that one record alone has.
#' @noRd
check_table_copy <- function(engine, dialect, name, x, response, own,
                             modelled) {
  key <- sql_key(dialect, name, x)
  groups <- sql_query(
    dialect, c(
      "k", "COUNT(*) AS n", "MIN(v) AS low", "MAX(v) AS high",
      sprintf("AVG(%s) AS mean", sql_double(dialect, "w"))
    ), "s", "k",
    with = c(s = sql_query(dialect, c(
      sprintf("%s AS k", key), sprintf("%s AS v", modelled),
      sprintf("%s AS w", own)
    ), engine$from))
  )
  holds <- c(
    several = "n > 1", same = "n > 1 AND low = high",
    means = if (is.numeric(x)) {
      sprintf(
        "n > 1 AND low < high AND ABS(%s - mean) <= 0.000001 * ABS(%s)",
        sql_double(dialect, "k"), sql_double(dialect, "k")
      )
    }
  )
  found <- as.list(unlist(engine$ask(sql_query(
    dialect, c(
      sql_total(dialect, "COUNT(*)", "levels"),
      sql_total(dialect, "SUM(n)", "n"),
      sql_total(dialect, "SUM(CASE WHEN n > 1 THEN n ELSE 0 END)", "repeated"),
      "CASE WHEN MIN(low) < MAX(high) THEN 1 ELSE 0 END AS varies",
      sql_number(dialect, holds, names(holds))
    ), sprintf("(\n%s\n) g", groups)
  ))))
  refuse_if(
    found$levels > found$n / 2 && found$levels > 20,
    "A predictor must have fewer values than half of the records.",
    x = "{.val {name}} has {format_count(found$levels)} in
         {format_count(found$n)} records.",
    i = "Put it into groups by {.fn mutate}, or read the file into a data
         frame.", arg = "data", class = "pseudosynth_error_engine"
  )
  if (found$varies == 0) {
    return(invisible())
  }
  # By chance, if each of the same value had even the most frequent response
  most <- if (has_labels(response)) {
    max(engine$ask(sql_query(
      dialect, c("v", sql_count(dialect)), "s", "v",
      with = c(s = sql_query(
        dialect, sprintf("%s AS v", modelled), engine$from
      ))
    ))$n) / found$n
  } else {
    0.9
  }
  chance <- (found$repeated - found$several) * log(most)
  told <- found$several > 0 && found$same == found$several &&
    chance < log(1e-9)
  refuse_copies(
    if (told) name, "A predictor must not be a copy of the response.",
    x = "{.val {name}} has the same response in all records of the same value.",
    i = "Leave it out."
  )
  refuse_copies(
    if (is.numeric(x) && found$means > max(1, found$several / 2)) name,
    "A published column must not hold the response.",
    x = "The values of {.val {name}} are group means of the response.",
    i = "Leave it out."
  )
  if (is.numeric(x) && !has_labels(response)) {
    once <- sql_query(
      dialect, sql_double(dialect, sql_name(dialect, response$name)),
      engine$from, sql_double(dialect, sql_name(dialect, response$name))
    )
    held <- engine$ask(sql_query(dialect, sql_number(dialect, sprintf(
      "%s IN (%s HAVING COUNT(*) = 1)", sql_double(dialect, "k"), once
    ), "held"), sprintf("(\n%s\n) g", groups)))$held
    refuse_copies(
      if (held > max(10, found$levels / 2)) name,
      "A published column must not hold the response.",
      x = "Most values of {.val {name}} are values of the response.",
      i = "Leave it out."
    )
  }
}
