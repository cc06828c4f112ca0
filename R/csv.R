# Files of comma-separated values, and errors of writing any file.

#' Comma-separated values in UTF-8, the same in every locale
#'
#' Numbers have as many digits as give them back. Text and levels are quoted.
#' @noRd
write_csv <- function(frame, file) {
  columns <- lapply(unname(as.list(frame)), csv_column)
  quoted <- vapply(unname(as.list(frame)), is.character, TRUE)
  connection <- file(file, "wb")
  on.exit(close(connection))
  size <- 0
  put <- function(bytes) {
    writeBin(bytes, connection)
    size <<- size + length(bytes)
  }
  put(charToRaw(paste0(paste(csv_quote(names(frame)), collapse = ","), "\n")))
  n <- length(columns[[1]])
  for (first in seq(1, n, by = 1e5)) {
    put(csv_lines_(columns, quoted, first, min(first + 1e5 - 1, n)))
  }
  on.exit()
  close(connection)
  # A full disk shows here only
  if (file.size(file) != size) stop("The file is incomplete.")
}

csv_quote <- function(x) {
  paste0("\"", gsub("\"", "\"\"", as_text(x), fixed = TRUE), "\"")
}

# What is written as it is: factors, numbers, flags and text
csv_column <- function(x) {
  if (is_time(x)) {
    time_forms(x)[[1]]
  } else if (is.factor(x) || is.double(x) || is.character(x) ||
    !is.object(x) && typeof(x) %in% c("integer", "logical")) {
    x
  } else {
    as.character(x)
  }
}

#' Run code whose errors are those of writing
#' @noRd
writing <- function(path, code) {
  withCallingHandlers(code, error = function(error) {
    # What was refused says its own reason
    if (!inherits(error, "pseudosynth_error")) abort_write(path, error)
  })
}

abort_write <- function(path, error = NULL) {
  abort_input(
    "{.file {path}} could not be written.",
    x = if (!is.null(error)) cli_escape(conditionMessage(error)),
    i = "Nothing was left there. Is the disk full or the folder read-only?",
    arg = "path", class = "pseudosynth_error_write"
  )
}
