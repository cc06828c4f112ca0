quietly <- function(code) suppressMessages(code)

# What a job without a folder gives
alone_outcome <- function() {
  remember("checkpoint_alone", job_outcome(weighted_job()))
}

test_that("a job that dies at any point goes on as if it had not", {
  alone <- alone_outcome()
  # The job, each chain and fit of three stages, the result. By day the job, a
  # chain and a fit, all of a later stage, and the result
  all_files <- 2 + 3 * 3
  for (death in by_night(seq_len(all_files), c(1, 4, 6, 10, all_files))) {
    path <- new_folder()
    expect_identical(die_at(death, weighted_job(path)), "dead")
    again <- if (death == 1) weighted_job(path) else quietly(resume(path))
    expect_identical(job_outcome(again), alone)
    expect_setequal(kept_in(path), c("log.txt", "result"))
    # Finished, it gives its result and no other one
    expect_identical(job_outcome(quietly(resume(path))), alone)
  }
  # It writes no file more
  expect_identical(
    die_at(all_files + 1, weighted_job(new_folder())), "alive"
  )
})

test_that("a finished stage is not run again", {
  path <- new_folder()
  expect_identical(die_at(8, weighted_job(path)), "dead")
  expect_setequal(
    kept_in(path), c("job", "log.txt", "step-001", "step-002")
  )
  runs <- 0
  sample <- sample_posterior_
  local_replaced("sample_posterior_", function(spec, control) {
    runs <<- runs + 1
    expect_identical(lengths(control$kept) > 0, c(FALSE, FALSE))
    sample(spec, control)
  })
  job <- quietly(resume(path))
  expect_identical(runs, 1)
  expect_match(
    readLines(file.path(path, "log.txt")), "fit: taken from the checkpoint",
    all = FALSE
  )
})

test_that("finished chains of an unfinished stage are not run again", {
  path <- new_folder()
  expect_identical(die_at(3, weighted_job(path)), "dead")
  expect_setequal(kept_in(path), c("job", "log.txt", "step-001-1-001"))
  seen <- list()
  sample <- sample_posterior_
  local_replaced("sample_posterior_", function(spec, control) {
    seen <<- c(seen, list(lengths(control$kept) > 0))
    sample(spec, control)
  })
  expect_identical(
    job_outcome(quietly(resume(path))), alone_outcome()
  )
  expect_identical(seen[[1]], c(TRUE, FALSE))
})

test_that("without a seed the entropy of the start is taken again", {
  withr::local_options(tests.entropy = TRUE)
  path <- new_folder()
  # The margin is kept: nothing is drawn by the system any more
  die_at(6, strict_job(path))
  expect_true("step-002" %in% kept_in(path))
  folders <- list(path, copy_folder(path))
  found <- lapply(folders, function(path) job_outcome(quietly(resume(path))))
  expect_identical(found[[1]], found[[2]])
  expect_false(found[[1]]$label$reproducible)
  # Another job draws other sets
  other <- job_outcome(strict_job())
  expect_false(identical(other$synthetic, found[[1]]$synthetic))
  expect_false(any(other$label$charges$id %in% found[[1]]$label$charges$id))
})

test_that("exact noise that was not kept is drawn and charged anew", {
  path <- new_folder()
  die_at(5, strict_job(path))
  expect_setequal(kept_in(path), c("job", "log.txt", "step-001"))
  folders <- list(path, copy_folder(path))
  found <- lapply(folders, function(path) quietly(resume(path)))
  margins <- lapply(found, function(job) job$internal$margin)
  expect_false(identical(margins[[1]]$noisy, margins[[2]]$noisy))
  expect_false(margins[[1]]$id == margins[[2]]$id)
  # The fit and its draws are the same ones
  expect_identical(
    found[[1]]$internal$fits[[1]]$draws, found[[2]]$internal$fits[[1]]$draws
  )
  ids <- lapply(found, function(job) guarantee(job)$charges$id)
  expect_length(intersect(ids[[1]], ids[[2]]), 1)
})

