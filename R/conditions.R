# Conditions. Every error of the package is classed, blames the user's call and
# never holds a data value: row numbers travel in the field `rows` of the
# condition object and stay out of the message.

#' Signal an error about what the user gave
#'
#' @param message (character) Bullets for [cli::cli_abort()], interpolated in
#'   the caller's frame: what was expected, what was given (`x`), which column
#'   and how many records, and what to do (`i`). Never a data value.
#' @param ... Further fields of the condition object.
#' @param arg (string or `NULL`) The name of the argument at fault, kept in the
#'   field `arg`.
#' @param call (environment or call) The call to blame.
#' @param rows (integer or `NULL`) Row numbers of the records at fault, kept in
#'   the field `rows` and never printed.
#' @param class (character or `NULL`) Classes put before the general ones.
#' @param .envir (environment) Where the message is interpolated.
#' @return Never returns.
#' @noRd
abort_input <- function(message, ..., arg = NULL, call = rlang::caller_env(),
                        rows = NULL, class = NULL,
                        .envir = rlang::caller_env()) {
  abort_classed(
    message, "pseudosynth_error_input", ...,
    arg = arg, call = call, rows = rows, class = class, .envir = .envir
  )
}

#' Signal a failed precondition of privacy
#' @inheritParams abort_input
#' @noRd
abort_privacy <- function(message, ..., arg = NULL, call = rlang::caller_env(),
                          rows = NULL, class = NULL,
                          .envir = rlang::caller_env()) {
  abort_classed(
    message, "pseudosynth_error_privacy", ...,
    arg = arg, call = call, rows = rows, class = class, .envir = .envir
  )
}

#' Signal an error inside a sampler
#' @inheritParams abort_input
#' @noRd
abort_sampler <- function(message, ..., arg = NULL, call = rlang::caller_env(),
                          rows = NULL, class = NULL,
                          .envir = rlang::caller_env()) {
  abort_classed(
    message, "pseudosynth_error_sampler", ...,
    arg = arg, call = call, rows = rows, class = class, .envir = .envir
  )
}

abort_classed <- function(message, kind, ..., arg, call, rows, class, .envir) {
  cli::cli_abort(
    message, ...,
    arg = arg, rows = rows, call = call, .envir = .envir,
    class = c(class, kind, "pseudosynth_error")
  )
}

#' Warn that a fit has not converged
#' @inheritParams abort_input
#' @return `NULL`, invisibly.
#' @noRd
warn_convergence <- function(message, ..., call = rlang::caller_env(),
                             class = NULL, .envir = rlang::caller_env()) {
  warn_classed(
    message, "pseudosynth_warning_convergence", ...,
    call = call, class = class, .envir = .envir
  )
}

warn_classed <- function(message, kind, ..., call, class, .envir) {
  cli::cli_warn(
    message, ...,
    call = call, .envir = .envir,
    class = c(class, kind, "pseudosynth_warning")
  )
  invisible(NULL)
}

#' Call a function with arguments from a list
#'
#' do.call() would write the values into the call, which conditions, traces and
#' prints of them show. Whatever is not code or one plain value stands there
#' under its name instead.
#' @param fn A function of the package, by its name.
#' @param arguments (list)
#' @noRd
call_by_name <- function(fn, arguments) {
  hidden <- which(!vapply(arguments, function(x) {
    # What shows a call goes down into it: hundreds of terms are too deep
    (inherits(x, "formula") && length(all.names(x)) < 100) ||
      (is_plain_argument(x) && !is.language(x))
  }, TRUE))
  names <- rlang::names2(arguments)[hidden]
  names[!nzchar(names)] <- sprintf("argument_%d", hidden[!nzchar(names)])
  env <- list2env(
    stats::setNames(arguments[hidden], names),
    parent = parent.frame()
  )
  arguments[hidden] <- lapply(names, as.name)
  eval(as.call(c(substitute(fn), arguments)), env)
}

#' May a call show the argument? Code and one plain value only
#' @noRd
is_plain_argument <- function(x) {
  is.null(x) || is.language(x) ||
    (is.atomic(x) && length(x) == 1 && is.null(attributes(x)))
}

#' Blame the user's call for errors of what it runs
#' @param expr What the user's function runs, other exported functions say.
#' @noRd
blame <- function(expr, call = rlang::caller_env()) {
  tryCatch(expr, pseudosynth_error = function(error) {
    error$call <- if (is.environment(call)) rlang::frame_call(call) else call
    rlang::cnd_signal(error)
  })
}

#' Say what is done now: a line that changes in a terminal, in a log one of its
#' own
#' @noRd
tell_step <- function(text, .envir = rlang::caller_env()) {
  if (cli::is_dynamic_tty()) {
    cli::cli_progress_step(text, .envir = .envir)
  } else {
    cli::cli_inform(c(i = text), .envir = .envir)
  }
}

# The one place where errors of the C++ core become conditions of this package.

# Errors of the core become classed conditions that blame the user's call.
call_core <- function(expr, call) {
  tryCatch(expr, error = function(e) {
    if (inherits(e, "pseudosynth_error")) {
      stop(e)
    }
    abort_sampler(
      c("The chains could not run.", x = "{conditionMessage(e)}"),
      call = call
    )
  })
}
