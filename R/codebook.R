# The codebook of a file: what is publicly known of each of its columns. All
# that a strict release of a file rests on besides its records is read here.

# The kinds of columns, and what a codebook states of each beyond its name
codebook_types <- list(
  category = c("levels", "storage", "missing", "outside"),
  ordered = c("levels", "storage", "missing", "outside"),
  logical = c("storage", "missing"),
  count = c(
    "lower", "upper", "storage", "missing", "codes", "heaps", "zero", "outside",
    "transform", "family"
  ),
  amount = c(
    "lower", "upper", "digits", "storage", "missing", "codes", "heaps", "zero",
    "outside", "transform", "family"
  ),
  date = c(
    "lower", "upper", "missing", "codes", "heaps", "outside", "transform",
    "family"
  ),
  id = "records"
)

codebook_transforms <- c("identity", "log", "asinh")

# By type, the default first
codebook_families <- list(
  count = c("neg_binomial", "poisson", "student_t", "gaussian"),
  amount = c("student_t", "gaussian"), date = c("student_t", "gaussian")
)

is_amount <- function(spec) spec$type %in% names(codebook_families)

# Fields that every type may have
general_fields <- c("column", "type", "unit", "label", "confirmed")

# A table of more cells than this by another column is noise: a strict release
# takes no more levels, and a draft makes no more
most_levels <- 200L

# More levels than this are no categories
largest_levels <- 10000L

# A number has 15 digits that can be relied on
largest_bound <- 1e15

most_digits <- 9L

# What an amount states that may have any decimals
any_digits <- "any"

# What a column of a set can come back as, by type. Dates are R's dates.
codebook_storages <- list(
  category = c("factor", "text", "integer", "double"),
  ordered = c("factor", "text", "integer", "double"),
  logical = c("logical", "integer", "double"),
  count = c("integer", "double"), amount = c("integer", "double")
)

# Sums and priors are of numbers about 1: the least size of the larger bound
smallest_size <- 1e-4

