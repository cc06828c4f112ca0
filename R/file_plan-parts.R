# The parts of an amount: missing, zero, negative, each code, heaps, other
# values. Which part a record is in is a category; values are modelled in their
# part.

#' The parts that a codebook gives to an amount, count or date
#'
#' @param spec (list) Of column_specs().
#' @return (data frame) One row a part: `part` (its name), `kind`, `value` (the
#'   only one, or `NA`), `step` (of heaps, else `NA`), `valued` (are its records
#'   amounts?), `low`, `high` (closed range of its values), `unit` (its values
#'   are multiples of it; 0: any), `months` (they start a period of so many
#'   months; `NA`: they need not), `fine` (the least that a value is moved by).
#'   Parts that can have no value are left out. check_book_values() refuses a
#'   codebook without any, which is `NULL` or has no row.
#' @noRd
amount_parts <- function(spec) {
  negative <- spec$transform == "log" && spec$lower < 0
  own <- spec$kind
  calendar <- own$calendar
  unit <- own$unit(spec)
  fine <- if (unit > 0) unit else fine_step(
    c(spec$lower, spec$upper), spec$heaps
  )
  # Closed ends: the numbers next to 0 that the type has
  least <- if (unit > 0) unit else .Machine$double.xmin
  zero_apart <- spec$zero || 0 %in% spec$codes
  positive <- spec$transform == "log" || (spec$lower == 0 && zero_apart)
  low <- if (positive) max(spec$lower, least) else spec$lower
  part <- function(part, kind, value = NA_real_, step = NA_real_,
                   low = value, high = value) {
    valued <- kind %in% c("negative", "heap", "value")
    unit <- if (is.na(step) || calendar) unit else step
    months <- if (valued) if (is.na(step)) spec$months else if (calendar) step
    list(list(
      part = part, kind = kind, value = value, step = step, valued = valued,
      low = low, high = high, unit = unit,
      months = as.double(months %||% NA), fine = fine
    ))
  }
  codes <- lapply(unname(spec$codes), function(code) {
    part(paste("code", own$text(code)), "code", code)
  })
  heaps <- lapply(rev(spec$heaps), function(step) {
    part(own$heap_name(step), "heap",
      step = step, low = low, high = spec$upper
    )
  })
  rows <- c(
    if (spec$missing) part("missing", "missing"),
    if (spec$zero) part("zero", "zero", 0),
    unlist(codes, recursive = FALSE),
    if (negative) {
      part("negative", "negative",
        low = spec$lower, high = min(spec$upper, -least)
      )
    },
    if (spec$upper >= low) {
      c(
        unlist(heaps, recursive = FALSE),
        part("value", "value", low = low, high = spec$upper)
      )
    }
  )
  if (length(rows) == 0) {
    return(NULL)
  }
  # Binding data frames takes ten times as long
  fields <- stats::setNames(nm = names(rows[[1]]))
  parts <- list2DF(lapply(fields, function(field) {
    unlist(lapply(rows, `[[`, field))
  }))
  ends <- value_ends(parts)
  # Nothing is modelled where there is one value only
  one <- parts$valued & ends$low == ends$high
  parts$value[one] <- ends$low[one]
  parts$valued[one] <- FALSE
  parts <- parts[!parts$valued | ends$low <= ends$high, ]
  row.names(parts) <- NULL
  parts
}

# Values of parts --------------------------------------------------------------

# Which values a part can have: multiples of its unit that are in no other part,
# such as a code's or a larger heap's.

#' The part that each value is in
#'
#' @param x (double) Plain numbers.
#' @param parts (data frame) Of amount_parts().
#' @return (integer) Rows of `parts`; `NA` where the value is in none of them.
#' @noRd
part_of <- function(x, parts) {
  found <- rep(NA_integer_, length(x))
  finest <- min(parts$unit[parts$unit > 0], Inf)
  # The first part that takes a value has it: codes before heaps, the largest
  # multiples before smaller ones
  for (k in seq_len(nrow(parts))) {
    kind <- parts$kind[k]
    inside <- switch(kind,
      missing = is.na(x) & !is.nan(x),
      zero = ,
      code = x == parts$value[k],
      x >= parts$low[k] & x <= parts$high[k]
    )
    if (kind %in% c("negative", "heap", "value")) {
      inside <- inside & in_steps(
        x, parts$unit[k], parts$months[k], finest
      )
    }
    found[is.na(found) & inside %in% TRUE] <- k
  }
  found
}

