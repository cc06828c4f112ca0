# Numbers that are stated as public must not be computed from the file: its
# smallest and its largest value are the values of records, and noise hides no
# mean that stands in a label.

#' Refuse stated ends that are the smallest or the largest value of the file
#'
#' One end is enough, and so is one that nearly equals it. What 0 and 1 are,
#' everybody knows; all else must be confirmed, see public_response().
#' @param ends (numeric or `NULL`) As stated, in the response's own unit.
#' @param y The confidential values.
#' @param confirmed (numeric or `NULL`)
#' @noRd
check_public_ends <- function(ends, y, arg, confirmed = NULL,
                              call = rlang::caller_env()) {
  # What is no number is refused where ends are read
  if (!is.numeric(ends) || !is.numeric(y) || length(y) == 0) {
    return(invisible(ends))
  }
  y <- as.double(y)
  told <- ends[near_one_of(ends, range(y[is.finite(y)])) &
    !near_one_of(ends, c(0, 1, confirmed))]
  if (length(told) == 0) {
    return(invisible(ends))
  }
  rows <- which(near_one_of(y, told))
  which <- if (length(told) > 1) "Both are" else "One of them is"
  abort_privacy(
    c(
      "{.arg {arg}} must be public: chosen without the data.",
      x = "{which} the smallest or the largest value of the data, which
           {length(rows)} record{?s} {?has/have}.",
      i = "State what is known beforehand, such as {.code c(10, 2e6)} for
           incomes.",
      i = "An end that is public all the same, such as a top code, is confirmed
           by {.code response = public_response(confirmed = )}."
    ),
    arg = arg, call = call, rows = rows,
    class = c("pseudosynth_error_public_ends", "pseudosynth_error_input")
  )
}

#' Refuse stated breaks that are mostly values of the file, or its quantiles
#'
#' Breaks of two digits, or equally wide ones, are what people write.
#' @param breaks (numeric) Increasing.
#' @noRd
check_public_breaks <- function(breaks, y, confirmed = NULL,
                                call = rlang::caller_env()) {
  width <- diff(breaks)
  if (max(width) - min(width) <= 1e-9 * sum(width)) {
    return(invisible(breaks))
  }
  stated <- breaks[breaks != signif(breaks, 2) & !breaks %in% confirmed]
  told <- stated[stated %in% y]
  if (length(told) > 2 && length(told) > length(stated) / 2) {
    abort_public_breaks(
      "{length(told)} of {length(breaks)} breaks are values of records.",
      which(y %in% told), call
    )
  }
  if (are_quantiles(stated, y)) {
    abort_public_breaks("They are quantiles of the data.", integer(), call)
  }
  invisible(breaks)
}

abort_public_breaks <- function(what, rows, call,
                                .envir = rlang::caller_env()) {
  abort_privacy(
    c(
      "{.arg bins} must be public: chosen without the data.",
      x = what,
      i = "State round breaks, or their number and {.arg bounds}."
    ),
    arg = "bins", call = call, rows = rows, .envir = .envir,
    class = c("pseudosynth_error_public_ends", "pseudosynth_error_input")
  )
}

#' Do breaks cut the records at round shares, more exactly than by chance?
#' @noRd
are_quantiles <- function(breaks, y) {
  n <- length(y)
  sorted <- sort(as.double(y))
  upper <- findInterval(breaks, sorted)
  inside <- upper > 0 & upper < n
  if (sum(inside) < 3) {
    return(FALSE)
  }
  # Shares below a break, and up to it: quantiles lie between two records
  high <- (upper[inside] + 1) / n
  low <- (findInterval(breaks[inside], sorted, left.open = TRUE) - 1) / n
  steps <- c(1 / 4, 1 / 5, 1 / 10, 1 / 20, 1 / 100, 1 / (length(breaks) + 1))
  any(vapply(steps, function(step) {
    met <- floor(high / step + 1e-9) > ceiling(low / step - 1e-9) - 1
    all(met) && sum(log(pmin(1, (high - low) / step))) < log(1e-5)
  }, NA))
}

# Centres, scales and constants ------------------------------------------------

