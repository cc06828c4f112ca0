# The gate before every stage that uses a fit.

#' Refuse a fit that has not converged
#'
#' Later stages (weights, re-weighting, synthesis) call this first.
#' @param fit (`synthesizer`)
#' @param allow (flag) Has the user said to go on all the same?
#' @param arg (string) The argument by which the user allows it.
#' @return `fit`, invisibly.
#' @noRd
check_converged <- function(fit, allow = FALSE, call = rlang::caller_env(),
                            arg = "allow_unconverged") {
  check_flag(allow, arg = arg, call = call)
  if (isTRUE(fit$converged) || isTRUE(allow)) {
    return(invisible(fit))
  }
  problems <- cli_escape(fit$problems)
  abort_privacy(
    c(
      "The fit must have converged.",
      stats::setNames(problems, rep("x", length(problems))),
      i = "Fit it again for longer, or say {.code {arg} = TRUE}; the label is
           then {.val none}."
    ),
    call = call, problems = fit$problems
  )
}
