test_that("the words are those of the documented hash", {
  # Computed apart, in exact integers
  expect_identical(seed_words(0, "fit"), c(305992726, 3684848109))
  expect_identical(seed_words(1, "synthesize"), c(1535095111, 2449350897))
  expect_identical(
    stream_seed_(2^53, enc2utf8("r\u00e9fit"), 7), c(1271769356, 725726311)
  )
  expect_identical(stage_seed(1, "fit", 0), 6444314734901689)
})

test_that("no seed is the system's entropy", {
  words <- seed_words(NULL)
  expect_length(words, 2)
  expect_true(all(words >= 0 & words < 2^32 & words == floor(words)))
  expect_false(identical(words, seed_words(NULL)))
  expect_null(stage_seed(NULL, "sets"))
})

test_that("no two of (seed, purpose, stage) share their words", {
  purposes <- c(
    "fit", "refit", "draws", "synthesize", "margin", "histogram", "predict",
    "unweighted", "weighted", "censored", "sets"
  )
  cases <- expand.grid(
    seed = c(0:99, 2^32 + 0:9, 2^53 - 0:9), purpose = purposes,
    stage = c(0:39, 1e4 * 1:5), stringsAsFactors = FALSE
  )
  words <- mapply(stream_seed_, cases$seed, cases$purpose, cases$stage)
  expect_gt(nrow(cases), 50000)
  expect_identical(anyDuplicated(words[1, ] * 2^21 + words[2, ] %/% 2^11), 0L)
  # All bits are as often 0 as 1, and the halves are uncorrelated
  for (bit in 0:31) {
    ones <- rowMeans(words %/% 2^bit %% 2)
    expect_lt(max(abs(ones - 0.5)), 5 * 0.5 / sqrt(nrow(cases)))
  }
})

test_that("first uniforms of neighbouring seeds and stages are unrelated", {
  n <- 20000
  first <- function(seed, purpose, stage) {
    mapply(function(seed, stage) {
      uniforms_(1, stream_seed_(seed, purpose, stage), 0L)
    }, seed, stage)
  }
  base <- first(seq_len(n), "fit", 0)
  others <- list(
    base[-1], first(seq_len(n), "fit", 1), first(seq_len(n), "refit", 0),
    first(0, "fit", seq_len(n))
  )
  for (other in others) {
    expect_lt(abs(cor(base[seq_along(other)], other)), 4.5 / sqrt(n))
  }
  expect_gt(ks.test(base, "punif")$p.value, 1e-5)
})

test_that("a fit, a refit, a synthesis and a prediction share no stream", {
  asked <- list()
  words_of <- function(seed, purpose = NULL, number = 0) {
    seed <- given_seed(seed)
    if (is.null(seed)) {
      return(entropy_words())
    }
    asked[[length(asked) + 1]] <<- stream_seed_(seed, purpose, 0)
    asked[[length(asked)]]
  }
  before <- seed_words
  utils::assignInNamespace("seed_words", words_of, "pseudosynth")
  withr::defer(utils::assignInNamespace("seed_words", before, "pseudosynth"))
  fit <- fit_synthesizer(
    log(income) ~ age, privacy_data(), gaussian(),
    prior = prior_normal(), chains = 2, warmup = 100, draws = 500, seed = 1
  )
  histogram <- perturbed_histogram(
    log(income) ~ 1, privacy_data(), bounds = c(10, 2e6), epsilon = 1, seed = 1
  )
  update(fit, seed = 1)
  synthesize(fit, 2, margin = histogram, seed = 1)
  rstantools::posterior_predict(fit, draws = 2, seed = 1)
  # fit, histogram, refit, draws, synthesize, margin, predict
  expect_length(asked, 7)
  expect_identical(anyDuplicated(asked), 0L)
})

test_that("seeds 1, 2, 3 share nothing between the stages of a job", {
  stages <- c(
    "unweighted", "weighted", "censored", "solve", "reweight", "first", "risk",
    "margin", "sets"
  )
  own <- outer(1:50, stages, Vectorize(stage_seed))
  expect_identical(anyDuplicated(c(own, 1:50)), 0L)
  expect_true(all(own >= 0 & own < 2^53 & own == floor(own)))
})

test_that("stage_seed() refuses what is no seed, no word, no number", {
  expect_error(stage_seed(-1, "sets"), class = "pseudosynth_error_input")
  expect_error(stage_seed(1, ""), class = "pseudosynth_error_input")
  expect_error(stage_seed(1, "sets", 0.5), class = "pseudosynth_error_input")
})

test_that("random rows are distinct, in range and depend on the seed alone", {
  words <- function(s) seed_words(s, "draws")
  rows <- random_rows(50, 50, words(1))
  expect_setequal(rows, 1:50)
  expect_identical(random_rows(50, 7, words(1)), rows[1:7])
  expect_false(identical(random_rows(50, 7, words(2)), rows[1:7]))
  expect_identical(random_rows(1, 1, words(1)), 1L)
  # Each as likely as any other: chi-square with 7 degrees of freedom exceeds 30
  # once in 10,000 times, and the seeds are fixed
  first <- vapply(1:4000, function(s) random_rows(8, 2, words(s))[2], 1L)
  expect_lt(sum((tabulate(first, 8) - 500)^2 / 500), 30)
})

test_that("a list with the class of a job's seed is no seed", {
  run <- list2env(list(folder = "f", entropy = "known", words = 0))
  forged <- structure(list(value = NULL, run = run), class = "job_seed")
  histogram <- perturbed_histogram(
    dist ~ 1, cars,
    bounds = c(0, 200), epsilon = 1
  )
  refused <- "pseudosynth_error_input"
  expect_error(synthesize(histogram, seed = forged), class = refused)
  expect_error(stage_seed(forged, "sets"), class = refused)
  forged$mark <- new.env()
  expect_error(synthesize(histogram, seed = forged), class = refused)
  expect_null(run_of(forged))
})
