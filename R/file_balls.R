# Count weights and risk weights of whole records. An intruder who knows some
# published columns looks for a record's other columns: another record is close
# to it if it is close in each of them, an amount within the radius, all else
# where it is equal.

#' What count_in_ball_() compares of records
#'
#' @param records (list) See records_of_plan(): of the file, or of a set.
#' @param drawn (character) Columns that are drawn.
#' @param known (character or `NULL`) Published columns that the intruder knows.
#' @return (list) `values` (matrix, a column for each amount that is drawn; 0
#'   where a record has none), `drawn` (list: of each column that is drawn the
#'   level, or the kind of what is no value), `known` (list: what is known).
#' @noRd
compared_records <- function(records, drawn, known) {
  amounts <- records$values[intersect(drawn, names(records$values))]
  values <- vapply(amounts, function(x) {
    replace(x, is.na(x), 0)
  }, numeric(nrow(records$codes)))
  list(
    values = matrix(values, nrow(records$codes)),
    drawn = lapply(drawn, column_kind, records = records),
    known = c(
      lapply(known, column_kind, records = records),
      unname(records$values[intersect(known, names(records$values))])
    )
  )
}

#' How many records are as each is in what an intruder knows
#' @param own (list) Of compared_records().
#' @return (integer)
#' @noRd
pattern_sizes <- function(own) {
  code <- pattern_code(own$known, nrow(own$values))
  tabulate(code)[code]
}

#' How many records of a set, or of the file, are close to each of the file
#' @param own,other (list) Of compared_records(): the file's records, and those
#'   among which the close ones are counted.
#' @noRd
count_close <- function(own, other, radius, relative) {
  rows <- seq_len(nrow(own$values))
  code <- pattern_code(
    Map(c, c(own$known, own$drawn), c(other$known, other$drawn)),
    length(rows) + nrow(other$values)
  )
  count_in_ball_(
    own$values, ball_radius(own$values, radius, relative), code[rows] - 1L,
    other$values, code[-rows] - 1L, max(code)
  )
}

#' Count weights of whole records
#' @param file (list) See records_of_plan().
#' @param made (list) `from`, `records`: see made_of().
#' @noRd
file_count_weights <- function(file, drawn, radius, relative, known, scale,
                               shift, made = list(from = NA)) {
  own <- compared_records(file, drawn, known)
  size <- pattern_sizes(own)
  basis <- list(
    drawn = drawn, known = known, pattern = list(size = range(size)),
    radius = radius, relative = relative, scale = scale, shift = shift
  )
  close <- count_close(own, own, radius, relative)
  new_count_weights(
    weight_of_outside(basis, (size - close) / size), basis, made$from,
    made$records
  )
}

#' Risk weights of whole records, from sets with their published columns
#'
#' The risk of a record is that of identification_risk(): the share of the sets'
#' records of its pattern that are not close, counted where its own is.
#' @param sets (list) Records of each set, see records_of_plan().
#' @noRd
file_risk_weights <- function(file, sets, drawn, radius, relative, known,
                              made) {
  own <- compared_records(file, drawn, known)
  size <- pattern_sizes(own)
  half <- ball_radius(own$values, radius, relative)
  risk <- Reduce(`+`, lapply(sets, function(records) {
    set <- compared_records(records, drawn, known)
    near <- rowSums(abs(set$values - own$values) > half) == 0
    found <- Reduce(`&`, Map(`==`, set$drawn, own$drawn), near)
    found * (size - count_close(own, set, radius, relative)) / size
  })) / length(sets)
  new_risk_weights(
    risk, list(
      radius = radius, relative = relative, known = known, m = length(sets)
    ),
    made_from = made$from, records = made$records
  )
}

#' @param known (character or `NULL`)
#' @noRd
check_plan_known <- function(known, plan) {
  if (is.null(known)) {
    return(invisible())
  }
  check_names(known, plan$table$column, of = "columns of the plan")
  other <- setdiff(known, plan$published)
  refuse_if(
    length(other) > 0, "{.arg known} must name published columns.",
    x = "{.val {other}} {?is/are} not published.",
    i = "{cli::qty(length(other))}Name {?it/them} in {.arg publish} of
         {.fn file_plan}, or leave {?it/them} out.", arg = "known"
  )
}
