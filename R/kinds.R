# The one list of kinds of columns, in the order of ?codebook. A new one is its
# own file, a line here and a case in test-conformance-kinds.R.

# By a codebook's `type`
column_kinds <- list(
  category = kind_category(), ordered = kind_ordered(), logical = kind_flag(),
  count = kind_count(), amount = kind_amount(), rate = kind_rate(),
  date = kind_date(), datetime = kind_datetime(), id = kind_id()
)

#' The kind whose class in R a column has
#' @return (list or `NULL`)
#' @noRd
class_kind <- function(x) {
  Find(function(kind) {
    !is.null(kind$class) && inherits(x, kind$class[1])
  }, column_kinds)
}

#' What a question's answer is for each of some types
#' @param types (character) Without a draft's mark.
#' @param question (string) See new_column_kind().
#' @return (vector)
#' @noRd
kinds_of <- function(types, question) {
  unlist(lapply(unname(column_kinds[types]), `[[`, question))
}

#' Types by the columns of a codebook, without a draft's mark
#' @return (named character)
#' @noRd
types_of <- function(book) {
  table <- unclass(book)$table
  stats::setNames(plain_types(table$type), table$column)
}

#' Numbers about columns as people read them: dates as dates
#' @param x (data frame of numbers)
#' @param types (character) Of each row's column. `NA`: not known.
#' @return (data frame) As `x`; text where some numbers are dates.
#' @noRd
as_column_shows <- function(x, types) {
  timed <- Filter(function(kind) is_time(kind$typed(0)), column_kinds)
  timed <- timed[intersect(names(timed), types)]
  if (length(timed) == 0) {
    return(x)
  }
  x[] <- lapply(x, function(numbers) {
    text <- format_figure(numbers)
    for (type in names(timed)) {
      own <- types %in% type & is.finite(numbers)
      text[own] <- timed[[type]]$short(round(numbers[own]))
    }
    format(text, justify = "right")
  })
  x
}
