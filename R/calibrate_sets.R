# Synthetic sets with the margin of a noisy histogram: each value becomes the
# quantile of its rank.

#' Sets with the margin of a histogram
#'
#' Post-processing of the noisy counts and of the sets that are released.
#' @param values (matrix, N x m) On the modelled scale.
#' @noRd
calibrate_sets <- function(values, response, margin, seed) {
  # A proportion is modelled on (0, 1) and binned in its own unit
  own_unit <- !is.null(response$bounds)
  scaled <- if (own_unit) response_inverse(response, values) else values
  counts <- calibrated_counts(margin, scaled)
  words <- seed_words(seed, "margin")
  for (j in seq_len(ncol(values))) {
    found <- quantile_of_rank(
      counts, values[, j], uniforms_(nrow(values), words, j)
    )
    values[, j] <- if (own_unit) response_forward(response, found) else found
  }
  values
}

#' The counts of a histogram without what is only noise
#'
#' Of modal_counts(), under the law of the sets' own values.
#' @param values (double) Of all sets, on the scale of the breaks.
#' @return (list) `counts` and `breaks`.
#' @noRd
calibrated_counts <- function(x, values) {
  bins <- length(x$noisy)
  # Of thousands of bins groups are weighed; within a group counts are as noisy
  # as they are
  size <- ceiling(bins / 200)
  group <- (seq_len(bins) - 1) %/% size + 1
  last <- c(which(diff(group) > 0), bins)
  parts <- parts_of_bins(x$breaks[c(1, last + 1)], law_of_values(values))
  noisy <- sums_by(x$noisy, group)
  if (sum(noisy) <= 0) {
    return(list(counts = parts$law, breaks = parts$breaks))
  }
  known <- diag(1 / (tabulate(group) * noise_variance(x)), length(noisy))
  found <- modal_counts(parts, noisy, known)
  if (size == 1) {
    return(found)
  }
  total <- sums_by(found$counts, parts$bin)
  counts <- Map(function(noisy, total) {
    project_counts(noisy + (total - sum(noisy)) / length(noisy))
  }, split(x$noisy, group), total)
  list(counts = unlist(counts, use.names = FALSE), breaks = x$breaks)
}

#' Of the noise in one count
#' @noRd
noise_variance <- function(x) {
  rate <- width_of_epsilon(x$epsilon, x$neighbours)
  if (x$noise == "continuous") {
    2 / rate^2
  } else {
    max(2 * exp(-rate) / expm1(-rate)^2, 1e-3)
  }
}

#' The law of values: smooth, with normal tails beyond a hundredth
#'
#' A histogram has bounds, and tails that only a family states would be most of
#' a mean.
#' @return (function of breaks) Gives shares between them.
#' @noRd
law_of_values <- function(values) {
  p <- stats::ppoints(1000)
  at <- stats::quantile(values, p, names = FALSE)
  middle <- stats::median(at)
  for (side in c(-1, 1)) {
    tail <- side * (p - 0.5) > 0.49
    end <- stats::quantile(values, 0.5 + 0.49 * side, names = FALSE)
    at[tail] <- middle +
      (end - middle) * abs(stats::qnorm(p[tail]) / stats::qnorm(0.99))
  }
  width <- stats::bw.nrd0(at)
  function(breaks) {
    below <- rowMeans(outer(breaks, at, function(q, at) {
      stats::pnorm((q - at) / width)
    }))
    with_even_part(diff(below), breaks)
  }
}