test_that("a resumed job is charged once and releases the same sets", {
  skip_if_not_installed("jsonlite")
  book_file <- tempfile(fileext = ".ledger")
  withr::defer(unlink(book_file))
  # All of the budget
  book <- ledger(book_file, epsilon = 4)
  path <- new_folder()
  # The entry is written, the result is not
  die_at(6, strict_job(path, ledger = book))
  # That of the histogram, before its noise, and that of the sets
  expect_identical(nrow(as.data.frame(book)), 2L)
  again <- copy_folder(path)
  first <- quietly(resume(path))
  expect_equal(as.data.frame(book)$spent, c(1.6, 4))
  expect_true(all(guarantee(first)$charges$id %in% ledger_charges(book)$id))
  # A copy of the folder gives nothing new either
  second <- quietly(resume(again))
  expect_identical(second$synthetic, first$synthetic)
  expect_identical(nrow(as.data.frame(book)), 2L)
  # Another job is another release
  expect_error(
    strict_job(new_folder(), ledger = book),
    class = "pseudosynth_error_budget"
  )
})

test_that("a score release that was kept is the one that is released", {
  score <- function(path) {
    pseudo_posterior(log(income) ~ age + earner, privacy_data(), gaussian(),
      mechanism = "score", epsilon = 4, bounds = c(10, 2e6),
      reference = list("(Intercept)" = 10.8, sigma = 1), checkpoint = path
    )
  }
  path <- new_folder()
  die_at(3, score(path))
  expect_setequal(kept_in(path), c("job", "log.txt", "step-001"))
  folders <- list(path, copy_folder(path))
  found <- lapply(folders, function(path) job_outcome(quietly(resume(path))))
  expect_identical(found[[1]]$synthetic, found[[2]]$synthetic)
  expect_identical(found[[1]]$label, found[[2]]$label)
})

test_that("a folder is its owner's alone, and so are its files", {
  skip_on_os("windows")
  path <- new_folder()
  mask <- Sys.umask("000")
  withr::defer(Sys.umask(mask))
  die_at(8, weighted_job(path))
  expect_identical(format(file.info(path)$mode), "700")
  modes <- format(file.info(dir(path, full.names = TRUE))$mode)
  expect_identical(unique(modes), "600")
  quietly(resume(path))
  modes <- format(file.info(dir(path, full.names = TRUE))$mode)
  expect_identical(unique(modes), "600")
  for (mode in c("750", "701", "707")) {
    open <- new_folder()
    dir.create(open)
    Sys.chmod(open, mode, use_umask = FALSE)
    expect_error(
      weighted_job(open),
      class = "pseudosynth_error_checkpoint"
    )
    expect_identical(kept_in(open), character())
  }
})

test_that("a folder of anything else is refused and left as it is", {
  path <- new_folder()
  die_at(4, weighted_job(path))
  before <- tools::md5sum(dir(path, full.names = TRUE))
  other <- list(
    quote(weighted_job(path, seed = 15)), quote(strict_job(path)),
    quote(weighted_job(path, scale = 0.5)),
    quote(weighted_job(path, neighbours = "replace"))
  )
  for (code in other) {
    error <- expect_error(eval(code), class = "pseudosynth_error_checkpoint")
    expect_match(conditionMessage(error), "another job")
  }
  after <- tools::md5sum(dir(path, full.names = TRUE))
  expect_identical(after, before)
  full <- new_folder()
  dir.create(full, mode = "0700")
  writeLines("mine", file.path(full, "note.txt"))
  for (code in list(quote(weighted_job(full)), quote(resume(full)))) {
    expect_error(eval(code), class = "pseudosynth_error_checkpoint")
  }
  expect_identical(kept_in(full), "note.txt")
  for (code in list(
    quote(resume(tempfile())), quote(resume(1)), quote(resume()),
    quote(resume(path, ledger = "book")), quote(weighted_job(1)),
    quote(weighted_job(file.path(tempfile(), "deeper")))
  )) {
    expect_error(eval(code), class = "pseudosynth_error_input")
  }
})

test_that("a folder in use is refused, that of a dead process is not", {
  path <- new_folder()
  die_at(4, weighted_job(path))
  lock <- file.path(path, "lock")
  dir.create(lock)
  writeLines(c(process_name(), "lock.1"), file.path(lock, "owner"))
  expect_error(resume(path), class = "pseudosynth_error_locked")
  expect_true(file.exists(file.path(lock, "owner")))
  skip_if_not(dir.exists("/proc/self"))
  gone <- sub(" [0-9]+$", " 1", process_name())
  writeLines(c(gone, "lock.1"), file.path(lock, "owner"))
  # What a process leaves that dies while it writes
  writeLines("half", file.path(path, "step-002.part"))
  expect_identical(
    job_outcome(quietly(resume(path))), alone_outcome()
  )
  expect_setequal(kept_in(path), c("log.txt", "result"))
})

