# Noisy releases: numbers with noise that are paid for once. Histograms, score
# releases and whole files have their label and the coefficients of their models
# from here; a class states its label and its models.

#' Coefficients of a noisy release
#'
#' These functions return the posterior of the coefficients of a
#' [score_release()], or of an amount of a [file_release()], given the released
#' sums. Its covariance includes three errors: that of the noise, which is known
#' exactly, that of the sample, and that of the estimated shape of the family.
#' Intervals are therefore valid for the coefficients of the population, and no
#' rule for combining synthetic sets is needed. For other estimates,
#' [synthesize()] with `uncertainty = TRUE` draws sets that [pool()] combines.
#' [file-inference] describes how the predictors of an amount are coded, and how
#' often its intervals covered the true value.
#'
#' The coefficient of a numeric predictor is per standard deviation in the file,
#' or per scale stated in `scaling`: `scaling = list(age = c(50, 10))` gives the
#' slope for ten years. The intercept is at the centre of the predictors.
#'
#' The default prior has slopes N(0, 1), or N(0, sigma^2) if the reference's
#' sigma is larger than 1. This prior can matter if the noise is large and the
#' baseline of a factor is rare. An example has the 37 coefficients of
#' `ce_income` and 100 files at each epsilon. At an add-remove epsilon of 1, 95%
#' intervals covered 93% on average and 80% for the worst coefficient; at 0.25
#' they covered 91% and 38%. With `prior_normal(5, c(10.8, 10))` they covered
#' 96% and 91% at both. State such a prior if you need intervals. It hardly
#' changes synthetic data, because these are drawn under a slope variance
#' estimated from the sums.
#'
#' @param object (`score_release` or `file_release`)
#' @param amount (string or `NULL`) The amount of a file release. Default
#'   `NULL`: the only one it has.
#' @param parm (character, numeric or missing) Coefficients by name or number.
#'   Default: all.
#' @param level (number in (0, 1)) The level of the intervals. Default 0.95.
#' @param ... Must be empty.
#' @return `coef()` returns a named vector, `vcov()` a matrix, `confint()` a
#'   matrix with the ends of each interval. `summary()` of a score release
#'   returns a `summary_score_release` whose `table` has `estimate`, `std_error`
#'   and the 95% interval (`low`, `high`). `as.data.frame()` and `tidy()` return
#'   one row per coefficient; for a file release, one row per amount and
#'   coefficient.
#' @section Error types: `pseudosynth_error_input`: the release has no model, an
#'   amount or coefficient is unknown, or a level is out of range.
#' @section Privacy: Post-processing of what was released.
#' @seealso [file-inference], [tables()]
#' @name score-inference
#' @examples
#' positive <- subset(ce_income, income > 0)
#' release <- score_release(log(income) ~ age + earner, positive,
#'   epsilon = 1, reference = list("(Intercept)" = 10.8, sigma = 1)
#' )
#' confint(release, "earneryes")
#' summary(release)
NULL

#' @param ... Public and released numbers alone.
#' @noRd
new_noisy_release <- function(class, ...) {
  seal(new_result(c(class, "noisy_release"), ...))
}

# Label ------------------------------------------------------------------------

#' @rdname guarantee
#' @export
guarantee.noisy_release <- function(x, m = 1, public = TRUE, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  check_argument(m)
  check_public_only(public)
  release_label(x)
}

#' The label of a release, or of what is drawn from it
#'
#' @param ... What differs in the label of what is drawn: `what`, `m`,
#'   `reproducible` and what the class takes besides.
#' @noRd
release_label <- function(x, ...) UseMethod("release_label")

# Coefficients -----------------------------------------------------------------

#' A model of a release
#'
#' @param amount (string or `NULL`) Which one, if there are several.
#' @return (list) `coefficients`, `covariance`, `steps` and `family` at least.
#' @noRd
model_of <- function(x, amount = NULL) {
  check_class(x, class(x)[1], arg = "object")
  UseMethod("model_of")
}

model_of.noisy_release <- function(x, amount = NULL) {
  abort_input(
    "There are no coefficients of {describe_type(x)}.", arg = "object"
  )
}

#' @rdname score-inference
#' @importFrom stats coef
#' @export
coef.noisy_release <- function(object, amount = NULL, ...) {
  check_no_dots(..., hint = "See {.help score-inference}.")
  model_of(object, amount)$coefficients
}

#' @rdname score-inference
#' @importFrom stats vcov
#' @export
vcov.noisy_release <- function(object, amount = NULL, ...) {
  check_no_dots(..., hint = "See {.help score-inference}.")
  model_of(object, amount)$covariance
}

#' @rdname score-inference
#' @importFrom stats confint
#' @export
confint.noisy_release <- function(object, parm, level = 0.95, amount = NULL,
                                  ...) {
  check_no_dots(..., hint = "See {.help score-inference}.")
  check_argument(level)
  model <- model_of(object, amount)
  b <- model$coefficients
  parm <- if (missing(parm)) names(b) else check_terms(parm, names(b))
  warn_saturated(model, stated = inherits(object, "score_release"))
  half <- stats::qnorm((1 + level) / 2) * sqrt(diag(model$covariance))[parm]
  interval_ends(b[parm], half, level, parm)
}

#' A matrix as confint() gives it
#' @param half (numeric) Of the intervals' lengths.
#' @noRd
interval_ends <- function(estimate, half, level, terms) {
  shares <- format(100 * c(1 - level, 1 + level) / 2, trim = TRUE, digits = 3)
  ends <- cbind(estimate - half, estimate + half)
  dimnames(ends) <- list(terms, paste(shares, "%"))
  ends
}

#' @rdname tidy-tables
#' @export
as.data.frame.noisy_release <- function(x, ...) {
  of_amount <- function(amount) {
    model <- model_of(x, amount)
    b <- model$coefficients
    ends <- confint.noisy_release(x, amount = amount)
    data.frame(
      term = names(b), estimate = b, std.error = sqrt(diag(model$covariance)),
      conf.low = ends[, 1], conf.high = ends[, 2], row.names = NULL
    )
  }
  amounts <- names(x$amounts)
  if (is.null(amounts)) {
    return(of_amount(NULL))
  }
  do.call(rbind, lapply(amounts, function(amount) {
    data.frame(amount = amount, of_amount(amount))
  }))
}
