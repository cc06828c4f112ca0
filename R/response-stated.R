# What is stated of a response, in the response: for the records before they are
# modelled, for the released values and for the label.

#' A response with what is stated of it
#'
#' `stated` names what is; `limits` are the stated bounds.
#' @param stated (`public_response` or `NULL`)
#' @noRd
state_response <- function(response, stated) {
  check_class(stated, "public_response", null = TRUE, arg = "response")
  # Plain values: nothing else of it travels in a release
  given <- Filter(Negate(is.null), lapply(bare_values(unclass(stated)), unname))
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
    "{.arg response} must only state what applies to the response.",
    x = "{.code {wrong[1]} = } does not apply to
         {response_kinds[[kind]]$called}.",
    arg = "response"
  )
  scaled <- if (!is.null(given$bounds)) {
    suppressWarnings(response_forward(response, given$bounds))
  }
  refuse_if(
    !all(is.finite(scaled)),
    "The stated bounds must be finite on the modelled scale.",
    x = "At a bound, {.code {response_label(response)}} is not finite.",
    arg = "response"
  )
  if ("digits" %in% response$stated) {
    response$digits <- given$digits
    response$type <- stated_type(response)
  }
  if (!is.null(given$levels)) response$levels <- given$levels
  refuse_if(
    has_no_value(response),
    "No value with the stated decimals lies within the stated bounds.",
    arg = "response"
  )
  response
}

#' Can no number be released: too narrow bounds, too few decimals?
#' @noRd
has_no_value <- function(response) {
  range <- response_range(response)
  !has_labels(response) && range[1] > range[2]
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
  refuse_privacy(
    !response_is_public(response),
    "For a strict guarantee, state the levels of the response
     {.val {response$name}}.",
    x = "Levels read from the file come from its records: the label would not
         be {.val strict}.",
    i = "Add {.code response = public_response(levels = c(...))} with all
         levels that the response can have, in their order.",
    arg = "response", class = "pseudosynth_error_unstated"
  )
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
    has_labels(response), "{.arg bounds} only applies to amounts and counts.",
    x = "The response has {response_kinds[[response$kind]]$called}.",
    arg = "bounds"
  )
  bounds <- check_bounds(bounds, arg = "bounds")
  response$limits <- c(
    max(bounds[1], response$limits[1]), min(bounds[2], response$limits[2])
  )
  refuse_if(
    has_no_value(response),
    "{.arg bounds} must include a value that the response can take.",
    x = "Given the decimals, scale and stated bounds of the response, no
         value lies between the two.", arg = "bounds"
  )
  response
}

#' The ends of a margin must hold a value that sets can have
#' @noRd
check_ends_hold <- function(ends, response, arg) {
  response$limits <- ends
  refuse_if(
    has_no_value(response),
    "The ends of {.arg {arg}} must include a value that the response can take.",
    x = "The response has {.code digits = {response$digits}}, and no such value
         lies between the ends.",
    i = "State a wider range, or more decimals by
         {.code response = public_response(digits = )}.", arg = arg
  )
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
  response_forward(response, stated_values(response, data[[response$name]]))
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
  ends <- vapply(response$limits, format_exact, "")
  paste0(
    text, if (read) ", as in the file",
    if (length(ends) > 0) paste0(", from ", ends[1], " to ", ends[2])
  )
}

