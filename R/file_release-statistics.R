# Mean and quantiles of an amount, from its noisy margin.

# Margins drawn for a mean
drawn_margins <- 400

statistic_quantiles <- c(0.1, 0.25, 0.5, 0.75, 0.9)

#' @param name (string) Of an amount.
#' @return (data frame) See summary.file_release().
#' @noRd
amount_statistics <- function(x, name, level = 0.95) {
  amount <- x$amounts[[name]]
  means <- margin_means(amount)
  z <- stats::qnorm((1 + level) / 2)
  line <- function(statistic, estimate, noise, std_error,
                   low = estimate - z * std_error,
                   high = estimate + z * std_error) {
    data.frame(statistic, estimate, noise, std_error, low, high)
  }
  noise <- stats::sd(means$mean)
  mean <- base::mean(means$mean)
  sampled <- base::mean(means$variance) / amount$n
  rows <- line("mean", mean, noise, sqrt(noise^2 + sampled))
  part <- amount_share(x, amount)
  if (!is.null(part)) {
    all_noise <- sqrt(part$share^2 * noise^2 + mean^2 * part$variance)
    variance <- part$share * base::mean(means$variance) +
      part$share * (1 - part$share) * mean^2
    rows <- rbind(rows, line(
      "mean with zeros", part$share * mean, all_noise,
      sqrt(all_noise^2 + variance / part$n)
    ))
  }
  rbind(rows, margin_quantiles(amount, z))
}

#' Means and variances of margins drawn from their posterior
#'
#' The words are fixed: the same release gives the same figures.
#' @return (list of double) `mean`, `variance`, of the values' own unit.
#' @noRd
margin_means <- function(amount) {
  known <- known_margin(amount)
  random <- random_stream(c(1, 2), 1)
  found <- vapply(seq_len(drawn_margins), function(k) {
    drawn <- drawn_margin(known, random)
    share <- drawn$counts / sum(drawn$counts)
    at <- values_within(amount, drawn$breaks)
    mean <- sum(share * rowMeans(at))
    c(mean, sum(share * rowMeans(at^2)) - mean^2)
  }, numeric(2))
  list(mean = found[1, ], variance = found[2, ])
}

#' Values of a few places in each part of a bin
#' @return (matrix, a row for each part)
#' @noRd
values_within <- function(amount, breaks, places = 5) {
  inner <- (seq_len(places) - 0.5) / places
  at <- outer(diff(breaks), inner) + breaks[-length(breaks)]
  back <- response_transforms[[amount$transform]]$back
  matrix(back(as.vector(whole_bins(amount, at))), nrow(at))
}

#' The share of records with values among these and zeros
#' @return (list or `NULL`, where zeros are no part) `share`, `variance` (of its
#'   noise), `n`.
#' @noRd
amount_share <- function(x, amount) {
  zero <- which(amount$all_parts$kind == "zero")
  own <- match(amount$name, names(x$levels))
  if (length(zero) == 0 || is.na(own)) {
    return(NULL)
  }
  block <- x$block
  cells <- table_estimate(block, own)
  l <- length(cells$part)
  counts <- cells$part + block$n / l
  valued <- sum(counts[amount$part])
  n <- max(1, valued + counts[zero])
  share <- clamp(valued / n)
  slope <- numeric(l)
  slope[amount$part] <- (1 - share) / n
  slope[zero] <- -share / n
  at <- residual_place(block, own)
  measured <- if (is.na(at)) 0 else block$noise$variance[at]
  variance <- measured * (sum(slope^2) - sum(slope)^2 / l) +
    (sum(slope) / l)^2 * size_variance(block)
  list(share = share, variance = variance, n = n)
}

#' Quantiles with intervals: values whose noisy cumulative share may be theirs
#' @param z (number) Standard deviations of an interval.
#' @return (data frame)
#' @noRd
margin_quantiles <- function(amount, z) {
  margin <- amount$margin
  n <- sum(margin$noisy)
  bins <- length(margin$noisy)
  inverse <- solve(strategy_of(margin))
  # Counts were moved to the nearest of their total: see score_margin()
  spread <- rowSums(tcrossprod(inverse))
  root <- apply(
    inverse - outer(spread / sum(spread), colSums(inverse)), 2, cumsum
  )
  noise <- c(0, sqrt(rowSums(root^2)) * margin$deviation / n)
  # Between breaks the share follows the margin that sets are drawn from
  counts <- amount$counts
  at <- counts$breaks
  shape <- c(0, cumsum(counts$counts)) / sum(counts$counts)
  noisy <- c(0, cumsum(margin$noisy)) / n
  off <- stats::approx(
    margin$breaks, noisy - stats::approx(at, shape, margin$breaks)$y, at
  )$y
  below <- shape + off
  noise <- stats::approx(margin$breaks, noise, at)$y
  own_unit <- function(values) {
    back <- response_transforms[[amount$transform]]$back
    back(whole_bins(amount, values))
  }
  rows <- lapply(statistic_quantiles, function(p) {
    error <- sqrt(noise^2 + p * (1 - p) / n)
    held <- range(which(abs(below - p) <= z * error))
    # From a place where all is held to the next where it is not
    ends <- at[clamp(held + c(-1, 1), 1, length(at))]
    found <- own_unit(c(
      histogram_quantile(counts, p), ends[1], ends[2]
    ))
    middle <- which.min(abs(at - histogram_quantile(counts, p)))
    std_error <- (found[3] - found[2]) / (2 * z)
    data.frame(
      statistic = paste0(100 * p, "%"), estimate = found[1],
      noise = std_error * noise[middle] / error[middle], std_error,
      low = found[2], high = found[3]
    )
  })
  do.call(rbind, rows)
}