test_that("a damaged file and another version are errors that lose nothing", {
  path <- new_folder()
  die_at(5, weighted_job(path))
  step <- file.path(path, "step-001")
  bytes <- readBin(step, "raw", 1e7)
  for (damaged in list(bytes[1:5000], replace(bytes, 4000, as.raw(7)), raw())) {
    writeBin(damaged, step)
    error <- expect_error(
      quietly(resume(path)),
      class = "pseudosynth_error_checkpoint"
    )
    expect_match(conditionMessage(error), "step-001")
  }
  # It is made again
  unlink(step)
  kept <- read_kept(file.path(path, "job"))
  kept$version <- "0.0.1"
  old <- copy_folder(path)
  write_kept(kept, file.path(old, "job"))
  expect_error(resume(old), "0.0.1", class = "pseudosynth_error_checkpoint")
  expect_identical(
    job_outcome(quietly(resume(path))), alone_outcome()
  )
})

test_that("a full disk loses neither fits nor steps", {
  path <- new_folder()
  put <- put_bytes
  full <- 0
  local_replaced("put_bytes", function(bytes, file, mode = "wb") {
    if (full > 0 && mode == "wb" && basename(file) >= full) return(FALSE)
    put(bytes, file, mode)
  })
  full <- "step-002"
  error <- expect_error(weighted_job(path), class = "pseudosynth_error_write")
  expect_named(error$fits, c("unweighted", "last"))
  expect_identical(
    error$fits$last$draws, weighted_job()$internal$fits$lw$draws
  )
  expect_setequal(kept_in(path), c("job", "log.txt", "step-001"))
  full <- 0
  expect_identical(
    job_outcome(quietly(resume(path))), alone_outcome()
  )
  # The result itself
  path <- new_folder()
  local_replaced("remove_steps", function(path) stop("They were removed."))
  local_replaced("put_bytes", function(bytes, file, mode = "wb") {
    basename(file) != "result.part" && put(bytes, file, mode)
  })
  expect_warning(
    job <- weighted_job(path),
    class = "pseudosynth_warning_checkpoint"
  )
  expect_identical(job_outcome(job), alone_outcome())
  expect_true("step-003" %in% kept_in(path))
})

test_that("the condition of a failed stage carries the finished fits", {
  failing <- function(...) {
    suppressWarnings(suppressMessages(pseudo_posterior(
      log(income) ~ age + earner, privacy_data(), gaussian(),
      mechanism = "lw", prior = prior_normal(), chains = 2, seed = 1, ...
    )))
  }
  # The unweighted fit has not converged
  error <- expect_error(
    failing(warmup = 10, draws = 10),
    class = "pseudosynth_error_privacy"
  )
  expect_named(error$fits, "unweighted")
  expect_s3_class(error$fits$unweighted, "synthesizer")
  # The target is out of reach
  error <- expect_error(
    failing(warmup = 200, draws = 1000, epsilon = 1e-9, max_refits = 2),
    class = "pseudosynth_error_unreachable"
  )
  expect_identical(names(error$fits), c("unweighted", "weighted", "last"))
  error <- expect_error(failing(draws = 100, mechanism2 = 1))
  expect_null(error$fits)
})

test_that("an interrupted fit is not kept", {
  path <- new_folder()
  sample <- sample_posterior_
  local_replaced("sample_posterior_", function(spec, control) {
    control$keep <- control$kept <- NULL
    result <- sample(spec, control)
    result$interrupted <- TRUE
    result
  })
  # Nor does the job go on from it, since later steps would be kept
  error <- expect_error(
    weighted_job(path, allow_unconverged = TRUE),
    class = "pseudosynth_error_interrupt"
  )
  expect_setequal(kept_in(path), c("job", "log.txt"))
  expect_true(error$fits$last$interrupted)
  local_replaced("sample_posterior_", sample)
  expect_identical(
    job_outcome(quietly(resume(path))), alone_outcome()
  )
})

test_that("a formula's constants come back, its workspace not", {
  path <- new_folder()
  secret <- "MARKWORKSPACE"
  k <- 1000
  run <- function(path) {
    pseudo_posterior(asinh(y / k) ~ I(x / k), leak_file(), gaussian(),
      mechanism = "unweighted", chains = 2, warmup = 200, draws = 1000,
      prior = prior_normal(), seed = 3, threads = 1, checkpoint = path
    )
  }
  die_at(4, run(path))
  bytes <- readBin(file.path(path, "job"), "raw", 1e7)
  expect_length(grepRaw("MARKWORKSPACE", bytes, fixed = TRUE), 0)
  rm(k)
  resumed <- quietly(resume(path))
  k <- 1000
  expect_identical(job_outcome(resumed), job_outcome(quietly(run(NULL))))
})

