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
