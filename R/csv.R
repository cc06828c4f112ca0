# Files of comma-separated values, and errors of writing any file.

#' Comma-separated values in UTF-8, the same in every locale
#'
#' Numbers have as many digits as give them back. Text and levels are quoted.
#' @noRd
write_csv <- function(frame, file) {
  columns <- lapply(unname(frame), csv_text)
  connection <- file(file, "wb")
  on.exit(close(connection))
  size <- 0
  put <- function(lines) {
    bytes <- charToRaw(paste0(paste(lines, collapse = "\n"), "\n"))
    writeBin(bytes, connection)
    size <<- size + length(bytes)
  }
  put(paste(csv_quote(names(frame)), collapse = ","))
  n <- length(columns[[1]])
  for (first in seq(1, n, by = 1e5)) {
    rows <- first:min(first + 1e5 - 1, n)
    put(do.call(paste, c(lapply(columns, `[`, rows), list(sep = ","))))
  }
  on.exit()
  close(connection)
  # A full disk shows here only
  if (file.size(file) != size) stop("The file is incomplete.")
}

csv_quote <- function(x) {
  paste0("\"", gsub("\"", "\"\"", as_text(x), fixed = TRUE), "\"")
}

csv_text <- function(x) {
  text <- if (is.factor(x)) {
    csv_quote(levels(x))[as.integer(x)]
  } else if (is.character(x)) {
    csv_quote(x)
  } else if (inherits(x, "Date")) {
    format(x)
  } else if (is.double(x)) {
    shortest_text(x)
  } else {
    as.character(x)
  }
  text[is.na(x)] <- ""
  text
}

#' Run code whose errors are those of writing
#' @noRd
writing <- function(path, code) {
  withCallingHandlers(code, error = function(error) abort_write(path, error))
}

abort_write <- function(path, error = NULL) {
  abort_input(
    "{.file {path}} could not be written.",
    x = if (!is.null(error)) cli_escape(conditionMessage(error)),
    i = "Nothing was left there. Is the disk full or the folder read-only?",
    arg = "path", class = "pseudosynth_error_write"
  )
}
