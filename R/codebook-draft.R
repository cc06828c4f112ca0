# A draft of a codebook, read from the file. It saves typing and is no public
# knowledge: what it states counts only when somebody has confirmed it.

#' Draft a codebook from a file
#'
#' `draft_codebook()` reads types, levels, bounds and codes from the file, for
#' you to change by [edit_codebook()]. [confirm_codebook()] then states that
#' they are public.
#'
#' *Types.* Whole numbers with at most 20 different values become ordered
#' levels, or logical if they are only 0 and 1. They become numbers if there are
#' more than 10 of them and more than one for every five records.
#'
#' *Identifiers.* A column that identifies records becomes an `"id"`, and a
#' message names it. Text, a factor or a date does if 95% of its values differ.
#' So does text or a factor of more levels than one for every two records, of
#' more than 20 levels and more than one for every five records, or of more than
#' 200 levels. A column of numbers does if they are whole and look like case
#' numbers of records or households: they differ and fill their range, are
#' evenly spread, or have one number of digits. Amounts do not, even if all of
#' them differ: they are of many sizes, or round.
#'
#' *Amounts.* Bounds are rounded outwards: 1,156,038 becomes 2,000,000, and the
#' year 1956 becomes 1960. An amount far from symmetric gets the transform
#' `"log"`, or `"asinh"` if many of its values are negative: one whose largest
#' value is more than 20 times its median, or, without negative values, whose
#' 99th percentile lies more than three times as far from the median as its
#' first. A rate is drafted as an amount, since records do not tell that no
#' value can lie above 1.
#' Frequent zeros become a part of their own. Multiples of 10, 100 and so on
#' become heaps if they are frequent, and so do whole numbers among numbers with
#' decimals. Decimals are counted, up to nine; beyond that `digits` is `"any"`.
#' `storage` is the column's type in R. A column of a few numbers with decimals,
#' such as 0.5, 1 and 1.5, is an amount, too: of such levels make it
#' `"ordered"`.
#'
#' *Codes.* Values such as -8 or 99999 become codes if they stand apart from the
#' others (far from them, or near and more frequent), and so do dates such as
#' 9999-12-31 or 1900-01-01. Value labels and missing values that the haven
#' package declares become levels or codes, also if no record has them. Of a
#' declared range, these are its ends and its values in the file. Tagged missing
#' values of Stata and SAS become plain ones, and a message names their columns.
#'
#' *Dates.* A column of class `POSIXct`, or of text such as 2020-01-31 23:59,
#' becomes a `"datetime"`, with seconds if a value has some; text such as
#' 2020-01-31 becomes a `"date"`. If every date is the first of a month, or of a
#' year, the bounds are months or years. If these days are only frequent, they
#' become heaps, and so do full minutes, quarters, hours and days of date-times.
#' If every date is one other day of its month, such as the last or the 15th, a
#' message says that sets would have other days, too. Date-times count in UTC: a
#' message says so where the file has them in another time zone.
#'
#' @param data (data frame, table of a database, or character: paths of files)
#'   The confidential file, see [file_plan()]. Unless it is a data frame, only
#'   one column at a time is held in memory. A list of two linked tables gives
#'   one codebook; what links them becomes an `"id"`.
#' @return A [codebook()]. In a draft `confirmed` is `FALSE` for every column,
#'   and a question mark stands behind every type, such as `amount?`. It stays a
#'   draft in a CSV file, and whatever is deleted or emptied in it.
#' @section Messages: `pseudosynth_message_left_out`: columns that are left
#'   out as identifiers. `pseudosynth_message_tagged`: columns whose tagged
#'   missing values do not come back. `pseudosynth_message_one_day`: dates that
#'   are all one day of the month. `pseudosynth_message_time_zone`: date-times
#'   of another time zone than UTC.
#' @section Error types: `pseudosynth_error_input`: columns that are not vectors
#'   of a known type, or that are missing for all records; dates beyond the year
#'   9999.
#' @section Privacy: A draft is confidential: its levels and bounds come from
#'   the records. A strict release of an unconfirmed draft is an error. Confirm
#'   only what the public could know without the file, such as the agency's
#'   questionnaire or an earlier year's codebook.
#' @examples
#' draft <- draft_codebook(ce_income)
#' draft
#' # By public knowledge: no income of the survey is above ten millions
#' confirm_codebook(edit_codebook(draft, income = list(upper = 1e7)))
#' @export
draft_codebook <- function(data) {
  check_present(data)
  draft_book(data, most_levels)
}

