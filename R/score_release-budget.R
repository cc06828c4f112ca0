# What a score release may spend, and what is told of it.

#' What the parts may spend
#'
#' @param coordinates (three counts) Noisy numbers of each part, at most.
#' @return (list of list) `margin`, `first`, `second`, each `noise`, `relation`,
#'   `amount` (mu or epsilon) and `call`.
#' @noRd
score_budget <- function(settings, epsilon, neighbours, coordinates) {
  share <- settings$shares
  if (is.null(settings$bounds)) share[1] <- 0
  share <- share / sum(share)
  laplace <- settings$delta == 0
  amount <- if (laplace) {
    epsilon * share
  } else {
    score_mu(epsilon, settings$delta, sum(share * coordinates)) * sqrt(share)
  }
  relation <- relation_of(neighbours)
  parts <- lapply(amount, function(one) {
    list(
      noise = if (laplace) "laplace" else "gaussian", relation = relation,
      amount = one
    )
  })
  stats::setNames(parts, c("margin", "first", "second"))
}

#' The mu that an epsilon allows
#'
#' The label states the smaller epsilon of two conversions, so that mu is the
#' larger of theirs. A hundredth of delta is more than the gaps to Gaussian
#' noise take, but where delta is tiny, or epsilon large.
#' @param coordinates (number) Noisy numbers of a part, a mean by shares of mu
#'   squared.
#' @noRd
score_mu <- function(epsilon, delta, coordinates) {
  mu <- gaussian_mu(epsilon, 0.99 * delta)
  # No part has a smaller sensitivity, rounding included
  least <- 0.98 * score_length * score_steps
  beside <- gaussian_mu(epsilon, delta, gaussian_gap(least / mu, coordinates))
  if (beside >= mu) mu else max(beside, zcdp_mu(epsilon, delta))
}

warn_delta <- function(delta, n) {
  if (delta > 1 / n) {
    warn_of(
      "delta",
      "{.arg delta} should lie far below 1/N.",
      x = "It is {format(delta)}, N is {n}.",
      i = "Publishing one record at random has a delta of 1/N."
    )
  }
}

#' Say where the noise drowns the file
#'
#' From public numbers: where the standard error of a typical record's linear
#' predictor is above half of the reference's sigma, or that of the cumulative
#' shares above 0.03 (the largest error is twice that), a reference that is not
#' far off does as well (`ce_income`: at epsilon 0.05).
#' @param error (number) Standard error of a typical record's linear predictor.
#' @param unit (number) See line_unit().
#' @param margin (list or `NULL`) See score_margin().
#' @noRd
warn_budget <- function(error, unit, margin, n) {
  shares <- if (is.null(margin)) 0 else margin_error(margin, n)
  drowned <- c(error > unit / 2, shares > 0.03)
  if (any(drowned)) {
    warn_of(
      "budget",
      "The noise drowns the file: the reference alone may serve as well.",
      x = if (drowned[1]) {
        "The standard error of a typical record's linear predictor is
         {format_figure(error, 2)}, above {format_figure(unit / 2, 2)}."
      },
      x = if (drowned[2]) {
        "The standard error of the margin's cumulative shares is
         {format_figure(shares, 2)}, above 0.03."
      },
      i = "Spend more {.arg epsilon}, leave predictors out, or take a
           {.arg reference} nearer to the file."
    )
  }
}

#' Are nearly all scores of the last step clipped?
#'
#' Then its sums say that the coefficients lie beyond some point, and not where:
#' no interval around a mode is right. At a reference that fits half of the
#' records and more are unclipped.
#' @param x (list) With `steps` and `family`.
#' @noRd
is_saturated <- function(x) {
  last <- x$steps[[length(x$steps)]]
  !x$family$kind %in% c("binary", "categorical") &&
    last$share + 2 * last$share_noise < 0.15
}

#' Warn of it: the share is released
#' @noRd
warn_saturated <- function(x) {
  if (is_saturated(x)) {
    warn_of(
      "reference",
      "The {.arg reference} is too far from the file.",
      x = "Nearly all scores of the last step are clipped: coefficients are only
           known to lie beyond some value, and their intervals do not hold.",
      i = "State an intercept and a scale nearer to the file, from public
           sources. This release is paid all the same."
    )
  }
}

#' Warn where counts vary more than Poisson ones
#'
#' Then fewer records are unclipped than the family says at the coefficients
#' that were found, which are off: the family turns its clipped sums into them.
#' What is released is compared with what is published.
#' @param step (list) The last, see step_of_file().
#' @param eta (double, R) The linear predictor at the coefficients found.
#' @param count (R) Records of each row.
#' @noRd
warn_wide_counts <- function(family, step, eta, count) {
  if (family$likelihood != "poisson") {
    return(invisible())
  }
  share <- step$share
  expected <- stats::weighted.mean(inside_clip(family, step, eta)(NULL), count)
  noise <- sqrt(step$share_noise^2 + 0.25 / sum(count))
  if (expected - share > max(0.05, 4 * noise)) {
    warn_of(
      "family",
      "The counts vary more than those of {.fn poisson}.",
      x = "{format_share(max(share, 0))} of the scores of the last step are
           unclipped, where the family has {format_share(expected)}:
           coefficients are pulled down, their intervals do not hold, and
           what the margin says beyond the family is mostly noise.",
      i = "Take {.fn neg_binomial}. This release is paid all the same."
    )
  }
}

#' The variance of a typical record's linear predictor
#' @noRd
typical_variance <- function(covariance, file) {
  sum(covariance * design_gram_(file$products, file$count)) / sum(file$count)
}
