# What a score release has to know of a family: the score of a record at public
# coefficients, in its standard deviations, and the law of responses at others.
# What that score is expected to be: score_model-expected.R.
#
# The `shape` is the family's parameter besides the coefficients: sigma, size or
# precision; NULL where there is none.

score_families <- c(
  "gaussian", "student_t", "bernoulli", "poisson", "neg_binomial", "beta"
)

is_location <- function(family) {
  family$likelihood %in% c("gaussian", "student_t")
}

#' One unit of the linear predictor, for public limits
#' @noRd
line_unit <- function(family, shape) {
  if (is_location(family)) shape else 1
}

#' Where scores are clipped in the two steps, in standard deviations
#'
#' Two values have a score of one standard deviation where they are equally
#' likely: there a clip at 1 is none.
#' @noRd
default_clip <- function(family) {
  switch(family$likelihood,
    bernoulli = c(1, 1), poisson = , neg_binomial = c(1.5, 1), c(1.5, 0.8)
  )
}

#' Scores at a public linear predictor: (y - centre) / spread
#'
#' For beta_response(), whose derivative has no bound, that of the mean alone:
#' the quasi-score, which needs the variance only.
#' @param shape (number or `NULL`) The public one.
#' @return (list of double) `centre`, `spread`, and `scale`: the score's
#'   standard deviation in the linear predictor. Of location models, whose
#'   sigma is not known, in the response's unit: spread and scale are 1.
#' @noRd
score_frame <- function(family, eta, shape) {
  mean <- family_mean(family, eta)
  if (is_location(family)) {
    one <- rep(1, length(eta))
    return(list(centre = mean, spread = one, scale = one))
  }
  variance <- switch(family$likelihood,
    bernoulli = mean * (1 - mean), poisson = mean,
    neg_binomial = mean * (1 + mean / shape),
    beta = mean * (1 - mean) / (1 + shape)
  )
  slope <- if (has_logit_link(family)) mean * (1 - mean) else mean
  # Where a mean rounds to its end
  spread <- pmax(sqrt(variance), 1e-6)
  list(centre = mean, spread = spread, scale = pmax(slope / spread, 1e-6))
}

score_of <- function(y, frame) {
  (y - frame$centre) / frame$spread
}

#' Where records begin to count as unclipped
#'
#' Overdispersion shows in the zeros: they never count.
#' @noRd
counted_above <- function(family, frame, clip) {
  if (family$likelihood != "neg_binomial") {
    return(-clip)
  }
  pmax(-clip, -0.95 * frame$centre / frame$spread)
}

#' @return (double) Of counts at most 1e13: noisy coefficients may lie anywhere.
#' @noRd
family_mean <- function(family, eta) {
  if (is_location(family)) {
    eta
  } else if (has_logit_link(family)) {
    stats::plogis(eta)
  } else {
    exp(pmin(eta, 30))
  }
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

#' Distribution function of responses
#' @param mean,shape Of the family.
#' @noRd
response_probability <- function(family, q, mean, shape) {
  switch(family$likelihood,
    poisson = stats::ppois(q, mean),
    neg_binomial = stats::pnbinom(q, shape, mu = mean),
    beta = stats::pbeta(q, mean * shape, (1 - mean) * shape),
    error_probability(family, (q - mean) / shape)
  )
}

response_quantile <- function(family, p, mean, shape) {
  switch(family$likelihood,
    bernoulli = as.double(p > 1 - mean),
    poisson = stats::qpois(p, mean),
    neg_binomial = stats::qnbinom(p, shape, mu = mean),
    beta = stats::qbeta(p, mean * shape, (1 - mean) * shape),
    mean + shape * error_quantile(family, p)
  )
}

#' Responses at a linear predictor, with their probabilities
#' @return (list) `value` and `weight`, a row for each of `eta`.
#' @noRd
family_outcomes <- function(family, eta, shape) {
  mean <- family_mean(family, eta)
  if (family$likelihood == "bernoulli") {
    return(list(
      value = cbind(0 * eta, 0 * eta + 1), weight = cbind(1 - mean, mean)
    ))
  }
  p <- (seq_len(200) - 0.5) / 200
  value <- if (is_location(family)) {
    outer(mean, shape * error_quantile(family, p), `+`)
  } else {
    outer(mean, p, function(mean, p) response_quantile(family, p, mean, shape))
  }
  list(value = value, weight = 0 * value + 1 / 200)
}

#' The shape under which a noisy share of records lies within a clip
#'
#' The likeliest, beside a public one that says no more than its order of
#' magnitude: log shape ~ N(log public, 1).
#' @return (list) `value`, and `error`: the standard error of its logarithm.
#' @param share,noise (numbers) The share and its standard error.
#' @param frame (list) See score_frame(), with `clip`; of some typical records.
#' @param eta (double) Their linear predictor.
#' @param public (number) The reference's.
#' @noRd
shape_of_share <- function(family, share, noise, frame, eta, public) {
  within_clip <- inside_clip(family, frame, eta)
  inside <- function(log_shape) mean(within_clip(exp(log_shape)))
  loss <- function(log_shape) {
    ((inside(log_shape) - share) / noise)^2 + (log_shape - log(public))^2
  }
  # Two shapes may have the same share: where the scores' centres are far from
  # the responses', and of counts and proportions anywhere
  grid <- log(public) + seq(-4, 4, 0.5)
  range <- grid[which.min(vapply(grid, loss, 0))] + c(-0.5, 0.5)
  best <- stats::optimize(loss, range, tol = 1e-3)$minimum
  slope <- (inside(best + 0.01) - inside(best - 0.01)) / 0.02
  list(value = exp(best), error = 1 / sqrt((slope / noise)^2 + 1))
}

#' How likely responses are to count as unclipped
#' @param frame (list) See score_frame(), with `clip`; R rows.
#' @param eta (double, R) Their linear predictor.
#' @return (function of a shape) Gives R probabilities.
#' @noRd
inside_clip <- function(family, frame, eta) {
  low <- frame$centre + frame$spread * counted_above(family, frame, frame$clip)
  high <- frame$centre + frame$spread * frame$clip
  # Strictly inside
  if (family$kind == "count") {
    low <- floor(low)
    high <- ceiling(high) - 1
  }
  mean <- family_mean(family, eta)
  function(shape) {
    response_probability(family, high, mean, shape) -
      response_probability(family, low, mean, shape)
  }
}
