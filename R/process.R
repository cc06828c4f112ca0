# Processes, their threads, and the locks they hold.

#' A process as no other is called: machine, number and start
#' @noRd
process_name <- function(pid = Sys.getpid()) {
  paste(Sys.info()[["nodename"]], pid, process_start(pid))
}

#' When a process started, in the system's own unit; `NA` where Linux's files
#' about processes are absent
#' @noRd
process_start <- function(pid) {
  stat <- lines_of(file.path("/proc", pid, "stat"), 1)
  # The second field is a name in brackets, which may hold anything
  if (is.null(stat)) NA else strsplit(sub(".*[)] ", "", stat), " ")[[1]][20]
}

#' @return (flag) `NA` where it cannot be known.
#' @noRd
is_running <- function(name) {
  parts <- strsplit(name, " ", fixed = TRUE)[[1]]
  same_machine <- identical(parts[1], Sys.info()[["nodename"]])
  if (!same_machine || identical(parts[3], "NA") || !dir.exists("/proc/self")) {
    return(NA)
  }
  identical(process_start(parts[2]), parts[3])
}

#' Make a lock's folder aside, with its owner's name in it
#'
#' Renamed to the lock's own name, which the file system grants to one process
#' only, it is the lock: no lock is without an owner.
#' @return (string or `NULL`) The folder; `NULL` where it could not be made.
#' @noRd
claim_lock <- function(lock) {
  # Never a word of a job's checkpoint: another process may go on from a copy
  words <- c(entropy_seed_(), entropy_seed_())
  mine <- paste0(lock, ".", words_text(words))
  if (!dir.create(mine, showWarnings = FALSE, mode = "0700")) {
    return(NULL)
  }
  writeLines(c(process_name(), basename(mine)), file.path(mine, "owner"))
  mine
}

#' @return (two strings or `NULL`) The process, and the lock's own name.
#' @noRd
lock_owner <- function(lock) lines_of(file.path(lock, "owner"))

#' Remove a lock whose process is gone, or may be and that is too old
#'
#' A process that is known to run keeps its lock, however long it sleeps. The
#' lock is moved aside first and looked at again, in case another process did
#' the same and took the lock meanwhile.
#' @param mine (string) See claim_lock().
#' @param most (number) Seconds after which a lock is too old.
#' @noRd
remove_dead_lock <- function(lock, mine, most = Inf) {
  owner <- lock_owner(lock)
  age <- as.double(difftime(Sys.time(), file.mtime(lock), units = "secs"))
  runs <- if (is.null(owner)) NA else is_running(owner[1])
  if (isTRUE(runs) || is.na(runs) && !isTRUE(age > most)) {
    return(invisible())
  }
  aside <- paste0(mine, ".dead")
  if (suppressWarnings(file.rename(lock, aside))) {
    if (identical(lock_owner(aside), owner)) {
      unlink(aside, recursive = TRUE)
    } else {
      suppressWarnings(file.rename(aside, lock))
    }
  }
}

# Threads ----------------------------------------------------------------------

#' Threads of a fit when nothing is said
#'
#' The option `pseudosynth.threads`, else two, or one on a machine with one
#' core. Results do not depend on it.
#' @noRd
default_threads <- function() {
  getOption("pseudosynth.threads", min(2L, RcppParallel::defaultNumThreads()))
}
