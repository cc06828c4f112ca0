# Timing on a machine that may be busy: alternating runs, so that whatever
# slows one program slows the others, and medians. Programs of one thread are
# timed by the processor time they used, workflows by the clock on the wall.

#' Processor seconds per call of each function, alternating.
#'
#' @param calls (named list of functions of one argument, the number of the
#'   call)
#' @param seconds (number) wanted length of one timing; a function is called as
#'   often as that takes.
#' @param rounds (count) timings of each.
#' @return (matrix, rounds x functions) seconds per call.
time_alternating <- function(calls, seconds = 0.5, rounds = 11) {
  repeats <- vapply(calls, function(call) {
    n <- 1
    while ((taken <- time_calls(call, n)) < seconds / 8) n <- n * 2
    max(1, ceiling(n * seconds / taken))
  }, 0)
  times <- matrix(0, rounds, length(calls), dimnames = list(NULL, names(calls)))
  for (round in seq_len(rounds)) {
    for (name in names(calls)) {
      times[round, name] <-
        time_calls(calls[[name]], repeats[[name]]) / repeats[[name]]
    }
  }
  times
}

time_calls <- function(call, n) {
  started <- processor_seconds()
  for (i in seq_len(n)) call(i)
  processor_seconds() - started
}

processor_seconds <- function() {
  sum(proc.time()[c("user.self", "sys.self")])
}

#' Wall seconds of one evaluation, with its value.
timed <- function(expr) {
  started <- proc.time()[["elapsed"]]
  value <- force(expr)
  list(value = value, seconds = proc.time()[["elapsed"]] - started)
}
