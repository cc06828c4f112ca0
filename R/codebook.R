# The codebook of a file: what is publicly known of each of its columns. All
# that a strict release of a file rests on besides its records is read here.

# Fields that every type may have
general_fields <- c("column", "type", "unit", "label", "confirmed")

# A table of more cells than this by another column is noise: a strict release
# takes no more levels, and a draft makes no more
most_levels <- 200L

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
#'   1; `"count"`, whole numbers; `"amount"`; `"rate"`, numbers from 0 to 1;
#'   `"date"`; `"datetime"`, a day with a time; or `"id"`, an identifier, which
#'   is left out of every release.
#' * `levels` (category, ordered): every value that the column can have, in
#'   order, including values that no record has. If the file's column holds
#'   numbers, the levels are these numbers. At most 10,000 levels;
#'   [file_release()] takes at most 200.
#' * `lower`, `upper` (all with values): smallest and largest value, dates as
#'   2020-01-31. State both as months, such as 2020-01, if every date is the
#'   first of a month, and as years, such as 2020, if every date is the first of
#'   a year: so are then all synthetic dates. Date-times are in UTC. With bounds
#'   such as 2020-01-31 23:59:59 they are of whole seconds, with bounds such as
#'   2020-01-31 23:59 of whole minutes; those between are rounded. A rate's
#'   bounds are 0 and 1 by default. At least one of the two must be 0.0001 or
#'   more in absolute value. If neither is, measure in another unit.
#' * `digits` (amount, rate): how many decimals values have, from -9 to 9: 2 for
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
#'   within R's integers. Dates have class `Date`, date-times class `POSIXct`.
#' * `unit`, `label`: the unit in which the column is measured, and what the
#'   column is, for readers. A protected column of a set has the `label` as its
#'   attribute; a label of the file's column is left out.
#' * `missing`: may values be missing? Default `FALSE`.
#' * `codes` (all with values): special values, such as -9 for no answer, or
#'   a top code. Each is a level of its own, apart from the values, see "Parts
#'   of amounts" in [file_plan()]. They may lie outside the bounds.
#' * `heaps` (all with values): multiples that are more frequent than other
#'   values, such as `10|100|1000`, each a multiple of the one before. Heaps of
#'   dates are in months: `1|12` if the first of a month, and the first of
#'   January, are more frequent than other days. Those of date-times are in
#'   seconds: `3600|86400` if full hours, and midnight, are more frequent.
#' * `zero` (count, amount, rate): is zero a part of its own? Default `FALSE`.
#' * `outside`: what happens to values outside the levels or bounds. For a
#'   category, name the level that takes them. For all with values, state
#'   `"bound"` to move them to the nearest bound. Default: such values are an
#'   error.
#' * `transform` (all with values): `"identity"`, the default, and but for rates
#'   `"log"` or `"asinh"`. Under `"log"`, negative values are a part of their
#'   own. If 0 lies within the bounds, `"log"` needs `zero` to be `TRUE`, unless
#'   0 is one of the `codes`.
#' * `family` (all with values): the name of the family that models them. All
#'   but counts take `"student_t"`, their default, or `"gaussian"`. Counts take
#'   `"student_t"`, `"gaussian"`, `"neg_binomial"` or `"poisson"`. The default
#'   for a count is `"neg_binomial"` without a transform and `"student_t"` with
#'   one. `"neg_binomial"` and `"poisson"` take no transform.
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
  for (i in seq_len(nrow(table))) {
    kind <- column_kinds[[plain_types(table$type[i])]]
    counts <- kind$defaults(as.list(table[i, ]), kind)
    for (field in names(counts)) {
      table[[field]][i] <- or_default(table[[field]][i], counts[[field]])
    }
  }
  table
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
  odd <- table$column[!plain_types(table$type) %in% names(column_kinds)]
  refuse_if(
    length(odd) > 0,
    "{.field type} must be one of {.or {.val {names(column_kinds)}}}.",
    x = "It is none of them for {.val {odd}}.", arg = "x"
  )
}

# One row ----------------------------------------------------------------------

check_codebook_row <- function(table, i) {
  row <- table[i, ]
  row$type <- plain_types(row$type)
  column <- row$column
  spec <- column_spec(table[i, ])
  idle <- setdiff(names(row), c(general_fields, spec$kind$fields))
  idle <- idle[vapply(idle, function(f) is_stated(row[[f]]), TRUE)]
  refuse_if(
    length(idle) > 0,
    "The codebook must only state what applies to a column's type.",
    x = "{.field {idle}} {?does/do} not apply to {.val {column}}, whose type is
         {.val {row$type}}.",
    arg = "x"
  )
  spec$kind$check(row, spec)
  check_book_storage(row, spec)
  refuse_if(
    is_stated(row$records) && row$records < 1,
    "{.field records} of {.val {column}} must be at least 1.", arg = "x"
  )
}

