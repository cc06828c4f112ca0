#' Drop the draws with the largest bounds
#'
#' Keeps the draws whose draw bound \eqn{\Delta(\theta_s) = \max_i
#' |g_i(\theta_s)|} is at most a quantile of the draw bounds. Record bounds and
#' [synthesize()] then use only the kept draws.
#'
#' @param fit (`synthesizer` or [external_fit()]) The fit.
#' @param quantile (number in (0, 1]) The share of draws to keep, counted from
#'   all draws of the fit: truncating at 0.95 and then at 0.9 is the same as
#'   truncating at 0.9.
#' @param ... Must be empty.
#'
#' @return The fit without the dropped draws. `draws`, `hyper`, `chain`,
#'   `monitor`, the sampler's record and `bound` have only the kept draws;
#'   `dropped` counts the dropped draws and `quantile` is the share kept. The
#'   convergence figures are still those of the whole chains.
#'
#' @section Error types:
#' `pseudosynth_error_input`: `fit` is not a fit, `quantile` lies outside
#' (0, 1], or the draws of an external fit cannot be subset.
#'
#' @section Privacy:
#' Which draws are dropped depends on the file. A fit with dropped draws has no
#' strict guarantee.
#' @seealso [lipschitz()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' kept <- truncate_draws(fit, 0.95)
#' lipschitz(fit)$overall
#' lipschitz(kept)$overall
#' @export
truncate_draws <- function(fit, quantile, ...) {
  check_no_dots(..., hint = "See {.fn truncate_draws}.")
  fit <- as_weightable(fit)
  check_argument(quantile)
  if (quantile >= fit$quantile) {
    return(fit)
  }
  check_sealed(fit)
  bound <- lipschitz(fit, quantile)
  kept <- which(bound$kept)
  n <- length(bound$kept)
  fit$draws <- fit$draws[kept, , drop = FALSE]

  external <- inherits(fit, "external_fit")
  keep <- if (external) keep_external_draws else keep_synthesizer_draws
  fit <- keep(fit, kept, n)
  bound$draw <- bound$draw[kept]
  bound$kept <- bound$kept[kept]
  fit$bound <- bound
  fit$dropped <- (fit$dropped %||% 0L) + n - length(kept)
  fit$quantile <- quantile
  # Other draws are another thing to be charged for
  fit$id <- hashed_id(fit$id, quantile)
  seal(fit)
}

keep_synthesizer_draws <- function(fit, kept, n) {
  parts <- c("hyper", "chain", "monitor")
  fit[parts] <- lapply(unclass(fit)[parts], keep_rows, kept, n)
  fit$sampler <- lapply(fit$sampler, keep_rows, kept, n)
  fit
}

keep_external_draws <- function(fit, kept, n) {
  source <- fit$log_lik
  if (source$kind == "matrix") {
    fit$log_lik$values <- source$values[kept, , drop = FALSE]
    return(fit)
  }
  draws <- source$draws
  if (length(dim(draws)) == 2 && nrow(draws) == n) {
    fit$log_lik$draws <- draws[kept, , drop = FALSE]
  } else if (is.null(dim(draws)) && length(draws) == n) {
    fit$log_lik$draws <- draws[kept]
  } else {
    abort_input(
      "The draws of {.arg fit} must have one row or element per draw.",
      i = "Give {.fn external_fit} a matrix of draws.", arg = "fit"
    )
  }
  fit
}
