# Date-times: days with a time, in UTC. They count as seconds since 1970. The
# form of the bounds states the unit, of which all are multiples: a second or a
# minute. Heaps are in seconds: 3600 if the full hour is more frequent.

kind_datetime <- function() {
  value_kind(
    "datetime", value_fields[value_fields != "zero"],
    class = c("POSIXct", "POSIXt"), attributes = list(tzone = "UTC"),
    storages = character(), storage = function(spec) "datetime",
    rounds = TRUE, number = datetime_number,
    derived = function(ends) {
      list(months = NA, seconds = c(1, 60)[max(datetime_form(ends))])
    },
    own_check = function(row, spec) {
      forms <- datetime_form(c(row$lower, row$upper))
      refuse_if(
        forms[1] != forms[2],
        "{.field lower} and {.field upper} of {.val {spec$column}} must both
        have seconds, or both be minutes such as 2020-01-31 23:59.", arg = "x"
      )
    },
    draft = draft_datetime, takes = is_datetime_text,
    read = function(x, name) {
      read_times(
        x, name, kind_datetime(), "date-times: year-month-day hour:minute, with
        seconds or without"
      )
    },
    fits = function(x, spec) inherits(x, "POSIXct") || is.character(x),
    unit = function(spec) spec$seconds, heap_name = second_heap_name,
    text = datetime_text, short = function(x) datetime_text(x, 60),
    ends = function(spec) {
      datetime_text(c(spec$lower, spec$upper), spec$seconds)
    },
    words = "date-times such as 2020-01-31 23:59:59",
    off = function(spec) {
      if (spec$seconds == 60) "not on a full minute" else "not on a full second"
    },
    typed = function(x) {
      structure(as.double(x), class = c("POSIXct", "POSIXt"), tzone = "UTC")
    },
    breaks = function(ends, n) {
      as.double(pretty(as.POSIXct(ends, origin = "1970-01-01", tz = "UTC"), n))
    },
    rule_number = function(x) if (is.character(x)) moment_number(x) else x
  )
}

#' The part of date-times that are multiples of some seconds
#' @noRd
second_heap_name <- function(seconds) {
  known <- c("60" = "minute", "3600" = "hour", "86400" = "day")
  name <- known[as.character(seconds)]
  if (is.na(name)) {
    paste("multiple of", format_exact(seconds), "seconds")
  } else {
    paste("full", name)
  }
}

# Text -------------------------------------------------------------------------

# With seconds and without; a blank or a T before the time, a Z for UTC behind
datetime_forms <- c(
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?Z?$",
  "^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}Z?$"
)

#' @return (integer) The row of `datetime_forms`.
#' @noRd
datetime_form <- function(text) text_form(text, datetime_forms)

#' Date-times as seconds since 1970
#' @param text (character)
#' @return (double) `NA`: no date-time.
#' @noRd
datetime_number <- function(text) {
  text <- unname(as.character(text))
  form <- datetime_form(text)
  part <- number_in_form(sub("Z$", "", text), form, 0)
  day <- date_number(ifelse(is.na(form), NA, substr(text, 1, 10)))
  hour <- part(12, 13, 2)
  minute <- part(15, 16, 2)
  second <- part(18, 40, 1)
  fine <- !is.na(form) & hour < 24 & minute < 60 & second < 60
  ifelse(fine, 86400 * day + 3600 * hour + 60 * minute + second, NA_real_)
}

#' @param unit (number) 60: without seconds.
#' @return (character) `NA` of what is no date-time.
#' @noRd
datetime_text <- function(seconds, unit = 1) {
  seconds <- as.double(seconds)
  text <- rep(NA_character_, length(seconds))
  there <- which(is.finite(seconds))
  seconds <- floor(seconds[there])
  of_day <- seconds %% 86400
  time <- sprintf("%02.0f:%02.0f", of_day %/% 3600, of_day %/% 60 %% 60)
  if (unit < 60) time <- sprintf("%s:%02.0f", time, of_day %% 60)
  text[there] <- paste(date_text((seconds - of_day) / 86400), time)
  text
}

#' Is it text of date-times alone?
#' @noRd
is_datetime_text <- function(x) is_text_of(x, datetime_number)

