# What rules that compare amounts leave of each value, while a set's amounts are
# drawn one after the other. Parts are known beforehand, earlier amounts are
# values by then, and later ones leave room for their parts.

# The smallest difference of two values where decimals are not stated
least_step <- 2^-20

#' What all amounts may be, before any is drawn
#'
#' @param x (`file_release`)
#' @param codes (integer matrix) Of the set.
#' @return (list or `NULL`, where no rule compares amounts) `pairs` (list:
#'   `lower`, `upper`, names or numbers; `step`; `rows`) and `ends` (named list:
#'   `low` and `high` of all records, by their parts).
#' @noRd
compared_room <- function(x, codes) {
  if (length(x$compared) == 0) {
    return(NULL)
  }
  specs <- column_specs(x$codebook)
  sizes <- lengths(x$levels)
  pairs <- lapply(x$compared, function(one) {
    down <- one$fn %in% c("<", "<=")
    step <- if (one$fn %in% c("<", ">")) smallest_step(one, specs) else 0
    list(
      lower = if (down) one$left else one$right,
      upper = if (down) one$right else one$left, step = step,
      rows = records_in(one$cells, one$columns, codes, sizes)
    )
  })
  names <- unique(unlist(lapply(pairs, `[`, c("lower", "upper"))))
  names <- intersect(names, names(specs))
  ends <- lapply(stats::setNames(nm = names), function(name) {
    parts <- amount_parts(specs[[name]])
    code <- rep(1L, nrow(codes))
    if (name %in% colnames(codes)) code <- codes[, name]
    # The first and the last value that a part has
    unit <- amount_unit(specs[[name]])
    step <- ifelse(is.na(parts$step), unit, parts$step)
    on_steps <- step > 0 & parts$valued
    lowest <- ifelse(on_steps, step * ceiling(parts$low / step), parts$low)
    highest <- ifelse(on_steps, step * floor(parts$high / step), parts$high)
    list(low = lowest[code], high = highest[code])
  })
  list(pairs = pairs, ends = ends)
}

smallest_step <- function(one, specs) {
  names <- intersect(c(one$left, one$right), names(specs))
  min(vapply(specs[names], function(spec) {
    if (amount_unit(spec) > 0) amount_unit(spec) else least_step
  }, 0))
}

#' What rules leave of an amount's values, given those drawn before
#'
#' @param drawn (named list) Amounts drawn so far, `records` and `values`.
#' @param rows (integer) Records that have a value.
#' @param part (integer) Rows of `amount$parts` of these.
#' @return (list) `low` and `high`, one for each of `rows`.
#' @noRd
ends_of_amount <- function(room, amount, drawn, rows, part) {
  own <- list(low = amount$parts$low[part], high = amount$parts$high[part])
  if (is.null(room$ends[[amount$name]])) {
    return(own)
  }
  ends <- room$ends
  for (name in intersect(names(drawn), names(ends))) {
    one <- drawn[[name]]
    ends[[name]]$low[one$records] <- one$values
    ends[[name]]$high[one$records] <- one$values
  }
  # As often as the longest chain of amounts is long
  for (pass in seq_along(ends)) {
    for (pair in room$pairs) ends <- narrowed_ends(ends, pair)
  }
  list(
    low = pmax(own$low, ends[[amount$name]]$low[rows], na.rm = TRUE),
    high = pmin(own$high, ends[[amount$name]]$high[rows], na.rm = TRUE)
  )
}

#' The ends of two sides of which one must not lie above the other
#' @noRd
narrowed_ends <- function(ends, pair) {
  at <- pair$rows
  of <- function(side, end) {
    if (is.character(side)) ends[[side]][[end]][at] else side
  }
  if (is.character(pair$upper)) {
    ends[[pair$upper]]$low[at] <- pmax(
      of(pair$upper, "low"), of(pair$lower, "low") + pair$step, na.rm = TRUE
    )
  }
  if (is.character(pair$lower)) {
    ends[[pair$lower]]$high[at] <- pmin(
      of(pair$lower, "high"), of(pair$upper, "high") - pair$step, na.rm = TRUE
    )
  }
  ends
}

#' The same ends on the modelled scale
#' @return (list or `NULL`, where they are those of the parts)
#' @noRd
modelled_room <- function(amount, ends, part) {
  parts <- amount$parts
  if (identical(ends, list(low = parts$low[part], high = parts$high[part]))) {
    return(NULL)
  }
  low <- to_modelled(amount, ends$low)
  high <- to_modelled(amount, ends$high)
  # A logarithm takes negative values without their sign
  list(low = pmin(low, high), high = pmax(low, high))
}

#' No set with a record that breaks a rule
#' @noRd
check_compared <- function(x, codes, amounts) {
  specs <- column_specs(x$codebook)
  sizes <- lengths(x$levels)
  rules <- lapply(x$compared, function(one) list(compared = list(one)))
  values <- compared_values(rules, specs, codes, amounts)
  broken <- lapply(x$compared, function(one) {
    rows <- records_in(one$cells, one$columns, codes, sizes)
    rows[!holds_comparison(one, values, rows)]
  })
  rows <- unique(c(unlist(broken), records_off(x, specs, codes, amounts)))
  refuse_if(
    length(rows) > 0, "A set must meet the rules.",
    x = "{length(rows)} record{?s} {?has/have} no value that meets them.",
    i = "A part may leave no room for a value that must lie beside another one:
         state wider bounds, or fewer codes and heaps.",
    arg = "fit", class = "pseudosynth_error_rule"
  )
}

#' Records whose amount is not in the part that their codes say
#' @noRd
records_off <- function(x, specs, codes, amounts) {
  if (length(x$compared) == 0) {
    return(NULL)
  }
  unlist(lapply(names(amounts), function(name) {
    one <- amounts[[name]]
    code <- rep(1L, nrow(codes))
    if (name %in% colnames(codes)) code <- codes[, name]
    found <- part_of(one$values, amount_parts(specs[[name]]))
    one$records[!(found == code[one$records]) %in% TRUE]
  }))
}
