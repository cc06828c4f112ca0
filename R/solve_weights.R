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
#' The measure rises with the value, up to the noise of the draws, on logarithms
#' where the value is a scale; see next_value().
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
                         seed = NULL, call = rlang::caller_env()) {
  smallest <- if (log) max(limits[1], 1e-6) else limits[1]
  value <- clamp(start, smallest, limits[2])
  from <- fit
  best <- NULL
  search <- NULL
  for (count in seq_len(max_refits)) {
    # Other noise at each refit: the search may come back to a value
    own <- if (!is.null(seed)) list(seed = stage_seed(seed, 1e4 * (count - 1)))
    refit <- function(...) {
      update(from, privacy_weights = weights_at(value), ...)
    }
    from <- truncate_draws(do.call(refit, c(own, list(...))), quantile)
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
    points <- rbind(as.data.frame(known), search[c("value", "reached")])
    if (at_limit || is_jump(points, target, log, tolerance)) break
    value <- clamp(
      next_value(points, target, limits, log), smallest, limits[2]
    )
  }
  if (!any(search$accepted)) {
    abort_unreachable(best, target, tolerance, search, call)
  }
  c(best, list(search = search))
}

#' How far the nearest point is from the target, as a share of it
#' @noRd
miss_of <- function(points, target) {
  min(abs(points$reached / target - 1), Inf)
}

#' Points on the scale on which the measure is about linear
#' @return (list) `x`, `gap` (0 at the target), `low` and `high` (the nearest
#'   points below and above it), `back` (from x to the value).
#' @noRd
search_points <- function(points, target, log) {
  log_gap <- log && all(points$reached > 0)
  gap <- points$reached / target
  gap <- clamp(if (log_gap) base::log(gap) else gap - 1, -50, 50)
  nearest <- function(these) {
    if (any(these)) which.min(ifelse(these, abs(gap), Inf))
  }
  list(
    x = if (log) base::log(points$value) else points$value, gap = gap,
    low = nearest(gap <= 0), high = nearest(gap > 0),
    back = if (log) exp else identity
  )
}

#' Does the measure jump over the target?
#' @noRd
is_jump <- function(points, target, log, tolerance) {
  at <- search_points(points, target, log)
  ends <- c(at$low, at$high)
  length(ends) == 2 && abs(diff(at$x[ends])) < 1e-4 &&
    diff(at$gap[ends]) > 4 * tolerance
}

#' The next value to try
#'
#' Bounds of refits are noisy: a point above the target may belong below it, and
#' rules out nothing. Between points on both sides, the root of a line through
#' the nearest ones, of which the nearest count most: near the target it
#' averages their noise. Halfway between the two nearest where the last step
#' gained little and they are far apart.
#' @noRd
next_value <- function(points, target, limits, log) {
  at <- search_points(points, target, log)
  if (is.null(at$low) || is.null(at$high)) {
    return(value_beyond(at, points, limits, log))
  }
  ends <- at$x[c(at$low, at$high)]
  root <- line_root(at)
  before <- points[-nrow(points), ]
  slow <- miss_of(points, target) > miss_of(before, target) / 2
  if (!is.finite(root) || (slow && abs(diff(ends)) > 0.1)) {
    root <- mean(ends)
  }
  at$back(root)
}

line_root <- function(at) {
  near <- order(abs(at$gap))[seq_len(min(4, length(at$gap)))]
  near <- union(near, c(at$low, at$high))
  x <- at$x[near]
  gap <- at$gap[near]
  weight <- 1 / (gap^2 + 0.01^2)
  centre <- stats::weighted.mean(x, weight)
  level <- stats::weighted.mean(gap, weight)
  slope <- sum(weight * (x - centre) * (gap - level)) /
    sum(weight * (x - centre)^2)
  if (!isTRUE(slope > 0)) {
    return(NA_real_)
  }
  clamp(centre - level / slope, min(x), max(x))
}

#' Beyond all points, which lie on one side of the target
#' @noRd
value_beyond <- function(at, points, limits, log) {
  upward <- is.null(at$high)
  n <- length(at$x)
  if (!log) {
    return(mean(c(points$value[n], limits[1 + upward])))
  }
  # Bounds are roughly proportional to the scale. Between two points a slope far
  # from that is noise; never further than 16-fold
  slope <- 1
  if (n > 1) {
    found <- diff(at$gap[c(n - 1, n)]) / diff(at$x[c(n - 1, n)])
    if (isTRUE(found > 0)) slope <- clamp(found, 0.4, 4)
  }
  exp(at$x[n] - clamp(at$gap[n] / slope, -base::log(16), base::log(16)))
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
