# Releases that do not die with their process.

# Of a plan that is made again, as another session would
kept_release <- function(path, plan, seed = 4, ...) {
  suppressMessages(suppressWarnings(
    file_release(plan, 3, seed = seed, checkpoint = path, ...)
  ))
}

checkpoint_error <- "pseudosynth_error_checkpoint"

test_that("a release that died is finished by the same call", {
  d <- stored_persons(600)
  local_small_chunks()
  plans <- both_plans(d, stored_book(d))
  whole <- quietly_released(plans$whole, 3)
  path <- new_folder()
  expect_identical(kept_release(path, plans$stored), whole)
  expect_setequal(kept_in(path), c("log.txt", "result"))
  # It is there, and told
  expect_message(
    again <- file_release(plans$stored, 3, seed = 4, checkpoint = path),
    class = "pseudosynth_message_checkpoint"
  )
  expect_identical(again, whole)
  deaths <- by_night(1:12, c(1:4, 8))
  for (n in deaths) {
    path <- new_folder()
    expect_identical(die_at(n, kept_release(path, plans$stored)), "dead")
    # Records in another order are the same
    turned <- both_plans(d[600:1, ], stored_book(d))
    expect_identical(kept_release(path, turned$stored), whole)
  }
})

test_that("a release of households goes on, whatever the order of the file", {
  data <- home_persons(40)
  plan <- home_plan(data, home_members(2))
  path <- new_folder()
  expect_identical(die_at(7, kept_release(path, plan)), "dead")
  turned <- home_plan(data[rev(seq_len(nrow(data))), ], home_members(2))
  expect_identical(
    kept_release(path, turned), home_release(plan, 3, seed = 4)
  )
})

test_that("without a seed a release goes on from its own noise", {
  d <- stored_persons(300)
  plan <- both_plans(d, stored_book(d))$whole
  path <- new_folder()
  book <- ledger(withr::local_tempfile(), epsilon = 3, delta = 1e-5)
  run <- function(path) kept_release(path, plan, seed = NULL, ledger = book)
  expect_identical(die_at(7, run(path)), "dead")
  noise <- lapply(Sys.glob(file.path(path, "noise-*")), read_kept)
  expect_length(noise, 3)
  copy <- copy_folder(path)
  # Whatever is heard is what was kept
  heard <- list()
  plain <- kept_noisy
  local_replaced("kept_noisy", function(run, what, scale, ...) {
    noisy <- plain(run, what, scale, ...)
    own <- list(what = what, scale = scale, noisy = noisy)
    heard <<- c(heard, list(own))
    noisy
  })
  release <- run(path)
  expect_identical(heard[1:3], noise)
  expect_identical(nrow(as.data.frame(book)), 1L)
  # Dead before the payment, or just after it
  for (n in 3:4) {
    path <- new_folder()
    own <- ledger(withr::local_tempfile(), epsilon = 3, delta = 1e-5)
    run_own <- function() kept_release(path, plan, seed = NULL, ledger = own)
    expect_identical(die_at(n, run_own()), "dead")
    expect_identical(nrow(as.data.frame(own)), as.integer(n == 4))
    run_own()
    expect_identical(nrow(as.data.frame(own)), 1L)
  }
  expect_identical(release$charges$id, read_kept(file.path(copy, "charges"))$id)
  # A copy hears what was drawn, and draws no more
  error <- expect_error(run(copy), class = checkpoint_error)
  expect_match(conditionMessage(error), "copy")
  expect_identical(error$noise, noise)
})

test_that("a folder goes on with the release that began in it alone", {
  d <- stored_persons(300)
  plan <- both_plans(d, stored_book(d))$whole
  path <- new_folder()
  expect_identical(die_at(6, kept_release(path, plan)), "dead")
  refused <- function(expr) {
    expect_error(expr, "holds another job", class = checkpoint_error)
  }
  refused(kept_release(path, plan, seed = 5))
  refused(kept_release(path, plan, tables = list(c("group", "flag", "age"))))
  changed <- d
  changed$share[7] <- changed$share[8]
  refused(kept_release(path, both_plans(changed, stored_book(d))$whole))
  expect_error(resume(path), "file release", class = checkpoint_error)
  expect_error(kept_release(3, plan), "checkpoint", class = input_error)
  # An error in this session goes on in the folder, too
  plain <- write_kept
  local_replaced("write_kept", function(x, file) {
    if (endsWith(file, "noise-00005")) abort_checkpoint("The disk is full.")
    plain(x, file)
  })
  error <- expect_error(
    kept_release(path, plan), class = "pseudosynth_error_paid"
  )
  expect_length(error$noise, 5)
  local_replaced("write_kept", plain)
  release <- suppressWarnings(suppressMessages(resume(error)))
  expect_identical(release, quietly_released(plan, 3))
  expect_setequal(kept_in(path), c("log.txt", "result"))
})