#' The codebook of a file
#'
#' States what is publicly known about each column of a file: its type, its
#' levels or bounds, special codes. [file_plan()] checks a file against it.
#' Levels and bounds of a strict release come from here and never from the
#' records.
#'
#' `codebook()` takes a data frame or the path of a CSV file, with one row for
#' each column of the file, and checks it. `write_codebook()` writes such a CSV
#' file. [draft_codebook()] makes a draft from a file.
#'
#' @section Fields:
#' Only `column` and `type` are required. Leave empty the fields that do not
#' apply to a column's type. In a CSV file, and in text, several values are
#' separated by `|`, and a value may have a label after `=`, such as
#' `1=male|2=female`. To write `|`, `=` or a backslash as plain text, put a
#' backslash before it.
#' * `column`: the name of the column.
#' * `type`: `"category"`; `"ordered"`; `"logical"`, including columns of 0 and
#'   1; `"count"`, whole numbers; `"amount"`; `"date"`; or `"id"`, an
#'   identifier, which is left out of every release.
#' * `levels` (category, ordered): every value that the column can have, in
#'   order, including values that no record has. If the file's column holds
#'   numbers, the levels are these numbers. At most 10,000 levels;
#'   [file_release()] takes at most 200.
#' * `lower`, `upper` (count, amount, date): smallest and largest value, dates
#'   as 2020-01-31. State both as months, such as 2020-01, if every date is the
#'   first of a month, and as years, such as 2020, if every date is the first of
#'   a year: so are then all synthetic dates. At least one of the two must be
#'   0.0001 or more in absolute value. If neither is, measure in another unit.
#' * `digits` (amount): how many decimals values have, from -9 to 9: 2 for
#'   cents, 0 for whole numbers, -3 for whole thousands. `"any"`: any number of
#'   decimals. Synthetic values have this number of decimals. A protected value
#'   of the file with more decimals is rounded; a published one is an error.
#'   Default: any number of decimals, or whole numbers if `storage` is
#'   `"integer"`. A strict release needs a statement.
#' * `storage`: what the column is in a synthetic file. A category comes back as
#'   `"factor"` (of an ordered one an ordered factor), `"text"`, `"integer"` or
#'   `"double"`; a flag as `"logical"`, `"integer"` or `"double"`; a count or an
#'   amount as `"integer"` or `"double"`. Default: categories whose levels are
#'   all numbers are numbers, others factors; flags are logical; counts and
#'   amounts are integers if their `digits`, bounds and codes are whole and
#'   within R's integers. Dates have class `Date`.
#' * `unit`, `label`: the unit in which the column is measured, and what the
#'   column is, for readers. A protected column of a set has the `label` as its
#'   attribute; a label of the file's column is left out.
#' * `missing`: may values be missing? Default `FALSE`.
#' * `codes` (count, amount, date): special values, such as -9 for no answer, or
#'   a top code. Each is a level of its own, apart from the values, see "Parts
#'   of amounts" in [file_plan()]. They may lie outside the bounds.
#' * `heaps` (count, amount): multiples that are more frequent than other
#'   values, such as `10|100|1000`, each a multiple of the one before. Heaps of
#'   dates are in months: `1|12` if the first of a month, and the first of
#'   January, are more frequent than other days.
#' * `zero` (count, amount): is zero a part of its own? Default `FALSE`.
#' * `outside`: what happens to values outside the levels or bounds. For a
#'   category, name the level that takes them. For a count, amount or date,
#'   state `"bound"` to move them to the nearest bound. Default: such values
#'   are an error.
#' * `transform` (count, amount, date): `"identity"`, the default, `"log"` or
#'   `"asinh"`. Under `"log"`, negative values are a part of their own. If 0
#'   lies within the bounds, `"log"` needs `zero` to be `TRUE`, unless 0 is one
#'   of the `codes`.
#' * `family` (count, amount, date): the name of the family that models the
#'   values. Dates and amounts take `"student_t"`, their default, or
#'   `"gaussian"`. Counts take `"student_t"`, `"gaussian"`, `"neg_binomial"` or
#'   `"poisson"`. The default for a count is `"neg_binomial"` without a
#'   transform and `"student_t"` with one. `"neg_binomial"` and `"poisson"` take
#'   no transform.
#' * `records` (id): the largest number of records that may share a value. State
#'   it if the column is the unit that [file_plan()] protects, such as a
#'   household.
#' * `confirmed`: are levels, bounds and codes public? A codebook that you write
#'   yourself counts as public. Rows of a draft have `FALSE`, and a question
#'   mark behind their type, such as `amount?`, until [confirm_codebook()] is
#'   called. If `confirmed` is left out or emptied, the question mark decides.
#'
#' @param x (data frame, string or `codebook`) The fields, or the path of a CSV
#'   file that has them. It may come from a spreadsheet: with commas, semicolons
#'   or tabs between its fields, in UTF-8 or Latin-1. In a file with semicolons
#'   or tabs, numbers may have decimal commas, and dates may be written
#'   31.01.2020.
#' @param path (string) Where the CSV file is written. An existing file is an
#'   error.
#' @param ... Rows and columns, as for a data frame.
#' @return `codebook()`: a `codebook` with one element, `table`: a data frame of
#'   all fields. In this data frame, `levels` and `codes` are list columns of
#'   strings, and each string has its label as name. `heaps` is a list column of
#'   numbers; `lower` and `upper` are strings. To edit a codebook, call
#'   [edit_codebook()]; or change `as.data.frame(book)` and call `codebook()` on
#'   the result. `book[i, j]` takes rows and columns of this data frame.
#'   `write_codebook()`: its first argument, invisibly.
#' @section Error types: `pseudosynth_error_input`: a field that is not known,
#'   is missing or does not apply to the column's type; bounds, levels, codes or
#'   heaps out of order.
#' @section Privacy: State only what is known without the file. Type, storage
#'   and decimals of a set's columns come from the codebook alone: by itself one
#'   record with a decimal makes a column of integers one of numbers, in
#'   `read.csv()` and in a database. [draft_codebook()] states `digits` and
#'   `storage` as the file has them, as a draft.
#' @seealso [draft_codebook()], [edit_codebook()], [file_plan()]
#' @examples
#' book <- codebook(data.frame(
#'   column = c("sex", "age", "income"),
#'   type = c("category", "ordered", "amount"),
#'   levels = c("male|female", "young|old", ""),
#'   lower = c(NA, NA, 0), upper = c(NA, NA, 2e6), unit = c("", "", "dollars"),
#'   zero = c(FALSE, FALSE, TRUE), transform = c(NA, NA, "log"),
#'   missing = c(FALSE, TRUE, TRUE)
#' ))
#' book
#' path <- tempfile(fileext = ".csv")
#' write_codebook(book, path)
#' identical(codebook(path), book)
#' book[book$table$type == "amount", c("column", "lower", "upper")]
#' @export
codebook <- function(x) {
  check_present(x)
  if (is_string(x)) {
    x <- read_codebook(x)
  } else if (inherits(x, "codebook")) {
    x <- unclass(x)$table
  }
  check_that(
    is.data.frame(x), x,
    "{.arg x} must be a data frame, a codebook or the path of a CSV file."
  )
  table <- codebook_table(as.data.frame(check_data_frame(x)))
  for (i in seq_len(nrow(table))) check_codebook_row(table, i)
  new_result("codebook", table = table)
}

