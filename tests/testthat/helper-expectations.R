# testthat compares in full what it is given, and sets up what it would tell
# with, before it says that two objects are the same: 2 ms each time, a
# twentieth of the suite's. What is identical passes here at once; all else goes
# to testthat, which tells the difference.

expect_identical <- function(object, expected, ...) {
  if (identical(object, expected)) {
    return(passed(object))
  }
  labels <- labels_of(...names(), substitute(object), substitute(expected))
  rlang::inject(testthat::expect_identical(object, expected, ..., !!!labels))
}

expect_equal <- function(object, expected, ...) {
  if (identical(object, expected)) {
    return(passed(object))
  }
  labels <- labels_of(...names(), substitute(object), substitute(expected))
  rlang::inject(testthat::expect_equal(object, expected, ..., !!!labels))
}

expect_true <- function(object, ...) {
  if (identical(object, TRUE)) {
    return(passed(object))
  }
  labels <- labels_of(...names(), substitute(object))
  rlang::inject(testthat::expect_true(object, ..., !!!labels))
}

expect_false <- function(object, ...) {
  if (identical(object, FALSE)) {
    return(passed(object))
  }
  labels <- labels_of(...names(), substitute(object))
  rlang::inject(testthat::expect_false(object, ..., !!!labels))
}

# testthat's own cannot fail in its version 3.1.6, which Debian 12 has
expect_no_message <- function(object, class = "message") {
  said <- NULL
  withCallingHandlers(object, message = function(condition) {
    if (inherits(condition, class)) {
      said <<- c(said, conditionMessage(condition))
    }
    tryInvokeRestart("muffleMessage")
  })
  expect_identical(said, NULL)
}

passed <- function(object) {
  testthat::succeed()
  invisible(object)
}

# What testthat would call the one or the two, where the test does not say
labels_of <- function(given, ...) {
  labels <- lapply(list(...), rlang::as_label)
  names(labels) <- c("label", "expected.label")[seq_along(labels)]
  labels[setdiff(names(labels), given)]
}
