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
  margin <- x$margin
  count <- x$family$kind == "count"
  parts <- bin_parts(margin$breaks, count)
  law <- law_shares(x, parts$breaks)
  of_bins <- sums_by(law, parts$bin)
  place <- scaled_places(margin$breaks, parts$breaks, law, count)
  found <- fitted_ratio(margin, log(of_bins), place$bins)
  # Between the middles of bins the curve is a line, and beyond them, too
  curve <- line_through(place$bins, found$curve, place$parts)
  share <- law * exp(curve - found$curve[parts$bin])
  share <- share / sums_by(share, parts$bin)[parts$bin]
  list(counts = found$counts[parts$bin] * share, breaks = parts$breaks)
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

#' What bins hold before the noisy counts are looked at
#'
#' The family's law at the released coefficients, for the file's predictors, but
#' with normal errors in place of Student's: a margin has bounds, and tails
#' that only a family states would be most of a mean. A ten-thousandth is spread
#' evenly: a law says little about where it is next to nothing.
#' @return (double) Shares, above 0.
#' @noRd
law_shares <- function(x, breaks) {
  mean <- family_mean(x$family, drop(x$population$rows %*% x$draws$mean))
  below <- if (is_location(x$family)) {
    # The tenth and ninetieth hundredths are those of the family
    sigma <- x$shape * error_quantile(x$family, 0.9) / stats::qnorm(0.9)
    function(q, mean) stats::pnorm((q - mean) / sigma)
  } else {
    function(q, mean) response_probability(x$family, q, mean, x$shape)
  }
  # A record outside the bounds is counted at their ends
  inner <- breaks[-c(1, length(breaks))]
  law <- pmax(diff(c(0, rowMeans(outer(inner, mean, below)), 1)), 0)
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

#' The mode of the log ratio, at the likeliest sizes of curve and spikes
#' @param log_law (double, K) Log shares of the bins under the law.
#' @return (list) `counts` (sum N) and `curve` (its part of the log ratio).
#' @noRd
fitted_ratio <- function(margin, log_law, place) {
  root <- margin_strategy(
    length(place), if (is.null(margin$rho)) "laplace" else "gaussian"
  ) / margin$deviation
  seen <- drop(root %*% margin$noisy)
  line <- tcrossprod(place)
  bend <- curve_covariance(place)
  best <- list(likelihood = -Inf)
  pull <- 0 * log_law
  for (bends in c(0.1, 0.4, 1.5, 6)^2) {
    curve <- line + bends * bend
    for (spike in c(0.01, 0.1, 0.3, 1)^2) {
      one <- ratio_mode(
        root, seen, log_law, curve + diag(spike, length(place)),
        sum(margin$noisy), pull
      )
      pull <- one$pull
      if (one$likelihood > best$likelihood) {
        best <- one
        best$curve <- drop(curve %*% one$pull)
        best$size <- sqrt(c(bends, spike))
      }
    }
  }
  best
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
