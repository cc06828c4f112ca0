# The fields of a codebook, and their text: in a CSV file, or in a data frame
# made by hand.

# The fields of a codebook, and what stands where nothing is stated
codebook_fields <- list(
  column = NA_character_, type = NA_character_, levels = list(character()),
  lower = NA_character_, upper = NA_character_, digits = NA_character_,
  storage = NA_character_,
  unit = NA_character_, label = NA_character_, missing = FALSE,
  codes = list(character()), heaps = list(double()), zero = FALSE,
  outside = NA_character_,
  transform = NA_character_, family = NA_character_, records = NA_integer_,
  confirmed = NA
)

#' Is anything stated?
#' @noRd
is_stated <- function(x) {
  if (is.list(x)) x <- x[[1]]
  length(x) > 0 && !anyNA(x) && !isFALSE(x)
}

or_default <- function(x, default) {
  unname(ifelse(is.na(x), default, x))
}

# A draft's mark: it stands behind the type, in a cell that no codebook can lack
draft_mark <- "?"

#' The types without a draft's mark
#' @noRd
plain_types <- function(types) sub("\\s*\\?\\s*$", "", types)

#' The table whose two marks of a draft, `confirmed` and the one behind the
#' type, say the same
#'
#' Where `confirmed` was left out or emptied the other one decides.
#' @noRd
with_draft_marks <- function(table) {
  plain <- plain_types(table$type)
  marked <- !is.na(plain) & plain != table$type
  both <- table$column[marked & table$confirmed %in% TRUE]
  refuse_if(
    length(both) > 0, "A draft's type must not be confirmed by hand.",
    x = "{.val {both}} {?is/are} {.code confirmed}, and {?its/their} type has
         the question mark of a draft.",
    i = "{.fn confirm_codebook} confirms, and lists what.", arg = "x"
  )
  draft <- ifelse(is.na(table$confirmed), marked, !table$confirmed)
  table$type <- ifelse(draft, paste0(plain, draft_mark), plain)
  table$confirmed <- !draft
  table
}

# The flags of a spreadsheet in English, German, French, Spanish, Italian, Dutch
written_flags <- c(
  false = FALSE, true = TRUE, falsch = FALSE, wahr = TRUE, faux = FALSE,
  vrai = TRUE, falso = FALSE, verdadero = TRUE, vero = TRUE, onwaar = FALSE,
  waar = TRUE
)

#' One field as a codebook holds it
#' @param x A column of a data frame.
#' @param field (string) Its name.
#' @noRd
codebook_field <- function(x, field) {
  empty <- codebook_fields[[field]]
  texts <- if (is.factor(x)) levels(x) else unlist(x)
  refuse_if(
    is.character(texts) && !all(in_known_encoding(texts)),
    "{.field {field}} of a codebook must be text in a known encoding.",
    i = "{.fn iconv} makes it so.", arg = "x"
  )
  if (is.list(empty)) {
    found <- if (is.list(x)) {
      lapply(x, field_values)
    } else {
      lapply(field_text(x), split_values)
    }
    if (field == "heaps") found <- lapply(found, text_number)
    return(found)
  }
  text <- field_text(x)
  if (is.logical(empty)) {
    flags <- written_flags[tolower(trimws(text))]
    wrong <- sum(is.na(flags) & !is.na(text))
    flags[is.na(text)] <- empty
  } else if (is.integer(empty)) {
    flags <- text_number(text)
    flags[abs(flags) > .Machine$integer.max] <- NA
    wrong <- sum(!is.na(text) & (is.na(flags) | flags %% 1 != 0))
    flags <- as.integer(flags)
  } else {
    return(text)
  }
  must <- if (is.logical(empty)) "`TRUE` or `FALSE`" else "whole numbers"
  refuse_if(
    wrong > 0, "{.field {field}} of a codebook must be {must}.",
    x = "For {wrong} column{?s} it is something else.", arg = "x"
  )
  unname(flags)
}

