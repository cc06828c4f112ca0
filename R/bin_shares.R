# Bins of a response that hold equal counts of a noisy margin, and how likely a
# value is in each, given its linear predictor.

#' Breaks between bins of equal counts, between the values that there are
#' @noRd
quantile_breaks <- function(amount, counts, bins) {
  breaks <- histogram_quantile(counts, seq_len(bins - 1) / bins)
  breaks <- unique(between_values(amount, breaks))
  breaks[breaks > min(counts$breaks) & breaks < max(counts$breaks)]
}

#' The middle between the values of an amount's decimals that breaks lie between
#'
#' A break beside a value would give a bin another share of the records than of
#' the modelled scale: what is only that would pass for a relation.
#' @noRd
between_values <- function(amount, breaks) {
  if (amount$unit == 0) {
    return(breaks)
  }
  unit <- amount$unit
  scale <- response_transforms[[amount$transform]]
  # Dates that all start a month or a year
  months <- min(amount$parts$months)
  if (!is.na(months)) {
    days <- scale$back(breaks)
    past <- rep(TRUE, length(days))
    ends <- period_beyond(days, months, -1, !past) +
      period_beyond(days, months, 1, past)
    return(scale$forward(ends / 2))
  }
  scale$forward(unit * (floor(scale$back(breaks) / unit) + 0.5))
}

#' How likely each row's value is in each bin, given that ranks are mapped to
#' the margin
#'
#' A bin's share of all rows is the margin's; a curve of each bin along the
#' linear predictor serves all rows.
#' @param amount (list) `counts`, `family`, `shape` and `steps` of a release.
#' @param line (double, N) Linear predictors.
#' @param breaks (double) Of the bins, without the ends.
#' @param spread (number) Scale of the errors.
#' @param among (double) Linear predictors of the records whose margin it is.
#' @return (matrix, N x bins)
#' @noRd
bin_shares <- function(amount, line, breaks,
                       spread = spread_of_errors(amount, amount$counts, line),
                       among = line) {
  along <- bin_curves(amount, line, breaks, spread, among)
  curve <- along$share
  at <- along$line
  if (at[1] == at[length(at)]) {
    return(curve[rep(1, length(line)), , drop = FALSE])
  }
  apply(curve, 2, function(y) stats::approx(at, y, line, rule = 2)$y)
}

#' The same along a grid of linear predictors
#' @return (list) `line` (evenly spaced), `share` (matrix, a row for each).
#' @noRd
bin_curves <- function(amount, line, breaks,
                       spread = spread_of_errors(amount, amount$counts, line),
                       among = line) {
  share <- histogram_share(amount$counts, breaks)
  some <- sort(among)[spaced_rows(length(among), 400)]
  cut <- latent_places(amount$family, some, spread, share)
  at <- seq(min(line), max(line), length.out = 300)
  below <- latent_share(amount$family, outer(at, cut, function(line, cut) {
    (cut - line) / spread
  }))
  below <- cbind(0, matrix(below, length(at)), 1)
  list(
    line = at, share = below[, -1, drop = FALSE] -
      below[, -ncol(below), drop = FALSE]
  )
}

#' Places that some shares of all rows' latent values lie below
#' @noRd
latent_places <- function(family, line, scale, share) {
  tail <- scale * latent_quantile(family, stats::plogis(seq(-30, 30, 0.1)))
  at <- sort(unique(c(min(line) + tail, max(line) + tail)))
  below <- rep(NA_real_, length(at))
  ask <- function(places) {
    places <- unique(places[is.na(below[places])])
    below[places] <<- mean_share_below(family, at[places], line, scale)
  }
  # By halves: a share at all places would cost most of a release
  low <- rep(1, length(share))
  high <- rep(length(at), length(share))
  ask(c(low, high))
  while (any(high - low > 1)) {
    middle <- (low + high) %/% 2
    ask(middle)
    under <- below[middle] < share
    low <- ifelse(under, middle, low)
    high <- ifelse(under, high, middle)
  }
  asked <- !is.na(below)
  stats::approx(below[asked], at[asked], share, ties = "mean", rule = 2)$y
}

#' The share of a histogram below some values
#' @noRd
histogram_share <- function(x, values) {
  cumulative <- c(0, cumsum(histogram_shares(x)))
  stats::approx(x$breaks, cumulative, values, rule = 2, ties = "ordered")$y
}

#' The scale of errors under which rows agree with the released sums: see
#' margin_scale()
#' @noRd
spread_of_errors <- function(amount, counts, line) {
  n <- length(line)
  kept <- spaced_rows(n, scale_rows)
  # Errors in an order that has nothing to do with the rows'
  at <- (kept * 0.6180339887498949) %% 1
  margin_scale(
    amount, counts, sort(line)[kept], latent_quantile(amount$family, at)
  )
}
