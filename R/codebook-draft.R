# A draft of a codebook, read from the file. It saves typing and is no public
# knowledge: what it states counts only when somebody has confirmed it.

#' Draft a codebook from a file, then confirm it
#'
#' `draft_codebook()` reads types, levels, bounds and codes from the file, for
#' you to edit. `confirm_codebook()` states that they are public.
#'
#' Bounds are rounded outwards: 1,156,038 becomes 2,000,000. Whole numbers with
#' at most 20 different values become ordered levels, or logical if they are
#' only 0 and 1. A column with more than 200 levels becomes an identifier. Text
#' also becomes an identifier if it has more than 20 different values and more
#' than half as many different values as the file has records. An amount far
#' from symmetric gets the transform `"log"`, or `"asinh"` if many of its values
#' are negative. Frequent zeros become a part of their own. Values such as -8 or
#' 99999 become codes if they stand apart from the others. Multiples of 10, 100
#' and so on become heaps if they are frequent. Decimals are counted, up to
#' nine; beyond that `digits` is `"any"`. `storage` is the column's type in R.
#' Value labels of the haven package become labels of levels or of codes.
#'
#' @param data (data frame, table of a database, character: paths of files, or
#'   [shards()]) The confidential file, see [file_plan()]. Unless it is a data
#'   frame, only one column at a time is held in memory.
#' @param book (`codebook`) A draft, edited or not.
#' @param columns (character or `NULL`) Which columns to confirm. Default
#'   `NULL`: all columns.
#' @return A [codebook()]. In a draft `confirmed` is `FALSE` for every column; a
#'   CSV file written by [write_codebook()] keeps this.
#' @section Error types: `pseudosynth_error_input`: columns that are not vectors
#'   of a known type, or that are missing for all records.
#' @section Privacy: A draft is confidential: its levels and bounds come from
#'   the records. A strict release of an unconfirmed draft is an error. Confirm
#'   only what the public could know without the file, such as the agency's
#'   questionnaire or an earlier year's codebook.
#' @examples
#' draft <- draft_codebook(ce_income)
#' draft
#' # By public knowledge: no income of the survey is above ten millions
#' edited <- as.data.frame(draft)
#' edited$upper[edited$column == "income"] <- 1e7
#' confirm_codebook(codebook(edited))
#' @export
draft_codebook <- function(data) draft_book(data, most_levels)

#' A draft in which columns of more levels than `most` are identifiers
#' @noRd
draft_book <- function(data, most) {
  with_file(data, function(file) draft_of_file(file, most))
}

#' @param file (list) See with_file().
#' @noRd
draft_of_file <- function(file, most) {
  rows <- lapply(names(file$like), function(name) {
    check_column_kind(file$like[[name]], name)
    # One column at a time is in memory
    x <- whole_column(file, name)
    check_text(x, name)
    refuse_if(
      all(is.na(plain_column(x))),
      "Every column must have a value for at least one record.",
      x = "{.val {name}} is missing for all {length(x)} record{?s}.",
      i = "Drop it, or read the file again.", arg = "data",
      rows = seq_along(x)
    )
    draft_row(x, name, most)
  })
  table <- lapply(stats::setNames(nm = names(codebook_fields)), function(f) {
    values <- lapply(rows, function(row) row[[f]] %||% codebook_fields[[f]])
    if (is.list(codebook_fields[[f]])) {
      lapply(values, function(x) if (is.list(x)) x[[1]] else x)
    } else {
      unlist(values)
    }
  })
  lists <- vapply(table, is.list, TRUE)
  table[lists] <- lapply(table[lists], I)
  codebook(as.data.frame(table, optional = TRUE))
}

#' @rdname draft_codebook
#' @export
confirm_codebook <- function(book, columns = NULL) {
  check_class(book, "codebook", "Make one with {.fn draft_codebook}.")
  table <- unclass(codebook(book))$table
  must <- "{.arg columns} must be names of columns of the codebook."
  named <- is.null(columns) || (is.character(columns) && !anyNA(columns))
  check_that(named, columns, must, i = "{.code NULL} means all.")
  absent <- absent_names(columns, table$column)
  refuse_if(!is.null(absent), must, x = "{absent}", arg = "columns")
  table$confirmed[is.null(columns) | table$column %in% columns] <- TRUE
  new_result("codebook", table = table)
}

#' What a draft states of one column
#' @return (list) Fields of a codebook.
#' @noRd
draft_row <- function(x, name, most) {
  label <- attr(x, "label", exact = TRUE)
  values <- plain_column(x)
  row <- if (is.factor(x)) {
    list(
      type = if (is.ordered(x)) "ordered" else "category",
      levels = as_text(levels(x))
    )
  } else if (inherits(x, "Date")) {
    draft_date(values)
  } else if (is.character(values)) {
    draft_text(distinct_text(values[!is.na(values)]), x)
  } else if (is.logical(values)) {
    list(type = "logical")
  } else {
    draft_number(values, x)
  }
  if (length(row$levels) > most) row <- list(type = "id")
  c(row, list(
    column = name, storage = draft_storage(x, row),
    label = if (is_string(label)) label,
    missing = row$type != "id" && anyNA(values), confirmed = FALSE
  ))
}

#' Text with a value of its own for most records names them
#' @noRd
draft_text <- function(found, x) {
  names_records <- length(found) > max(20, length(x) / 2) &&
    is.null(attr(x, "labels", exact = TRUE))
  if (names_records) list(type = "id") else draft_levels(found, x, "category")
}

