# The file of a ledger: lines of JSON that are added and never changed, and the
# lock that is held while one is.

#' One name for one file: two processes must not wait for two locks
#'
#' Links are followed, also where the file is yet to be made.
#' @noRd
resolved_path <- function(path, links = 40) {
  if (file.exists(path)) {
    return(normalizePath(path))
  }
  link <- Sys.readlink(path)
  if (is.na(link) || !nzchar(link) || links == 0) {
    folder <- normalizePath(dirname(path), mustWork = FALSE)
    return(file.path(folder, basename(path)))
  }
  absolute <- startsWith(link, "/")
  resolved_path(
    if (absolute) link else file.path(dirname(path), link), links - 1
  )
}

make_ledger <- function(path, epsilon, delta, neighbours, unit) {
  refuse_if(
    is.null(epsilon), "The ledger {.file {path}} does not exist.",
    i = "To make one, give its budget as {.arg epsilon}.",
    arg = "path", abort = abort_ledger
  )
  check_folder_of(path, abort = abort_ledger)
  salt <- paste0(new_charge_id(), new_charge_id())
  line <- seal_line(c(list(
    ledger = "pseudosynth", format = 2L, salt = salt, epsilon = epsilon,
    delta = delta, neighbours = neighbours
  ), if (!is.null(unit)) list(unit = unit)), salt)
  locked(path, function(is_mine) {
    # A file that another process has made meanwhile stays: a second name for
    # ours is given only where there is none
    aside <- paste0(path, ".", salt)
    on.exit(unlink(aside))
    append_line(aside, line, TRUE)
    linked <- or_else(file.link(aside, path), FALSE)
    # Disks that know no second names
    if (!linked && !file.exists(path)) append_line(path, line, TRUE)
  })
}

# Lines ------------------------------------------------------------------------

#' A line with the hash of what stands before it
#' @noRd
seal_line <- function(fields, salt) {
  # JSON as jsonlite writes it has 15 digits, which do not give a double back
  in_full <- function(x) {
    if (is.na(x)) x else structure(shortest_text(x), class = "json")
  }
  exact <- rapply(fields, in_full, classes = "numeric", how = "replace")
  text <- enc2utf8(json_text(exact, pretty = FALSE, json_verbatim = TRUE))
  body <- substr(text, 1, nchar(text) - 1)
  sprintf("%s,\"check\":\"%s\"}", body, cli::hash_sha256(paste0(salt, body)))
}

check_pattern <- ",\"check\":\"([0-9a-f]{64})\"}$"

#' Add a line, for good
#' @param ended (flag) Is the last line ended? If not, it is first.
#' @noRd
append_line <- function(path, line, ended) {
  bytes <- charToRaw(paste0(if (!ended) "\n", line, "\n"))
  refuse_if(
    !or_else(put_bytes(bytes, path, "ab"), FALSE),
    "The ledger {.file {path}} could not be written.",
    x = "Nothing was drawn.",
    i = "Check that the disk is not full and the file is writable. If the
         last line is incomplete, delete it.", abort = abort_ledger
  )
}

#' Of two entries with one number, which two processes wrote at once, the first
#' counts. Whoever wrote the other one sees that, and draws nothing.
#'
#' @return (list) `salt`, `epsilon`, `delta`, `neighbours`, `unit` (see
#'   ledger_unit()), `entries` (list), `charges` (of all of them), `torn`
#'   (integer: lines that cannot be read), `void` (integer: lines of second
#'   entries), `ended` (flag: is the last line?).
#' @noRd
read_ledger <- function(path) {
  broken_if <- function(wrong, what) {
    refuse_if(
      wrong, "{.file {path}} is damaged or was changed.", x = what,
      i = "If it is your ledger, restore it from a backup.",
      abort = abort_ledger, .envir = rlang::caller_env()
    )
  }
  size <- file.size(path)
  broken_if(is.na(size), "It does not exist any more.")
  text <- readChar(path, size, useBytes = TRUE)
  Encoding(text) <- "UTF-8"
  lines <- strsplit(text, "\n", fixed = TRUE)[[1]]
  parsed <- lapply(lines, function(line) {
    or_else(jsonlite::fromJSON(line, simplifyVector = FALSE))
  })
  book <- parsed[1][[1]]
  broken_if(
    !identical(book$ledger, "pseudosynth"),
    "Its first line is not that of a ledger."
  )
  cut <- vapply(parsed, is.null, TRUE) & !grepl(check_pattern, lines)
  for (i in which(!cut)) {
    body <- sub(check_pattern, "", lines[i])
    check <- cli::hash_sha256(paste0(book$salt, body))
    found <- if (is.list(parsed[[i]])) parsed[[i]]$check
    broken_if(!identical(check, found), "Line {i} was changed.")
  }
  at <- setdiff(which(!cut), 1)
  numbers <- vapply(parsed[at], function(entry) {
    if (is_number(entry$number)) as.double(entry$number) else NA_real_
  }, 0)
  second <- duplicated(numbers)
  broken_if(
    !identical(numbers[!second], as.double(seq_len(sum(!second)))) ||
      anyDuplicated(lines[at]) > 0,
    "Entries are missing, or one is there twice."
  )
  book <- c(
    book[c("salt", "epsilon", "delta", "neighbours")],
    list(
      stated = book$unit, entries = parsed[at[!second]], torn = which(cut),
      void = at[second], ended = endsWith(text, "\n")
    )
  )
  c(book, list(
    unit = ledger_unit(book), charges = entry_charges(book$entries)
  ))
}