#' Refuse a storage that cannot hold what the column may be
#' @noRd
check_book_storage <- function(row, spec) {
  if (!is_stated(row$storage)) {
    return(invisible())
  }
  column <- row$column
  refuse_if(
    !row$storage %in% spec$kind$storages,
    "{.field storage} of {.val {column}} must be one of
    {.or {.val {spec$kind$storages}}}: its type is {.val {row$type}}.",
    arg = "x"
  )
  refuse_if(
    !spec$kind$holds(spec, row$storage),
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
  if (is_stated(spec$storage)) spec$storage else spec$kind$storage(spec)
}

#' Which of some columns are left out of every release
#' @noRd
identifiers_among <- function(names, specs) {
  Filter(function(name) !specs[[name]]$kind$released, names)
}

#' What a row states, as the plan uses it
#' @param row (data frame, one row) Of a codebook's table.
#' @return (list) All fields; numbers are numbers, dates are days since 1970;
#'   `kind`: see new_column_kind().
#' @noRd
column_spec <- function(row) {
  spec <- lapply(row, function(x) if (is.list(x)) x[[1]] else x)
  spec$type <- plain_types(spec$type)
  kind <- column_kinds[[spec$type]]
  spec <- c(spec, kind$derived(c(spec$lower, spec$upper)))
  spec$lower <- kind$number(spec$lower)
  spec$upper <- kind$number(spec$upper)
  # As stated, and their number: `NA` where there may be any
  spec$decimals <- spec$digits
  spec$digits <- text_number(spec$digits)
  spec$codes <- stats::setNames(kind$number(spec$codes), names(spec$codes))
  spec$kind <- kind
  spec
}

#' @return (named list) By column.
#' @noRd
column_specs <- function(book) {
  table <- unclass(book)$table
  specs <- lapply(seq_len(nrow(table)), function(i) column_spec(table[i, ]))
  stats::setNames(specs, table$column)
}

#' Are the levels of a column numbers, whose mean means something?
#'
#' Numbers of categories without an order are names.
#' @noRd
has_number_levels <- function(spec) {
  length(spec$levels) > 1 && !spec$kind$nominal &&
    !anyNA(text_number(spec$levels))
}

#' Levels of a column that have an order, and are neighbours in it
#' @noRd
levels_in_order <- function(spec) {
  if (spec$kind$ordered) seq_along(spec$levels)
}

#' Do the levels of a column have a mean? That of a flag is a share
#'
#' A member's flag has a third level, where there is no such member.
#' @param none (integer or `NULL`) This level.
#' @noRd
has_mean <- function(spec, none = NULL) {
  own <- spec$levels[setdiff(seq_along(spec$levels), none)]
  spec$kind$name == "logical" || has_number_levels(spec) ||
    identical(own, c("FALSE", "TRUE"))
}

#' All text that a codebook states
#' @noRd
words_of_book <- function(book) {
  table <- unclass(book)$table
  stated <- unlist(lapply(table, function(field) {
    c(as.character(unlist(field)), unlist(lapply(field, names)))
  }))
  # A date-time shows its day
  moment <- grepl("^[0-9]{4}-[0-9]{2}-[0-9]{2} ", stated, useBytes = TRUE)
  unique(c(stated[!is.na(stated)], substr(stated[moment], 1, 10)))
}

#' The codebook of some of the columns, in their order
#' @noRd
book_of <- function(book, columns) {
  table <- unclass(book)$table
  table <- table[match(columns, table$column), ]
  row.names(table) <- NULL
  new_result("codebook", table = table)
}

#' Write the codebooks of two linked tables
#' @param tables (named list of character) Their columns.
#' @return (character) Names of the files.
#' @noRd
write_book_tables <- function(book, tables, folder) {
  files <- sprintf("codebook-%s.csv", names(tables))
  Map(
    write_codebook, lapply(unname(tables), book_of, book = book),
    file.path(folder, files)
  )
  files
}

# Print ------------------------------------------------------------------------

unconfirmed <- function(book) {
  table <- unclass(book)$table
  table$column[!table$confirmed]
}

#' Columns whose levels or bounds are of a draft: an id has neither
#' @noRd
drafted_columns <- function(book) {
  kept <- vapply(column_specs(book), function(spec) spec$kind$released, NA)
  intersect(unconfirmed(book), names(kept)[kept])
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
  kind <- spec$kind
  toString(c(
    kind$stated(spec), if (spec$missing) "missing",
    if (is_amount(spec)) {
      c(
        setdiff(spec$transform, "identity"),
        setdiff(spec$family, kind$family(spec$transform))
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
