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
  classes <- near_classes(y[at], columns)
  if (length(classes) > 0) {
    return(list(columns = names(classes), share = max(classes)))
  }
  if (!is.numeric(y) || length(unique(y)) < 20) {
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
  factors <- few_levels(columns[setdiff(names(columns), names(numbers))], at)
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

#' Categories that a regression can take
#' @noRd
few_levels <- function(columns, at) {
  codes <- lapply(columns, function(x) {
    x <- as_text(x)
    match(x, unique(x))
  })
  Filter(function(x) {
    max(x) > 1 && max(x) <= min(50, length(at) / 12)
  }, codes)
}

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
#' @return (named numeric) The share of records that agree, by column.
#' @noRd
near_classes <- function(y, columns) {
  n <- length(y)
  codes <- lapply(columns, function(x) {
    x <- if (is.numeric(x)) x else as_text(x)
    match(x, unique(x))
  })
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
    cli::cli_inform(
      c(
        "!" = "Published columns give the response nearly: {.val {told}}
               {cli::qty(length(told))}{?tells/tell}
               {format_near_share(near$share)} of it.",
        i = "{.fn release} refuses {cli::qty(length(told))}{?it/them} unless
             {.arg public} names {?it/them all}, {.fn synthesize} refuses a
             copy. Leave {cli::qty(length(told))}{?it/one} out."
      ),
      class = c(
        "pseudosynth_message_near_copy", "pseudosynth_message_published"
      )
    )
  }
}

#' Never rounded up to all
#' @noRd
format_near_share <- function(share) format_share(floor(1000 * share) / 1000)
