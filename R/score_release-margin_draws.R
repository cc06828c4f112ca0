# Draws of a margin without noise, given the noisy one: modal_counts.R has their
# mode.

#' What is known of the margin without noise
#' @return (list) `parts`, see parts_of_bins(); `fits`, see ratio_fits(), of the
#'   sizes that are not unlikely; `share` of those up to each; `n`.
#' @noRd
known_margin <- function(x) {
  parts <- margin_parts(x)
  fits <- ratio_fits(x$margin$noisy, margin_precision(x$margin), parts)
  likelihood <- vapply(fits, `[[`, 0, "likelihood")
  share <- exp(likelihood - max(likelihood))
  kept <- share > 0.01
  list(
    parts = parts, fits = fits[kept],
    share = cumsum(share[kept]) / sum(share[kept]), n = sum(x$margin$noisy)
  )
}

#' Counts of the posterior
#'
#' Slices of ellipses (Murray, Adams and MacKay 2010) through draws of the
#' normal approximation at the mode: far bins are skew.
#' @param random (function of a count) Gives uniform numbers.
#' @return (list) See modal_counts().
#' @noRd
drawn_margin <- function(known, random, rounds = 30) {
  fit <- known$fits[[sum(known$share <= random(1)) + 1]]
  near <- function() {
    backsolve(fit$factor, stats::qnorm(random(ncol(fit$factor))))
  }
  # The log density beside that of the normal approximation
  beside <- function(d) {
    sum((fit$factor %*% d)^2) / 2 - fit$at(fit$ratio + d)$loss
  }
  d <- near()
  now <- beside(d)
  for (round in seq_len(rounds)) {
    other <- near()
    u <- random(40)
    least <- now + log(u[1])
    angle <- 2 * pi * u[2]
    ends <- c(angle - 2 * pi, angle)
    for (k in 3:40) {
      new <- d * cos(angle) + other * sin(angle)
      found <- beside(new)
      if (found > least) {
        d <- new
        now <- found
        break
      }
      ends[(angle > 0) + 1] <- angle
      angle <- ends[1] + u[k] * (ends[2] - ends[1])
    }
  }
  counts <- known$n * fit$at(fit$ratio + d)$p
  counts_in_parts(known$parts, counts, fit$curve)
}
