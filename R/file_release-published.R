# Published amounts beside protected columns: in fifths they are further
# published columns of the block, so that tables of pairs tell what protected
# categories have to do with them.

# Bins of a published amount
published_bins <- 5

#' A plan whose published amounts are columns of its block, in bins
#'
#' They cost nothing by themselves; their tables with protected columns do.
#' @param plan (`file_plan`)
#' @return (list) As `plan`, with further columns of `codes` and `levels`.
#' @noRd
with_published_bins <- function(plan) {
  for (name in intersect(names(plan$amounts), plan$published)) {
    bins <- bins_of_published(plan$amounts[[name]], plan$n_records)
    # Of one level it would tell nothing
    if (nlevels(bins) < 2) next
    plan <- with_codes(
      plan, binned_name(name, plan), levels(bins), as.integer(bins)
    )
  }
  plan
}

#' A plan with a further column of codes
#' @noRd
with_codes <- function(plan, column, levels, codes) {
  plan$levels[[column]] <- levels
  plan$codes <- cbind(plan$codes, codes)
  colnames(plan$codes) <- names(plan$levels)
  plan
}

#' Bins of equal counts; a level of its own for records without a value
#' @param own (list) `records` and `values` of the amount.
#' @return (factor, n) Without levels that no record has.
#' @noRd
bins_of_published <- function(own, n) {
  inner <- seq_len(published_bins - 1) / published_bins
  breaks <- unique(stats::quantile(own$values, inner, names = FALSE))
  bin <- integer(n)
  bin[own$records] <- findInterval(own$values, breaks) + 1L
  bins <- seq_len(length(breaks) + 1)
  droplevels(factor(bin, c(0, bins), c("without", paste("bin", bins))))
}

#' A name that no column of the file has
#' @noRd
binned_name <- function(name, plan) {
  taken <- c(names(plan$schema), names(plan$levels))
  utils::tail(make.unique(c(taken, paste(name, "in bins"))), 1)
}

#' Which columns of the block are published: those that the file has not are
#' published amounts in bins
#' @return (logical)
#' @noRd
is_published_code <- function(plan) {
  names <- names(plan$levels)
  names %in% plan$published | !names %in% names(plan$schema)
}

#' Codes of the file's own columns
#' @noRd
without_bins <- function(codes, schema) {
  codes[, colnames(codes) %in% names(schema), drop = FALSE]
}
