# Published columns that tell the response: a copy, a class of it, or a column
# that determines it. Synthetic values beside it would protect nothing.

#' Refuse published columns that tell the response
#'
#' @param y (numeric, N) The confidential response.
#' @param columns (list or data frame, N rows) What is published beside it.
#' @noRd
check_not_copied <- function(y, columns) {
  # Text in the session's own encoding has no order that radix sorting takes
  if (is.character(y)) y <- as_text(y)
  if (is.raw(y)) y <- as.integer(y)
  told <- names(columns)[vapply(columns, tells_response, TRUE, y = y)]
  refuse_telling(told)
  invisible(columns)
}

#' @param told (character) Columns.
#' @noRd
refuse_telling <- function(told) {
  refuse_copies(
    told, "A published column must not reveal the response.",
    x = "{cli::qty(length(told))}The column{?s} {.val {told}}
         {?is/are} a copy or a grouping of the response, or
         {?determines/determine} it for every or nearly every record.",
    i = "Leave {cli::qty(length(told))}{?it/them} out."
  )
}

#' @param told (character) What tells the response, if anything does.
#' @noRd
refuse_copies <- function(told, ..., .envir = rlang::caller_env()) {
  refuse_if(
    length(told) > 0, ..., abort = abort_privacy,
    class = "pseudosynth_error_copied_response", .envir = .envir
  )
}

#' Refuse a design that the response came into through a formula's function
#'
#' @param spec As the core sees it.
#' @noRd
check_design_not_copied <- function(spec, design) {
  check_not_copied(spec$y, computed_terms(spec, design))
}

#' Columns of a design that are computed, and the offset
#'
#' Those that are variables of the file are left out: they are checked as they
#' stand there.
#' @return (named list of integer or double)
#' @noRd
computed_terms <- function(spec, design) {
  computed <- function(x, terms) {
    which <- which(!terms %in% design$variables)
    stats::setNames(lapply(which, function(j) {
      if (is.raw(x)) as.integer(x[, j]) else x[, j]
    }), terms[which])
  }
  c(
    computed(spec$codes, design$factors$variable),
    computed(spec$numeric, c(design$vectors, design$dense)),
    if (!is.null(spec$offset)) list(offset = spec$offset)
  )
}

#' Refuse a formula into whose code the response was written
#'
#' A program can write any number of constants there, which a release keeps.
#' @param terms (terms) Of the design.
#' @noRd
check_terms_hold_none <- function(y, terms) {
  constants <- abs(constants_of(as.list(attr(terms, "variables"))))
  refuse_formula_holding(
    is.numeric(y) && holds_values(unique(constants), abs(met_once(y)))
  )
}

