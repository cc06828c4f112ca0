# Seeds: one of the user's becomes two words of the core for each purpose, and
# one for each stage of a job.

#' Compute the seed of a stage of a job
#'
#' Returns the seed that a job derives from its own seed for one of its stages:
#' `pseudo_posterior(seed = s)` runs each stage at `stage_seed(s, stage)`. With
#' these seeds, running the steps one by one gives the same result.
#'
#' | stage | what is run at its seed |
#' |---|---|
#' | `"unweighted"` | the first fit |
#' | `"weighted"` | the refit with weights; `"weighted_e"` numbers its refits |
#' | `"censored"` | the fit under a censoring rule |
#' | `"solve"`, `"reweight"` | [solve_weights()], [reweight()] |
#' | `"first"` | [two_stage_weights()] |
#' | `"risk"` | [synthesize()] for risk weights |
#' | `"margin"` | [perturbed_histogram()] |
#' | `"score"` | [score_release()] |
#' | `"sets"` | [synthesize()] |
#'
#' Refit k of a search runs at `stage_seed(own, "refit", k)`, where `own` is the
#' search's own seed.
#'
#' Every function that draws turns its seed into the 64 bits mix(mix(mix(seed) ^
#' FNV-1a(purpose)) ^ number), where mix is a step of splitmix64, FNV-1a a hash
#' of the purpose's bytes, and the purpose a word such as `"fit"`, `"refit"` or
#' `"synthesize"`. A fit and a synthesis at the same seed have no random numbers
#' in common, and neither do runs at neighbouring seeds. A stage's seed is the
#' upper 53 of these bits. The same seed gives the same bits on every platform.
#'
#' @param seed (whole number from 0 to 2^53 or `NULL`) The job's seed. `NULL`
#'   (the operating system's entropy) returns `NULL`.
#' @param stage (string) The name of the stage, as in the table.
#' @param number (whole number from 0 to 2^53) Which repetition of the stage.
#'   Default 1.
#' @return (whole number below 2^53, or `NULL`)
#' @section Error types: `pseudosynth_error_input`: a value out of range.
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
  if (is_job_seed(seed)) {
    return(job_seed(stage_seed(seed$value, stage, number), seed$run))
  }
  if (is.null(seed)) {
    return(NULL)
  }
  numbered_seed(seed, stage, number)
}

#' The seeds of stages 1 to n of one name
#' @return (list) Of stage_seed().
#' @noRd
stage_seeds <- function(seed, stage, n) {
  value <- if (is_job_seed(seed)) seed$value else seed
  lapply(seq_len(n), function(number) {
    own <- if (!is.null(value)) numbered_seed(value, stage, number)
    if (is_job_seed(seed)) job_seed(own, seed$run) else own
  })
}

numbered_seed <- function(seed, stage, number) {
  number_of_words(stream_seed_(seed, enc2utf8(stage), number))
}

#' The first 53 bits of words as a whole number
#' @noRd
number_of_words <- function(words) words[1] * 2^21 + floor(words[2] / 2^11)

#' The seed of a job that runs: the user's, or none, and what the job keeps
#'
#' It goes where seeds go, so that whatever draws knows the job.
#' @param value (whole number or `NULL`)
#' @param run (environment) See new_run().
#' @noRd
job_seed <- function(value, run) {
  structure(
    list(value = value, run = run, mark = genuine_job), class = "job_seed"
  )
}

# Its address tells our own from a list that somebody has given the class:
# words of that list's choice would draw sets that are not marked as seeded
genuine_job <- new.env(parent = emptyenv())

is_job_seed <- function(seed) {
  inherits(seed, "job_seed") && identical(unclass(seed)$mark, genuine_job)
}

check_seed <- function(seed, arg = "seed") {
  if (is.null(seed) || is_job_seed(seed)) {
    return(invisible(NULL))
  }
  check_number(seed, min = 0, max = 2^53, arg = arg)
  refuse_if(
    seed != floor(seed), "{.arg {arg}} must be a whole number or {.code NULL}.",
    arg = arg
  )
  invisible(seed)
}

#' The number that the user gave, or `NULL`
#' @noRd
given_seed <- function(seed) {
  if (is_job_seed(seed)) seed$value else seed
}

#' What the job that runs keeps; `NULL` outside of one
#' @noRd
run_of <- function(seed) if (is_job_seed(seed)) seed$run

is_seeded <- function(seed) !is.null(given_seed(seed))

#' A seed as two 32-bit words, high and low
#'
#' Without a number: the operating system's entropy, or a checkpoint's, which
#' had its own from there; see entropy_words().
#' @param purpose (string) Who draws: a word of its own for each consumer. Not
#'   used where there is no seed.
#' @param number (count) Which stream of the purpose.
#' @noRd
seed_words <- function(seed, purpose = NULL, number = 0) {
  value <- given_seed(seed)
  if (is.null(value)) {
    return(entropy_words(run_of(seed)))
  }
  stream_seed_(value, purpose, number)
}

#' Two words of the system's entropy, or the next of a checkpoint's
#' @param run (environment or `NULL`) Of the job, see new_run().
#' @noRd
entropy_words <- function(run = NULL) {
  if (is.null(run$entropy)) {
    return(entropy_seed_())
  }
  run$words <- run$words + 1
  hash <- cli::hash_sha256(sprintf("%s %.0f", run$entropy, run$words))
  as.double(paste0("0x", substring(hash, c(1, 9), c(8, 16))))
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
