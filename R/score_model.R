# What a score release has to know of a family: the score of a record in its
# linear predictor, divided by its standard deviation at public coefficients,
# and what a clipped score is expected to be at other coefficients.

score_families <- c("gaussian", "student_t", "bernoulli", "poisson")

is_location <- function(family) {
  family$likelihood %in% c("gaussian", "student_t")
}

#' Where scores are clipped in the two steps, in standard deviations
#'
#' Two values have a score of one standard deviation where they are equally
#' likely: there a clip at 1 is none.
#' @noRd
default_clip <- function(family) {
  switch(family$likelihood,
    bernoulli = c(1, 1), poisson = c(1.5, 1), c(1.5, 0.8)
  )
}

#' Scores of records at a linear predictor
#' @param y,eta (double) On the modelled scale.
#' @noRd
scores_at <- function(family, y, eta) {
  if (is_location(family)) {
    return(y - eta)
  }
  (y - family_mean(family, eta)) / score_scale(family, eta)
}

#' @return (double) Of counts at most 1e13: noisy coefficients may lie anywhere.
#' @noRd
family_mean <- function(family, eta) {
  if (family$likelihood == "bernoulli") {
    stats::plogis(eta)
  } else {
    exp(pmin(eta, 30))
  }
}

#' The score's standard deviation at a linear predictor; 1 for location models,
#' whose scale is not known
#' @noRd
score_scale <- function(family, eta) {
  mean <- family_mean(family, eta)
  switch(family$likelihood,
    bernoulli = pmax(sqrt(mean * (1 - mean)), 1e-6),
    poisson = pmax(sqrt(mean), 1e-6),
    rep(1, length(eta))
  )
}

#' Distribution function and quantiles of a location model's errors
#' @noRd
error_probability <- function(family, x) {
  if (family$likelihood == "student_t") {
    stats::pt(x, family$df)
  } else {
    stats::pnorm(x)
  }
}

error_quantile <- function(family, p) {
  if (family$likelihood == "student_t") {
    stats::qt(p, family$df)
  } else {
    stats::qnorm(p)
  }
}

#' Clipped scores as coefficients make them
#'
#' @param at (double, R) The public linear predictor at which the scores were
#'   taken.
#' @param clip (number)
#' @param sigma (number or `NULL`) Of a location model's errors.
#' @return (function of a linear predictor) Gives `mean` and `slope` (of the
#'   mean in the linear predictor), R each.
#' @noRd
expected_scores <- function(family, at, clip, sigma = NULL) {
  if (is_location(family)) {
    return(expected_location(family, at, clip, sigma))
  }
  scale <- score_scale(family, at)
  centre <- family_mean(family, at)
  if (family$likelihood == "bernoulli") {
    one <- clamp((1 - centre) / scale, -clip, clip)
    zero <- clamp(-centre / scale, -clip, clip)
    return(function(eta) {
      p <- stats::plogis(eta)
      list(
        mean = p * one + (1 - p) * zero, slope = p * (1 - p) * (one - zero)
      )
    })
  }
  low <- centre - clip * scale
  high <- centre + clip * scale
  function(eta) {
    mean <- family_mean(family, eta)
    above <- poisson_above(low, mean)
    beyond <- poisson_above(high, mean)
    list(
      mean = (above$excess - beyond$excess) / scale - clip,
      slope = mean * (above$slope - beyond$slope) / scale
    )
  }
}

#' E max(Y - a, 0) of a Poisson count, and its derivative in the mean
#' @noRd
poisson_above <- function(a, mean) {
  k <- pmax(ceiling(a), 0)
  at_least <- function(j) stats::ppois(j - 1, mean, lower.tail = FALSE)
  list(
    excess = ifelse(a < 0, mean - a, mean * at_least(k - 1) - a * at_least(k)),
    slope = ifelse(
      a < 0, 1, at_least(k) + (k - a) * stats::dpois(k - 1, mean)
    )
  )
}

#' With errors e: E clip(e + d) is odd in d with slope P(|e + d| < c)
#' @noRd
expected_location <- function(family, at, clip, sigma) {
  # Finer near 0, and flat where all is clipped
  cells <- 200
  grid <- sinh(seq(0, asinh(60 * (1 + clip / sigma)), length.out = cells)) *
    sigma
  slope <- error_probability(family, (clip - grid) / sigma) -
    error_probability(family, (-clip - grid) / sigma)
  mean <- c(0, cumsum(diff(grid) * (slope[-1] + slope[-cells]) / 2))
  function(eta) {
    d <- eta - at
    by <- function(values) stats::approx(grid, values, abs(d), rule = 2)$y
    list(mean = sign(d) * by(mean), slope = by(slope))
  }
}

#' Responses at a linear predictor, with their probabilities
#' @return (list) `value` and `weight`, a row for each of `eta`.
#' @noRd
family_outcomes <- function(family, eta, sigma) {
  if (family$likelihood == "bernoulli") {
    p <- stats::plogis(eta)
    return(list(
      value = cbind(0 * eta, 0 * eta + 1), weight = cbind(1 - p, p)
    ))
  }
  levels <- (seq_len(200) - 0.5) / 200
  value <- if (is_location(family)) {
    outer(eta, sigma * error_quantile(family, levels), `+`)
  } else {
    outer(family_mean(family, eta), levels, function(mean, p) {
      stats::qpois(p, mean)
    })
  }
  list(value = value, weight = 0 * value + 1 / 200)
}

#' The scale of errors of which a noisy share lies within a clip
#'
#' The likeliest, beside a public one that says no more than its order of
#' magnitude: log sigma ~ N(log public, 1).
#' @param share,noise (numbers) The share and its standard error.
#' @param d (double) How far the scores' centres are from the truth.
#' @param public (number) The reference's.
#' @noRd
scale_of_share <- function(family, share, noise, clip, d, public) {
  loss <- function(log_sigma) {
    sigma <- exp(log_sigma)
    inside <- error_probability(family, (clip - d) / sigma) -
      error_probability(family, (-clip - d) / sigma)
    ((mean(inside) - share) / noise)^2 + (log_sigma - log(public))^2
  }
  exp(stats::optimize(loss, log(public) + c(-4, 4), tol = 1e-5)$minimum)
}
