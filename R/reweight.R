#' Re-weight a weighted fit to use its whole bound
#'
#' Raises the weights of a weighted fit without raising its Lipschitz bound, and
#' fits the model again. In a weighted fit most records lie below the overall
#' bound \eqn{\Delta}: they are down-weighted more than necessary. The new
#' weights are
#' \deqn{\alpha_i^w = \mathrm{clamp}(k \alpha_i \Delta / \Delta_i),}
#' where \eqn{\Delta} and \eqn{\Delta_i} are the overall and the record's bound
#' in the weighted fit. A record with \eqn{\alpha_i = 0} keeps weight 0. The
#' constant k, at most 1, allows for the change of the draws under the new
#' weights.
#'
#' Weights of any scheme can be re-weighted. Lipschitz weights become the
#' papers' LW_final, count weights their CW_final.
#'
#' @param fit (`synthesizer` or [external_fit()]) A fit with privacy weights.
#'   For any other model that [external_fit()] accepts, also state `refit` and
#'   `privacy_weights`.
#' @param k (`"auto"` or number in (0, 1]) `"auto"`, the default, refits the
#'   model to find the largest k below 1 whose refit keeps the bound of `fit`.
#'   The search starts at 0.95 and takes secant steps inside the bracket found
#'   so far. With a number, the model is refitted once at that k, whatever bound
#'   results.
#' @param tolerance (number >= 0) How far the bound of an accepted refit may
#'   exceed the bound of `fit`, as a share of that bound. The search ends when
#'   the bound is within that share on either side. Default 0.02, because bounds
#'   are maxima over draws and vary by about that much from run to run.
#' @param max_refits (count) Maximum number of refits of the search. Default 6.
#' @param allow_unconverged (flag) Start from a fit that has not converged?
#'   Default `FALSE`: an error.
#' @param refit (function) For a model fitted elsewhere: see [external_fit()].
#' @param privacy_weights For a model fitted elsewhere: the weights of `fit`.
#' @param ... Passed to [update()][update.synthesizer], such as `draws` or
#'   `threads`. Every refit keeps the quantile of draws that `fit` has, see
#'   [truncate_draws()], so that bounds are comparable. Refits start where the
#'   previous fit ended. Refit number r runs at `stage_seed(seed, "refit", r)`:
#'   one `seed` gives each its own random numbers.
#'
#' @return The refitted model, of the class of `fit`: the last accepted refit of
#'   the search.
#'   Its `privacy_weights` have the scheme `"reweighted"`, and `reweighting` is
#'   a list with
#'   * `k` (number): the constant of the refit;
#'   * `target` (number): \eqn{\Delta} of `fit`; `bound` (number): the refit's
#'     \eqn{\Delta};
#'   * `search` (data frame): one row per refit with `k`, `bound`, `ratio` (to
#'     the target), `accepted`, `converged`, `seconds`;
#'   * `auto` (flag), `tolerance` (number).
#'
#' @section Error types:
#' `pseudosynth_error_input`: an unweighted fit, arguments out of range.
#' `pseudosynth_error_privacy`: `fit` has not converged, its bound is infinite,
#' or no k of the search kept the bound.
#'
#' @section Privacy:
#' k is found by a search on the confidential file. There is no proven bound on
#' the privacy loss for re-weighted weights; see [guarantee()].
#'
#' @references
#' Savitsky, Hu and Williams, Re-weighting of vector-weighted mechanisms for
#' utility maximization under differential privacy, section 3, Algorithm 3 (they
#' take k = 0.95 by hand).
#' @seealso [lipschitz_weights()], [guarantee()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' w <- lipschitz_weights(fit)
#' lw <- update(fit, privacy_weights = w)
#' final <- reweight(lw, k = 0.95)
#' final$reweighting$search
#' @export
reweight <- function(fit, k = "auto", tolerance = 0.02, max_refits = 6,
                     allow_unconverged = FALSE, refit = NULL,
                     privacy_weights = NULL, ...) {
  fit <- as_weightable(fit, refit = refit, privacy_weights = privacy_weights)
  check_argument(k)
  auto <- identical(k, "auto")
  check_argument(tolerance, above = -Inf, min = 0)
  max_refits <- check_argument(max_refits)
  check_has_weights(fit)
  refuse_privacy(
    !is.finite(fit$bound$overall),
    "A fit with an infinite bound cannot be re-weighted.",
    i = "Give the records with an infinite bound weight 0.",
    rows = which(!is.finite(fit$bound$record))
  )
  check_converged(fit, allow_unconverged)

  again <- refits_with(...)
  refit_at <- function(k, from, count) {
    again(from, reweighted_weights(fit, k), count)
  }
  found <- if (auto) {
    search_k(fit, refit_at, tolerance, max_refits)
  } else {
    once <- refit_at(k, fit, 1)
    row <- search_row(once, k, fit$bound$overall, tolerance)
    list(fit = once, k = k, search = row)
  }
  final <- found$fit
  final$reweighting <- list(
    k = found$k, target = fit$bound$overall, bound = final$bound$overall,
    search = found$search, auto = auto, tolerance = tolerance
  )
  final
}

