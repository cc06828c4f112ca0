#' Lipschitz weights
#'
#' Turns the record bounds \eqn{\Delta_i} of an *unweighted* fit into privacy
#' weights: \eqn{\alpha_i = c (1 - r_i) + g}, clamped to \[0, 1\], where
#' \eqn{r_i} in \[0, 1\] is the record's relative risk. A record that at least
#' one draw explains badly loses most of its weight. Such records lie mostly in
#' the tails.
#'
#' Four maps turn \eqn{\Delta_i} into \eqn{r_i}:
#'
#' | map | \eqn{r_i} |
#' |---|---|
#' | `"linear"` | \eqn{(\Delta_i - \min) / (\max - \min)} |
#' | `"inverse"` | \eqn{1 - \min / \Delta_i} |
#' | `"softmax"` | \eqn{1 / (1 + \exp(-1.69897 (\Delta_i - mean) / sd))} |
#' | `"logistic"` | \eqn{2 / (1 + \exp(-0.5 \Delta_i)) - 1} |
#'
#' `"linear"` is the papers' map: Savitsky, Hu and Williams, Algorithm 1, steps
#' 3 and 4. Their words are that weights are *inversely proportional* to the
#' bounds, and Hu, Williams and Savitsky write \eqn{\alpha_i \propto 1 /
#' \Delta_i}. `"inverse"` is this taken literally: \eqn{\alpha_i = c \min /
#' \Delta_i}, so that all records with weights below 1 have the same
#' \eqn{\alpha_i \Delta_i}. The smallest bound may be far below the others,
#' which then get small weights: raise `scale`. For \eqn{\alpha_i = \min(1, k /
#' \Delta_i)} with a k of your own, take `scale = k / min(lipschitz(x)$record)`.
#' To make the *weighted* fit's bounds equal, see [reweight()].
#'
#' `"softmax"` and `"logistic"` and their constants are this package's, without
#' a theory behind them. With \eqn{1.69897 = \log_{10} 50} a record one standard
#' deviation above the mean has \eqn{r_i = 0.85}, one at the mean 0.5.
#' `"logistic"` is \eqn{\tanh(\Delta_i / 4)}: it compares no record with
#' another, and \eqn{\Delta_i = 4.4} has \eqn{r_i = 0.8}.
#'
#' If all \eqn{\Delta_i} are equal, \eqn{r_i = 0}. A record with a non-finite
#' log-likelihood at any kept draw gets weight 0 and is left out of the minimum,
#' maximum, mean and standard deviation.
#'
#' @param x An unweighted `synthesizer`, its `lipschitz_bound`, or any other
#'   unweighted model that [lipschitz()] accepts: an [external_fit()], an S x N
#'   matrix of log-likelihoods, a fit with a `log_lik()` method. Weights made
#'   from a bound or a matrix cannot be frozen, because a bound or a matrix does
#'   not contain the model.
#' @param scale (number >= 0) The constant c above. Default 1.
#' @param shift (number) The constant g above, added to every weight. Default 0.
#'   A positive value is a floor, except for records with a non-finite
#'   log-likelihood.
#' @param map (string) `"linear"` (default), `"inverse"`, `"softmax"` or
#'   `"logistic"`.
#' @param quantile (number in (0, 1]) Draws above this quantile of the draw
#'   bounds are dropped, see [lipschitz()]. Default 1: all draws are kept.
#' @param allow_unconverged (flag) Use a fit that has not converged? Default
#'   `FALSE`: such a fit is an error.
#'
#' @param ... Must be empty.
#' @return [`privacy_weights`][privacy_weights] (numeric, N) of scheme
#'   `"lipschitz"`, in the order of the records.
#'
#' @section Error types:
#' `pseudosynth_error_input`: the fit is weighted or censored, or an argument is
#' out of range. `pseudosynth_error_privacy`: the fit has not converged.
#'
#' @section Privacy:
#' The smallest and the largest bound enter every weight, so one record changes
#' the weights of all others. No bound on the privacy loss of these weights has
#' been proven; see [guarantee()].
#'
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55).
#' Hu, Savitsky and Williams, Private tabular survey data products through
#' synthetic microdata generation.
#' @seealso [reweight()], [freeze()], [fit_synthesizer()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' w <- lipschitz_weights(fit)
#' w
#' @export
lipschitz_weights <- function(x, scale = 1, shift = 0,
                              map = c(
                                "linear", "inverse", "softmax", "logistic"
                              ),
                              quantile = 1, allow_unconverged = FALSE, ...) {
  check_no_dots(..., hint = "See {.fn lipschitz_weights}.")
  check_present(x)
  check_argument(scale)
  check_argument(shift)
  map <- check_argument(map)
  check_argument(quantile)
  if (inherits(x, "synthesizer") ||
    inherits(x, "external_fit") && isFALSE(x$converged)) {
    check_converged(x, allow_unconverged)
  }
  bound <- lipschitz(x, quantile)
  refuse_if(
    bound$weighted, "{.arg x} must be an unweighted fit or its bound.",
    x = "Its likelihood is weighted or censored.",
    i = "Lipschitz weights start from the unweighted record bounds. To improve
         the weights of a weighted fit, use {.fn reweight}.",
    arg = "x"
  )
  basis <- list(
    model = frozen_model(x, bound$kept), range = bound_range(bound$record),
    map = map, scale = scale, shift = shift, history = fit_rows(x)
  )
  new_privacy_weights(
    lipschitz_rule(basis, bound$record), "lipschitz",
    c(basis[c("map", "scale", "shift")], quantile = bound$quantile),
    made_from = history_mark(x) %||% NA,
    basis = if (!is.null(basis$model)) basis, records = model_marks(x)
  )
}

