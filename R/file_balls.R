# Count weights and risk weights of whole records. An intruder who knows some
# published columns looks for a record's other columns: another record is close
# to it if it is close in each of them, an amount within the radius, all else
# where it is equal.

#' Which records are alike in what, for count_in_ball_()
#'
#' @param records (list) See records_of_plan(): of the file, or of a set.
#' @param drawn (character) Columns that are drawn.
#' @param known (character or `NULL`) Published columns that the intruder knows.
#' @return (list) `values` (matrix, a column for each amount that is drawn; 0
#'   where a record's part has none); `known`, `drawn` (data frames, whose rows
#'   are equal in what an intruder knows, and in the levels and kinds of what is
#'   drawn).
#' @noRd
compared_records <- function(records, drawn, known) {
  amounts <- records$values[intersect(drawn, names(records$values))]
  values <- vapply(amounts, function(x) {
    replace(x, is.na(x), 0)
  }, numeric(nrow(records$codes)))
  # Of an amount the part says which kind a record without a value is of
  code_of <- function(name) {
    code <- column_code(records, name)
    own <- records$values[[name]]
    if (is.null(own)) code else replace(code, !is.na(own), 0L)
  }
  # A column of its own where there is nothing to compare
  as_frame <- function(x) {
    x <- c(list(integer(nrow(records$codes))), x)
    as.data.frame(stats::setNames(x, seq_along(x)), optional = TRUE)
  }
  list(
    values = matrix(values, nrow(records$codes)),
    known = as_frame(c(
      lapply(known, code_of),
      unname(records$values[intersect(known, names(records$values))])
    )),
    drawn = as_frame(lapply(drawn, code_of))
  )
}

#' How many records of a set, or of the file, are close to each of the file
#' @param own,other (list) Of compared_records(): the file's records, and those
#'   among which the close ones are counted.
#' @noRd
count_close <- function(own, other, radius, relative) {
  cells_of <- function(x) data.frame(known = x$known, drawn = x$drawn)
  cells <- known_pattern(cells_of(own), names(cells_of(own)))
  searched <- match_pattern(cells_of(other), cells$table)
  # What is like no record of the file is close to none
  searched[searched < 0] <- cells$n
  count_in_ball_(
    own$values, ball_radius(own$values, radius, relative), cells$code,
    other$values, searched, cells$n + 1L
  )
}

#' Count weights of whole records
#' @param file (list) See records_of_plan().
#' @param mark (string) See plan_mark().
#' @noRd
file_count_weights <- function(file, drawn, radius, relative, known, scale,
                               shift, mark = NA) {
  own <- compared_records(file, drawn, known)
  pattern <- known_pattern(own$known, names(own$known))
  size <- pattern$size[pattern$code + 1L]
  basis <- list(
    drawn = drawn, known = known, pattern = pattern["size"], radius = radius,
    relative = relative, scale = scale, shift = shift
  )
  close <- count_close(own, own, radius, relative)
  new_count_weights(
    weight_of_outside(basis, (size - close) / size), basis, mark
  )
}

#' Risk weights of whole records, from sets with their published columns
#'
#' The risk of a record is that of identification_risk(): the share of the sets'
#' records of its pattern that are not close, counted where its own is.
#' @param sets (list) Records of each set, see records_of_plan().
#' @noRd
file_risk_weights <- function(file, sets, drawn, radius, relative, known,
                              mark) {
  own <- compared_records(file, drawn, known)
  pattern <- known_pattern(own$known, names(own$known))
  size <- pattern$size[pattern$code + 1L]
  risk <- Reduce(`+`, lapply(sets, function(records) {
    set <- compared_records(records, drawn, known)
    distance <- abs(set$values - own$values)
    near <- distance <= ball_radius(own$values, radius, relative)
    found <- rowSums(!near) == 0 & rowSums(set$drawn != own$drawn) == 0
    found * (size - count_close(own, set, radius, relative)) / size
  })) / length(sets)
  new_risk_weights(
    risk, list(
      radius = radius, relative = relative, known = known, m = length(sets)
    ),
    made_from = mark
  )
}

#' @param known (character or `NULL`)
#' @noRd
check_plan_known <- function(known, plan) {
  if (is.null(known)) {
    return(invisible())
  }
  check_names(known, plan$table$column, of = "columns of the plan")
  drawn <- setdiff(known, plan$published)
  refuse_if(
    length(drawn) > 0, "{.arg known} must name published columns.",
    x = "{.val {drawn}} {?is/are} synthetic.",
    i = "State {.arg publish} in {.fn file_plan}.", arg = "known"
  )
}
