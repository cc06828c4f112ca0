# What all of our objects have in common, by the class that each has last:
# elements, print, one line, table, figure. A class adds what differs.

#' An object of the package
#' @param ... Its elements.
#' @noRd
new_result <- function(class, ...) {
  structure(list(...), class = c(class, "pseudosynth_result"))
}

#' Print, plot and extract parts of any result
#'
#' These methods belong to the class `pseudosynth_result`. Every object of the
#' package has this class, after a class of its own.
#'
#' @param x,object An object of the package.
#' @param name (string) The whole name of an element.
#' @param ... For `plot()`: passed to `autoplot()`. For `as.data.frame()` of a
#'   job: `set`, as in [`as.data.frame()`][synthetic_data] of synthetic data.
#'   Otherwise not used.
#' @return `x$name`: the element. An unknown name is an error, unlike for a
#'   list. `print()`: `x`, invisibly. `plot()`: the figure of `autoplot()`.
#'   `as.data.frame()`: the table of `x`; for a job, the table of its sets.
#'   `nobs()`: the number of records of the file; for synthetic data, of each
#'   set. `summary()`: `x` itself. If a class has its own table or summary, see
#'   the help page of the function that makes its objects.
#' @section Error types: `pseudosynth_error_input`: an unknown element, or
#'   `as.data.frame()` or `nobs()` of an object without a table or records.
#' @examples
#' rule <- censor(2)
#' rule
#' rule$epsilon
#' try(rule$cake)
#' @name pseudosynth_result
NULL

# Elements by `$` --------------------------------------------------------------

#' @rdname pseudosynth_result
#' @export
`$.pseudosynth_result` <- function(x, name) {
  .subset2(x, name) %||% missed_element(x, name, parent.frame())
}

# Documented elements that some objects of a class lack
optional_elements <- list(
  synthesizer = c("censor", "reweighting"), privacy_guarantee = "exceedance",
  synthetic_data = c("survey_weights", "totals"),
  file_synthesizer = c("privacy_weights", "censor", "reweighting", "solution"),
  file_utility = c(
    "propensity", "models", "coefficients", "survey_weights"
  ),
  utility = c(
    "propensity", "models", "coefficients", "survey_weights", "pairs",
    "groups", "remarks"
  ),
  risk = "identification"
)

#' What `$` answers where there is nothing, or the name is in lapply()'s dots
#'
#' Code of this package, which asks for what some objects lack, is answered
#' NULL.
#' @param asker (environment) Where the element was asked for.
#' @noRd
missed_element <- function(x, name, asker) {
  # In lapply(xs, `$`, "name") dispatch gives the dots unseen
  if (identical(name, "...")) name <- eval(quote(..1), asker)
  lacked <- name %in% optional_elements[[class(x)[1]]]
  if (!lacked && !identical(topenv(asker), topenv())) {
    return(element_of(x, name))
  }
  .subset2(x, name)
}

#' An element by its whole name; any other name is an error
#' @noRd
element_of <- function(x, name) {
  parts <- unclass(x)
  refuse_if(
    !isTRUE(name %in% names(parts)),
    "Objects of class {.cls {class(x)[1]}} have no element {.val {name}}.",
    i = where_instead(x, parts, name) %||%
      "Their elements are {.val {names(parts)}}.",
    arg = "name"
  )
  parts[[name]]
}

#' Where an element is that was looked for in the wrong place, in cli's markup
#' @noRd
where_instead <- function(x, parts, name) {
  if (name %in% names(parts[["data"]]) && inherits(x, "synthesizer")) {
    "It is a column of the file: {.code x$data${name}}. Synthetic values come
     from {.fn synthesize}."
  } else if (name %in% unlist(lapply(parts[["sets"]], names))) {
    "It is a column of every set: {.code x[[1]]${name}}, or
     {.code as.data.frame(x)${name}}."
  } else if (name %in% names(unclass(parts[["synthetic"]]))) {
    "It is an element of {.code x$synthetic}."
  } else if (name %in% names(parts[["table"]])) {
    "It is a column of the table: {.code as.data.frame(x)${name}}."
  }
}

#' What is known of the one synthesized column of sets: a row of their table
#' @noRd
only_column <- function(synthetic) {
  refuse_if(
    has_many_columns(synthetic),
    "This needs sets with one synthetic column.",
    x = "These are whole files: {nrow(unclass(synthetic)$columns)} columns are
         synthetic.",
    i = "Compare them as data frames: {.code as.data.frame(x)}.", arg = "x"
  )
  lapply(as.list(unclass(synthetic)$columns), `[[`, 1)
}

