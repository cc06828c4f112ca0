# Posterior of the weighted normal regression under a normal prior: b is
# conjugate given sigma, sigma ~ half-t(3, 0, 1) is integrated on a grid.
gaussian_quadrature <- function(spec) {
  x <- dense_matrix(spec)
  gram <- crossprod(x * sqrt(spec$alpha))
  moment <- crossprod(x, spec$alpha * spec$y)
  location <- spec$prior$location
  own <- diag(1 / spec$prior$scale^2, length(location))
  u <- seq(-5, 6, by = 0.005)
  at <- lapply(u, function(u) {
    precision <- gram * exp(-2 * u) + own
    pull <- moment * exp(-2 * u) + own %*% location
    centre <- solve(precision, pull)
    log_weight <- -sum(spec$alpha) * u -
      0.5 * sum(spec$alpha * spec$y^2) * exp(-2 * u) +
      0.5 * sum(pull * centre) -
      0.5 * as.numeric(determinant(precision)$modulus) +
      stats::dt(exp(u), 3, log = TRUE) + u
    c(log_weight, centre, diag(solve(precision)) + centre^2)
  })
  at <- do.call(rbind, at)
  w <- exp(at[, 1] - max(at[, 1]))
  w <- w / sum(w)
  P <- length(location)
  list(
    mean_b = colSums(w * at[, 1 + seq_len(P), drop = FALSE]),
    square_b = colSums(w * at[, 1 + P + seq_len(P), drop = FALSE]),
    mean_log_sigma = sum(w * u), square_log_sigma = sum(w * u^2)
  )
}