refuse_formula_holding <- function(holds) {
  refuse_copies(
    if (holds) "formula", "{.arg formula} must not hold the response.",
    x = "Most constants in it are values of the response.",
    i = "State public constants.", arg = "formula"
  )
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
check_holds_none <- function(y, columns) {
  if (!is.numeric(y)) {
    return(invisible())
  }
  file <- held_response(y)
  numbers <- Filter(Negate(is.null), lapply(columns, distinct_numbers))
  told <- function(holds) names(numbers)[vapply(numbers, holds, NA)]
  refuse_holding(
    told(function(x) {
      holds_values(x$value, file$once()) || holds_scaled(x, file)
    }), "values"
  )
  refuse_holding(
    told(function(x) x$n == file$n && holds_means(x, as.double(y))), "means"
  )
}

#' @param told (character) Columns.
#' @param what (string) What they hold.
#' @noRd
refuse_holding <- function(told, what) {
  refuse_copies(
    told, "A published column must not hold the response.",
    x = if (what == "values") {
      "Most values of {.val {told}} are values of the response."
    } else {
      "The values of {.val {told}} are group means or medians of the response."
    },
    i = "Leave {cli::qty(length(told))}{?it/them} out."
  )
}

#' What the checks ask of the response: nothing is sorted unless one asks
#' @return (list) `n`, and functions: values that one record alone has; all
#'   values, sorted; do at least half of them differ? Sums of the sorted values
#'   up to each, and of their squares, around their mean.
#' @noRd
held_response <- function(y) {
  n <- length(y)
  once <- sorted <- many <- along <- NULL
  own <- list(n = n)
  own$once <- function() once <<- once %||% met_once(as.double(y))
  own$sorted <- function() {
    sorted <<- sorted %||% with_squares(sort(as.double(y)))
  }
  own$many <- function() {
    many <<- many %||% (most_distinct(y) >= n / 2 &&
      length(sorted_runs_(own$sorted())$n) >= n / 2)
  }
  own$along <- function() {
    along <<- along %||% {
      centred <- own$sorted() - mean(own$sorted())
      list(sum = cumsum(centred), square = sum(centred^2))
    }
  }
  own
}

#' The distinct numbers of a column, or those that its text writes
#' @return (list) `n`: records; `value`: distinct numbers; `code`: a function
#'   that says which of them each record has. `NULL` if the column has none.
#' @noRd
distinct_numbers <- function(x) {
  if (is.numeric(x)) {
    x <- as.double(x)
    value <- unique(x)
    return(list(
      n = length(x), value = value, code = function() match(x, value)
    ))
  }
  written <- written_numbers(x)
  if (!is.null(written)) {
    value <- unique(written$number[!is.na(written$number)])
    list(n = length(x), value = value, code = function() {
      match(written$number, value)[written$code(TRUE)]
    })
  }
}

#' Values that one record alone has
#' @noRd
met_once <- function(y) y[!duplicated(y) & !duplicated(y, fromLast = TRUE)]

#' @param x (double) Distinct numbers.
#' @param once (double) Looked at only where there are enough of them.
#' @noRd
holds_values <- function(x, once) {
  length(x) > 10 && sum(x %in% once) > max(10, length(x) / 2)
}

#' Is a column the response in another order and another unit?
#'
#' Two files of one law, sorted, lie on a line up to a share of about 1 / N of
#' their variance; a copy does up to its rounding.
#' @param x (list) See distinct_numbers().
#' @param file (list) See held_response().
#' @noRd
holds_scaled <- function(x, file) {
  n <- file$n
  if (x$n != n || n < 20 || length(x$value) < 2 ||
    !all(is.finite(x$value)) || !file$many() ||
    length(file$sorted()) != n || !all(is.finite(range(file$sorted())))) {
    return(FALSE)
  }
  size <- tabulate(x$code(), length(x$value))[order(x$value)]
  value <- with_squares(sort(x$value))
  on_a_line <- function(value, size) {
    correlation <- if (length(value) > 1000) {
      stats::cor(rep(value, size), file$sorted())
    } else {
      centred <- value - sum(size * value) / n
      sums <- diff(c(0, file$along()$sum[cumsum(size)]))
      sum(centred * sums) / sqrt(sum(size * centred^2) * file$along()$square)
    }
    1 - abs(correlation) < 1e-9
  }
  on_a_line(value, size) || on_a_line(rev(value), rev(size))
}

#' Numbers in a unit in which the sum of their squares is finite
#' @noRd
with_squares <- function(x) {
  unit <- max(1, abs(x[c(1, length(x))]) / 1e140)
  if (isTRUE(unit > 1)) x / unit else x
}

#' Are a column's values the means of the response in the groups it forms?
#'
#' Also those of its logarithm, and medians, up to the column's own rounding.
#' Values of three digits and fewer are met by chance.
#' @param x (list) See distinct_numbers().
#' @noRd
holds_means <- function(x, y) {
  value <- x$value
  long <- value != signif(value, 3)
  if (length(value) < 2 || length(value) > x$n / 2 ||
    !all(is.finite(value)) || sum(long) < 2) {
    return(FALSE)
  }
  group <- x$code()
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
  met <- vapply(told, function(of_group) sum(varies & is_met(of_group)), 1)
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
  follows <- function(of, few) {
    follows_response(of, y) || !few && nearly_follows(of, y)
  }
  if (follows(
    function(some) x[some], is.factor(x) && nlevels(x) < few_values
  )) {
    return(TRUE)
  }
  written <- written_numbers(x)
  !is.null(written) && follows(
    function(some) written$number[written$code(some)],
    length(unique(written$number)) < few_values
  )
}

#' The numbers that a column of text writes, such as amounts with a currency
#' @return (numeric) `NULL` if some values write none.
#' @noRd
numbers_in <- function(x) {
  written <- written_numbers(x)
  if (!is.null(written)) written$number[written$code(TRUE)]
}

#' The same, each text once
#' @return (list) `number`: of a factor those of its levels, `NA` where no
#'   record has one; `code`: a function of rows, which number each has. `NULL`
#'   if some values write none.
#' @noRd
written_numbers <- function(x) {
  if (is.factor(x)) {
    size <- tabulate(x, nlevels(x))
    met <- which(size > 0)
    # A record without a level writes no number
    if (sum(size) < length(x)) {
      return(NULL)
    }
    found <- text_numbers(as_text(levels(x)[met]))
    number <- rep(NA_real_, nlevels(x))
    if (!is.null(found)) number[met] <- found
    code <- function(some) plain_code(if (isTRUE(some)) x else x[some])
  } else if (is.character(x)) {
    met <- unique(x)
    found <- number <- text_numbers(as_text(met))
    code <- function(some) match(x[some], met)
  } else {
    return(NULL)
  }
  if (!is.null(found)) list(number = number, code = code)
}

text_numbers <- function(values) {
  numbers <- suppressWarnings(as.numeric(values))
  if (anyNA(numbers)) {
    if (!all(grepl("[0-9]", values))) {
      return(NULL)
    }
    # A comma before the last digits is the decimals'
    comma <- any(grepl(",[0-9]{1,2}([^0-9]|$)", values))
    digits <- gsub(if (comma) "[^0-9,]" else "[^0-9.]", "", values)
    digits <- sub(",", ".", digits, fixed = TRUE)
    numbers <- suppressWarnings(as.numeric(digits))
    below <- grepl("^[^0-9.,]*-[^0-9.,]*[0-9.,]", values)
    numbers <- ifelse(below, -numbers, numbers)
  }
  if (length(numbers) > 0 && !anyNA(numbers)) numbers
}

#' @param x (function) Of rows: the column's values there.
#' @noRd
follows_response <- function(x, y) {
  # What all records show, some show as well: few decide nearly always
  for (n in c(200, 5000)) {
    some <- round(seq(1, length(y), length.out = n))
    found <- if (length(y) > n) told_by(x(some), y[some])
    # Classes of one record each tell nothing
    if (isFALSE(found$pattern) ||
      isFALSE(found$up) && !anyDuplicated(x(TRUE))) {
      return(FALSE)
    }
  }
  found <- told_by(x(TRUE), y)
  isTRUE(found$pattern) && found$rare()
}

# A column of fewer values does not nearly follow the response
few_values <- 20

#' Is a column the response but for some records?
#'
#' Where the column goes up, the response seldom goes down, or seldom up: less
#' than a fifth as often as in a random order of the records, which a tenth of
#' a copy's records may differ for. Noise that is wider than the gap between
#' neighbouring records is enough to pass. For numbers of many values alone.
#' @noRd
nearly_follows <- function(x, y) {
  seldom <- function(some) {
    x <- ranks_of(column_order(x(some)))
    y <- ranks_of(y[some])
    if (max(x) < few_values || max(y) < few_values) {
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
  (n <= 400 || seldom(round(seq(1, n, length.out = 400)))) && seldom(seq_len(n))
}

#' Does one follow the other without exception?
#' @return (list) `pattern` (flag; `NA` where one is constant), `up` (flag: in
#'   one direction), `rare` (function: is that no accident?).
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
  list(pattern = up || classes, up = up, rare = function() {
    orders <- function(x) orders_of(tabulate(match(x, unique(x))))
    chance <- orders(x) + orders(y) - lfactorial(length(y)) - orders(pairs)
    is_no_accident(chance, up, classes, n_x)
  })
}

#' In how many orders records of the same value are the same, as a logarithm
#' @param count (double) Records of each value.
#' @param times (double) How many values have that many.
#' @noRd
orders_of <- function(count, times = 1) sum(times * lfactorial(count))

#' @param chance (number) That a random order does as well, as a logarithm.
#' @param up,classes (flags) In one direction? In classes?
#' @param n_x (count) Of classes.
#' @noRd
is_no_accident <- function(chance, up, classes, n_x) {
  rare <- function(ways) ways + chance < log(1e-9)
  (up && rare(log(2))) || (classes && rare(lfactorial(n_x)))
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

# Published columns that tell the response nearly. release() refuses them, fits
# tell them: the one check for both.

# Refused beyond, see ?release
near_share <- 0.99

#' Columns that alone or together tell the response nearly
#'
#' One of rank correlation beyond .99; classes of the response, in whatever
#' order, but for 1% of the records; columns whose weighted sum or, all above 0,
#' whose product is the response up to 1% of its variance: wages and other
#' income give the income, hours and wages per hour the wages.
#' @param columns (list or data frame)
#' @return (list) `columns` (character), `share` (number); no columns: none.
#' @noRd
near_copies <- function(y, columns) {
  none <- list(columns = character(), share = 0)
  # What holds for all shows in some
  at <- unique(round(seq(1, length(y), length.out = min(length(y), 20000))))
  columns <- lapply(columns, function(x) x[at])
  codes <- lapply(columns, codes_of)
  classes <- near_classes(y[at], codes)
  if (length(classes) > 0) {
    return(list(columns = names(classes), share = max(classes)))
  }
  if (!is.numeric(y) || !has_values(y, 20)) {
    return(none)
  }
  y <- as.double(y[at])
  numbers <- Filter(Negate(is.null), lapply(columns, varying_numbers))
  rank_y <- rank(y)
  ranks <- vapply(numbers, function(x) abs(stats::cor(rank(x), rank_y)), 1)
  near <- ranks > near_share
  if (length(y) >= 20 && any(near)) {
    return(list(columns = names(numbers)[near], share = max(ranks)))
  }
  # Categories that a regression can take
  few <- min(50, length(y) / 12)
  factors <- Filter(
    function(x) max(x) > 1 && max(x) <= few,
    codes[setdiff(names(codes), names(numbers))]
  )
  # Regressions cost more than all else, and 3,000 records tell R2 well
  some <- unique(round(seq(1, length(y), length.out = min(length(y), 3000))))
  y <- y[some]
  numbers <- lapply(numbers, `[`, some)
  factors <- lapply(factors, `[`, some)
  told_by_some <- function(names) {
    numbers <- numbers[intersect(names(numbers), names)]
    factors <- factors[intersect(names(factors), names)]
    max(
      share_told(y, numbers, factors),
      if (min(y) > 0) share_told(log(y), lapply(numbers, log_of), factors)
    )
  }
  names <- c(names(numbers), names(factors))
  if (told_by_some(names) <= near_share) {
    return(none)
  }
  # Without those that it does not take
  for (name in names) {
    if (told_by_some(setdiff(names, name)) > near_share) {
      names <- setdiff(names, name)
    }
  }
  list(columns = names, share = told_by_some(names))
}

#' @return (double, or `NULL` where it has none or one)
#' @noRd
varying_numbers <- function(x) {
  x <- if (is.numeric(x)) as.double(x) else numbers_in(x)
  if (!is.null(x) && all(is.finite(x)) && max(x) > min(x)) x
}

log_of <- function(x) if (min(x) > 0) log(x) else x

#' R2 of a regression on numbers and categories
#' @param factors (list of codes)
#' @return (number) 0 where there are too few records to tell.
#' @noRd
share_told <- function(y, numbers, factors) {
  dummies <- lapply(factors, function(code) {
    outer(code, seq_len(max(code))[-1], `==`) + 0
  })
  x <- do.call(cbind, c(list(rep(1, length(y))), lapply(numbers, function(x) {
    x <- x - mean(x)
    # Logarithms of far numbers may all be one
    x / max(abs(x), .Machine$double.xmin)
  }), dummies))
  if (ncol(x) < 2 || ncol(x) > 200 || length(y) < 10 * ncol(x) ||
    max(y) == min(y)) {
    return(0)
  }
  left <- stats::lm.fit(x, y)$residuals
  told <- 1 - sum(left^2) / sum((y - mean(y))^2)
  if (is.finite(told)) told else 0
}

#' Columns that class the response, but for few records
#'
#' In the order of the response classes change where one ends and where a record
#' is an exception, twice for each; in a random order nearly everywhere. Of a
#' response of few values it is the share that the column's most frequent answer
#' gets right.
#' @param codes (list) See codes_of().
#' @return (named numeric) The share of records that agree, by column.
#' @noRd
near_classes <- function(y, codes) {
  n <- length(y)
  codes <- Filter(function(x) n >= 200 && max(x) > 1 && max(x) <= n / 50, codes)
  if (length(codes) == 0) {
    return(numeric())
  }
  own <- match(y, unique(y))
  shares <- if (max(own) < 20) {
    most <- max(tabulate(own)) / n
    vapply(codes, function(x) {
      right <- sum(apply(table(x, own), 1, max)) / n
      if (1 - right < (1 - most) / 10) right else 0
    }, 1)
  } else {
    # Ties in no order: neither the file's nor R's random numbers
    sorted <- order(y, (seq_len(n) * 0.6180339887) %% 1)
    vapply(codes, function(x) {
      changes <- sum(diff(x[sorted]) != 0) - (max(x) - 1)
      at_random <- n - sum(tabulate(x)^2) / n
      if (changes < at_random / 10) 1 - changes / 2 / n else 0
    }, 1)
  }
  shares[shares > near_share]
}

#' Say at the fit what release() will refuse
#' @param y,columns (list or data frame) As near_copies() takes them.
#' @noRd
tell_near_copies <- function(y, columns) {
  near <- near_copies(y, columns)
  told <- near$columns
  if (length(told) > 0) {
    tell_of(
      c("near_copy", "published"),
      "!" = "Published columns nearly reveal the response: {.val {told}}
             {cli::qty(length(told))}{?gives/give}
             {format_near_share(near$share)} of the response.",
      i = "Leave {cli::qty(length(told))}{?it/one of them} out. {.fn release}
           refuses {?it/them} unless {.arg public} names {?it/them all};
           {.fn synthesize} refuses a copy."
    )
  }
}

#' Never rounded up to all
#' @noRd
format_near_share <- function(share) format_share(floor(1000 * share) / 1000)
