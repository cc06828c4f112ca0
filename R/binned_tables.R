# Tables of a response's bins by each predictor: where a budget bears them, what
# is measured of them, and what they say beside a model.

# Bins of a number where it is a predictor
predictor_bins <- 5

# The share of what bins have beyond a model that those beside them have, too,
# and the share of records after which little of it is left. Reaches of .05 and
# .2, shares of .5 and .95 are as good
alike_bins <- list(share = 0.7, reach = 0.1)

#' Does a budget bear tables?
#'
#' Not where a level has fewer records than so many deviations of the noise that
#' tables of counts would have.
#' @param n (number) Records.
#' @param levels (integer) Of the predictors.
#' @param mu (number) Of the tables.
#' @return (flag)
#' @noRd
bears_tables <- function(n, levels, mu, deviations = 32) {
  levels <- levels[levels > 1]
  least <- deviations * mean(levels) * sqrt(length(levels)) / mu
  length(levels) > 0 && n >= least
}

#' The pairs of a predictor and the bins, as a block's plan has its tables
#'
#' @param budget (list) See noise_of(), with `sigma`, see refined().
#' @param free (logical) Which predictors are protected. If none is, a replaced
#'   record moves to another bin of the same levels.
#' @param parts (count) Of a record that may be shared, see share_parts.
#' @return (list) See plan_block(); `told`: which predictors have a table.
#' @noRd
binned_tables_plan <- function(levels, bins, budget, free, parts = 1) {
  told <- which(levels > 1)
  own <- c(levels[told], bins)
  tables <- lapply(seq_along(told), function(t) c(t, length(own)))
  lengths <- residual_lengths(tables, own)
  lengths$whole <- parts^2 * lengths$whole
  lengths$unit <- parts * lengths$unit
  list(
    told = told, levels = own, tables = tables,
    published = !c(free[told], TRUE),
    lengths = lengths, squared = budget$amount^2,
    neighbours = budget$neighbours, sigma = budget$sigma,
    replaced = replaced_star
  )
}

#' What a replaced record costs at most where all tables are pairs with the last
#' column
#'
#' With k = (L - 1) / L: if it changes the last column, a table moves by 2 k of
#' the other one, and by less if that changes, too. If it does not, a table
#' moves by 2 k of the last column where the other one changes.
#' @param plan (list) See binned_tables_plan().
#' @noRd
replaced_star <- function(plan, variance) {
  k <- (plan$levels - 1) / plan$levels
  last <- length(k)
  free <- !plan$published[-last]
  2 * max(sum(k[-last] / variance), k[last] * sum(1 / variance[free]))
}

#' What tables have beyond what a model expects, without what is only noise
#'
#' @param residuals (list of double) Noisy, see noisy_residuals().
#' @param expected (list of double) Tables of the model, in counts.
#' @param levels (integer) Of the tables' predictors, then the bins.
#' @param variance (double) Of each table's noise.
#' @param known (list or `NULL`) Of the predictors, see level_axes().
#' @param told (function) See shrunk_residuals().
#' @return (list of double) In counts.
#' @noRd
shrunk_tables <- function(residuals, expected, levels, variance, known = NULL,
                          told = shrunk_residuals) {
  last <- length(levels)
  pairs <- pairs_beside(residuals, expected, levels, variance)
  margin <- Reduce(`+`, lapply(pairs, function(pair) colSums(pair$base)))
  known <- c(
    known %||% vector("list", last - 1),
    list(neighbours_alike(margin, seq_along(margin), alike_bins))
  )
  axes <- level_axes(pairs, c(
    lapply(pairs, function(pair) rowSums(pair$base)), list(margin)
  ), known)
  told(
    lapply(pairs, `[[`, "residual"), lapply(pairs, `[[`, "columns"), axes,
    variance
  )
}

#' Noisy tables beside those that a model expects
#' @inheritParams shrunk_tables
#' @return (list of list) `columns`, `base` (matrix), `residual` and `variance`.
#' @noRd
pairs_beside <- function(residuals, expected, levels, variance) {
  last <- length(levels)
  lapply(seq_along(residuals), function(t) {
    base <- pmax(expected[[t]], 0)
    list(
      columns = c(t, last), base = matrix(base, levels[t]),
      residual = residuals[[t]] - centred_table(base, levels[c(t, last)]),
      variance = variance[t]
    )
  })
}

#' Sums of rows' shares of the bins by each predictor's levels
#' @param share (matrix, N x bins)
#' @param codes (integer matrix, N x predictors) Levels, from 1.
#' @return (list of double) One for each predictor, its level fastest.
#' @noRd
sums_of_bins <- function(share, codes, levels) {
  lapply(seq_along(levels), function(j) {
    table <- matrix(0, levels[j], ncol(share))
    sums <- rowsum(share, codes[, j])
    table[as.integer(rownames(sums)), ] <- sums
    as.vector(table)
  })
}

