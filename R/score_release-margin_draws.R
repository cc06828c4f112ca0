# Draws of a margin without noise, given the noisy one: what
# score_release-counts.R has the mode of.

#' What is known of the margin without noise
#' @return (list) `parts`, see margin_parts(); `fits`, one for each size of
#'   curve and spikes that is not unlikely; `share` of those up to each.
#' @noRd
known_margin <- function(x) {
  parts <- margin_parts(x)
  log_law <- log(parts$of_bins)
  fits <- ratio_fits(x$margin, log_law, parts$place$bins)
  likelihood <- vapply(fits, `[[`, 0, "likelihood")
  share <- exp(likelihood - max(likelihood))
  kept <- share > 0.01
  list(
    parts = parts, share = cumsum(share[kept]) / sum(share[kept]),
    fits = lapply(fits[kept], ratio_posterior, x$margin, log_law)
  )
}

#' A mode's posterior, as ratio_draw() needs it
#' @param fit (list) See ratio_fits().
#' @noRd
ratio_posterior <- function(fit, margin, log_law) {
  root <- margin_root(margin)
  seen <- drop(root %*% margin$noisy)
  n <- sum(margin$noisy)
  counts <- function(d) {
    all <- log_law + fit$ratio + d
    p <- exp(all - max(all))
    n * p / sum(p)
  }
  fit$ratio <- drop(fit$prior %*% fit$pull)
  slope <- root * rep(fit$counts, each = length(log_law)) -
    tcrossprod(drop(root %*% fit$counts), fit$counts) / n
  across <- tcrossprod(fit$prior, slope)
  inner <- slope %*% across
  diag(inner) <- diag(inner) + 1
  miss <- seen - drop(root %*% fit$counts)
  list(
    root = chol(fit$prior), slope = slope, gain = across %*% solve(inner),
    counts = counts, curve = fit$curve,
    # The log density beside that of the normal approximation
    beside = function(d) {
      moved <- drop(slope %*% d)
      far <- seen - drop(root %*% counts(d))
      sum(moved^2) / 2 - sum(far^2) / 2 - sum(miss * moved)
    }
  )
}

#' Counts of the posterior
#'
#' Slices of ellipses (Murray, Adams and MacKay 2010) through draws of the
#' normal approximation: far bins are skew.
#' @noRd
drawn_margin <- function(known, random, rounds = 30) {
  fit <- known$fits[[findInterval(random(1), known$share) + 1]]
  bins <- length(fit$curve)
  near <- function() {
    start <- drop(stats::qnorm(random(bins)) %*% fit$root)
    start - drop(
      fit$gain %*% (fit$slope %*% start + stats::qnorm(random(bins)))
    )
  }
  at <- near()
  now <- fit$beside(at)
  for (round in seq_len(rounds)) {
    other <- near()
    u <- random(40)
    least <- now + log(u[1])
    angle <- 2 * pi * u[2]
    ends <- c(angle - 2 * pi, angle)
    for (k in 3:40) {
      new <- at * cos(angle) + other * sin(angle)
      found <- fit$beside(new)
      if (found > least) {
        at <- new
        now <- found
        break
      }
      ends[(angle > 0) + 1] <- angle
      angle <- ends[1] + u[k] * (ends[2] - ends[1])
    }
  }
  counts_in_parts(known$parts, fit$counts(at), fit$curve)
}
