# The specification of a model as the C++ core reads it: with weights and a
# clip, for other records, for some of them.

#' Weights and censoring of a model as the core reads them
#'
#' @param spec (list) The model's specification, all but weights and censoring.
#' @param model (list) `data`, `design`, `family`, `prior`, `response`.
#' @param censor (`censoring_rule`, resolved, or `NULL`)
#' @return `spec` with `alpha` and `censor`.
#' @noRd
weighted_spec <- function(spec, model, weights, censor) {
  n <- length(spec$y)
  spec$alpha <- if (is.null(weights)) rep(1, n) else bare_numbers(weights)
  if (!is.null(censor$alpha)) spec$alpha <- spec$alpha * censor$alpha
  spec["censor"] <- list(NULL)
  spec["censor"] <- list(censor_spec(censor, model, spec))
  spec
}

#' A censoring rule as the core reads it
#'
#' @param spec (list) The specification with its weights, without censoring.
#' @return `NULL` or a list with `lower`, `upper` and `centre` (N).
#' @noRd
censor_spec <- function(censor, model, spec) {
  if (is.null(censor)) {
    return(NULL)
  }
  # Censoring bounds the likelihood: only a proper prior makes a posterior
  refuse_privacy(
    !prior_is_proper(model$prior),
    "A censored likelihood needs a proper prior.",
    x = "The prior is {.code {format(model$prior)}}."
  )
  centre <- numeric(length(spec$y))
  if (!is.null(censor$reference)) {
    at <- reference_point(censor$reference, model, spec)
    at$spec$alpha <- rep(1, length(spec$y))
    f <- as.vector(call_core(log_lik_(at$spec, matrix(at$draw, nrow = 1))))
    exponent <- spec$alpha * spec_exponents(spec)
    centre <- ifelse(exponent == 0, 0, exponent * f)
    # A function of the record alone, kept finite
    centre[is.nan(centre)] <- 0
    centre <- clamp(centre, -1e300, 1e300)
  }
  list(
    lower = as.double(censor$lower), upper = as.double(censor$upper),
    centre = centre
  )
}

#' The specification restricted to some records
#' @param i (integer) Records.
#' @noRd
subset_spec <- function(spec, i) {
  spec_of_records(spec, take_records(records_of_spec(spec), i))
}

#' The specification of the model for other records
#'
#' @param newdata (data frame or `NULL`) The records' predictors; `NULL` means
#'   the fit's own.
#' @return (list) A specification without a response and with weights 1.
#' @noRd
newdata_spec <- function(fit, newdata) {
  if (is.null(newdata)) {
    return(fit$spec)
  }
  check_data_frame(newdata, arg = "newdata")
  n <- nrow(newdata)
  if (inherits(fit, "external_fit")) {
    check_columns(fit$design$variables, newdata, "newdata")
    # What the user's own functions read
    return(list(y = rep(NA_real_, n), alpha = rep(1, n), data = newdata))
  }
  parts <- design_parts(fit$design, newdata, arg = "newdata")
  spec_of_records(fit$spec, new_records(list(
    # No response: any value that every family can take.
    y = rep(if (fit$family$kind == "proportion") 0.5 else 0, n),
    alpha = rep(1, n), codes = parts$codes, numeric = parts$numeric,
    offset = parts$offset
  )))
}

#' The specification of other records, their response included
#' @noRd
record_spec <- function(model, data) {
  spec <- newdata_spec(model, data)
  response <- model$response
  y <- data[[response$name]]
  check_finite_column(y, response$name)
  if (!has_labels(response)) {
    response_values(data, response$name)
    y <- stated_values(response, y)
    check_values(y, response)
  }
  spec$y <- response_forward(response, y)
  spec$survey <- survey_exponents(model$survey, data)
  bad <- which(!is.finite(spec$y))
  refuse_if(
    length(bad) > 0,
    "The response {.val {response$name}} must have values of the same kind
     as in the fit.",
    x = "{length(bad)} record{?s} {?has/have} other values.",
    arg = "newdata", rows = bad
  )
  spec
}

#' Names of the parameters of a draw, in the core's order
#'
#' `b[j * K + k]`, k fastest, of a category its levels but the first; then the
#' family's extra parameters, in a mixture pi and sigma of each component.
#' @param extras (character) Names of the extra parameters.
#' @noRd
parameter_names <- function(columns, spec, extras) {
  if (spec$family == "categorical") {
    others <- spec$levels[-1]
    return(paste(others, rep(columns, each = length(others)), sep = ":"))
  }
  if (spec$family != "normal_mixture") {
    return(c(columns, extras))
  }
  k <- seq_len(spec$K)
  c(
    sprintf("b[%d,%s]", rep(k, length(columns)), rep(columns, each = spec$K)),
    sprintf("pi[%d]", k), sprintf("sigma[%d]", k)
  )
}

