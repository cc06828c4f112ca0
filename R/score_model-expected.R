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
      list(
        mean = p * one + (1 - p) * zero, slope = p * (1 - p) * (one - zero)
      )
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
