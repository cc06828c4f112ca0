# No test's outcome is left to the system's entropy. Whether a fit without a
# seed converges would be: such fits take the numbers of a fixed seed, unless a
# checkpoint has its own or the option `tests.entropy` is TRUE.
local({
  words <- seed_words
  utils::assignInNamespace(
    "seed_words", function(seed, purpose = NULL, number = 0) {
      fixed <- !is_seeded(seed) && any(purpose == c("fit", "refit")) &&
        is.null(run_of(seed)$folder) && !isTRUE(getOption("tests.entropy"))
      words(if (fixed) 1 else seed, purpose, number)
    }, "pseudosynth"
  )
})

# Sets and noise without a seed are fixed as well until the test ends: for what
# may have no seed, such as a release. Identities and orders of rows are not.
local_fixed_chance <- function(frame = parent.frame()) {
  given <- 0
  seed_of <- function(seed) given_seed(seed) %||% (given <<- given + 1)
  words <- seed_words
  noise_of <- draw_noise
  laplace <- discrete_laplace
  local_replaced("seed_words", function(seed, purpose = NULL, number = 0) {
    words(if (!is.null(purpose)) seed_of(seed), purpose, number)
  }, frame)
  local_replaced("draw_noise", function(noise, n, seed) {
    noise_of(noise, n, seed_of(seed))
  }, frame)
  local_replaced("discrete_laplace", function(n, rate, seed = NULL) {
    laplace(n, rate, seed_of(seed))
  }, frame)
}
