# Tables of an amount's bins by each predictor, where the budget bears them:
# their residuals beside what the amount's model expects, with exact noise.

# Bins of an amount in its tables, at most and at least. Bins beside each other
# are alike, see level_axes(): more of them add little noise.
table_bins <- 16
least_table_bins <- 5

# Records a level, in deviations of the noise, that tables need: fewer than a
# score release's, since the block tells which levels are alike
least_deviations <- 24

#' How many bins an amount's tables have; none, `NULL`, see bears_tables()
#' @param mu (number) Of the tables.
#' @noRd
bins_of_tables <- function(n, levels, mu) {
  if (bears_tables(n, levels, mu, least_deviations)) table_bins
}

#' @param bins (count) Of the amount; fewer where values coincide.
#' @param free (logical) Which predictors are protected.
#' @param budget (list) See noise_of().
#' @param known (list) Of the predictors, see level_axes().
#' @return (list or `NULL`, where there are too few) `breaks` (of the amount's
#'   bins, without its ends), `columns` (which predictors have a table), `known`
#'   (of these), `noise` and `residuals` as a block has them, `excess` (list of
#'   double: what each table has beyond what the model expects, in counts).
#' @noRd
release_amount_tables <- function(amount, file, set, budget, bins, free, known,
                                  seed) {
  counts <- amount$counts
  breaks <- quantile_breaks(amount, counts, bins)
  bins <- length(breaks) + 1L
  # What it costs to replace a record was counted for so many
  if (bins < least_table_bins) {
    return(NULL)
  }
  plan <- binned_tables_plan(amount$levels, bins, budget, free)
  codes <- binned_codes(file, plan$told, breaks)
  noise <- table_noise(plan, amount$n)
  residuals <- noisy_residuals(
    block_counts(codes, plan), plan, noise, seed, file$what
  )
  expected <- expected_bins(amount, set, breaks, amount$n)
  excess <- shrunk_tables(
    residuals, expected[plan$told], plan$levels, noise$variance,
    known[plan$told]
  )
  list(
    breaks = breaks, columns = plan$told, known = known[plan$told],
    noise = noise, residuals = residuals, excess = excess
  )
}

#' Records as an amount's tables have them: predictors, then the amount's bin
#' @param records (list) See step_measurement().
#' @return (integer matrix) 0 of a record without a value.
#' @noRd
binned_codes <- function(records, told, breaks) {
  bin <- findInterval(records$y, breaks) + 1L
  none <- is.na(bin)
  if (any(none)) bin[none] <- 0L
  # All of them need no copy
  every <- length(told) == ncol(records$predictors)
  cbind(
    if (every) records$predictors else
      records$predictors[, told, drop = FALSE], bin,
    deparse.level = 0
  )
}

#' Tables of predictors by bins that an amount's model expects of a set
#'
#' @param set (integer matrix) Predictors.
#' @param breaks (double) Of the bins on the modelled scale, without the ends.
#' @param total (number) What each table sums to.
#' @return (list of double) One for each predictor, its level fastest.
#' @noRd
expected_bins <- function(amount, set, breaks, total) {
  line <- amount_line(amount, set)
  along <- bin_curves(amount, line, breaks)
  tables <- curve_tables_(
    set, amount$levels, line, range(along$line), along$share, default_threads()
  )
  lapply(tables, function(table) table * total / nrow(set))
}

#' The linear predictor of each row
#' @noRd
amount_line <- function(amount, set, b = amount$draws$mean) {
  line_sums_(set, amount$levels, level_lines(b, amount), default_threads())
}
