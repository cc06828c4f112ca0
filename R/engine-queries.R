# The queries of a release, by the constructs of engine-sql.R.

#' @param select,group (character)
#' @param with (named character) Queries that it starts from. Those of `once`
#'   are computed once, or engines compute their columns where each is used.
#' @noRd
sql_query <- function(select, from, group = character(),
                      with = character(), once = names(with)[1]) {
  paste0(
    if (length(with) > 0) sql_with(with, once),
    "SELECT ", paste(select, collapse = ", "), "\nFROM ", from,
    if (length(group) > 0) paste("\nGROUP BY", paste(group, collapse = ", "))
  )
}

#' What a query of a part is from: records that its conditions hold for
#' @param part (list) See new_part().
#' @param further (string) A condition of this query alone.
#' @noRd
sql_from <- function(part, further = NULL) {
  where <- paste(c(part$where, further), collapse = " AND ")
  paste(c(part$table, if (nzchar(where)) c("WHERE", where)), collapse = " ")
}

sql_with <- function(with, once) {
  kept <- ifelse(names(with) %in% once, "MATERIALIZED ", "")
  parts <- sprintf("%s AS %s(\n%s\n)", names(with), kept, with)
  paste0("WITH ", paste(parts, collapse = ", "), "\n")
}

#' Counts and sums leave as doubles, which are exact up to 2^53
#' @noRd
sql_total <- function(x, as) {
  sprintf("%s AS %s", sql_double(x), as)
}

sql_count <- function() sql_total("COUNT(*)", "n")

#' Sums over rows, each of which may stand for several records
#' @noRd
sql_sum <- function(x, as) {
  sql_total(sprintf("SUM(%s)", x), as)
}

#' How many records something holds for
#' @noRd
sql_number <- function(holds, as) {
  sql_total(sprintf("SUM(CASE WHEN %s THEN 1 ELSE 0 END)", holds), as)
}

#' Combinations of some columns' values with the number of records
#' @param columns (list) See sql_column().
#' @noRd
sql_cells <- function(from, columns) {
  read <- vapply(columns, `[[`, "", "read", USE.NAMES = FALSE)
  # No column of the table can share these names
  named <- sprintf("%s AS k%d", read, seq_along(read))
  sql_query(c(named, sql_count()), from, read)
}

#' Records with the number of their combination and the modelled response
#'
#' All further queries are of numbers: text is looked at here alone. Where
#' records repeat each other, equal ones are counted first: `n` is how many a
#' row stands for.
#' @param records (list) `from`; `columns` and `variable` (the response's), see
#'   sql_column(); `numbers`, see cell_numbers(); `counted` (flag: are equal
#'   ones counted first?).
#' @param value (string) Of the response `y`.
#' @return (named character) Queries that others start from, the last one `s` of
#'   `cell`, `v` and `n`.
#' @noRd
sql_records <- function(backend, records, value) {
  read <- vapply(records$columns, `[[`, "", "read", USE.NAMES = FALSE)
  read <- c(read, records$variable$read)
  keys <- sprintf("k%d", seq_along(records$columns))
  n <- if (records$counted) {
    "CAST(COUNT(*) AS BIGINT)"
  } else {
    "1"
  }
  # No column of the table can share these names
  queries <- c(r = sql_query(
    sprintf("%s AS %s", c(read, n), c(keys, "y", "n")), records$from,
    if (records$counted) read
  ))
  steps <- records$numbers$steps
  for (i in seq_along(steps)) {
    keys <- setdiff(keys, sprintf("k%d", steps[[i]]$columns))
    last <- i == length(steps)
    query <- sql_query(c(
      sprintf("%s AS cell", steps[[i]]$sum),
      if (last) sprintf("%s AS v", value) else c(keys, "y"), "n"
    ), names(queries)[i])
    queries[if (last) "s" else sprintf("r%d", i)] <- query
  }
  queries
}

#' The whole sums of a step, see whole_scores(), by combination
#'
#' @param records (list) See sql_records().
#' @param scored (string) See sql_scored(), of `y`.
#' @param at (data frame) `centre`, `spread`, `lowest` of each combination.
#' @noRd
sql_whole <- function(backend, records, scored, at, clip) {
  by_cell <- function(x) {
    sprintf("(%s)", sql_by_number(backend, records$numbers$number, x))
  }
  centre <- clamp(as.double(at$centre), -largest_number, largest_number)
  centre[abs(centre) < 1 / largest_spread] <- 0
  spread <- clamp(as.double(at$spread), 1 / largest_spread, largest_spread)
  # A mean that is no number, of a step that went astray, is far from all
  centre[is.na(centre)] <- largest_number
  spread[is.na(spread)] <- largest_spread
  lowest <- clamp(as.double(at$lowest), -largest_number, largest_number)
  clip <- sql_value(
    backend, clamp(as.double(clip), 1 / largest_spread, largest_spread)
  )
  halves_up <- sql_floor(backend, sprintf(
    "(u * %s + %s)", sql_value(backend, as.double(score_steps)),
    sql_value(backend, 0.5)
  ))
  # The last step of each record: it adds at most score_steps, and so many times
  # as there are records equal to it
  whole <- sprintf(
    paste(
      "CASE WHEN u >= 1 THEN %d WHEN u <= -1 THEN -%d",
      "WHEN u > -1 AND u < 1 THEN CAST(%s AS BIGINT) ELSE 0 END"
    ),
    score_steps, score_steps, halves_up
  )
  number <- function(holds) sprintf("CASE WHEN %s THEN n ELSE 0 END", holds)
  varied <- any(vapply(list(centre, spread, lowest), function(x) {
    length(unique(x)) > 1
  }, NA))
  with <- c(
    sql_records(backend, records, scored),
    t = sql_query(c(
      "cell", sprintf("(v - %s) / %s AS v", by_cell(centre), by_cell(spread)),
      sprintf("%s AS low", by_cell(lowest)), "n"
    ), "s"),
    u = sql_query(
      c("cell", "v", "low", sprintf("v / %s AS u", clip), "n"), "t"
    )
  )
  if (varied && backend$vectors) {
    with[["s"]] <- paste0(with[["s"]], "\nORDER BY cell")
  }
  sql_query(
    c(
      "cell", sql_sum(c(
        "n", number(sprintf("v > low AND v < %s", clip)),
        sprintf("n * %s", whole), number("u IS NULL OR low IS NULL")
      ), c("n", "inside", "q", "lost"))
    ), "u", "cell", with = with,
    # What is used more than once
    once = if (!backend$passes_on) {
      setdiff(names(with), c("r", if (!varied) "s", "u"))
    }
  )
}

