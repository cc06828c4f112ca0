# What checks ask of a long column: answers in one pass that makes no copy of
# it, or none where a look at its beginning or its range will do. And what to do
# with the memory of those that make copies, and with records that memory need
# not hold.

#' What a function gives of some records, joined over the chunks they come in
#'
#' @param records What is in memory, all of it one chunk, or a function: it
#'   calls another one with each chunk.
#' @param join (function of two results) Sums are added up.
#' @return What `f` gives.
#' @noRd
over_chunks <- function(records, f, join = function(all, own) {
                          if (is.list(all)) Map(`+`, all, own) else all + own
                        }) {
  if (!is.function(records)) {
    return(f(records))
  }
  all <- NULL
  records(function(chunk) {
    own <- f(chunk)
    all <<- if (is.null(all)) own else join(all, own)
  })
  all
}

#' Give back what is not used any more, where records are many
#'
#' R lets it lie until it is a good part of all that R holds: with many records
#' that is more memory than the next step takes.
#' @param full (flag) `FALSE`: only what came up since the last time, which
#'   takes far less time.
#' @noRd
give_back_memory <- function(n, full = TRUE) {
  if (n < 2e5) {
    return(invisible())
  }
  gc(full = full)
  # What comes back costs a page each: not between blocks
  if (full) trim_memory_()
}

#' Are all numbers finite? In one pass, without a copy
#' @noRd
all_finite <- function(x) {
  if (typeof(x) %in% c("integer", "double", "logical")) {
    facts <- number_facts_(x)
    return(facts$missing == 0 && is.finite(facts$least) &&
      is.finite(facts$most) || length(x) == 0)
  }
  all(is.finite(x))
}

#' Does a vector have at least so many distinct values?
#' @noRd
has_values <- function(x, n) {
  some <- utils::head(x, 1e5)
  length(unique(some)) >= n || length(x) > 1e5 && length(unique(x)) >= n
}

#' Is a value missing? Of a factor, too, without a copy
#' @noRd
has_missing <- function(x) {
  if (typeof(x) %in% c("integer", "double", "logical")) {
    number_facts_(x)$missing > 0
  } else {
    anyNA(x)
  }
}

#' Distinct numbers, sorted, and how many there are of each
#'
#' Whole numbers of a small range are counted, which takes no sorting.
#' @return (list or `NULL`, for other numbers) `value`, `n`.
#' @noRd
counted_wholes <- function(y) {
  facts <- number_facts_(y)
  range <- facts$most - facts$least
  if (facts$missing > 0 || !facts$whole || !isTRUE(range < 1e6) ||
    length(y) < 1e4 || max(abs(c(facts$least, facts$most))) > 2^52) {
    return(NULL)
  }
  n <- whole_counts_(y, facts$least, range + 1)
  value <- facts$least + seq_along(n) - 1
  list(value = value[n > 0], n = n[n > 0])
}

#' The number that most records have, and how many: the least of several
#' @return (list) `value`, `n`.
#' @noRd
commonest_number <- function(y) {
  counted <- counted_wholes(y)
  found <- if (is.null(counted)) {
    longest_run_(sort(as.double(y), method = "radix"))
  } else {
    most <- which.max(counted$n)
    c(counted$value[most], counted$n[most])
  }
  list(value = found[1], n = found[2])
}

which_not_finite <- function(x) {
  if (all_finite(x)) integer() else which(!is.finite(x))
}

#' No more distinct values than there are whole numbers in their range
#' @noRd
most_distinct <- function(y) {
  facts <- number_facts_(y)
  if (facts$whole) facts$most - facts$least + 2 else Inf
}

#' No column has more distinct values, told without looking for them
#' @noRd
most_values <- function(x) {
  if (is.factor(x)) {
    nlevels(x) + 1
  } else if (is.logical(x)) {
    3
  } else if (is.numeric(x)) {
    most_distinct(x)
  } else {
    Inf
  }
}
