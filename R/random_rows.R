# Which draws become synthetic sets. R's own generator is neither used nor
# moved: its state could be reconstructed from other output of the session.

#' Distinct row numbers at random
#'
#' Partial Fisher-Yates shuffle driven by L'Ecuyer's combined multiple recursive
#' generator MRG32k3a, whose products are exact in doubles.
#' @param n,m (count) `m` of `1..n`.
#' @param seed (two numbers in \[0, 2^32)) High and low word.
#' @return (integer, m)
#' @noRd
random_rows <- function(n, m, seed) {
  uniform <- uniform_stream(seed)
  rows <- seq_len(n)
  for (j in seq_len(m)) {
    pick <- j + floor(uniform() * (n - j + 1))
    rows[c(j, pick)] <- rows[c(pick, j)]
  }
  rows[seq_len(m)]
}

#' A function that gives the next uniform number in (0, 1)
#' @noRd
uniform_stream <- function(seed) {
  m1 <- 4294967087
  m2 <- 4294944443
  a <- c(seed[1], seed[2], 12345) %% m1
  b <- c(seed[2], seed[1], 67891) %% m2
  step <- function() {
    next_a <- (1403580 * a[2] - 810728 * a[1]) %% m1
    next_b <- (527612 * b[3] - 1370589 * b[1]) %% m2
    a <<- c(a[2:3], next_a)
    b <<- c(b[2:3], next_b)
    ((next_a - next_b) %% m1 + 0.5) / (m1 + 1)
  }
  # The first steps still show how the seed was laid out
  for (burn in 1:20) step()
  step
}
