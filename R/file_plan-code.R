# A file as a plan has it: level numbers and amounts, there and back.

# Attributes of a column that describe it as a whole, and how long they are. Any
# other may hold values of records, and does not come back.
column_attributes <- c(
  class = Inf, label = 1, labels = Inf, format.spss = 1, format.stata = 1,
  format.sas = 1, display_width = 1, na_values = 10, na_range = 2
)

# Classes whose columns come back as they were, besides those of kinds
column_classes <- c(
  "factor", "ordered", "haven_labelled", "haven_labelled_spss", "vctrs_vctr",
  "double", "integer", "character"
)

check_column_kind <- function(x, name) {
  known <- is.atomic(x) && is.null(dim(x)) &&
    typeof(x) %in% c("logical", "integer", "double", "character") &&
    all(oldClass(x) %in% c(column_classes, class_kind(x)$class))
  refuse_if(
    !known,
    "Every column must hold numbers, text, flags, dates or date-times, or be a
    factor or a column of package haven.",
    x = "{.val {name}} is {describe_type(x)}.",
    i = "Convert it, for instance by {.fn as.Date} or {.fn as.numeric}.",
    arg = "data"
  )
  refuse_if(
    is.factor(x) && anyNA(levels(x)),
    "Every level of the factor {.val {name}} must have a name.",
    i = "Missing values need no level: {.code factor(x, exclude = NA)}.",
    arg = "data"
  )
}

#' What a column of a set is besides its values
#'
#' Storage, class and levels are the codebook's; storage and class of a
#' published column are its own. Of other attributes of the file's column only
#' what describes it as a whole comes back: no record can move that.
#' @param published (flag)
#' @return (list) `storage` (R's type); `attributes`, with the codebook's levels
#'   and labels of what it states.
#' @noRd
column_schema <- function(x, spec, published) {
  x <- spec$kind$read(x, spec$column)
  all <- attributes(x)
  # What is text, as in a database, is the factor that the codebook states
  if (storage_of(x) == "text" && column_storage(spec) == "factor") {
    published <- FALSE
  }
  stated <- if (published) storage_of(x) else column_storage(spec)
  own <- column_kinds[[stated]]
  types <- c(factor = "integer", text = "character")
  storage <- if (!is.null(own$class)) {
    "double"
  } else if (stated %in% names(types)) {
    types[[stated]]
  } else {
    stated
  }
  if (published) storage <- typeof(x)
  ordered <- if (published) is.ordered(x) else spec$kind$ordered
  class <- if (stated == "factor") {
    c(if (ordered) "ordered", "factor")
  } else if (!is.null(own$class)) {
    own$class
  } else if (inherits(x, "haven_labelled") && stated != "logical") {
    # Package haven names the storage in the class, and has no flags
    c(setdiff(oldClass(x), c("integer", "double", "character")), storage)
  }
  kept <- all[intersect(names(all), names(column_attributes))]
  if (inherits(x, "haven_labelled") && !"haven_labelled" %in% class) {
    kept <- kept["label" == names(kept)]
  }
  kept$class <- NULL
  # What a protected column is called is the codebook's, as all text is
  if (!published) {
    kept$label <- if (is_string(spec$label) && nzchar(spec$label)) spec$label
  }
  plain <- vapply(names(kept), function(name) {
    is.atomic(kept[[name]]) && length(kept[[name]]) <= column_attributes[[name]]
  }, TRUE)
  # Values alone: an attribute of an attribute may be anything
  kept <- lapply(kept[plain], function(value) {
    stats::setNames(as.vector(unclass(value)), names(value))
  })
  kept[names(kept) != "labels"] <- lapply(
    kept[names(kept) != "labels"], unname
  )
  if (!is.null(kept$labels)) kept$labels <- stated_labels(kept$labels, spec)
  kept$na_values <- stated_missing(kept$na_values, spec)
  # Half a range would be another one
  range <- kept$na_range
  kept$na_range <- if (length(stated_missing(range, spec)) == 2) range
  for (name in intersect(c("labels", "na_values", "na_range"), names(kept))) {
    storage.mode(kept[[name]]) <- storage
  }
  if (stated == "factor") kept$levels <- unname(spec$levels)
  kept$class <- class
  kept[names(own$attributes)] <- own$attributes
  # Without any it is the same list, whatever the file's column had
  if (length(kept) == 0) kept <- list()
  list(storage = storage, attributes = kept)
}

