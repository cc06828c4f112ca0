# Values of an amount for the records of a synthetic set: ranks of the model's
# values get the margin, then records swap their values until the tables and the
# scores of the set are those that were released.

# Sweeps of swaps at each inverse temperature, and how much scores weigh in the
# energy
amount_swaps <- list(beta = c(0.3, 1, 5), sweeps = 10L, scores = 15)

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
  length <- row_lengths(amount, set, frame$scale)
  variance <- max(base::mean((y - mean)^2), 1e-300)
  weight <- pmin(1, amount$steps[[2]]$geometry$kappa / length)
  found <- swap_amounts_(
    y, findInterval(y, breaks), set, amount$levels, targets,
    level_lines(amount), list(
      bins = base::length(breaks) + 1L,
      row_weight = weight * frame$scale / frame$spread, expected = mean,
      score_weight = swaps$scores / variance, group = as.integer(group),
      beta = swaps$beta, sweeps = swaps$sweeps
    ), words
  )
  y[found$from]
}

#' The row of L that each level adds to L'x, the intercept's first
#' @return (matrix, 1 + levels of all predictors)
#' @noRd
level_lines <- function(amount) {
  whiten <- amount$steps[[2]]$geometry$whiten
  rows <- list(whiten[1, , drop = FALSE])
  column <- 1
  for (j in seq_along(amount$levels)) {
    own <- matrix(0, amount$levels[j], ncol(whiten))
    other <- setdiff(seq_len(amount$levels[j]), amount$baseline[j])
    own[other, ] <- whiten[column + seq_along(other), ]
    column <- column + length(other)
    rows[[j + 1]] <- own
  }
  do.call(rbind, rows)
}

#' The length of d L'x of each row, by chunks
#' @noRd
row_lengths <- function(amount, set, scale, chunk = 20000) {
  lines <- level_lines(amount)
  first <- 1 + cumsum(c(0, amount$levels))
  found <- numeric(nrow(set))
  for (from in seq(1, nrow(set), by = chunk)) {
    at <- from:min(nrow(set), from + chunk - 1)
    rows <- lines[rep(1, length(at)), , drop = FALSE]
    for (j in seq_along(amount$levels)) {
      rows <- rows + lines[first[j] + set[at, j], , drop = FALSE]
    }
    found[at] <- rowSums(rows^2)
  }
  scale * sqrt(found)
}
