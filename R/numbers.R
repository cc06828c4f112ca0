# Small numeric helpers that many files use.

clamp <- function(x, low = 0, high = 1) {
  pmin(pmax(x, low), high)
}

log_sum <- function(x) {
  high <- max(x)
  if (!is.finite(high)) high else high + log(sum(exp(x - high)))
}

#' The share of each value
#' @param y (vector) A response of any type.
#' @param values (vector or `NULL`) The values to look for; by default those
#'   that `y` can have.
#' @return (named double) In the order of `values`.
#' @noRd
value_shares <- function(y, values = possible_values(y)) {
  found <- match(as.character(y), as.character(values))
  shares <- tabulate(found, length(values)) / length(y)
  stats::setNames(shares, as.character(values))
}

possible_values <- function(y) {
  if (is.factor(y)) {
    levels(y)
  } else if (is.logical(y)) {
    c(FALSE, TRUE)
  } else if (is.character(y)) {
    distinct_text(y)
  } else {
    sort(unique(y), method = "radix")
  }
}