#' Refuse a reference or a prior that is the file's own
#'
#' Numbers that are round in the response's own unit pass, such as log(60000).
#' @param reference (`censor_reference` or `NULL`)
#' @param prior (`synth_prior` or `NULL`) As the user stated it.
#' @param model (list) See new_model().
#' @noRd
check_public_centre <- function(reference, prior, model,
                                call = rlang::caller_env()) {
  response <- model$response
  stated <- list(
    reference = if (identical(reference$origin, "public")) reference$values,
    prior = unlist(unclass(prior)[c("intercept", "scale")])
  )
  for (arg in names(Filter(Negate(is.null), stated))) {
    check_public_numbers(
      not_round_in_own_unit(unname(stated[[arg]]), response),
      record_values(response, model$data), sprintf("{.arg %s}", arg), arg,
      response$confirmed, call
    )
  }
  invisible()
}

not_round_in_own_unit <- function(values, response) {
  own <- if (response$kind == "count") {
    exp(values)
  } else if (is.null(response$bounds) && !has_labels(response)) {
    suppressWarnings(own_unit(response, values))
  } else {
    stats::plogis(values)
  }
  values[!(is.finite(own) &
    abs(own - signif(own, 3)) <= 1e-9 * abs(own))]
}

#' Refuse stated numbers that are simple statistics of the response
#'
#' Smallest, largest, mean, median, quartiles, measures of spread and 2.5 times
#' those, and the link of mean and median. What people state from memory has up
#' to three digits: those numbers pass, and so does what is confirmed. A number
#' of seven digits and more must not be the value of a record, either.
#' @param stated (numeric or `NULL`)
#' @param y (numeric) The response on the scale of `stated`.
#' @param what (string) What is stated, in cli's markup.
#' @noRd
check_public_numbers <- function(stated, y, what, arg, confirmed = NULL,
                                 call = rlang::caller_env()) {
  stated <- unique(abs(as.double(unlist(stated))))
  stated <- stated[is.finite(stated) & signif(stated, 3) != stated &
    !near_one_of(stated, abs(as.double(confirmed)))]
  if (length(stated) == 0 || !is.numeric(y)) {
    return(invisible())
  }
  y <- as.double(y)
  y <- y[is.finite(y)]
  if (length(y) < 2) {
    return(invisible())
  }
  long <- stated[signif(stated, 6) != stated]
  told <- near_one_of(stated, abs(response_statistics(y))) |
    (stated %in% long & stated %in% abs(y))
  if (any(told)) {
    n <- sum(told)
    what <- cli::format_inline(what)
    abort_privacy(
      c(
        "{what} must be public: chosen without the data.",
        x = "{n} number{?s} {?is/are} a value of the response, or its mean, a
             quartile or another statistic of it.",
        i = "State what is known beforehand: a number of two or three digits
             serves as well.",
        i = "A number that is public all the same is confirmed by
             {.code response = public_response(confirmed = )}."
      ),
      arg = arg, call = call,
      class = c("pseudosynth_error_public_ends", "pseudosynth_error_input")
    )
  }
  invisible()
}

response_statistics <- function(y) {
  quartiles <- stats::quantile(y, c(0.25, 0.5, 0.75), names = FALSE)
  iqr <- quartiles[3] - quartiles[1]
  spread <- c(stats::sd(y), stats::mad(y), iqr / 1.349)
  centre <- c(mean(y), quartiles[2])
  c(
    range(y), quartiles, centre, iqr, spread, 2.5 * spread,
    log(centre[centre > 0]), stats::qlogis(centre[centre > 0 & centre < 1])
  )
}

#' The numbers that a formula computes with, written out or named
#' @param columns (character) Of the file.
#' @return (double)
#' @noRd
formula_numbers <- function(formula, columns) {
  found <- list()
  # A sum of hundreds of terms is too deep for a function that calls itself
  left <- as.list(formula)[-1]
  while (length(left) > 0) {
    part <- left[[1]]
    left <- left[-1]
    if (is.numeric(part)) {
      found <- c(found, part)
    } else if (is.call(part)) {
      left <- c(arguments_of(part), left)
    }
  }
  named <- lapply(setdiff(all.vars(formula), columns), function(name) {
    value <- get0(name, envir = environment(formula))
    if (is_public_number(value)) as.double(value)
  })
  as.double(unlist(c(found, named)))
}

#' @param values (numeric or `NULL`)
#' @return (logical) For each of `x`.
#' @noRd
near_one_of <- function(x, values) {
  near <- logical(length(x))
  for (value in values[is.finite(values)]) {
    near <- near | abs(x - value) <= 1e-6 * abs(value)
  }
  near
}
