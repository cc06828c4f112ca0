# What a person does with a codebook: change what it states of some columns, and
# confirm that it is public.

#' Change what a codebook states of some columns
#'
#' `edit_codebook()` changes rows of a codebook, each by the name of its column.
#' What is not named stays as it is.
#'
#' If the type of a column changes, the fields that do not apply to the new type
#' are emptied. If the transform or the type changes, the family becomes the
#' default again, unless the codebook stated another one. Rows of a draft stay a
#' draft until [confirm_codebook()] is called.
#'
#' @param .book (`codebook`) A draft, or any other codebook.
#' @param ... For each column that changes an argument of its name: a list of
#'   fields, see [codebook()], or a string, the new type. `NA` or `NULL` empties
#'   a field. Several levels, codes or heaps are a vector; labels are its names.
#' @return The changed [codebook()].
#' @section Error types: `pseudosynth_error_input`: columns or fields that are
#'   not known, and all that [codebook()] refuses.
#' @seealso [draft_codebook()], [confirm_codebook()]
#' @examples
#' draft <- draft_codebook(ce_income)
#' edit_codebook(draft,
#'   income = list(lower = -1e5, upper = 1e7, codes = c("no answer" = -9)),
#'   urban = "id"
#' )
#' @export
edit_codebook <- function(.book, ...) {
  check_class(.book, "codebook")
  table <- unclass(codebook(.book))$table
  changes <- list(...)
  columns <- names(changes) %||% rep("", length(changes))
  how <- "For instance {.code edit_codebook(book, income = list(upper = 2e6),
          household = \"id\")}."
  refuse_if(
    !all(nzchar(columns)) || anyDuplicated(columns) > 0,
    "Every change must have the name of its column, and every column one change
    at most.", i = how, arg = "..."
  )
  absent <- absent_names(columns, table$column)
  refuse_if(
    !is.null(absent), "Every change must be of a column of the codebook.",
    x = "{absent}", i = how, arg = "..."
  )
  for (name in columns) {
    change <- checked_change(changes[[name]], name)
    i <- match(name, table$column)
    table <- edited_row(table, i, change)
  }
  codebook(table)
}

#' The change of one column as a named list of fields
#' @noRd
checked_change <- function(change, name) {
  if (is_string(change)) change <- list(type = change)
  fields <- names(change) %||% rep("", length(change))
  check_that(
    is.list(change) && length(change) > 0 && all(nzchar(fields)) &&
      anyDuplicated(fields) == 0,
    change,
    "The change of {.val {name}} must be a type or a named list of fields.",
    i = "Such as {.code list(lower = 0, upper = 2e6)}.", arg = "..."
  )
  text <- as.character(unlist(Filter(is.character, change)))
  refuse_if(
    !all(in_known_encoding(text)),
    "The change of {.val {name}} must be text in a known encoding.",
    i = "{.fn iconv} makes it so.", arg = "..."
  )
  open <- setdiff(names(codebook_fields), c("column", "confirmed"))
  unknown <- setdiff(fields, open)
  refuse_if(
    length(unknown) > 0,
    "The change of {.val {name}} must only have fields of a codebook.",
    x = "{.val {unknown}} {?is/are} not among {.val {open}}.",
    i = if ("confirmed" %in% unknown) {
      "Call {.fn confirm_codebook} when what is stated is public."
    },
    arg = "..."
  )
  stats::setNames(lapply(fields, function(field) {
    changed_field(change[[field]], field, name)
  }), fields)
}

#' A new value of a field as a codebook holds it
#' @noRd
changed_field <- function(value, field, name) {
  empty <- codebook_fields[[field]]
  if (is.null(value) || (length(value) == 1 && is.na(value))) {
    return(empty)
  }
  refuse_if(
    !is.atomic(value) || (!is.list(empty) && length(value) != 1),
    "{.field {field}} of {.val {name}} must be
    {if (is.list(empty)) 'a vector' else 'one value'}.",
    x = "It is {describe_type(value)}.", arg = "..."
  )
  # In one text several values are separated by |
  one_text <- is_string(value) && is.null(names(value))
  given <- if (is.list(empty) && !one_text) list(value) else value
  codebook_field(given, field)
}

