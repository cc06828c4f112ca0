study_of <- function(fit, ...) {
  replicate_study(fit, 10, replicates = 4, seed = 5, ...)
}

worker_fit <- function() {
  data <- withr::with_seed(3, data.frame(y = stats::rt(60, 5)))
  fit <- fit_synthesizer(y ~ 1, data, student_t(5),
    prior = prior_normal(intercept = c(0, 5)), chains = 2, warmup = 200,
    draws = 500, seed = 1, threads = 1
  )
  update(fit, privacy_weights = lipschitz_weights(fit), seed = 2)
}

test_that("studies and comparisons are the same on workers as here", {
  lw <- worker_fit()
  spread <- 2
  drawn <- function(r) data.frame(y = spread * stats::rnorm(40))
  # What the user's function takes from the workspace goes with it
  environment(drawn) <- globalenv()
  assign("spread", spread, envir = globalenv())
  withr::defer(rm("spread", envir = globalenv()))
  compare_of <- function() {
    suppressWarnings(suppressMessages(compare(
      log(income) ~ age, privacy_data(), gaussian(), c("lw", "unweighted"),
      epsilon = 1000, m = 2, prior = prior_normal(1, c(10.8, 2.5)),
      tolerance = 0.2, chains = 2, warmup = 200, draws = 500, seed = 3
    )))
  }
  here <- list(study_of(lw), study_of(lw, generate = drawn), compare_of())
  local_workers()
  there <- list(study_of(lw), study_of(lw, generate = drawn), compare_of())
  for (i in 1:2) {
    expect_identical(there[[i]]$table, here[[i]]$table)
    expect_identical(there[[i]]$estimands, here[[i]]$estimands)
  }
  same <- setdiff(names(here[[3]]$table), "seconds")
  expect_identical(there[[3]]$table[same], here[[3]]$table[same])
})

test_that("a worker that dies is an error, and no finished row is lost", {
  local_workers()
  file <- withr::local_tempfile(fileext = ".rds")
  fatal <- function(dies) {
    own <- Sys.getpid()
    function(i) {
      if (i == 3 && dies && Sys.getpid() != own) {
        Sys.sleep(1)
        tools::pskill(Sys.getpid(), tools::SIGKILL)
        Sys.sleep(10)
      }
      10 * i
    }
  }
  keys <- vapply(1:4, row_key, "")
  run <- function(dies) {
    finished_rows(
      4, fatal(dies), "a row",
      kept = open_rows_file(file, keys)
    )
  }
  error <- expect_error(run(TRUE), class = "pseudosynth_error_worker")
  expect_match(conditionMessage(error), "Set the plan again")
  expect_true(all(1:2 %in% open_rows_file(file, keys)$numbers))
  future::plan("sequential")
  expect_identical(run(TRUE)$rows, list(10, 20, 30, 40))
})

test_that("an error on a worker is the user's, and keeps what is finished", {
  local_workers()
  file <- withr::local_tempfile(fileext = ".rds")
  keys <- vapply(1:3, row_key, "")
  expect_error(
    finished_rows(3, function(i) {
      if (i == 2) {
        Sys.sleep(0.5)
        rlang::abort("broken", class = "of_the_user")
      }
      i
    }, "a row", kept = open_rows_file(file, keys)),
    class = "of_the_user"
  )
  expect_true(1L %in% open_rows_file(file, keys)$numbers)
})

test_that("forked workers are refused, where there would be any", {
  skip_if_not_installed("future")
  skip_if_not(future::supportsMulticore())
  old <- future::plan("multicore", workers = 2)
  withr::defer(future::plan(old))
  expect_error(
    finished_rows(2, identity, "a row"), "multisession",
    class = "pseudosynth_error_input"
  )
})

test_that("R's generator is set for a row and put back", {
  withr::local_seed(8)
  before <- get(".Random.seed", globalenv())
  first <- with_r_seed(2^40 + 5, stats::runif(2))
  expect_identical(get(".Random.seed", globalenv()), before)
  withr::local_seed(9, .rng_kind = "Wichmann-Hill")
  expect_identical(with_r_seed(2^40 + 5, stats::runif(2)), first)
  expect_identical(RNGkind()[1], "Wichmann-Hill")
  expect_false(identical(with_r_seed(6, stats::runif(2)), first))
})
