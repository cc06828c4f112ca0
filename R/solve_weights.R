#' Find weights that reach a target bound or risk
#'
#' Looks for one weight for all records, or a scale or shift of given weights,
#' at which the refit reaches a target: a Lipschitz bound \eqn{\Delta}
#' (\eqn{\epsilon / 2} for a wanted \eqn{\epsilon = 2 \Delta}) or a mean
#' identification risk. The search refits the model, because the draws depend on
#' the weights; each refit starts where the previous one ended.
#'
#' With one weight for all records, this is the exponential mechanism with the
#' log-likelihood as utility: every record gets the weight that the riskiest
#' record needs. The first refit takes \eqn{\alpha = target / \Delta} with
#' \eqn{\Delta} of the unweighted fit, as the papers do. That overshoots the
#' target, because the draws spread out as the weight falls. Later refits follow
#' a secant.
#'
#' @param fit (`synthesizer` or [external_fit()]) The unweighted fit.
#' @param target (number > 0, a fit or a `lipschitz_bound`) The \eqn{\Delta} to
#'   reach; for a fit or a bound, its own \eqn{\Delta} is the target.
#' @param weights ([privacy_weights] or `NULL`) The weights to scale or shift.
#'   `NULL`, the default: one weight for all records.
#' @param by (string) What is solved for: `"scale"`, the default: \eqn{c} in
#'   \eqn{\mathrm{clamp}(c \alpha_i)}. `"shift"`: \eqn{g}, between -1 and 1, in
#'   \eqn{\mathrm{clamp}(\alpha_i + g)}.
#' @param risk (number in (0, 1)) The mean identification risk to reach, in
#'   place of `target`. It is measured by [identification_risk()] with `known`,
#'   `radius` and `relative` on `m` synthetic sets of each refit.
#' @param known,radius,relative As in [identification_risk()]; for `risk` only.
#' @param m (count) Synthetic sets of each refit; for `risk` only. Default 20.
#' @param tolerance (number > 0) Accepted distance from the target, as a share
#'   of it. Default 0.02, because bounds are maxima over draws and vary by about
#'   that much from run to run.
#' @param max_refits (count) Maximum number of refits. Default 10.
#' @param below (flag) What to do if no refit is within the tolerance. `FALSE`,
#'   the default: an error. `TRUE`: accept the nearest refit if it lies below
#'   the target. `NA`: accept the nearest refit.
#' @param allow_unconverged As in [reweight()].
#' @param ... Passed to [update()][update.synthesizer], such as `draws` or
#'   `seed`. Refit number r runs at `stage_seed(seed, "refit", r)`.
#'
#' @return The refitted model. The scheme of its `privacy_weights` is `"scalar"`
#'   (one weight for all records) or `"scaled"` (weights scaled or shifted). Its
#'   `solution` is a list with `by`, `value`, `target`, `reached` and `search`
#'   (data frame: one row per refit with `value`, `reached`, `ratio` to the
#'   target, `accepted`, `converged`, `seconds`).
#'
#' @section Error types:
#' `pseudosynth_error_privacy` (class `pseudosynth_error_unreachable`): no refit
#' was within the tolerance. The message and the field `nearest` give the
#' nearest result, the field `search` all refits. `pseudosynth_error_input`: a
#' weighted fit, neither or both of `target` and `risk`, arguments out of range.
#'
#' @section Privacy:
#' The value found depends on the file. So do the new weights, even if `weights`
#' did not. The label is therefore the papers' asymptotic one. A scalar stated
#' beforehand is public; see [public_scalar()].
#' @references Savitsky, Williams and Hu (2022), Bayesian pseudo posterior
#' mechanism under asymptotic differential privacy, section 2 (there
#' "EMweighted"). Savitsky, Hu and Williams, section 3.1 ("SW"). Hu and
#' Savitsky, section 5 ("Weights_S", the target being the risk of the file).
#' @seealso [reweight()], [scale_weights()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' solved <- solve_weights(
#'   fit, target = 1.5, weights = lipschitz_weights(fit), tolerance = 0.1,
#'   seed = 1
#' )
#' solved$solution$search
#' # One weight for all
#' one <- solve_weights(fit, lipschitz(fit)$overall / 2,
#'   tolerance = 0.1, seed = 1
#' )
#' one$solution$value
#' @export
solve_weights <- function(fit, target = NULL, weights = NULL,
                          by = c("scale", "shift"), tolerance = 0.02,
                          max_refits = 10, allow_unconverged = FALSE,
                          below = FALSE, risk = NULL, known = NULL, radius,
                          relative = TRUE, m = 20, ...) {
  fit <- as_weightable(fit)
  refuse_if(
    is.null(target) == is.null(risk),
    "Either {.arg target} or {.arg risk} must be given.", arg = "target"
  )
  if (!identical(below, NA)) check_flag(below)
  by <- check_choice(by, c("scale", "shift"))
  check_argument(tolerance)
  check_argument(max_refits)
  refuse_if(
    !is.null(fit$privacy_weights) || !is.null(fit$censor),
    "{.arg fit} must be unweighted.",
    x = "Its likelihood is weighted or censored.", arg = "fit"
  )
  check_converged(fit, allow_unconverged)
  m <- check_argument(m)
  check_argument(relative)
  if (is.null(risk)) {
    refuse_if(
      !is.null(known) || !missing(radius),
      "{.arg known} and {.arg radius} can only be given with {.arg risk}.",
      arg = if (is.null(known)) "radius" else "known"
    )
    if (inherits(target, c("synthesizer", "external_fit"))) {
      target <- target$bound
    }
    if (inherits(target, "lipschitz_bound")) target <- target$overall
    target <- check_number(target, above = 0)
    measure <- bound_of_fit
  } else {
    target <- check_number(risk, above = 0, below = 1)
    measure <- mean_risk_of(
      fit, known, rlang::maybe_missing(radius), relative, m, allow_unconverged,
      list(...)$seed
    )
  }
  weights <- as_privacy_weights(weights %||% public_scalar(1), n_records(fit))
  if (!is.null(fit$data)) {
    check_weights_records(weights, fit$data, arg = "weights")
  }
  found <- search_scale(
    fit, weights,
    list(
      by = by, target = target, tolerance = tolerance, max_refits = max_refits,
      measure = if (is.null(risk)) "bound" else "mean identification risk"
    ),
    refit = refits_with(...), measure, below
  )
  solved <- found$fit
  solved$solution <- c(list(by = by), found[c(
    "value", "target", "reached", "search"
  )])
  solved
}