#' What a column of a file is, in a codebook's words, see column_storage()
#' @noRd
storage_of <- function(x) {
  if (is.factor(x)) {
    "factor"
  } else if (is_time(x)) {
    class_kind(x)$name
  } else if (is.character(x)) {
    "text"
  } else {
    typeof(x)
  }
}

# Coding -----------------------------------------------------------------------

#' Names of the levels of a column in the discrete block, a missing one last
#'
#' Of an amount the names of its parts; none of an identifier.
#' @noRd
block_levels <- function(spec) spec$kind$levels(spec)

#' Level numbers of a column
#'
#' @return (integer) `NA`: not in the codebook.
#' @noRd
code_column <- function(x, spec) spec$kind$code(x, spec)

#' @return (string or `NULL`) Why a column's type cannot be the codebook's.
#' @noRd
wrong_type <- function(x, spec) {
  # A column without a value may have come as flags
  nothing <- is.logical(x) && length(x) > 0 && all(is.na(x))
  fits <- nothing || spec$kind$fits(x, spec)
  if (!fits) {
    # Of a table, whose records are not looked at here, there is no length
    plain <- sub(" of length [0-9]+$", "", describe_type(x))
    what <- if (is.factor(x)) "a factor" else plain
    paste0(sprintf(
      "The codebook's type is \"%s\", but the column is %s.", spec$type, what
    ), if (is.character(x) && is_amount(spec) && !is_time(spec$kind$typed(0))) {
      " as.numeric() makes numbers of text."
    })
  }
}

# Decoding ---------------------------------------------------------------------

#' Turn level numbers and amounts back into a file
#'
#' Reverses the coding of [file_plan()]. The columns come back in the file's
#' order, with its value labels and formats, and in the storage and with the
#' levels that the codebook states. With the plan's own codes and amounts the
#' result is the file itself, if the codebook states its storage, as a draft
#' does.
#'
#' @param plan (`file_plan`) See [file_plan()].
#' @param codes (integer matrix) Level numbers, with a row for each record and
#'   the columns of `plan$codes`. Default: those of the file.
#' @param amounts (named list) Amounts in the form of `plan$amounts`: for each
#'   amount, the `values` of the records whose part has values, in the order of
#'   the records. Default: those of the file.
#' @return A data frame, or a tibble if the file was one, without the columns
#'   that the plan leaves out. Row names and attributes that may hold values of
#'   records do not come back; `print(plan)` names them. Where the codebook
#'   replaced a value by a level or a bound, or rounded it, what it became comes
#'   back. Tagged missing values of package haven come back as plain missing
#'   values.
#' @section Error types: `pseudosynth_error_input`: codes that are not levels of
#'   the plan, more or fewer amounts than the codes require, amounts outside
#'   their part.
#' @section Privacy: With the file's own codes the result is the confidential
#'   file.
#' @seealso [file_plan()]
#' @examples
#' book <- confirm_codebook(draft_codebook(ce_income))
#' plan <- file_plan(ce_income, book)
#' identical(decode_file(plan), ce_income)
#' @export
decode_file <- function(plan, codes = plan$codes, amounts = plan$amounts) {
  check_argument(plan)
  if (missing(codes) || missing(amounts)) {
    plan <- in_memory(plan, "decode_file()")
  }
  file <- decode_records(plan, codes, amounts)
  if (is.null(plan$members$tables)) file else in_tables(file, plan$members)
}

