# The response: what the formula's left side says, and the way there and back.
# A `synth_response` holds no data, only the name, the transformation and the
# type of the variable.

#' Read the formula's left side
#'
#' @param formula (formula) `y ~ ...`, or `log(y)`, `log1p(y)`, `sqrt(y)`,
#'   `asinh(y)`, `asinh(y / constant)` on the left.
#' @param data (data frame) For column names only.
#' @param family (`synth_family`) Some model the variable as it is only, some
#'   take its logarithm themselves.
#' @return (list) `variable`, `transform`, `constant`.
#' @noRd
parse_response <- function(formula, data, family = gaussian_family(),
                           call = rlang::caller_env()) {
  left <- formula[[2]]
  if (is.call(left) && family$kind != "continuous") {
    abort_plain_left_side(left, names(data), family, call)
  }
  transform <- "identity"
  constant <- 1
  if (is.call(left)) {
    transform <- if (is.symbol(left[[1]])) as.character(left[[1]]) else ""
    known <- transform %in% c("log", "log1p", "sqrt", "asinh")
    if (!known || length(left) != 2) {
      abort_left_side(formula[[2]], call)
    }
    left <- left[[2]]
    if (transform == "asinh" && is.call(left)) {
      if (!identical(left[[1]], quote(`/`)) || length(left) != 3) {
        abort_left_side(formula[[2]], call)
      }
      constant <- public_constant(
        left[[3]], names(data), environment(formula), call
      )
      left <- left[[2]]
    }
  }
  if (!is.symbol(left)) {
    abort_left_side(formula[[2]], call)
  }
  variable <- as.character(left)
  if (!variable %in% names(data)) {
    abort_input(
      c(
        "The response of {.arg formula} must be a column of {.arg data}.",
        x = "There is no column {.val {variable}}.",
        i = "The columns are {.val {names(data)}}."
      ),
      arg = "formula", call = call
    )
  }
  if (family$log_response) {
    if (transform != "identity") {
      abort_input(
        c(
          "With {.fn lognormal} the left side must be the variable itself.",
          x = "It is {.code {deparse1(formula[[2]])}}; {.fn lognormal} would
               take the logarithm of that.",
          i = "Write {.code {variable} ~ ...}, or use {.fn gaussian}."
        ),
        arg = "formula", call = call
      )
    }
    transform <- "log"
  }
  list(variable = variable, transform = transform, constant = constant)
}

abort_left_side <- function(left, call) {
  abort_input(
    c(
      "The left side of {.arg formula} must be a column {.code y} or one of
       {.code log(y)}, {.code log1p(y)}, {.code sqrt(y)}, {.code asinh(y)} and
       {.code asinh(y / constant)}.",
      i = make_column_first(left)
    ),
    arg = "formula", call = call
  )
}

# Counts, proportions and yes/no: the link is on the mean, not on the response.
abort_plain_left_side <- function(left, columns, family, call) {
  names <- intersect(all.vars(left), columns)
  plain <- if (length(names) == 1) names else "y"
  why <- switch(family$kind,
    count = "It models whole numbers; its log link is on their mean.",
    proportion = "It scales the variable by its {.arg bounds}; its logit link
                  is on the mean.",
    binary = "It models two values; its logit link is on the probability.",
    categorical = "It models levels; its link is on their probabilities."
  )
  abort_input(
    c(
      "With {.fn {family$name}} the left side of {.arg formula} must be the
       variable itself.",
      x = "It is {.code {deparse1(left)}}.",
      i = why,
      i = "Write {.code {plain} ~ ...}."
    ),
    arg = "formula", call = call
  )
}

