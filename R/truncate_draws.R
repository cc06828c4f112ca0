#' Drop the draws with the largest bounds
#'
#' Keeps the draws whose draw bound \eqn{\Delta(\theta_s) = \max_i
#' |g_i(\theta_s)|} lies at or below a quantile of the draw bounds. Both the
#' record bounds and what [synthesize()] may use then come from the kept draws.
#'
#' @param fit (synthesizer) The fit.
#' @param quantile (number in (0, 1]) The share of draws kept, counted from all
#'   draws of the fit: truncating at 0.95 and then at 0.9 is truncating at 0.9.
#'
#' @return The `synthesizer` without the dropped draws: `draws`, `hyper`,
#'   `chain`, `monitor`, the sampler's record and `bound` are cut alike,
#'   `dropped` counts the draws left out and `quantile` says at which share.
#'   The convergence figures stay those of the whole chains.
#'
#' @section Error types:
#' `pseudosynth_error_input`: `fit` is no synthesizer or `quantile` lies outside
#' (0, 1].
#'
#' @section Privacy:
#' Which draws are dropped depends on the file. No strict guarantee holds for a
#' fit with dropped draws.
#' @seealso [lipschitz()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' kept <- truncate_draws(fit, 0.95)
#' lipschitz(fit)$overall
#' lipschitz(kept)$overall
#' @export
truncate_draws <- function(fit, quantile) {
  check_class(fit, "synthesizer", "Make one with {.fn fit_synthesizer}.")
  check_quantile(quantile)
  if (quantile >= fit$quantile) {
    return(fit)
  }
  bound <- lipschitz(fit, quantile)
  kept <- which(bound$kept)
  dropped <- length(bound$kept) - length(kept)

  n <- length(bound$kept)
  fit$draws <- fit$draws[kept, , drop = FALSE]
  fit["hyper"] <- list(keep_rows(fit$hyper, kept, n))
  fit$chain <- fit$chain[kept]
  fit["monitor"] <- list(keep_rows(fit$monitor, kept, n))
  fit$sampler <- lapply(fit$sampler, keep_rows, kept, n)
  bound$draw <- bound$draw[kept]
  bound$kept <- bound$kept[kept]
  fit$bound <- bound
  fit$dropped <- (fit$dropped %||% 0L) + dropped
  fit$quantile <- quantile
  fit
}

#' Cut whatever has one row or element per draw, leave the rest
#' @noRd
keep_rows <- function(x, kept, n) {
  if (is.matrix(x) && nrow(x) == n) {
    x[kept, , drop = FALSE]
  } else if (is.atomic(x) && is.null(dim(x)) && length(x) == n) {
    x[kept]
  } else {
    x
  }
}
