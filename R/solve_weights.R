#' Find the weights that reach a target bound
#'
#' Scales or shifts weights, or takes one scalar for all records, so that the
#' bound of the refit reaches a target: \eqn{\epsilon / 2} for a wanted
#' \eqn{\epsilon = 2 \Delta}. Found by refitting, because the draws move with
#' the weights; each refit starts from where the last one ended.
#'
#' @param fit (`synthesizer` or [external_fit()]) The unweighted fit.
#' @param target (number > 0) The bound \eqn{\Delta} to reach.
#' @param weights ([privacy_weights] or `NULL`) The weights to scale or shift.
#'   `NULL`, the default: the scalar 1.
#' @param by (string) What is solved for: `"scale"`, the default,
#'   \eqn{c} in \eqn{\mathrm{clamp}(c \alpha_i)}, or `"shift"`, \eqn{g} in
#'   \eqn{\mathrm{clamp}(\alpha_i + g)}, between -1 and 1.
#' @param tolerance (number > 0) Accepted distance from the target, as a share
#'   of it. Default 0.02: bounds are maxima over draws and vary by about as much
#'   from run to run.
#' @param max_refits (count) The most refits. Default 10.
#' @param quantile,allow_unconverged As in [reweight()].
#' @param ... Passed to [update()][update.synthesizer], such as `draws`, `seed`.
#'
#' @return The refitted model, with `solution`: a list with `by`, `value`,
#'   `target`, `reached` and `search` (data frame: one row per refit with
#'   `value`, `reached`, `ratio` to the target, `accepted`, `converged`,
#'   `seconds`).
#'
#' @section Error types:
#' `pseudosynth_error_privacy` (class `pseudosynth_error_unreachable`): no refit
#' came within the tolerance. The message says which is the nearest, the fields
#' `nearest` and `search` hold it. `pseudosynth_error_input`: a weighted fit,
#' arguments out of range.
#'
#' @section Privacy:
#' The value found depends on the file: the source of the weights is `"file"`,
#' whatever they were before.
#' @seealso [scalar_weights()], [reweight()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' solved <- solve_weights(
#'   fit, target = 1.5, weights = lipschitz_weights(fit), tolerance = 0.1
#' )
#' solved$solution$search
#' @export
solve_weights <- function(fit, target, weights = NULL,
                          by = c("scale", "shift"), tolerance = 0.02,
                          max_refits = 10, quantile = fit$quantile,
                          allow_unconverged = FALSE, ...) {
  fit <- as_weightable(fit)
  check_number(target, above = 0)
  by <- check_choice(by, c("scale", "shift"))
  check_search(tolerance, max_refits)
  check_quantile(quantile)
  check_unweighted(fit)
  check_converged(fit, allow_unconverged)
  if (is.null(weights)) weights <- 1
  weights <- as_privacy_weights(weights, n_records(fit))
  if (!is.null(fit$data)) {
    check_weights_records(weights, fit$data, arg = "weights")
  }
  weights_at <- function(value) {
    solved_weights(weights, by, value, target)
  }
  limits <- if (by == "scale") c(0, 1 / max(weights, 1e-6)) else c(-1, 1)
  # How the draws that are there would do with these weights
  start <- if (by == "scale") {
    target / bound_with(fit, as.double(weights))
  } else {
    0
  }
  found <- solve_target(
    fit, weights_at,
    measure = function(refit) refit$bound$overall, target = target,
    start = start, limits = limits, known = NULL, log = by == "scale",
    tolerance = tolerance, max_refits = max_refits, quantile = quantile, ...
  )
  solved <- found$fit
  solved$solution <- c(list(by = by), found[c(
    "value", "target", "reached", "search"
  )])
  solved
}

check_search <- function(tolerance, max_refits, call = rlang::caller_env()) {
  check_number(tolerance, above = 0, call = call)
  check_count(max_refits, min = 1, call = call)
}

check_unweighted <- function(fit, call = rlang::caller_env()) {
  if (!is.null(fit$privacy_weights) || !is.null(fit$censor)) {
    abort_input(
      c(
        "{.arg fit} must be unweighted.",
        x = "Its likelihood is weighted or censored."
      ),
      arg = "fit", call = call
    )
  }
}

# Weights whose scale was found from the file are weights from the file: the
# scale is no public number, whatever it scales.
solved_weights <- function(weights, by, value, target) {
  scaled <- if (by == "scale") {
    scale_weights(weights, scale = value)
  } else {
    scale_weights(weights, shift = value)
  }
  scheme <- attr(weights, "scheme")
  kept <- inherited_arguments(weights)
  kept <- kept[setdiff(names(kept), c("scale", "shift", "alpha", "epsilon0"))]
  scalar <- scheme == "public_scalar"
  new_privacy_weights(
    as.double(scaled), if (scalar) "scalar" else "scaled",
    c(
      if (!scalar) list(of = scheme),
      list(solved = TRUE, by = by, value = value, target = target), kept
    ),
    source = "file", basis = attr(scaled, "basis"),
    records = attr(scaled, "records")
  )
}

