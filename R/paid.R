# What is paid for is not lost. A run keeps every noisy number from the moment
# it is drawn, and the entropy of all that is made of them. Whatever fails after
# the payment is an error that carries the run; resume() runs it again. It then
# hears the same numbers, draws those that are left, and pays nothing.

#' A run of a verb, or of a job
#'
#' @param verb (string) What resume() calls, see paid_verbs().
#' @param arguments (list) What it is called with, but its seed.
#' @param value (whole number or `NULL`) The user's seed.
#' @param folder (string or `NULL`) Of the checkpoint.
#' @param entropy (string) 64 hexadecimal digits.
#' @return (environment) See checkpoint-steps.R for the fields of a checkpoint;
#'   `noise` (list of `what`, `scale` and `noisy`, in the order of their
#'   drawing), `heard` (count: how many of these this run has asked for),
#'   `charged` (named list of charges: by what has paid), `again` (flag: do the
#'   same charges in a ledger pay for this run?), `sealed` (list: what failed,
#'   see seal_of_run()). Of a release in a folder also `planned` (charges that a
#'   killed process was to pay, or has paid) and `keep` (function of charges or
#'   nothing: these and the noise go into the folder).
#' @noRd
new_run <- function(verb = NULL, arguments = NULL, value = NULL, folder = NULL,
                    entropy = new_entropy()) {
  list2env(list(
    verb = verb, arguments = arguments, value = value, folder = folder,
    entropy = entropy, words = 0, step = 0, fits = list(), last = NULL,
    noise = list(), heard = 0, charged = list(), again = FALSE,
    session = this_session, process = Sys.getpid()
  ), parent = emptyenv())
}

# A copy of a run that was saved, or sent to a worker, has another address: two
# of them would draw what is left twice, for one payment
this_session <- new.env(parent = emptyenv())

new_entropy <- function() {
  words <- replicate(4, words_text(c(entropy_seed_(), entropy_seed_())))
  paste(words, collapse = "")
}

#' Run a verb from its start; a second time, on what the first one has paid for
#' @param call (function of a seed)
#' @noRd
run_paid <- function(run, call) {
  run$words <- run$step <- run$heard <- 0
  run$fits <- list()
  failed <- function(error) stop(error_of_run(error, run))
  done <- FALSE
  others <- function() {
    Filter(function(other) !identical(other, run), left_runs$all)
  }
  # A user's handler may leave at any message, and takes no error with it
  on.exit({
    paid <- length(run$charged) > 0
    left_runs$unpaid <- !done && !paid
    if (!done && paid) {
      run$sealed <- seal_of_run(run)
      left_runs$all <- c(others(), list(run))
    }
  })
  value <- tryCatch(
    call(job_seed(run$value, run)), error = failed,
    interrupt = function(interrupt) {
      # What has cost nothing ends as Ctrl-C ends anything
      if (length(run$charged) == 0) rlang::interrupt()
      failed(interrupt)
    }
  )
  done <- TRUE
  left_runs$all <- others()
  value
}

# Runs of this session that were paid for and have returned nothing, the last
# one last
left_runs <- new.env(parent = emptyenv())

#' Run a verb for the first time
#' @param again (flag) See new_run().
#' @param call (function of the arguments and a `seed`) See paid_verbs().
#' @noRd
start_paid <- function(verb, arguments, seed, call, again = FALSE) {
  check_argument(seed)
  # What a job calls is part of the job's run
  if (!is.null(run_of(seed))) {
    return(do.call(call, c(arguments, list(seed = seed)), quote = TRUE))
  }
  run <- new_run(verb, arguments, seed)
  run$again <- again
  run_paid(run, function(seed) {
    do.call(call, c(arguments, list(seed = seed)), quote = TRUE)
  })
}