#' Are sets whole files?
#' @noRd
has_many_columns <- function(synthetic) {
  NROW(unclass(synthetic)$columns) != 1
}

#' Are sets drawn from a file release, and have a codebook?
#' @noRd
are_files <- function(synthetic) {
  inherits(synthetic, "synthetic_data") &&
    !is.null(unclass(synthetic)$codebook)
}

#' Numbers and text without attributes but names, lists of them; anything else
#' is left out
#' @noRd
bare_values <- function(x) {
  if (is.list(x)) {
    return(lapply(unclass(x), bare_values))
  }
  if (is.atomic(x) && !is.null(x)) {
    stats::setNames(as.vector(x), as.vector(names(x)))
  }
}

# Print ------------------------------------------------------------------------

#' @rdname pseudosynth_result
#' @export
print.pseudosynth_result <- function(x, ...) {
  cat(unless_edited(x, print_lines(x)), sep = "\n")
  invisible(x)
}

#' The lines that print() shows
#' @noRd
print_lines <- function(x) UseMethod("print_lines")

print_lines.pseudosynth_result <- function(x) format(x)

wrap_line <- function(text) {
  paste0("  ", strwrap(text, 76, exdent = 2), recycle0 = TRUE)
}

#' Each field's name beside its text, which may take several lines
#' @param fields (named character)
#' @noRd
field_lines <- function(fields) {
  unlist(two_columns(Map(c, names(fields), unname(fields))))
}

#' Name and text, wrapped at 78 columns; a repeated name is left blank
#' @noRd
two_columns <- function(rows) {
  width <- max(vapply(rows, function(row) nchar(row[1]), integer(1)))
  last <- ""
  lapply(rows, function(row) {
    name <- if (identical(row[1], last)) "" else row[1]
    last <<- row[1]
    text <- strwrap(row[2], 78 - width - 4)
    paste0(
      "  ", formatC(c(name, rep("", length(text) - 1)), width = -width), "  ",
      text
    )
  })
}

# One line: R's default writes out all that an object holds, the file included,
# which takes minutes. -------------------------------------------------------

one_line <- function(x, ...) paste0("<", class(x)[1], "> ", paste0(...))

counted <- function(n, noun) {
  sprintf("%s %s%s", format_count(n), noun, if (n == 1) "" else "s")
}

#' About so long, in words
#' @noRd
format_time <- function(seconds) {
  minutes <- sprintf("%g minutes", max(2, signif(seconds / 60, 1)))
  hours <- sprintf("%g hours", signif(seconds / 3600, 2))
  some <- counted(max(1, signif(seconds, 1)), "second")
  if (seconds < 95) some else if (seconds < 7200) minutes else hours
}

# What a row of a table is, where it has another name
row_nouns <- c(utility = "set", replicate_study = "local database")

# Of a class without a line of its own: its name, variable, and its rows or sets
#' @export
format.pseudosynth_result <- function(x, ...) {
  parts <- unclass(x)
  class <- class(x)[1]
  rows <- if (is.data.frame(parts[["table"]])) {
    noun <- if (class %in% names(row_nouns)) row_nouns[[class]] else "row"
    counted(nrow(parts[["table"]]), noun)
  } else if (is.numeric(parts[["m"]])) {
    counted(parts[["m"]], "set")
  }
  shown <- c(parts[["name"]] %||% parts[["title"]], parts[["variable"]], rows)
  trimws(one_line(x, toString(shown)))
}

# A cell of a column I(list(..)) is what toString() gives, one of a plain list
# column what format() makes of unlist().
#' @export
toString.pseudosynth_result <- function(x, ...) format(x)

#' @method unlist pseudosynth_result
#' @export
unlist.pseudosynth_result <- function(x, ...) format(x)

# Table, summary and figure ----------------------------------------------------

#' @rdname pseudosynth_result
#' @export
as.data.frame.pseudosynth_result <- function(x, ...) {
  parts <- unclass(x)
  found <- intersect(c("table", "record", "worst", "synthetic"), names(parts))
  refuse_if(
    length(found) == 0, "{.arg x} must be a result that has a table.",
    x = "It is {describe_type(x)}.", arg = "x"
  )
  as.data.frame(parts[[found[1]]], ...)
}

#' @rdname pseudosynth_result
#' @export
summary.pseudosynth_result <- function(object, ...) object

#' @rdname pseudosynth_result
#' @export
plot.pseudosynth_result <- function(x, ...) autoplot(x, ...)
