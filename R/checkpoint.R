# A job that can be resumed, and what failed after it was paid for. Of a job the
# folder has the checked job with its data, the steps that are finished, a lock,
# a log, and in the end the result alone.

#' Resume a job that was interrupted, or a release that failed after payment
#'
#' Takes the folder of a job, or an error of class `pseudosynth_error_paid`.
#'
#' Continues a job that [pseudo_posterior()] ran with `checkpoint = "folder"`.
#' Such a job keeps every finished stage and the finished chains of the current
#' stage. If it is killed, is interrupted or fails, `resume("folder")` continues
#' it in any R session. On the same machine and with the same version of this
#' package the result is bit for bit what the job would have given: the same
#' fits, draws and synthetic sets. Calling [pseudo_posterior()] again with the
#' same arguments also continues the job, so a script can be run again
#' unchanged.
#'
#' The folder holds the checked job with its file, so data need not be given
#' again. When the job is finished, only its result stays in the folder, and
#' `resume()` always returns this result. Remove the folder once you have the
#' result.
#'
#' Ctrl-C stops such a job and keeps the finished chains of its stage. A stage
#' that has not converged is also kept, so a resumed job fails there again.
#' Start a new job with more draws in another folder.
#'
#' @section Errors after payment:
#' [file_release()], [score_release()], [perturbed_histogram()],
#' [pseudo_posterior()], and [synthesize()] with a ledger pay before they draw.
#' If anything fails afterwards, or you press Ctrl-C, the error has class
#' `pseudosynth_error_paid`. It says what was spent. Its field `noise` has the
#' noisy numbers, `charges` what was paid for them, and `cause` an error that is
#' not the package's own. `resume(rlang::last_error())` runs the call again with
#' the same noisy numbers. It draws those that are left and charges nothing
#' more. So it gives what the call would have given. You can resume such an
#' error as often as you like, but only in the session in which it arose: two
#' copies would draw the rest twice for one payment. A copy in which no noise is
#' left to draw can be resumed anywhere. The error is **confidential**: it holds
#' the file. A process that is killed takes its errors with it: after that, a
#' [file_release()] with `checkpoint` goes on by the same call, in any session.
#'
#' A handler of your own that leaves the call at a warning or a message, such as
#' `tryCatch(..., warning = )`, takes no such error with it. `resume()` without
#' a path goes on with what was paid for last in this session and not returned;
#' called again, with what was left before it.
#'
#' @param path (string, condition or `NULL`) The folder, or an error that came
#'   after payment. Default `NULL`: what was paid for last in this session and
#'   not returned.
#' @param ledger ([ledger()] or `NULL`) Needed only if the ledger has been
#'   moved. Default `NULL`: the ledger that the job was started with. If the job
#'   is finished but not yet in the ledger given here, it is entered there. It
#'   is an error if this exceeds the ledger's budget.
#'
#' @return A `pseudo_posterior`, see [pseudo_posterior()]; of an error, what the
#'   call that failed returns.
#'
#' @section The folder:
#' Only its owner can read the folder (mode 0700, files 0600). A folder that
#' others can read or that somebody else owns is refused. Each file is written
#' under another name and renamed when complete, and is checked against a hash
#' when read. Finished work survives the death of the process. Whether it
#' survives a power failure depends on the disk. If a step cannot be written,
#' for instance because the disk is full, the error carries the finished fits
#' (field `fits`), and everything kept before stays. If the job is already
#' finished, it is returned with a warning. Only one process can use the folder
#' at a time.
#'
#' `log.txt` has a line with the time of each step. It holds no value of the
#' file.
#'
#' @section Privacy:
#' The folder is **confidential**: it holds the file, fits and draws and, until
#' the job is finished, the entropy that they are drawn with.
#'
#' Resuming a job never gives two releases for one charge. Without a seed, it
#' uses the entropy drawn when it was started: for its fits, for the choice of
#' draws, for the sets and for the identity they are charged under. The sets are
#' therefore the same. If a [ledger()] recorded them before the job died, it
#' charges nothing more. Exact noise, of histograms and score releases, is
#' charged before it is drawn. The noise is saved with its identity before it is
#' used. If the job dies after the charge but before the noise is saved, new
#' noise is drawn with its own identity and charge. The ledger then has both
#' charges.
#'
#' @section Error types:
#' `pseudosynth_error_checkpoint` (a `pseudosynth_error_input`): the folder
#' holds no job, another job, or a job from another version of this package;
#' others can read the folder; another process uses it; an error came before any
#' payment, or noise is left to draw in a copy of one; or one of its files is
#' damaged. If a file cannot be written, the error also has class
#' `pseudosynth_error_write`. A stage that fails gives the same errors as in
#' [pseudo_posterior()].
#' @seealso [pseudo_posterior()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' folder <- tempfile("job")
#' job <- pseudo_posterior(log(income) ~ ., small, gaussian(),
#'   mechanism = "centred", epsilon = 2,
#'   reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
#'   chains = 2, warmup = 300, draws = 1000, checkpoint = folder
#' )
#' readLines(file.path(folder, "log.txt"))
#' identical(resume(folder)$synthetic, job$synthetic)
#' unlink(folder, recursive = TRUE)
#' @export
resume <- function(path = NULL, ledger = NULL) {
  check_argument(ledger)
  if (is.null(path)) {
    left <- left_runs$all
    unpaid <- isTRUE(left_runs$unpaid)
    left_runs$unpaid <- FALSE
    refuse_if(
      unpaid, resumed_from,
      x = "The last call ended before it had paid for anything: call it again.",
      i = if (length(left) > 0) {
        "What an earlier call has paid for is kept: call {.code resume()} once
         more."
      },
      arg = "path", abort = abort_checkpoint
    )
    refuse_if(
      length(left) == 0, resumed_from,
      x = "All that was paid for in this session has been returned.",
      arg = "path", abort = abort_checkpoint
    )
    run <- left[[length(left)]]
    tell_of(
      "left",
      "Going on with {.fn {run$verb}}, which had spent {spent_text(run)}.",
      i = if (length(left) > 1) {
        "{length(left) - 1} earlier run{?s} {?is/are} kept, too: call
         {.code resume()} again."
      }
    )
    # As it was sealed when it was left
    paid <- structure(
      list(run = run), class = c("pseudosynth_error_paid", "condition")
    )
    return(resume_run(paid, ledger))
  }
  if (inherits(path, "condition")) {
    return(resume_run(path, ledger))
  }
  check_path(path)
  refuse_if(
    !dir.exists(path),
    if (file.exists(path)) {
      "{.file {path}} must be a folder, and is a file."
    } else {
      "The folder {.file {path}} does not exist."
    },
    arg = "path", abort = abort_checkpoint
  )
  run_kept(path, NULL, ledger)
}

