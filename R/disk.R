# Files of comma-separated values and Parquet files, folders, and errors of
# writing any of them.

#' Comma-separated values in UTF-8, the same in every locale
#'
#' Numbers have as many digits as give them back. Text and levels are quoted.
#' @noRd
write_csv <- function(frame, file) {
  columns <- lapply(unname(as.list(frame)), csv_column)
  quoted <- vapply(unname(as.list(frame)), is.character, TRUE)
  names <- gsub("\"", "\"\"", as_text(names(frame)), fixed = TRUE)
  n <- length(columns[[1]])
  put_whole(file, function(put) {
    put(charToRaw(paste0(paste0("\"", names, "\"", collapse = ","), "\n")))
    for (first in seq(1, n, by = 1e5)) {
      put(csv_lines_(columns, quoted, first, min(first + 1e5 - 1, n)))
    }
  })
}

#' A file of bytes that come some at a time
#' @param write (function of a function of bytes) Puts them there.
#' @noRd
put_whole <- function(file, write) {
  connection <- file(file, "wb")
  on.exit(close(connection))
  size <- 0
  write(function(bytes) {
    writeBin(bytes, connection)
    size <<- size + length(bytes)
  })
  on.exit()
  close(connection)
  check_size(file, size)
}

# What is read or written at once, at most: R does no more than 2^31 - 1 bytes
bytes_at_once <- 2^28

#' The bytes of a file
#' @return (list of raw) In blocks.
#' @noRd
read_bytes <- function(file, most = bytes_at_once) {
  connection <- file(file, "rb")
  on.exit(close(connection))
  lapply(seq_len(ceiling(file.size(file) / most)), function(block) {
    readBin(connection, "raw", most)
  })
}

#' Bytes as they are
#' @param blocks (list of raw)
#' @noRd
write_bytes <- function(blocks, file) {
  put_whole(file, function(put) for (bytes in blocks) put(bytes))
}

#' A full disk shows in what was written only
#' @noRd
check_size <- function(file, size) {
  if (file.size(file) != size) stop("The file is incomplete.")
}

#' A Parquet file of a frame's values
#'
#' Levels of factors are kept. Row names and what else columns carry are not.
#' @noRd
write_parquet <- function(frame, file, compression = "snappy") {
  nanoparquet::write_parquet(frame, file, compression = compression)
  # It says nothing of a full disk, with which the end of the file is not there
  written <- or_else(nanoparquet::read_parquet_info(file)$num_rows)
  if (!isTRUE(written == nrow(frame))) stop("The file is incomplete.")
}

# What is written as it is: factors, numbers, flags and text
csv_column <- function(x) {
  if (is_time(x)) {
    time_forms(x)[[1]]
  } else if (is.factor(x)) {
    x
  } else {
    # Classes of other packages need these to become text
    plain_column(x)
  }
}

#' Run code whose errors are those of writing
#' @noRd
writing <- function(path, code, ask = disk_or_folder) {
  withCallingHandlers(code, error = function(error) {
    # What was refused says its own reason
    if (!inherits(error, "pseudosynth_error")) abort_write(path, error, ask)
  })
}

disk_or_folder <- "Is the disk full or the folder read-only?"

abort_write <- function(path, error = NULL, ask = disk_or_folder) {
  abort_input(
    "{.file {path}} could not be written.",
    x = if (!is.null(error)) cli_escape(conditionMessage(error)),
    i = "Nothing was left there. {ask}",
    arg = "path", class = "pseudosynth_error_write"
  )
}

# A folder, as a whole or not at all ------------------------------------------

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
#' @param folder (string) Which is filled: a new one, or what was left of one.
#' @return What `fill` returns.
#' @noRd
write_folder <- function(path, fill,
                         folder = tempfile(".release-", dirname(path))) {
  if (!dir.exists(folder) &&
    !dir.create(folder, showWarnings = FALSE, mode = "0700")) {
    abort_write(dirname(path))
  }
  on.exit(unlink(folder, recursive = TRUE, force = TRUE))
  made <- fill(folder)
  # Another process may have filled it by now
  check_target(path, "What is there")
  if (dir.exists(path)) unlink(path, recursive = TRUE)
  if (!suppressWarnings(file.rename(folder, path))) abort_write(path)
  # Complete: others may read it as far as the session's umask lets them
  Sys.chmod(path, "777", use_umask = TRUE)
  made
}