#' The re-weighted weights at one k
#'
#' clamp(k alpha_i Delta / Delta_i). A record with alpha_i = 0 keeps 0; one with
#' alpha_i > 0 and Delta_i = 0 contributes nothing at any weight and gets 1.
#' @noRd
reweighted_weights <- function(fit, k) {
  overall <- fit$bound$overall
  weights_from_weighted(
    fit, "reweighted", list(k = k), list(overall = overall, k = k),
    function(alpha, delta) reweighted_rule(alpha, delta, overall, k)
  )
}

reweighted_scheme <- function() {
  new_weighting_scheme(
    "reweighted",
    title = function(node, inner) {
      # "Lipschitz weights (LW)" become "Lipschitz weights, .. (LW_final)"
      if (grepl("_final)$|re-weighted$", inner)) {
        inner
      } else if (grepl("[)]$", inner)) {
        sub(" [(](.*)[)]$", ", re-weighted (\\1_final)", inner)
      } else {
        paste0(inner, ", re-weighted")
      }
    },
    # Twice is as good as once
    short = function(node, inner) paste0(sub("_final$", "", inner), "_final"),
    word = function(node, inner) paste0(sub("_final$", "", inner), "_final"),
    inputs = "of", dependency = depends_on_file,
    reads = reads_model,
    rule = function(node, data, inner) {
      basis <- node$basis
      delta <- model_bound(basis$model, data, inner[[1]])
      reweighted_rule(inner[[1]], delta, basis$overall, basis$k)
    },
    replay = function(node, records, run, inner) {
      reweighted_weights(run(inner()[[1]]), node$arguments$k)
    }
  )
}

#' What re-weighted weights of a scheme are called
#' @return (list) `word`, `title` and `short`.
#' @noRd
reweighted_of <- function(scheme) {
  parts <- c("word", "title", "short")
  Map(
    function(of, inner) of(NULL, inner), reweighted_scheme()[parts],
    scheme[parts]
  )
}

reweighted_rule <- function(alpha, delta, overall, k) {
  by_blocks(length(alpha), function(i) {
    raised <- clamp(k * alpha[i] * overall / delta[i])
    raised[alpha[i] == 0] <- 0
    raised
  })
}

search_row <- function(refit, k, target, tolerance) {
  bound <- refit$bound$overall
  data.frame(
    k = k, bound = bound, ratio = bound / target,
    accepted = bound <= target * (1 + tolerance),
    converged = isTRUE(refit$converged),
    seconds = refit$seconds$total %||% NA_real_
  )
}

#' Look for the largest k that keeps the bound
#'
#' The bound of a refit is roughly proportional to k, so the secant through the
#' origin gives the next k; the bracket [accepted, refused] keeps it honest.
#' @noRd
search_k <- function(fit, refit_at, tolerance, max_refits) {
  target <- fit$bound$overall
  accepted <- 0
  refused <- 1
  best <- NULL
  from <- fit
  k <- 0.95
  search <- NULL
  for (refit_count in seq_len(max_refits)) {
    from <- refit_at(k, from, refit_count)
    row <- search_row(from, k, target, tolerance)
    search <- rbind(search, row)
    if (row$accepted) {
      accepted <- k
      best <- list(fit = from, k = k)
    } else {
      refused <- k
    }
    near <- row$accepted && row$ratio >= 1 - tolerance
    if (near || refused - accepted < 0.006) break
    # A little below the target: the bound of a refit is a noisy maximum
    k <- next_k(k, row$ratio * (1 + tolerance / 2), accepted, refused)
  }
  refuse_privacy(
    is.null(best),
    "No {.arg k} kept the refit within the bound of the weighted fit.",
    x = "All {max_refits} refit{?s} exceeded that bound.",
    i = "Raise {.arg max_refits}, or give a smaller number as {.arg k}.",
    search = search
  )
  c(best, list(search = search))
}

#' @param ratio (number) Bound at `k` over its target.
#' @param accepted,refused (number) Largest k accepted, smallest refused.
#' @noRd
next_k <- function(k, ratio, accepted, refused) {
  secant <- if (is.finite(ratio)) k / ratio else 0
  # Stay inside the bracket; a secant at its edge would repeat a refit
  margin <- min(0.1 * (refused - accepted), 0.01)
  clamp(secant, accepted + margin, refused - margin)
}