lipschitz_scheme <- function() {
  new_weighting_scheme(
    "lipschitz", title = "Lipschitz weights (LW)", short = "LW", word = "lw",
    clipped = c(censored = "censor_w"),
    inputs = c("map", "scale", "shift"), dependency = depends_on_file,
    reads = reads_model,
    rule = function(node, data, inner) {
      basis <- node$basis
      lipschitz_rule(basis, model_bound(basis$model, data))
    },
    replay = function(node, records, run, inner) {
      a <- node$arguments
      lipschitz_weights(
        run(), a[["scale"]], a[["shift"]], a[["map"]], a[["quantile"]],
        allow_unconverged = TRUE
      )
    },
    why_not_freezable = "They were made from a bound or a matrix, which holds no
      model. Give {.fn lipschitz_weights} the fit."
  )
}

#' The weights of record bounds, given what the fit's own bounds were
#' @param basis (list) `range`, `map`, `scale`, `shift`.
#' @param delta (numeric) Record bounds.
#' @noRd
lipschitz_rule <- function(basis, delta) {
  by_blocks(length(delta), function(i) {
    risk <- relative_risk(delta[i], basis$map, basis$range)
    alpha <- clamp(basis$scale * (1 - risk) + basis$shift)
    # Not even a floor gives weight to a record whose bound is infinite
    alpha[!is.finite(delta[i])] <- 0
    alpha
  })
}

#' What the maps take from the bounds; non-finite ones stay out
#' @noRd
bound_range <- function(delta) {
  finite <- if (all_finite(delta)) delta else delta[is.finite(delta)]
  if (length(finite) == 0) finite <- c(0, 0)
  list(
    min = min(finite), max = max(finite), mean = mean(finite),
    sd = stats::sd(finite)
  )
}

#' Map record bounds to relative risks in \[0, 1\]
#' @param delta (numeric, N) Record bounds; non-finite ones stay out.
#' @param range (list) Of these bounds, or of those a rule was frozen on: then
#'   risks are cut to \[0, 1\].
#' @noRd
relative_risk <- function(delta, map, range = bound_range(delta)) {
  if (range$max == range$min) {
    # Only a frozen rule can meet a bound that is none of its own
    return(as.double(delta > range$max))
  }
  clamp(switch(map,
    linear = (delta - range$min) / (range$max - range$min),
    # Of a bound of 0, which may be the smallest, there is no ratio
    inverse = ifelse(delta > range$min, 1 - range$min / delta, 0),
    softmax = 1 / (1 + exp(-1.69897 * (delta - range$mean) / range$sd)),
    logistic = 2 / (1 + exp(-0.5 * delta)) - 1
  ))
}