#' A draft in which columns of more levels than `most` are identifiers
#' @noRd
draft_book <- function(data, most) {
  if (rlang::is_bare_list(data)) {
    return(draft_linked(data, most))
  }
  with_file(data, function(file) draft_of_file(file, most))
}

#' Each table by itself: a household counts once. What links them is an
#' identifier
#' @noRd
draft_linked <- function(data, most) {
  check_linked(data, "data")
  tables <- lapply(data, whole_table, "data")
  key <- check_link(lapply(tables, names), "data")
  books <- lapply(tables, function(table) {
    own <- setdiff(names(table), key)
    refuse_if(
      length(own) == 0, "Each table must have columns of its own.",
      arg = "data"
    )
    unclass(draft_book(columns_alone(table, own), most))$table
  })
  link <- codebook(data.frame(
    column = key, type = paste0("id", draft_mark)
  ))
  codebook(do.call(rbind, c(list(unclass(link)$table), unname(books))))
}

#' @param file (list) See with_file().
#' @noRd
draft_of_file <- function(file, most) {
  mixed <- empty <- character()
  rows <- lapply(names(file$like), function(name) {
    check_column_kind(file$like[[name]], name)
    # One column at a time is in memory
    x <- whole_column(file, name)
    check_text(x, name)
    if (all(is.na(plain_column(x)))) {
      empty <<- c(empty, name)
      return(list(column = name, type = "id", confirmed = FALSE))
    }
    row <- draft_row(x, name, most)
    if (row$type == "id") mixed[[name]] <<- mixed_text(x)
    row
  })
  mixed <- mixed[nzchar(mixed)]
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
  left <- table$column[!vapply(table$type, function(type) {
    column_kinds[[type]]$released
  }, NA)]
  if (length(empty) > 0) {
    tell_of("left_out",
      "{.val {empty}} {?is/are} left out: no record has a value.",
      i = "Is the file read as it should be?"
    )
  }
  left <- setdiff(left, empty)
  sorted <- Filter(is_reordered, file$like)
  if (length(sorted) > 0) tell_factors(sorted)
  tell_drafted(left, file$like[left], mixed, Filter(function(name) {
    has_tags(file$like[[name]])
  }, names(file$like)))
  codebook(as.data.frame(table, optional = TRUE))
}

#' Say which columns a draft leaves out, and what it cannot hold
#' @param like (list) The columns `left`, or columns of their kind.
#' @param mixed (named character) See mixed_text(), of columns `left`.
#' @param tagged (character)
#' @noRd
tell_drafted <- function(left, like, mixed, tagged) {
  if (length(left) > 0) {
    x <- like[[1]]
    read <- sub(" .*", "", or_else(mixed[[left[1]]], ""))
    stated <- if (read %in% c("dates", "date-times")) {
      type <- if (read == "dates") "date" else "datetime"
      sprintf("type = \"%s\", lower = .., upper = ..", type)
    } else if (is.factor(x) || is.character(x)) {
      "type = \"category\", levels = c(..)"
    } else {
      type <- class_kind(x)$name %||% "amount"
      sprintf("type = \"%s\", lower = .., upper = ..", type)
    }
    line <- sprintf(
      "edit_codebook(draft, %s = list(%s))",
      rlang::expr_text(as.name(left[1])), stated
    )
    tell_of("left_out",
      "{.val {left}} {?is/are} left out: {?its/their} values identify records,
       or there are too many of them.",
      x_bullets(sprintf(
        "%s is text of %s.", encodeString(names(mixed), quote = "\""), mixed
      )),
      i = if (any(grepl(" but for ", mixed))) {
        "Make text that stands for no value {.code NA}, and draft again."
      },
      i = if (any(grepl("^numbers", mixed))) {
        "{.code as.numeric()} makes numbers of text, unless it names records."
      },
      i = "To keep one, state what it is: {.code {line}}."
    )
  }
  if (length(tagged) > 0) {
    tell_of("tagged",
      "The tags of missing values of {.val {tagged}} do not come back: they are
       plain missing values.",
      i = "To keep them, make them codes: {.code x[haven::is_tagged_na(x,
           \"a\")] <- -1}."
    )
  }
}