bound_of_fit <- function(fit, count) fit$bound$overall

#' Mean identification risk of what a fit would release
#' @noRd
mean_risk_of <- function(fit, known, radius, relative, m, allow_unconverged,
                         seed) {
  check_knows_records(fit)
  check_radius(rlang::maybe_missing(radius), relative)
  force(seed)
  function(fit, count) {
    check_converged(fit, allow_unconverged)
    sets <- predictive_sets(fit, m, seed, count)
    identification_risk(
      sets, fit$data, known, radius, relative, variable = fit$response$name
    )$overall[["mean_risk"]]
  }
}

# Weights whose scale was solved -----------------------------------------------

#' Weights whose scale was found from the file are weights from the file: the
#' scale is no public number, whatever it scales. One number for all records
#' becomes the scalar weight.
#' @param solved (list) How the number was found: `by`, `target`, `tolerance`,
#'   `max_refits`, `measure`.
#' @param rows See `fit_rows()`; needed for one number only.
#' @noRd
solved_weights <- function(weights, fit, value, solved, rows = fit_rows(fit)) {
  scale <- if (solved$by == "scale") value else 1
  shift <- if (solved$by == "scale") 0 else value
  solved <- c(list(solved = TRUE, value = value), solved)
  made_from <- history_mark(fit) %||% NA_character_
  inner <- node_of(weights)
  alpha <- public_number(inner)
  if (is.null(alpha)) {
    node <- scaled_node(inner, scale, shift, solved, made_from)
    return(at_scale(weights, node))
  }
  alpha <- clamp(scale * alpha + shift)
  new_privacy_weights(
    rep(alpha, n_records(fit)), "scalar", c(list(alpha = alpha), solved),
    made_from = made_from,
    basis = list(
      alpha = alpha, variable = fit[["response"]]$name, history = rows
    ),
    records = model_marks(fit)
  )
}

#' The same for other records
#' @return (`privacy_weights`, or `NULL` where draws alone tell the measure)
#' @noRd
solved_again <- function(weights, solved, run) {
  if (solved$measure != "bound") {
    return(NULL)
  }
  fit <- run()
  found <- search_scale(
    fit, weights, solved,
    refit = function(from, weights, count) run(weights, count),
    # Out of reach for these records: the nearest
    below = NA
  )
  solved_weights(weights, fit, found$value, solved)
}

scalar_scheme <- function() {
  new_weighting_scheme(
    "scalar", title = "scalar weight solved from the file (SW)", short = "SW",
    word = "scalar",
    inputs = function(node) "their scale was solved from this file: not public",
    dependency = depends_on_file,
    reads = function(node) {
      list(response = node$basis$variable, predictors = character())
    },
    rule = one_for_all,
    replay = function(node, records, run, inner) {
      solved <- solved_by(node)
      solved$by <- "scale"
      one <- as_privacy_weights(public_scalar(1), nrow(records$data))
      solved_again(one, solved, run)
    }
  )
}

