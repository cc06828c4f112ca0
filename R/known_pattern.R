# What an intruder knows about a record: a pattern of published columns, and
# the response, whose value is looked for in a ball around the truth.

#' Number the patterns of the known columns
#'
#' @param data (data frame) The records.
#' @param known (character or `NULL`) Columns; `NULL` is one pattern for all.
#' @return (list) `code` (integer, N, 0-based), `n` (patterns), `size` (integer,
#'   n: records of each), `table` (data frame: the columns of each pattern, as
#'   `pattern_value()` gives them, but date-times as they are).
#' @noRd
known_pattern <- function(data, known) {
  known <- unique(known)
  n <- nrow(data)
  code <- pattern_code(data[known], n)
  found <- !duplicated(code)
  first <- which(found)[order(code[found])]
  list(
    code = code - 1L, n = length(first), size = tabulate(code, length(first)),
    table = as.data.frame(
      lapply(data[known], function(x) {
        # Beside other moments these compare as such
        if (is_moment(x)) x[first] else pattern_value(x[first])
      }), optional = TRUE
    )
  )
}

#' A column as numbers or text that compare exactly
#' @noRd
pattern_value <- function(x) {
  if (is.numeric(x) && !is.factor(x)) as.double(x) else as_text(x)
}

is_moment <- function(x) inherits(x, "POSIXct")

#' Numbers of a column's values, in the order in which they come
#' @noRd
codes_of <- function(x) {
  if (!is.numeric(x)) x <- if (is.factor(x)) as.integer(x) else as_text(x)
  match(x, unique(x))
}

# Codes 1, 2, .. in order of first appearance. After each column they are
# numbered anew, so that products stay below 2^53.
pattern_code <- function(values, n) {
  code <- rep(1L, n)
  for (x in values) {
    level <- codes_of(x)
    both <- (as.double(code) - 1) * max(level) + level
    code <- match(both, unique(both))
  }
  code
}

#' Which pattern of a table each record has
#' @return (integer) 0-based; -1 where the table does not have it.
#' @noRd
match_pattern <- function(data, table) {
  if (length(table) == 0) {
    return(rep(0L, nrow(data)))
  }
  n <- nrow(table)
  values <- Map(function(old, new) {
    # By the second, as their text, which depends on their time zone and on
    # those beside them
    if (is_moment(old) && is_moment(new)) {
      floor(c(as.double(old), as.double(new)))
    } else {
      c(pattern_value(old), pattern_value(new))
    }
  }, table, data[names(table)])
  code <- pattern_code(values, n + nrow(data))
  found <- match(code[n + seq_len(nrow(data))], code[seq_len(n)])
  found[is.na(found)] <- 0L
  as.integer(found - 1L)
}

#' The half-width of each record's ball
#'
#' A relative ball around 0 holds 0 alone; the sign of y does not matter.
#' @noRd
ball_radius <- function(y, radius, relative) {
  radius * (if (relative) abs(y) else y^0)
}

radius_choice <- "The radius says how near a value counts as close, which is a
  policy choice. 0.2 is 20% of the true value. With {.code relative = FALSE} the
  radius is in the unit of the response."

#' @param zero (flag) May it be 0? A count of equal values has a meaning, a risk
#'   that a ball without width finds is 0 whatever is released.
#' @noRd
check_radius <- function(radius, relative, zero = FALSE) {
  refuse_if(
    rlang::is_missing(radius), "{.arg radius} must be given.",
    i = radius_choice, arg = "radius"
  )
  if (zero) {
    check_argument(radius)
  } else {
    check_argument(radius, min = -Inf, above = 0)
  }
  check_argument(relative)
  refuse_if(
    relative && radius > 1,
    "A relative {.arg radius} is a share of the true value, at most 1.",
    x = "It is {format(radius)}, which means {format(100 * radius)}%.",
    i = "Write 0.2 for 20%, or {.code relative = FALSE} for the unit of the
         response.",
    arg = "radius"
  )
}

#' Check the known columns
#' @return (character or `NULL`)
#' @noRd
check_known <- function(known, data, response, arg = "known") {
  check_names(known, names(data), arg = arg)
  known <- unique(known)
  refuse_if(
    response %in% known,
    "The response must not be among the {.arg {arg}} columns.",
    x = "{.val {response}} is synthetic.", arg = arg
  )
  for (name in known) check_predictor(data[[name]], name)
  known
}

#' The response as numbers in its own unit
#'
#' @param levels (character or `NULL`) The two levels of a response that is not
#'   numeric; they count as 0 and 1. `NULL`: those of the column itself.
#' @noRd
response_values <- function(data, variable, levels = NULL, arg = "data") {
  refuse_if(
    !variable %in% names(data),
    "The response must be a column of {.arg {arg}}.",
    x = "There is no column {.val {variable}}.",
    i = "The columns are {.val {names(data)}}.", arg = arg
  )
  y <- data[[variable]]
  check_finite_column(y, variable)
  levels <- levels %||% response_levels(y)
  if (is.logical(y) || length(levels) == 2) y <- as_number(y, levels)
  check_that(
    is.numeric(y) && !is.object(y) && is.null(dim(y)) && !anyNA(y),
    data[[variable]],
    "The response {.val {variable}} must be a plain numeric column, or have
     two levels.",
    arg = arg
  )
  as.double(y)
}
