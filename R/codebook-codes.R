# Codes, such as -9 for no answer, among the values of a column, as a draft
# finds them: declared by package haven, or usual ones that stand apart from all
# other values.

#' Values with a label, or declared as missing, whether a record has them or not
#'
#' @param values (vector) Plain values of `x`.
#' @return (vector) Named by labels, if there are any.
#' @noRd
declared_values <- function(x, values) {
  labels <- plain_column(attr(x, "labels", exact = TRUE))
  names(labels) <- names(attr(x, "labels", exact = TRUE))
  # Of tagged missing values there are labels, too
  labels <- labels[!is.na(labels)]
  missing <- plain_column(attr(x, "na_values", exact = TRUE))
  ends <- plain_column(attr(x, "na_range", exact = TRUE))
  if (is.numeric(values) && length(ends) == 2) {
    inside <- values[!is.na(values) & values >= ends[1] & values <= ends[2]]
    missing <- c(missing, sort(unique(c(ends[is.finite(ends)], inside))))
  }
  missing <- setdiff(missing, labels)
  known <- c(unname(labels), missing)
  if (any(nzchar(names(labels)))) {
    names(known) <- c(names(labels), rep("", length(missing)))
  }
  known
}

# What data files write for no answer, refused and the like
usual_codes <- c(
  1:9, 66, 77, 88, 97:99, 666, 777, 888, 997:999, 9999, 99999
)

#' Values such as -8 or 99999 that stand apart
#' @noRd
draft_codes <- function(values) {
  negative <- sort(unique(values[values < 0]))
  if (!all(-negative %in% usual_codes)) negative <- double()
  c(apart_below(negative, values), codes_above(values))
}

#' Which negative candidates stand apart from the values above 0
#'
#' All do if they are tiny beside those. Else one that is near another value,
#' or a chain of neighbours, is a value itself, such as a temperature; but not
#' if it is far more frequent than what is near it.
#' @param found (double) Sorted.
#' @noRd
apart_below <- function(found, values) {
  above <- values[values > 0]
  if (length(found) == 0 || length(above) == 0) {
    return(double())
  }
  middle <- stats::median(above)
  if (-found[1] <= middle / 50) {
    return(found)
  }
  steps <- diff(sort(unique(above[above <= middle])))
  near <- max(2, 3 * stats::quantile(c(0, steps), 0.9, names = FALSE))
  low <- above[above <= max(9, min(above))]
  usual <- max(tabulate(match(low, unique(low))))
  last <- min(above)
  apart <- vapply(rev(found), function(code) {
    n <- sum(values == code)
    if (last - code > near || (n >= 5 && n > 3 * usual)) {
      return(TRUE)
    }
    last <<- code
    FALSE
  }, NA)
  found[rev(apart)]
}

#' Which of the largest values are of one digit, such as 9999, and twice as
#' large as all others
#' @noRd
codes_above <- function(values) {
  found <- sort(unique(values[values >= 100]), decreasing = TRUE)
  found <- utils::head(found, 9)
  text <- format(found, scientific = FALSE, digits = 15, trim = TRUE)
  usual <- grepl("^(9+[6-9]|6{3,}|7{3,}|8{3,})$", text)
  # From the largest downwards without a gap
  found <- found[cumsum(!usual) == 0]
  # Those are codes that leave no other value near them
  for (k in rev(seq_along(found))) {
    rest <- values[values < found[k]]
    if (length(rest) > 0 && max(rest) < found[k] / 2) {
      codes <- found[seq_len(k)]
      return(if (sum(values %in% codes) > 1) sort(codes) else double())
    }
  }
  double()
}

# Dates that stand for no date: the first and last ones that programs can write,
# and those that people do
placeholder_dates <- c(
  "0001-01-01", "1111-11-11", "1582-10-14", "1582-10-15", "1753-01-01",
  "1800-01-01", "1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01",
  "1904-01-01", "1960-01-01", "1970-01-01", "2099-12-31", "2100-01-01",
  "2222-02-22", "3000-01-01"
)
placeholder_years <- c(2999, 7777, 8888, 9998, 9999)

#' Placeholders that are far from other dates, or far more frequent
#' @param days (double) Whole days, none missing.
#' @noRd
date_codes <- function(days) {
  distinct <- sort(unique(days))
  found <- distinct[
    distinct %in% date_number(placeholder_dates) |
      civil_date(distinct)$year %in% placeholder_years
  ]
  rest <- setdiff(distinct, found)
  if (length(found) == 0 || length(rest) == 0) {
    return(double())
  }
  n <- tabulate(match(days, distinct))
  usual <- max(n[distinct %in% rest])
  far <- max(2 * 365, diff(range(rest)) / 10)
  found[vapply(found, function(code) {
    many <- n[match(code, distinct)]
    min(abs(rest - code)) > far || (many >= 5 && many >= 5 * usual)
  }, NA)]
}