# Of an amount of a file -------------------------------------------------------

# Bins of an amount in its tables, at most and at least. Bins beside each other
# are alike, see level_axes(): more of them add little noise. There are half as
# many at least, and so many times the fourth root of the records in a deviation
# of the noise (bench/file_rivals.R).
table_bins <- 32
table_bins_told <- 3.3
least_table_bins <- 5

# Records a level, in deviations of the noise, that tables need: fewer than a
# score release's, since the block tells which levels are alike
least_deviations <- 24

#' Levels of predictors that may have a table: what earlier amounts say together
#' has none
#' @param coding (list) See level_lines().
#' @noRd
tabled_levels <- function(coding) {
  levels <- coding$levels
  if (!is.null(coding$curve)) levels[length(levels)] <- 1L
  levels
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
release_amount_tables <- function(amount, file, like, budget, bins, free, known,
                                  seed) {
  counts <- amount$counts
  breaks <- quantile_breaks(amount, counts, bins)
  bins <- length(breaks) + 1L
  # What it costs to replace a record was counted for so many
  if (bins < least_table_bins) {
    return(NULL)
  }
  plan <- binned_tables_plan(
    tabled_levels(amount), bins, budget, free, parts_of(amount)
  )
  plan$twice <- twice_measured(plan$lengths)
  counts <- over_chunks(file$records, function(own) {
    in_parts(own, function(own) {
      block_counts(binned_codes(own, plan$told, breaks), plan)
    })
  })
  noisy_tables(
    amount, counts, like$codes, plan, breaks, seed, file$what,
    known[plan$told], shared_count(like$share, amount$n), like$left
  )
}

#' Tables with noise, and what they have beside the model
#' @param amount (list) See release_amount(), or amount_of_scores().
#' @param counts (list) Of the file, see block_counts(). Confidential.
#' @param set (integer matrix) Predictors of records, each of them as often as
#'   `count` says.
#' @param plan (list) See binned_tables_plan().
#' @return (list) See release_amount_tables().
#' @noRd
noisy_tables <- function(amount, counts, set, plan, breaks, seed, what,
                         known = NULL, count = NULL, left = NULL) {
  expected <- expected_bins(amount, set, breaks, amount$n, count, left)
  expected <- expected[plan$told]
  found <- measured_in_looks(
    plan, allocate_noise(plan, amount$n), seed, function(plan) {
      beside <- pairs_beside(
        plan$residuals, expected, plan$levels, plan$noise$variance
      )
      lapply(beside[plan$twice], `[[`, "residual")
    }, noisy_tables_of(counts, what)
  )
  c(
    list(breaks = breaks, columns = plan$told, known = known), found,
    list(excess = shrunk_tables(
      found$residuals, expected, plan$levels, found$noise$variance, known
    ))
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
  binned <- length(told) + 1
  codes <- picked_codes_(
    records$predictors, told, seq_along(bin), binned, default_threads()
  )
  codes[, binned] <- bin
  codes
}

#' Tables of predictors by bins that an amount's model expects of a set
#'
#' @param set (integer matrix) Predictors.
#' @param breaks (double) Of the bins on the modelled scale, without the ends.
#' @param total (number) What each table sums to.
#' @param count (double or `NULL`) Records of each row, if these differ.
#' @param left (double or `NULL`) See expected_places_of().
#' @param line (double) See amount_line().
#' @return (list of double) One for each predictor, its level fastest.
#' @noRd
expected_bins <- function(amount, set, breaks, total, count = NULL,
                          left = NULL, line = amount_line(amount, set)) {
  force(line)
  amount <- with_told_errors(amount)
  said <- if (!is.null(left)) amount$curve[set[, ncol(set)]]
  levels <- amount$levels
  told <- amount$told %||% (length(levels) - !is.null(amount$curve))
  if (told < length(levels)) {
    set <- set[, seq_len(told), drop = FALSE]
    levels <- levels[seq_len(told)]
  }
  if (!is.null(count)) {
    return(sums_of_bins(count * bin_shares(amount, line, breaks), set, levels))
  }
  curves <- if (is.null(left)) {
    list(c(list(rows = seq_along(line)), bin_curves(amount, line, breaks)))
  } else {
    own_bin_curves(amount, line, said, left, breaks)
  }
  tables <- lapply(curves, function(own) {
    every <- length(own$rows) == nrow(set)
    curve_tables_(
      if (every) set else set[own$rows, , drop = FALSE], levels,
      line[own$rows], range(own$line), own$share, default_threads()
    )
  })
  tables <- Reduce(function(one, other) Map(`+`, one, other), tables)
  lapply(tables, function(table) table * total / nrow(set))
}

#' The linear predictor of each row
#' @noRd
amount_line <- function(amount, set, b = amount$draws$mean) {
  line_sums_(set, amount$levels, level_lines(b, amount), default_threads())
}
