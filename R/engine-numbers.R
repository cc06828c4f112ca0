# A number for each combination of the predictors' values: each level of a column
# adds an amount of its own, as a digit of a number does. Queries look at text
# once for each column and not for each combination.

# Whole numbers are exact as doubles up to here
most_numbers <- 2^53

#' Numbers of combinations, and how queries compute them
#'
#' Where there would be too many numbers, those that occur are numbered anew
#' before further columns are added.
#' @param columns (list) See sql_column().
#' @param cells (list) See with_engine(), sorted.
#' @return (list) `number` (double, increasing) of each combination; `steps`, of
#'   each its `columns` (places) and the `sum` (string, of columns k1, k2 and so
#'   on, and of `cell`, the number so far).
#' @noRd
cell_numbers <- function(dialect, columns, cells) {
  levels <- lapply(cells$values, function(x) sort(unique(x), method = "radix"))
  code <- Map(function(x, levels) match(x, levels) - 1, cells$values, levels)
  number <- numeric(length(cells$n))
  whole <- function(x) sprintf("%.0f", x)
  steps <- list()
  left <- seq_along(columns)
  while (length(left) > 0 || length(steps) == 0) {
    met <- sort(unique(number))
    fits <- length(met) * cumprod(as.double(lengths(levels)[left])) <=
      most_numbers
    own <- left[seq_along(left) <= max(1, sum(fits))]
    amount <- rev(cumprod(c(1, rev(lengths(levels)[own]))))
    number <- (match(number, met) - 1) * amount[1]
    terms <- if (length(steps) > 0) {
      sql_by_level("cell", whole(met), whole((seq_along(met) - 1) * amount[1]),
        sorted = TRUE
      )
    }
    for (i in seq_along(own)) {
      j <- own[i]
      number <- number + code[[j]] * amount[i + 1]
      # Long whole numbers are doubles here and there
      level <- if (is.double(columns[[j]]$type)) {
        as.double(levels[[j]])
      } else {
        levels[[j]]
      }
      terms <- c(terms, sql_by_level(
        sprintf("k%d", j), sql_value(dialect, level),
        whole((seq_along(level) - 1) * amount[i + 1]), sorted = TRUE
      ))
    }
    # The first makes the sum a long number
    terms <- c(sprintf("CAST(%s AS %s)", c(terms, "0")[1], dialect$whole),
      terms[-1]
    )
    steps <- c(steps, list(
      list(columns = own, sum = paste(terms, collapse = " + "))
    ))
    left <- setdiff(left, own)
  }
  list(number = number, steps = steps)
}

#' Records with the number of their combination and the modelled response
#'
#' All further queries are of numbers: text is looked at here alone. Where records
#' repeat each other, equal ones are counted first: `n` is how many a row stands
#' for.
#' @param records (list) `from`; `columns` and `variable` (the response's), see
#'   sql_column(); `numbers`, see cell_numbers(); `counted` (flag: are equal
#'   ones counted first?).
#' @param value (string) Of the response `y`.
#' @return (named character) Queries that others start from, the last one `s` of
#'   `cell`, `v` and `n`.
#' @noRd
sql_records <- function(dialect, records, value) {
  read <- vapply(records$columns, `[[`, "", "read", USE.NAMES = FALSE)
  read <- c(read, records$variable$read)
  keys <- sprintf("k%d", seq_along(records$columns))
  n <- if (records$counted) {
    sprintf("CAST(COUNT(*) AS %s)", dialect$whole)
  } else {
    "1"
  }
  # No column of the table can share these names
  queries <- c(r = sql_query(
    dialect, sprintf("%s AS %s", c(read, n), c(keys, "y", "n")), records$from,
    if (records$counted) read
  ))
  steps <- records$numbers$steps
  for (i in seq_along(steps)) {
    keys <- setdiff(keys, sprintf("k%d", steps[[i]]$columns))
    last <- i == length(steps)
    query <- sql_query(dialect, c(
      sprintf("%s AS cell", steps[[i]]$sum),
      if (last) sprintf("%s AS v", value) else c(keys, "y"), "n"
    ), names(queries)[i])
    queries[if (last) "s" else sprintf("r%d", i)] <- query
  }
  queries
}

#' A value for each number of a combination, as CASEs in a tree
#'
#' @param number (double) Increasing, of the combinations. Equal neighbours are
#'   one arm.
#' @param value (character) Literals.
#' @noRd
sql_by_number <- function(number, value) {
  runs <- rle(value)
  ends <- cumsum(runs$lengths)
  sql_tree(
    sprintf("cell <= %.0f", number[ends[-length(ends)]]), runs$values
  )
}
