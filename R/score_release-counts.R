# What sets are drawn from: a release's noisy margin without what is only noise.

#' The counts that a release's sets are drawn from
#'
#' Noise moves as many records into far, empty bins as into full ones, and an
#' empty bin can only gain. Drawn as they are, noisy counts put values far out:
#' the ECDF is off by a per cent, but means, standard deviations and upper
#' quantiles are much too large. So the family's law at the released
#' coefficients says what a bin holds where noise is larger than counts, and the
#' noisy counts say it elsewhere. The log ratio of the counts to the law's is a
#' priori normal: a smooth curve over the modelled scale, which goes on as a
#' line where nothing is known, and a spike of each bin's own. How large both
#' are is what makes the noisy counts likeliest under their known noise. The
#' counts are the mode.
#'
#' Post-processing: it looks at what is published or released, and at nothing
#' else.
#' @param x (`score_release`)
#' @return (list) `counts`, which sum to N, and `breaks` (modelled scale): each
#'   bin in parts, which follow the law times the curve.
#' @noRd
margin_counts <- function(x) {
  parts <- margin_parts(x)
  fits <- ratio_fits(x$margin, log(parts$of_bins), parts$place$bins)
  best <- fits[[which.max(vapply(fits, `[[`, 0, "likelihood"))]]
  counts_in_parts(parts, best$counts, best$curve)
}

#' What a margin's bins are made of
#' @return (list) `breaks` of the parts, the `bin` of each and its `law`,
#'   `of_bins` (the law's shares), `place` (see scaled_places()).
#' @noRd
margin_parts <- function(x) {
  count <- x$family$kind == "count"
  parts <- bin_parts(x$margin$breaks, count)
  law <- law_shares(x, parts$breaks)
  c(parts, list(
    law = law, of_bins = sums_by(law, parts$bin),
    place = scaled_places(x$margin$breaks, parts$breaks, law, count)
  ))
}

#' @param counts,curve (double, K) Of the bins.
#' @noRd
counts_in_parts <- function(parts, counts, curve) {
  # Between the middles of bins the curve is a line, and beyond them, too
  line <- line_through(parts$place$bins, curve, parts$place$parts)
  share <- parts$law * exp(line - curve[parts$bin])
  share <- share / sums_by(share, parts$bin)[parts$bin]
  list(counts = counts[parts$bin] * share, breaks = parts$breaks)
}

sums_by <- function(x, bin) {
  as.vector(rowsum(x, bin, reorder = FALSE))
}

#' Each bin in parts; those of counts end between whole numbers
#' @return (list) `breaks`, and `bin` of each part.
#' @noRd
bin_parts <- function(breaks, count, size = 8) {
  bins <- length(breaks) - 1
  inner <- outer(
    seq_len(size - 1) / size, seq_len(bins),
    function(share, bin) breaks[bin] + share * (breaks[bin + 1] - breaks[bin])
  )
  if (count) inner <- floor(inner) + 0.5
  all <- sort(unique(c(breaks, inner)))
  list(
    breaks = all,
    bin = findInterval(all[-1], breaks, left.open = TRUE, all.inside = TRUE)
  )
}

#' The family's law at the released coefficients, for the file's predictors
#'
#' A ten-thousandth is spread evenly: a law says next to nothing about where it
#' is next to nothing.
#' @return (double) Shares, above 0.
#' @noRd
law_shares <- function(x, breaks) {
  mean <- family_mean(x$family, drop(x$population$rows %*% x$draws$mean))
  # A record outside the bounds is counted at their ends
  inner <- breaks[-c(1, length(breaks))]
  below <- rowMeans(outer(inner, mean, function(q, mean) {
    response_probability(x$family, q, mean, x$shape)
  }))
  law <- pmax(diff(c(0, below, 1)), 0)
  0.9999 * law / sum(law) + 1e-4 * diff(breaks) / sum(diff(breaks))
}