#' Are values such as a part has: multiples of a unit, firsts of a period?
#' @param unit,months (numbers) Of amount_parts().
#' @param finest (number) The least unit of all parts.
#' @noRd
in_steps <- function(x, unit, months, finest = unit) {
  fine <- rep(TRUE, length(x))
  at <- which(is.finite(x))
  if (unit > 0) fine[at] <- is_multiple(x[at], unit, finest)
  if (!is.na(months)) fine[at] <- fine[at] & starts_period(x[at], months)
  fine
}

#' The least that a value of any decimals is moved by: a 2^40th of its bounds,
#' and more than what a multiple of a heap's step may be off
#' @noRd
fine_step <- function(bounds, heaps = double()) {
  size <- max(abs(bounds), 2^14 * heaps, 2^-900)
  2^(ceiling(log2(size)) - 40)
}

#' The smallest and the largest value of each part
#' @return (list of double) `low`, `high`, one for each row of `parts`; `-Inf`
#'   and `Inf` of a missing part. Where a part has no value `low` is above
#'   `high`.
#' @noRd
value_ends <- function(parts) {
  part <- seq_len(nrow(parts))
  list(
    low = in_part_beyond(-Inf, part, parts, 1),
    high = in_part_beyond(Inf, part, parts, -1)
  )
}

#' The nearest values of parts at or beyond some numbers
#'
#' @param x (double) Recycled to the length of `part`.
#' @param part (integer) Rows of `parts`. Of a missing part it is `x`.
#' @param sign (1 or -1) Upwards, or downwards.
#' @param strict (flag) Beyond the number itself?
#' @return (double) `Inf`, or `-Inf` downwards, where a part has no such value.
#' @noRd
in_part_beyond <- function(x, part, parts, sign, strict = FALSE) {
  x <- rep_len(as.double(x), length(part))
  single <- which(!is.na(parts$value[part]))
  value <- parts$value[part[single]]
  before <- sign * value < sign * x[single] |
    (strict & value == x[single])
  x[single] <- ifelse(before, sign * Inf, value)
  many <- which(parts$valued[part])
  if (length(many) > 0) {
    x[many] <- many_beyond(x[many], part[many], parts, sign, strict)
  }
  x
}

#' The same of parts with more than one value
#' @noRd
many_beyond <- function(x, part, parts, sign, strict) {
  ends <- if (sign > 0) c("low", "high") else c("high", "low")
  first <- parts[[ends[1]]][part]
  last <- parts[[ends[2]]][part]
  before <- sign * x < sign * first
  x[before] <- first[before]
  whole <- parts$unit[part] > 0
  step <- ifelse(parts$unit > 0, parts$unit, parts$fine)[part]
  months <- parts$months[part]
  moved <- function(x, at, past) {
    y <- x + sign * step[at] * past
    unit <- whole[at]
    y[unit] <- multiple_beyond(x[unit], step[at][unit], sign, past[unit])
    own <- months[at]
    for (period in unique(own[!is.na(own)])) {
      of <- which(own == period)
      y[of] <- period_beyond(x[of], period, sign, past[of])
    }
    y
  }
  y <- moved(x, seq_along(x), strict & !before)
  # In a row there are at most all codes, and two multiples of other heaps
  for (k in seq_len(2 * nrow(parts) + 2)) {
    off <- which(
      sign * y <= sign * last & !(part_of(y, parts) == part) %in% TRUE
    )
    if (length(off) == 0) break
    y[off] <- moved(y[off], off, rep(TRUE, length(off)))
  }
  y[off] <- sign * Inf
  y[sign * y > sign * last] <- sign * Inf
  y
}

#' The next multiple of a unit, as a decimal number that reads so
#'
#' Numbers are compared as they are: what is a multiple but for rounding lies
#' before or behind it.
#' @param past (logical) Also of what is a multiple itself.
#' @noRd
multiple_beyond <- function(x, unit, sign, past) {
  # A quotient of whole numbers is the decimal that is meant
  parts <- round(1 / unit)
  whole <- unit < 1 & abs(parts * unit - 1) < 1e-12
  times <- function(k) ifelse(whole, k / parts, signif(k * unit, 15))
  k <- sign * ceiling(sign * x / unit)
  found <- times(k - sign)
  for (add in c(0, sign)) {
    ahead <- sign * (found - x)
    short <- which(ahead < 0 | (past & ahead == 0))
    found[short] <- times(k + add)[short]
  }
  found
}

#' The nearest values of parts to numbers between ends
#' @param ends (list) `low` and `high` of each, values of its part.
#' @noRd
nearest_in_part <- function(x, part, parts, ends) {
  up <- in_part_beyond(x, part, parts, 1)
  down <- in_part_beyond(x, part, parts, -1)
  above <- down < ends$low | (up <= ends$high & up - x < x - down)
  ifelse(above, up, down)
}