#' State what is publicly known about the response
#'
#' States the decimals, levels and bounds of the response, so that they are not
#' read from the file. The stated values apply to the records before they are
#' modelled and to the released values. A strict label needs this. If decimals
#' were read from the file, one income with cents would give every released
#' value cents. If labels were read from the file, they would be values of
#' records.
#'
#' @param digits (whole number, `NA` or `NULL`) Decimals: 0 for whole numbers,
#'   -2 for hundreds, `NA` for no rounding. Records are rounded to them. `NULL`,
#'   the default: not stated.
#' @param levels (strings or `NULL`) The labels of a factor or character
#'   response. For [bernoulli()]: two labels, first the one modelled as 0. For
#'   [categorical()]: all labels, first the baseline. `NULL`, the default: not
#'   stated.
#' @param bounds (two numbers or `NULL`) Smallest and largest value in the
#'   response's own unit. Records and released values outside the bounds are
#'   moved to the nearest bound. `NULL`, the default: no bounds. A
#'   [beta_response()] has bounds of its own.
#' @param confirmed (numbers or `NULL`) Stated numbers that are public although
#'   they are the file's own. A stated number of more than three significant
#'   digits that equals a value, the mean, the median, an extreme or a usual
#'   quantile is refused unless it is confirmed here, see *Stated numbers* in
#'   [guarantee()]. This concerns bounds, breaks, references, priors, scalings,
#'   constants in a formula and what survey weights are divided by. The label
#'   lists what was confirmed. `NULL`, the default: no numbers.
#' @return A `public_response` for the argument `response` of
#'   [fit_synthesizer()], [pseudo_posterior()] and [perturbed_histogram()].
#'
#' @section If nothing is stated:
#' Without `digits`, values released under a strict label are not rounded and
#' are of type double; counts stay whole. Other releases keep the decimals and
#' the type of the file's values. With `digits`, released values are of type
#' double, or of type integer if they are whole and stated bounds lie within the
#' integers of R. Without `levels`, the label of a response that has labels is
#' not strict.
#'
#' Rounding keeps a positive response positive: under `log()` with `digits = 0`
#' a record of 0.3 is modelled as 1. A proportion that rounds to one of its
#' bounds is moved inside by one unit of the last decimal.
#'
#' @section Error types:
#' `pseudosynth_error_input`: numbers out of range or order. Further errors come
#' when the model is fitted: a stated number that is the file's own and is not
#' in `confirmed` (class `pseudosynth_error_public_ends`, a
#' `pseudosynth_error_privacy`), a statement that does not apply to this kind of
#' response, and records with a value that is not among the stated levels.
#' @section Privacy:
#' These numbers must be public, that is, known without this file.
#' @seealso [guarantee()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 200,
#'   draws = 1000, response = public_response(digits = 0, bounds = c(1, 2e6)),
#'   censor = censor(2, reference = list("(Intercept)" = 10.8, sigma = 1)),
#'   seed = 1
#' )
#' head(synthesize(fit)[[1]])
#' @export
public_response <- function(digits = NULL, levels = NULL, bounds = NULL,
                            confirmed = NULL) {
  none <- is.null(digits) || identical(digits, NA) ||
    (is.numeric(digits) && !is.object(digits) &&
      identical(as.double(digits), NA_real_))
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
  new_result(
    "public_response",
    digits = if (!is.null(digits)) as.integer(digits),
    levels = levels, bounds = bounds,
    confirmed = if (!is.null(confirmed)) as.double(confirmed)
  )
}

#' @export
format.public_response <- function(x, ...) {
  given <- Filter(Negate(is.null), unclass(x))
  text <- vapply(given, function(value) {
    if (is.character(value)) {
      quoted_names(value)
    } else if (is.na(value[1])) {
      "NA"
    } else {
      format_argument(value)
    }
  }, "")
  text <- paste(names(given), "=", text, recycle0 = TRUE)
  sprintf("public_response(%s)", toString(text))
}

#' Two public numbers in order
#' @param what,advice (strings) What they are, and what to state, in cli's
#'   markup.
#' @noRd
check_bounds <- function(bounds, arg = "bounds", what = "two public numbers",
                         advice = "They must be chosen without the data.") {
  refuse_if(
    rlang::is_missing(bounds) || is.null(bounds),
    "{.arg {arg}} must be given: {what}.", i = advice, arg = arg
  )
  good <- are_numbers(bounds, 2) && bounds[1] < bounds[2] &&
    is.finite(bounds[2] - bounds[1])
  refuse_if(
    !good, "{.arg {arg}} must be two finite numbers, the smaller one first.",
    x = if (is.numeric(bounds) && !is.object(bounds) && length(bounds) == 2) {
      "They are {bounds[1]} and {bounds[2]}."
    } else {
      "It is {describe_type(bounds)}."
    },
    i = advice, arg = arg
  )
  take_bare(bounds, substitute(bounds), parent.frame())
  as.double(unname(bounds))
}

#' Plain finite numbers, so many of them?
#' @noRd
are_numbers <- function(x, n = length(x)) {
  is.numeric(x) && !is.object(x) && length(x) == n && all(is.finite(x))
}