#' Middles of bins and parts, in standard deviations of the law from its mean
#'
#' Along log(1 + y) for counts, as their bins.
#' @noRd
scaled_places <- function(breaks, part_breaks, law, count) {
  middle <- function(breaks) {
    at <- (breaks[-1] + breaks[-length(breaks)]) / 2
    if (count) log1p(at) else at
  }
  parts <- middle(part_breaks)
  centre <- sum(law * parts)
  spread <- sqrt(sum(law * (parts - centre)^2))
  list(
    bins = (middle(breaks) - centre) / spread,
    parts = (parts - centre) / spread
  )
}

line_through <- function(x, y, at) {
  n <- length(x)
  k <- findInterval(at, x, all.inside = TRUE)
  y[k] + (at - x[k]) * (y[k + 1] - y[k]) / (x[k + 1] - x[k])
}

#' Covariance of a curve that starts flat at 0: an integrated random walk to
#' either side
#' @noRd
curve_covariance <- function(place) {
  near <- outer(abs(place), abs(place), pmin)
  far <- outer(abs(place), abs(place), pmax)
  near^2 * (3 * far - near) / 6 * (outer(sign(place), sign(place)) > 0)
}

#' The modes of the log ratio, one for each size of curve and spikes
#' @param log_law (double, K) Log shares of the bins under the law.
#' @return (list of lists) See ratio_mode(), with `curve` (its part of the log
#'   ratio) and `prior` (covariance).
#' @noRd
ratio_fits <- function(margin, log_law, place) {
  root <- margin_root(margin)
  seen <- drop(root %*% margin$noisy)
  line <- tcrossprod(place)
  bend <- curve_covariance(place)
  pull <- 0 * log_law
  fits <- list()
  for (bends in c(0.1, 0.4, 1.5, 6)^2) {
    curve <- line + bends * bend
    for (spike in c(0.01, 0.1, 0.3, 1)^2) {
      prior <- curve + diag(spike, length(place))
      one <- ratio_mode(root, seen, log_law, prior, sum(margin$noisy), pull)
      pull <- one$pull
      one$curve <- drop(curve %*% pull)
      one$prior <- prior
      fits[[length(fits) + 1]] <- one
    }
  }
  fits
}

#' What is seen, in the noise's deviations, of the counts
#' @noRd
margin_root <- function(margin) {
  margin_strategy(
    length(margin$noisy), if (is.null(margin$rho)) "laplace" else "gaussian"
  ) / margin$deviation
}

#' The mode of the log ratio under a normal prior
#'
#' Gauss and Newton's steps, halved until they gain. The ratio is the prior's
#' covariance times a `pull`, so that the covariance is not inverted.
#' @param root (matrix, K x K) What is seen, in the noise's deviations, of the
#'   counts.
#' @param pull (double, K) Where to start.
#' @return (list) `counts`, `pull`, and `likelihood` (logarithm, by Laplace's
#'   approximation).
#' @noRd
ratio_mode <- function(root, seen, log_law, prior, n, pull, rounds = 30) {
  bins <- length(log_law)
  at <- function(pull) {
    ratio <- drop(prior %*% pull)
    p <- exp(log_law + ratio - max(log_law + ratio))
    p <- p / sum(p)
    miss <- seen - n * drop(root %*% p)
    list(
      pull = pull, ratio = ratio, p = p, miss = miss,
      loss = (sum(miss^2) + sum(pull * ratio)) / 2
    )
  }
  now <- at(pull)
  for (round in seq_len(rounds)) {
    slope <- n * (root * rep(now$p, each = bins) -
      tcrossprod(drop(root %*% now$p), now$p))
    inner <- slope %*% tcrossprod(prior, slope)
    diag(inner) <- diag(inner) + 1
    factor <- chol(inner)
    right <- now$miss + drop(slope %*% now$ratio)
    goal <- drop(crossprod(slope, backsolve(
      factor, backsolve(factor, right, transpose = TRUE)
    )))
    size <- 1
    repeat {
      new <- at(now$pull + size * (goal - now$pull))
      if (is.finite(new$loss) && new$loss <= now$loss || size < 1e-3) break
      size <- size / 3
    }
    gain <- now$loss - new$loss
    if (isTRUE(gain > 0)) now <- new
    if (!isTRUE(gain > 0.01)) break
  }
  list(
    counts = n * now$p, pull = now$pull,
    likelihood = -now$loss - sum(log(diag(factor))), rounds = round
  )
}