#' Text of any column; nothing is stated where it is empty
#' @noRd
field_text <- function(x) {
  text <- if (is.atomic(x) || is.factor(x)) {
    value_text(x)
  } else {
    abort_input(
      "The fields of a codebook must be text, numbers or flags.",
      x = "One is {describe_type(x)}.", arg = "x"
    )
  }
  text[is.na(x) | !nzchar(trimws(text))] <- NA
  text
}

value_text <- function(x) {
  if (is_time(x)) {
    time_forms(x)[[1]]
  } else if (is.numeric(x) && !is.object(x)) {
    shortest_text(x)
  } else {
    as_text(x)
  }
}

#' Several values as text, their labels as names if they have any
#' @noRd
field_values <- function(x) {
  x <- x[!is.na(x)]
  labels <- names(x)
  text <- value_text(x)
  if (any(nzchar(labels))) stats::setNames(text, labels) else unname(text)
}

#' The same from one string that holds them all
#' @noRd
split_values <- function(text) {
  if (is.na(text)) {
    return(character())
  }
  items <- lapply(split_marked(text, "|"), split_marked, mark = "=")
  values <- vapply(items, function(item) unescaped(item[1]), "")
  labels <- vapply(items, function(item) {
    unescaped(paste(item[-1], collapse = "="))
  }, "")
  field_values(stats::setNames(values, labels))
}

#' Text cut at a mark, but not where a backslash stands before it
#' @noRd
split_marked <- function(text, mark) {
  # Without this regmatches() gives nothing for an empty text
  if (!nzchar(text)) {
    return("")
  }
  signs <- regmatches(text, gregexpr("(?s)\\\\.|.", text, perl = TRUE))[[1]]
  at <- signs == mark
  pieces <- split(signs[!at], factor(cumsum(at)[!at], 0:sum(at)))
  unname(vapply(pieces, paste, "", collapse = ""))
}

escaped <- function(x) gsub("([|=\\\\])", "\\\\\\1", x)

unescaped <- function(x) gsub("(?s)\\\\(.)", "\\1", x, perl = TRUE)

#' Several values as one string
#' @noRd
joined_values <- function(x) {
  if (is.numeric(x)) x <- shortest_text(x)
  labels <- names(x) %||% rep("", length(x))
  text <- paste0(
    escaped(x), ifelse(nzchar(labels), paste0("=", escaped(labels)), ""),
    collapse = "|"
  )
  # One empty text alone would be nothing
  if (length(x) == 1 && !nzchar(text)) "=" else text
}

text_number <- function(x) suppressWarnings(as.double(unname(x)))

#' @param book (`codebook`) The codebook to write.
#' @rdname codebook
#' @export
write_codebook <- function(book, path) {
  check_argument(book)
  check_path(path)
  refuse_if(
    file.exists(path), "{.arg path} must be the path of a new file.",
    x = "{.file {path}} exists already.",
    i = "Give another path, or delete the file first.", arg = "path"
  )
  table <- unclass(book)$table
  lists <- vapply(table, is.list, TRUE)
  table[lists] <- lapply(table[lists], function(x) {
    vapply(x, joined_values, "")
  })
  # A full disk leaves part of a file
  complete <- FALSE
  on.exit(if (!complete) unlink(path))
  suppressWarnings(writing(path, write_csv(table, path)))
  complete <- TRUE
  invisible(book)
}

# Decimals ---------------------------------------------------------------------

# A quotient of decimal numbers is whole but for rounding, which is less than
# half of the unit that numbers have
is_multiple <- function(x, step, unit = step) {
  times <- x / step
  near <- pmin(pmax(1e-9, 2^-49 * abs(times)), 0.4 * unit / step)
  abs(times - round(times)) < near
}

#' Is a value a multiple of a stated heap, a date the first of its period?
#' @noRd
is_heaped <- function(x, spec) {
  # The smallest heap: all others are its multiples
  step <- spec$heaps[1]
  found <- rep(FALSE, length(x))
  at <- which(is.finite(x))
  if (spec$kind$calendar) {
    if (is.na(step)) step <- spec$months
    if (!is.na(step)) found[at] <- starts_period(x[at], step)
  } else if (!is.na(step)) {
    unit <- spec$kind$unit(spec)
    found[at] <- is_multiple(x[at], step, if (unit > 0) unit else step)
  }
  found
}
