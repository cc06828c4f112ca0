# Days. They count as numbers of days since 1970. All of them may start a month
# or a year, and the firsts of months and years may be heaps.

kind_date <- function() {
  value_kind(
    "date", value_fields[value_fields != "zero"],
    class = "Date", storages = character(), rounds = FALSE, calendar = TRUE,
    storage = function(spec) "date", number = date_number,
    derived = function(ends) list(months = stated_period(ends)),
    own_check = function(row, spec) {
      forms <- date_form(c(row$lower, row$upper))
      refuse_if(
        forms[1] != forms[2],
        "{.field lower} and {.field upper} of {.val {spec$column}} must both be
        days, both be months such as 2020-01, or both be years.", arg = "x"
      )
    },
    draft = draft_date, takes = is_date_text,
    read = function(x, name) {
      read_times(x, name, kind_date(), "dates: year-month-day")
    },
    fits = function(x, spec) inherits(x, "Date") || is.character(x),
    # A part of a day is that day
    plain = floor, heap_unit = function(spec) {
      if (is.na(spec$months)) 1 else spec$months
    },
    heap_name = period_name, text = date_text, short = date_text,
    ends = function(spec) date_text(c(spec$lower, spec$upper), spec$months),
    words = "dates such as 2020-01-31",
    off = function(spec) {
      if (is.na(spec$months)) {
        "with more decimals than stated"
      } else if (spec$months == 12) {
        "not on the first of a year"
      } else {
        "not on the first of a month"
      }
    },
    typed = function(x) structure(as.double(x), class = "Date"),
    breaks = function(ends, n) {
      as.double(pretty(structure(ends, class = "Date"), n))
    },
    rule_number = function(x) if (is.character(x)) date_number(x) else x
  )
}

#' The part of dates that start a period
#' @noRd
period_name <- function(months) {
  known <- c("1" = "a month", "3" = "a quarter", "12" = "a year")
  name <- known[as.character(months)]
  paste("first of", if (is.na(name)) paste(months, "months") else name)
}

#' Is it text of days alone, as databases without dates have them?
#'
#' Few of them are levels, such as those of waves.
#' @noRd
is_date_text <- function(x) {
  is_text_of(x, function(x) {
    ifelse(nchar(x, "bytes") == 10, date_number(x), NA)
  }, few_levels + 1)
}

# Dates in R -------------------------------------------------------------------

time_forms.Date <- function(x) list(date_text(x))

time_number.Date <- function(text, like) date_number(text)

#' Is it another day than the first or the last of a month?
#' @noRd
is_long.Date <- function(x, digits = 3) {
  day <- civil_date(as.double(x))$day
  next_day <- civil_date(as.double(x) + 1)$day
  is.finite(x) & (digits == 0 | day != 1 & next_day != 1)
}

# A draft ----------------------------------------------------------------------

#' Refuse years that four digits do not show
#' @param what (string) What a message calls the column's values.
#' @noRd
check_drafted_years <- function(years, what, name) {
  beyond <- sum(years < 0 | years > 9999)
  refuse_if(
    beyond > 0, "{what} must lie in the years 0 to 9999.",
    x = "Those of {.val {name}} do not, for {counted(beyond, 'record')}.",
    arg = "data"
  )
}

draft_date <- function(days, x, name) {
  days <- floor(days[is.finite(days)])
  check_drafted_years(civil_date(days)$year, "Dates", name)
  codes <- date_codes(days)
  days <- days[!days %in% codes]
  if (differ_mostly(days) && length(days) > few_levels) {
    return(list(type = "id"))
  }
  ends <- civil_date(range(days))$year
  period <- if (length(unique(days)) > 1) {
    Find(function(months) all(starts_period(days, months)), c(12, 1))
  }
  if (is.null(period)) tell_one_day(days, name)
  last <- if (is.null(period)) {
    c("-01-01", "-12-31")
  } else if (period == 1) {
    c("-01", "-12")
  } else {
    ""
  }
  ends <- paste0(sprintf("%04.0f", ends), last)
  list(
    type = "date", lower = ends[1], upper = ends[2],
    codes = list(date_text(codes)),
    heaps = list(if (is.null(period)) date_heaps(days) else double())
  )
}

#' Say that all dates are one day of the month, which sets would not keep
#' @noRd
tell_one_day <- function(days, name) {
  met <- unique(days)
  one <- length(unique(civil_date(met)$day)) == 1
  if (length(met) > few_records && (one || all(starts_period(met + 1, 1)))) {
    tell_of("one_day",
      "All dates of {.val {name}} are on the {if (one) 'same' else 'last'} day
       of the month, and sets would have other days, too.",
      i = "If only the month matters, make each date the first of its month and
           draft again: bounds such as {own_number}2020-01 state that."
    )
  }
}

#' The first of a month and of a year, where they are three times as frequent as
#' other days
#' @noRd
date_heaps <- function(days) {
  if (length(unique(days)) <= few_records) {
    return(double())
  }
  month <- mean(starts_period(days, 1))
  year <- mean(starts_period(days, 12))
  c(
    if (month > 0.1) 1,
    if (year > 0.05 && (month <= 0.1 || year > 0.25 * month)) 12
  )
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
