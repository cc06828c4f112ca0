# The file of a study's finished rows: a run that was interrupted, or whose
# workers died, goes on with the others.

#' @param file (string or `NULL`) Where rows are kept; `NULL`: nowhere.
#' @param keys (character) A hash of all that decides a row, for each of them,
#'   see row_key(). Not looked at without a file.
#' @return (list) `rows` (list of those in the file), `numbers` (which these
#'   are), `keep` (function of a number and a row; the file then holds it).
#' @noRd
open_rows_file <- function(file, keys = character(),
                           call = rlang::caller_env()) {
  if (is.null(file)) {
    return(list(
      rows = list(), numbers = integer(), keep = function(i, row) NULL
    ))
  }
  stored <- if (file.exists(file)) read_rows(file, call) else list()
  numbers <- which(keys %in% names(stored))
  if (length(stored) > 0 && length(numbers) == 0) {
    abort_input(
      c(
        "{.arg file} must be new, or of the same study.",
        x = "{.file {file}} holds rows of other data, arguments, seed or
             version of the package.",
        i = "Name another file, or delete it."
      ),
      arg = "file", call = call
    )
  }
  list(
    rows = unname(stored[keys[numbers]]), numbers = numbers,
    keep = function(i, row) {
      stored[[keys[i]]] <<- row
      write_rows(stored, file, call)
    }
  )
}

#' Rows that run later must be those that would have run at once
#' @noRd
check_rows_file <- function(file, seed, call = rlang::caller_env()) {
  check_string(file, null = TRUE, call = call)
  if (!is.null(file) && is.null(seed)) {
    abort_input(
      c(
        "With {.arg file} a {.arg seed} must be given.",
        i = "Rows that are run later then are those that would have been run
             at once."
      ),
      arg = "seed", call = call
    )
  }
  if (!is.null(file) && !dir.exists(dirname(file))) {
    abort_input(
      c(
        "{.arg file} must be in a folder that exists.",
        x = "There is no folder {.file {dirname(file)}}."
      ),
      arg = "file", call = call
    )
  }
  file
}

row_key <- function(...) {
  stable_hash(list(
    as.character(utils::packageVersion("pseudosynth")), ...
  ))
}

read_rows <- function(file, call) {
  stored <- tryCatch(readRDS(file), error = function(e) NULL)
  if (!inherits(stored, "pseudosynth_rows")) {
    abort_input(
      c(
        "{.arg file} must be new, or a file of finished rows.",
        x = "{.file {file}} is another file, or damaged."
      ),
      arg = "file", call = call
    )
  }
  unclass(stored)
}

#' Never half-written: the old file stays until the new one is complete
#' @noRd
write_rows <- function(rows, file, call) {
  # Rows are computed from the file: for their owner alone
  mask <- Sys.umask("077")
  on.exit(Sys.umask(mask))
  fresh <- paste0(file, ".new")
  written <- tryCatch(
    {
      saveRDS(structure(rows, class = "pseudosynth_rows"), fresh)
      file.rename(fresh, file)
    },
    warning = function(w) FALSE, error = function(e) FALSE
  )
  if (!written) {
    abort_input(
      c(
        "{.arg file} could not be written.",
        i = "Is the disk full, or the folder not writable?"
      ),
      arg = "file", call = call
    )
  }
}