#' What text of a column is, or most of it
#' @return (string) Empty if there is no such thing.
#' @noRd
mixed_text <- function(x) {
  x <- if (is.character(x) && !is.object(x)) x[!is.na(x)] else character()
  if (length(x) == 0) {
    return("")
  }
  met <- unique(x)
  some <- utils::head(met, 1000)
  off <- vapply(list(
    dates = date_number, "date-times" = datetime_number, numbers = text_number
  ), function(read) {
    # Of many names a few tell that they are of no kind
    if (mean(is.na(read(some))) > 0.8) {
      return(length(x))
    }
    sum(is.na(read(met))[match(x, met)])
  }, 1L)
  least <- which.min(off)
  if (off[least] > length(x) / 2) {
    ""
  } else if (off[least] > 0) {
    sprintf("%s but for %s", names(least), counted(off[[least]], "record"))
  } else {
    names(least)
  }
}

#' What a draft states of one column
#' @return (list) Fields of a codebook.
#' @noRd
draft_row <- function(x, name, most) {
  label <- attr(x, "label", exact = TRUE)
  # That drafts it itself: it has its class, or reads its text
  kind <- class_kind(x) %||% Find(function(kind) kind$takes(x), column_kinds)
  if (!is.null(kind)) x <- kind$read(x, name)
  values <- plain_column(x)
  row <- if (!is.null(kind)) {
    kind$draft(values, x, name)
  } else if (is.factor(x) || is.character(values)) {
    draft_text(values, x)
  } else if (is.logical(values)) {
    list(type = "logical")
  } else {
    draft_number(values, x)
  }
  if (length(row$levels) > most) row <- list(type = "id")
  c(row, list(
    column = name, storage = draft_storage(x, row),
    label = if (is_string(label)) label,
    missing = column_kinds[[row$type]]$released && anyNA(values),
    confirmed = FALSE
  ))
}

#' Text and factors, if they do not name records
#' @noRd
draft_text <- function(values, x) {
  if (is.factor(x)) {
    type <- if (is.ordered(x)) "ordered" else "category"
    # Which order reorder() gave them is a figure's
    if (is_reordered(x)) x <- plain_factor(x)
    row <- list(type = type, levels = as_text(levels(x)))
    unknown <- length(row$levels)
  } else {
    found <- distinct_text(values[!is.na(values)])
    known <- declared_values(x, values)
    row <- draft_levels(found, known, "category")
    # Labels are the questionnaire's
    unknown <- sum(!found %in% known)
  }
  named <- differ_mostly(values) ||
    unknown > drafted_levels(sum(!is.na(values)))
  if (named) list(type = "id") else row
}

#' Values with a label in the labels' order, then the others, sorted
#' @noRd
draft_levels <- function(found, declared, type) {
  labels <- names(declared) %||% rep("", length(declared))
  known <- declared[nzchar(labels)]
  others <- sort(setdiff(c(found, declared), known))
  levels <- c(value_text(known), value_text(others))
  if (length(known) > 0) {
    names(levels) <- c(names(known), rep("", length(others)))
  }
  list(type = type, levels = levels)
}

