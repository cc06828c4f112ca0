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
parse_response <- function(formula, data, family = gaussian_family()) {
  left <- formula[[2]]
  refuse_several(formula, names(data), family)
  if (is.call(left) && (family$kind != "continuous" || family$log_response)) {
    abort_plain_left_side(left, names(data), family)
  }
  refuse_left_side <- function(wrong) {
    refuse_if(
      wrong,
      "The left side of {.arg formula} must be a column {.code y} or one of
       {.code log(y)}, {.code log1p(y)}, {.code sqrt(y)}, {.code asinh(y)} and
       {.code asinh(y / constant)}.",
      i = make_column_first(formula[[2]]), arg = "formula"
    )
  }
  transform <- "identity"
  constant <- 1
  if (is.call(left)) {
    transform <- if (is.symbol(left[[1]])) as.character(left[[1]]) else ""
    known <- transform %in% setdiff(names(response_transforms), "identity")
    refuse_left_side(!known || length(left) != 2)
    left <- left[[2]]
    if (transform == "asinh" && is.call(left)) {
      refuse_left_side(!identical(left[[1]], quote(`/`)) || length(left) != 3)
      constant <- public_constant(left[[3]], names(data), environment(formula))
      left <- left[[2]]
    }
  }
  refuse_left_side(!is.symbol(left))
  variable <- as.character(left)
  refuse_if(
    !variable %in% names(data),
    "The response of {.arg formula} must be a column of {.arg data}.",
    x = "There is no column {.val {variable}}.",
    i = "The columns are {.val {names(data)}}.", arg = "formula"
  )
  if (family$log_response) transform <- "log"
  list(name = variable, transform = transform, constant = constant)
}

# Functions by which several columns, or counts of outcomes, stand on the left
joins <- c("cbind", "mvbind", "rbind", "c", "list", "data.frame")

#' Refuse several responses, and name the verbs that take them
#' @noRd
refuse_several <- function(formula, columns, family) {
  left <- formula[[2]]
  right <- formula[[3]]
  called <- if (is.call(left)) called_name(left[[1]])
  if (is.null(called) || !sub(".*::", "", called) %in% joins) return()
  several <- intersect(all.vars(left), columns)
  published <- intersect(all.vars(right), columns)
  line <- sprintf(
    "plan <- file_plan(data, codebook%s)",
    if (length(published) == 0 || length(published) > 5) "" else
      sprintf(", publish = %s", deparse1(published))
  )
  abort_input(
    "The left side of {.arg formula} must be one response.",
    x = if (length(several) > 1) "It joins {.val {several}}.",
    i = if (family$kind == "binary") {
      "Counts of two outcomes are records: write one row for each answer, and
       the answer's column on the left."
    },
    i = "Columns are synthesized together as a file: {.code {line}}, where
         {.code draft_codebook(data)} begins the codebook.",
    i = "Then {.code synthesize_file(plan, \"lw\")} takes one of the papers'
         mechanisms, and {.code file_release(plan, epsilon = 1)} is strict.",
    arg = "formula"
  )
}

# Counts, proportions and yes/no: the link is on the mean, not on the response.
abort_plain_left_side <- function(left, columns, family) {
  names <- intersect(all.vars(left), columns)
  plain <- if (length(names) == 1) names else "y"
  abort_input(
    "With {.fn {family$name}} the left side of {.arg formula} must be the
     variable itself.",
    x = "It is {.code {deparse1(left)}}.",
    i = if (family$log_response) {
      "This family takes the logarithm itself. For another scale use
       {.fn gaussian}."
    } else {
      response_kinds[[family$kind]]$models
    },
    i = "Write {.code {plain} ~ ...}.", arg = "formula"
  )
}

# The constant must be public: a literal number or the name of an object that
# is looked up outside the data.
public_constant <- function(x, columns, env) {
  while (is.call(x) && identical(x[[1]], quote(`(`))) x <- x[[2]]
  if (is.symbol(x)) {
    name <- as.character(x)
    refuse_if(
      name %in% columns, "The constant of {.fn asinh} must be a public number.",
      x = "{.val {name}} is a column of {.arg data}.", arg = "formula"
    )
    x <- get0(name, envir = env, mode = "numeric")
  }
  public <- is.numeric(x) && length(x) == 1 && is.finite(x) && x > 0
  refuse_if(
    !public,
    "The constant of {.fn asinh} must be one positive number, or the name
     of one outside {.arg data}.",
    i = "It must be public knowledge, as in {.code asinh(income / 1000)}.",
    arg = "formula"
  )
  as.double(x)
}

#' Describe the response and check its values
#'
#' @param formula,data,family See `parse_response()`.
#' @param stated (`public_response` or `NULL`)
#' @return (`synth_response`) A list with `name`, `transform`, `constant`,
#'   `kind` (of the family), `bounds` (of a proportion, else `NULL`), `type`
#'   ("integer", "double", "logical", "factor" or "character"), `levels` (of a
#'   factor or character, else `NULL`), `ordered` (flag), `digits` (decimals
#'   that every value keeps; `NA` when there is no such number), `stated` (names
#'   of what was stated), `limits` (stated bounds), `label` (the modelled scale:
#'   what f is the density of).
#' @noRd
new_response <- function(formula, data, family = gaussian_family(),
                         stated = NULL) {
  response <- described_response(formula, data, family, stated)
  y <- data[[response$name]]
  check_response(y, response, family)
  check_stated_numbers(list(own = list(
    bounds = c(response$limits, response$bounds),
    formula = formula_numbers(formula, names(data))
  )), response, facts_of_records(response, data))
  response
}

