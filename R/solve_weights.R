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
#' @param below (flag) Where no refit is within the tolerance: does the nearest
#'   count as reached if it lies below the target? Default `FALSE`: an error.
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
#' The value found depends on the file, and so do the weights, whatever they
#' were before.
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
                          allow_unconverged = FALSE, below = FALSE, ...) {
  check_present(fit)
  fit <- as_weightable(fit)
  check_flag(below)
  check_number(target, above = 0)
  by <- check_choice(by, c("scale", "shift"))
  check_search(tolerance, max_refits)
  check_quantile(quantile)
  check_unweighted(fit)
  check_converged(fit, allow_unconverged)
  weights <- as_privacy_weights(weights %||% public_scalar(1), n_records(fit))
  if (!is.null(fit$data)) {
    check_weights_records(weights, fit$data, arg = "weights")
  }
  found <- search_scale(
    fit, weights, by, target, tolerance, max_refits,
    refit = refits_with(quantile, ...), below = below
  )
  solved <- found$fit
  solved$solution <- c(list(by = by), found[c(
    "value", "target", "reached", "search"
  )])
  solved
}
