# The folder of a run that goes on after its process was killed: what it starts
# from, what is finished, a lock, a log, and in the end the result alone.

#' Run code in such a folder, while no other process does
#' @param exists (flag) Must there be a run in it?
#' @param code (function of the folder's path and of the lock's owner)
#' @noRd
in_folder <- function(path, exists, code) {
  path <- open_folder(path, exists)
  lock <- file.path(path, "lock")
  mine <- take_folder(lock)
  on.exit(if (identical(lock_owner(lock), mine)) {
    unlink(lock, recursive = TRUE)
  })
  unlink(setdiff(Sys.glob(paste0(lock, ".*")), lock), recursive = TRUE)
  unlink(Sys.glob(file.path(path, "*.part")))
  code(path, mine[1])
}

#' The folder, which nobody else may read
#' @param exists (flag) Must there be a job in it?
#' @noRd
open_folder <- function(path, exists) {
  refuse_if(
    !dir.exists(path) && (file.exists(path) || !dir.exists(dirname(path)) ||
      !dir.create(path, showWarnings = FALSE, mode = "0700")),
    "The folder {.file {path}} could not be made.",
    i = "Name a new folder in one that exists and is writable.",
    abort = abort_checkpoint, class = "pseudosynth_error_write"
  )
  path <- normalizePath(path)
  info <- file.info(path)
  owner <- Sys.info()[["effective_user"]]
  refuse_if(
    .Platform$OS.type == "unix" && (!isTRUE(info$uname == owner) ||
      bitwAnd(as.integer(info$mode), 63L) != 0),
    "Only you may have access to the folder of a checkpoint.",
    x = "{.file {path}} has mode {format(info$mode)}, or is owned by somebody
         else.",
    i = "It will hold the confidential file. Name a new folder, or remove the
         rights of others: {.code chmod 700}.", abort = abort_checkpoint
  )
  there <- dir(path, all.files = TRUE, no.. = TRUE)
  ours <- c("job", "result")
  refuse_if(
    exists && !any(ours %in% there), "{.file {path}} must have a job in it.",
    x = if (length(there) > 0) "It has files but no job." else "It is empty.",
    i = "Start a job there: {.code pseudo_posterior(..., checkpoint = path)}.",
    abort = abort_checkpoint
  )
  refuse_if(
    !any(ours %in% there) &&
      !all(grepl("^lock|^log.txt$|[.]part$", there)),
    "{.file {path}} must be a new folder, an empty one or one with a job.",
    x = "It has files but no job.", abort = abort_checkpoint
  )
  path
}

#' @return (character) The lock's owner, see lock_owner().
#' @noRd
take_folder <- function(lock) {
  mine <- claim_lock(lock)
  refuse_if(
    is.null(mine), "The folder {.file {dirname(lock)}} is not writable.",
    abort = abort_checkpoint, class = "pseudosynth_error_write"
  )
  on.exit(unlink(mine, recursive = TRUE))
  me <- lock_owner(mine)
  for (attempt in 1:2) {
    if (suppressWarnings(file.rename(mine, lock))) {
      return(me)
    }
    remove_dead_lock(lock, mine)
  }
  abort_checkpoint(
    "The job in {.file {dirname(lock)}} runs in another process.",
    i = "If no such process exists, remove {.file {lock}}.",
    class = "pseudosynth_error_locked"
  )
}

check_same_job <- function(found, mark, path) {
  refuse_if(
    !is.null(mark) && !identical(found, mark),
    "{.file {path}} holds another job.",
    x = "Its data, model, mechanism or another argument differs.",
    i = "Name a new folder, or {.fn resume} the job in this one.",
    abort = abort_checkpoint
  )
}

#' What a run in the folder starts from, put there if it is new
#' @param own (list) What is kept beside.
#' @return (list) `own`, `mark`, `version`, `entropy`, `new` (flag).
#' @noRd
kept_start <- function(path, own, mark) {
  file <- file.path(path, "job")
  version <- own_version()
  if (file.exists(file)) {
    kept <- read_kept(file)
    check_same_job(kept$mark, mark, path)
    refuse_if(
      !identical(kept$version, version),
      "{.file {path}} was made by another version of this package.",
      x = "That was {kept$version}, this is {version}: draws may differ.",
      i = "Resume it with that version, or start in a new folder.",
      abort = abort_checkpoint
    )
    return(c(kept, list(new = FALSE)))
  }
  kept <- c(own, list(mark = mark, version = version, entropy = new_entropy()))
  write_kept(kept, file)
  c(kept, list(new = TRUE))
}

#' The result in the folder, if it is finished
#' @noRd
kept_value <- function(path, mark) {
  result <- file.path(path, "result")
  if (!file.exists(result)) {
    return(NULL)
  }
  made <- read_kept(result)
  check_same_job(made$mark, mark, path)
  tell_of(
    "checkpoint",
    i = "The job in {.file {path}} is finished: this is its result."
  )
  remove_steps(path)
  made$value
}

#' Put the result in the place of all that it was made from
#' @noRd
kept_result <- function(value, mark, path, run) {
  tryCatch({
    write_kept(list(value = value, mark = mark), file.path(path, "result"))
    remove_steps(path)
    note(run, "the job is finished")
  }, pseudosynth_error_write = function(e) {
    warn_of(
      "checkpoint", "The result could not be kept in {.file {path}}.",
      i = "Save it elsewhere. Its steps are still in the folder."
    )
  })
  value
}

#' With the result there, the job's entropy and its steps are of no more use
#' @noRd
remove_steps <- function(path) {
  kept <- c("job", "place", "charges", "step-*", "noise-*")
  unlink(Sys.glob(file.path(path, kept)))
}
