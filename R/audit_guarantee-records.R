# Records of a file and arbitrary ones, for the audit of a file release.

#' Records as a table of codes and one of amounts, `NA` where there is no value
#' @return (list) `codes` and `values` (matrix, a column for each amount).
#' @noRd
file_records <- function(plan) {
  n <- nrow(plan$codes)
  values <- vapply(plan$amounts, function(own) {
    all <- rep(NA_real_, n)
    all[own$records] <- own$values
    all
  }, numeric(n))
  list(codes = plan$codes, values = matrix(
    values, n, dimnames = list(NULL, names(plan$amounts))
  ))
}

some_records <- function(file, at) {
  lapply(file, function(x) x[at, , drop = FALSE])
}

#' Records of any levels and values that the codebook allows
#' @param ends (number) The share of amounts at either end of their part.
#' @return (list) See file_records().
#' @noRd
arbitrary_records <- function(plan, n, words, ends = 0.2) {
  sizes <- lengths(plan$levels)
  codes <- vapply(seq_along(sizes), function(j) {
    ceiling(sizes[j] * uniforms_(n, words, j))
  }, numeric(n))
  codes <- matrix(
    as.integer(pmax(codes, 1)), n, dimnames = list(NULL, names(sizes))
  )
  specs <- column_specs(plan$codebook)
  values <- vapply(seq_along(plan$amounts), function(k) {
    name <- names(plan$amounts)[k]
    amount <- amount_model(specs[[name]])
    at <- valued_rows(amount, codes)
    u <- uniforms_(n, words, length(sizes) + k)[at]
    u <- clamp((u - ends) / (1 - 2 * ends), 0, 1)
    part <- part_number(amount, codes, at)
    range <- modelled_ends(amount)[part, , drop = FALSE]
    all <- rep(NA_real_, n)
    all[at] <- response_transforms[[amount$transform]]$back(
      range[, 1] + u * (range[, 2] - range[, 1])
    )
    all
  }, numeric(n))
  list(codes = codes, values = matrix(
    values, n, dimnames = list(NULL, names(plan$amounts))
  ))
}

random_records <- function(n, m, words, stream) {
  as.integer(pmax(1, ceiling(n * uniforms_(m, words, stream))))
}

#' Arbitrary records with the published columns of some records of the file
#' @param plan (list) See with_published_bins().
#' @noRd
with_published <- function(far, file, kept, plan) {
  published <- c(plan$published, names(plan$levels)[is_published_code(plan)])
  Map(function(far, own) {
    fixed <- intersect(colnames(own), published)
    far[, fixed] <- own[kept, fixed]
    far
  }, far, file)
}
