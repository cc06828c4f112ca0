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
#' @param levels (two strings or `NULL`) The labels of a yes/no response that is
#'   a factor or a character, the one that is modelled as 0 first. `NULL`, the
#'   default: not stated.
#' @param bounds (two numbers or `NULL`) Smallest and largest value in the
#'   response's own unit. Records outside are clamped to them, as are released
#'   values. `NULL`, the default: none. A [beta_response()] has its own.
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
#' fitted, what does not belong to the kind of its response, and records with
#' another value than the stated levels.
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
public_response <- function(digits = NULL, levels = NULL, bounds = NULL) {
  if (!is.null(digits) && !identical(digits, NA)) {
    whole <- is.numeric(digits) && length(digits) == 1 && !is.object(digits) &&
      (is.na(digits) || (digits == round(digits) && abs(digits) <= 15))
    if (!whole) {
      abort_input(
        c(
          "{.arg digits} must be a whole number from -15 to 15, or {.code NA}.",
          x = "It is {describe_type(digits)}."
        ),
        arg = "digits"
      )
    }
  }
  if (!is.null(levels) && (!is.character(levels) || length(levels) != 2 ||
    anyNA(levels) || levels[1] == levels[2])) {
    abort_input(
      c(
        "{.arg levels} must be two different strings.",
        x = "It is {describe_type(levels)}."
      ),
      arg = "levels"
    )
  }
  if (!is.null(bounds)) bounds <- check_bounds(bounds)
  structure(
    list(
      digits = if (!is.null(digits)) as.integer(digits),
      levels = levels, bounds = bounds
    ),
    class = "public_response"
  )
}

#' @export
format.public_response <- function(x, ...) {
  parts <- c(
    if (!is.null(x$digits)) paste("digits =", x$digits),
    if (!is.null(x$levels)) {
      paste0("levels = c(", toString(dQuote(x$levels, FALSE)), ")")
    },
    if (!is.null(x$bounds)) paste("bounds =", format_argument(x$bounds))
  )
  sprintf("public_response(%s)", paste(parts, collapse = ", "))
}

#' @export
print.public_response <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' Two public numbers in order
#' @noRd
check_bounds <- function(bounds, call = rlang::caller_env()) {
  if (rlang::is_missing(bounds)) {
    abort_input(
      c(
        "{.arg bounds} must be given: two public numbers.",
        i = "They must be chosen without the data."
      ),
      arg = "bounds", call = call
    )
  }
  good <- is.numeric(bounds) && !is.object(bounds) && length(bounds) == 2 &&
    all(is.finite(bounds)) && bounds[1] < bounds[2]
  if (!good) {
    abort_input(
      c(
        "{.arg bounds} must be two finite numbers, the smaller one first.",
        x = "It is {describe_type(bounds)}."
      ),
      arg = "bounds", call = call
    )
  }
  as.double(unname(bounds))
}

# In a response ----------------------------------------------------------------

#' A response with what is stated of it
#'
#' `stated` names what is; `limits` are the stated bounds.
#' @param stated (`public_response` or `NULL`)
#' @noRd
state_response <- function(response, stated, call = rlang::caller_env()) {
  check_class(
    stated, "public_response", "Make one with {.fn public_response}.",
    null = TRUE, arg = "response", call = call
  )
  given <- Filter(Negate(is.null), unclass(stated))
  response$stated <- names(given)
  response["limits"] <- list(given$bounds)
  kind <- response$kind
  wrong <- c(
    if (kind == "binary") c("digits", "bounds") else "levels",
    if (kind == "proportion") "bounds"
  )
  wrong <- intersect(wrong, names(given))
  if (kind == "count" && !is.null(given$digits) &&
    !isTRUE(given$digits <= 0)) {
    wrong <- c(wrong, "digits")
  }
  if (length(wrong) > 0) {
    abort_input(
      c(
        "{.arg response} must state what belongs to the response.",
        x = "{.code {wrong[1]} = } is not for
             {switch(kind, binary = 'two values', count = 'counts',
             proportion = 'a proportion, whose bounds are the family\\'s',
             'a continuous response')}."
      ),
      arg = "response", call = call
    )
  }
  if (!is.null(given$bounds) &&
    !all(is.finite(suppressWarnings(response_forward(
      response, given$bounds
    ))))) {
    abort_input(
      c(
        "The stated bounds must be finite on the modelled scale.",
        x = "{.code {response_label(response)}} is not."
      ),
      arg = "response", call = call
    )
  }
  if ("digits" %in% response$stated) {
    response$digits <- given$digits
    response$type <- stated_type(response)
  }
  if (!is.null(given$levels)) response$levels <- given$levels
  if (kind != "binary") {
    range <- response_range(response)
    if (range[1] > range[2]) {
      abort_input(
        "No value of the stated decimals lies within the stated bounds.",
        arg = "response", call = call
      )
    }
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

#' The response as a strict release gives it: by public knowledge alone
#' @noRd
released_response <- function(response) {
  if (response$kind == "binary") {
    if (response$type == "double") response$type <- "integer"
  } else if (!"digits" %in% response$stated) {
    response$digits <- if (response$kind == "count") 0L else NA_integer_
    response$type <- stated_type(response)
  }
  response
}

#' Records rounded and clamped to what is stated
#' @param y Values of the variable.
#' @noRd
stated_values <- function(response, y) {
  if (response$kind == "binary" || length(response$stated) == 0) {
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
  if (response$kind == "binary") {
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
