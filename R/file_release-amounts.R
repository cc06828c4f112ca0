# All amounts of a file release, one after the other: earlier ones are
# predictors of later ones, in bins.

#' @param set (integer matrix) Codes of a synthetic set.
#' @noRd
release_amounts <- function(plan, spending, block, set, seed) {
  specs <- column_specs(plan$codebook)
  published <- intersect(names(plan$amounts), plan$published)
  # Of records of the file and of the set, which has its published columns
  file_bins <- set_bins <- lapply(
    plan$amounts[published], published_bins, plan$n_records
  )
  unseen <- unseen_pairs(block, set)
  unknown <- unknown_tables(block)
  released <- list()
  for (name in names(spending$amounts)) {
    tell_long_step(paste("Measuring", name), block$n * ncol(plan$codes))
    amount <- amount_model(specs[[name]], plan$schema[[name]])
    own <- plan$amounts[[name]]
    file <- amount_predictors(
      amount, plan$codes[own$records, , drop = FALSE],
      lapply(file_bins, `[`, own$records), plan$levels
    )
    shown <- set
    rows <- valued_rows(amount, shown)
    # A set without a value needs one record that the geometry is made of
    if (length(rows) == 0) {
      rows <- 1L
      shown[1, name] <- amount$part[1]
    }
    like <- amount_predictors(
      amount, shown[rows, , drop = FALSE], lapply(set_bins, `[`, rows),
      plan$levels
    )
    n <- max(1, valued_size(amount, block, plan$levels))
    one <- release_amount(
      amount, list(
        name = name, predictors = file$codes,
        y = to_modelled(amount, own$values)
      ), like$codes, file$levels, spending$amounts[[name]], n,
      stage_seed(seed, name),
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
      one, like$codes, range_group(one, shown[rows, , drop = FALSE]),
      seed_words(stage_seed(seed, "geometry", 2), name), 1
    )
    file_bins[[name]] <- with_bins(
      plan$n_records, own$records, to_modelled(amount, own$values), one$bins
    )
    set_bins[[name]] <- with_bins(nrow(set), rows, y, one$bins)
  }
  released
}

#' Levels of an amount in bins: as many whatever was released, since the cost is
#' known beforehand; a set may have no record in some
#' @param published (logical)
#' @return (integer)
#' @noRd
levels_of_bins <- function(published) {
  bins <- ifelse(published, earlier_bins[["plain"]], max(earlier_bins))
  as.integer(bins) + 1L
}

#' Bins of a column for all records: the first for those without a value
#' @return (factor)
#' @noRd
with_bins <- function(n, records, y, breaks, published = FALSE) {
  bins <- rep(1L, n)
  bins[records] <- findInterval(y, breaks) + 2L
  levels <- seq_len(levels_of_bins(published))
  structure(bins, levels = as.character(levels), class = "factor")
}

#' Predictors of an amount: the block, its own part, earlier amounts
#' @param codes (integer matrix) Of records with values.
#' @param bins (named list of factor) Of earlier amounts.
#' @return (list) `codes` (integer matrix) and `levels`.
#' @noRd
amount_predictors <- function(amount, codes, bins, levels) {
  own <- match(amount$name, colnames(codes))
  if (!is.na(own)) codes[, own] <- match(codes[, own], amount$part)
  # Without records, nothing to bind would be a column
  if (length(bins) > 0) {
    codes <- cbind(codes, do.call(cbind, lapply(bins, as.integer)))
  }
  sizes <- predictor_levels(amount, levels, vapply(bins, nlevels, 1L))
  told <- sizes > 1
  list(codes = codes[, told, drop = FALSE], levels = unname(sizes[told]))
}

#' Levels of these predictors, those of one level among them
#' @param levels (named list) Of the block's columns.
#' @param earlier (named integer) Levels of amounts in bins.
#' @return (named integer)
#' @noRd
predictor_levels <- function(amount, levels, earlier) {
  sizes <- lengths(levels)
  own <- match(amount$name, names(levels))
  if (!is.na(own)) sizes[own] <- length(amount$part)
  c(sizes, earlier)
}

#' Which records of a set have values of an amount
#' @noRd
valued_rows <- function(amount, set) {
  if (!amount$name %in% colnames(set)) {
    return(seq_len(nrow(set)))
  }
  which(set[, amount$name] %in% amount$part)
}

#' How many have, as released
#' @noRd
valued_size <- function(amount, block, levels) {
  own <- match(amount$name, names(levels))
  if (is.na(own)) {
    return(block$n)
  }
  sum(block$margins[[own]][amount$part])
}

#' Records that may swap values: of parts with the same range
#' @param codes (integer matrix) Of records with values.
#' @noRd
range_group <- function(amount, codes) {
  if (!amount$name %in% colnames(codes)) {
    return(rep(1L, nrow(codes)))
  }
  ends <- paste(amount$parts$low, amount$parts$high)
  match(ends, unique(ends))[match(codes[, amount$name], amount$part)]
}

#' Bins of equal counts of an amount that is published as it is
#' @noRd
published_bins <- function(own, n) {
  with_bins(
    n, own$records, own$values, published_breaks(own), published = TRUE
  )
}

published_breaks <- function(own) {
  bins <- earlier_bins[["plain"]]
  inner <- seq_len(bins - 1) / bins
  unique(stats::quantile(own$values, inner, names = FALSE))
}
