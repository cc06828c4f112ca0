# Names of columns that the user gives. Whoever gives a column in place of its
# name must not find its values in the message.

#' Check names of columns
#'
#' @param x (character or `NULL`)
#' @param columns (character) Those that there are.
#' @param of (string) What they are the names of, in cli's markup.
#' @return `x`, invisibly.
#' @noRd
check_names <- function(x, columns, null = TRUE, arg = rlang::caller_arg(x),
                        of = "columns of {.arg data}") {
  check_present(x, arg)
  check_that(
    null && is.null(x) || is.character(x) && length(x) > 0 && !anyNA(x), x,
    paste0("{.arg {arg}} must be names of ", of, "."),
    i = if (null) "{.code NULL} means none.", arg = arg
  )
  absent <- absent_names(x, columns)
  refuse_if(
    length(absent) > 0, paste0("{.arg {arg}} must be names of ", of, "."),
    x = "{absent}", i = "The names are {.val {columns}}.", arg = arg
  )
  take_bare(x, substitute(x), parent.frame())
}

#' Check that a file has some columns
#' @param columns (character) Names that are known to be names.
#' @noRd
check_columns <- function(columns, data, arg) {
  absent <- absent_names(columns, names(data))
  refuse_if(
    length(absent) > 0, "{.arg {arg}} must have all columns that are used.",
    x = "{absent}", arg = arg
  )
}

#' Which names are no columns, in words
#'
#' More names than there are columns are no names, but values of one.
#' @return (string or `NULL`)
#' @noRd
absent_names <- function(x, columns) {
  absent <- setdiff(x, columns)
  n <- length(absent)
  if (n > max(3, length(columns))) {
    cli::format_inline("{n} of {length(x)} names are not columns.")
  } else if (n > 0) {
    cli::format_inline(
      "There {cli::qty(n)}{?is no column/are no columns} {.val {absent}}."
    )
  }
}

#' Refuse to draw without the published predictors
#' @param from (string) What is drawn from, which holds no record.
#' @noRd
check_newdata <- function(newdata, from) {
  refuse_if(
    is.null(newdata),
    "{.arg newdata} must be given: a data frame of the published predictors.",
    x = "A {from} holds no record.", arg = "newdata"
  )
  check_data_frame(newdata)
}

#' What to do with a column of a survey's labels, as package haven reads it
#' @noRd
haven_hint <- function(x) {
  if (inherits(x, "haven_labelled")) {
    "{.code haven::zap_labels()} turns it into numbers,
     {.code haven::as_factor()} into its labels."
  }
}

# Columns and frames as plain values: an attribute could bring a value along, a
# class a function that reads more than its argument. No method is asked here.

#' A column without anything but its values and what a factor's levels are
#' @noRd
plain_column <- function(x) {
  if (inherits(x, "factor")) {
    return(plain_factor(x))
  }
  attributes(x) <- NULL
  x
}

#' Values of a column without class: text of factors, numbers of flags
#' @noRd
column_values <- function(x) {
  if (is.factor(x)) {
    as_text(levels(x))[plain_code(x)]
  } else {
    x <- plain_column(x)
    if (is.character(x)) as_text(x) else if (is.logical(x)) as.integer(x) else x
  }
}

#' Is a column of numbers only, whatever their kind?
#' @noRd
is_plain_number <- function(x) {
  is.numeric(plain_column(x)) && !is.factor(x) && !is_time(x)
}

#' A file whose columns have no class that could bring a method along
#'
#' Methods of a class can be registered by anyone, and see the frames that call
#' them. Factors, text, flags and what I() marks become plain; other objects are
#' refused where they are used, see check_predictor().
#' @param data (data frame or `NULL`)
#' @noRd
plain_columns <- function(data) {
  if (is.null(data)) {
    return(NULL)
  }
  tell_factors(data)
  columns <- lapply(unclass(data), function(x) {
    strip <- is.object(x) && is.null(attr(x, "dim")) &&
      (inherits(x, c("factor", "AsIs")) ||
         typeof(x) %in% c("character", "logical"))
    if (strip) plain_column(x) else x
  })
  structure(
    columns, names = attr(data, "names"), row.names = attr(data, "row.names"),
    class = frame_class(is_tibble(data))
  )
}