test_that("the log says what was done and no value of the file", {
  path <- new_folder()
  data <- leak_file()
  suppressMessages(pseudo_posterior(log(y) ~ group + x, data, gaussian(),
    mechanism = "lw", prior = prior_normal(), chains = 2, warmup = 200,
    draws = 1000, seed = 1, checkpoint = path
  ))
  log <- readLines(file.path(path, "log.txt"))
  expect_nothing_said(log, "log")
  expect_match(log[1], "started by process")
  expect_match(log, "chain 2 of 2: finished", all = FALSE)
  expect_match(utils::tail(log, 1), "the job is finished")
  # One that fails says of which class
  path <- new_folder()
  try(suppressWarnings(suppressMessages(pseudo_posterior(log(y) ~ group + x,
    data, gaussian(),
    mechanism = "lw", prior = prior_normal(), chains = 2, warmup = 10,
    draws = 10, seed = 1, checkpoint = path
  ))), silent = TRUE)
  log <- readLines(file.path(path, "log.txt"))
  expect_match(utils::tail(log, 1), "stopped by an error: pseudosynth_error")
  expect_nothing_said(log, "log")
})

test_that("killed processes are resumed with identical draws", {
  skip_on_cran()
  skip_on_os("windows")
  alone <- alone_outcome()
  lines <- c(
    "library(pseudosynth)",
    sprintf(".libPaths(%s)", deparse1(.libPaths())),
    sprintf("source(%s)", deparse(test_path("helper-privacy.R"))),
    sprintf("source(%s)", deparse(test_path("helper-checkpoint.R"))),
    "weighted_job(commandArgs(TRUE))"
  )
  script <- withr::local_tempfile(lines = lines[c(2, 1, 3:5)])
  killed <- 0
  moments <- c("job", "step-001", "step-002", "step-003", "job")
  for (kept in by_night(moments, "step-002")) {
    path <- new_folder()
    pid <- as.integer(system(sprintf(
      "%s %s %s > /dev/null 2>&1 & echo $!",
      file.path(R.home("bin"), "Rscript"), script, path
    ), intern = TRUE))
    deadline <- Sys.time() + 60
    while (tools::pskill(pid, 0) && Sys.time() < deadline &&
      !file.exists(file.path(path, kept))) {
      Sys.sleep(0.001)
    }
    if (killed == 4) Sys.sleep(0.15)
    tools::pskill(pid, tools::SIGKILL)
    while (tools::pskill(pid, 0)) Sys.sleep(0.01)
    killed <- killed + 1
    expect_true(any(c("job", "result") %in% kept_in(path)))
    expect_identical(job_outcome(quietly(resume(path))), alone)
  }
})

test_that("a ledger that does not know a finished job is asked", {
  skip_if_not_installed("jsonlite")
  path <- new_folder()
  data <- privacy_data()
  run <- function(scale) {
    k <- scale
    quietly(pseudo_posterior(asinh(income / k) ~ I(earner^1), data, gaussian(),
      mechanism = "score", epsilon = 4,
      reference = list("(Intercept)" = 4, sigma = 1), checkpoint = path
    ))
  }
  data$earner <- as.numeric(data$earner)
  first <- run(1000)
  book <- function(epsilon) {
    ledger(
      withr::local_tempfile(.local_envir = parent.frame(2)), epsilon,
      delta = 1e-5
    )
  }
  small <- book(0.1)
  expect_error(
    resume(path, ledger = small),
    class = "pseudosynth_error_budget"
  )
  expect_identical(nrow(as.data.frame(small)), 0L)
  large <- book(5)
  again <- quietly(resume(path, ledger = large))
  quietly(resume(path, ledger = large))
  expect_identical(again$synthetic, first$synthetic)
  # Once, under the charges of the sets
  expect_identical(nrow(as.data.frame(large)), 1L)
  expect_identical(
    ledger_charges(large)$id, guarantee(first)$charges$id
  )
  # Constants are known by their values
  expect_identical(run(1000)$synthetic, first$synthetic)
  expect_error(run(10), class = "pseudosynth_error_checkpoint")
})