#' How many records are in each bin, from 1, by combination
#' @param breaks (double) Between bins: a bin holds its lower one.
#' @noRd
sql_tally <- function(backend, records, modelled, breaks) {
  bin <- sql_bin(backend, "v", as.double(breaks))
  with <- c(
    sql_records(backend, records, modelled),
    t = sql_query(
      c("cell", sprintf("%s AS bin", bin), "n"), "s"
    )
  )
  sql_query(
    c("cell", "bin", sql_sum("n", "n")), "t",
    c("cell", "bin"), with = with,
    once = if (!backend$passes_on) setdiff(names(with), c("r", "t"))
  )
}

#' In which bin a number lies, from 1
#' @noRd
sql_bin <- function(backend, x, breaks) {
  if (is.null(backend$places)) {
    return(sql_tree(
      sprintf("%s < %s", x, sql_value(backend, breaks)),
      as.character(seq_len(length(breaks) + 1))
    ))
  }
  sprintf("(%s + 1)", backend$places(x, breaks))
}

# Numbers of combinations ------------------------------------------------------

# A number for each combination of the predictors' values: each level of a
# column adds an amount of its own, as a digit of a number does. Queries look at
# text once for each column and not for each combination.

# Whole numbers are exact as doubles up to twice as many, and so are their
# quotients once they are rounded down
most_numbers <- 2^52

#' Numbers of combinations, and how queries compute them
#'
#' Where there would be too many numbers, those that occur are numbered anew
#' before further columns are added.
#' @param columns (list) See sql_column().
#' @param cells (list) See new_engine(), sorted.
#' @return (list) `number` (double, increasing) of each combination; `steps`, of
#'   each its `columns` (places) and the `sum` (string, of columns k1, k2 and so
#'   on, and of `cell`, the number so far).
#' @noRd
cell_numbers <- function(backend, columns, cells) {
  levels <- lapply(cells$values, function(x) sort(unique(x), method = "radix"))
  sizes <- as.double(lengths(levels))
  number <- numeric(length(cells$n))
  steps <- list()
  left <- seq_along(columns)
  while (length(left) > 0 || length(steps) == 0) {
    met <- sort(unique(number))
    fits <- length(met) * cumprod(sizes[left]) <= most_numbers
    own <- left[seq_len(min(length(left), max(1, sum(fits))))]
    # What the next number, and the next level of each column, adds
    amount <- rev(cumprod(c(1, rev(sizes[own]))))
    number <- (match(number, met) - 1) * amount[1]
    terms <- if (length(steps) > 0) {
      sql_digits("cell", sprintf("%.0f", met), amount[1])
    }
    for (i in seq_along(own)) {
      x <- levels[[own[i]]]
      number <- number +
        (match(cells$values[[own[i]]], x) - 1) * amount[i + 1]
      # Long whole numbers are doubles here and there
      if (is.double(columns[[own[i]]]$type)) x <- as.double(x)
      terms <- c(terms, sql_digits(
        sprintf("k%d", own[i]), sql_value(backend, x), amount[i + 1],
        # By another server's order of text they need not be sorted
        sorted = !(backend$passes_on && is.character(x))
      ))
    }
    # The first makes the sum a long number
    terms <- c(
      sprintf("CAST(%s AS BIGINT)", c(terms, "0")[1]), terms[-1]
    )
    steps <- c(steps, list(
      list(columns = own, sum = paste(terms, collapse = " + "))
    ))
    left <- setdiff(left, own)
  }
  list(number = number, steps = steps)
}

#' What the levels of a column add to the number
#' @param level (character) Literals, sorted.
#' @param amount (number) What each adds more than the one before.
#' @noRd
sql_digits <- function(key, level, amount, sorted = TRUE) {
  sql_by_level(
    key, level, sprintf("%.0f", (seq_along(level) - 1) * amount), sorted
  )
}

#' A value for each number of a combination
#'
#' @param number (double) Increasing, of the combinations. Equal neighbours are
#'   one arm.
#' @param value (double)
#' @noRd
sql_by_number <- function(backend, number, value) {
  runs <- rle(value)
  ends <- number[cumsum(runs$lengths)[-length(runs$values)]]
  if (is.null(backend$nth) || length(ends) == 0) {
    return(sql_tree(
      sprintf("cell <= %.0f", ends), sql_value(backend, runs$values)
    ))
  }
  place <- backend$places("cell", ends + 0.5)
  backend$nth(runs$values, sprintf("%s + 1", place))
}
