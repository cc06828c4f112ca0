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
  check_public_ends(
    c(response$limits, response$bounds), y, "bounds", response$confirmed
  )
  check_public_numbers(
    formula_numbers(formula, names(data)), y, "A number in {.arg formula}",
    "formula", response$confirmed
  )
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

# Numbers that are stated as public must not be computed from the file: its
# smallest and its largest value are the values of records, and noise hides no
# mean that stands in a label.

#' Refuse stated ends that are the smallest or the largest value of the file
#'
#' One end is enough, and so is one that nearly equals it. What 0 and 1 are,
#' everybody knows; all else must be confirmed, see public_response().
#' @param ends (numeric or `NULL`) As stated, in the response's own unit.
#' @param y The confidential values.
#' @param confirmed (numeric or `NULL`)
#' @noRd
check_public_ends <- function(ends, y, arg, confirmed = NULL) {
  # What is no number is refused where ends are read
  if (!is.numeric(ends) || !is.numeric(y) || length(y) == 0) {
    return(invisible())
  }
  y <- as.double(y)
  told <- ends[near_one_of(ends, finite_range(y)) &
    !near_one_of(ends, c(0, 1, confirmed))]
  rows <- which(near_one_of(y, told))
  which <- if (length(told) > 1) "Both are" else "One of them is"
  refuse_private(
    length(told) > 0, "{.arg {arg}}",
    x = "{which} the smallest or the largest value of the data, which
         {length(rows)} record{?s} {?has/have}.",
    i = "State what is known beforehand, such as {.code c(10, 2e6)} for
         incomes.",
    i = "If such an end is public all the same, for instance a top code, confirm
         it with {.code response = public_response(confirmed = )}.",
    arg = arg, rows = rows
  )
}

#' Refuse what was stated as public and was not
#' @param what (string) What was stated, in cli's markup.
#' @param ... See abort_of().
#' @noRd
refuse_private <- function(wrong, what, ..., .envir = rlang::caller_env()) {
  refuse_privacy(
    wrong, paste(what, "must be public: chosen without the data."), ...,
    .envir = .envir,
    class = c("pseudosynth_error_public_ends", "pseudosynth_error_input")
  )
}

#' Refuse stated breaks that are mostly values of the file, or its quantiles
#'
#' Breaks of two digits, or equally wide ones, are what people write.
#' @param breaks (numeric) Increasing.
#' @noRd
check_public_breaks <- function(breaks, y, confirmed = NULL) {
  width <- diff(breaks)
  if (max(width) - min(width) <= 1e-9 * sum(width)) {
    return(invisible())
  }
  stated <- breaks[breaks != signif(breaks, 2) & !breaks %in% confirmed]
  told <- stated[stated %in% y]
  values <- length(told) > 2 && length(told) > length(stated) / 2
  refuse_private(
    values || are_quantiles(stated, y), "{.arg bins}",
    x = if (values) {
      "{length(told)} of {length(breaks)} breaks are values of records."
    } else {
      "They are quantiles of the data."
    },
    i = "State round breaks, or their number and {.arg bounds}.",
    arg = "bins", rows = if (values) which(y %in% told) else integer()
  )
}

#' Do breaks cut the records at round shares, more exactly than by chance?
#' @noRd
are_quantiles <- function(breaks, y) {
  n <- length(y)
  sorted <- sort(as.double(y))
  upper <- findInterval(breaks, sorted)
  inside <- upper > 0 & upper < n
  if (sum(inside) < 3) {
    return(FALSE)
  }
  # Shares below a break, and up to it: quantiles lie between two records
  high <- (upper[inside] + 1) / n
  low <- (findInterval(breaks[inside], sorted, left.open = TRUE) - 1) / n
  steps <- c(1 / 4, 1 / 5, 1 / 10, 1 / 20, 1 / 100, 1 / (length(breaks) + 1))
  any(vapply(steps, function(step) {
    met <- floor(high / step + 1e-9) > ceiling(low / step - 1e-9) - 1
    all(met) && sum(log(pmin(1, (high - low) / step))) < log(1e-5)
  }, NA))
}

# Centres, scales and constants ------------------------------------------------

