# What a job that runs keeps: its finished stages at hand, for the condition of
# one that fails, and, with a checkpoint, every finished step in a folder. Steps
# have numbers; a resumed job takes the same steps in the same order and reads
# those that are there.
#
# Without a seed all words of randomness are hashes of the checkpoint's own
# entropy and of a counter, so that a resumed job draws what it would have
# drawn: no copy of a folder gives a second draw for one charge. Exact noise is
# of the system's generator alone; it is kept together with the identity that it
# is charged under, before anybody sees it.

#' A finished stage, at hand if a later one fails
#' @param seed Of the job.
#' @noRd
finished_stage <- function(seed, name, fit) {
  run <- run_of(seed)
  if (!is.null(run)) run$fits[[name]] <- fit
  fit
}

#' The fit that was made last, whatever becomes of it
#' @noRd
latest_fit <- function(seed, fit) {
  run <- run_of(seed)
  if (!is.null(run)) run$last <- fit
  fit
}

#' Run a job, whose errors carry its finished fits
#' @param finish (function of a job) Runs it.
#' @param seed (seed) Of the run.
#' @noRd
carrying_fits <- function(job, seed, finish) {
  run <- run_of(seed)
  job$seed <- seed
  tryCatch(finish(job), error = function(error) {
    fits <- run$fits
    known <- vapply(fits, function(fit) identical(fit$id, run$last$id), NA)
    if (!is.null(run$last) && !any(known)) fits$last <- run$last
    if (length(fits) > 0) error$fits <- fits
    note(run, "stopped by an error: ", class(error)[1])
    stop(error)
  })
}

# Steps ------------------------------------------------------------------------

#' A step's value: read where it is kept, else made and kept
#'
#' @param what (string) The step in words, for the log.
#' @param complete (function of the value) Was it finished? A job does not go on
#'   from a step that was not: what came later would be kept, and be of another
#'   fit than the resumed job's under the same identities.
#' @noRd
kept_step <- function(seed, what, code, complete = function(value) TRUE) {
  run <- run_of(seed)
  if (is.null(run$folder)) {
    return(code)
  }
  run$step <- run$step + 1
  # Steps within this one have no numbers of their own
  step <- run$step
  run$part <- 0
  file <- file.path(run$folder, sprintf("step-%03d", step))
  if (file.exists(file)) {
    found <- read_kept(file)
    run$words <- found$words
    run$step <- found$step
    note(run, what, ": taken from the checkpoint")
    return(found$value)
  }
  note(run, what, ": started")
  value <- code
  refuse_if(
    !complete(value), "The job was interrupted.",
    i = "{.fn resume} continues it.",
    abort = abort_sampler, class = "pseudosynth_error_interrupt"
  )
  write_kept(list(value = value, words = run$words, step = run$step), file)
  unlink(Sys.glob(sprintf("%s-*", file)))
  note(run, what, ": finished")
  value
}

#' Run the core's chains; those that are kept are not run again
#' @param asked (list) What sample_posterior_() takes.
#' @noRd
sample_chains <- function(spec, asked, run) {
  if (is.null(run$folder)) {
    return(sample_posterior_(spec, asked))
  }
  run$part <- run$part + 1
  file <- sprintf(
    "%s-%d-%03d", file.path(run$folder, sprintf("step-%03d", run$step)),
    run$part, seq_len(asked$chains)
  )
  asked$kept <- lapply(file, function(file) {
    if (file.exists(file)) read_kept(file)
  })
  # The core must not be left by an error. A disk that is full now may not be
  # when the fit is kept; if it is, the error there has the fit
  asked$keep <- function(chain, result) {
    suspendInterrupts(tryCatch({
      write_kept(result, file[chain])
      note(run, sprintf("chain %d of %d: finished", chain, asked$chains))
    }, error = function(e) note(run, "a chain could not be kept")))
  }
  sample_posterior_(spec, asked)
}

# Files ------------------------------------------------------------------------

#' Write an object so that it is there as a whole or not at all
#'
#' A hash stands before it, since a power failure may leave anything.
#' @noRd
write_kept <- function(x, file) {
  bytes <- serialize(x, NULL, xdr = FALSE)
  bytes <- c(charToRaw(rlang::hash(bytes)), bytes)
  aside <- paste0(file, ".part")
  written <- or_else(put_bytes(bytes, aside), FALSE) &&
    or_else(file.rename(aside, file), FALSE)
  if (!written) {
    unlink(aside)
    abort_checkpoint(
      "{.file {file}} could not be written.",
      x = "Earlier steps are still there.",
      i = "Check that the disk is not full and the folder is writable, then
           call {.fn resume}.",
      class = "pseudosynth_error_write"
    )
  }
}

#' @return (flag) Is all of it there?
#' @noRd
put_bytes <- function(bytes, file, mode = "wb") {
  mask <- Sys.umask("077")
  on.exit(Sys.umask(mask))
  before <- if (mode == "ab" && file.exists(file)) file.size(file) else 0
  connection <- file(file, mode)
  tryCatch(
    for (first in seq(1, length(bytes), by = 2^30)) {
      writeBin(bytes[first:min(length(bytes), first + 2^30 - 1)], connection)
    },
    finally = close(connection)
  )
  file.size(file) == before + length(bytes)
}

read_kept <- function(file) {
  read <- or_else({
    bytes <- readBin(file, "raw", file.size(file))
    hash <- rawToChar(bytes[1:32])
    bytes <- bytes[-(1:32)]
    if (identical(rlang::hash(bytes), hash)) list(unserialize(bytes))
  })
  refuse_if(
    is.null(read), "{.file {file}} is damaged or was changed.",
    i = switch(basename(file),
      job = "Without this file the job cannot be resumed. Start again with a new
             folder.",
      result = "It holds the finished result, and the steps behind it were
                removed. Start again with a new folder.",
      "Remove this file: its step is then made again."
    ), abort = abort_checkpoint
  )
  read[[1]]
}

#' A line of the checkpoint's log, which holds no confidential value
#'
#' A log that cannot be written is no reason to lose a job.
#' @noRd
note <- function(run, ...) {
  if (!is.null(run$folder)) {
    time <- format(Sys.time(), "%Y-%m-%dT%H:%M:%SZ", tz = "UTC")
    line <- charToRaw(enc2utf8(paste0(time, " ", ..., "\n")))
    or_else(put_bytes(line, file.path(run$folder, "log.txt"), "ab"))
  }
  invisible()
}
