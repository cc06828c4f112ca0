test_that("errors carry their class, the argument and the rows", {
  error <- tryCatch(
    abort_input("No.", arg = "data", rows = 3:4),
    error = identity
  )
  expect_s3_class(error, "pseudosynth_error_input")
  expect_s3_class(error, "pseudosynth_error")
  expect_identical(error$rows, 3:4)
  expect_identical(error$arg, "data")
  expect_no_match(conditionMessage(error), "3")
})

test_that("each kind of error has its own class and the common parent", {
  expect_error(abort_privacy("No."), class = "pseudosynth_error_privacy")
  expect_error(abort_sampler("No."), class = "pseudosynth_error_sampler")
  expect_error(abort_privacy("No."), class = "pseudosynth_error")
  expect_error(abort_input("No.", class = "special"), class = "special")
})

test_that("messages are interpolated where they are written", {
  n <- 2
  expect_error(abort_input("{n} record{?s}."), "2 records")
})

test_that("convergence warnings have their class", {
  expect_warning(
    warn_convergence("Slow."),
    class = "pseudosynth_warning_convergence"
  )
  expect_warning(warn_convergence("Slow."), class = "pseudosynth_warning")
})

test_that("the user's call is blamed", {
  user_function <- function(k) check_count(k)
  error <- tryCatch(user_function(1.5), error = identity)
  expect_identical(error$call[[1]], quote(user_function))
  expect_match(conditionMessage(error), "`k`")
})
