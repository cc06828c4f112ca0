# Long tables, row by row, here or on the workers of a future plan. Ctrl-C ends
# them with the rows that are finished, and a file keeps these for a later run.

#' @param n (count) Rows asked for.
#' @param row (function of an item) Gives a one-row data frame or a list.
#' @param what (string) What a row is, in words.
#' @param item (function of a row's number) All that `row` needs to know of it.
#' @param users (named list of functions) The user's own, which `row` calls.
#' @param kept (list) Where rows are kept, see open_rows_file().
#' @param progress (flag) Show a bar where the rows run here?
#' @return (list) `rows` (list of the finished ones), `numbers` (whole numbers:
#'   which these are), `interrupted` (flag).
#' @noRd
finished_rows <- function(n, row, what, item = identity, users = list(),
                          kept = open_rows_file(NULL), progress = FALSE) {
  rows <- vector("list", n)
  rows[kept$numbers] <- kept$rows
  remote <- uses_workers()
  show <- if (progress || remote) {
    finished_bar("Rows finished", n)
  } else {
    function(done) NULL
  }
  show(length(kept$numbers))
  finish <- function(i, found) {
    rows[[i]] <<- found
    kept$keep(i, found)
    show(sum(lengths(rows) > 0))
  }
  todo <- setdiff(seq_len(n), kept$numbers)
  interrupted <- if (remote) {
    rows_on_workers(todo, row, item, finish, users)
  } else {
    rows_here(todo, row, item, finish)
  }
  numbers <- which(lengths(rows) > 0)
  refuse_if(
    length(numbers) == 0, "The run was interrupted before {what} was finished.",
    class = "pseudosynth_error_interrupt", abort = abort_sampler
  )
  list(rows = rows[numbers], numbers = numbers, interrupted = interrupted)
}

#' A bar of what is finished, until the caller ends
#' @return (function of a count)
#' @noRd
finished_bar <- function(title, n, .envir = rlang::caller_env()) {
  bar <- cli::cli_progress_bar(
    title, total = n, current = FALSE, .envir = .envir
  )
  function(done) cli::cli_progress_update(set = done, id = bar)
}

#' One after the other in this process
#' @param finish (function of a row's number and the row) Keeps it.
#' @return (flag) Was the run interrupted?
#' @noRd
rows_here <- function(todo, row, item, finish) {
  interrupted <- FALSE
  for (i in todo) {
    found <- tryCatch(
      # A fit keeps what it has when it is interrupted, and goes on to tell
      withCallingHandlers(
        row(item(i)), pseudosynth_interrupted = function(c) interrupted <<- TRUE
      ),
      interrupt = function(c) interrupted <<- TRUE
    )
    if (interrupted) break
    finish(i, found)
  }
  interrupted
}

# The file of a study's finished rows: a run that was interrupted, or whose
# workers died, goes on with the others.

#' @param file (string or `NULL`) Where rows are kept; `NULL`: nowhere.
#' @param keys (character) A hash of all that decides a row, for each of them,
#'   see row_key(). Not looked at without a file.
#' @return (list) `rows` (list of those in the file), `numbers` (which these
#'   are), `keep` (function of a number and a row; the file then holds it).
#' @noRd
open_rows_file <- function(file, keys = character()) {
  if (is.null(file)) {
    return(list(
      rows = list(), numbers = integer(), keep = function(i, row) NULL
    ))
  }
  stored <- if (file.exists(file)) read_rows(file) else list()
  numbers <- which(keys %in% names(stored))
  refuse_if(
    length(stored) > 0 && length(numbers) == 0,
    "{.arg file} must be new, or from the same study.",
    x = "{.file {file}} holds rows from other data, arguments, seed or
         version of the package.",
    i = "Name another file, or delete it.", arg = "file"
  )
  list(
    rows = unname(stored[keys[numbers]]), numbers = numbers,
    keep = function(i, row) {
      stored[[keys[i]]] <<- row
      write_rows(stored, file)
    }
  )
}

#' Rows that run later must be those that would have run at once
#' @noRd
check_rows_file <- function(file, seed) {
  if (!is.null(file)) check_path(file, "file")
  refuse_if(
    !is.null(file) && is.null(seed),
    "With {.arg file} a {.arg seed} must be given.",
    i = "The seed makes a continued run give the same rows as one run.",
    arg = "seed"
  )
  if (!is.null(file)) check_folder_of(file)
}

row_key <- function(...) {
  stable_hash(list(own_version(), ...))
}

read_rows <- function(file) {
  stored <- tryCatch(readRDS(file), error = function(e) NULL)
  refuse_if(
    !inherits(stored, "pseudosynth_rows"),
    "{.arg file} must be new, or a file of finished rows.",
    x = "{.file {file}} is another file, or damaged.", arg = "file"
  )
  unclass(stored)
}

