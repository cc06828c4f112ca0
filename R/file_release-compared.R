# What rules that compare amounts leave of each value, while a set's amounts are
# drawn one after the other: parts are known beforehand, earlier amounts are
# values by then, and later ones leave room for their parts.

#' What an amount's values may be, given those drawn before
#'
#' @param room (list or `NULL`) See start_room().
#' @param rows (integer) Records that have a value.
#' @param part (integer) Rows of `amount$parts` of these.
#' @return (list) `low` and `high`, one for each of `rows`.
#' @noRd
ends_of_amount <- function(room, amount, rows, part) {
  one <- room$amounts[[amount$name]]
  if (is.null(one)) {
    return(ends_of_parts(amount, part))
  }
  list(low = one$low[rows], high = one$high[rows])
}

ends_of_parts <- function(amount, part) {
  ends <- value_ends(amount$all_parts)
  lapply(ends, function(end) end[amount$part[part]])
}

#' Ends on the modelled scale, where they are narrower than those of the parts
#' @return (list or `NULL`, where none is)
#' @noRd
modelled_room <- function(amount, ends, part) {
  own <- ends_of_parts(amount, part)
  narrow <- list(low = ends$low > own$low, high = ends$high < own$high)
  if (!any(narrow$low) && !any(narrow$high)) {
    return(NULL)
  }
  low <- ifelse(narrow$low, to_modelled(amount, ends$low), -Inf)
  high <- ifelse(narrow$high, to_modelled(amount, ends$high), Inf)
  # A logarithm takes negative values without their sign
  turned <- amount$transform == "log" &
    amount$parts$kind[part] == "negative"
  bottom <- ifelse(narrow$high, to_modelled(amount, ends$high), -Inf)
  top <- ifelse(narrow$low, to_modelled(amount, ends$low), Inf)
  list(low = ifelse(turned, bottom, low), high = ifelse(turned, top, high))
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
    i = "A part of an amount may hold no value that a comparison allows. State
         wider bounds, or fewer codes and heaps.",
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
