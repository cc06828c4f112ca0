# Published columns that must not leave: those that tell a protected one, or
# identify records.

#' Refuse sets whose published columns tell the response
#'
#' Of the file's own records; others were checked when they were drawn.
#' @param public (character) Columns that may tell it nearly.
#' @noRd
check_beside <- function(file, synthetic, public = character()) {
  variable <- only_column(synthetic)$name
  set <- synthetic$sets[[1]]
  if (nrow(set) == nrow(file)) {
    refuse_beside(told_beside(
      published_forms(set[setdiff(names(set), variable)]),
      comparable_values(file[[variable]])
    ), variable, public)
  }
}

#' @param found (list) See told_beside().
#' @noRd
refuse_beside <- function(found, name, public) {
  refuse_copied(found, name)
  told <- found$near$columns
  refuse_privacy(
    length(setdiff(told, public)) > 0,
    "Published columns must not nearly determine a protected one.",
    x = "{format_near_share(found$near$share)} of the values of {.val {name}}
         {cli::qty(length(told))}follow from {.val {told}}.",
    i = "Leave one out, or name all of them if this is intended:
         {.code public = {quoted_names(told)}}.",
    class = "pseudosynth_error_near_copy", share = found$near$share
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
