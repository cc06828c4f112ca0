# Published columns that number the records, and factors of very many levels.

#' Columns in which nearly every record has a value of its own
#'
#' Nine of ten. Of few records any column does so by accident.
#' @param columns (list or data frame)
#' @return (character) Their names.
#' @noRd
distinct_columns <- function(columns) {
  alone <- vapply(columns, function(x) {
    if (length(x) < 20 || most_values(x) < 0.9 * length(x)) {
      return(FALSE)
    }
    first <- !duplicated(x)
    mean(first) >= 0.9 && mean(first & !duplicated(x, fromLast = TRUE)) >= 0.9
  }, TRUE)
  as.character(names(columns)[alone])
}

#' Say at the fit what a release would refuse, and what will take long
#'
#' Jobs say it once, before their first fit.
#' @param time (function) Of a number of levels: how long will they take?
#' @noRd
tell_published <- function(model, time = time_of_levels) {
  variable <- model$response$name
  columns <- model$data[setdiff(model_columns(model), variable)]
  tell_distinct(columns)
  tell_near(told_beside(
    published_forms(columns), comparable_values(model$data[[variable]])
  ))
  tell_many_levels(model$design$levels, nrow(model$data), time)
}

tell_distinct <- function(columns) {
  told <- distinct_columns(columns)
  if (length(told) > 0) {
    # Marked one by one, names take longer than the fit of a small file
    shown <- toString(dQuote(told, FALSE))
    tell_of(
      c("distinct", "published"),
      "!" = "Nearly every record has its own value in {shown}, and sets publish
             {cli::qty(length(told))}{?this column/these columns} unchanged.",
      i = "If {cli::qty(length(told))}{?it is a case number/these are case
           numbers}, leave {?it/them} out of the formula. {.fn release} refuses
           {?it/them} unless {.arg public} names {?it/them}."
    )
  }
}

# A factor has very many levels with more than this, or with a level for every
# ten records
many_levels <- 200

#' Each level is a slope: what has very many is often a case number as text
#' @param levels (named list)
#' @param n Records.
#' @noRd
tell_many_levels <- function(levels, n, time = time_of_levels) {
  n_levels <- lengths(levels)
  many <- n_levels > many_levels | n_levels > max(50, n / 10)
  if (any(many)) {
    shown <- sprintf("%s (%d)", names(n_levels)[many], n_levels[many])
    tell_of(
      c("many_levels", "published"),
      "!" = "Columns with very many levels: {shown}.",
      i = "Each level has a coefficient: {time(sum(n_levels))}.",
      i = "Merge levels, or leave the column out."
    )
  }
}

#' Processor time of a default run with that many coefficients
#'
#' Measured for gaussian() under its default prior on 12,000 records: 4 seconds
#' for 100 levels, 37 for 300, 10 to 16 minutes for 1,000. Other families take
#' longer, prior_normal() a third.
#' @return (string)
#' @noRd
time_of_levels <- function(n) {
  paste(
    "4 chains of 2,000 iterations take about",
    format_time(640 * (n / 1000)^2.5), "of processor time or more"
  )
}

# Five seconds for 400 levels, 27 for 700, whatever the number of records is
time_of_score_levels <- function(n) {
  paste(
    "a release takes about", format_time(85 * (n / 1000)^3),
    "of processor time"
  )
}

# The order of levels is published with them. Nobody can see where it is from.

#' Refuse levels that stand in the order of the response
#'
#' As reorder() puts them: of twenty regions that is their rank by what is
#' confidential. Few levels stand so by chance, others by their meaning: the
#' order of an ordered factor is a statement.
#' @param levels (named list of character) Of published columns.
#' @param file (data frame) With these columns.
#' @param y The confidential response.
#' @noRd
check_level_order <- function(levels, file, y) {
  levels <- levels[intersect(names(Filter(length, levels)), names(file))]
  told <- names(Filter(isTRUE, vapply(names(levels), function(name) {
    is.numeric(y) && !is.ordered(file[[name]]) &&
      follows_means(levels[[name]], file[[name]], as.double(y))
  }, NA)))
  refuse_privacy(
    length(told) > 0,
    "Levels must not be in the order of the response.",
    x = "The levels of {.val {told}} follow the response's means or medians.",
    i = "Sort them first, {.code factor(as.character(x))}. If their order is
         their meaning, state it: {.code factor(x, ordered = TRUE)}. In
         {.fn release} {.code public = {quoted_names(told)}} does so, too.",
    class = "pseudosynth_error_level_order"
  )
}

#' @param y (double) Looked at only where levels may tell; `NA`: no value.
#' @noRd
follows_means <- function(levels, x, y) {
  levels <- intersect(levels, as.character(x))
  if (length(levels) < 6 || are_sorted(levels)) {
    return(FALSE)
  }
  parts <- split(y, factor(as.character(x), levels))
  any(vapply(list(mean, stats::median), function(of) {
    figures <- vapply(parts, of, 1, na.rm = TRUE)
    !is.unsorted(figures) || !is.unsorted(-figures)
  }, NA))
}

#' Say which factors' order of levels leaves
#' @param columns (list) That are published.
#' @noRd
tell_level_order <- function(columns) {
  own <- names(Filter(function(x) {
    is.factor(x) && !is.ordered(x) && !are_sorted(levels(x))
  }, columns))
  if (length(own) > 0) {
    tell_of(
      "level_order",
      "!" = "The order of the levels of {.val {own}} is published.",
      i = "It must not come from the response, as with {.fn reorder}. If it
           does, sort the levels before the fit:
           {.code factor(as.character(x))}."
    )
  }
}

are_sorted <- function(levels) {
  identical(order(as_text(levels), method = "radix"), seq_along(levels))
}
