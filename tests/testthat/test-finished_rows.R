test_that("an interrupt ends a table with the rows that are finished", {
  interrupt <- function() {
    stop(structure(list(message = "", call = NULL),
      class = c("interrupt", "condition")
    ))
  }
  found <- finished_rows(5, function(i) if (i == 3) interrupt() else i, "a row")
  expect_identical(
    found, list(rows = list(1L, 2L), numbers = 1:2, interrupted = TRUE)
  )
  # A fit that keeps its draws tells of the interrupt
  told <- finished_rows(5, function(i) {
    if (i == 2) rlang::signal("", "pseudosynth_interrupted")
    i
  }, "a row")
  expect_identical(
    told, list(rows = list(1L), numbers = 1L, interrupted = TRUE)
  )
  expect_identical(
    finished_rows(2, identity, "a row"),
    list(rows = list(1L, 2L), numbers = 1:2, interrupted = FALSE)
  )
  expect_error(
    finished_rows(2, function(i) interrupt(), "a row"),
    "before a row was finished",
    class = "pseudosynth_error_interrupt"
  )
})

test_that("what a mechanism lacks is told before anything is fitted", {
  data <- small_ce(100)
  refused <- function(expr) {
    stages <- 0
    # Every stage of a fit says so
    withCallingHandlers(
      expect_error(expr, class = "pseudosynth_error_input"),
      cli_message = function(m) stages <<- stages + 1
    )
    expect_identical(stages, 0)
  }
  refuse <- function(mechanisms, ...) {
    refused(compare(
      log(income) ~ age, data, student_t(3), c("unweighted", mechanisms), ...
    ))
  }
  refuse("topcode")
  refuse("perturbed_histogram")
  refuse("centred")
  refuse("frozen")
  refuse("two_stage", weight_range = 1)
  refused(compare(
    log(income) ~ age, data, student_t(3),
    grid = data.frame(mechanism = c("lw", "centred"), epsilon = 1)
  ))
})