#' Refuse a coefficient that has the name of another parameter
#'
#' Draws and references go by name. A mixture's coefficients have names of their
#' own.
#' @noRd
check_parameter_names <- function(columns, family) {
  taken <- intersect(columns, names(family$extras))
  refuse_if(
    !is_mixture(family) && length(taken) > 0,
    "A predictor must not have the name of a parameter.",
    x = "{.val {taken}} is a parameter of {.code {format(family)}}.",
    i = "Rename the column.", arg = "data"
  )
  kept <- intersect(
    columns, c(".chain", ".iteration", ".draw", ".log_weight")
  )
  refuse_if(
    length(kept) > 0,
    "A predictor must not have a name that package posterior keeps for draws.",
    x = "{.val {kept}} {?is/are} reserved.", i = "Rename the column.",
    arg = "data"
  )
}

#' The reference's parameters, and the specification that they are for
#' @return (list) `spec` and `draw`.
#' @noRd
reference_point <- function(reference, model, spec) {
  if (reference$origin == "public") {
    draw <- reference_draw(reference$values, model, spec)
    return(list(spec = spec, draw = draw))
  }
  check_reference_model(reference, model, spec)
  # The reference's own coding and scaling of the published predictors
  parts <- design_parts(reference$design, model$data, arg = "data")
  spec[names(parts)] <- parts
  list(spec = spec, draw = reference$values)
}

#' Public values as one draw of the model
#' @return (double) In the core's order; coefficients left out are 0.
#' @noRd
reference_draw <- function(values, model, spec) {
  full <- parameter_names(
    model$design$columns, spec, names(model$family$extras)
  )
  # Mixture: b[2,age] and sigma[2] take what is given for `age` and `sigma`
  short <- sub("^b\\[[0-9]+,(.*)\\]$", "\\1", sub("^(pi|sigma)\\[[0-9]+\\]$",
    "\\1", full
  ))
  # A category: `master:age` takes what is given for `age`
  if (is_categorical(model$family)) {
    short <- rep(model$design$columns, each = spec$K - 1)
  }
  unknown <- setdiff(names(values), c(full, short))
  refuse_if(
    length(unknown) > 0, "{.arg reference} must name parameters of the model.",
    x = "{cli::qty(length(unknown))}The model has no parameter{?s}
         {.val {unknown}}.",
    i = "The parameters are {.val {unique(short)}}.", arg = "reference"
  )
  draw <- ifelse(full %in% names(values), values[full], values[short])
  if (is_mixture(model$family)) {
    proportion <- short == "pi"
    if (all(is.na(draw[proportion]))) draw[proportion] <- 1 / sum(proportion)
  }
  coefficient <- short %in% model$design$columns
  draw[coefficient & is.na(draw)] <- 0
  left_out <- unique(short[is.na(draw)])
  refuse_if(
    length(left_out) > 0, "{.arg reference} must give {.val {left_out}}.",
    i = "Only coefficients may be left out: they are then 0.", arg = "reference"
  )
  outside <- unique(short[!coefficient & draw <= 0])
  refuse_if(
    length(outside) > 0,
    "{.arg reference} must give {.val {outside}} a positive value.",
    arg = "reference"
  )
  unname(draw)
}

check_reference_model <- function(reference, model, spec) {
  same_density <- identical(
    unclass(reference$family)[c("likelihood", "K", "arguments")],
    unclass(model$family)[c("likelihood", "K", "arguments")]
  )
  labels <- function(design) {
    c(design$intercept, attr(design$terms, "term.labels"), design$offset)
  }
  problem <- if (!same_density) {
    "Its family is different."
  } else if (!identical(reference$response$label, model$response$label)) {
    "It models another response."
  } else if (!identical(labels(reference$design), labels(model$design))) {
    "It has other predictors."
  }
  refuse_if(
    !is.null(problem), "{.arg reference} must be a fit of the same model.",
    x = problem, arg = "reference"
  )
  refuse_privacy(
    identical(reference$fingerprint, values_mark(spec$y)) ||
      is_same_file(model$data, reference$rows),
    "{.arg reference} must come from other data.",
    x = "It was fitted to this file or to most of it: records would enter
         twice.", arg = "reference"
  )
}

#' Number of parameters of a specification, NA for mixtures and categories
#' @noRd
count_parameters <- function(spec) {
  extra <- switch(spec$family,
    poisson = , bernoulli = 0, normal_mixture = , categorical = NA, 1
  )
  spec$n_columns + extra
}
