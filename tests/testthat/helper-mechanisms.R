# What the tests of mechanisms and jobs share.

#' How often a model is fitted while an expression runs
#' @return (list) `fits` (count), `error` (condition or `NULL`).
count_fits <- function(expr) {
  counter <- new.env()
  counter$fits <- 0
  namespace <- asNamespace("pseudosynth")
  suppressMessages(trace(
    "run_synthesizer", function() counter$fits <- counter$fits + 1,
    print = FALSE, where = namespace
  ))
  on.exit(suppressMessages(untrace("run_synthesizer", where = namespace)))
  error <- tryCatch(
    {
      suppressWarnings(suppressMessages(expr))
      NULL
    },
    error = identity
  )
  list(fits = counter$fits, error = error)
}

#' A refusal that names the argument and comes before the first fit
expect_early <- function(expr, arg, match = NULL, call = NULL) {
  found <- count_fits(expr)
  expect_s3_class(found$error, "pseudosynth_error_input")
  expect_identical(found$error$arg, arg)
  expect_identical(found$fits, 0)
  if (!is.null(match)) expect_match(conditionMessage(found$error), match)
  if (!is.null(call)) expect_identical(conditionCall(found$error), call)
}