#' @param change (named list) Fields as a codebook holds them.
#' @noRd
edited_row <- function(table, i, change) {
  old <- column_spec(table[i, ])
  type <- plain_types(change$type %||% old$type)
  kind <- column_kinds[[type]]
  transform <- change$transform %||% old$transform
  # Not idle fields of a type that does not exist: it is refused as such
  stale <- if (!is.null(kind)) {
    setdiff(names(codebook_fields), c(general_fields, kind$fields))
  }
  moved <- !type %in% old$type || !identical(transform, old$transform)
  usual <- is_amount(old) && old$family %in% old$kind$family(old$transform)
  if (moved && usual) stale <- c(stale, "family")
  storage <- !is_stated(old$storage) || old$storage %in% kind$storages
  if (!storage) stale <- c(stale, "storage")
  change <- c(
    change, codebook_fields[setdiff(stale, names(change))]
  )
  for (field in names(change)) table[[field]][i] <- change[[field]]
  table
}

#' State that a codebook is public
#'
#' `confirm_codebook()` states that what a draft says of its columns is public,
#' and lists what that is. Given the file, it also says what of it equals the
#' file's own values.
#'
#' @param book (`codebook`) A draft, edited or not.
#' @param columns (character or `NULL`) Which columns to confirm. Default
#'   `NULL`: all columns.
#' @param data (as for [draft_codebook()], or `NULL`) The confidential file, to
#'   say which ends, codes, heaps and levels are values of it or its usual
#'   statistics.
#'   Default `NULL`: nothing is compared.
#' @return The confirmed [codebook()].
#' @section Messages: `pseudosynth_message_confirmed`: what was confirmed.
#'   Its field `confirmed` has the names of the columns, and its field `equal` a
#'   data frame with what equals values of `data`: `column`, `field`, `equals`
#'   (in words).
#' @section Error types: `pseudosynth_error_input`: columns that the codebook or
#'   the file does not have.
#' @section Privacy: Confirm only what the public could know without the file,
#'   such as the agency's questionnaire or an earlier year's codebook. What
#'   equals the file's own values was probably read from it. A strict release of
#'   an unconfirmed draft is an error.
#' @seealso [edit_codebook()], [draft_codebook()]
#' @examples
#' draft <- draft_codebook(ce_income)
#' # By public knowledge: no income of the survey is above ten millions
#' edited <- edit_codebook(draft, income = list(upper = 1e7))
#' confirm_codebook(edited, data = ce_income)
#' @export
confirm_codebook <- function(book, columns = NULL, data = NULL) {
  check_argument(book)
  table <- unclass(codebook(book))$table
  must <- "{.arg columns} must be names of columns of the codebook."
  named <- is.null(columns) || (is.character(columns) && !anyNA(columns))
  check_that(named, columns, must, i = "{.code NULL} means all.")
  absent <- absent_names(columns, table$column)
  refuse_if(!is.null(absent), must, x = "{absent}", arg = "columns")
  new <- !table$confirmed & (is.null(columns) | table$column %in% columns)
  specs <- column_specs(book)[table$column[new]]
  equal <- if (!is.null(data)) equal_to_file(data, specs)
  table$confirmed[new] <- TRUE
  table$type[new] <- plain_types(table$type[new])
  if (any(new)) tell_confirmed(specs, equal)
  codebook(table)
}

tell_confirmed <- function(specs, equal) {
  stated <- vapply(specs, function(spec) {
    paste0(spec$type, ", ", stated_text(spec), listed_levels(spec))
  }, "")
  same <- sprintf("%s of %s %s", equal$field, equal$column, equal$equals)
  tell_of("confirmed",
    "Confirmed as public, of {counted(length(specs), 'column')}:",
    x_bullets(paste0(names(specs), ": ", stated), "*"),
    if (length(same) > 0) {
      c(
        "!" = "Of this, equal to the file's own values:", x_bullets(same),
        i = "Leave it only if the public knows it without the file."
      )
    },
    confirmed = names(specs), equal = equal, exact = TRUE
  )
}