#' The noisy numbers of a run: as they were drawn before, else drawn and kept
#' @param run (environment or `NULL`) Of whoever draws.
#' @param make (function) Draws them.
#' @noRd
kept_noisy <- function(run, what, scale, n, make) {
  if (is.null(run$noise)) {
    return(make())
  }
  left <- run$heard + seq_len(length(run$noise) - run$heard)
  for (k in left) {
    old <- run$noise[[k]]
    if (identical(old[c("what", "scale")], list(what = what, scale = scale)) &&
      length(old$noisy) == n) {
      run$heard <- k
      # One that could not be kept when it was drawn
      if (!is.null(run$keep)) run$keep()
      return(old$noisy)
    }
  }
  refuse_if(
    length(left) > 0, "The noisy numbers are of another release.",
    x = "Its next number is none of those that were drawn.",
    i = "The package, the file or a package that it uses has changed.",
    abort = abort_checkpoint
  )
  refuse_if(
    !identical(run$session, this_session) || run$process != Sys.getpid(),
    "The rest of a copy's noise cannot be drawn.",
    x = "Another copy could draw it, too, for the same payment.",
    i = "Go on in the session, or the folder, in which it began. The numbers
         that were drawn are in the error's field {.field noise}.",
    abort = abort_checkpoint
  )
  suspendInterrupts({
    noisy <- make()
    add_noise(run, list(what = what, scale = scale, noisy = noisy))
    run$heard <- length(run$noise)
    # Before anybody sees it
    if (!is.null(run$keep)) run$keep()
  })
  noisy
}

#' One more noisy result of a run
#'
#' A wide file has many: no other name may hold the list meanwhile, or all of it
#' would be copied for each. Whatever fails, the run has what it had.
#' @noRd
add_noise <- function(run, one) {
  noise <- run$noise
  on.exit(run$noise <- noise)
  run$noise <- NULL
  noise[[length(noise) + 1]] <- one
}

#' @return `charges`, invisibly.
#' @noRd
note_charged <- function(run, by, charges) {
  if (!is.null(run$charged)) run$charged[[by]] <- charges
  invisible(charges)
}

# The error --------------------------------------------------------------------

#' An error, or Ctrl-C, as one that carries what was paid for
#' @noRd
error_of_run <- function(error, run) {
  if (length(run$charged) == 0 || inherits(error, "pseudosynth_error_paid")) {
    return(error)
  }
  ours <- inherits(error, "pseudosynth_error")
  stopped <- inherits(error, "interrupt")
  failed <- tryCatch(
    abort_paid(
      if (stopped) {
        "It was interrupted after it had been paid for."
      } else {
        "It failed after it had been paid for."
      },
      x = if (!ours && !stopped) {
        "The error is not shown, because it may hold values. It is in the field
         {.field cause}."
      },
      x = "Spent: {spent_text(run)}.",
      i = "Nothing is lost: {.code x <- resume(rlang::last_error())} goes on
           from what was drawn, and charges nothing more. In a script, use
           {.code tryCatch(..., pseudosynth_error_paid = resume)}.",
      i = if (length(run$noise) > 0) {
        "The {length(run$noise)} noisy result{?s} so far {?is/are} in the
         error's field {.field noise}."
      },
      class = if (stopped) "pseudosynth_error_interrupt",
      cause = if (!ours) error
    ),
    error = identity
  )
  if (ours) {
    # Its own fields and bullets stay; ours come after them
    error$message <- paste(c(
      error$message, strsplit(failed$message, "\n")[[1]][-1]
    ), collapse = "\n")
    failed <- error
  }
  class(failed) <- unique(c("pseudosynth_error_paid", class(failed)))
  failed$noise <- lapply(run$noise, `[`, c("what", "scale", "noisy"))
  failed$charges <- run_charges(run)
  run$sealed <- seal_of_run(run)
  failed$run <- run
  failed
}

abort_paid <- abort_of("paid")

# What is resumed is what was paid for: another file, plan or epsilon at the
# same price would be released on the noise of the first, and other noise under
# its label. A run that has gone on has more noise.
seal_of_run <- function(run, drawn = length(run$noise)) {
  arguments <- run$arguments
  list(drawn = drawn, hash = stable_hash(list(
    run$verb, arguments[setdiff(names(arguments), "ledger")],
    run$noise[seq_len(drawn)]
  )))
}

run_charges <- function(run) {
  # An identity under a seed is a hash of what came out
  do.call(join_charges, unname(run$charged))
}

#' What a run has spent, in words
#' @noRd
spent_text <- function(run) {
  charges <- run_charges(run)
  delta <- run$arguments$delta %||%
    run$arguments$job$mechanism$settings$delta %||% 1e-6
  total <- total_charges(charges, delta)
  paste0(
    "epsilon ", format_up(total$epsilon[[1]]), " (", relation_names[1], "), ",
    format_up(total$epsilon[[2]]), " (", relation_names[2], ")",
    if (!is.null(total$rho)) paste(", at delta", format_exact(delta))
  )
}