resumed_from <-
  "{.arg path} must be a folder, or an error that came after a payment."

#' What a run is called by, and resumed: a function of its arguments and a seed
#' @noRd
paid_verbs <- function() {
  list(
    file_release = run_file_release, score_release = run_score_release,
    perturbed_histogram = run_histogram, synthesize = run_sets, job = run_job
  )
}

#' Go on from an error that carries what was paid for
#' @noRd
resume_run <- function(error, ledger) {
  refuse_if(
    !inherits(error, "pseudosynth_error_paid") || !is.environment(error$run),
    resumed_from,
    x = "This condition came before anything was paid, or is of another kind.",
    i = if (length(left_runs$all) == 0) {
      "Call the function again."
    } else {
      "What was paid for and not returned is kept: {.code resume()}, with no
       argument, goes on with the last run of that kind."
    },
    abort = abort_checkpoint, arg = "path"
  )
  run <- error$run
  refuse_privacy(
    !identical(run$sealed, seal_of_run(run, run$sealed$drawn %||% 0)),
    "A run goes on for what it has paid.", x = "The error was edited.",
    i = "Call the function again.", class = "pseudosynth_error_edited"
  )
  if (!is.null(run$folder)) {
    return(if (run$verb == "job") {
      run_kept(run$folder, NULL, ledger, run)
    } else {
      release_kept(
        run$folder, run$arguments, run$value, paid_verbs()[[run$verb]], run
      )
    })
  }
  # A ledger that refuses the run does not become its own
  before <- run$arguments$ledger
  done <- FALSE
  on.exit(if (!done) run$arguments["ledger"] <- list(before))
  if (!is.null(ledger)) run$arguments$ledger <- ledger
  run$again <- TRUE
  value <- run_paid(run, function(seed) {
    do.call(
      paid_verbs()[[run$verb]], c(run$arguments, list(seed = seed)),
      quote = TRUE
    )
  })
  done <- TRUE
  value
}

