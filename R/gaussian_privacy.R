# What Gaussian noise guarantees: mu = sensitivity / standard deviation, squares
# of mu add up over steps, also where a step is chosen after seeing the earlier
# ones (Dong, Roth and Su 2022, Gaussian differential privacy, Corollary 3.3).
# One record is then as hard to tell as N(0, 1) from N(mu, 1).

#' The delta that goes with an epsilon
#'
#' Phi(-epsilon / mu + mu / 2) - exp(epsilon) Phi(-epsilon / mu - mu / 2):
#' Balle and Wang (2018), Improving the Gaussian mechanism for differential
#' privacy, Theorem 8. Exact: no smaller delta holds.
#' @noRd
gaussian_delta <- function(epsilon, mu) {
  above <- stats::pnorm(-epsilon / mu + mu / 2, log.p = TRUE)
  below <- epsilon + stats::pnorm(-epsilon / mu - mu / 2, log.p = TRUE)
  ifelse(mu == 0, 0, exp(above) * -expm1(pmin(below - above, 0)))
}

#' How far discrete Gaussian noise is from rounded Gaussian noise
#'
#' In total variation, one coordinate of a whole standard deviation sigma >= 16.
#' With phi the density of N(0, sigma^2) and x whole, the rounded one has mass
#' phi(x) + phi''(.) / 24 at x, and a sum of |phi''| over whole numbers is at
#' most its integral plus that of |phi'''|: 0.968 / sigma^2 + 1.511 / sigma^3.
#' Half of that over 24 is below 1 / (40 sigma^2); what the masses phi(x) miss
#' of 1, 2 exp(-2 pi^2 sigma^2) and less, is in the slack. Whole sums with
#' rounded noise are rounded sums with noise: mu holds for them exactly.
#' @return (number) `NA` for a smaller sigma: nothing is claimed.
#' @noRd
gaussian_gap <- function(sigma, coordinates) {
  ifelse(sigma >= 16, coordinates / (40 * sigma^2), NA_real_)
}

#' What is left of delta where the noise is within `gap` of a Gaussian's
#' @noRd
delta_beside_gap <- function(delta, epsilon, gap) {
  delta - (1 + exp(epsilon)) * gap
}

#' Epsilon at a delta of mu, rounded up
#' @noRd
gaussian_epsilon <- function(mu, delta, gap = 0) {
  fits <- function(epsilon) {
    gaussian_delta(epsilon, mu) <= delta_beside_gap(delta, epsilon, gap)
  }
  if (fits(0)) {
    return(0)
  }
  if (!is.finite(mu) || delta <= 0) {
    return(Inf)
  }
  # Above this epsilon the tail alone is below delta
  high <- mu^2 / 2 + mu * sqrt(-2 * log(delta)) + 1e-3
  if (!fits(high)) {
    return(Inf)
  }
  smallest_that(fits, 0, high)
}

#' The largest mu that keeps (epsilon, delta)
#' @return (number) 0 where the gap alone takes delta.
#' @noRd
gaussian_mu <- function(epsilon, delta, gap = 0) {
  left <- delta_beside_gap(delta, epsilon, gap)
  if (left <= 0) {
    return(0)
  }
  broken <- function(mu) gaussian_delta(epsilon, mu) > left
  high <- 1
  while (!broken(high)) high <- 2 * high
  # One step below the first that breaks it
  smallest_that(broken, 0, high) * (1 - 1e-12)
}

#' Bisection for the end of a condition that holds from some number on
#' @noRd
smallest_that <- function(holds, low, high) {
  for (i in 1:200) {
    middle <- (low + high) / 2
    if (middle <= low || middle >= high) break
    if (holds(middle)) high <- middle else low <- middle
  }
  high
}
