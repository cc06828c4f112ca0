# What is stated of a response, in the response: for the records before they are
# modelled, for the released values and for the label.

#' A response with what is stated of it
#'
#' `stated` names what is; `limits` are the stated bounds.
#' @param stated (`public_response` or `NULL`)
#' @noRd
state_response <- function(response, stated) {
  check_class(
    stated, "public_response", "Make one with {.fn public_response}.",
    null = TRUE, arg = "response"
  )
  # Plain values: nothing else of it travels in a release
  given <- Filter(Negate(is.null), bare_values(unclass(stated)))
  response$confirmed <- given$confirmed
  given$confirmed <- NULL
  response$stated <- names(given)
  response["limits"] <- list(given$bounds)
  kind <- response$kind
  wrong <- c(
    if (has_labels(response)) c("digits", "bounds") else "levels",
    if (kind == "proportion") "bounds"
  )
  wrong <- intersect(wrong, names(given))
  if (kind == "count" && !is.null(given$digits) && !isTRUE(given$digits <= 0)) {
    wrong <- c(wrong, "digits")
  }
  refuse_if(
    length(wrong) > 0,
    "{.arg response} must state what belongs to the response.",
    x = "{.code {wrong[1]} = } is not for {response_kinds[[kind]]$called}.",
    arg = "response"
  )
  if (!is.null(given$bounds) &&
    !all(is.finite(suppressWarnings(response_forward(
      response, given$bounds
    ))))) {
    abort_input(
      "The stated bounds must be finite on the modelled scale.",
      x = "{.code {response_label(response)}} is not.",
      arg = "response"
    )
  }
  if ("digits" %in% response$stated) {
    response$digits <- given$digits
    response$type <- stated_type(response)
  }
  if (!is.null(given$levels)) response$levels <- given$levels
  if (!has_labels(response)) {
    range <- response_range(response)
    refuse_if(
      range[1] > range[2],
      "No value of the stated decimals lies within the stated bounds.",
      arg = "response"
    )
  }
  response
}

stated_type <- function(response) {
  limits <- response$limits
  small <- !is.null(limits) && all(abs(limits) <= .Machine$integer.max)
  if (isTRUE(response$digits <= 0) && small) "integer" else "double"
}

#' Is nothing that released values or the model rest on read from the records?
#'
#' Decimals can be left out of a release; the labels of two values cannot.
#' @noRd
response_is_public <- function(response) {
  is.null(response$levels) || "levels" %in% response$stated
}

#' Refuse what a strict label needs to be stated, before anything is drawn
#'
#' The one public input without which a strict mechanism would give a weaker
#' label: the others have a default that is public, or are errors of their own.
#' @noRd
check_response_is_public <- function(response) {
  if (!response_is_public(response)) {
    abort_privacy(
      "A strict guarantee needs the labels of the response
       {.val {response$variable}} to be stated.",
      x = "Those of the file are read from its records: the label would not be
           {.val strict}.",
      i = "Add {.code response = public_response(levels = c(...))} with all
           labels that the response can have, in their order.",
      arg = "response", class = "pseudosynth_error_unstated"
    )
  }
  invisible(response)
}

#' The response as a strict release gives it: by public knowledge alone
#' @noRd
released_response <- function(response) {
  if (has_labels(response)) {
    if (response$type == "double") response$type <- "integer"
  } else if (!"digits" %in% response$stated) {
    response$digits <- if (response$kind == "count") 0L else NA_integer_
    response$type <- stated_type(response)
  }
  response
}

#' A response whose released values stay within public ends
#'
#' It narrows the stated bounds, where there are any. Records keep theirs.
#' @param bounds (two public numbers or `NULL`)
#' @noRd
with_bounds <- function(response, bounds) {
  if (is.null(bounds)) {
    return(response)
  }
  refuse_if(
    has_labels(response), "{.arg bounds} is for amounts and counts.",
    x = "The response has {response_kinds[[response$kind]]$called}.",
    arg = "bounds"
  )
  bounds <- check_bounds(bounds, arg = "bounds")
  response$limits <- c(
    max(bounds[1], response$limits[1]), min(bounds[2], response$limits[2])
  )
  range <- response_range(response)
  refuse_if(
    range[1] > range[2],
    "{.arg bounds} must hold values that the response can have.",
    x = "None of its decimals, on its scale and within stated bounds, lies
         between the two.",
    arg = "bounds"
  )
  response
}

