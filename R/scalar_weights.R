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
      fit, known, rlang::maybe_missing(radius), relative, m, allow_unconverged
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
      c(
        "The target {format_figure(target)} cannot be reached.",
        x = "The unweighted fit has {format_figure(unweighted)}, and a weight
             can only lower it.",
        i = "Without weights it is {format_figure(unweighted)}."
      ),
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
  of_all <- function(node, data, inner, call) {
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

scalar_target <- function(target, call = rlang::caller_env()) {
  if (inherits(target, c("synthesizer", "external_fit"))) {
    target <- target$bound
  }
  if (is_lipschitz_bound(target)) {
    target <- target$overall
  }
  check_number(target, above = 0, arg = "target", call = call)
}

#' Mean identification risk of what a fit would release
#' @noRd
mean_risk_of <- function(fit, known, radius, relative, m, allow_unconverged,
                         call = rlang::caller_env()) {
  check_class(
    fit, "synthesizer",
    how = "Only a {.cls synthesizer} makes synthetic sets.", call = call
  )
  check_radius(rlang::maybe_missing(radius), relative, call = call)
  function(fit) {
    check_converged(fit, allow_unconverged, call = call)
    sets <- predictive_sets(fit, m)
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
