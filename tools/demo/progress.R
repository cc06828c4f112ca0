# One line per stage with its seconds.

seconds_now <- function() {
  proc.time()[["elapsed"]]
}

say <- function(...) {
  cat(sprintf(...), "\n", sep = "")
}

count <- function(x) {
  trimws(format(x, big.mark = ",", scientific = FALSE))
}

# Seconds of the stages so far, for the page.
stage_clock <- new.env()
stage_clock$seconds <- numeric()
stage_clock$start <- seconds_now()

#' Run a stage, here and now: its results are variables of the script
#'
#' A fit that has not converged warns at length; here it is one remark, and the
#' page has the details.
step <- function(name, expr) {
  start <- seconds_now()
  remark <- ""
  stage_clock$start <- start
  cat(formatC(name, width = -40), " ", sep = "")
  withCallingHandlers(
    expr,
    pseudosynth_warning_convergence = function(w) {
      if (grepl("has not converged", conditionMessage(w))) {
        remark <<- "  not converged, see the page"
      }
      invokeRestart("muffleWarning")
    }
  )
  stage_clock$seconds[name] <- seconds_now() - start
  say("%6.1f s%s", stage_clock$seconds[[name]], remark)
}

#' The refit, or NULL where no constant kept the bound
or_null <- function(expr) {
  tryCatch(expr, pseudosynth_error_privacy = function(e) {
    cat("no k kept the bound; going on without  ")
    NULL
  })
}
