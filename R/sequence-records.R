# Records of a file whose columns are known one after the other: what the next
# column is predicted from, and which rules they break.

#' Records as level numbers and amounts
#'
#' @param plan (`file_plan`)
#' @param rows (integer) Records of the file.
#' @return (list) `codes` (integer matrix, see file_plan()) and `values` (named
#'   list: of each amount a number a record, `NA` where its part has none).
#' @noRd
records_of_plan <- function(plan, rows = seq_len(plan$n_records)) {
  list(
    codes = plan$codes[rows, , drop = FALSE],
    values = lapply(plan$amounts, function(own) {
      values <- rep(NA_real_, plan$n_records)
      values[own$records] <- own$values
      values[rows]
    })
  )
}

#' Which records have the member whose column this is
#'
#' Of the others no column of that member is drawn, nor do they count in its
#' models: that there is no such member follows from how many there are.
#' @param plan (`file_plan`)
#' @return (logical)
#' @noRd
has_member <- function(records, name, plan) {
  slot <- slot_of(name, plan)
  if (slot < 2) {
    return(rep(TRUE, nrow(records$codes)))
  }
  column_code(records, first_column(plan$members)) >= slot
}

#' The records that have the member whose column this is
#' @noRd
records_with_member <- function(records, name, plan) {
  rows <- has_member(records, name, plan)
  if (all(rows)) records else records_at(records, which(rows))
}

records_at <- function(records, rows) {
  list(
    codes = records$codes[rows, , drop = FALSE],
    values = lapply(records$values, `[`, rows)
  )
}

#' Level numbers of a column; a column of one level has the first
#' @noRd
column_code <- function(records, name) {
  if (name %in% colnames(records$codes)) {
    unname(records$codes[, name])
  } else {
    rep(1L, nrow(records$codes))
  }
}

#' Level numbers, but 0 where an amount has a value: which kind it is of
#' @noRd
column_kind <- function(records, name) {
  code <- column_code(records, name)
  value <- records$values[[name]]
  if (is.null(value)) code else replace(code, !is.na(value), 0L)
}

#' Records with the values of a column
#' @param drawn (list) `code`, and `value` of an amount.
#' @noRd
with_column <- function(records, rows, name, drawn) {
  if (name %in% colnames(records$codes)) {
    records$codes[rows, name] <- drawn$code
  }
  if (name %in% names(records$values)) {
    records$values[[name]][rows] <- drawn$value
  }
  records
}

#' The amounts of records as a plan has them
#' @noRd
amounts_of <- function(records) {
  lapply(records$values, function(values) {
    at <- which(!is.na(values))
    list(records = at, values = values[at])
  })
}

#' What rules a column is the last to decide, by the order of columns
#'
#' @param plan (`file_plan`)
#' @param order (character) Columns that are drawn.
#' @return (named list) By column: rules, see file_plan().
#' @noRd
rules_by_column <- function(plan, order) {
  names <- colnames(plan$codes)
  last <- vapply(plan$rules, function(rule) {
    sides <- unlist(lapply(rule$compared, `[`, c("left", "right")))
    used <- c(names[rule$columns], intersect(sides, names(plan$amounts)))
    # Published columns alone meet a rule, since the file does
    max(0L, match(used, order), na.rm = TRUE)
  }, 1L)
  lapply(
    stats::setNames(seq_along(order), order),
    function(k) plan$rules[last == k]
  )
}

#' Which records break rules
#' @param rules (list) See file_plan(). Their columns have values.
#' @return (logical)
#' @noRd
breaks_rules <- function(rules, records, specs, sizes) {
  codes <- records$codes
  broken <- logical(nrow(codes))
  values <- compared_values(rules, specs, codes, amounts_of(records))
  for (rule in rules) {
    broken[broken_records(rule, codes, sizes)] <- TRUE
    for (one in rule$compared) {
      rows <- compared_rows(one, rule, codes, sizes)
      broken[rows[!holds_comparison(one, values, rows)]] <- TRUE
    }
  }
  broken
}

# Predictors -------------------------------------------------------------------

#' A column as one number a record: of a category its level's, of an amount its
#' value, with missing values below all others
#' @noRd
column_numbers <- function(records, name, spec) {
  code <- column_code(records, name)
  if (!is_amount(spec)) {
    return(as.double(code))
  }
  parts <- amount_parts(spec)
  values <- parts$value[code]
  valued <- parts$valued[code]
  values[valued] <- records$values[[name]][valued]
  lowest <- min(parts$value, parts$low, na.rm = TRUE)
  values[is.na(values)] <- lowest - max(1, abs(lowest))
  values
}

#' Have the levels of a column no order?
#' @noRd
is_unordered <- function(spec) {
  spec$kind$nominal && length(block_levels(spec)) > 2
}