#' The first levels, or codes with their labels
#' @noRd
listed_levels <- function(spec, most = 12) {
  values <- if (is_amount(spec)) {
    # Those of dates are months and years
    heaps <- if (length(spec$heaps) > 0 && !is_time(spec$kind$typed(0))) {
      paste("multiples of", vapply(spec$heaps, format_exact, ""))
    }
    c(stats::setNames(spec$kind$text(spec$codes), names(spec$codes)), heaps)
  } else {
    spec$levels
  }
  if (length(values) == 0) {
    return("")
  }
  labels <- names(values) %||% rep("", length(values))
  told <- nzchar(labels)
  values[told] <- paste0(values[told], " (", labels[told], ")")
  more <- length(values) - most
  paste0(
    ": ", toString(utils::head(values, most)),
    if (more > 0) paste(" and", format_count(more), "more")
  )
}

# What of a codebook a file has ------------------------------------------------

#' @param specs (named list) Of column_specs().
#' @return (data frame) `column`, `field`, `equals`.
#' @noRd
equal_to_file <- function(data, specs) {
  with_file(data, function(file) {
    absent <- absent_names(names(specs), names(file$like))
    refuse_if(
      !is.null(absent), "{.arg data} must have the columns of the codebook.",
      x = "{absent}", arg = "data"
    )
    Map(check_column_kind, file$like[names(specs)], names(specs))
    found <- lapply(specs, function(spec) {
      if (!spec$kind$released) {
        return(NULL)
      }
      x <- whole_column(file, spec$column)
      equal <- c(equal_to_column(x, spec), levels_in_order_of(x, spec, file))
      if (length(equal) > 0) {
        data.frame(
          column = spec$column, field = names(equal), equals = unname(equal)
        )
      }
    })
    none <- character()
    do.call(rbind, unname(found)) %||%
      data.frame(column = none, field = none, equals = none)
  })
}

#' Which other column's means or medians levels stand in the order of, if any
#' @param file (list) See with_file().
#' @return (character) In words, named by the field.
#' @noRd
levels_in_order_of <- function(x, spec, file) {
  if (spec$type != "category") {
    return(NULL)
  }
  others <- setdiff(names(Filter(is_plain_number, file$like)), spec$column)
  told <- Filter(function(name) {
    # Read only where levels may tell
    follows_means(
      spec$levels, column_values(x), as.double(whole_column(file, name))
    )
  }, others)
  c(levels = if (length(told) > 0) {
    sprintf("stand in the order of `%s` by its means or medians", told[1])
  })
}

#' @return (character) What stated values equal, named by fields.
#' @noRd
equal_to_column <- function(x, spec) {
  if (!is_amount(spec)) {
    used <- unique(column_values(x))
    same <- setequal(value_text(used[!is.na(used)]), value_text(spec$levels))
    return(if (length(spec$levels) > 0 && same) {
      c(levels = "are all values of the file, and no other")
    })
  }
  all <- amount_numbers(x, spec)
  all <- all[is.finite(all)]
  values <- all[!all %in% spec$codes]
  typed <- spec$kind$typed
  ends <- if (length(values) > 0) c(lower = spec$lower, upper = spec$upper)
  # As file_plan() asks of them: what several records have is stated for that
  few <- lapply(spec[c("codes", "heaps")], function(stated) {
    if (length(stated) > 0) of_few(typed(unname(stated)), all)
  })
  equals <- c(
    vapply(ends, equal_statistic, "", values, typed),
    unlist(lapply(few, vapply, equal_statistic, "", all, typed))
  )
  names(equals) <- c(names(ends), rep(names(few), lengths(few)))
  equals[nzchar(equals)]
}

#' What of a column a number is, in words; empty if nothing that tells
#' @param typed (function of numbers) See new_column_kind().
#' @noRd
equal_statistic <- function(stated, values, typed = identity) {
  # Everybody knows 0 and 1
  ends <- if (!stated %in% 0:1) range(values)
  if (stated %in% ends) {
    size <- if (stated == ends[1]) "smallest" else "largest"
    return(paste("is the", size, "value"))
  }
  told <- coincides(typed(stated), values)
  if (told) "is a value or a usual statistic" else ""
}
