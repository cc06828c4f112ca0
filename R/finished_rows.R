# Long tables, row by row: Ctrl-C ends them with the rows that are finished.

#' @param n (count) Rows asked for.
#' @param row (function of a row's number) Gives a one-row data frame or a list.
#' @param what (string) What a row is, in words.
#' @return (list) `rows` (list of the finished ones), `interrupted` (flag).
#' @noRd
finished_rows <- function(n, row, what, call = rlang::caller_env()) {
  rows <- list()
  interrupted <- FALSE
  for (i in seq_len(n)) {
    found <- tryCatch(
      # A fit keeps what it has when it is interrupted, and goes on to tell
      withCallingHandlers(
        row(i),
        pseudosynth_interrupted = function(c) interrupted <<- TRUE
      ),
      interrupt = function(c) interrupted <<- TRUE
    )
    if (interrupted) break
    rows[[i]] <- found
  }
  if (length(rows) == 0) {
    abort_sampler(
      "The run was interrupted before {what} was finished.",
      call = call, class = "pseudosynth_error_interrupt"
    )
  }
  list(rows = rows, interrupted = interrupted)
}
