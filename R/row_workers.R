# Rows of long tables on the workers of a future plan: processes of this
# machine or of others.

#' Has the user set a plan with workers?
#' @noRd
uses_workers <- function(call) {
  # Who has not loaded the package future has set no plan
  if (!isNamespaceLoaded("future")) {
    return(FALSE)
  }
  plan <- future::plan("next")
  if (inherits(plan, "multicore") && future::nbrOfWorkers() > 1) {
    abort_input(
      c(
        "Fits cannot run in forked workers: the threads of this process do not
         live in its copies.",
        i = "Use {.code future::plan(\"multisession\")}, or a cluster."
      ),
      call = call
    )
  }
  !inherits(plan, c("sequential", "multicore"))
}

#' One thread each, where several workers share a machine; results are the same
#' at any number
#' @noRd
worker_threads <- function(threads, call) {
  if (uses_workers(call)) 1L else threads
}

#' @inheritParams finished_rows
#' @param todo (whole numbers) Rows to run.
#' @param finish (function of a row's number and the row) Keeps it.
#' @return (flag) Was the run interrupted?
#' @noRd
rows_on_workers <- function(todo, row, item, finish, users, call) {
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
    finish(as.integer(i), future::value(future))
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
      abort_worker(e, call)
    }
  )
}

abort_worker <- function(error, call) {
  abort_sampler(
    c(
      "A worker of the future plan ended before its row was finished.",
      x = "{first_words(conditionMessage(error))}",
      i = "Set the plan anew. With {.arg file} the same call goes on with the
           rows that are not finished."
    ),
    call = call, class = "pseudosynth_error_worker", parent = NA
  )
}

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