#' Refuse to spend from a ledger one of whose lines cannot be read
#'
#' Nothing was drawn after an entry whose writing was cut off. One that lost its
#' end later looks the same, and was paid for.
#' @noRd
check_whole <- function(book, path) {
  torn <- book$torn
  refuse_if(
    length(torn) > 0,
    "{cli::qty(length(torn))}Line{?s} {torn} of {.file {path}} {?is/are}
     cut off: {?its/their} charges cannot be read.",
    i = "Look at the file. If the process was killed while it wrote the
         line, nothing was drawn: delete the line.",
    i = "If something was drawn for it, restore the line from a backup, or
         spend no more from this ledger.", abort = abort_ledger
  )
}

#' Charges of entries as labels have them, the same thing once
#' @noRd
entry_charges <- function(entries) {
  charges <- unlist(lapply(entries, `[[`, "charges"), recursive = FALSE)
  columns <- lapply(names(no_charges()), function(name) {
    unlist(lapply(charges, function(charge) charge[[name]] %||% NA_real_))
  })
  join_charges(as.data.frame(stats::setNames(columns, names(no_charges()))))
}

#' The unit that all costs of a ledger are counted for
#'
#' That of its first line, or of its entries: what a release for households and
#' one for records cost together is asked of a household. Of several sizes the
#' largest counts.
#' @param book (list) `stated` (of the first line) and `entries`.
#' @return (list or `NULL`, a record) `column`, `records`.
#' @noRd
ledger_unit <- function(book, more = NULL) {
  units <- c(
    list(book$stated), lapply(book$entries, `[[`, "unit"), list(more)
  )
  units <- Filter(Negate(is.null), units)
  if (length(units) > 0) {
    list(
      column = units[[1]]$column,
      records = max(vapply(units, function(one) as.double(one$records), 0))
    )
  }
}

# The lock ---------------------------------------------------------------------

#' Run code while no other process does
#'
#' The lock is a folder that holds its owner's name. It is made aside and
#' renamed, which the file system grants to one process only, so that no lock is
#' without an owner. A process that sleeps may lose it: whoever writes asks
#' before whether it is still its own, and looks at the file afterwards.
#' @param code (function of `is_mine`, a function that gives a flag)
#' @noRd
locked <- function(path, code, patience = 90) {
  lock <- paste0(path, ".lock")
  mine <- claim_lock(lock)
  refuse_if(
    is.null(mine), "The folder {.file {dirname(path)}} is not writable.",
    abort = abort_ledger
  )
  on.exit(unlink(mine, recursive = TRUE))
  me <- lock_owner(mine)
  start <- Sys.time()
  while (!suppressWarnings(file.rename(mine, lock))) {
    remove_dead_lock(lock, mine, 60)
    refuse_if(
      difftime(Sys.time(), start, units = "secs") > patience,
      "The ledger is in use by another process.",
      i = "If no such process exists, remove {.file {lock}}.",
      arg = "ledger", class = "pseudosynth_error_locked"
    )
    Sys.sleep(0.02)
  }
  is_mine <- function() identical(lock_owner(lock), me)
  on.exit(if (is_mine()) unlink(lock, recursive = TRUE))
  code(is_mine)
}
