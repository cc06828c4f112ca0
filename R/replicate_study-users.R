# What a replicate study takes from functions of the user: databases, estimands,
# fits. An error names the function and the replicate, and shows no value.

generated_records <- function(fit, generate, r, call) {
  what <- sprintf("generate(%d)", r)
  data <- user_result(generate(r), what, "generate", call)
  check_data_frame(data, arg = what, call = call)
  check_columns(names(model_roles(fit)), data, what, call = call)
  spec <- tryCatch(
    record_spec(fit, data, call),
    pseudosynth_error_input = function(e) {
      abort_input(
        "The model must take the records of {what}.",
        arg = "generate", call = call, parent = e
      )
    }
  )
  list(data = data, spec = spec)
}

#' A fit of a local database by the user's own function
#' @param refit (function or `NULL`)
#' @return (function of a data frame or `NULL`)
#' @noRd
refit_of <- function(refit, r, call) {
  if (is.null(refit)) {
    return(NULL)
  }
  function(data) {
    user_result(
      refit(data), sprintf("refit() of local database %d", r), "refit", call
    )
  }
}

#' Run a function of the user
#' @param expr The call of it.
#' @param what (string) Which run it is, for the error.
#' @param arg (string) The argument that the function came as.
#' @noRd
user_result <- function(expr, what, arg, call) {
  tryCatch(expr, error = function(e) {
    # Its message may show values of the file
    abort_input(
      c(
        "{what} failed.",
        x = "It raised an error of class {.cls {class(e)[1]}}."
      ),
      arg = arg, call = call
    )
  })
}

# Estimands --------------------------------------------------------------------

#' Mean, median, 15th and 90th percentile
#' @noRd
location_estimands <- function(y) {
  c(mean = mean(y), quantile_estimands(y))
}

quantile_estimands <- function(y) {
  c(
    q15 = stats::quantile(y, 0.15, names = FALSE), median = stats::median(y),
    q90 = stats::quantile(y, 0.9, names = FALSE)
  )
}

#' The default estimands: without the mean where a model has none
#' @noRd
estimands_of <- function(estimands, fit) {
  default <- identical(estimands, location_estimands)
  if (default && !has_finite_mean(fit$family, fit$response)) {
    quantile_estimands
  } else {
    estimands
  }
}

replicate_estimands <- function(fit, data, estimands, r, seed, call) {
  name <- fit$response$variable
  if (!is.numeric(data[[name]])) {
    return(NULL)
  }
  set <- drawn_records(fit, local_values(fit, 1, seed)[, 1])$data
  of <- function(source, what, y) {
    value <- estimand_values(
      estimands, y, sprintf("estimands() of %s %d", what, r), call
    )
    data.frame(
      replicate = r, source = source, estimand = names(value),
      value = as.double(value)
    )
  }
  rbind(
    of("local database", "local database", data[[name]]),
    of("synthetic", "the synthetic set of local database", set[[name]])
  )
}

#' Refuse estimands that fail on the file, before anything is fitted
#' @noRd
check_estimands <- function(estimands, fit, seed, call) {
  y <- fit$data[[fit$response$variable]]
  if (!is.null(estimands) && is.numeric(y)) {
    with_r_seed(
      seed, estimand_values(estimands, y, "estimands() of the file", call)
    )
  }
}

#' @param what (string) Which run it is, for the error.
#' @return (named numeric)
#' @noRd
estimand_values <- function(estimands, y, what, call) {
  value <- user_result(estimands(as.double(y)), what, "estimands", call)
  names <- names(value)
  named <- !is.null(names) && !anyNA(names) && all(nzchar(names)) &&
    anyDuplicated(names) == 0
  if (!is.numeric(value) || length(value) == 0 || anyNA(value) || !named) {
    problem <- if (!is.numeric(value) || length(value) == 0) {
      describe_type(value)
    } else if (anyNA(value)) {
      "missing for some"
    } else {
      "not named, or has one name twice"
    }
    abort_input(
      c(
        "{.arg estimands} must give numbers, each with a name of its own.",
        x = "What {what} gives is {problem}.",
        i = "For instance {.code function(y) c(mean = mean(y))}."
      ),
      arg = "estimands", call = call
    )
  }
  value
}