#' The bound that weights would have at the draws of an unweighted fit
#' @noRd
bound_with <- function(fit, alpha) {
  max(alpha * fit$bound$record, na.rm = TRUE)
}

#' Solve for a value at which a measure of the refit reaches a target
#'
#' The measure rises with the value, up to the noise of the draws. Secants
#' through the last two points, on logarithms where the value is a scale, kept
#' inside the bracket; bisection where they do not halve it.
#'
#' @param weights_at (function) The weights of a value.
#' @param measure (function) A number of a refit.
#' @param start (number) First value tried.
#' @param limits (2 numbers) Range of the value.
#' @param known (list or `NULL`) `value` and `reached` known without a refit.
#' @param log (flag) Is the value a positive scale?
#' @return (list) `fit`, `value`, `reached`, `target`, `search`.
#' @noRd
solve_target <- function(fit, weights_at, measure, target, start, limits,
                         known, log, tolerance, max_refits, quantile, ...,
                         call = rlang::caller_env()) {
  smallest <- if (log) max(limits[1], 1e-6) else limits[1]
  bracket <- list(low = NULL, high = known, last = known, log = log)
  value <- clamp(start, smallest, limits[2])
  from <- fit
  best <- NULL
  search <- NULL
  for (count in seq_len(max_refits)) {
    from <- truncate_draws(
      update(from, privacy_weights = weights_at(value), ...), quantile
    )
    reached <- measure(from)
    row <- data.frame(
      value = value, reached = reached, ratio = reached / target,
      accepted = isTRUE(abs(reached / target - 1) <= tolerance),
      converged = isTRUE(from$converged),
      seconds = from$seconds$total %||% NA_real_
    )
    search <- rbind(search, row)
    nearer <- is.null(best) ||
      abs(reached - target) < abs(best$reached - target)
    if (nearer) {
      best <- list(
        fit = from, value = value, reached = reached, target = target
      )
    }
    if (row$accepted) break
    at_limit <- (reached < target && value >= limits[2]) ||
      (reached > target && value <= smallest)
    bracket <- narrow_bracket(bracket, value, reached, target)
    if (at_limit || is_narrow(bracket)) break
    value <- clamp(next_value(bracket, target, limits), smallest, limits[2])
  }
  if (!any(search$accepted)) {
    abort_unreachable(best, target, tolerance, search, call)
  }
  c(best, list(search = search))
}

#' @param bracket (list) `low`, `high` (points nearest to the target on either
#'   side, or `NULL`), `last`, `before` (the last two points), `log`, `slow`
#'   (has the last step not halved the bracket?).
#' @noRd
narrow_bracket <- function(bracket, value, reached, target) {
  point <- list(value = value, reached = reached)
  width <- bracket_width(bracket)
  side <- if (reached < target) "low" else "high"
  bracket[[side]] <- point
  bracket$before <- bracket$last
  bracket$last <- point
  bracket$slow <- bracket_width(bracket) > width / 2
  bracket
}

bracket_width <- function(bracket) {
  if (is.null(bracket$low) || is.null(bracket$high)) {
    return(Inf)
  }
  to <- if (bracket$log) log else identity
  abs(to(bracket$high$value) - to(bracket$low$value))
}

is_narrow <- function(bracket) {
  bracket_width(bracket) < 1e-4
}

next_value <- function(bracket, target, limits) {
  to <- if (bracket$log) log else identity
  back <- if (bracket$log) exp else identity
  secant <- secant_step(bracket, target, to)
  if (is.finite(bracket_width(bracket))) {
    ends <- c(to(bracket$low$value), to(bracket$high$value))
    margin <- 0.02 * (ends[2] - ends[1])
    inside <- is.finite(secant) && secant > ends[1] + margin &&
      secant < ends[2] - margin
    return(back(if (inside && !bracket$slow) secant else mean(ends)))
  }
  point <- bracket$last
  upward <- point$reached < target
  if (!bracket$log) {
    return(mean(c(point$value, limits[1 + upward])))
  }
  # Bounds are roughly proportional to the scale; never further than 16-fold
  step <- to(point$value) + log(target / point$reached)
  if (is.finite(secant) && (secant > to(point$value)) == upward) {
    step <- secant
  }
  back(clamp(step, to(point$value) - log(16), to(point$value) + log(16)))
}

secant_step <- function(bracket, target, to) {
  last <- bracket$last
  before <- bracket$before
  if (is.null(before)) {
    return(NA_real_)
  }
  slope <- (to(last$reached) - to(before$reached)) /
    (to(last$value) - to(before$value))
  to(last$value) + (to(target) - to(last$reached)) / slope
}

abort_unreachable <- function(best, target, tolerance, search, call) {
  n <- nrow(search)
  abort_privacy(
    c(
      "The target {format_figure(target)} was not reached within
       {format_share(tolerance)}.",
      x = "The nearest of {n} refit{?s} reached {format_figure(best$reached)}.",
      i = "Take that as the target, raise {.arg tolerance} or
           {.arg max_refits}, or start from other weights."
    ),
    call = call, class = "pseudosynth_error_unreachable",
    nearest = best$reached, value = best$value, search = search
  )
}