#' Labelled values in the labels' order, then the others
#' @noRd
draft_levels <- function(found, x, type) {
  labels <- attr(x, "labels", exact = TRUE)
  known <- as_field(plain_column(labels) %||% character())
  names <- c(names(labels), rep("", sum(!found %in% known)))
  levels <- c(known, setdiff(found, known))
  if (any(nzchar(names))) names(levels) <- names
  list(type = type, levels = levels)
}

as_field <- function(x) if (is.numeric(x)) shortest_text(x) else as_text(x)

draft_date <- function(days) {
  ends <- as.Date(range(days, na.rm = TRUE), origin = "1970-01-01")
  year <- format(ends, "%Y")
  list(
    type = "date", lower = paste0(year[1], "-01-01"),
    upper = paste0(year[2], "-12-31")
  )
}

draft_number <- function(values, x) {
  values <- values[is.finite(values)]
  distinct <- sort(unique(values))
  whole <- all(distinct == round(distinct))
  labels <- plain_column(attr(x, "labels", exact = TRUE))
  if (length(labels) > 0 && all(distinct %in% labels)) {
    return(draft_levels(shortest_text(distinct), x, "category"))
  }
  if (length(labels) == 0 && all(distinct %in% 0:1)) {
    return(list(type = "logical"))
  }
  if (whole && length(distinct) <= 20) {
    return(draft_levels(shortest_text(distinct), x, "ordered"))
  }
  codes <- if (length(labels) > 0) {
    stats::setNames(labels, names(attr(x, "labels", exact = TRUE)))
  } else {
    draft_codes(values)
  }
  rest <- values[!values %in% codes]
  draft_amount(rest, whole, codes)
}

#' Values such as -8 or 99999 that stand apart
#' @noRd
draft_codes <- function(values) {
  usual <- c(1:9, 66, 77, 88, 97:99, 666, 777, 888, 997:999, 9999, 99999)
  negative <- unique(values[values < 0])
  found <- if (all(-negative %in% usual)) sort(negative)
  top <- max(values)
  nines <- grepl("^9{3,}$", format(top, scientific = FALSE, digits = 15))
  rest <- values[values < top]
  apart <- sum(values == top) > 1 && length(rest) > 0 && max(rest) < top / 2
  c(found, if (nines && apart) top)
}

draft_amount <- function(values, whole, codes) {
  low <- min(values)
  high <- max(values)
  middle <- stats::median(abs(values[values != 0]))
  skewed <- isTRUE(max(abs(values)) > 20 * middle)
  mostly_positive <- mean(values < 0) < 0.02
  count <- whole && low >= 0 && high <= 1000
  transform <- if (!skewed || count) {
    "identity"
  } else if (mostly_positive) {
    "log"
  } else {
    "asinh"
  }
  zero <- !0 %in% codes && low <= 0 && high >= 0 &&
    (transform == "log" || mean(values == 0) > 0.05)
  lower <- outward(low, -1)
  # A logarithm needs a lower bound above 0, or zero as a part
  if (transform == "log" && low > 0) lower <- 10^floor(log10(low))
  upper <- outward(high, 1)
  # A single value, such as 0.5, may be its own end
  if (lower == upper) upper <- outward(high + abs(high) / 2, 1)
  list(
    type = if (count) "count" else "amount",
    lower = shortest_text(lower), upper = shortest_text(upper),
    digits = if (!count) as.character(draft_digits(values)),
    codes = list(field_values(codes)), heaps = list(draft_heaps(values, whole)),
    zero = zero, transform = transform
  )
}

#' How many decimals all values have, if they are few
#' @noRd
draft_digits <- function(values, most = most_digits) {
  for (digits in 0:most) {
    # As they are but for rounding, also where all are tiny
    off <- abs(values - round(values, digits))
    if (all(off <= 2^-49 * abs(values))) {
      return(digits)
    }
  }
  any_digits
}

#' What the column is in R; bounds may be wider than R's integers
#' @return (string or `NULL`)
#' @noRd
draft_storage <- function(x, row) {
  if (row$type %in% c("id", "date")) {
    return(NULL)
  }
  storage <- storage_of(x)
  wide <- !are_integers(text_number(c(row$lower, row$upper)))
  if (storage == "integer" && wide) "double" else storage
}

#' The next number of 1, 2 or 5 times a power of ten, away from the values
#' @noRd
outward <- function(x, sign) {
  if (x == 0) {
    return(0)
  }
  power <- 10^floor(log10(abs(x)))
  steps <- c(0, 1, 2, 5, 10) * power
  if (sign * x > 0) {
    sign * min(steps[steps >= abs(x)])
  } else {
    -sign * max(steps[steps <= abs(x)])
  }
}

#' Powers of ten whose multiples are three times as frequent as by chance
#' @noRd
draft_heaps <- function(values, whole) {
  values <- values[values != 0]
  steps <- 10^seq_len(max(0, floor(log10(max(abs(values), 1))) - 1))
  if (!whole || length(steps) == 0) {
    return(double())
  }
  share <- vapply(steps, function(step) mean(is_multiple(values, step)), 1)
  # Of the multiples of one power, a tenth are multiples of the next
  before <- c(1, share[-length(share)])
  heaped <- share > 0.05 & share > 0.3 * before
  steps[cumsum(!heaped) == 0]
}
