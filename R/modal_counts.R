# Counts without what is only noise: the mode of noisy counts under a law.

# Noise moves as many records into far, empty bins as into full ones, and an
# empty bin can only gain. Drawn as they are, noisy counts put values far out:
# the ECDF is off by a per cent, but means, standard deviations and upper
# quantiles are much too large. So a law says what a bin holds where noise is
# larger than counts, and the noisy counts say it elsewhere. The log ratio of
# the counts to the law's is a priori normal: what another place and spread of
# the law make of it, a smooth curve over the scale, which goes on as a line
# where nothing is known, and a spike of each bin's own. How large curve and
# spikes are is what makes the noisy counts likeliest under their known noise.
# The counts are the mode.
#
# Post-processing: it looks at the noisy counts, their noise and the law alone.

#' Bins in parts, and what a law says of them
#'
#' @param breaks (double, K + 1) Of the bins.
#' @param law_of (function of breaks) Gives shares between them, above 0.
#' @param count (flag) Do bins lie between whole numbers, along log(1 + y)?
#' @return (list) `breaks` of the parts, the `bin` of each and its `law`,
#'   `of_bins` (the law's shares), `place` (see scaled_places()).
#' @noRd
parts_of_bins <- function(breaks, law_of, count = FALSE) {
  parts <- bin_parts(breaks, count)
  law <- law_of(parts$breaks)
  c(parts, list(
    law = law, of_bins = sums_by(law, parts$bin),
    place = scaled_places(breaks, parts$breaks, law, count)
  ))
}

#' The counts at the mode
#'
#' @param parts See parts_of_bins().
#' @param noisy (double, K) Their sum is what the counts sum to.
#' @param known (matrix, K x K) Inverse covariance of the noise in them.
#' @return (list) `counts` and `breaks`: each bin in parts, which follow the law
#'   times the curve.
#' @noRd
modal_counts <- function(parts, noisy, known) {
  fit <- likeliest(ratio_fits(noisy, known, parts))
  counts_in_parts(parts, fit$counts, fit$curve)
}

#' @param counts,curve (double, K) Of the bins, see ratio_fit().
#' @noRd
counts_in_parts <- function(parts, counts, curve) {
  list(
    counts = counts[parts$bin] * shares_in_bins(parts, curve),
    breaks = parts$breaks
  )
}

#' The share that each part has of its bin
#' @noRd
shares_in_bins <- function(parts, curve) {
  # Between the middles of bins the curve is a line, and beyond them, too
  x <- parts$place$bins
  at <- parts$place$parts
  k <- findInterval(at, x, all.inside = TRUE)
  line <- curve[k] + (at - x[k]) * diff(curve)[k] / diff(x)[k]
  share <- parts$law * exp(line - curve[parts$bin])
  share / sums_by(share, parts$bin)[parts$bin]
}

sums_by <- function(x, bin) as.vector(rowsum(x, bin, reorder = FALSE))

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

#' A law of which a ten-thousandth is spread evenly
#'
#' It says little about where it is next to nothing.
#' @param law (double) Shares between breaks.
#' @noRd
with_even_part <- function(law, breaks) {
  law <- pmax(law, 1e-300)
  0.9999 * law / sum(law) + even_shares(breaks)
}

#' The ten-thousandth of a law that is spread evenly
#' @noRd
even_shares <- function(breaks) 1e-4 * diff(breaks) / sum(diff(breaks))

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
    bins = (middle(breaks) - centre) / spread, parts = (parts - centre) / spread
  )
}

#' Covariance of a curve that starts flat at 0: an integrated random walk to
#' either side
#' @noRd
curve_covariance <- function(place) {
  near <- outer(abs(place), abs(place), pmin)
  far <- outer(abs(place), abs(place), pmax)
  near^2 * (3 * far - near) / 6 * (outer(sign(place), sign(place)) > 0)
}

# How far off a law's spread may be, in proportion: a standard deviation. What
# it is made of was released with noise, or follows from a family
spread_error <- 0.2

#' The covariance of what another place and spread make of a law
#'
#' Of another place the log ratio is a line, of another spread a parabola. A
#' curve that starts flat bends like one only where counts say so: beyond, a
#' tail would stay as heavy as the law has it. The part of a law that is spread
#' evenly stays as it is.
#' @param parts See parts_of_bins().
#' @noRd
moved_covariance <- function(parts) {
  place <- parts$place$bins
  even <- sums_by(even_shares(parts$breaks), parts$bin) / parts$of_bins
  wider <- place^2 * pmax(0, 1 - even)
  (parts$place_error %||% 1)^2 * tcrossprod(place) +
    spread_error^2 * tcrossprod(wider)
}

# Beyond so many standard deviations of a law its tail may bend by itself: by a
# random walk of this size
open_tail <- c(from = 1.5, size = 2)

#' As moved_covariance(), of a law whose tails may be as heavy as counts allow
#'
#' Where most records are tells the place and the spread of a law, but nothing
#' of its tails. Sets are drawn from the law's; an error must count others.
#' @param parts See parts_of_bins().
#' @noRd
open_tails <- function(parts) {
  place <- parts$place$bins
  beyond <- sign(place) * pmax(abs(place) - open_tail[["from"]], 0)
  moved_covariance(parts) + open_tail[["size"]]^2 * curve_covariance(beyond)
}

# The smallest size of a curve that is tried
least_curve <- 0.1