# The constant must be public: a literal number or the name of an object that
# is looked up outside the data.
public_constant <- function(x, columns, env, call) {
  while (is.call(x) && identical(x[[1]], quote(`(`))) {
    x <- x[[2]]
  }
  if (is.symbol(x)) {
    name <- as.character(x)
    if (name %in% columns) {
      abort_input(
        c(
          "The constant of {.fn asinh} must be a public number.",
          x = "{.val {name}} is a column of {.arg data}."
        ),
        arg = "formula", call = call
      )
    }
    x <- get0(name, envir = env, mode = "numeric")
  }
  public <- is.numeric(x) && length(x) == 1 && is.finite(x) && x > 0
  if (!public) {
    abort_input(
      c(
        "The constant of {.fn asinh} must be one positive number, or the name
         of one outside {.arg data}.",
        i = "It must be public knowledge, such as {.code asinh(income / 1000)}."
      ),
      arg = "formula", call = call
    )
  }
  as.double(x)
}

#' Describe the response and check its values
#'
#' @param formula,data,family See `parse_response()`.
#' @param stated (`public_response` or `NULL`)
#' @return (`synth_response`) A list with `variable`, `transform`, `constant`,
#'   `kind` (of the family), `bounds` (of a proportion, else `NULL`), `type`
#'   ("integer", "double", "logical", "factor" or "character"), `levels` (of a
#'   factor or character, else `NULL`), `ordered` (flag), `digits` (decimals
#'   that every value keeps; `NA` when there is no such number), `stated` (which
#'   of these were), `limits` (stated bounds), `label` (the modelled scale: what
#'   f is the density of).
#' @noRd
new_response <- function(formula, data, family = gaussian_family(),
                         call = rlang::caller_env(), stated = NULL) {
  response <- parse_response(formula, data, family, call)
  response$kind <- family$kind
  response["bounds"] <- list(family$bounds)
  y <- data[[response$variable]]
  response$type <- response_type(y)
  response["levels"] <- list(response_levels(y))
  response$ordered <- is.ordered(y)
  response$digits <- if (is.numeric(y)) response_digits(y) else 0L
  response <- state_response(response, stated, call)
  check_response(y, response, family, call)
  check_public_ends(
    c(response$limits, response$bounds), y, "bounds", response$confirmed, call
  )
  check_public_numbers(
    formula_numbers(formula, names(data)), y, "A number in {.arg formula}",
    "formula", response$confirmed, call
  )
  response$label <- response_unit(response)
  structure(response, class = "synth_response")
}

check_response <- function(y, response, family, call) {
  name <- response$variable
  if (response$kind == "binary") {
    check_finite_column(y, name, call)
    check_enough(y, call)
    check_binary(y, name, response, call)
    return(invisible(y))
  }
  if (response$kind == "categorical") {
    check_finite_column(y, name, call)
    check_enough(y, call)
    check_levels(y, name, response, call)
    return(invisible(y))
  }
  if (!is.numeric(y) || is.object(y) || !is.null(dim(y))) {
    two <- is.logical(y) || length(unique(y)) == 2
    abort_input(
      c(
        "The response {.val {name}} must be a plain numeric column.",
        x = "It is {describe_type(y)}.",
        i = if (two) "For two values use {.fn bernoulli}.",
        i = haven_hint(y)
      ),
      arg = "data", call = call
    )
  }
  check_finite_column(y, name, call)
  check_enough(y, call)
  y <- stated_values(response, y)
  switch(response$kind,
    count = check_counts(y, name, call),
    proportion = check_inside(y, response, call),
    check_domain(y, response, call)
  )
  z <- response_forward(response, y)
  if (!all(is.finite(z))) {
    bad <- which(!is.finite(z))
    n_bad <- length(bad)
    abort_input(
      c(
        "The modelled response {.code {response_label(response)}} must be
         finite.",
        x = "It is not for {n_bad} record{?s}.",
        i = "Choose another constant or transformation."
      ),
      arg = "formula", call = call, rows = bad
    )
  }
  invisible(y)
}

