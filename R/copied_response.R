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

#' Refuse columns that hold the response's values, in whatever order
#'
#' What tells are values that one record alone has: more than half of the
#' column's different values, and more than ten. Of columns that have nothing to
#' do with each other at most a share of 1/e is met exactly once. Only numbers,
#' also as text: labels are met often.
#' @noRd
check_holds_none <- function(y, columns, call = rlang::caller_env()) {
  once <- y[!duplicated(y) & !duplicated(y, fromLast = TRUE)]
  holds <- function(x) {
    x <- if (is.numeric(x)) x else numbers_in(x)
    is.numeric(x) && {
      x <- unique(x)
      sum(x %in% once) > max(10, length(x) / 2)
    }
  }
  told <- names(columns)[is.numeric(y) & vapply(columns, holds, TRUE)]
  if (length(told) > 0) {
    abort_privacy(
      c(
        "A published column must not hold the response.",
        x = "Most values of {.val {told}} are values of the response.",
        i = "Leave {cli::qty(length(told))}{?it/them} out."
      ),
      call = call, class = "pseudosynth_error_copied_response"
    )
  }
}

#' Columns that together tell the response nearly
#'
#' One of rank correlation beyond .99, or numbers whose weighted sum is the
#' response up to 1% of its variance: wages and other income give the income.
#' @return (list) `columns` (character), `share` (number); no columns: none.
#' @noRd
near_copies <- function(y, columns) {
  none <- list(columns = character(), share = 0)
  numbers <- Filter(Negate(is.null), lapply(columns, function(x) {
    x <- if (is.numeric(x)) as.double(x) else numbers_in(x)
    if (!is.null(x) && all(is.finite(x)) && max(x) > min(x)) x
  }))
  if (!is.numeric(y) || length(numbers) == 0 || length(unique(y)) < 20) {
    return(none)
  }
  # What holds for all shows in some
  at <- unique(round(seq(1, length(y), length.out = min(length(y), 20000))))
  y <- as.double(y[at])
  numbers <- lapply(numbers, `[`, at)
  if (length(y) < 10 * (length(numbers) + 1) || max(y) == min(y)) {
    return(none)
  }
  rank_y <- rank(y)
  ranks <- vapply(numbers, function(x) {
    if (max(x) > min(x)) abs(stats::cor(rank(x), rank_y)) else 0
  }, 1)
  if (max(ranks) > 0.99) {
    near <- ranks > 0.99
    return(list(columns = names(numbers)[near], share = max(ranks)))
  }
  x <- do.call(cbind, numbers)
  left <- stats::lm.fit(cbind(1, scale(x)[, colSums(x != x[1]) > 0]), y)
  told <- 1 - sum(left$residuals^2) / sum((y - mean(y))^2)
  if (is.finite(told) && told > 0.99) {
    list(columns = names(numbers), share = told)
  } else {
    none
  }
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
