# Fits as sources: each set takes a kept draw of its own.

fit_source <- function() {
  new_source(
    refuses = list(uncertainty = c(
      "{.arg uncertainty} only applies to a score release.",
      x = "Sets of a fit already differ by their parameter draws, and
           {.fn pool} combines them.",
      i = "Leave {.arg uncertainty} out, or draw from {.fn score_release}."
    )),
    check = check_fit_source, rows = rows_for_fit, label = label_of_sets,
    draw = draw_from_fit, secret = function(x) x$data[[x$response$name]]
  )
}

check_fit_source <- function(x, asked) {
  check_knows_records(x, "fit")
  check_margin(asked$margin, x)
  check_assignment(asked$assignment, x, asked$newdata)
  check_converged(x, asked$allow_unconverged)
  check_draws_for(n_draws(x), asked$m)
}

rows_for_fit <- function(x, asked) {
  data <- asked$newdata %||% x$data
  spec <- newdata_spec(x, asked$newdata)
  if (!is.null(asked$margin)) check_margin_offset(x$design, spec)
  columns <- published_columns(x, data)
  check_published(x, data, columns)
  list(
    data = data, n = nrow(data), columns = columns, spec = spec,
    tibble = if (is.null(asked$newdata)) isTRUE(x$tibble) else is_tibble(data)
  )
}

#' The label of m sets drawn from a fit
#'
#' Every call takes draws of its own, which are charged under an identity of
#' their own; the same fit with the same seed gives the same draws again.
#' @noRd
label_of_sets <- function(x, asked, rows = NULL, what = "synthetic data") {
  seed <- asked$seed
  label_of_fit(
    x, asked$m,
    what = what, assignment = asked$assignment, reproducible = is_seeded(seed),
    margin = margin_part(asked$margin), bounds = asked$bounds,
    draws_id = if (is_seeded(seed)) {
      hashed_id(x$id, given_seed(seed))
    } else {
      new_charge_id(seed)
    }
  )
}

draw_from_fit <- function(x, asked, rows) {
  values <- values_at_draws(
    x, drawn_rows(x, asked), rows$spec, seed_words(asked$seed, "synthesize"),
    asked$assignment == "posterior", x$control$threads %||% 1L
  )
  if (!is.null(asked$margin)) {
    values <- calibrate_sets(values, x$response, asked$margin, asked$seed)
  }
  list(values = values, margin = asked$margin, combine = "reiter")
}

#' Which draws sets are made of, one each
#' @noRd
drawn_rows <- function(x, asked) {
  random_rows(n_draws(x), asked$m, seed_words(asked$seed, "draws"))
}

#' Columns beside what is drawn from a fit must not tell the response
#' @noRd
check_published <- function(fit, data, columns) {
  variable <- fit$response$name
  published <- data[setdiff(columns, variable)]
  check_design_not_copied(fit$spec, fit$design)
  if (nrow(data) == n_records(fit)) check_not_copied(fit$spec$y, published)
  # Other records, or the same in another order
  y <- data[[variable]]
  own <- is.numeric(y) && identical(y, fit$data[[variable]])
  if (!is.null(y) && nrow(data) > 0 && !own) check_not_copied(y, published)
}

check_margin <- function(margin, fit) {
  if (is.null(margin)) {
    return(invisible())
  }
  check_class(margin, "perturbed_histogram")
  check_margin_kind(fit$response)
  scale <- c("name", "transform", "constant")
  same <- identical(
    unclass(margin$response)[scale], unclass(fit$response)[scale]
  )
  refuse_if(
    !same, "{.arg margin} must be a histogram of the modelled response.",
    x = "The model is of {.code {response_label(fit$response)}}, the
         histogram of {.code {response_label(margin$response)}}.",
    i = "Give {.fn perturbed_histogram} the model's formula.", arg = "margin"
  )
  check_ends_hold(margin$bounds, fit$response, "margin")
}

check_margin_kind <- function(response) {
  refuse_if(
    has_labels(response),
    "{.arg margin} only applies to numbers.", i = "Leave it out.",
    arg = "margin"
  )
}

check_assignment <- function(assignment, fit, newdata) {
  if (assignment == "prior") {
    return(invisible())
  }
  if (!is_mixture(fit$family)) abort_input(for_mixtures, arg = "assignment")
  refuse_if(
    !is.null(newdata),
    "{.code assignment = \"posterior\"} reads the confidential response.",
    x = "It cannot be combined with {.arg newdata}.",
    i = "Leave {.arg assignment} or {.arg newdata} out.", arg = "assignment"
  )
}