#' @rdname codebook
#' @export
`[.codebook` <- function(x, ...) unclass(x)$table[...]

#' All fields in their order and types
#' @noRd
codebook_table <- function(x) {
  unknown <- setdiff(names(x), names(codebook_fields))
  refuse_if(
    length(unknown) > 0, "{.arg x} must only have fields of a codebook.",
    x = "{.val {unknown}} {?is/are} not known.",
    i = "The fields are {.val {names(codebook_fields)}}.", arg = "x"
  )
  lacking <- setdiff(c("column", "type"), names(x))
  refuse_if(
    length(lacking) > 0, "{.arg x} must have the fields {.field column} and
    {.field type}.",
    x = "It lacks {.field {lacking}}.", arg = "x"
  )
  columns <- lapply(stats::setNames(nm = names(codebook_fields)), function(f) {
    if (f %in% names(x)) {
      codebook_field(x[[f]], f)
    } else {
      rep(codebook_fields[[f]], nrow(x))
    }
  })
  lists <- vapply(columns, is.list, TRUE)
  columns[lists] <- lapply(columns[lists], I)
  table <- as.data.frame(columns, optional = TRUE)
  table[lists] <- lapply(table[lists], unclass)
  check_codebook_names(table)
  table <- with_draft_marks(table)
  type <- plain_types(table$type)
  whole <- type == "amount" & table$storage %in% "integer"
  table$digits[whole] <- or_default(table$digits[whole], "0")
  amounts <- which(type %in% names(codebook_families))
  table$transform[amounts] <- or_default(table$transform[amounts], "identity")
  table$family[amounts] <- or_default(
    table$family[amounts], default_family(type, table$transform)[amounts]
  )
  table
}

#' The family of a type under a transform, where nothing is stated
#' @noRd
default_family <- function(type, transform) {
  # Families of counts are of counts as they are
  whole <- type == "count" & transform %in% "identity"
  ifelse(whole, codebook_families$count[1], "student_t")
}

or_default <- function(x, default) {
  unname(ifelse(is.na(x), default, x))
}

check_codebook_names <- function(table) {
  unnamed <- which(is.na(table$column))
  refuse_if(
    length(unnamed) > 0, "Every row of a codebook must name its column.",
    x = "{length(unnamed)} row{?s} {?does/do} not.", arg = "x", rows = unnamed
  )
  twice <- unique(table$column[duplicated(table$column)])
  refuse_if(
    length(twice) > 0, "A codebook must have one row for each column.",
    x = "{.val {twice}} {?has/have} more than one.", arg = "x"
  )
  odd <- table$column[!plain_types(table$type) %in% names(codebook_types)]
  refuse_if(
    length(odd) > 0,
    "{.field type} must be one of {.or {.val {names(codebook_types)}}}.",
    x = "It is none of them for {.val {odd}}.", arg = "x"
  )
}

# One row ----------------------------------------------------------------------

#' Is anything stated?
#' @noRd
is_stated <- function(x) {
  if (is.list(x)) x <- x[[1]]
  length(x) > 0 && !anyNA(x) && !isFALSE(x)
}