# Date-times in R --------------------------------------------------------------

time_forms.POSIXct <- function(x) {
  zone <- attr(x, "tzone", exact = TRUE)
  seconds <- as.double(unclass(x))
  whole <- all(seconds %% 1 == 0, na.rm = TRUE)
  if (whole && identical(zone[1], "UTC")) {
    text <- datetime_text(seconds)
    # To the minute, too, as a file may have them
    minute <- substr(text, 1, 16)
    return(list(
      text, sub(" ", "T", text), minute, sub(" ", "T", minute),
      substr(text, 1, 10)
    ))
  }
  x <- structure(seconds, class = c("POSIXct", "POSIXt"), tzone = zone)
  lapply(
    c(if (whole) "%Y-%m-%d %H:%M:%S" else "%Y-%m-%d %H:%M:%OS6",
      "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"),
    function(form) format(x, form)
  )
}

time_number.POSIXct <- function(text, like) moment_number(text)

#' Date-times, and days as their start, as seconds since 1970
#' @noRd
moment_number <- function(text) {
  number <- datetime_number(text)
  day <- is.na(number)
  number[day] <- 86400 * date_number(text[day])
  number
}

#' Is it another time than the start or the end of a month?
#' @noRd
is_long.POSIXct <- function(x, digits = 3) {
  seconds <- as.double(unclass(x))
  # The last minute of a month and its last second are written for its end
  near <- vapply(c(0, 1, 60), function(ahead) {
    moved <- seconds + ahead
    moved %% 86400 == 0 & starts_period(floor(moved / 86400), 1)
  }, logical(length(seconds)))
  known <- rowSums(matrix(near, length(seconds)), na.rm = TRUE) > 0
  is.finite(seconds) & (digits == 0 | !known)
}

# A draft ----------------------------------------------------------------------

#' Say that hours of the day are those of UTC
#' @noRd
tell_time_zone <- function(x, name) {
  offset <- if (inherits(x, "POSIXct")) as.POSIXlt(x)$gmtoff
  if (any(offset != 0, na.rm = TRUE)) {
    stated <- sprintf("format(%s)", rlang::expr_text(as.name(name)))
    tell_of("time_zone",
      "Date-times are those of UTC, and {.val {name}} has those of another time
       zone: hours of the day and midnights are not where the file shows them.",
      i = "To keep what the clock showed, write it as if it were UTC:
           {.code as.POSIXct({stated}, tz = \"UTC\")}."
    )
  }
}

draft_datetime <- function(values, x, name) {
  tell_time_zone(x, name)
  seconds <- values[is.finite(values)]
  days <- floor(seconds / 86400)
  check_drafted_years(civil_date(days)$year, "Date-times", name)
  codes <- unique(seconds[days %in% date_codes(days)])
  rest <- seconds[!seconds %in% codes]
  minutes <- all(rest %% 60 == 0)
  ends <- paste0(
    sprintf("%04.0f", civil_date(floor(range(rest) / 86400))$year),
    c("-01-01 00:00", "-12-31 23:59"), if (!minutes) c(":00", ":59")
  )
  list(
    type = "datetime", lower = ends[1], upper = ends[2],
    codes = list(datetime_text(codes)),
    heaps = list(datetime_heaps(rest, if (minutes) 60 else 1))
  )
}

#' Full minutes, quarters, hours and days that are three times as frequent as
#' among multiples of what comes before
#' @param unit (number) All are multiples of it.
#' @noRd
datetime_heaps <- function(seconds, unit) {
  steps <- c(60, 900, 3600, 86400)
  steps <- steps[steps > unit]
  if (length(unique(seconds)) <= few_records) {
    return(double())
  }
  share <- vapply(steps, function(step) mean(is_multiple(seconds, step)), 1)
  # Of the multiples of one, so many are multiples of the next by chance
  chance <- c(unit, steps[-length(steps)]) / steps
  heaped <- share > 0.05 & share > 3 * chance * c(1, share[-length(share)])
  steps <- steps[heaped]
  share <- share[heaped]
  # Are those that are no multiples of the next more than chance, too?
  beside <- c(share[-1], 0)[seq_along(share)]
  steps[share - beside > 3 * (1 - beside) * unit / steps]
}
