# Values of an amount for the records of a synthetic set: ranks of the model's
# values get the margin, then records swap their values until the tables and the
# scores of the set are those that were released.

# Sweeps of swaps at each inverse temperature, and how much scores weigh in the
# energy. More records than so many need fewer sweeps: the share that must swap
# is the same, and what is left to gain is a few records a cell.
amount_swaps <- list(
  beta = c(0.3, 1, 5), sweeps = 10L, scores = 15, records = 1e5
)

#' @param amount (list) See release_amount().
#' @param set (integer matrix) Predictors of the set's records with values.
#' @param group (integer) Records that may swap their values: those of parts
#'   with the same range.
#' @param words (two words) See seed_words().
#' @param stream (count) Of random numbers.
#' @return (double) Values on the modelled scale.
#' @noRd
draw_amount <- function(amount, set, group, words, stream,
                        swaps = amount_swaps) {
  n <- nrow(set)
  if (n == 0) {
    return(double())
  }
  p <- uniforms_(n, words, 2 * stream)
  line <- amount_line(amount, set)
  counts <- amount$counts
  error <- latent_quantile(amount$family, p)
  latent <- line + margin_scale(amount, counts, line, error) * error
  y <- whole_bins(amount, quantile_of_rank(counts, latent, p))
  if (n > 1 && length(amount$levels) > 0) {
    y <- swapped_values(amount, set, group, line, counts, y, swaps, words,
      stream
    )
  }
  y
}

#' Values swapped between records, so that the margin stays as it is
#' @noRd
swapped_values <- function(amount, set, group, line, counts, y, swaps, words,
                           stream) {
  n <- length(y)
  breaks <- amount$tables$breaks %||%
    quantile_breaks(amount, counts, table_bins)
  targets <- expected_bins(amount, set, breaks, n)
  for (t in seq_along(amount$tables$columns)) {
    j <- amount$tables$columns[t]
    targets[[j]] <- targets[[j]] + amount$tables$excess[[t]] * n / amount$n
  }
  mean <- family_mean(amount$family, line)
  mean <- if (is_location(amount$family)) {
    mean + base::mean(y - mean)
  } else {
    mean * base::mean(y) / base::mean(mean)
  }
  frame <- score_frame(amount$family, line, amount$shape)
  geometry <- amount$steps[[2]]$geometry
  lines <- level_lines(geometry$whiten, amount)
  length <- frame$scale *
    line_lengths_(set, amount$levels, lines, default_threads())
  variance <- max(base::mean((y - mean)^2), 1e-300)
  weight <- pmin(1, geometry$kappa / length)
  found <- swap_amounts_(
    y, findInterval(y, breaks), set, amount$levels, targets, lines, list(
      bins = base::length(breaks) + 1L,
      row_weight = weight * frame$scale / frame$spread, expected = mean,
      score_weight = swaps$scores / variance, group = as.integer(group),
      beta = swaps$beta, sweeps = as.integer(max(
        2, ceiling(swaps$sweeps * min(1, swaps$records / n))
      ))
    ), words
  )
  y[found$from]
}
