# Published columns that tell the response: a copy, a class of it, or a column
# that determines it. Synthetic values beside it would protect nothing.

#' Refuse published columns that tell the response
#'
#' @param y (numeric, N) The confidential response.
#' @param columns (list or data frame, N rows) What is published beside it.
#' @noRd
check_not_copied <- function(y, columns, call = rlang::caller_env()) {
  # Text in the session's own encoding has no order that radix sorting takes
  if (is.character(y)) y <- as_text(y)
  if (is.raw(y)) y <- as.integer(y)
  told <- names(columns)[vapply(columns, tells_response, TRUE, y = y)]
  if (length(told) > 0) {
    abort_privacy(
      c(
        "A published column must not tell the response.",
        x = "{cli::qty(length(told))}The column{?s} {.val {told}}
             {?is/are} a copy of it, a class of it, or {?determines/determine}
             it for every record, or nearly every one.",
        i = "Leave {cli::qty(length(told))}{?it/them} out."
      ),
      call = call, class = "pseudosynth_error_copied_response"
    )
  }
  invisible(columns)
}

#' Refuse a design that the response came into through a formula's function
#'
#' Columns that are variables of the file are left out: they are checked as they
#' stand there.
#' @param spec As the core sees it.
#' @noRd
check_design_not_copied <- function(spec, design, call) {
  computed <- function(x, terms) {
    which <- which(!terms %in% design$variables)
    stats::setNames(lapply(which, function(j) x[, j]), terms[which])
  }
  columns <- c(
    computed(spec$codes, design$factors$variable),
    computed(spec$numeric, c(design$vectors, design$dense)),
    if (!is.null(spec$offset)) list(offset = spec$offset)
  )
  check_not_copied(spec$y, columns, call)
}

#' Refuse a formula into whose code the response was written
#'
#' A program can write any number of constants there, which a release keeps.
#' @param terms (terms) Of the design.
#' @noRd
check_terms_hold_none <- function(y, terms, call = rlang::caller_env()) {
  constants <- abs(constants_of(as.list(attr(terms, "variables"))))
  if (is.numeric(y) && holds_values(constants, abs(met_once(y)))) {
    abort_privacy(
      c(
        "{.arg formula} must not hold the response.",
        x = "Most constants in it are values of the response.",
        i = "State public constants."
      ),
      arg = "formula", call = call, class = "pseudosynth_error_copied_response"
    )
  }
}

#' The numbers that stand in code
#' @noRd
constants_of <- function(code) {
  if (is.numeric(code)) {
    as.double(code)
  } else if (is.call(code) || is.list(code)) {
    as.double(unlist(lapply(as.list(code), function(part) {
      if (!rlang::is_missing(part)) constants_of(part)
    })))
  }
}

#' Refuse columns that hold the response's values, in whatever order and unit,
#' or its means by group
#'
#' What tells are values that one record alone has: more than half of the
#' column's different values, and more than ten. Of columns that have nothing to
#' do with each other at most a share of 1/e is met exactly once. Only numbers,
#' also as text: labels are met often.
#' @noRd
check_holds_none <- function(y, columns, call = rlang::caller_env()) {
  if (!is.numeric(y)) {
    return(invisible())
  }
  y <- as.double(y)
  once <- met_once(y)
  numbers <- Filter(Negate(is.null), lapply(columns, function(x) {
    if (is.numeric(x)) as.double(x) else numbers_in(x)
  }))
  told_by <- function(holds) names(numbers)[vapply(numbers, holds, NA)]
  tell_held(
    told_by(function(x) holds_values(x, once) || holds_scaled(x, y)),
    "Most values of {.val {told}} are values of the response.", call
  )
  tell_held(
    told_by(function(x) length(x) == length(y) && holds_means(x, y)),
    "The values of {.val {told}} are means or medians of the response by
     group.", call
  )
}

tell_held <- function(told, what, call) {
  if (length(told) > 0) {
    abort_privacy(
      c(
        "A published column must not hold the response.",
        x = what,
        i = "Leave {cli::qty(length(told))}{?it/them} out."
      ),
      call = call, class = "pseudosynth_error_copied_response"
    )
  }
}

#' Values that one record alone has
#' @noRd
met_once <- function(y) y[!duplicated(y) & !duplicated(y, fromLast = TRUE)]

holds_values <- function(x, once) {
  x <- unique(x)
  sum(x %in% once) > max(10, length(x) / 2)
}

#' Is a column the response in another order and another unit?
#'
#' Two files of one law, sorted, lie on a line up to a share of about 1 / N of
#' their variance; a copy does up to its rounding.
#' @noRd
holds_scaled <- function(x, y) {
  if (length(x) != length(y) || length(y) < 20 || !all(is.finite(c(x, y))) ||
    length(unique(y)) < length(y) / 2 || max(x) == min(x)) {
    return(FALSE)
  }
  sorted <- sort(y)
  on_a_line <- function(x) 1 - abs(stats::cor(x, sorted)) < 1e-9
  on_a_line(sort(x)) || on_a_line(sort(x, decreasing = TRUE))
}

