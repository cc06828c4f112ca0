# Dates as days since 1970: their text, and what falls on the first of a month
# or a year. By arithmetic: R writes years below 1000 in fewer than four digits.

#' Year, month and day of days since 1970, by the Gregorian calendar
#' @param days (double) Whole numbers.
#' @return (list of double)
#' @noRd
civil_date <- function(days) {
  # Days since the 1st of March of the year 0; eras of 400 years are alike
  z <- days + 719468
  era <- floor(z / 146097)
  day <- z - era * 146097
  year <- floor((day - floor(day / 1460) + floor(day / 36524) -
    floor(day / 146096)) / 365)
  in_year <- day - (365 * year + floor(year / 4) - floor(year / 100))
  month <- floor((5 * in_year + 2) / 153)
  list(
    year = year + 400 * era + (month >= 10),
    month = ifelse(month < 10, month + 3, month - 9),
    day = in_year - floor((153 * month + 2) / 5) + 1
  )
}

#' The first day of months, as days since 1970
#' @param month (double) Months since January of the year 0.
#' @noRd
first_of_month <- function(month) {
  # The year starts in March
  at <- month - 2
  year <- floor(at / 12)
  in_year <- floor((153 * (at - 12 * year) + 2) / 5)
  era <- floor(year / 400)
  of_era <- year - 400 * era
  146097 * era + 365 * of_era + floor(of_era / 4) - floor(of_era / 100) +
    in_year - 719468
}

#' The month of days, since January of the year 0
#' @noRd
month_number <- function(days) {
  civil <- civil_date(floor(days))
  12 * civil$year + civil$month - 1
}

#' Is a day the first of a month, of a quarter (`months` 3), of a year (12)?
#' @return (logical)
#' @noRd
starts_period <- function(days, months) {
  month <- month_number(days)
  month %% months == 0 & first_of_month(month) == days
}

#' The next first day of a period at or beyond days
#' @param sign (1 or -1) Upwards, or downwards.
#' @param past (logical) Also beyond a day that is one itself.
#' @noRd
period_beyond <- function(days, months, sign, past) {
  found <- floor(month_number(days) / months)
  start <- first_of_month(found * months)
  if (sign > 0) {
    found <- found + (start < days | past)
  } else {
    found <- found - (past & start == days)
  }
  first_of_month(found * months)
}

#' Dates as people and files have them, years in four digits
#' @param days (double) Days since 1970; a part of a day is the day.
#' @param months (number or `NA`) Of dates that all start a period: 12 shows the
#'   year, any other number year and month.
#' @return (character) `NA` of what is no day.
#' @noRd
date_text <- function(days, months = NA) {
  days <- as.double(days)
  text <- rep(NA_character_, length(days))
  there <- which(is.finite(days))
  civil <- civil_date(floor(days[there]))
  text[there] <- if (is.na(months)) {
    sprintf("%04.0f-%02.0f-%02.0f", civil$year, civil$month, civil$day)
  } else if (months %% 12 == 0) {
    sprintf("%04.0f", civil$year)
  } else {
    sprintf("%04.0f-%02.0f", civil$year, civil$month)
  }
  text
}

# How a codebook writes a day, a month and a year
date_forms <- c(
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "^[0-9]{4}-[0-9]{2}$", "^[0-9]{4}$"
)

#' Dates of a codebook as days since 1970; a month is its first day
#' @param text (character)
#' @return (double) `NA`: no date.
#' @noRd
date_number <- function(text) {
  text <- unname(as.character(text))
  form <- date_form(text)
  part <- number_in_form(text, form, 1)
  year <- part(1, 4, 3)
  month <- part(6, 7, 2)
  day <- part(9, 10, 1)
  start <- first_of_month(12 * year + month - 1)
  length <- first_of_month(12 * year + month) - start
  fine <- !is.na(form) & month >= 1 & month <= 12 & day >= 1 & day <= length
  ifelse(fine, start + day - 1, NA_real_)
}

#' @return (integer) The row of `date_forms`.
#' @noRd
date_form <- function(text) text_form(text, date_forms)

#' The form that each text has
#' @param forms (character) Regular expressions, which exclude each other.
#' @return (integer) `NA`: none.
#' @noRd
text_form <- function(text, forms) {
  found <- rep(NA_integer_, length(text))
  for (k in seq_along(forms)) found[grepl(forms[k], text)] <- k
  found
}

#' A reader of numbers at fixed places, which only the first forms have
#' @param absent (number) Where the form has none.
#' @return (function of a first and a last place, and the last form) Numbers.
#' @noRd
number_in_form <- function(text, form, absent) {
  function(first, last, from) {
    own <- rep(absent, length(text))
    has <- which(form <= from)
    own[has] <- as.double(substr(text[has], first, last))
    own
  }
}

#' The period that a codebook's dates all start
#' @param text (character) Its ends.
#' @return (number) Months: 1 or 12; `NA`: days.
#' @noRd
stated_period <- function(text) {
  c(NA, 1, 12)[max(date_form(text))]
}
