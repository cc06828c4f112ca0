# Sets of whole files, and parts of sets: one after the other here, or side by
# side on the workers of a future plan. The random numbers of each follow from
# the seed and its own number, so that both ways give the same sets.

# Values, records times columns, that take about a second. Fewer are drawn
# sooner than workers are told what to draw.
shared_values <- 2.5e5

#' Are sets, or parts of sets, drawn on workers?
#' @param n (count) How many there are.
#' @param values (number) All of them together.
#' @noRd
draws_on_workers <- function(n, values) {
  n > 1 && values >= shared_values && uses_workers()
}

#' @param n (count) How many are drawn.
#' @param draw (function of an item) What it encloses goes to every worker.
#' @param item (function of a number) What `draw` needs to know of it beside
#'   that. The words of its random numbers, not the seed: a job knows its seed
#'   in this process alone, and without a seed every process has its own words.
#' @param remote (flag) See draws_on_workers().
#' @param take (function of a number and what was drawn)
#' @param todo (whole numbers) Which of them are left.
#' @noRd
draw_each <- function(n, draw, item, remote, take, todo = seq_len(n)) {
  if (!remote) {
    for (i in todo) {
      # Drawn before it is taken: no fault in it is one of writing
      drawn <- draw(item(i))
      take(i, drawn)
      # Not beside the next
      rm(drawn)
    }
    return(invisible())
  }
  show <- finished_bar("Drawn on workers", n)
  done <- n - length(todo)
  interrupted <- blame(rows_on_workers(
    todo, on_one_thread(draw), item, function(i, drawn) {
      take(i, drawn)
      show(done <<- done + 1)
    },
    what = "set", again = "Set the plan again, and repeat the call."
  ))
  # Some sets are no answer to a call for all: it ends as it would end here
  if (interrupted) rlang::interrupt()
}

#' The same, kept
#' @return (list) What was drawn, in the order of numbers.
#' @noRd
drawn_each <- function(n, draw, item, remote) {
  all <- vector("list", n)
  draw_each(n, draw, item, remote, function(i, drawn) all[[i]] <<- drawn)
  all
}

#' A function of an item that a worker is sent: with `draw` and nothing else
#' @noRd
on_one_thread <- function(draw) {
  force(draw)
  function(item) {
    old <- options(pseudosynth.threads = 1L)
    on.exit(options(old))
    draw(item)
  }
}
