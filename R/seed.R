# Seeds: one of the user's becomes one for each stage, and the core's two words.

#' A seed as two 32-bit words, high and low
#' @noRd
seed_words <- function(seed) {
  if (is.null(seed)) {
    return(entropy_seed_())
  }
  c(floor(seed / 2^32), seed %% 2^32)
}

#' Every stage has a seed of its own
#' @noRd
stage_seed <- function(seed, stage) {
  if (is.null(seed)) NULL else (seed + stage) %% 2^53
}
