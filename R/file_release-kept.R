# A release that does not die with its process: its charges and its noise are
# kept in a folder before anybody sees them.

#' Run a release in a folder: from the start, from where it was, or not at all
#' @param arguments,value (list; whole number or `NULL`) See new_run().
#' @param call (function of the arguments and a `seed`) See paid_verbs().
#' @param before (environment or `NULL`) The run that failed in this session: it
#'   knows what it could not write.
#' @noRd
release_kept <- function(path, arguments, value, call, before = NULL) {
  in_folder(path, FALSE, function(path, owner) {
    mark <- mark_of_release(arguments, value)
    made <- kept_value(path, mark)
    if (!is.null(made)) {
      return(made)
    }
    kept <- kept_start(path, list(), mark)
    run <- new_run("file_release", arguments, value, path, kept$entropy)
    run$again <- TRUE
    keep <- function(x, name) {
      file <- file.path(path, name)
      if (!file.exists(file)) write_kept(x, file)
    }
    charges <- file.path(path, "charges")
    if (file.exists(charges)) run$planned <- read_kept(charges)
    run$noise <- lapply(Sys.glob(file.path(path, "noise-*")), read_kept)
    if (is_copied(path, keep)) run$session <- NULL
    for (field in c("noise", "charged")) {
      if (!is.null(before)) run[[field]] <- before[[field]]
    }
    run$keep <- function(charges = NULL) {
      if (!is.null(charges)) keep(charges, "charges")
      Map(keep, run$noise, sprintf("noise-%05d", seq_along(run$noise)))
    }
    note(run, if (kept$new) "started" else "resumed", " by process ", owner)
    value <- run_paid(run, function(seed) {
      do.call(call, c(arguments, list(seed = seed)), quote = TRUE)
    })
    kept_result(value, mark, path, run)
  })
}

#' Is the folder a copy of that in which the release began?
#'
#' The system's number of a file is another one for each copy.
#' @param keep (function of a value and a file's name)
#' @noRd
is_copied <- function(path, keep) {
  own <- list(
    Sys.info()[["nodename"]], file_number(file.path(path, "job"))
  )
  # Before any noise is drawn it does not matter
  if (length(Sys.glob(file.path(path, "noise-*"))) == 0) {
    unlink(file.path(path, "place"))
    keep(own, "place")
  }
  !identical(read_kept(file.path(path, "place")), own)
}

#' What tells one release from another: not where its records lie, nor in which
#' order
#' @noRd
mark_of_release <- function(arguments, value) {
  plan <- unclass(arguments$plan)
  # The members themselves lie in the file's order
  if (!is.null(plan$members)) plan$members <- released_members(plan$members)
  beside <- setdiff(names(plan), c("codes", "amounts", "stored", "unit"))
  stable_hash(list(
    plan[beside], plan$unit[c("column", "records")],
    mark_of_records(arguments$plan), value, arguments$ledger$path,
    arguments[setdiff(names(arguments), c("plan", "ledger"))]
  ))
}

#' @return (two numbers) Sums of hashes of records.
#' @noRd
mark_of_records <- function(plan) {
  over_chunks(plan_records(plan), function(own) {
    values <- lapply(names(plan$amounts), function(name) {
      amount <- own$amounts[[name]]
      replace(rep(NA_real_, own$n), amount$records, amount$values)
    })
    codes <- own$codes
    codes <- lapply(seq_len(ncol(codes)), function(j) as.double(codes[, j]))
    hashes <- hash_rows(c(list(rep(0, own$n)), codes, values), "")
    c(sum(hashes %% 2^26), sum(floor(hashes / 2^26)))
  }, function(all, own) (all + own) %% 2^52)
}