#' The response as formula, family and what is stated describe it, not checked
#' @param data (data frame) With no row nothing is read from records.
#' @noRd
described_response <- function(formula, data, family, stated) {
  response <- parse_response(formula, data, family)
  response$kind <- family$kind
  response["bounds"] <- list(family$bounds)
  y <- data[[response$name]]
  response$type <- if (is.factor(y)) "factor" else typeof(y)
  response["levels"] <- list(response_levels(y))
  response$ordered <- is.ordered(y)
  response$digits <- if (!is.numeric(y) || has_labels(response)) {
    0L
  } else if (length(y) > 0) {
    response_digits(y)
  } else {
    NA_integer_
  }
  response <- state_response(response, stated)
  response$label <- response_unit(response)
  structure(response, class = c("synth_response", "pseudosynth_result"))
}

check_response <- function(y, response, family) {
  name <- response$name
  labels <- has_labels(response)
  refuse_if(
    !labels && (!is.numeric(y) || is.object(y) || !is.null(dim(y))),
    "The response {.val {name}} must be a plain numeric column.",
    x = "It is {describe_type(y)}.",
    i = if (is.logical(y) || length(unique(y)) == 2) {
      "For two values use {.fn bernoulli}."
    },
    i = haven_hint(y), arg = "data"
  )
  check_finite_column(y, name)
  refuse_if(
    length(y) < 2, "{.arg data} must have at least two records.",
    x = "It has {length(y)}.", arg = "data"
  )
  y <- stated_values(response, y)
  check_values(y, response)
  bad <- which_not_finite(response_forward(response, y))
  refuse_if(
    length(bad) > 0,
    "The modelled response {.code {response_label(response)}} must be finite.",
    x = "It is not finite for {length(bad)} record{?s}.",
    i = "Choose another constant or transformation.",
    arg = "formula", rows = bad
  )
}

#' Refuse values that are none of the response's kind
#' @param y As stated_values() gives them.
#' @noRd
check_values <- function(y, response) {
  name <- response$name
  switch(response$kind,
    binary = check_binary(y, name, response),
    categorical = check_levels(y, name, response),
    count = check_counts(y, name), proportion = check_inside(y, response),
    check_domain(y, response)
  )
}

#' Refuse a density without a bound: all records at one value
#'
#' Equal counts are fine: the priors are proper and a count's probability is at
#' most 1. So are censored records: whether a strict job runs must not tell.
#' @noRd
check_varies <- function(model) {
  response <- model$response
  if (response$kind == "count" || has_labels(response)) {
    return(invisible())
  }
  y <- stated_values(response, model$data[[response$name]])
  z <- response_forward(response, y)
  refuse_if(
    min(z) == max(z), "The response {.val {response$name}} must vary.",
    x = "All {length(y)} records have the same value{if (min(y) < max(y))
         ' on the modelled scale'}.",
    i = "There is nothing to model: every synthetic value would equal it.",
    i = "A censored likelihood, see {.fn censor}, accepts such a response.",
    arg = "data"
  )
}

check_finite_column <- function(x, name) {
  refuse_rows <- function(rows, must, is, advice) {
    refuse_if(
      length(rows) > 0, "Column {.val {name}} must {must}.",
      x = "It is {is} for {length(rows)} of {length(x)} record{?s}.",
      i = advice, arg = "data", rows = rows
    )
  }
  refuse_rows(
    if (has_missing(x)) which(is.na(x)), "have no missing values", "missing",
    "Drop these records yourself, or recode missing values as a level or a value
     of their own."
  )
  refuse_rows(
    if (is.numeric(x) && !all_finite(x)) which(is.infinite(x)), "be finite",
    "infinite", "Correct or drop these records."
  )
}

# Values that the transformation cannot take are the user's decision: nothing
# is dropped silently.
check_domain <- function(y, response) {
  transform <- response_transforms[[response$transform]]
  bad <- which(!transform$takes(y))
  name <- response$name
  choices <- c(
    if (response$transform == "log" && all(y > -1)) sprintf("log1p(%s)", name),
    sprintf("asinh(%s / constant)", name)
  )
  refuse_if(
    length(bad) > 0,
    "The response {.val {name}} must be {transform$wanted} for
     {.code {response_label(response)}}.",
    x = "It is {transform$unwanted} for {length(bad)} of {length(y)}
         record{?s}.",
    i = "Either drop these records yourself, for instance with {.fn subset},",
    i = "or keep them and model {.or {.code {choices}}} with a public
         constant.",
    arg = "data", rows = bad
  )
}

# The fewest decimals that lose nothing. Whole dollars give 0; measured
# quantities give NA and are not rounded.
response_digits <- function(y) {
  # What is no plain number is refused later, and may not know round()
  if (is.object(y)) {
    return(NA_integer_)
  }
  if (is.numeric(y)) {
    facts <- number_facts_(y)
    if (facts$whole && facts$missing == 0) {
      return(0L)
    }
  }
  some <- utils::head(y, 1000)
  # What all records show, some show as well
  Find(function(digits) {
    is_met <- function(y) isTRUE(all(round(y, digits) == y))
    is_met(some) && is_met(y)
  }, 0:4) %||% NA_integer_
}

#' @export
format.synth_response <- function(x, ...) x$label

print_lines.synth_response <- function(x) {
  kept <- if (is.null(x$levels)) {
    rounding_text(x)
  } else {
    paste("second level", x$levels[2])
  }
  sprintf("<synth_response> %s (%s, %s)", x$label, x$type, kept)
}
