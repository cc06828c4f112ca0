# Seeds: one of the user's becomes two words of the core for each purpose, and
# one for each stage of a job.

#' The seed that a job gives to a stage
#'
#' `pseudo_posterior(seed = s)` runs its stages at seeds of their own,
#' `stage_seed(s, stage)`. With these the steps by hand give what the one call
#' gave.
#'
#' | stage | what is run at its seed |
#' |---|---|
#' | `"unweighted"` | the first fit |
#' | `"weighted"` | the refit with weights; `"weighted_e"` counts its refits |
#' | `"clipped"` | the fit under a censoring rule |
#' | `"solve"`, `"reweight"` | [solve_weights()], [reweight()] |
#' | `"first"` | [two_stage_weights()] |
#' | `"risk"` | [synthesize()] for risk weights |
#' | `"margin"` | [perturbed_histogram()] |
#' | `"score"` | [score_release()] |
#' | `"sets"` | [synthesize()] |
#'
#' Refit k of a search runs at `stage_seed(own, "refit", k)` of the search's own
#' seed.
#'
#' Every function that draws turns its seed into the 64 bits
#' mix(mix(mix(seed) ^ FNV-1a(purpose)) ^ number), where mix is a step of
#' splitmix64, FNV-1a a hash of the purpose's bytes, and the purpose a word such
#' as `"fit"`, `"refit"` or `"synthesize"`. A fit and a synthesis at one seed
#' have no random numbers in common, nor have neighbouring seeds. A stage's seed
#' is the upper 53 of these bits. The same seed gives the same bits on every
#' platform.
#'
#' @param seed (whole number from 0 to 2^53 or `NULL`) The job's. `NULL` gives
#'   `NULL`: the operating system's entropy.
#' @param stage (string) The stage's word.
#' @param number (whole number from 0 to 2^53) Where a stage is repeated: which
#'   one. Default 1.
#' @return (whole number below 2^53, or `NULL`)
#' @section Error types: `pseudosynth_error_input` for a value out of range.
#' @seealso [pseudo_posterior()]
#' @examples
#' stage_seed(14, "unweighted")
#' stage_seed(14, "sets")
#' @export
stage_seed <- function(seed, stage, number = 1) {
  check_present(seed)
  check_seed(seed)
  check_string(stage)
  check_number(number)
  check_seed(number, arg = "number")
  if (is.null(seed)) {
    return(NULL)
  }
  words <- stream_seed_(seed, enc2utf8(stage), number)
  words[1] * 2^21 + floor(words[2] / 2^11)
}

#' A seed as two 32-bit words, high and low
#'
#' Without a seed: the operating system's entropy, or a checkpoint's, which had
#' its own from there; see entropy_words().
#' @param purpose (string) Who draws: a word of its own for each consumer. Not
#'   used where there is no seed.
#' @param number (count) Which stream of the purpose.
#' @noRd
seed_words <- function(seed, purpose = NULL, number = 0) {
  if (is.null(seed)) entropy_words() else stream_seed_(seed, purpose, number)
}

#' Four words as 16 hexadecimal digits
#' @noRd
words_text <- function(words) {
  paste(sprintf("%04x", as.integer(words %% 65536)), collapse = "")
}

#' Distinct row numbers at random
#'
#' Not by R's own generator: its state could be reconstructed from other output
#' of the session.
#' @param n,m (count) `m` of `1..n`.
#' @param words (four words) Of the seed.
#' @return (integer, m)
#' @noRd
random_rows <- function(n, m, words) order(uniforms_(n, words, 0L))[seq_len(m)]