#' A factor of its codes, its levels and whether they are ordered
#'
#' Its levels stay in their order, which is public as the levels are: a
#' statement of whoever made the factor. That of reorder() is a figure's, of the
#' responses perhaps. It says so by an attribute, and such levels are sorted,
#' the same on every machine.
#' @noRd
plain_factor <- function(x) {
  levels <- attr(x, "levels", exact = TRUE)
  if (typeof(x) == "integer" && is.null(attributes(levels)) &&
    identical(attributes(x), list(levels = levels, class = "factor"))) {
    return(x)
  }
  computed <- is_reordered(x)
  attributes(levels) <- NULL
  ordered <- inherits(x, "ordered")
  attributes(x) <- NULL
  x <- structure(
    as.integer(x), levels = levels, class = c(if (ordered) "ordered", "factor")
  )
  if (computed) with_levels(x, order(as_text(levels), method = "radix")) else x
}

#' Did reorder() put a factor's levels in the order of a figure?
#'
#' The order of an ordered factor is a statement in any case.
#' @noRd
is_reordered <- function(x) {
  inherits(x, "factor") && !inherits(x, "ordered") &&
    !is.null(attr(x, "scores", exact = TRUE))
}

#' Say whose levels are sorted, and whose contrasts do not come along
#' @noRd
tell_factors <- function(data) {
  factors <- Filter(function(x) inherits(x, "factor"), unclass(data))
  sorted <- names(Filter(is_reordered, factors))
  if (length(sorted) > 0) {
    tell_of(
      c("level_order", "published"),
      "!" = "The levels of {.val {sorted}} are sorted: {.fn reorder} had put
             them in the order of another column.",
      i = "If the order is public, state it by
           {.code factor(as.character(x), levels = c(...))}."
    )
  }
  coded <- names(Filter(function(x) {
    !is.null(attr(x, "contrasts", exact = TRUE))
  }, factors))
  if (length(coded) > 0) {
    tell_of(
      c("contrasts", "published"),
      "!" = "The contrasts of {.val {coded}} are left out. R compares the levels
             of a set with the first one.",
      i = "{.fn utility} and {.fn compare} use the file's contrasts for both. In
           a set of your own: {.code contrasts(set$x) <- contrasts(data$x)}."
    )
  }
}

#' A plain factor without levels that no record has
#' @noRd
without_unused <- function(x) {
  kept <- which(tabulate(x, nlevels(x)) > 0)
  if (length(kept) == nlevels(x)) x else with_levels(x, kept)
}

#' A plain factor with these levels, in this order
#' @param kept (integer) Places among its levels.
#' @noRd
with_levels <- function(x, kept) {
  place <- match(seq_along(attr(x, "levels")), kept)
  structure(
    place[plain_code(x)],
    levels = attr(x, "levels")[kept], class = class(x)
  )
}

# as.integer() would ask the user's methods for factors
plain_code <- function(x) {
  attributes(x) <- NULL
  as.integer(x)
}

#' Some rows of a set
#' @noRd
set_rows_of <- function(set, rows) {
  structure(
    lapply(set, function(column) {
      # Some classes lose their attributes where their package is not loaded
      moved <- unclass(column)[rows]
      attributes(moved) <- attributes(column)
      moved
    }),
    names = names(set), row.names = .set_row_names(length(rows)),
    class = frame_class(is_tibble(set))
  )
}

row_lists <- function(frame) {
  lapply(seq_len(nrow(frame)), function(i) as.list(frame[i, ]))
}

# Tibbles come back as tibbles: of a frame's classes nothing else does.

is_tibble <- function(data) inherits(data, "tbl_df")

frame_class <- function(tibble) c(if (tibble) c("tbl_df", "tbl"), "data.frame")

#' The cell of the table of some columns that each row of level numbers is in
#' @param codes (integer matrix) Levels from 1.
#' @param sizes (integer) Levels of each of its columns.
#' @return (double) From 0, the first column's level fastest.
#' @noRd
cell_number <- function(codes, sizes) {
  stride <- cumprod(c(1, as.double(sizes)))[seq_along(sizes)]
  drop((codes - 1) %*% stride)
}

#' Sums over items of one code
#' @param code (integer) From 1 to `levels`.
#' @return (double)
#' @noRd
sums_by_code <- function(x, code, levels) {
  sums <- numeric(levels)
  found <- rowsum(as.double(x), code)
  sums[as.integer(rownames(found))] <- found
  sums
}

#' A set as [as.data.frame()] gives it: no tibble
#' @noRd
plain_frame <- function(set) structure(set, class = frame_class(FALSE))

#' Is it text of numbers alone, of which a draft makes a type of its own?
#' @param number (function of text) Gives `NA` for what is none.
#' @param least (count) Of different ones.
#' @noRd
is_text_of <- function(x, number, least = 1) {
  if (!is.character(x) || is.object(x)) {
    return(FALSE)
  }
  x <- unique(x[!is.na(x)])
  length(x) >= least && !anyNA(number(x))
}
