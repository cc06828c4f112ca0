# Values of an amount for the records of a synthetic set: ranks of the model's
# values get the margin, then records swap their values until the tables and the
# scores of the set are those that were released.

#' @param amount (list) See release_amount().
#' @param set (integer matrix) Predictors of the set's records with values.
#' @param group (integer) Records that may swap their values: those of parts
#'   with the same range.
#' @param words (two words) See seed_words().
#' @param stream (count) Of random numbers.
#' @param room (list or `NULL`) `low` and `high` that rules leave of each value.
#' @return (double) Values on the modelled scale.
#' @noRd
draw_amount <- function(amount, set, group, words, stream, room = NULL,
                        swaps = swapping) {
  n <- nrow(set)
  if (n == 0) {
    return(double())
  }
  p <- uniforms_(n, words, 2 * stream)
  line <- amount_line(amount, set)
  counts <- amount$counts
  error <- latent_quantile(amount$family, p)
  scale <- margin_scale(amount, counts, line, error)
  latent <- line + scale * error
  if (!is.null(room)) {
    latent <- latent_within(amount, latent, line, scale, p, counts, room)
  }
  y <- whole_bins(amount, quantile_of_rank(counts, latent, p))
  if (!is.null(room)) y <- given_room(y, room)
  if (n > 1 && length(amount$levels) > 0) {
    y <- swapped_amounts(
      amount, set, group, line, counts, y, swaps, words, room
    )
  }
  y
}

#' Values swapped between records, so that the margin stays as it is
#' @noRd
swapped_amounts <- function(amount, set, group, line, counts, y, swaps, words,
                            room = NULL) {
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
  weight <- pmin(1, geometry$kappa / length)
  swapped_values(
    y, mean, breaks, list(codes = set, levels = amount$levels, lines = lines),
    targets, weight * frame$scale / frame$spread, words, group, swaps, room
  )
}
