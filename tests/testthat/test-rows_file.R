interrupt <- function() {
  stop(structure(list(message = "", call = NULL),
    class = c("interrupt", "condition")
  ))
}

test_that("a run goes on where it was interrupted", {
  file <- withr::local_tempfile(fileext = ".rds")
  keys <- vapply(1:5, function(i) row_key("study", i), "")
  run <- c()
  rows_of <- function(stop_at = 0) {
    finished_rows(5, function(i) {
      if (i == stop_at) interrupt()
      run <<- c(run, i)
      data.frame(row = i)
    }, "a row", kept = open_rows_file(file, keys))
  }
  first <- rows_of(3)
  expect_identical(first$numbers, 1:2)
  expect_true(first$interrupted)
  found <- rows_of()
  expect_identical(found$numbers, 1:5)
  expect_false(found$interrupted)
  expect_identical(do.call(rbind, found$rows)$row, 1:5)
  # Each ran once, and a complete study runs nothing
  expect_equal(run, 1:5)
  expect_identical(rows_of(), found)
  expect_equal(run, 1:5)
  # The file is computed from the data: for its owner alone
  skip_on_os("windows")
  expect_identical(format(file.mode(file)), "600")
})

test_that("rows of an error before are kept", {
  file <- withr::local_tempfile(fileext = ".rds")
  keys <- vapply(1:3, row_key, "")
  expect_error(finished_rows(3, function(i) {
    if (i == 3) stop("broken")
    i
  }, "a row", kept = open_rows_file(file, keys)), "broken")
  expect_identical(open_rows_file(file, keys)$rows, list(1L, 2L))
})

test_that("a file of something else is refused", {
  file <- withr::local_tempfile(fileext = ".rds")
  open_rows_file(file, row_key(1))$keep(1, "a row")
  refused <- function(expr, text) {
    expect_error(expr, text, class = "pseudosynth_error_input")
  }
  refused(open_rows_file(file, row_key(2)), "other data, arguments, seed")
  saveRDS(list("a row"), file)
  refused(open_rows_file(file, row_key(1)), "another file, or damaged")
  writeLines("a row", file)
  refused(open_rows_file(file, row_key(1)), "another file, or damaged")
  refused(check_rows_file(file, NULL), "seed")
  refused(check_rows_file(file.path(file, "deeper"), 1), "existing folder")
  refused(check_rows_file(1, 1), "one string")
  expect_null(check_rows_file(NULL, NULL))
})

test_that("a comparison goes on with the mechanisms that are not finished", {
  file <- withr::local_tempfile(fileext = ".rds")
  run <- function(...) {
    suppressWarnings(suppressMessages(compare(
      log(income) ~ age, privacy_data(), gaussian(),
      grid = data.frame(mechanism = c("lw", "unweighted"), scale = c(0.5, NA)),
      m = 2, prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 200,
      draws = 500, threads = 1, ...
    )))
  }
  whole <- run(seed = 3, file = file)
  expect_identical(run(seed = 3, file = file)$table, whole$table)
  # As if the run had ended after the first row
  stored <- readRDS(file)
  expect_length(stored, 2)
  saveRDS(structure(unclass(stored)[1], class = class(stored)), file)
  again <- run(seed = 3, file = file)$table
  same <- setdiff(names(again), "seconds")
  expect_identical(again[same], whole$table[same])
  expect_identical(again$seconds[1], whole$table$seconds[1])
  expect_error(run(seed = 4, file = file), class = "pseudosynth_error_input")
  expect_error(run(file = file), "seed", class = "pseudosynth_error_input")
})