#' The ends of a margin must hold a value that sets can have
#' @noRd
check_ends_hold <- function(ends, response, arg) {
  response$limits <- ends
  range <- response_range(response)
  refuse_if(
    range[1] > range[2],
    "The ends of {.arg {arg}} must hold a value of the response's decimals.",
    x = "Its {.code digits} are {response$digits}, and none lies between.",
    i = "State wider ends, or more decimals by
         {.code response = public_response(digits = )}.",
    arg = arg
  )
  invisible(ends)
}

#' Records rounded and clamped to what is stated
#' @param y Values of the variable.
#' @noRd
stated_values <- function(response, y) {
  if (has_labels(response) || length(response$stated) == 0) {
    return(y)
  }
  y <- as.double(y)
  if (!is.null(response$limits)) {
    y <- clamp(y, response$limits[1], response$limits[2])
  }
  if (!"digits" %in% response$stated || is.na(response$digits)) {
    return(y)
  }
  rounded <- round_small(y, response$digits)
  range <- response_range(response)
  # What the model cannot take stays as it is, for the checks to name
  inside <- is.finite(suppressWarnings(response_forward(response, y)))
  rounded[inside] <- clamp(rounded[inside], range[1], range[2])
  rounded[!inside] <- y[!inside]
  rounded
}

#' The response of some records on the modelled scale
#' @noRd
record_values <- function(response, data) {
  response_forward(response, stated_values(response, data[[response$variable]]))
}

#' What a label says of the released values
#' @param response As released.
#' @noRd
rounding_text <- function(response) {
  if (is.null(response)) {
    return("as the model gives them")
  }
  if (has_labels(response)) {
    values <- response$levels %||%
      if (response$type == "logical") c("FALSE", "TRUE") else 0:1
    return(paste0(
      paste(values, collapse = " or "),
      if (!response_is_public(response)) ", as in the file"
    ))
  }
  digits <- response$digits
  read <- !"digits" %in% response$stated && !is.na(digits) &&
    response$kind != "count"
  text <- if (is.na(digits)) {
    "not rounded"
  } else if (digits == 0) {
    "whole numbers"
  } else if (digits < 0) {
    paste("multiples of", format_exact(10^-digits))
  } else {
    sprintf("%d decimals", digits)
  }
  paste0(
    text, if (read) ", as in the file",
    if (!is.null(response$limits)) {
      paste0(
        " from ", format_exact(response$limits[1]), " to ",
        format_exact(response$limits[2])
      )
    }
  )
}

