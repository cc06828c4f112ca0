#' Censor what each record contributes
#'
#' Makes a rule that limits how much any record can contribute to the log pseudo
#' posterior. The rule clips the weighted log-likelihood of each record to an
#' interval:
#' \deqn{g_i(\theta) = \mathrm{clip}(\alpha_i f_i(\theta) - a_i, lo, hi).}
#' If a record's contribution depends only on that record and on public inputs,
#' dropping the record changes no posterior density by more than a factor
#' \eqn{\exp(hi - lo)}. A parameter draw is then strictly
#' \eqn{\epsilon}-differentially private, with \eqn{\epsilon = hi - lo} for
#' add-remove neighbours and twice that for replace neighbours. The label of a
#' fit also depends on its weights, see [guarantee()].
#'
#' The default interval is \eqn{[-\epsilon/2, \epsilon/2]}, as in the papers. If
#' the family's log density is never positive (counts, labels) and there is no
#' reference, the default is \eqn{[-\epsilon, 0]}. This interval is twice as
#' deep for the same epsilon.
#'
#' With a `reference`, the rule subtracts \eqn{a_i = \alpha_i
#' f_i(\theta_{ref})}, so the log-likelihood *ratio* to the reference is
#' censored. A constant does not change the posterior, so nothing is lost near
#' the reference. The ratio must be scaled down as epsilon falls. The `window` c
#' does this: raw log ratios up to c are not censored, because the privacy
#' weights are multiplied by the public weight
#' \eqn{\alpha = \min(1, \epsilon / (2c))} (\eqn{\epsilon / (4c)} for
#' `neighbours = "replace"`). A window of \eqn{\epsilon / 2} or less
#' (\eqn{\epsilon / 4} or less for `neighbours = "replace"`) leaves the weights
#' unchanged.
#'
#' @param epsilon (positive number) The epsilon of one parameter draw under
#'   `neighbours`. Each of m sets takes its own draw. May be left out if `lower`
#'   and `upper` are given.
#' @param neighbours (string) The relation that `epsilon` is for:
#'   `"add-remove"`, the default, or `"replace"`, which makes the interval half
#'   as wide. The papers leave a record out of a likelihood (add-remove), but
#'   move it from bin to bin of a histogram (replace): at one epsilon their
#'   histogram has twice the noise that their own relation for likelihoods asks
#'   for. State one relation for both, as [compare()] does.
#' @param reference (`NULL`, named list or `synthesizer`) The parameter values
#'   that each record's likelihood is compared with. Give public values by
#'   parameter name, such as `list("(Intercept)" = 10.8, sigma = 1)`, or a fit
#'   of the same model to *other* data. Only the posterior mean of a fit is
#'   kept. For a mixture, whose components exchange places, the draw with the
#'   largest log-likelihood is kept instead. Coefficients left out are 0;
#'   `sigma`, `size` or `precision` must be given if the family has it. For a
#'   mixture, the values hold for all components. Numeric predictors are centred
#'   and scaled, see [fit_synthesizer()]. Default `NULL`: no reference.
#' @param window (positive number or `NULL`) The window c of the raw log ratio,
#'   for use with a reference. Default `NULL`: 2 for [student_t()] and mixtures,
#'   4 for normal errors; other families need a number.
#' @param lower,upper (numbers or `NULL`) The ends of another public interval.
#'   Its width determines epsilon. Default `NULL`: the argument
#'   `interval` sets the interval.
#' @param interval (string) `"symmetric"`, `"negative"`
#'   (\eqn{[-\epsilon, 0]}), or `"auto"` (the default). `"auto"` takes
#'   `"negative"` if there is no reference and the family's log density is never
#'   positive. Otherwise it takes `"symmetric"`.
#'
#' @return A `censoring_rule` for [fit_synthesizer()] and
#'   [update()][update.synthesizer]: a list with `lower`, `upper`, `epsilon`,
#'   `neighbours`, `reference`, `window`, `alpha` (`NULL` without a window) and
#'   `interval`. It is public, except for a reference from a confidential
#'   earlier file.
#'
#' @section Error types:
#' `pseudosynth_error_input`: epsilon is not positive and finite, the ends of
#' the interval are not in order, or a window is not positive or has no
#' reference. When the model is fitted, the same error says that the reference
#' lacks `sigma`, has unknown names or is of another model.
#' `pseudosynth_error_privacy`: the reference was fitted to the file itself or
#' to most of it, see [freeze()].
#'
#' @section Privacy:
#' Epsilon, interval, window and reference must be public, which means that they
#' were fixed without this file. With a reference from a confidential earlier
#' file, the fit is strict for the current file only, and the earlier file needs
#' its own guarantee.
#'
#' @references
#' Hu, Williams and Savitsky, Mechanisms for global differential privacy under
#' Bayesian data synthesis, for Censor_uw and Censor_w: censoring at
#' \eqn{\pm\epsilon/2}.
#' @seealso [fit_synthesizer()], [guarantee()], [perturbed_histogram()]
#' @examples
#' censor(epsilon = 1)
#' censor(1, reference = list("(Intercept)" = 10.8, sigma = 1), window = 4)
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(),
#'   prior = prior_normal(1, c(10.8, 2.5)),
#'   censor = censor(2, reference = list("(Intercept)" = 10.8, sigma = 1)),
#'   chains = 2, warmup = 300, draws = 1000
#' )
#' guarantee(fit)
#' @export
censor <- function(epsilon = NULL, neighbours = c("add-remove", "replace"),
                   reference = NULL, window = NULL, lower = NULL, upper = NULL,
                   interval = c("auto", "symmetric", "negative")) {
  neighbours <- check_argument(neighbours)
  interval <- check_choice(interval, c("auto", "symmetric", "negative"))
  check_argument(epsilon, null = TRUE)
  check_number(lower, null = TRUE)
  check_number(upper, null = TRUE)
  ends <- censor_interval(epsilon, neighbours, lower, upper, interval)
  check_window(window, reference)
  seal(new_result(
    "censoring_rule",
    lower = ends$lower, upper = ends$upper, epsilon = ends$epsilon,
    neighbours = neighbours, reference = as_reference(reference),
    window = window, alpha = NULL, interval = ends$interval
  ))
}