#' Are a column's values the means of the response in the groups it forms?
#'
#' Also those of its logarithm, and medians, up to the column's own rounding.
#' Values of three digits and fewer are met by chance.
#' @noRd
holds_means <- function(x, y) {
  value <- unique(x)
  if (length(value) < 2 || length(value) > length(x) / 2 ||
    !all(is.finite(value))) {
    return(FALSE)
  }
  group <- match(x, value)
  long <- value != signif(value, 3)
  digits <- response_digits(value)
  is_met <- function(of_group) {
    close <- abs(of_group - value) <= 1e-6 * abs(value)
    if (!is.na(digits)) close <- close | round(of_group, digits) == value
    close
  }
  size <- tabulate(group, length(value))
  means <- function(y) as.vector(rowsum(y, group)) / size
  mean <- means(y)
  varies <- long & size > 1 & means((y - mean[group])^2) > 0
  if (sum(varies) < 2) {
    return(FALSE)
  }
  sorted <- y[order(group, y)]
  first <- cumsum(c(0, size[-length(size)]))
  median <- (sorted[first + (size + 1) %/% 2] +
    sorted[first + size %/% 2 + 1]) / 2
  told <- c(list(mean, median), if (all(y > 0)) list(means(log(y))))
  met <- vapply(told, function(of_group) {
    sum(varies & is_met(of_group))
  }, 1)
  max(met) > max(1, sum(varies) / 2)
}

#' Does a column tell the response of every record, or its class?
#'
#' It does where one goes up (or down) with the other without exception, where
#' its values are classes of neighbouring responses, and where all records with
#' the same value have the same response; but only if that is no accident: for
#' a random order of the records less likely than one in a thousand million.
#' @noRd
tells_response <- function(x, y) {
  written <- numbers_in(x)
  tells <- function(x) follows_response(x, y) || nearly_follows(x, y)
  tells(x) || (!is.null(written) && tells(written))
}

#' The numbers that a column of text writes, such as amounts with a currency
#' @return (numeric) `NULL` if some values write none.
#' @noRd
numbers_in <- function(x) {
  if (!is.character(x) && !is.factor(x)) {
    return(NULL)
  }
  # Each text once; of a factor's levels those that are met
  at <- if (is.factor(x)) as.integer(x) else match(x, unique(x))
  met <- unique(at)
  values <- as_text(if (is.factor(x)) levels(x)[met] else unique(x))
  numbers <- suppressWarnings(as.numeric(values))
  if (anyNA(numbers)) {
    # A comma before the last digits is the decimals'
    comma <- any(grepl(",[0-9]{1,2}([^0-9]|$)", values))
    digits <- gsub(if (comma) "[^0-9,]" else "[^0-9.]", "", values)
    digits <- sub(",", ".", digits, fixed = TRUE)
    numbers <- suppressWarnings(as.numeric(digits))
    below <- grepl("^[^0-9.,]*-[^0-9.,]*[0-9.,]", values)
    numbers <- ifelse(below, -numbers, numbers)
  }
  if (length(numbers) > 0 && !anyNA(numbers)) numbers[match(at, met)]
}

follows_response <- function(x, y) {
  # What all records show, some show as well: few decide nearly always
  for (n in c(200, 5000)) {
    some <- round(seq(1, length(y), length.out = n))
    if (length(y) > n && isFALSE(told_by(x[some], y[some])$pattern)) {
      return(FALSE)
    }
  }
  found <- told_by(x, y)
  isTRUE(found$pattern) && found$rare()
}

#' Is a column the response but for some records?
#'
#' Where the column goes up, the response seldom goes down, or seldom up: less
#' than a fifth as often as in a random order of the records, which a tenth of
#' a copy's records may differ for. Noise that is wider than the gap between
#' neighbouring records is enough to pass. For numbers of many values alone.
#' @noRd
nearly_follows <- function(x, y) {
  few <- 20
  if (is.factor(x) && nlevels(x) < few) {
    return(FALSE)
  }
  seldom <- function(some) {
    x <- ranks_of(column_order(x[some]))
    if (max(x) < few) {
      return(FALSE)
    }
    y <- ranks_of(y[some])
    if (max(y) < few) {
      return(FALSE)
    }
    against <- function(y) {
      sorted <- order(x, y)
      up <- diff(x[sorted]) > 0
      sum(diff(y[sorted])[up] < 0) / sum(up)
    }
    at_random <- (1 - sum((tabulate(y) / length(y))^2)) / 2
    min(against(y), against(-y)) < at_random / 5
  }
  n <- length(y)
  (n <= 400 || seldom(round(seq(1, n, length.out = 400)))) &&
    seldom(seq_len(n))
}

#' Does one follow the other without exception?
#' @return (list) `pattern` (flag; `NA` where one is constant), `rare`
#'   (function: is that no accident?).
#' @noRd
told_by <- function(x, y) {
  x <- ranks_of(column_order(x))
  y <- ranks_of(y)
  n_x <- max(x)
  n_y <- max(y)
  if (n_x < 2 || n_y < 2) {
    return(list(pattern = NA))
  }
  pairs <- (y - 1) * n_x + x
  n_pairs <- length(unique(pairs))
  y_of_x <- n_pairs == n_x
  x_of_y <- n_pairs == n_y
  if (!y_of_x && !x_of_y) {
    return(list(pattern = FALSE))
  }
  sorted <- function(x) !is.unsorted(x[order(y, x)])
  up <- sorted(x) || sorted(-x)
  classes <- y_of_x || length(rle(x[order(y)])$lengths) == n_x
  list(pattern = up || classes, rare = function() {
    orders <- function(x) sum(lfactorial(tabulate(match(x, unique(x)))))
    chance <- orders(x) + orders(y) - lfactorial(length(y)) - orders(pairs)
    rare <- function(ways) ways + chance < log(1e-9)
    (up && rare(log(2))) || (classes && rare(lfactorial(n_x)))
  })
}

# Text has an order, too, which may be the response's
column_order <- function(x) {
  if (is.ordered(x)) {
    as.integer(x)
  } else if (is.numeric(x) || inherits(x, c("Date", "POSIXct", "difftime"))) {
    as.numeric(x)
  } else {
    as_text(as.character(x))
  }
}

# Ties are what tells: equal values get equal ranks
ranks_of <- function(x) {
  values <- unique(x)
  match(x, values[order(values, method = "radix")])
}