draft_number <- function(values, x) {
  values <- values[is.finite(values)]
  distinct <- sort(unique(values))
  whole <- all(distinct == round(distinct))
  declared <- declared_values(x, values)
  known <- length(declared) > 0
  rest <- values[!values %in% declared]
  if (is_case_number(rest)) {
    return(list(type = "id"))
  }
  if (known && length(rest) == 0) {
    if (differ_mostly(values)) {
      return(list(type = "id"))
    }
    return(draft_levels(distinct, declared, "category"))
  }
  if (!known && all(distinct %in% 0:1)) {
    return(list(type = "logical"))
  }
  few <- length(distinct) <= few_levels && !differ_mostly(values) &&
    length(distinct) <= drafted_levels(length(values), few_levels / 2)
  if (whole && few) {
    return(draft_levels(distinct, declared, "ordered"))
  }
  codes <- c(declared, draft_codes(rest))
  rest <- rest[!rest %in% codes]
  if (is_case_number(rest)) {
    return(list(type = "id"))
  }
  draft_amount(rest, whole, codes)
}

# How many times as far above the median as below it the outer hundredths lie
# from which on positive values are drafted as skewed: 4 of a log-normal amount
# whose log has a standard deviation of .6, 5.7 of an exponential one
least_skew <- 3

is_skewed <- function(values) {
  if (min(values) < 0) {
    return(FALSE)
  }
  outer <- stats::quantile(
    values[values > 0], c(0.01, 0.5, 0.99), names = FALSE
  )
  isTRUE(outer[3] - outer[2] > least_skew * (outer[2] - outer[1]))
}

draft_amount <- function(values, whole, codes) {
  low <- min(values)
  high <- max(values)
  middle <- stats::median(abs(values[values != 0]))
  skewed <- isTRUE(max(abs(values)) > 20 * middle) || is_skewed(values)
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
  # Years are rounded to their decade
  years <- whole && low >= 1800 && high < 2200
  lower <- if (years) 10 * floor(low / 10) else outward(low, -1)
  # A logarithm needs a lower bound above 0, or zero as a part
  if (transform == "log" && low > 0) lower <- 10^floor(log10(low))
  upper <- if (years) 10 * floor(high / 10 + 1) else outward(high, 1)
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
      # So many units need more digits than a number has
      fine <- max(0, abs(values)) * 10^digits > 2^49
      return(if (fine) any_digits else digits)
    }
  }
  any_digits
}

