# What measures of risk and utility take: synthetic data, a job, a data frame or
# a list of data frames, and the confidential file, which a job knows itself.

#' @param data (data frame, `synthesizer` or `NULL`)
#' @param synthetic What is measured, or a list of several.
#' @return (data frame)
#' @noRd
confidential_file <- function(data, synthetic, call = rlang::caller_env()) {
  if (inherits(data, "synthesizer")) {
    return(data$data)
  }
  if (is.null(data)) {
    several <- if (is_job(synthetic)) list(synthetic) else as.list(synthetic)
    jobs <- Filter(is_job, several)
    if (length(jobs) == 0) {
      abort_input(
        c(
          "{.arg data} must be the confidential file.",
          i = "Only a {.cls pseudo_posterior} knows it itself."
        ),
        arg = "data", call = call
      )
    }
    internal <- jobs[[1]]$internal
    return(internal$data %||% internal$fits[[1]]$data)
  }
  check_data_frame(data, arg = "data", call = call)
}

is_job <- function(x) inherits(x, "pseudo_posterior")

#' The name of the synthetic column
#' @noRd
synthetic_variable <- function(synthetic, variable,
                               call = rlang::caller_env()) {
  check_string(variable, null = TRUE, arg = "variable", call = call)
  if (is_job(synthetic)) {
    synthetic <- synthetic$synthetic
  }
  own <- if (inherits(synthetic, "synthetic_data")) synthetic[["variable"]]
  own <- own %||% attr(synthetic, "variable")
  if (is.null(variable) && is.null(own)) {
    abort_input(
      c(
        "{.arg variable} must name the synthetic column.",
        i = "Only {.cls synthetic_data} know it themselves."
      ),
      arg = "variable", call = call
    )
  }
  variable %||% own
}

#' The scale of the model, where there was one
#' @noRd
release_transform <- function(synthetic) {
  if (is_job(synthetic)) {
    synthetic <- synthetic$synthetic
  }
  if (inherits(synthetic, "synthetic_data")) {
    synthetic$transform
  } else {
    "identity"
  }
}

#' The sets as a list of data frames
#' @noRd
release_sets <- function(synthetic, call = rlang::caller_env()) {
  if (is_job(synthetic)) {
    synthetic <- synthetic$synthetic
  }
  sets <- if (inherits(synthetic, "synthetic_data")) {
    as.list(synthetic)
  } else if (is.data.frame(synthetic)) {
    list(synthetic)
  } else {
    synthetic
  }
  frames <- is.list(sets) && length(sets) > 0 &&
    all(vapply(sets, is.data.frame, TRUE))
  if (!frames) {
    abort_input(
      c(
        "{.arg synthetic} must be {.cls synthetic_data}, a
         {.cls pseudo_posterior}, a data frame or a list of data frames.",
        x = "It is {describe_type(synthetic)}."
      ),
      arg = "synthetic", call = call
    )
  }
  sets
}
