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

# What clipped scores are expected to be at other coefficients than the public
# ones that they were taken at.

#' @param frame (list) See score_frame(), with `clip`.
#' @param shape (number or `NULL`) Of the family.
#' @return (function of a linear predictor) Gives `mean` and `slope` (of the
#'   mean in the linear predictor), R each.
#' @noRd
expected_scores <- function(family, frame, shape = NULL) {
  clip <- frame$clip
  if (is_location(family)) {
    return(expected_location(family, frame$centre, clip, shape))
  }
  if (family$likelihood == "bernoulli") {
    one <- clamp(score_of(1, frame), -clip, clip)
    zero <- clamp(score_of(0, frame), -clip, clip)
    return(function(eta) {
      p <- stats::plogis(eta)
      list(mean = p * one + (1 - p) * zero, slope = p * (1 - p) * (one - zero))
    })
  }
  reach <- clip * frame$spread
  excess <- switch(family$likelihood,
    beta = proportion_above, function(...) count_above(family, ...)
  )
  function(eta) {
    above <- excess(frame$centre - reach, eta, shape)
    beyond <- excess(frame$centre + reach, eta, shape)
    list(
      mean = (above$mean - beyond$mean) / frame$spread - clip,
      slope = (above$slope - beyond$slope) / frame$spread
    )
  }
}

#' E max(Y - a, 0) of a count, and its slope in the linear predictor
#'
#' y times the mass at y is mu times a mass at y - 1: of the same count if it is
#' Poisson, else of the negative binomial one of size + 1 and the same odds. The
#' slope is mu E[g(Y' + 1) - g(Y')] of that count, with g = max(. - a, 0).
#' @noRd
count_above <- function(family, a, eta, shape) {
  mean <- family_mean(family, eta)
  k <- pmax(ceiling(a), 0)
  poisson <- family$likelihood == "poisson"
  at_least <- function(j, more = 0) {
    if (poisson) {
      return(stats::ppois(j - 1, mean, lower.tail = FALSE))
    }
    stats::pnbinom(j - 1, shape + more,
      mu = mean * (shape + more) / shape, lower.tail = FALSE
    )
  }
  from <- at_least(k - 1, 1)
  after <- at_least(k, 1)
  low <- a < 0
  list(
    mean = ifelse(low, mean - a, mean * from - a * at_least(k)),
    slope = mean * ifelse(low, 1, after + (k - a) * (from - after))
  )
}

#' E max(Z - a, 0) of a proportion, and its slope in the linear predictor
#'
#' z times the density of Beta(p, q) is its mean times that of Beta(p + 1, q).
#' @noRd
proportion_above <- function(a, eta, shape) {
  at <- function(eta) {
    mean <- stats::plogis(eta)
    p <- mean * shape
    q <- stats::plogis(-eta) * shape
    mean * stats::pbeta(a, p + 1, q, lower.tail = FALSE) -
      a * stats::pbeta(a, p, q, lower.tail = FALSE)
  }
  mean <- at(eta)
  list(mean = mean, slope = (at(eta + 1e-4) - mean) / 1e-4)
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
    # Along lines between the grid's values, found once for both
    size <- pmin(abs(d), grid[cells])
    left <- findInterval(size, grid, all.inside = TRUE)
    share <- (size - grid[left]) / (grid[left + 1] - grid[left])
    by <- function(values) {
      values[left] + share * (values[left + 1] - values[left])
    }
    list(mean = sign(d) * by(mean), slope = by(slope))
  }
}
