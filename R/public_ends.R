# Numbers that are stated as public must not be read off the file: its smallest
# and its largest value are the values of records, and its mean is nobody's to
# tell.

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

# Centres and scales -----------------------------------------------------------

#' Refuse a reference or a prior that is the file's own
#'
#' Its mean, its median, its standard deviation or its least squares. Numbers
#' of three digits are what people write, on the modelled scale or in the
#' response's own unit; what is public all the same is confirmed.
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
    values <- written_values(stated[[arg]], response)
    own <- near_one_of(values, own_figures(model))
    if (any(own)) {
      abort_privacy(
        c(
          "{.arg {arg}} must be public: chosen without the data.",
          x = "It holds the mean, the median or the standard deviation of the
               data.",
          i = "State what is known beforehand, such as
               {.code list(\"(Intercept)\" = 10.8, sigma = 1)} for the log of
               incomes.",
          i = "A number that is public all the same is confirmed by
               {.code response = public_response(confirmed = )}."
        ),
        arg = arg, call = call,
        class = c("pseudosynth_error_public_ends", "pseudosynth_error_input")
      )
    }
  }
  invisible()
}

#' Those that nobody would write down
#' @noRd
written_values <- function(values, response) {
  values <- unname(values)
  values <- values[!near_one_of(values, response$confirmed)]
  own_unit <- if (is.null(response$bounds) && !has_labels(response)) {
    suppressWarnings(rounded_number(
      replace(response, "digits", NA), values
    ))
  } else {
    stats::plogis(values)
  }
  if (response$kind == "count") own_unit <- exp(values)
  round <- function(x) {
    is.finite(x) & abs(x - signif(x, 3)) <= 1e-9 * abs(x)
  }
  values[!round(values) & !round(own_unit)]
}

#' What a reference or a prior would be if it were read off the file
#' @noRd
own_figures <- function(model) {
  response <- model$response
  z <- record_values(response, model$data)
  link <- switch(response$kind,
    count = log, binary = , proportion = stats::qlogis, identity
  )
  spread <- c(stats::sd(z), stats::mad(z), stats::IQR(z) / 1.349)
  figures <- c(
    suppressWarnings(link(c(mean(z), stats::median(z)))), spread, 2.5 * spread
  )
  figures[is.finite(figures)]
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
