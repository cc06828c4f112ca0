# Values swapped between records: the values of a set stay as they are, and its
# tables and scores come close to what is expected of them.

# Of amounts of files: sweeps of swaps at each inverse temperature, how much
# scores weigh in the energy, and the `mean` that they are beside. More
# records than so many need fewer sweeps: the share that must swap is the same,
# and what is left to gain is a few records a cell. They swap in parts of so
# many.
swapping <- list(
  beta = c(0.3, 1, 5), sweeps = 10L, scores = 15, records = 1e5,
  mean = function(x, y, line, breaks) mapped_mean(x$family, y, line)
)

# Of amounts that have links: the law of their values holds them, see
# normal_hold(), and tables say less beside it, the less the more noise they
# have: the last inverse temperature is so much in a deviation of it, within
# these ends (bench/file_rivals.R, diamonds). Where cells have fewer records on
# average it is less: in small files the law says more. Held values move less in
# a sweep
linked_swaps <- c(
  first = 0.01, in_deviation = 6, in_cell = 50, least = 0.1, most = 0.5,
  sweeps = 30
)

# Of sets of score releases, whose predictors are published: only swaps that
# bring a set closer. They start from the model's draws, which others would
# forget.
score_swaps <- list(
  beta = 1e6, sweeps = 10L, scores = 15,
  mean = function(x, y, line, breaks) mean_by_bins(x, line, breaks)
)

#' How values of an amount swap in a set of so many
#' @param amount (list) See release_amount(), or amount_of_scores().
#' @return (list) See swapping.
#' @noRd
swaps_of <- function(amount, n) {
  if (is.null(amount$curve)) {
    return(swapping)
  }
  noise <- amount$tables$noise
  deviation <- sqrt(mean(as.double(noise$variance))) * n / amount$n
  cell <- n / mean(as.double(noise$cells))
  last <- linked_swaps[["in_deviation"]] / deviation *
    min(1, cell / linked_swaps[["in_cell"]])
  # Without tables there is no noise that tells more
  if (is.nan(last)) last <- 0
  ends <- c(linked_swaps[["first"]], clamp(
    last, linked_swaps[["least"]], linked_swaps[["most"]]
  ))
  swapping$beta <- c(ends[1], sqrt(prod(ends)), ends[2])
  swapping$sweeps <- as.integer(linked_swaps[["sweeps"]])
  swapping
}

#' @param x (list) A release, or an amount of one: `family`, `shape`, `steps`.
#' @param y (double, n) Values on the modelled scale.
#' @param line (double, n) Linear predictors.
#' @param set (list) `codes` (integer matrix, n rows) and their `coding`, see
#'   level_lines().
#' @param targets (list) `breaks` of the tables' bins, without the ends, and
#'   `tables` of the first columns, their level fastest.
#' @param words (two words) See seed_words().
#' @param expected (double, n) Scores are of values beside these, but for their
#'   mean.
#' @param group (integer, n) Only records of the same group swap.
#' @param room (list or `NULL`) `low` and `high`, n each: no swap brings a value
#'   beyond those of its new record, and those that lie beyond swap first.
#' @param law (list or `NULL`) `latent` (double, n: of each value where it is
#'   now), `pull` and `hold` (double, n: how hard each record pulls at values,
#'   and holds them).
#' @return (double, n) The same values, in another order.
#' @noRd
swapped_values <- function(x, y, line, set, targets, words, swaps, expected,
                           group = rep(1L, length(y)), room = NULL,
                           law = NULL) {
  expected <- expected + mean(y - expected)
  frame <- score_frame(x$family, line, x$shape)
  geometry <- x$steps[[2]]$geometry
  levels <- set$coding$levels
  lines <- level_lines(geometry$whiten, set$coding)
  breaks <- targets$breaks
  none <- rep(list(double()), length(levels) - length(targets$tables))
  variance <- max(mean((y - expected)^2), 1e-300)
  found <- swap_amounts_(
    y, findInterval(y, breaks), set$codes, levels, c(targets$tables, none),
    lines, list(
      bins = length(breaks) + 1L, row_weight = frame$scale / frame$spread,
      row_longest = geometry$kappa / frame$spread, expected = expected,
      score_weight = swaps$scores / variance, group = as.integer(group),
      beta = swaps$beta, sweeps = as.integer(max(
        2, ceiling(swaps$sweeps * min(1, swaps$records / length(y)))
      )),
      together = swaps$records %||% max(1, length(y)),
      low = as.double(room$low), high = as.double(room$high),
      latent = as.double(law$latent), pull = as.double(law$pull),
      hold = as.double(law$hold)
    ), words, default_threads()
  )
  y[found$from]
}

#' What values have beside their linear predictor once ranks are mapped to the
#' margin
#'
#' The margin of a file is no sum of a line and errors of the family: mapped to
#' it, means rise along the linear predictor more steeply, or less, than it
#' does. Pulled towards the linear predictor itself, swaps would undo that.
#' @param y (double, n) Values before they are swapped.
#' @noRd
mapped_mean <- function(family, y, line) {
  if (!is_location(family)) {
    mean <- family_mean(family, line)
    return(mean * base::mean(y) / base::mean(mean))
  }
  centred <- line - mean(line)
  slope <- sum(centred * y) / max(sum(centred^2), 1e-300)
  mean(y) + slope * centred
}

#' The mean of each record's bins, by the margin
#' @param breaks (double) Of the bins, without the ends.
#' @noRd
mean_by_bins <- function(x, line, breaks) {
  ends <- c(0, histogram_share(x$counts, breaks), 1)
  bins <- length(breaks) + 1
  p <- outer((seq_len(40) - 0.5) / 40, seq_len(bins), function(inside, bin) {
    ends[bin] + inside * (ends[bin + 1] - ends[bin])
  })
  values <- whole_bins(x, histogram_quantile(x$counts, as.vector(p)))
  drop(bin_shares(x, line, breaks) %*% colMeans(matrix(values, nrow(p))))
}