#' What the column is in R; bounds may be wider than R's integers
#' @return (string or `NULL`)
#' @noRd
draft_storage <- function(x, row) {
  if (!"storage" %in% column_kinds[[row$type]]$fields) {
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
#'
#' Of numbers with decimals the whole ones are such multiples, too.
#' @noRd
draft_heaps <- function(values, whole) {
  values <- values[values != 0]
  steps <- 10^seq_len(max(0, floor(log10(max(abs(values), 1))) - 1))
  if (length(steps) == 0) {
    return(double())
  }
  if (!whole) steps <- c(1, steps)
  share <- vapply(steps, function(step) mean(is_multiple(values, step)), 1)
  # Of the multiples of one power, a tenth are multiples of the next; of numbers
  # with decimals at most a tenth are whole
  before <- c(if (whole) 1 else 0.5, share[-length(share)])
  heaped <- share > 0.05 & share > 0.3 * before
  heaped <- cumsum(!heaped) == 0
  # Nearly all multiples of one are multiples of the next
  next_one <- c(ifelse(heaped, share, 0)[-1], 0)
  steps[heaped & next_one < nearly_all * share]
}

# Codes ------------------------------------------------------------------------

# Codes, such as -9 for no answer, among the values of a column, as a draft
# finds them: declared by package haven, or usual ones that stand apart from all
# other values.

#' Values with a label, or declared as missing, whether a record has them or not
#'
#' @param values (vector) Plain values of `x`.
#' @return (vector) Named by labels, if there are any.
#' @noRd
declared_values <- function(x, values) {
  labels <- plain_column(attr(x, "labels", exact = TRUE))
  names(labels) <- names(attr(x, "labels", exact = TRUE))
  # Of tagged missing values there are labels, too
  labels <- labels[!is.na(labels)]
  missing <- plain_column(attr(x, "na_values", exact = TRUE))
  ends <- plain_column(attr(x, "na_range", exact = TRUE))
  if (is.numeric(values) && length(ends) == 2) {
    inside <- values[!is.na(values) & values >= ends[1] & values <= ends[2]]
    missing <- c(missing, sort(unique(c(ends[is.finite(ends)], inside))))
  }
  missing <- setdiff(missing, labels)
  known <- c(unname(labels), missing)
  if (any(nzchar(names(labels)))) {
    names(known) <- c(names(labels), rep("", length(missing)))
  }
  known
}

# What data files write for no answer, refused and the like
usual_codes <- c(
  1:9, 66, 77, 88, 97:99, 666, 777, 888, 997:999, 9999, 99999
)

#' Values such as -8 or 99999 that stand apart
#' @noRd
draft_codes <- function(values) {
  negative <- sort(unique(values[values < 0]))
  if (!all(-negative %in% usual_codes)) {
    return(c(sort(-codes_above(-values)), codes_above(values)))
  }
  c(apart_below(negative, values), codes_above(values))
}

#' Which negative candidates stand apart from the values above 0
#'
#' All do if they are tiny beside those. Else one that is near another value,
#' or a chain of neighbours, is a value itself, such as a temperature; but not
#' if it is far more frequent than what is near it.
#' @param found (double) Sorted.
#' @noRd
apart_below <- function(found, values) {
  above <- values[values > 0]
  if (length(found) == 0 || length(above) == 0) {
    return(double())
  }
  middle <- stats::median(above)
  if (-found[1] <= middle / 50) {
    return(found)
  }
  steps <- diff(sort(unique(above[above <= middle])))
  near <- max(2, 3 * stats::quantile(c(0, steps), 0.9, names = FALSE))
  low <- above[above <= max(9, min(above))]
  usual <- max(tabulate(match(low, unique(low))))
  last <- min(above)
  apart <- vapply(rev(found), function(code) {
    n <- sum(values == code)
    if (last - code > near || (n >= 5 && n > 3 * usual)) {
      return(TRUE)
    }
    last <<- code
    FALSE
  }, NA)
  found[rev(apart)]
}

#' Which of the largest values are of one digit, such as 9999, and stand apart:
#' twice as large as all others, or a quarter larger and twice as frequent, or
#' more frequent and ten times as far away as large values are from each other
#' @noRd
codes_above <- function(values) {
  found <- sort(unique(values[values >= 66]), decreasing = TRUE)
  found <- utils::head(found, 9)
  text <- format(found, scientific = FALSE, digits = 15, trim = TRUE)
  usual <- grepl("^(9+[6-9]|6{2,}|7{2,}|8{2,})$", text)
  # From the largest downwards without a gap
  found <- found[cumsum(!usual) == 0]
  # Those are codes that leave no other value near them
  for (k in rev(seq_along(found))) {
    rest <- values[values < found[k]]
    codes <- found[seq_len(k)]
    n <- sum(values %in% codes)
    if (length(rest) == 0 || n <= 1) next
    far <- found[k] >= 100 && max(rest) < found[k] / 2
    often <- usual_count(rest)
    frequent <- n >= 5 && n > 2 * often && max(rest) < 0.8 * found[k]
    larger <- sort(unique(rest[rest >= stats::median(rest)]))
    apart <- n >= 5 && n > often && length(larger) > 1 &&
      found[k] - max(rest) >= 10 * max(diff(larger))
    if (far || frequent || apart) {
      return(sort(codes))
    }
  }
  double()
}

#' How often the most frequent of the larger values is met
#' @noRd
usual_count <- function(values) {
  larger <- values[values > stats::median(values)]
  max(0, tabulate(match(larger, unique(larger))))
}
