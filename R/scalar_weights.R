#' One scalar weight for all records
#'
#' One \eqn{\alpha} for all records, solved by refits so that the bound
#' \eqn{\Delta} of the weighted fit, or its mean identification risk, reaches a
#' target. With the log-likelihood as utility this is the exponential mechanism:
#' each record is down-weighted as much as the riskiest one needs.
#'
#' The first refit takes \eqn{\alpha = target / \Delta} with \eqn{\Delta} of the
#' unweighted fit, as the papers do; the draws spread as the weight falls, so
#' that it overshoots. Later ones follow a secant and start from the last state.
#'
#' @param fit (`synthesizer` or [external_fit()]) The unweighted fit.
#' @param target (number > 0, a fit or a `lipschitz_bound`) The \eqn{\Delta} to
#'   reach; a fit or a bound stands for its own \eqn{\Delta}.
#' @param risk (number in (0, 1)) Instead of `target`: the mean identification
#'   risk to reach, that of [identification_risk()] with `known`, `radius` and
#'   `relative` over `m` synthetic sets of each refit.
#' @param known,radius,relative As in [identification_risk()]; for `risk` only.
#' @param m (count) Synthetic sets of each refit; for `risk` only. Default 20.
#' @inheritParams solve_weights
#'
#' @return [`privacy_weights`][privacy_weights] of scheme `"scalar"`, all equal.
#'   `arguments` holds `alpha`, `target` and `reached`; `attr(, "search")` is
#'   the data frame of the refits, see [solve_weights()].
#'
#' @section Error types: `pseudosynth_error_privacy` (class
#' `pseudosynth_error_unreachable`): a target above what the unweighted fit has,
#' or one that no refit came near; the message says the nearest that can be
#' reached. `pseudosynth_error_input`: a weighted fit, neither or both of
#' `target` and `risk`.
#'
#' @section Privacy:
#' The scalar is solved from this file: the label is the papers' asymptotic one.
#' A scalar that you state beforehand is public: [public_scalar()].
#' @references Savitsky, Williams and Hu (2022), Bayesian pseudo posterior
#' mechanism under asymptotic differential privacy, section 2 (there
#' "EMweighted"). Savitsky, Hu and Williams, section 3.1 ("SW"). Hu and
#' Savitsky, section 5 ("Weights_S", the target being the risk of the file).
#' @seealso [solve_weights()] to solve for a scale or a shift of other weights.
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' w <- scalar_weights(fit, lipschitz(fit)$overall / 2, tolerance = 0.1)
#' w
#' attr(w, "search")
#' @export
scalar_weights <- function(fit, target = NULL, risk = NULL, tolerance = 0.02,
                           max_refits = 10, known = NULL, radius,
                           relative = TRUE, m = 20, quantile = fit$quantile,
                           allow_unconverged = FALSE, ...) {
  check_present(fit)
  fit <- as_weightable(fit)
  if (is.null(target) == is.null(risk)) {
    abort_input(
      "Either {.arg target} or {.arg risk} must be given.",
      arg = "target"
    )
  }
  check_search(tolerance, max_refits)
  check_quantile(quantile)
  check_unweighted(fit)
  check_converged(fit, allow_unconverged)
  m <- check_count(m, min = 1)
  check_flag(relative)
  measure <- if (is.null(risk)) {
    if (!is.null(known) || !missing(radius)) {
      abort_input(
        "{.arg known} and {.arg radius} say how {.arg risk} is measured.",
        arg = if (is.null(known)) "radius" else "known"
      )
    }
    target <- scalar_target(target)
    function(fit) fit$bound$overall
  } else {
    check_number(risk, above = 0, below = 1)
    target <- risk
    mean_risk_of(
      fit, known, rlang::maybe_missing(radius), relative, m, allow_unconverged,
      list(...)$seed
    )
  }
  unweighted <- measure(fit)
  n <- n_records(fit)
  rows <- fit_rows(fit)
  make <- function(alpha, reached = NA_real_) {
    solved_scalar(alpha, n, list(
      alpha = alpha, target = target, reached = reached,
      measure = if (is.null(risk)) "bound" else "mean identification risk"
    ), fit, rows)
  }
  if (abs(unweighted / target - 1) <= tolerance) {
    return(make(1, unweighted))
  }
  if (unweighted < target) {
    abort_privacy(
      "The target {format_figure(target)} cannot be reached.",
      x = "The unweighted fit has {format_figure(unweighted)}, and a weight
           can only lower it.",
      i = "Without weights it is {format_figure(unweighted)}.",
      class = "pseudosynth_error_unreachable", nearest = unweighted, value = 1
    )
  }
  found <- solve_target(
    fit, make, measure, target,
    start = target / unweighted, limits = c(0, 1),
    known = list(value = 1, reached = unweighted), log = TRUE,
    tolerance = tolerance, max_refits = max_refits,
    refit = refits_with(quantile, ...)
  )
  structure(make(found$value, found$reached), search = found$search)
}