check_codebook_row <- function(table, i) {
  row <- table[i, ]
  row$type <- plain_types(row$type)
  column <- row$column
  idle <- setdiff(names(row), c(general_fields, codebook_types[[row$type]]))
  idle <- idle[vapply(idle, function(f) is_stated(row[[f]]), TRUE)]
  refuse_if(
    length(idle) > 0,
    "The codebook must only state what applies to a column's type.",
    x = "{.field {idle}} {?does/do} not apply to {.val {column}}, whose type is
         {.val {row$type}}.",
    arg = "x"
  )
  if ("levels" %in% codebook_types[[row$type]]) check_book_levels(row)
  if ("lower" %in% codebook_types[[row$type]]) check_book_amount(row)
  check_book_storage(row)
  refuse_if(
    is_stated(row$records) && row$records < 1,
    "{.field records} of {.val {column}} must be at least 1.", arg = "x"
  )
}

check_book_levels <- function(row) {
  column <- row$column
  levels <- row$levels[[1]]
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
    row$missing && "missing" %in% levels,
    "A level of {.val {column}} must not be named {.val missing}: the level of
    missing values has this name.", arg = "x"
  )
  refuse_if(
    is_stated(row$outside) && !row$outside %in% levels,
    "{.field outside} of {.val {column}} must be one of its levels.", arg = "x"
  )
}

check_book_amount <- function(row) {
  column <- row$column
  spec <- column_spec(row)
  bounds <- c(spec$lower, spec$upper)
  kind <- if (row$type == "date") "dates such as 2020-01-31" else "numbers"
  refuse_if(
    !all(is.finite(bounds)) || bounds[1] >= bounds[2],
    "{.field lower} and {.field upper} of {.val {column}} must be {kind}, the
    smaller one first.", arg = "x"
  )
  refuse_if(
    max(abs(bounds)) > largest_bound,
    "{.field lower} and {.field upper} of {.val {column}} must lie between
    -1e15 and 1e15.",
    i = "Larger numbers are not exact. Measure the column in a larger unit.",
    arg = "x"
  )
  size <- max(abs(bounds))
  refuse_if(
    size > 0 && size < smallest_size,
    "One bound of {.val {column}} must be at least {smallest_size} in absolute
     value.",
    i = "Measure the column in a smaller unit.", arg = "x"
  )
  whole <- row$type == "count"
  refuse_if(
    whole && any(c(bounds, spec$codes, spec$heaps) %% 1 != 0, na.rm = TRUE),
    "Bounds, codes and heaps of the count {.val {column}} must be whole
    numbers.", arg = "x"
  )
  refuse_if(
    !all(is.finite(spec$codes)) || anyDuplicated(spec$codes) > 0,
    "{.field codes} of {.val {column}} must be different {kind}.", arg = "x"
  )
  refuse_if(
    spec$zero && 0 %in% spec$codes,
    "{.field zero} of {.val {column}} must be {.code FALSE}: 0 is one of its
    codes.", arg = "x"
  )
  known <- !is_stated(row$digits) || row$digits == any_digits ||
    isTRUE(spec$digits %% 1 == 0 && abs(spec$digits) <= most_digits)
  refuse_if(
    !known,
    "{.field digits} of {.val {column}} must be a whole number from
    -{most_digits} to {most_digits}, or {.val {any_digits}}.", arg = "x"
  )
  refuse_if(
    is_stated(spec$outside) && spec$outside != "bound",
    "{.field outside} of {.val {column}} must be {.val bound}: its type is
    {.val {spec$type}}.", arg = "x"
  )
  forms <- date_form(c(row$lower, row$upper))
  refuse_if(
    row$type == "date" && forms[1] != forms[2],
    "{.field lower} and {.field upper} of {.val {column}} must both be days,
    both be months such as 2020-01, or both be years.", arg = "x"
  )
  check_book_heaps(spec)
  refuse_if(
    !spec$transform %in% codebook_transforms,
    "{.field transform} of {.val {column}} must be one of
    {.or {.val {codebook_transforms}}}.", arg = "x"
  )
  families <- codebook_families[[row$type]]
  refuse_if(
    !spec$family %in% families,
    "{.field family} of {.val {column}} must be one of
    {.or {.val {families}}}.", arg = "x"
  )
  refuse_if(
    spec$family %in% c("neg_binomial", "poisson") &&
      spec$transform != "identity",
    "The family {.val {spec$family}} of {.val {column}} must have the transform
    {.val identity}.",
    i = "With {.val {spec$transform}}, use {.val student_t}.", arg = "x"
  )
  refuse_if(
    spec$transform == "log" && bounds[1] <= 0 && bounds[2] >= 0 &&
      !spec$zero && !0 %in% spec$codes,
    "Under the transform {.val log}, zero must be a part of its own.",
    x = "The bounds of {.val {column}} include zero.",
    i = "Set {.field zero} to {.code TRUE}, or {.field lower} above 0.",
    arg = "x"
  )
}

