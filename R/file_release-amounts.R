# All amounts of a file release, one after the other: earlier ones are
# predictors of later ones, in bins.

#' @param set (integer matrix) Codes of a synthetic set.
#' @noRd
release_amounts <- function(plan, spending, block, set, seed) {
  specs <- column_specs(plan$codebook)
  # Of records of the file and of the set
  file_bins <- set_bins <- list()
  unseen <- unseen_pairs(block, set)
  budget <- spending$amounts
  models <- lapply(stats::setNames(nm = names(budget$each)), function(name) {
    amount_model(specs[[name]])
  })
  models <- lapply(models, function(amount) {
    amount$sizes <- part_sizes(amount, block, plan$levels)
    amount
  })
  sizes <- vapply(models, function(amount) sum(amount$sizes), 0)
  weights <- amount_weights(sizes, block$n)
  axes <- block_axes(block)
  unknown <- unknown_tables(block, axes)
  released <- list()
  for (name in names(models)) {
    drop_copies(block$n)
    tell_long_step(paste("Measuring", name), block$n * ncol(plan$codes))
    amount <- models[[name]]
    own_budget <- budget$each[[name]]
    own_budget$budget <- amount_budget(
      budget$mu * sqrt(weights[[name]]), budget$neighbours, own_budget$sigma
    )
    own <- plan$amounts[[name]]
    file <- amount_predictors(
      amount, plan$codes, own$records, file_bins, plan$levels
    )
    shown <- set
    rows <- valued_rows(amount, shown)
    # A set without a value needs one record that the geometry is made of
    if (length(rows) == 0) {
      rows <- 1L
      shown[1, name] <- amount$part[1]
    }
    like <- amount_predictors(amount, shown, rows, set_bins, plan$levels)
    n <- max(1, sizes[[name]])
    one <- release_amount(
      amount, list(
        what = what_of_amounts(names(models)), predictors = file$codes,
        y = to_modelled(amount, own$values)
      ), like$codes, file$levels, own_budget, n,
      stage_seed(seed, name), axes_of_predictors(axes, like$columns),
      function(b) hidden_variance(b, colnames(like$codes), name, unseen, set),
      function(kept, pulls) {
        pulls <- pulls * length(rows) / length(kept)
        unknown_sums(block, unknown, set, rows[kept], pulls)
      }
    )
    released[[name]] <- one
    bins <- earlier_bins[[if (is.null(one$tables)) "plain" else "tables"]]
    one$bins <- quantile_breaks(one, one$counts, bins)
    released[[name]]$bins <- one$bins
    y <- draw_amount(
      one, like$codes, part_number(one, shown, rows),
      seed_words(stage_seed(seed, "geometry", 2), name), 1
    )
    file_bins[[name]] <- with_bins(
      plan$n_records, own$records, to_modelled(amount, own$values), one$bins
    )
    set_bins[[name]] <- with_bins(nrow(set), rows, y, one$bins)
  }
  released
}

#' Bins of a column for all records: the first for those without a value
#' @return (factor)
#' @noRd
with_bins <- function(n, records, y, breaks) {
  bins <- rep(1L, n)
  bins[records] <- findInterval(y, breaks) + 2L
  levels <- seq_len(levels_of_bins())
  structure(bins, levels = as.character(levels), class = "factor")
}

#' Predictors of an amount: the block, its own part, earlier amounts
#' @param codes (integer matrix) Of all records.
#' @param rows (integer) Records with values.
#' @param bins (named list of factor) Of earlier amounts, of all records.
#' @return (list) `codes` (integer matrix, a row for each of `rows`), `levels`
#'   and `columns` (integer: which column of `codes` each is, `NA` where it is
#'   none, or a part of one).
#' @noRd
amount_predictors <- function(amount, codes, rows, bins, levels) {
  sizes <- predictor_levels(amount, levels, vapply(bins, nlevels, 1L))
  told <- which(sizes > 1)
  # Column by column: of a large file one copy is enough
  found <- matrix(
    0L, length(rows), length(told), dimnames = list(NULL, names(told))
  )
  for (k in seq_along(told)) {
    name <- names(told)[k]
    found[, k] <- if (told[k] > ncol(codes)) {
      as.integer(bins[[name]])[rows]
    } else if (name == amount$name) {
      match(codes[rows, told[k]], amount$part)
    } else {
      codes[rows, told[k]]
    }
  }
  whole <- told <= ncol(codes) & names(told) != amount$name
  list(
    codes = found, levels = unname(sizes[told]),
    columns = unname(ifelse(whole, told, NA))
  )
}

#' What the block's tables tell of an amount's predictors
#' @param axes (list) See block_axes().
#' @param columns (integer) See amount_predictors().
#' @noRd
axes_of_predictors <- function(axes, columns) {
  lapply(columns, function(j) if (!is.na(j)) axes[[j]])
}

#' Which records of a set have values of an amount
#' @noRd
valued_rows <- function(amount, set) {
  if (!amount$name %in% colnames(set)) {
    return(seq_len(nrow(set)))
  }
  which(set[, amount$name] %in% amount$part)
}

#' How many records each part with values has, as released
#' @noRd
part_sizes <- function(amount, block, levels) {
  own <- match(amount$name, names(levels))
  if (is.na(own)) block$n else block$margins[[own]][amount$part]
}
