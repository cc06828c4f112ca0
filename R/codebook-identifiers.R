# Columns that name records or units, such as case numbers: a draft leaves them
# out.

# Of nearly all values no other record has the same
nearly_all <- 0.95

# In so few records nothing tells a name from a category
few_records <- 5L

# A draft states at most so many levels, and no more than one for every two
# records; or one for every five records, if that is more
few_levels <- 20L
records_a_level <- 5

#' Is a value of their own what nearly all records have?
#' @noRd
differ_mostly <- function(values) {
  values <- values[!is.na(values)]
  length(values) > few_records &&
    length(unique(values)) >= nearly_all * length(values)
}

#' The most levels that a draft states of so many records
#' @noRd
drafted_levels <- function(n, few = few_levels) {
  if (n > few_records) few <- min(few, n / 2)
  max(few, n / records_a_level)
}

#' Are numbers case numbers, of records or of units, and no amounts?
#'
#' Case numbers are whole. Those of records differ; they fill their range, or
#' are as even as a count, in any order. Those of units fill their range, and
#' the records of a unit follow each other. An amount may differ for all
#' records, too, but is not even: few are far above the others.
#' @param values (double) In the file's order, no code and nothing missing.
#' @noRd
is_case_number <- function(values) {
  # Differences of R's integers may be none
  values <- as.double(values)
  n <- length(values)
  if (n <= few_records || any(values != round(values))) {
    return(FALSE)
  }
  distinct <- sort(unique(values))
  moves <- diff(values)
  in_order <- max(mean(moves >= 0), mean(moves <= 0)) >= nearly_all
  filled <- length(distinct) / (distinct[length(distinct)] - distinct[1] + 1)
  if (length(distinct) < nearly_all * n) {
    number_units(distinct, n, 1 + sum(moves != 0), in_order, filled)
  } else if (n <= few_levels) {
    in_order && filled == 1
  } else {
    number_records(distinct, in_order, filled)
  }
}

#' @param runs (count) Of records with one value that follow each other.
#' @param filled (number) The share of whole numbers of their range that are
#'   met.
#' @noRd
number_units <- function(distinct, n, runs, in_order, filled) {
  k <- length(distinct)
  k > least_numbers && k >= n / records_a_level && runs <= k / nearly_all &&
    (filled >= 0.9 || in_order && is_spread(distinct))
}

number_records <- function(distinct, in_order, filled) {
  if (filled >= 0.5 || in_order && is_even(distinct) ||
    looks_numbered(distinct)) {
    return(TRUE)
  }
  digits <- nchar(sprintf("%.0f", abs(distinct)))
  # Amounts are of many sizes, or round
  alike <- all(digits == digits[1]) && mean(is_multiple(distinct, 10)) < 0.3
  ends <- 10^(digits[1] - 1:0) * sign(distinct[1])
  alike && (digits[1] >= 8 || digits[1] >= 5 && is_spread(distinct, ends))
}

#' Are many different numbers spread evenly, whatever their order is?
#'
#' Amounts are of many sizes, or round. Years, months such as 202012 and minutes
#' of a day are even, too.
#' @noRd
looks_numbered <- function(distinct) {
  length(distinct) > least_numbers && max(abs(distinct)) >= least_last &&
    mean(is_multiple(distinct, 10)) < 0.3 && is_spread(distinct) &&
    !all(distinct %% 100 %in% 1:12 & distinct > 150000 & distinct < 220000)
}

# Of fewer numbers nothing tells whether they are even
least_numbers <- 100L

# What ends below is a year, or a part of one, or of a day
least_last <- 3000

#' Are different numbers spread evenly, or mostly at one step?
#' @noRd
is_even <- function(distinct) {
  gaps <- diff(distinct)
  one_step <- max(tabulate(match(gaps, unique(gaps)))) >= 0.5 * length(gaps)
  one_step || is_spread(distinct)
}

#' Are different numbers spread evenly between ends? By Kolmogorov's test
#' @noRd
is_spread <- function(distinct, ends = range(distinct)) {
  k <- length(distinct)
  place <- (distinct - min(ends)) / diff(range(ends))
  max(abs(place - seq_len(k) / k)) <= 1.36 / sqrt(k)
}

#' Are some missing values tagged, as those of Stata and SAS are?
#' @noRd
has_tags <- function(x) {
  x <- plain_column(x)
  if (!is.double(x)) {
    return(FALSE)
  }
  x <- x[is.na(x) & !is.nan(x)]
  # The tag is a byte of the number
  bytes <- matrix(writeBin(x, raw(), endian = "little"), 8)
  any(bytes[5, ] != 0)
}
