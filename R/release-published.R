# Published columns that must not leave: those that tell a protected one, or
# identify records.

#' Published columns must not tell the file's response, wherever they are from
#'
#' Sets drawn for `newdata` were never beside it until now.
#' @noRd
check_beside <- function(file, synthetic) {
  variable <- only_column(synthetic)$name
  y <- file[[variable]]
  set <- synthetic$sets[[1]]
  beside <- set[setdiff(names(set), variable)]
  if (nrow(set) == nrow(file)) check_not_copied(y, beside)
  check_holds_none(y, beside)
}

refuse_near_copies <- function(y, beside, public) {
  near <- near_copies(y, beside)
  told <- near$columns
  refuse_privacy(
    length(setdiff(told, public)) > 0,
    "Published columns must not nearly reveal the response.",
    x = "{.val {told}} {cli::qty(length(told))}{?reveals/reveal}
         {format_near_share(near$share)} of the response.",
    i = "Leave one out, or name all of them if this is intended:
         {.code public = {quoted_names(told)}}.",
    class = "pseudosynth_error_near_copy", share = near$share
  )
}

#' Refuse published columns that number the records
#' @noRd
check_none_distinct <- function(synthetic, public) {
  set <- synthetic$sets[[1]]
  beside <- set[setdiff(names(set), c(synthetic$columns$name, public))]
  told <- distinct_columns(beside)
  refuse_privacy(
    length(told) > 0,
    "A published column must not identify single records.",
    x = "{cli::qty(length(told))}Nearly every record has its own value
         of {.val {told}}.",
    i = "Leave {cli::qty(length(told))}{?it/them} out, round {?it/them}, or
         write {.code public = {quoted_names(told)}} if this is intended.",
    class = "pseudosynth_error_distinct_column"
  )
}
