# A folder that is there as a whole or not at all.

#' Refuse a path where something is
#' @param what (string) What would be written.
#' @noRd
check_target <- function(path, what = "A release",
                         arg = rlang::caller_arg(path)) {
  check_folder_of(path, arg)
  taken <- file.exists(path) &&
    (!dir.exists(path) || length(dir(path, all.files = TRUE, no.. = TRUE)) > 0)
  refuse_if(
    taken, "{.arg {arg}} must be new, or an empty folder.",
    x = "{.file {path}} exists already.",
    i = "{what} is never overwritten.", arg = arg
  )
}

#' Fill a folder that appears at `path` when it is complete
#'
#' It is filled beside `path`, on the same file system, readable by its owner
#' alone, and renamed at the end. On any error or interrupt it is removed.
#' @param fill (function of the folder)
#' @return What `fill` returns.
#' @noRd
write_folder <- function(path, fill) {
  folder <- tempfile(".release-", dirname(path))
  if (!dir.create(folder, showWarnings = FALSE, mode = "0700")) {
    abort_write(dirname(path))
  }
  on.exit(unlink(folder, recursive = TRUE, force = TRUE))
  made <- fill(folder)
  if (dir.exists(path)) unlink(path, recursive = TRUE)
  if (!suppressWarnings(file.rename(folder, path))) abort_write(path)
  # Complete: others may read it as far as the session's umask lets them
  Sys.chmod(path, "777", use_umask = TRUE)
  made
}