#' Refuse a storage that cannot hold what the column may be
#' @noRd
check_book_storage <- function(row) {
  if (!is_stated(row$storage)) {
    return(invisible())
  }
  spec <- column_spec(row)
  column <- row$column
  refuse_if(
    !row$storage %in% codebook_storages[[row$type]],
    "{.field storage} of {.val {column}} must be one of
    {.or {.val {codebook_storages[[row$type]]}}}: its type is
    {.val {row$type}}.", arg = "x"
  )
  holds <- switch(row$storage,
    integer = spec$type == "logical" || are_integers(stated_numbers(spec)),
    double = spec$type == "logical" || !anyNA(stated_numbers(spec)),
    TRUE
  )
  whole <- spec$type != "amount" || isTRUE(spec$digits <= 0)
  refuse_if(
    !holds || (row$storage == "integer" && !whole),
    "{.field storage} of {.val {column}} must be able to hold all that the
    codebook states.",
    x = "{.val {row$storage}} cannot.",
    i = "R's integers are whole numbers of at most
         {format_count(.Machine$integer.max)} in absolute value.", arg = "x"
  )
}

#' What a column of a set comes back as: the codebook's statement, or what
#' follows from its other statements. Never from the file.
#' @param spec (list) See column_spec().
#' @return (string) `"factor"`, `"text"`, `"logical"`, `"integer"`, `"double"`
#'   or `"date"`.
#' @noRd
column_storage <- function(spec) {
  if (is_stated(spec$storage)) {
    return(spec$storage)
  }
  numbers <- stated_numbers(spec)
  number <- if (are_integers(numbers)) "integer" else "double"
  switch(spec$type,
    date = "date", logical = "logical", count = number,
    amount = if (isTRUE(spec$digits <= 0)) number else "double",
    # "01" is text: as a number it would come back as 1
    if (identical(shortest_text(numbers), unname(spec$levels))) {
      number
    } else {
      "factor"
    }
  )
}

#' The numbers that a column may be, its bounds in place of amounts
#' @return (double) `NA` for levels that are no numbers.
#' @noRd
stated_numbers <- function(spec) {
  if (is_amount(spec)) {
    c(spec$lower, spec$upper, unname(spec$codes))
  } else {
    text_number(spec$levels)
  }
}

are_integers <- function(x) {
  isTRUE(all(x %% 1 == 0 & abs(x) <= .Machine$integer.max))
}

check_book_heaps <- function(spec, arg = "x") {
  heaps <- spec$heaps
  nested <- all(is.finite(heaps)) && all(heaps > 0) && all(diff(heaps) > 0) &&
    all(is_multiple(heaps[-1], heaps[-length(heaps)]))
  refuse_if(
    !nested,
    "{.field heaps} of {.val {spec$column}} must be positive numbers, each a
    multiple of the one before.", arg = arg
  )
  unit <- amount_unit(spec)
  # Those of dates are months
  if (spec$type == "date") unit <- if (is.na(spec$months)) 1 else spec$months
  refuse_if(
    unit > 0 && !all(is_multiple(heaps, unit)),
    "{.field heaps} of {.val {spec$column}} must have no more decimals than its
    values.", arg = arg
  )
}

#' Which of some columns are left out of every release
#' @noRd
identifiers_among <- function(names, specs) {
  Filter(function(name) specs[[name]]$type == "id", names)
}

#' What a row states, as the plan uses it
#' @param row (data frame, one row) Of a codebook's table.
#' @return (list) All fields; numbers are numbers, dates are days since 1970.
#' @noRd
column_spec <- function(row) {
  spec <- lapply(row, function(x) if (is.list(x)) x[[1]] else x)
  spec$type <- plain_types(spec$type)
  as_number <- if (spec$type == "date") date_number else text_number
  spec$months <- if (spec$type == "date") {
    stated_period(c(spec$lower, spec$upper))
  } else {
    NA
  }
  spec$lower <- as_number(spec$lower)
  spec$upper <- as_number(spec$upper)
  # As stated, and their number: `NA` where there may be any
  spec$decimals <- spec$digits
  spec$digits <- text_number(spec$digits)
  spec$codes <- stats::setNames(as_number(spec$codes), names(spec$codes))
  spec
}