#' The modes of the log ratio, one for each size of curve and spikes
#' @inheritParams modal_counts
#' @param moves (function of `parts`) Gives the covariance of what moves a law.
#' @return (list of lists) See ratio_fit().
#' @noRd
ratio_fits <- function(noisy, known, parts, moves = moved_covariance) {
  priors <- ratio_priors(parts, moves)
  fits <- list()
  try <- function(size) {
    fits[[length(fits) + 1]] <<- ratio_fit(
      noisy, known, parts, priors(size), likeliest(fits)$ratio
    )
  }
  # How good one is depends little on the other
  for (curve in c(least_curve, 0.4, 1.5, 6)) try(c(curve, 0.1))
  best <- likeliest(fits)$size[1]
  for (spike in c(0.01, 0.3, 1)) try(c(best, spike))
  fits
}

#' The mode of the log ratio, for one size of curve and spikes
#' @inheritParams modal_counts
#' @param prior (list) One of ratio_priors().
#' @param ratio (double, K, or `NULL`) Where to start; default: at the law.
#' @return (list) See ratio_mode(), with `curve` (its part of the log ratio) and
#'   `size` (of both).
#' @noRd
ratio_fit <- function(noisy, known, parts, prior, ratio = NULL) {
  log_law <- log(parts$of_bins)
  fit <- ratio_mode(noisy, known, log_law, prior, ratio %||% (0 * log_law))
  fit$curve <- drop(prior$curve %*% fit$pull)
  fit$size <- prior$size
  # A margin is much like the one before it, unless counts say otherwise
  if (!is.null(parts$place_error)) {
    fit$likelihood <- fit$likelihood - log(prior$size[1] / least_curve)
  }
  fit
}

#' What the log ratio is like before noisy counts are looked at
#' @inheritParams ratio_fits
#' @return (function of sizes, of the curve and of spikes) Gives a list: `size`,
#'   `curve` (covariance of the curve), `root` (Cholesky's, of the whole
#'   covariance) and `precision` (its inverse).
#' @noRd
ratio_priors <- function(parts, moves = moved_covariance) {
  moved <- moves(parts)
  bend <- curve_covariance(parts$place$bins)
  function(size) {
    curve <- moved + size[1]^2 * bend
    root <- chol(curve + diag(size[2]^2, nrow(curve)))
    list(size = size, curve = curve, root = root, precision = chol2inv(root))
  }
}

likeliest <- function(fits) {
  if (length(fits) > 0) fits[[which.max(vapply(fits, `[[`, 0, "likelihood"))]]
}

#' The mode of the log ratio under a normal prior
#'
#' Gauss and Newton's steps, shortened until they gain.
#' @param log_law (double, K) Log shares of the bins under the law.
#' @param prior (list) See ratio_priors().
#' @param ratio (double, K) Where to start.
#' @return (list) `counts`, `ratio`, `pull` (what the prior's covariance makes
#'   the ratio of), `likelihood` (logarithm, by Laplace's approximation),
#'   `factor` (Cholesky's, of the precision at the mode), and `precision` (the
#'   prior's).
#' @noRd
ratio_mode <- function(noisy, known, log_law, prior, ratio, rounds = 30) {
  n <- sum(noisy)
  precision <- prior$precision
  at <- function(ratio) {
    p <- exp(log_law + ratio - max(log_law + ratio))
    p <- p / sum(p)
    miss <- noisy - n * p
    weighed <- drop(known %*% miss)
    pull <- drop(precision %*% ratio)
    list(
      ratio = ratio, p = p, weighed = weighed, pull = pull,
      loss = (sum(miss * weighed) + sum(ratio * pull)) / 2
    )
  }
  now <- at(ratio)
  for (round in seq_len(rounds)) {
    p <- now$p
    # The counts' slope in the ratio is n (diag(p) - p p')
    across <- p * drop(known %*% p)
    information <- known * tcrossprod(p) - outer(p, across) -
      outer(across, p) + sum(across) * tcrossprod(p)
    factor <- chol(n^2 * information + precision)
    pulled <- n * p * (now$weighed - sum(p * now$weighed)) - now$pull
    step <- backsolve(factor, backsolve(factor, pulled, transpose = TRUE))
    size <- 1
    repeat {
      new <- at(now$ratio + size * step)
      gain <- now$loss - new$loss
      if (isTRUE(gain >= 0) || size < 1e-3) break
      size <- size / 3
    }
    if (isTRUE(gain > 0)) now <- new
    if (!isTRUE(gain > 0.02)) break
  }
  list(
    counts = n * now$p, ratio = now$ratio, pull = now$pull,
    likelihood = -now$loss - sum(log(diag(factor))) -
      sum(log(diag(prior$root))),
    factor = factor, precision = precision
  )
}

# Tails -----------------------------------------------------------------------

# Beyond this share of the records at either end densities fall outwards
share_of_tail <- 0.1

#' Densities that fall outwards beyond the tenth at either end
#'
#' @param below (double) The share of the records up to each.
#' @param noisy,errors (double) Counts of bins, and the noise in them.
#' @param kind Of each density: those of one kind fall.
#' @param stands (logical) Densities that stay.
#' @return (double) As `density`.
#' @noRd
falling_outwards <- function(density, width, bin, below, noisy, errors, kind,
                             stands = logical(length(bin))) {
  most <- noisy - bins_above_noise * errors
  repeat {
    fallen <- density
    for (one in unique(kind)) {
      low <- which(below < share_of_tail & kind == one & !stands)
      high <- which(below > 1 - share_of_tail & kind == one & !stands)
      for (tail in list(rev(low), high)) {
        if (length(tail) > 1) {
          fallen[tail] <- falling_(density[tail], width[tail])
        }
      }
    }
    above <- sums_by(fallen * width, bin) < most
    if (!any(above[bin] & !stands & fallen < density)) break
    stands <- stands | above[bin] & fallen < density
  }
  fallen
}

# Deviations of its noise that a bin's count in a tail has beside a falling one
# to stay
bins_above_noise <- 3.5