#' What is publicly known of the response's values
#'
#' A strict label must not rest on what was read from the file: one income with
#' cents would make every released value carry cents, and the labels of a yes/no
#' response are values of records. What is stated here is used in its place, for
#' the records before they are modelled and for the released values.
#'
#' @param digits (whole number, `NA` or `NULL`) Decimals: 0 for whole numbers,
#'   -2 for hundreds, `NA` for values that are not rounded. Records are rounded
#'   to them. `NULL`, the default: not stated.
#' @param levels (strings or `NULL`) The labels of a response that is a factor
#'   or a character: of [bernoulli()] two, the one that is modelled as 0 first;
#'   of [categorical()] all, its baseline first. `NULL`, the default: not
#'   stated.
#' @param bounds (two numbers or `NULL`) Smallest and largest value in the
#'   response's own unit. Records outside are clamped to them, as are released
#'   values. `NULL`, the default: none. A [beta_response()] has its own.
#' @param confirmed (numbers or `NULL`) Stated ends that are public although the
#'   smallest or the largest value of the file equals them, such as a top code:
#'   of `bounds` here, of the `bounds` of a histogram, of a score release or of
#'   [beta_response()], and of the `bounds` of [synthesize()]. Others that
#'   equal one are refused; 0 and 1 need no confirmation. Also numbers of four
#'   digits and more in a formula, such as the constant of `asinh(y /
#'   constant)`, in a public reference or in a prior that equal the file's mean,
#'   median, standard deviation or another simple statistic. `NULL`, the
#'   default: none.
#' @return A `public_response` for the argument `response` of
#'   [fit_synthesizer()], [pseudo_posterior()] and [perturbed_histogram()].
#'
#' @section What is not stated:
#' Decimals: released values under a strict label are then not rounded, and of
#' type double; counts are whole by nature. Other releases keep the decimals and
#' the type that the file's values have. Levels: the label is not strict. With
#' stated decimals values are of type double, or integer where they are whole
#' and the bounds are within the integers of R.
#'
#' A positive response stays positive when it is rounded: under `log()` with
#' `digits = 0` a record of 0.3 is modelled as 1. A proportion with stated
#' decimals is moved inside its bounds by one unit of the last.
#'
#' @section Error types:
#' `pseudosynth_error_input`: numbers out of range or order; when the model is
#' fitted, an end that the file's smallest or largest value equals and that is
#' not in `confirmed` (class `pseudosynth_error_public_ends`), what does not
#' belong to the kind of its response, and records with another value than the
#' stated levels.
#' @section Privacy:
#' These numbers must be public: known without this file.
#' @seealso [guarantee()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 200,
#'   draws = 500, response = public_response(digits = 0, bounds = c(1, 2e6)),
#'   censor = censor(2, reference = list("(Intercept)" = 10.8, sigma = 1))
#' )
#' head(synthesize(fit)[[1]])
#' @export
public_response <- function(digits = NULL, levels = NULL, bounds = NULL,
                            confirmed = NULL) {
  none <- is.null(digits) || identical(digits, NA) ||
    (is.numeric(digits) && identical(as.double(digits), NA_real_))
  check_that(
    none ||
      (are_numbers(digits, 1) && digits == round(digits) && abs(digits) <= 15),
    digits,
    "{.arg digits} must be a whole number from -15 to 15, or {.code NA}."
  )
  check_that(
    is.null(levels) || (is.character(levels) && length(levels) >= 2 &&
      !anyNA(levels) && anyDuplicated(levels) == 0),
    levels, "{.arg levels} must be two or more different strings."
  )
  if (!is.null(bounds)) bounds <- check_bounds(bounds)
  check_that(
    is.null(confirmed) || are_numbers(confirmed), confirmed,
    "{.arg confirmed} must be finite numbers."
  )
  structure(
    list(
      digits = if (!is.null(digits)) as.integer(digits),
      levels = levels, bounds = bounds,
      confirmed = if (!is.null(confirmed)) as.double(confirmed)
    ),
    class = c("public_response", "pseudosynth_result")
  )
}

#' @export
format.public_response <- function(x, ...) {
  parts <- c(
    if (!is.null(x$digits)) paste("digits =", x$digits),
    if (!is.null(x$levels)) {
      paste0("levels = c(", toString(dQuote(x$levels, FALSE)), ")")
    },
    if (!is.null(x$bounds)) paste("bounds =", format_argument(x$bounds)),
    if (!is.null(x$confirmed)) {
      paste("confirmed =", format_argument(x$confirmed))
    }
  )
  sprintf("public_response(%s)", paste(parts, collapse = ", "))
}

#' Two public numbers in order
#' @param what,advice (strings) What they are, and what to state, in cli's
#'   markup.
#' @noRd
check_bounds <- function(bounds, arg = "bounds", what = "two public numbers",
                         advice = "They must be chosen without the data.") {
  refuse_if(
    rlang::is_missing(bounds) || is.null(bounds),
    "{.arg {arg}} must be given: {what}.",
    i = advice,
    arg = arg
  )
  good <- are_numbers(bounds, 2) && bounds[1] < bounds[2] &&
    is.finite(bounds[2] - bounds[1])
  refuse_if(
    !good, "{.arg {arg}} must be two finite numbers, the smaller one first.",
    x = if (is.numeric(bounds) && length(bounds) == 2) {
      "They are {bounds[1]} and {bounds[2]}."
    } else {
      "It is {describe_type(bounds)}."
    },
    i = advice,
    arg = arg
  )
  as.double(unname(bounds))
}

#' Plain finite numbers, so many of them?
#' @noRd
are_numbers <- function(x, n = length(x)) {
  is.numeric(x) && !is.object(x) && length(x) == n && all(is.finite(x))
}