#' @return (named list) By column.
#' @noRd
column_specs <- function(book) {
  table <- unclass(book)$table
  specs <- lapply(seq_len(nrow(table)), function(i) column_spec(table[i, ]))
  stats::setNames(specs, table$column)
}

#' All text that a codebook states
#' @noRd
words_of_book <- function(book) {
  table <- unclass(book)$table
  stated <- unlist(lapply(table, function(field) {
    c(as.character(unlist(field)), unlist(lapply(field, names)))
  }))
  unique(stated[!is.na(stated)])
}

#' The codebook of some of the columns, in their order
#' @noRd
book_of <- function(book, columns) {
  table <- unclass(book)$table
  table <- table[match(columns, table$column), ]
  row.names(table) <- NULL
  new_result("codebook", table = table)
}

# Print ------------------------------------------------------------------------

unconfirmed <- function(book) {
  table <- unclass(book)$table
  table$column[!table$confirmed]
}

#' Columns whose levels or bounds are of a draft: an id has neither
#' @noRd
drafted_columns <- function(book) {
  table <- unclass(book)$table
  table$column[!table$confirmed & plain_types(table$type) != "id"]
}

#' What a label says of a draft
#' @noRd
draft_reason <- function(book) {
  draft <- drafted_columns(book)
  if (length(draft) > 0) {
    paste("Levels and bounds were read from the file:", toString(draft))
  }
}

#' @export
format.codebook <- function(x, ...) {
  draft <- length(unconfirmed(x))
  one_line(
    x, counted(nrow(x$table), "column"),
    if (draft > 0) paste0(", draft: ", format_count(draft), " unconfirmed")
  )
}

print_lines.codebook <- function(x) {
  check_present(x)
  table <- x$table
  specs <- column_specs(x)
  shown <- data.frame(
    column = table$column, type = plain_types(table$type),
    states = vapply(specs, stated_text, ""),
    label = first_words(or_default(table$label, ""), 30)
  )
  if (all(is.na(table$label))) shown$label <- NULL
  draft <- unconfirmed(x)
  if (length(draft) > 0) {
    shown$confirmed <- ifelse(table$confirmed, "yes", "no")
  }
  c(
    format(x), format_table(shown),
    if (length(draft) == 0) {
      "  file_plan(data, x) plans what happens to each column of a file"
    } else {
      c(
        wrap_line(paste(
          "Draft: levels, bounds and codes were read from the confidential",
          "file. They are not public, and no strict release takes them. Edit",
          "them by public knowledge, then call confirm_codebook()."
        )),
        confidential_line()
      )
    }
  )
}

#' What a codebook states of a column, in a few words
#' @noRd
stated_text <- function(spec) {
  ends <- if (spec$type == "date") {
    date_text(c(spec$lower, spec$upper), spec$months)
  } else {
    vapply(c(spec$lower, spec$upper), format_exact, "")
  }
  text <- switch(spec$type,
    category = ,
    ordered = counted(length(spec$levels), "level"),
    logical = "FALSE or TRUE",
    id = if (is.na(spec$records)) {
      "left out"
    } else {
      paste("left out, at most", counted(spec$records, "record"), "each")
    },
    paste(c(
      paste(ends, collapse = " to "), if (!is.na(spec$unit)) spec$unit
    ), collapse = " ")
  )
  toString(c(
    text, if (!is.na(spec$digits)) counted_digits(spec$digits),
    if (spec$decimals %in% any_digits) "any decimals",
    if (spec$zero) "zero", if (length(spec$codes) > 0) {
      counted(length(spec$codes), "code")
    },
    if (length(spec$heaps) > 0) "heaps", if (spec$missing) "missing",
    if (is_amount(spec)) {
      c(
        setdiff(spec$transform, "identity"),
        setdiff(spec$family, default_family(spec$type, spec$transform))
      )
    },
    if (is_stated(spec$outside)) {
      paste(
        if (is_amount(spec)) "values beyond become the" else "others become",
        spec$outside
      )
    }
  ))
}

counted_digits <- function(digits) {
  if (digits < 0) {
    paste("multiples of", format_exact(10^-digits))
  } else if (digits == 0) {
    "whole"
  } else {
    counted(digits, "decimal")
  }
}
