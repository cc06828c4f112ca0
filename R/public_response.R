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
#'   [beta_response()], and of the `support` of [synthesize()]. Others that
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
  check_digits(digits)
  check_stated_levels(levels)
  if (!is.null(bounds)) bounds <- check_bounds(bounds)
  check_confirmed(confirmed)
  structure(
    list(
      digits = if (!is.null(digits)) as.integer(digits),
      levels = levels, bounds = bounds,
      confirmed = if (!is.null(confirmed)) as.double(confirmed)
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
    if (!is.null(x$bounds)) paste("bounds =", format_argument(x$bounds)),
    if (!is.null(x$confirmed)) {
      paste("confirmed =", format_argument(x$confirmed))
    }
  )
  sprintf("public_response(%s)", paste(parts, collapse = ", "))
}

#' @export
print.public_response <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

check_digits <- function(digits, call = rlang::caller_env()) {
  if (is.null(digits) || identical(digits, NA)) {
    return(invisible())
  }
  whole <- is.numeric(digits) && length(digits) == 1 && !is.object(digits) &&
    (is.na(digits) || (digits == round(digits) && abs(digits) <= 15))
  if (!whole) {
    abort_input(
      c(
        "{.arg digits} must be a whole number from -15 to 15, or {.code NA}.",
        x = "It is {describe_type(digits)}."
      ),
      arg = "digits", call = call
    )
  }
}

check_stated_levels <- function(levels, call = rlang::caller_env()) {
  if (is.null(levels)) {
    return(invisible())
  }
  if (!is.character(levels) || length(levels) < 2 || anyNA(levels) ||
    anyDuplicated(levels) > 0) {
    abort_input(
      c(
        "{.arg levels} must be two or more different strings.",
        x = "It is {describe_type(levels)}."
      ),
      arg = "levels", call = call
    )
  }
}

check_confirmed <- function(confirmed, call = rlang::caller_env()) {
  good <- is.numeric(confirmed) && !is.object(confirmed) &&
    all(is.finite(confirmed))
  if (!is.null(confirmed) && !good) {
    abort_input(
      c(
        "{.arg confirmed} must be finite numbers.",
        x = "It is {describe_type(confirmed)}."
      ),
      arg = "confirmed", call = call
    )
  }
}

#' Two public numbers in order
#' @noRd
check_bounds <- function(bounds, arg = "bounds",
                         call = rlang::caller_env()) {
  if (rlang::is_missing(bounds) || is.null(bounds)) {
    abort_input(
      c(
        "{.arg {arg}} must be given: two public numbers.",
        i = "They must be chosen without the data."
      ),
      arg = arg, call = call
    )
  }
  good <- is.numeric(bounds) && !is.object(bounds) && length(bounds) == 2 &&
    all(is.finite(bounds)) && bounds[1] < bounds[2]
  if (!good) {
    abort_input(
      c(
        "{.arg {arg}} must be two finite numbers, the smaller one first.",
        x = "It is {describe_type(bounds)}."
      ),
      arg = arg, call = call
    )
  }
  as.double(unname(bounds))
}