censor_interval <- function(epsilon, neighbours, lower, upper, interval) {
  refuse_if(
    is.null(epsilon) && (is.null(lower) || is.null(upper)),
    "{.arg epsilon} must be given, or both {.arg lower} and {.arg upper}.",
    arg = "epsilon"
  )
  width <- if (!is.null(epsilon)) width_of_epsilon(epsilon, neighbours)
  if (is.null(lower) && is.null(upper)) {
    ends <- if (interval == "negative") c(-width, 0) else c(-1, 1) * width / 2
    return(list(
      lower = ends[1], upper = ends[2], epsilon = epsilon, interval = interval
    ))
  }
  lower <- lower %||% (upper - width)
  upper <- upper %||% (lower + width)
  refuse_if(
    lower >= upper, "{.arg lower} must lie below {.arg upper}.",
    x = "They are {lower} and {upper}.", arg = "lower"
  )
  stated <- (upper - lower) * if (neighbours == "replace") 2 else 1
  refuse_if(
    !is.null(epsilon) && abs(stated - epsilon) > 1e-9 * epsilon,
    "{.arg epsilon} must agree with {.arg lower} and {.arg upper}.",
    x = "The interval costs {format(stated)}, {.arg epsilon} is
         {format(epsilon)}.",
    i = "Leave {.arg epsilon} out.", arg = "epsilon"
  )
  list(lower = lower, upper = upper, epsilon = stated, interval = "explicit")
}

# Once the family is known ---------------------------------------------------

#' A rule with its interval, window and public weight fixed for a family
#'
#' Does nothing to a rule that is fixed already.
#' @return `censoring_rule` or `NULL`.
#' @noRd
resolve_censor <- function(censor, family) {
  if (is.null(censor)) {
    return(NULL)
  }
  check_class(censor, "censoring_rule")
  check_sealed(censor)
  if (identical(censor$interval, "auto")) {
    # The log of a probability is never positive
    deep <- !is.na(response_kinds[[family$kind]]$mass) &&
      is.null(censor$reference)
    censor$interval <- if (deep) "negative" else "symmetric"
    if (deep) {
      censor$lower <- -(censor$upper - censor$lower)
      censor$upper <- 0
    }
  }
  if (!is.null(censor$reference)) {
    censor$window <- censor$window %||% law_of(family)$window
    refuse_if(
      is.null(censor$window), "With a {.arg reference}, the family
       {.code {format(family)}} needs a {.arg window}.",
      i = "Raw log ratios up to the window are not censored. Try 2 or 4.",
      arg = "window"
    )
    half <- min(abs(censor$lower), abs(censor$upper))
    # An interval with an end at 0 has its whole width on one side
    if (half == 0) half <- (censor$upper - censor$lower) / 2
    censor$alpha <- min(1, half / censor$window)
  }
  seal(censor)
}

# Printing -------------------------------------------------------------------