solved_by <- function(node) {
  node$arguments[c("by", "target", "tolerance", "max_refits", "measure")]
}

# The search -------------------------------------------------------------------

#' Look for the scale or shift that brings the measure of the refit to a target
#'
#' The measure rises with the value, up to the noise of the draws, on logarithms
#' where the value is a scale; see next_value().
#'
#' @param solved (list) See `solved_weights()`.
#' @param refit (function(from, weights, count)) The model fitted with weights
#'   for the count-th time, from where the fit `from` ended.
#' @param measure (function(fit, count)) A number of the count-th refit,
#'   0 for the fit itself.
#' @param below (flag) Does the nearest count as reached where it lies below the
#'   target and none is within the tolerance? `NA`: wherever it lies.
#' @param rows See `fit_rows()`: computed once for all refits, if needed.
#' @return (list) `fit`, `value`, `reached`, `target`, `search`.
#' @noRd
search_scale <- function(fit, weights, solved, refit, measure = bound_of_fit,
                         below = FALSE, rows = fit_rows(fit)) {
  alpha <- bare_numbers(weights)
  target <- solved$target
  tolerance <- solved$tolerance
  log <- solved$by == "scale"
  limits <- if (log) c(1e-6, 1 / max(alpha, 1e-6)) else c(-1, 1)
  one <- log && all(alpha == 1)
  # What is known without a refit
  known <- if (one) list(value = 1, reached = measure(fit, 0))
  # How the draws that are there would do with these weights
  before <- if (one) known$reached else max(alpha * fit$bound$record)
  value <- clamp(if (log) target / before else 0, limits[1], limits[2])
  from <- fit
  best <- NULL
  search <- NULL
  for (count in seq_len(solved$max_refits)) {
    from <- refit(
      from, solved_weights(weights, fit, value, solved, rows), count
    )
    reached <- measure(from, count)
    row <- data.frame(
      value = value, reached = reached, ratio = reached / target,
      accepted = isTRUE(abs(reached / target - 1) <= tolerance),
      converged = isTRUE(from$converged),
      seconds = from$seconds$total %||% NA_real_
    )
    search <- rbind(search, row)
    miss <- abs(reached - target)
    if (is.null(best) || miss < abs(best$reached - target)) {
      best <- list(
        fit = from, value = value, reached = reached, target = target
      )
    }
    if (row$accepted) break
    at_limit <- (reached < target && value >= limits[2]) ||
      (reached > target && value <= limits[1])
    points <- rbind(as.data.frame(known), search[c("value", "reached")])
    if (at_limit || is_jump(points, target, log, tolerance)) break
    value <- next_value(points, target, limits, log)
    value <- clamp(value, limits[1], limits[2])
  }
  refuse_privacy(
    !any(search$accepted) && !is.na(below) &&
      !(below && best$reached < target),
    "No refit came within {format_share(tolerance)} of the target
     {format_figure(target)}.",
    x = "The nearest of {nrow(search)} refit{?s} reached
         {format_figure(best$reached)}.",
    i = "Take that as the target, raise {.arg tolerance} or
         {.arg max_refits}, or start from other weights.",
    class = "pseudosynth_error_unreachable",
    nearest = best$reached, value = best$value, search = search
  )
  c(best, list(search = search))
}

#' Refits by update(), as the user asked for them
#'
#' They keep the share of draws of the fit, also of a model fitted elsewhere.
#' Other noise at each refit: the search may come back to a value.
#' @param ... Passed to update().
#' @noRd
refits_with <- function(..., seed = NULL) {
  function(from, weights, count) {
    own <- if (!is.null(seed)) list(seed = stage_seed(seed, "refit", count))
    again <- function(...) update(from, privacy_weights = weights, ...)
    made <- do.call(again, c(own, list(...)), quote = TRUE)
    kept <- from$quantile
    if (kept < made$quantile) truncate_draws(made, kept) else made
  }
}

#' How far the nearest point is from the target, as a share of it
#' @noRd
miss_of <- function(points, target) min(abs(points$reached / target - 1), Inf)

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
#' gained little and they are far apart, but never twice at the same place.
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
  middle <- mean(ends)
  new <- all(abs(at$x - middle) > 1e-6)
  if (!is.finite(root) || (slow && new && abs(diff(ends)) > 0.1)) root <- middle
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