#' Refuse a density without a bound: all records at one value
#'
#' Equal counts are fine: the priors are proper and a count's probability is at
#' most 1. So are clipped records: whether a strict job runs must not tell.
#' @noRd
check_varies <- function(model, call) {
  response <- model$response
  if (response$kind == "count" || has_labels(response)) {
    return(invisible(model))
  }
  y <- stated_values(response, model$data[[response$variable]])
  z <- response_forward(response, y)
  if (min(z) == max(z)) {
    name <- response$variable
    n <- length(y)
    abort_input(
      c(
        "The response {.val {name}} must vary.",
        x = "All {n} records have the same value{if (min(y) < max(y))
             ' on the modelled scale'}.",
        i = "There is nothing to model: every synthetic value would equal it.",
        i = "A clipped likelihood, see {.fn censor}, has no such trouble."
      ),
      arg = "data", call = call
    )
  }
  invisible(model)
}

check_enough <- function(y, call) {
  n <- length(y)
  if (n < 2) {
    abort_input(
      c(
        "{.arg data} must have at least two records.",
        x = "It has {n}."
      ),
      arg = "data", call = call
    )
  }
}

check_finite_column <- function(x, name, call) {
  missing_rows <- which(is.na(x))
  if (length(missing_rows) > 0) {
    n_bad <- length(missing_rows)
    abort_input(
      c(
        "Column {.val {name}} must have no missing values.",
        x = "It is missing for {n_bad} of {length(x)} record{?s}.",
        i = "Drop these records yourself, or give missing values a level or a
             value of their own."
      ),
      arg = "data", call = call, rows = missing_rows
    )
  }
  infinite_rows <- if (is.numeric(x)) which(is.infinite(x))
  if (length(infinite_rows) > 0) {
    n_bad <- length(infinite_rows)
    abort_input(
      c(
        "Column {.val {name}} must be finite.",
        x = "It is infinite for {n_bad} of {length(x)} record{?s}.",
        i = "Correct or drop these records."
      ),
      arg = "data", call = call, rows = infinite_rows
    )
  }
  invisible(x)
}

# Values that the transformation cannot take are the user's decision: nothing
# is dropped silently.
check_domain <- function(y, response, call) {
  bad <- switch(response$transform,
    log = which(y <= 0),
    log1p = which(y <= -1),
    sqrt = which(y < 0),
    integer()
  )
  if (length(bad) == 0) {
    return(invisible(y))
  }
  name <- response$variable
  n_bad <- length(bad)
  wanted <- switch(response$transform,
    log = "positive", log1p = "above -1", sqrt = "0 or more"
  )
  unwanted <- switch(response$transform,
    log = "0 or negative", log1p = "-1 or less", sqrt = "negative"
  )
  choices <- switch(response$transform,
    log = c(
      if (all(y > -1)) "log1p({name})", "asinh({name} / constant)"
    ),
    "asinh({name} / constant)"
  )
  choices <- gsub("{name}", name, choices, fixed = TRUE)
  abort_input(
    c(
      "The response {.val {name}} must be {wanted} for
       {.code {response_label(response)}}.",
      x = "It is {unwanted} for {n_bad} of {length(y)} record{?s}.",
      i = "Either drop these records yourself, for instance with
           {.fn subset},",
      i = "or keep them and model {.or {.code {choices}}} with a public
           constant."
    ),
    arg = "data", call = call, rows = bad
  )
}

# The fewest decimals that lose nothing. Whole dollars give 0; measured
# quantities give NA and are not rounded.
response_digits <- function(y) {
  for (digits in 0:4) {
    if (isTRUE(all(round(y, digits) == y))) {
      return(digits)
    }
  }
  NA_integer_
}

#' @export
format.synth_response <- function(x, ...) {
  x$label
}

#' @export
print.synth_response <- function(x, ...) {
  kept <- if (!is.null(x$levels)) {
    sprintf("second level %s", x$levels[2])
  } else {
    rounding_text(x)
  }
  cat("<synth_response> ", x$label, " (", x$type, ", ", kept, ")\n", sep = "")
  invisible(x)
}