#' The same of anything that has a plan's `codebook`, `schema` and `tibble`
#' @noRd
decode_records <- function(plan, codes, amounts) {
  if (!is.null(plan$members)) {
    return(unfolded(plan, codes, amounts))
  }
  specs <- column_specs(plan$codebook)[names(plan$schema)]
  levels <- lapply(specs, block_levels)
  check_codes(codes, levels[lengths(levels) > 1])
  values <- amount_values(amounts)
  kept <- decoded_columns(plan)
  columns <- lapply(stats::setNames(nm = kept), function(name) {
    decode_column(
      code_of(codes, name), values[[name]], specs[[name]], plan$schema[[name]]
    )
  })
  structure(
    columns, names = kept, row.names = .set_row_names(nrow(codes)),
    class = frame_class(plan$tibble)
  )
}

#' The names of a set's columns: those of the file without its identifiers
#' @param plan (list) `codebook` and `schema`.
#' @noRd
decoded_columns <- function(plan) {
  if (!is.null(plan$members)) {
    persons <- plan$members$persons
    kept <- c(plan$members$unit, decoded_columns(persons))
    return(intersect(names(persons$schema), kept))
  }
  specs <- column_specs(plan$codebook)[names(plan$schema)]
  names(specs)[lengths(lapply(specs, block_levels)) > 0]
}

#' The codebook of a set's columns
#' @param x (list) As of decoded_columns().
#' @noRd
book_of_sets <- function(x) {
  book <- book_of(persons_of(x)$codebook, decoded_columns(x))
  if (is.null(x$members)) {
    return(book)
  }
  own <- match(x$members$unit, book$table$column)
  # What names units of the file is not what names those of a set
  book$table$records[own] <- NA
  book$table$label[own] <- paste0(
    part_words(x$members)[["one"]], ", numbered anew in each set"
  )
  book
}

#' `codebook` and `schema` of a file's records, not of the wide ones
#' @noRd
persons_of <- function(x) x$members$persons %||% x

#' The level number of each record; a column of one level needs no code
#' @noRd
code_of <- function(codes, name) {
  if (name %in% colnames(codes)) {
    unname(codes[, name])
  } else {
    rep(1L, nrow(codes))
  }
}

amount_values <- function(amounts) {
  whole <- is.list(amounts) && !is.object(amounts) &&
    all(vapply(amounts, is.list, TRUE))
  check_that(
    whole, amounts, "{.arg amounts} must be a list such as
    {.code plan$amounts}."
  )
  lapply(amounts, `[[`, "values")
}

check_codes <- function(codes, levels) {
  check_that(
    is.matrix(codes) && is.numeric(codes) &&
      identical(as.character(colnames(codes)), as.character(names(levels))),
    codes,
    "{.arg codes} must be a matrix with the columns of {.code plan$codes}."
  )
  wrong <- vapply(names(levels), function(name) {
    sum(!codes[, name] %in% seq_along(levels[[name]]))
  }, 1L)
  bad <- names(wrong)[wrong > 0]
  refuse_if(
    length(bad) > 0, "{.arg codes} must be numbers of levels.",
    x = "They are not in {.val {bad}}, for {sum(wrong)} record{?s} in all.",
    arg = "codes"
  )
}

decode_column <- function(code, amounts, spec, schema) {
  values <- spec$kind$decode(code, amounts, spec, schema)
  attributes(values) <- schema$attributes
  values
}

#' Values that package haven counts as missing, if the codebook states them
#' @noRd
stated_missing <- function(values, spec) {
  stated <- if (is_amount(spec)) spec$codes else spec$levels
  if (is.numeric(values)) stated <- text_number(as.character(stated))
  found <- values[values %in% stated | !is.finite(values)]
  if (length(found) > 0) found
}

#' Value labels of values that the codebook states
#' @noRd
stated_labels <- function(labels, spec) {
  stated <- if (is_amount(spec)) {
    c(spec$codes, if (spec$zero) 0)
  } else {
    spec$kind$values(spec)
  }
  plain <- plain_column(labels)
  if (is.numeric(plain)) stated <- text_number(stated)
  labels[plain %in% stated]
}