#' Run a job in its folder: from the start, from where it was, or not at all
#' @param job (`synthesis_job` or `NULL`) `NULL`: the one in the folder.
#' @param before (environment or `NULL`) The run that failed in this session:
#'   it knows what it could not write.
#' @noRd
run_kept <- function(path, job, ledger, before = NULL) {
  in_folder(path, is.null(job), function(path, owner) {
    mark <- if (!is.null(job)) job_mark(job, ledger)
    made <- kept_value(path, mark)
    if (!is.null(made)) {
      if (!is.null(ledger)) spend_result(ledger, made)
      return(made)
    }
    if (!file.exists(file.path(path, "job"))) check_planned(ledger, job)
    kept <- kept_start(
      path, list(job = portable_job(job), ledger = ledger), mark
    )
    refuse_if(
      is.null(kept$job), "{.file {path}} holds no job, but a file release.",
      i = "Make the plan again, and call {.fn file_release} with the same
           arguments.", abort = abort_checkpoint
    )
    arguments <- list(job = kept$job, ledger = ledger %||% kept$ledger)
    run <- new_run("job", arguments, kept$job$seed, path, kept$entropy)
    run$again <- TRUE
    for (field in c("noise", "charged")) {
      if (!is.null(before)) run[[field]] <- before[[field]]
    }
    note(run, if (kept$new) "started" else "resumed", " by process ", owner)
    value <- run_paid(run, function(seed) {
      do.call(run_job, c(arguments, list(seed = seed)), quote = TRUE)
    })
    kept_result(value, kept$mark, path, run)
  })
}

#' What tells one job from another: constants of the formula by their values,
#' not by their names
#' @noRd
job_mark <- function(job, ledger) {
  # Threads change no draw
  job$fit_arguments$threads <- NULL
  stable_hash(list(
    unclass(job)[c(
      "formula", "data", "family", "fit_arguments", "neighbours", "seed",
      "allow_unconverged", "mechanism", "epsilon", "m", "margin"
    )],
    job$model[c("response", "design")], ledger$path,
    if (!is.null(job$model$fitted)) seal_of(job$model$fitted)
  ))
}

#' A ledger that does not know a finished job is asked, as if it had run now
#' @param job (`pseudo_posterior`)
#' @noRd
spend_result <- function(ledger, job) {
  synthetic <- job$synthetic
  variable <- only_column(synthetic)$name
  spend(
    ledger, guarantee(job), variable,
    synthetic$sets[[1]][setdiff(names(synthetic$sets[[1]]), variable)],
    job_data(job)[[variable]], again = TRUE
  )
}

#' The job with its formula's constants and functions, but not the workspace
#' @noRd
portable_job <- function(job) {
  from <- environment(job$formula)
  env <- new.env(parent = environment(job$model$design$terms) %||% baseenv())
  for (name in setdiff(all.vars(job$formula[[2]]), names(job$data))) {
    value <- get0(name, envir = from)
    if (is_public_number(value)) assign(name, as.vector(value), envir = env)
  }
  environment(job$formula) <- env
  job
}
