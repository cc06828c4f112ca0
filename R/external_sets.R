# Responses of a model fitted elsewhere, drawn by the user's own function.

#' Refuse anything else, with what a model fitted elsewhere lacks
#' @noRd
check_knows_records <- function(x, arg = rlang::caller_arg(x)) {
  if (!inherits(x, "external_fit") || inherits(x, "file_synthesizer")) {
    return(check_class(x, "synthesizer", arg = arg))
  }
  refuse_if(
    !knows_records(x),
    "{.arg {arg}} must know its records and what sets publish of them.",
    x = "It is a model fitted elsewhere that has neither.",
    i = "Write {.code external_fit(..., formula = log(income) ~ age + region,
         data = file)}.",
    arg = arg, class = "pseudosynth_error_no_formula"
  )
  invisible(x)
}

# The user's way ---------------------------------------------------------------

#' @param data (data frame) Records.
#' @noRd
external_values <- function(fit, rows, data, words) {
  draws <- fit$draws[rows, 1]
  own <- identical(data, fit$data)
  number <- number_of_words(words) %% .Machine$integer.max
  values <- with_r_seed(number, predicted_values(fit, draws, data, own))
  refuse_predicted(
    is.data.frame(values) || !is.null(dim(values)) && length(dim(values)) != 2,
    "It gives {describe_type(values)}."
  )
  # One draw may come as a vector
  if (is.null(dim(values)) && length(draws) == 1) {
    values <- matrix(as_predicted(values), 1)
  }
  size <- dim(values)
  refuse_predicted(
    !identical(size, c(length(draws), nrow(data))),
    if (is.null(size)) {
      "It gives {length(values)} value{?s}."
    } else {
      "It gives {size[1]} x {size[2]} values."
    },
    i = "Of {length(draws)} draw{?s} and {nrow(data)} record{?s} it must give
         {length(draws)} x {nrow(data)}: a row for each draw, a column for each
         record."
  )
  t(on_model_scale(values, fit$response))
}

# A factor's levels, not its codes
as_predicted <- function(x) if (is.factor(x)) as.character(x) else x

predicted_values <- function(fit, draws, data, own) {
  way <- fit$way$predict
  if (is.function(way)) {
    return(user_result(way(fit$fit, draws, data), "predict()", "predict"))
  }
  if (is.character(way)) {
    return(named_prediction(fit, way, draws, own))
  }
  method <- s3_method("posterior_predict", fit$fit, "rstantools")
  refuse_if(
    is.null(method), "The model must say how a set is drawn.",
    x = "A fit of class {.cls {class(fit$fit)[1]}} has no
         {.fn posterior_predict} method.",
    i = "Give {.fn external_fit} the name of a vector of the program,
         {.code predict = \"y_rep\"}: {.code y_rep[i] = normal_rng(mu[i],
         sigma);} in its {.code generated quantities}.",
    i = "Or a function: {.code predict = function(fit, draws, data)}, which
         returns a row for each of the draws and a column for each record.",
    arg = "predict", class = "pseudosynth_error_predict"
  )
  # Of its own records a model needs no columns
  newdata <- if (!own) data
  by_number <- "draw_ids" %in% names(formals(method))
  user_result(
    if (by_number) {
      method(fit$fit, newdata = newdata, draw_ids = draws)
    } else {
      method(fit$fit, newdata = newdata)[draws, , drop = FALSE]
    },
    "posterior_predict()", "predict"
  )
}

named_prediction <- function(fit, variable, draws, own) {
  refuse_if(
    !own, "{.arg newdata} needs a {.arg predict} that is a function.",
    x = "The vector {.val {variable}} of the program is of its own records.",
    arg = "newdata", class = "pseudosynth_error_predict"
  )
  values <- draws_by_name(fit$fit, variable)
  found <- if (!is.null(values)) vector_of_draws(values, variable)
  refuse_predicted(
    is.null(found) || ncol(found) == 0,
    "The program has no vector {.val {variable}}.",
    i = "In its block {.code generated quantities}: {.code vector[N] {variable};
         for (i in 1:N) {variable}[i] = normal_rng(mu[i], sigma);}"
  )
  matrix(as.vector(found), nrow(found))[draws, , drop = FALSE]
}

refuse_predicted <- function(wrong, x, ..., .envir = rlang::caller_env()) {
  refuse_if(
    wrong, "{.arg predict} must give a response for each draw and record.",
    x = x, ..., arg = "predict", class = "pseudosynth_error_predict",
    .envir = .envir
  )
}

#' Responses as the user gives them, on the modelled scale
#' @noRd
on_model_scale <- function(values, response) {
  if (has_labels(response)) {
    return(codes_of_labels(values, response))
  }
  bad <- if (is.numeric(values)) sum(!is.finite(values)) else length(values)
  refuse_predicted(
    bad > 0,
    "{bad} of {length(values)} value{?s} {?is/are} no finite number.",
    i = "Give values of {.code {response_label(response)}}, on that scale."
  )
  storage.mode(values) <- "double"
  values
}

#' Levels, or numbers that count them: from 0 where there are two
#' @noRd
codes_of_labels <- function(values, response) {
  levels <- response$levels
  two <- response$kind == "binary"
  codes <- if (is.character(values)) {
    match(values, levels) - 1
  } else if (two) {
    as.double(values)
  } else {
    as.double(values) - 1
  }
  n <- if (two) 2 else length(levels)
  bad <- sum(!codes %in% (seq_len(n) - 1))
  refuse_predicted(
    bad > 0, "{bad} of {length(values)} value{?s} {?is/are} no level.",
    i = if (two) {
      "Give the levels, or 0 for the first and 1 for the second."
    } else {
      "Give the levels, or their numbers from 1 to {n}."
    }
  )
  matrix(as.integer(codes), nrow(values))
}
