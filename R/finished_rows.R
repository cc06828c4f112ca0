# Long tables, row by row, here or on the workers of a future plan. Ctrl-C ends
# them with the rows that are finished, and a file keeps these for a later run.

#' @param n (count) Rows asked for.
#' @param row (function of an item) Gives a one-row data frame or a list.
#' @param what (string) What a row is, in words.
#' @param item (function of a row's number) All that `row` needs to know of it.
#' @param users (named list of functions) The user's own, which `row` calls.
#' @param kept (list) Where rows are kept, see open_rows_file().
#' @param progress (flag) Show a bar where the rows run here?
#' @return (list) `rows` (list of the finished ones), `numbers` (whole numbers:
#'   which these are), `interrupted` (flag).
#' @noRd
finished_rows <- function(n, row, what, item = identity, users = list(),
                          kept = open_rows_file(NULL), progress = FALSE,
                          call = rlang::caller_env()) {
  rows <- vector("list", n)
  rows[kept$numbers] <- kept$rows
  remote <- uses_workers(call)
  bar <- if (progress || remote) {
    cli::cli_progress_bar("Rows finished", total = n, current = FALSE)
  }
  show <- function() {
    done <- sum(lengths(rows) > 0)
    if (!is.null(bar)) cli::cli_progress_update(set = done, id = bar)
  }
  show()
  finish <- function(i, found) {
    rows[[i]] <<- found
    kept$keep(i, found)
    show()
  }
  todo <- setdiff(seq_len(n), kept$numbers)
  interrupted <- if (remote) {
    rows_on_workers(todo, row, item, finish, users, call)
  } else {
    rows_here(todo, row, item, finish)
  }
  numbers <- which(lengths(rows) > 0)
  if (length(numbers) == 0) {
    abort_sampler(
      "The run was interrupted before {what} was finished.",
      call = call, class = "pseudosynth_error_interrupt"
    )
  }
  list(rows = rows[numbers], numbers = numbers, interrupted = interrupted)
}

#' One after the other in this process
#' @param finish (function of a row's number and the row) Keeps it.
#' @return (flag) Was the run interrupted?
#' @noRd
rows_here <- function(todo, row, item, finish) {
  interrupted <- FALSE
  for (i in todo) {
    found <- tryCatch(
      # A fit keeps what it has when it is interrupted, and goes on to tell
      withCallingHandlers(
        row(item(i)),
        pseudosynth_interrupted = function(c) interrupted <<- TRUE
      ),
      interrupt = function(c) interrupted <<- TRUE
    )
    if (interrupted) break
    finish(i, found)
  }
  interrupted
}