#' @export
format.censoring_rule <- function(x, ...) {
  paste0(
    "censor to ", format_interval(x),
    if (!is.null(x$reference)) {
      paste0(" around ", format(x$reference), ", window ", format_window(x))
    }
  )
}

format_interval <- function(x) {
  auto <- identical(x$interval, "auto")
  ends <- sprintf("[%s, %s]", format(x$lower), format(x$upper))
  if (auto) "an interval that depends on the family" else ends
}

format_window <- function(x) {
  if (is.null(x$window)) "by family" else format(x$window)
}

print_lines.censoring_rule <- function(x) {
  width <- x$upper - x$lower
  c(
    sprintf(
      "Censoring rule, epsilon %s per parameter draw for %s neighbours",
      format(x$epsilon), x$neighbours
    ),
    field_lines(c(
      interval = format_interval(x),
      costs = sprintf(
        "add-remove %s, replace %s", format_figure(width),
        format_figure(2 * width)
      ),
      reference = if (!is.null(x$reference)) format(x$reference),
      window = if (!is.null(x$reference)) format_window(x),
      weight = if (!is.null(x$alpha)) paste0(format_figure(x$alpha), ", public")
    ))
  )
}

# What a censoring rule is centred on: a `censor_reference` holds a parameter
# vector and where it comes from, never a record.

#' Turn what the user gave into a reference
#'
#' @param x `NULL`, a named list of public values or a fit on other data.
#' @return (`censor_reference` or `NULL`) A list with `origin` (`"public"` or
#'   `"history"`), `values` (named double) and for a fit `family`, `response`,
#'   `design` (none holds a record), `fingerprint` and `rows`, which tell
#'   whether the reference was fitted to the file itself or to most of it.
#' @noRd
as_reference <- function(x) {
  if (is.null(x)) {
    return(x)
  }
  if (inherits(x, "censor_reference")) {
    return(check_sealed(x, arg = "reference"))
  }
  if (inherits(x, "synthesizer")) {
    check_sealed(x, arg = "reference")
    # Means of a mixture's draws mean nothing: components exchange places
    best <- which.max(x$monitor[, "log_lik"])
    mixture <- is_mixture(x$family)
    return(new_censor_reference(
      "history", if (mixture) x$draws[best, ] else colMeans(x$draws),
      family = x$family, response = x$response, design = x$design,
      fingerprint = values_mark(x$spec$y), rows = row_hashes(as.list(x$data))
    ))
  }
  new_censor_reference("public", public_values(x))
}

new_censor_reference <- function(origin, values, ...) {
  seal(new_result("censor_reference", origin = origin, values = values, ...))
}

public_values <- function(x) {
  named <- (is.list(x) || is.numeric(x)) && !is.object(x) && length(x) > 0 &&
    !is.null(names(x)) && all(nzchar(names(x)))
  number <- vapply(as.list(if (named) x), are_numbers, TRUE, 1)
  refuse_if(
    !named || !all(number),
    "{.arg reference} must be a list of named finite numbers, one for each
     parameter, or a {.cls synthesizer} fitted to other data.",
    x = "It is {describe_type(x)}.",
    i = "For instance {.code list(\"(Intercept)\" = 10.8, sigma = 1)}.",
    arg = "reference"
  )
  twice <- unique(names(x)[duplicated(names(x))])
  refuse_if(
    length(twice) > 0, "{.arg reference} must name each parameter once.",
    x = "{cli::qty(length(twice))}Found more than once: {.val {twice}}.",
    arg = "reference"
  )
  vapply(x, as.double, numeric(1))
}

#' Slopes N(0, 1), the intercept around the public one
#'
#' What a confidential history says stays out of the prior, which labels print.
#' @param unit (number) Of the linear predictor.
#' @noRd
centred_prior <- function(reference, unit = 1) {
  if (reference$origin == "history") {
    return(prior_normal(unit))
  }
  intercept <- as.list(reference$values)[["(Intercept)"]] %||% 0
  prior_normal(unit, c(intercept, 2.5 * unit))
}

#' @export
format.censor_reference <- function(x, ...) {
  if (x$origin == "history") {
    return("a fit on other data")
  }
  values <- paste(names(x$values), "=", vapply(x$values, format, ""))
  paste("public values", toString(values))
}

print_lines.censor_reference <- function(x) {
  paste("<censor_reference>", format(x))
}

check_window <- function(window, reference) {
  check_argument(window)
  refuse_if(
    !is.null(window) && is.null(reference),
    "A {.arg window} needs a {.arg reference}.",
    i = "It states how large raw log ratios to the reference may be before they
         are censored. Give a {.arg reference}, or leave {.arg window} out.",
    arg = "window"
  )
}