#' Never half-written: the old file stays until the new one is complete
#' @noRd
write_rows <- function(rows, file) {
  # Rows are computed from the file: for their owner alone
  mask <- Sys.umask("077")
  on.exit(Sys.umask(mask))
  fresh <- paste0(file, ".new")
  written <- or_else({
    saveRDS(structure(rows, class = "pseudosynth_rows"), fresh)
    TRUE
  }, FALSE)
  written <- written && or_else(file.rename(fresh, file), FALSE)
  refuse_if(
    !written, "{.arg file} could not be written.",
    i = "Is the disk full, or the folder not writable?", arg = "file"
  )
}

# Rows of long tables on the workers of a future plan: processes of this
# machine or of others.

#' Has the user set a plan with workers?
#' @noRd
uses_workers <- function() {
  # Who has not loaded the package future has set no plan
  if (!isNamespaceLoaded("future")) {
    return(FALSE)
  }
  plan <- future::plan("next")
  refuse_if(
    inherits(plan, "multicore") && future::nbrOfWorkers() > 1,
    "Neither fits nor sets can be made in forked workers: threads do not survive
     a fork.",
    i = "Use {.code future::plan(\"multisession\")}, or a cluster."
  )
  !inherits(plan, c("sequential", "multicore"))
}

#' One thread each, where several workers share a machine; results are the same
#' at any number
#' @noRd
worker_threads <- function(threads) {
  if (uses_workers()) 1L else threads
}

#' @inheritParams finished_rows
#' @param todo (whole numbers) Rows to run.
#' @param finish (function of a row's number and the row) Keeps it.
#' @param what,again (strings) What an error calls a row, and how it says that
#'   the run goes on.
#' @return (flag) Was the run interrupted?
#' @noRd
rows_on_workers <- function(todo, row, item, finish, users = list(),
                            what = "row", again = continue_rows) {
  found <- user_globals(users)
  start <- function(i) {
    future::future(
      quote(run_row(row_item)),
      substitute = FALSE, seed = NULL, stdout = FALSE, conditions = "warning",
      globals = c(found$globals, list(run_row = row, row_item = item(i))),
      packages = c("pseudosynth", found$packages)
    )
  }
  running <- list()
  collect <- function(i) {
    future <- running[[i]]
    running[[i]] <<- NULL
    found <- future::value(future)
    finish(as.integer(i), found)
  }
  ready <- function() names(Filter(future::resolved, running))
  tryCatch(
    {
      while (length(todo) + length(running) > 0) {
        while (length(todo) > 0 && length(running) < future::nbrOfWorkers()) {
          running[[as.character(todo[1])]] <- start(todo[1])
          todo <- todo[-1]
        }
        for (i in ready()) collect(i)
        Sys.sleep(0.02)
      }
      FALSE
    },
    interrupt = function(c) TRUE,
    error = function(e) {
      # What the other workers have finished meanwhile is not lost
      for (i in tryCatch(ready(), error = function(e) NULL)) {
        tryCatch(collect(i), error = function(e) NULL)
      }
      if (!inherits(e, "FutureError")) rlang::cnd_signal(e)
      abort_sampler(
        "A worker of the future plan ended before its {what} was finished.",
        x = "{first_words(conditionMessage(e))}", i = again,
        class = "pseudosynth_error_worker", parent = NA
      )
    }
  )
}

continue_rows <- "Set the plan again. With {.arg file} the same call continues
  with the unfinished rows."

#' What the user's functions use of the workspace and of attached packages
#' @return (list) `globals`, `packages`.
#' @noRd
user_globals <- function(users) {
  users <- Filter(Negate(is.null), users)
  if (length(users) == 0) {
    return(list(globals = list(), packages = NULL))
  }
  found <- future::getGlobalsAndPackages(
    as.call(c(quote(list), lapply(names(users), as.name))),
    envir = list2env(users, parent = globalenv())
  )
  found$globals <- unclass(found$globals)
  attributes(found$globals) <- attributes(found$globals)["names"]
  found[c("globals", "packages")]
}

#' Draws of R's own generator, as the user's functions take them, by the row's
#' seed: the same in whichever process and after whichever row
#' @noRd
with_r_seed <- function(seed, expr) {
  if (is.null(seed)) {
    return(expr)
  }
  kinds <- RNGkind()
  old <- get0(".Random.seed", globalenv(), inherits = FALSE)
  on.exit({
    do.call(RNGkind, as.list(kinds))
    if (is.null(old)) {
      rm(".Random.seed", envir = globalenv())
    } else {
      assign(".Random.seed", old, envir = globalenv())
    }
  })
  set.seed(
    seed %% .Machine$integer.max, "Mersenne-Twister", "Inversion", "Rejection"
  )
  expr
}
