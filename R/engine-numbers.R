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
#' @param cells (list) See with_engine(), sorted.
#' @return (list) `number` (double, increasing) of each combination; `steps`, of
#'   each its `columns` (places) and the `sum` (string, of columns k1, k2 and so
#'   on, and of `cell`, the number so far).
#' @noRd
cell_numbers <- function(dialect, columns, cells) {
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
        sprintf("k%d", own[i]), sql_value(dialect, x), amount[i + 1]
      ))
    }
    # The first makes the sum a long number
    terms <- c(
      sprintf("CAST(%s AS %s)", c(terms, "0")[1], dialect$whole), terms[-1]
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
sql_digits <- function(key, level, amount) {
  sql_by_level(
    key, level, sprintf("%.0f", (seq_along(level) - 1) * amount), sorted = TRUE
  )
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