#' Refuse a reference or a prior that is the file's own
#'
#' Numbers that are round in the response's own unit pass, such as log(60000).
#' @param reference (`censor_reference` or `NULL`)
#' @param prior (`synth_prior` or `NULL`) As the user stated it.
#' @param model (list) See new_model().
#' @noRd
check_public_centre <- function(reference, prior, model) {
  centres <- stated_centres(reference, prior, model)
  for (arg in names(centres)) {
    check_public_numbers(
      centres[[arg]], record_values(model$response, model$data),
      sprintf("{.arg %s}", arg), arg, model$response$confirmed
    )
  }
  invisible()
}

#' The numbers of a reference and a prior that a user states, by argument
#'
#' Without those that are round in the response's own unit.
#' @noRd
stated_centres <- function(reference, prior, model) {
  if (is_categorical(model$family)) {
    return(list())
  }
  stated <- list(
    reference = if (identical(reference$origin, "public")) reference$values,
    prior = unlist(unclass(prior)[c("intercept", "scale")])
  )
  lapply(Filter(Negate(is.null), stated), function(values) {
    not_round_in_own_unit(unname(values), model$response)
  })
}

not_round_in_own_unit <- function(values, response) {
  own <- if (response$kind == "count") {
    exp(values)
  } else if (is.null(response$bounds) && !has_labels(response)) {
    suppressWarnings(own_unit(response, values))
  } else {
    stats::plogis(values)
  }
  values[!(is.finite(own) & abs(own - signif(own, 3)) <= 1e-9 * abs(own))]
}

#' Refuse stated numbers that are simple statistics of the response
#'
#' Smallest, largest, mean, median, quartiles, measures of spread and 2.5 times
#' those, and the link of mean and median. What people state from memory has up
#' to three digits: those numbers pass, and so does what is confirmed. A number
#' of seven digits and more must not be the value of a record, either.
#' @param stated (numeric or `NULL`)
#' @param y (numeric) The response on the scale of `stated`.
#' @param what (string) What is stated, in cli's markup.
#' @noRd
check_public_numbers <- function(stated, y, what, arg, confirmed = NULL) {
  stated <- unique(abs(as.double(unlist(stated))))
  stated <- stated[is.finite(stated) & signif(stated, 3) != stated &
    !near_one_of(stated, abs(as.double(confirmed)))]
  if (length(stated) == 0) {
    return(invisible())
  }
  y <- if (is.numeric(y)) as.double(y)[is.finite(y)]
  if (length(y) < 2) {
    return(invisible())
  }
  told <- near_one_of(stated, abs(response_statistics(y))) |
    (signif(stated, 6) != stated & stated %in% abs(y))
  refuse_private(
    any(told), what,
    x = "{sum(told)} number{?s} {?is/are} a value of the response, or its mean,
         a quartile or another statistic of it.",
    i = "State a number that is known without this file. Two or three
         significant digits are enough.",
    i = "If such a number is public all the same, confirm it with
         {.code response = public_response(confirmed = )}.", arg = arg
  )
}

response_statistics <- function(y) {
  quartiles <- stats::quantile(y, c(0.25, 0.5, 0.75), names = FALSE)
  iqr <- quartiles[3] - quartiles[1]
  spread <- c(stats::sd(y), stats::mad(y), iqr / 1.349)
  centre <- c(mean(y), quartiles[2])
  c(
    range(y), quartiles, centre, iqr, spread, 2.5 * spread,
    log(centre[centre > 0]), stats::qlogis(centre[centre > 0 & centre < 1])
  )
}

#' The numbers that a formula computes with, written out or named
#' @param columns (character) Of the file.
#' @return (double)
#' @noRd
formula_numbers <- function(formula, columns) {
  found <- list()
  walk_code(formula, function(part) {
    if (is.numeric(part)) {
      found <<- c(found, part)
      NULL
    } else if (is.call(part)) {
      arguments_of(part)
    }
  })
  named <- lapply(setdiff(all.vars(formula), columns), function(name) {
    value <- get0(name, envir = environment(formula))
    if (is_public_number(value)) as.double(value)
  })
  as.double(unlist(c(found, named)))
}

#' @param values (numeric or `NULL`)
#' @return (logical) For each of `x`.
#' @noRd
near_one_of <- function(x, values) {
  near <- logical(length(x))
  reach <- number_facts_(x)
  for (value in values[is.finite(values)]) {
    slack <- 1e-6 * abs(value)
    # Nearly all values that are asked for lie beyond all others
    if (value + slack >= reach$least && value - slack <= reach$most) {
      near <- near | abs(x - value) <= slack
    }
  }
  near
}
