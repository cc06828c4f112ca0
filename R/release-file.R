# The release of whole files, and of the file release that they are drawn from:
# what is special to many protected columns at once.

#' Names of the columns that a set of a file release has, with their rows of
#' the codebook
#' @return (named list) See column_specs().
#' @noRd
file_columns_of <- function(x) {
  column_specs(book_of_sets(x))
}

# Refusals ---------------------------------------------------------------------

#' Refuse sets of whole files that tell a protected column
#' @noRd
check_file_sets <- function(file, synthetic, public) {
  check_published_file(file, synthetic, public)
  specs <- column_specs(unclass(synthetic)$codebook)
  for (spec in specs[synthetic$columns$name]) {
    if (is_amount(spec) && !spec$column %in% public) {
      check_own_amounts(file, synthetic, spec)
    }
  }
  tell_means(synthetic$means)
  tell_set_remarks(remarks_of_files(
    synthetic, file, means_beside(synthetic, file, synthetic$survey_weights)
  ))
}

#' Refuse published columns that identify records or tell protected ones
#' @noRd
check_published_file <- function(file, synthetic, public) {
  set <- synthetic$sets[[1]]
  beside <- set[setdiff(names(set), synthetic$columns$name)]
  if (length(beside) == 0) {
    return(invisible())
  }
  check_published_rows(file, beside)
  check_none_distinct(synthetic, public)
  # In the order of the file
  published <- published_forms(file[names(beside)])
  for (name in synthetic$columns$name) {
    values <- comparable_values(column_values(file[[name]]))
    found <- told_beside(published, values)
    refuse_beside(found, name, public)
  }
}

#' The file must be the one whose columns are published
#' @noRd
check_published_rows <- function(file, beside) {
  other <- nrow(file) != nrow(beside)
  refuse_if(
    other, "{.arg data} must be the file that was released.",
    x = "It has {format_count(nrow(file))} record{?s}, and the published columns
         have {format_count(nrow(beside))}.",
    arg = "data"
  )
}

#' Refuse sets in which records have their own amount
#'
#' What is heaped, a code or a bound is nobody's own. Of the rest, values that
#' are not rounded must not be met at all. Rounded ones are met by chance, about
#' as often as the values near them: in the place of the record where columns
#' are published, anywhere where rows have no order.
#' @noRd
check_own_amounts <- function(file, synthetic, spec) {
  name <- spec$column
  plain <- function(x) amount_numbers(x, spec)
  own <- function(x) {
    stated <- x %in% c(spec$lower, spec$upper, spec$codes, 0)
    !is.na(x) & !stated & !is_heaped(x, spec)
  }
  y <- plain(file[[name]])
  drawn <- lapply(synthetic$sets, function(set) plain(set[[name]]))
  values <- unlist(drawn)
  values <- values[own(values)]
  rows <- which(own(y))
  if (length(unique(values)) < 20 || length(rows) == 0) {
    return(invisible())
  }
  ordered <- length(names(synthetic$sets[[1]])) > nrow(synthetic$columns)
  if (ordered) {
    check_not_the_file(
      y, drawn, list(name = name, ends = c(spec$lower, spec$upper)),
      synthetic$n_records
    )
  }
  step <- step_of(values)
  met <- if (is.na(step)) {
    rows[y[rows] %in% values]
  } else {
    tests <- lapply(drawn, function(z) {
      c(
        rows_met(y[rows], z[own(z)], step, length(drawn)),
        if (ordered) {
          both <- own(z[rows])
          which(both)[rows_of_own(y[rows][both], list(z[rows][both]), step)]
        }
      )
    })
    rows[sort(unique(unlist(tests)))]
  }
  if (length(met) > 0) {
    abort_own(
      met, name,
      if (ordered) {
        "{length(met)} record{?s} would be released with {?its/their} own value
         of {.val {name}}: more than chance explains."
      } else {
        "Rare values of {.val {name}}, those of {length(met)} record{?s}, stand
         in the sets: more than chance explains. Trees give values of records;
         {.code model = \"regression\"} does not."
      }
    )
  }
}

#' Records whose rare value is in a set, where these are too many for chance
#'
#' A set's values meet rare values of the file about as often as they meet what
#' is a few steps beside these.
#' @param m (count) Sets that are looked at.
#' @return (integer) Places in `y`; none where chance explains them.
#' @noRd
rows_met <- function(y, values, step, m) {
  own <- round(y / step)
  drawn <- round(values / step)
  size <- tabulate(match(own, own), length(own))[match(own, own)]
  alone <- unique(own[size < shared_by])
  n_met <- sum(drawn %in% alone)
  near <- vapply(c(-10:-1, 1:10), function(d) sum((drawn + d) %in% alone), 1L)
  # Of a grid with gaps only every other step is met; of a fine one, values that
  # miss by more steps tell how many meet
  expected <- if (max(near) > 0) {
    2 * (max(near) + 1)
  } else {
    within <- 10 * 4^(1:20)
    around <- vapply(within, function(d) {
      sum(findInterval(drawn + d, sort(alone)) -
        findInterval(drawn - d - 1, sort(alone)))
    }, 1)
    far <- match(TRUE, around - n_met >= min(20, max(around) - n_met))
    2 * (around[far] - n_met + 1) / (2 * within[far])
  }
  chance <- stats::ppois(n_met - 1, expected, lower.tail = FALSE)
  if (chance < 1e-6 / m) which(own %in% intersect(alone, drawn)) else integer()
}
