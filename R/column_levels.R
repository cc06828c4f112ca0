# Kinds of columns that have stated levels and nothing between them.

#' A kind of levels, see new_column_kind()
#' @noRd
level_kind <- function(name, fields,
                       values = function(spec) unname(spec$levels),
                       check = check_book_levels, holds = levels_hold,
                       stated = function(spec) {
                         counted(length(spec$levels), "level")
                       },
                       fits = fits_levels, levels = named_levels,
                       code = code_levels, decode = decode_levels,
                       find = found_levels, rule_value = level_in_rule, ...) {
  new_column_kind(
    name, fields, values = values, check = check, holds = holds,
    stated = stated, fits = fits, levels = levels, code = code,
    decode = decode, find = find, rule_value = rule_value, ...
  )
}

# More levels than this are no categories
largest_levels <- 10000L

# What a column of stated levels can come back as
level_storages <- c("factor", "text", "integer", "double")

check_book_levels <- function(row, spec) {
  column <- spec$column
  levels <- spec$levels
  n <- length(levels)
  refuse_if(
    n == 0, "The codebook must state the levels of {.val {column}}.",
    arg = "x"
  )
  refuse_if(
    n > largest_levels,
    "A column must have at most {format_count(largest_levels)} levels.",
    x = "{.val {column}} has {format_count(n)}.",
    i = "Join levels. Or state the frequent ones, and {.field outside} for the
         others. Or make the column an amount or an {.val id}.", arg = "x"
  )
  twice <- sum(duplicated(levels))
  refuse_if(
    twice > 0, "The levels of {.val {column}} must be different.",
    x = "{twice} level{?s} {?repeats/repeat} an earlier one.", arg = "x"
  )
  alike <- sum(duplicated(trimws(levels)))
  refuse_if(
    alike > 0,
    "The levels of {.val {column}} must differ in more than blanks at their
    ends.",
    x = "{alike} level{?s} {?equals/equal} another one but for such blanks.",
    i = "Correct the file, or the codebook: {.code \"a | b\"} has blanks around
         {.code |}.", arg = "x"
  )
  refuse_if(
    spec$missing && "missing" %in% levels,
    "A level of {.val {column}} must not be named {.val missing}: the level of
    missing values has this name.", arg = "x"
  )
  refuse_if(
    is_stated(spec$outside) && !spec$outside %in% levels,
    "{.field outside} of {.val {column}} must be one of its levels.", arg = "x"
  )
}

#' Levels that are all numbers come back as these, others as a factor
#' @noRd
level_storage <- function(spec) {
  numbers <- text_number(spec$levels)
  # "01" is text: as a number it would come back as 1
  if (identical(shortest_text(numbers), unname(spec$levels))) {
    number_storage(numbers)
  } else {
    "factor"
  }
}

levels_hold <- function(spec, storage) {
  numbers <- text_number(spec$levels)
  switch(storage,
    integer = are_integers(numbers), double = !anyNA(numbers), TRUE
  )
}

#' Can a column have the levels?
#'
#' Levels may be of several kinds: "1", "TRUE" and "other" are numbers, flags or
#' text, as the records are.
#' @noRd
fits_levels <- function(x, spec) {
  could_be <- function(f) any(!is.na(f(spec$levels)))
  if (is_time(x)) {
    could_be(function(text) time_number(text, x))
  } else if (is.logical(x)) {
    could_be(as.logical)
  } else {
    !is_plain_number(x) || could_be(text_number)
  }
}

named_levels <- function(spec) {
  c(unname(spec$levels), if (spec$missing) "missing")
}

code_levels <- function(x, spec) {
  values <- column_values(x)
  levels <- spec$kind$values(spec)
  found <- spec$kind$find(x, values, spec)
  absent <- is.na(values) & !is.nan(values)
  found[is.na(found) & !absent] <- match(spec$outside, spec$levels)
  found[absent] <- if (spec$missing) length(levels) + 1L else NA
  found
}

found_levels <- function(x, values, spec) {
  levels <- spec$kind$values(spec)
  if (is.logical(x)) {
    return(match(x, as.logical(levels)))
  }
  matched_levels(if (is_time(x)) time_forms(x)[[1]] else values, levels)
}

#' Levels as text or as numbers, which is the same: one record that is text
#' makes a column of numbers, such as 1 and 1.0, one of text
#' @noRd
matched_levels <- function(values, levels) {
  # "01" and "1.0" are numbers of a column of numbers
  numbers <- text_number(levels)
  if (is.numeric(values)) {
    return(match(values, numbers, incomparables = NA))
  }
  found <- match(values, levels)
  rest <- which(is.na(found))
  rest <- rest[grepl("^[-+]?[0-9]+([.][0-9]*)?$", values[rest])]
  found[rest] <- match(text_number(values[rest]), numbers)
  found
}

decode_levels <- function(code, amounts, spec, schema) {
  typed_values(spec$kind$values(spec), schema)[code]
}

#' Values in the column's type; of a factor, numbers of its levels
#' @noRd
typed_values <- function(values, schema) {
  if ("factor" %in% schema$attributes$class) {
    return(match(values, schema$attributes$levels))
  }
  if (is.character(values) && schema$storage != "character") {
    values <- text_number(values)
  }
  if (is.double(values) && schema$storage == "integer") {
    values <- round(values)
  }
  storage.mode(values) <- schema$storage
  values
}

#' Levels as a rule's expression has them
#' @noRd
level_in_rule <- function(code, spec) {
  levels <- unname(spec$levels)
  number <- text_number(levels)
  # "01" and "1" are two levels of text
  if (!anyNA(number) && !anyDuplicated(number)) {
    number[code]
  } else {
    # "<" of text would be the alphabet's
    factor(levels[code], levels, ordered = spec$kind$ordered)
  }
}