# Members ----------------------------------------------------------------------

#' The members of wide records, those of a household together
#' @param x (list) `members`, and `codebook` of the wide file.
#' @return (data frame) The unit's new numbers, and the columns of the persons'
#'   file in its order.
#' @noRd
unfolded <- function(x, codes, amounts) {
  own <- x$members
  persons <- own$persons
  wide <- column_specs(x$codebook)
  specs <- column_specs(persons$codebook)
  there <- which(t(slots_there(x, codes)))
  home <- as.integer((there - 1) %/% own$slots) + 1L
  slot <- as.integer((there - 1) %% own$slots) + 1L
  size <- tabulate(home, nrow(codes))
  column <- function(name) {
    spec <- specs[[name]]
    code <- value <- rep(NA_real_, length(home))
    if (identical(name, own$unit)) {
      return(home)
    }
    if (identical(name, own$waves$column)) {
      code <- match(own$waves$codes, block_levels(spec))[slot]
    } else if (name %in% own$size) {
      value <- as.double(size[home])
      code <- member_counts(value, spec)
    } else {
      from <- if (name %in% own$columns) {
        slot_name(name, seq_len(own$slots), own)
      }
      from <- rep_len(from %||% name, own$slots)
      for (k in seq_len(own$slots)) {
        rows <- which(slot == k)
        levels <- match(block_levels(wide[[from[k]]]), block_levels(spec))
        code[rows] <- levels[code_of(codes, from[k])[home[rows]]]
        value[rows] <- whole_values(amounts[[from[k]]], size)[home[rows]]
      }
    }
    valued <- if (spec$kind$valued) amount_parts(spec)$valued[code] %in% TRUE
    decode_column(
      as.integer(code), value[valued], spec, persons$schema[[name]]
    )
  }
  kept <- decoded_columns(x)
  structure(
    lapply(stats::setNames(nm = kept), column), names = kept,
    row.names = .set_row_names(length(home)),
    class = frame_class(persons$tibble)
  )
}

#' Which members, or waves, wide records have
#' @return (logical matrix, a column for each slot)
#' @noRd
slots_there <- function(x, codes) {
  own <- x$members
  slots <- seq_len(own$slots)
  if (is.null(own$waves)) {
    # Levels of how many members there are: from 1
    return(outer(code_of(codes, first_column(own)), slots, ">="))
  }
  wide <- column_specs(x$codebook)[slot_name(own$columns[1], slots, own)]
  persons <- column_specs(own$persons$codebook)[[own$columns[1]]]
  there <- vapply(wide, function(spec) {
    code_of(codes, spec$column) %in%
      which(block_levels(spec) %in% block_levels(persons))
  }, logical(nrow(codes)))
  matrix(there, nrow(codes))
}

#' The column of a wide record that says how many members there are, or which
#' wave is the first
#' @noRd
first_column <- function(own) {
  if (is.null(own$waves)) count_column else "entry"
}

# How many members there are
count_column <- "members"

#' What columns of members, or of waves, are called in a wide record
#' @noRd
slot_name <- function(column, slot, own) {
  paste0(column, ".", (own$waves$codes %||% seq_len(own$slots))[slot])
}

#' Level numbers of how many members there are
#' @noRd
member_counts <- function(size, spec) {
  if (spec$kind$valued) {
    return(part_of(size, amount_parts(spec)))
  }
  match(size, text_number(block_levels(spec)))
}

#' Values of an amount by record, `NA` where the part has none
#' @noRd
whole_values <- function(amount, records) {
  values <- rep(NA_real_, length(records))
  replace(values, amount$records, amount$values)
}

#' What a unit is called, and what it has
#' @param own (list) `members`, of a plan or a release.
#' @return (list of strings)
#' @noRd
part_words <- function(own) {
  if (is.null(own$waves)) {
    list(
      one = "household", many = "households", part = "member", parts = "members"
    )
  } else {
    list(one = "person", many = "persons", part = "wave", parts = "waves")
  }
}
