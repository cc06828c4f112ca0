# Tables of an amount's bins by each predictor, where the budget bears them:
# their residuals beside what the amount's model expects, with exact noise.

# Bins of an amount in its tables, at most and at least
table_bins <- 12
least_table_bins <- 5

# Bins of an amount where it is a predictor of others: of an amount that the
# budget bears tables of, and of any other. More bins keep more of a correlation
# of two amounts and add more noise.
predictor_bins <- c(tables = 12, plain = 5)

#' How many bins an amount's tables have
#'
#' None, `NULL`, where a level has fewer records than 32 deviations of the noise
#' that tables of counts would have.
#' @param mu (number) Of the tables.
#' @noRd
bins_of_tables <- function(n, levels, mu) {
  levels <- levels[levels > 1]
  if (length(levels) == 0) {
    return(NULL)
  }
  noise <- mean(levels) * sqrt(length(levels)) / mu
  if (n >= 32 * noise) table_bins
}

#' @param bins (count) Of the amount; fewer where values coincide.
#' @param budget (list) See noise_of().
#' @return (list or `NULL`, where there are too few) `breaks` (of the amount's
#'   bins, without its ends), `noise` and `residuals` as a block has them,
#'   `excess` (list of double: what each table has beyond what the model
#'   expects, in counts).
#' @noRd
release_amount_tables <- function(amount, file, set, budget, bins, seed) {
  counts <- amount$counts
  breaks <- quantile_breaks(amount, counts, bins)
  bins <- length(breaks) + 1L
  # What it costs to replace a record was counted for so many
  if (bins < least_table_bins) {
    return(NULL)
  }
  plan <- amount_tables_plan(amount$levels, bins, budget)
  codes <- cbind(
    file$predictors[, plan$told, drop = FALSE],
    findInterval(file$y, breaks) + 1L
  )
  storage.mode(codes) <- "integer"
  noise <- table_noise(plan, amount$n)
  residuals <- noisy_residuals(codes, plan, noise, seed)
  expected <- expected_bins(amount, set, breaks, amount$n)
  excess <- lapply(seq_along(plan$told), function(t) {
    levels <- c(amount$levels[plan$told[t]], bins)
    base <- pmax(expected[[plan$told[t]]], 0)
    shrunk_residual(
      residuals[[t]] - centred_table(base, levels), base / amount$n, levels,
      noise$variance[t]
    )
  })
  list(
    breaks = breaks, columns = plan$told, noise = noise,
    residuals = residuals, excess = excess
  )
}

#' The pairs of a predictor and the bins, as a block's plan has its tables
#' @noRd
amount_tables_plan <- function(levels, bins, budget) {
  told <- which(levels > 1)
  own <- c(levels[told], bins)
  tables <- lapply(seq_along(told), function(t) c(t, length(own)))
  list(
    told = told, levels = own, tables = tables,
    published = rep(FALSE, length(own)),
    lengths = residual_lengths(tables, own), squared = budget$amount^2,
    neighbours = budget$neighbours, sigma = budget$sigma
  )
}

#' Breaks between bins of equal counts; those of counts between whole numbers
#' @noRd
quantile_breaks <- function(amount, counts, bins) {
  breaks <- histogram_quantile(counts, seq_len(bins - 1) / bins)
  if (amount$family$kind == "count") breaks <- floor(breaks) + 0.5
  breaks <- unique(breaks)
  breaks[breaks > min(counts$breaks) & breaks < max(counts$breaks)]
}

# What the model expects -------------------------------------------------------

#' Tables of predictors by bins that an amount's model expects of a set
#'
#' @param set (integer matrix) Predictors.
#' @param breaks (double) Of the bins on the modelled scale, without the ends.
#' @param total (number) What each table sums to.
#' @return (list of double) One for each predictor, its level fastest.
#' @noRd
expected_bins <- function(amount, set, breaks, total) {
  line <- amount_line(amount, set)
  share <- bin_shares(amount, line, breaks)
  lapply(seq_along(amount$levels), function(j) {
    table <- matrix(0, amount$levels[j], ncol(share))
    sums <- rowsum(share, set[, j])
    table[as.integer(rownames(sums)), ] <- sums
    as.vector(table) * total / nrow(set)
  })
}

#' The linear predictor of each row
#' @noRd
amount_line <- function(amount, set, b = amount$draws$mean) {
  line <- rep(b[1], nrow(set))
  parts <- predictor_parts(set, amount$levels, amount$baseline)
  for (j in seq_along(amount$levels)) {
    own <- c(0, b[parts$factor_column[j] + seq_len(amount$levels[j] - 1)])
    line <- line + own[parts$codes[, j] + 1]
  }
  line
}

#' How likely each row's value is in each bin, given that ranks are mapped to
#' the margin
#'
#' A bin's share of all rows is the margin's; a curve of each bin along the
#' linear predictor serves all rows.
#' @return (matrix, N x bins)
#' @noRd
bin_shares <- function(amount, line, breaks) {
  counts <- amount$counts
  share <- histogram_share(counts, breaks)
  spread <- spread_of_errors(amount, counts, line)
  some <- sort(line)[round(seq(1, length(line), length.out = 400))]
  cut <- latent_places(amount$family, some, spread, share)
  at <- seq(min(line), max(line), length.out = 300)
  below <- latent_share(amount$family, outer(at, cut, function(line, cut) {
    (cut - line) / spread
  }))
  below <- cbind(0, matrix(below, length(at)), 1)
  curve <- below[, -1, drop = FALSE] - below[, -ncol(below), drop = FALSE]
  if (at[1] == at[300]) {
    return(curve[rep(1, length(line)), , drop = FALSE])
  }
  apply(curve, 2, function(y) stats::approx(at, y, line, rule = 2)$y)
}

#' Places that some shares of all rows' latent values lie below
#' @noRd
latent_places <- function(family, line, scale, share) {
  tail <- scale * latent_quantile(family, stats::plogis(seq(-30, 30, 0.1)))
  at <- sort(unique(c(min(line) + tail, max(line) + tail)))
  below <- share_below(family, at, line, scale)
  stats::approx(below, at, share, ties = "mean", rule = 2)$y
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
  # Errors in an order that has nothing to do with the rows'
  at <- (seq_len(n) * 0.6180339887498949) %% 1
  margin_scale(
    amount, counts, sort(line), latent_quantile(amount$family, at)
  )
}
