# Small numeric helpers that many files use.

clamp <- function(x, low = 0, high = 1) {
  pmin(pmax(x, low), high)
}

is_positive <- function(x) {
  is.numeric(x) && length(x) == 1 && is.finite(x) && x > 0
}

log_sum <- function(x) {
  high <- max(x)
  if (!is.finite(high)) high else high + log(sum(exp(x - high)))
}