#' One weight for n records that was solved from the file of a fit
#' @param rows See `fit_rows()`.
#' @noRd
solved_scalar <- function(alpha, n, arguments, fit, rows) {
  new_privacy_weights(
    rep(alpha, n), "scalar", arguments,
    made_from = history_mark(fit) %||% NA,
    basis = list(
      alpha = alpha, variable = fit[["response"]]$variable,
      history = rows
    ),
    records = model_marks(fit)
  )
}

scalar_scheme <- function() {
  of_all <- function(node, data, inner) {
    rep(node$basis$alpha, nrow(data))
  }
  new_weighting_scheme(
    "scalar",
    title = "scalar weight solved from the file (SW)", short = "SW",
    word = "scalar",
    inputs = function(node) {
      "their scale was solved from this file: not public"
    },
    dependency = depends_on_file,
    reads = function(node) {
      list(response = node$basis$variable, predictors = character())
    },
    rule = of_all,
    definition = of_all,
    grid = function(node, grid, counts, database, inner) {
      if (identical(node$arguments[["measure"]], "mean identification risk")) {
        return(NULL)
      }
      grid_scalar_weight(grid, counts, node$arguments[["target"]])
    }
  )
}

scalar_target <- function(target) {
  if (inherits(target, c("synthesizer", "external_fit"))) {
    target <- target$bound
  }
  if (is_lipschitz_bound(target)) {
    target <- target$overall
  }
  check_number(target, above = 0, arg = "target")
}

#' Mean identification risk of what a fit would release
#' @noRd
mean_risk_of <- function(fit, known, radius, relative, m, allow_unconverged,
                         seed) {
  check_class(
    fit, "synthesizer",
    how = "Only a {.cls synthesizer} makes synthetic sets."
  )
  check_radius(rlang::maybe_missing(radius), relative)
  function(fit) {
    check_converged(fit, allow_unconverged)
    sets <- predictive_sets(fit, m, seed)
    identification_risk(
      sets, fit$data, known, radius, relative,
      variable = fit$response$variable
    )$overall[["mean_risk"]]
  }
}

#' One weight for all that brings the bound to a target, on a grid
#' @noRd
grid_scalar_weight <- function(grid, counts, target) {
  here <- counts > 0
  excess <- function(alpha) {
    max(database_bounds(grid, counts, rep(alpha, ncol(grid$f)))[here]) - target
  }
  if (excess(1) <= 0) {
    return(1)
  }
  stats::uniroot(excess, c(1e-6, 1), tol = 1e-3)$root
}

# The search for a number at which refits reach a target: a scale or a shift of
# weights, a scalar weight.

check_search <- function(tolerance, max_refits) {
  check_number(tolerance, above = 0)
  check_count(max_refits, min = 1)
}

check_unweighted <- function(fit) {
  if (!is.null(fit$privacy_weights) || !is.null(fit$censor)) {
    abort_input(
      "{.arg fit} must be unweighted.",
      x = "Its likelihood is weighted or censored.",
      arg = "fit"
    )
  }
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
#' @param below (flag) Does the nearest count as reached where it lies below the
#'   target and none is within the tolerance?
#' @param refit (function(from, weights, count)) The model fitted with weights
#'   for the count-th time, from where the fit `from` ended.
#' @return (list) `fit`, `value`, `reached`, `target`, `search`.
#' @noRd
solve_target <- function(fit, weights_at, measure, target, start, limits, known,
                         log, tolerance, max_refits, refit, below = FALSE) {
  smallest <- if (log) max(limits[1], 1e-6) else limits[1]
  value <- clamp(start, smallest, limits[2])
  from <- fit
  best <- NULL
  search <- NULL
  for (count in seq_len(max_refits)) {
    from <- refit(from, weights_at(value), count)
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
  if (!any(search$accepted) && !(below && best$reached < target)) {
    abort_unreachable(best, target, tolerance, search)
  }
  c(best, list(search = search))
}

#' Refits by update(), as the user asked for them
#'
#' Other noise at each refit: the search may come back to a value.
#' @param ... Passed to update().
#' @noRd
refits_with <- function(quantile, ..., seed = NULL) {
  force(quantile)
  function(from, weights, count) {
    own <- if (!is.null(seed)) list(seed = stage_seed(seed, "refit", count))
    again <- function(...) update(from, privacy_weights = weights, ...)
    truncate_draws(do.call(again, c(own, list(...))), quantile)
  }
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

abort_unreachable <- function(best, target, tolerance, search) {
  n <- nrow(search)
  abort_privacy(
    "The target {format_figure(target)} was not reached within
     {format_share(tolerance)}.",
    x = "The nearest of {n} refit{?s} reached {format_figure(best$reached)}.",
    i = "Take that as the target, raise {.arg tolerance} or
         {.arg max_refits}, or start from other weights.",
    class = "pseudosynth_error_unreachable",
    nearest = best$reached, value = best$value, search = search
  )
}
