# R's own thread while others work. A thread that is left behind ends the
# process, so that any return is a passed test.

# What comes of tasks that only end when told to
stopped_by <- function(how, callback = function() NULL) {
  ended <- rep(0L, 1)
  started <- proc.time()[["elapsed"]]
  value <- tryCatch(
    test_run_tasks_(3, 2, how, 2, callback, ended), condition = identity
  )
  list(
    value = value, ended = ended, seconds = proc.time()[["elapsed"]] - started
  )
}

test_that("what progress() throws stops the tasks and comes out", {
  of <- list(
    throw = stopped_by("throw"), jump = stopped_by("jump"),
    call = stopped_by("call", function() stop("raised by R code"))
  )
  expect_match(conditionMessage(of$throw$value), "thrown in progress")
  expect_match(conditionMessage(of$jump$value), "an R error in progress")
  expect_match(conditionMessage(of$call$value), "raised by R code")
  for (one in of) {
    expect_s3_class(one$value, "error")
    # Tasks were waited for, and did not run their 20 seconds
    expect_gte(one$ended, 1)
    expect_lt(one$seconds, 15)
  }
})

test_that("a condition of R code in progress() is what it was", {
  classed <- stopped_by("call", function() {
    rlang::abort("no room", class = "pseudosynth_error_test")
  })
  expect_s3_class(classed$value, "pseudosynth_error_test")
})
