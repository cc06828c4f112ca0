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
#'   Parts that can have no value are left out.
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
