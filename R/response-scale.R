# What the families that do not model a continuous variable ask of the
# response, and the types that it may have.

#' Check counts: whole numbers, 0 or more
#' @noRd
check_counts <- function(y, name) {
  facts <- number_facts_(y)
  if (facts$least >= 0 && facts$most <= 2^53 && facts$whole) {
    return(invisible())
  }
  negative <- which(y < 0)
  fraction <- which(y != floor(y))
  # Above 2^53 neighbouring whole numbers are the same double.
  huge <- which(y > 2^53)
  n <- c(length(negative), length(fraction), length(huge))
  of <- length(y)
  refuse_if(
    sum(n) > 0,
    "The response {.val {name}} must hold counts: whole numbers, 0 or more.",
    x = if (n[1] > 0) "It is negative for {n[1]} of {of} record{?s}.",
    x = if (n[2] > 0) "It is fractional for {n[2]} of {of} record{?s}.",
    x = if (n[3] > 0) "It is above 2^53 for {n[3]} record{?s}.",
    i = "Correct or drop these records, or choose a family for a continuous
         variable, such as {.fn student_t}.",
    arg = "data", rows = sort(unique(c(negative, fraction, huge)))
  )
}

#' Check that every value lies strictly between the public bounds
#' @noRd
check_inside <- function(y, response) {
  bounds <- response$bounds
  z <- (as.double(y) - bounds[1]) / (bounds[2] - bounds[1])
  # Also what rounds to a bound once scaled: its log density is infinite.
  bad <- which(!(z > 0 & z < 1))
  outside <- sum(y < bounds[1] | y > bounds[2])
  at <- length(bad) - outside
  of <- length(y)
  refuse_if(
    length(bad) > 0,
    "The response {.val {response$name}} must lie strictly between the
     bounds {format_argument(bounds[1])} and {format_argument(bounds[2])}.",
    x = if (at > 0) "It is at a bound for {at} of {of} record{?s}.",
    x = if (outside > 0) "It is outside for {outside} of {of} record{?s}.",
    x = if (outside == 0 && any(z <= 0) && any(z >= 1)) {
      "Both bounds are attained, as if they had been taken from the data. Bounds
       must be public: the smallest and the largest value of the data are the
       values of two records."
    },
    i = "State wider bounds that are publicly known, or correct or drop these
         records.",
    i = "To keep released values within narrower bounds, such as
         {.code c(0, 1)}, use {.arg bounds} of {.fn synthesize}.",
    arg = "data", rows = bad
  )
}

#' Check a response of two values, which may be stated
#' @noRd
check_binary <- function(y, name, response) {
  check_that(
    is.null(dim(y)) && !is.list(y), y,
    "The response {.val {name}} must be one column.",
    i = "One row per record: counts of successes are not supported.",
    arg = "data"
  )
  stated <- "levels" %in% response$stated
  text <- is.factor(y) || is.character(y)
  refuse_if(
    stated && length(response$levels) != 2,
    "{.code levels = } must give two levels for {.fn bernoulli}.",
    x = "It gives {length(response$levels)}.", arg = "response"
  )
  refuse_if(
    stated && !text,
    "{.code levels = } only applies to a factor or character response.",
    x = "{.val {name}} is {describe_type(y)}.", arg = "response"
  )
  if (stated) {
    check_among_levels(y, name, response)
  } else if (text) {
    check_text(y, name)
    n <- length(response_levels(y))
    what <- if (is.factor(y)) "level" else "distinct value"
    refuse_if(
      n != 2, "The response {.val {name}} must have exactly two {what}s.",
      x = "It has {n} {what}{cli::qty(n)}{?s}.",
      i = if (n > 2) {
        "Merge them, or drop unused levels by {.fn droplevels}."
      } else {
        "Make it a {.fn factor} that declares both levels."
      },
      arg = "data"
    )
  } else if (!is.logical(y)) {
    check_that(
      is.numeric(y) && !is.object(y), y,
      "The response {.val {name}} must be 0/1, logical, a factor with two
       levels or a character vector with two values.", arg = "data"
    )
    bad <- which(!(y %in% c(0, 1)))
    refuse_if(
      length(bad) > 0, "The response {.val {name}} must be 0 or 1.",
      x = "It is neither for {length(bad)} of {length(y)} record{?s}.",
      i = "For two other values make it a {.fn factor}; for more values choose
           another family.",
      arg = "data", rows = bad
    )
  }
}

#' Check a response of several labels, which may be stated
#' @noRd
check_levels <- function(y, name, response) {
  check_that(
    is.factor(y) || (is.character(y) && is.null(dim(y))), y,
    "The response {.val {name}} must be a factor or a character vector.",
    i = "Make it a {.fn factor} with public levels.", arg = "data"
  )
  check_text(y, name)
  size <- length(response$levels)
  refuse_if(
    size < 2, "The response {.val {name}} must have at least two levels.",
    x = "It has {size}.", arg = "data"
  )
  check_among_levels(y, name, response)
}

check_among_levels <- function(y, name, response) {
  bad <- which(!as.character(y) %in% response$levels)
  refuse_if(
    length(bad) > 0,
    "The response {.val {name}} must have one of the stated levels.",
    x = "{length(bad)} of {length(y)} record{?s} {?has/have} another value.",
    arg = "data", rows = bad
  )
}

#' What is said of each kind of response
#'
#' `mass`: what a probability is of; `NA` where f is a density. `models`: why
#' the formula's left side is the variable itself.
#' @noRd
response_kinds <- list(
  continuous = list(called = "a continuous response", mass = NA),
  count = list(
    called = "counts", mass = "a count",
    models = "This family models whole numbers; its log link applies to their
              mean."
  ),
  proportion = list(
    called = "a proportion, whose bounds are the family's", mass = NA,
    models = "This family scales the variable by its {.arg bounds}; its logit
              link applies to the mean."
  ),
  binary = list(
    called = "two values", mass = "two values",
    models = "This family models two values; its logit link applies to the
              probability."
  ),
  categorical = list(
    called = "levels", mass = "levels",
    models = "This family models levels; its link applies to their
              probabilities."
  )
)

# Types ------------------------------------------------------------------------

# The labels of a factor or a character: public. Characters are sorted in the C
# locale, so that a fit is the same on every machine.
response_levels <- function(y) {
  if (is.factor(y)) levels(y) else if (is.character(y)) distinct_text(y)
}

#' Any response as numbers: 0 and 1 for two values
#' @param levels (character or `NULL`) The labels of a factor or character; by
#'   default its own.
#' @noRd
as_number <- function(y, levels = response_levels(y)) {
  if (is.factor(y) || is.character(y)) {
    match(as_text(y), as_text(levels)) - 1
  } else {
    as.double(y)
  }
}

as_response_type <- function(response, y) {
  switch(response$type,
    logical = y == 1,
    factor = factor(
      response$levels[y + 1L],
      levels = response$levels, ordered = response$ordered
    ),
    character = response$levels[y + 1L],
    y
  )
}

# What f is the density of, and in which unit: part of every bound and label.
response_unit <- function(response) {
  name <- response$name
  switch(response$kind,
    continuous = response_label(response),
    proportion = sprintf(
      "%s scaled to (0, 1) by the bounds %s", name,
      paste(vapply(response$bounds, format_argument, ""), collapse = " and ")
    ),
    sprintf(
      "%s, %s: probability mass, unit-free", name,
      response_kinds[[response$kind]]$mass
    )
  )
}

#' The modelled scale in words, for instance `log(income)`
#' @noRd
response_label <- function(response) {
  name <- response$name
  switch(response$transform,
    identity = name,
    asinh = if (response$constant == 1) {
      sprintf("asinh(%s)", name)
    } else {
      sprintf("asinh(%s / %s)", name, format_exact(response$constant))
    },
    sprintf("%s(%s)", response$transform, name)
  )
}

# The way from a variable to the scale it is modelled on, and back.

#' Are the response's values labels, numbered from 0, and not amounts?
#' @noRd
has_labels <- function(response) response$kind %in% c("binary", "categorical")

#' From the variable's own unit to the modelled scale
#' @param y Values of the variable, of its type.
#' @return (double) 0 and 1 for two values.
#' @noRd
response_forward <- function(response, y) {
  y <- as_number(y, response$levels)
  if (!is.null(response$bounds)) {
    bounds <- response$bounds
    return((y - bounds[1]) / (bounds[2] - bounds[1]))
  }
  if (response$transform == "asinh") y <- y / response$constant
  response_transforms[[response$transform]]$forward(y)
}

#' The transformations of a formula's left side, and which values they take
#' @noRd
response_transforms <- list(
  identity = list(
    forward = identity, back = identity, takes = function(y) !is.na(y)
  ),
  log = list(
    forward = log, back = exp, takes = function(y) y > 0,
    wanted = "positive", unwanted = "0 or negative"
  ),
  log1p = list(
    forward = log1p, back = expm1, takes = function(y) y > -1,
    wanted = "above -1", unwanted = "-1 or less"
  ),
  sqrt = list(
    forward = sqrt, back = function(z) pmax(z, 0)^2,
    takes = function(y) y >= 0, wanted = "0 or more", unwanted = "negative"
  ),
  asinh = list(forward = asinh, back = sinh, takes = function(y) !is.na(y))
)

#' From the modelled scale back to the variable's own unit and type
#'
#' Monotone. On the square-root scale a draw below 0 becomes 0. Values are
#' rounded to the decimals of the variable, stay where the transformation is
#' defined (a positive variable stays positive) and are cut at what its type can
#' hold, so that nothing overflows.
#'
#' @param z (double vector) Values on the modelled scale.
#' @return A vector of the variable's type, with its levels.
#' @noRd
response_inverse <- function(response, z) {
  as_response_type(response, response_number(response, z))
}

#' The variable's own unit as numbers; 0 and 1 for two values
#'
#' @param z (double vector or matrix) Values on the modelled scale.
#' @return (integer or double) Same dimensions as `z`.
#' @noRd
response_number <- function(response, z) {
  cut_at_ends(response, rounded_number(response, z))
}

#' The same of a set's values, and how many of them were moved to an end
#'
#' @param z (double matrix) Values on the modelled scale, a column for each set.
#' @param margin See rounded_number().
#' @return (list) `y` (integer or double), `moved` (count).
#' @noRd
released_numbers <- function(response, z, j, margin = NULL) {
  moved <- 0L
  y <- by_blocks(nrow(z), function(i) {
    y <- rounded_number(response, z[i, j], margin)
    moved <<- moved + count_beyond(response, y)
    cut_at_ends(response, y)
  })
  list(y = y, moved = moved)
}

#' @param y (double vector or matrix) From `rounded_number()`.
#' @noRd
cut_at_ends <- function(response, y) {
  if (has_labels(response)) {
    storage.mode(y) <- if (response$type == "double") "double" else "integer"
    return(y)
  }
  ends <- response_range(response)
  if (!lies_within(y, ends)) y[] <- pmin(pmax(y, ends[1]), ends[2])
  if (response$type == "integer") storage.mode(y) <- "integer"
  y
}

#' How many values lie beyond the stated bounds, or beyond what the type can
#' hold, and are moved to the ends
#' @param y (double) From `rounded_number()`.
#' @return (count)
#' @noRd
count_beyond <- function(response, y) {
  ends <- response$limits %||% (c(-1, 1) * largest_value(response))
  bounded <- has_labels(response) ||
    (response$kind == "proportion" && is.null(response$limits))
  if (bounded || lies_within(y, ends)) {
    return(0L)
  }
  sum(is.na(y) | y < ends[1] | y > ends[2])
}

# Nearly all values do, and two numbers show it
lies_within <- function(y, ends) {
  length(y) == 0 || isTRUE(min(y) >= ends[1] && max(y) <= ends[2])
}

#' The variable's own unit before it is rounded
#' @noRd
own_unit <- function(response, z) {
  bounds <- response$bounds
  if (!is.null(bounds)) {
    return(bounds[1] + (bounds[2] - bounds[1]) * z)
  }
  y <- response_transforms[[response$transform]]$back(z)
  if (response$transform == "asinh") response$constant * y else y
}

#' The variable's own unit before it is cut at any end
#'
#' Rounding leaves nothing outside that was within.
#' @param margin (list or `NULL`) Whose bins the values are drawn from: `breaks`
#'   (modelled scale), `bounds` (own unit) and perhaps a `response` of its own.
#' @noRd
rounded_number <- function(response, z, margin = NULL) {
  if (has_labels(response)) {
    return(z)
  }
  y <- own_unit(response, z)
  digits <- response$digits
  if (is.na(digits)) {
    return(y)
  }
  rounded <- round_small(
    if (is.null(margin)) y else between_rounded(y, response, margin), digits
  )
  for (ends in list(response$limits, margin$bounds)) {
    if (is.null(ends)) next
    inner <- decimals_within(ends, digits)
    if (inner[1] > inner[2] || lies_within(rounded, inner)) next
    slack <- 1e-12 * max(abs(ends))
    inside <- which(y >= ends[1] - slack & y <= ends[2] + slack)
    rounded[inside] <- pmin(pmax(rounded[inside], inner[1]), inner[2])
  }
  rounded
}

#' Values moved so that each bin rounds to the values that were counted in it
#'
#' A bin holds its lower break and not its upper one: of whole numbers that from
#' 0 to 1 holds 0 alone, and half of what is drawn from it would round to 1. The
#' last bin holds both.
#' @noRd
between_rounded <- function(y, response, margin) {
  breaks <- own_unit(margin$response %||% response, margin$breaks)
  unit <- 10^-response$digits
  on <- abs(breaks / unit - round(breaks / unit)) < 1e-9
  if (!any(on)) {
    return(y)
  }
  edges <- breaks - on * unit / 2
  last <- length(breaks)
  if (on[last]) edges[last] <- breaks[last] + unit / 2
  y[] <- stats::approx(breaks, cummax(edges), y, rule = 2, ties = "ordered")$y
  y
}

#' The smallest and the largest value of so many decimals within two ends
#' @param digits (whole number or `NA`)
#' @noRd
decimals_within <- function(ends, digits) {
  if (is.na(digits)) {
    return(ends)
  }
  unit <- 10^digits
  # The slack is for 0.07 * 100
  c(ceiling(ends[1] * unit - 1e-9), floor(ends[2] * unit + 1e-9)) / unit
}

# round() fails for digits beyond the precision of huge values.
round_small <- function(y, digits) {
  if (lies_within(y, c(-1e15, 1e15))) {
    return(round(y, digits))
  }
  small <- !is.na(y) & abs(y) < 1e15
  y[small] <- round(y[small], digits)
  y
}

largest_value <- function(response) {
  if (response$type == "integer") .Machine$integer.max else .Machine$double.xmax
}

# The smallest and the largest value that a variable of this type and number of
# decimals can have where the model is defined.
response_range <- function(response) {
  digits <- response$digits
  largest <- largest_value(response)
  unit <- 10^-digits
  smallest <- switch(response$transform,
    log = if (is.na(digits)) .Machine$double.xmin else unit,
    log1p = if (is.na(digits)) .Machine$double.eps - 1 else min(unit, 1) - 1,
    if (response$kind == "count") 0 else -largest
  )
  bounds <- response$bounds
  if (!is.null(bounds)) {
    # A proportion lies inside of them
    inside <- if (is.na(digits)) {
      bounds + c(1, -1) * pmax(diff(bounds), abs(bounds)) * .Machine$double.eps
    } else {
      scale <- 10^digits
      c(floor(bounds[1] * scale) + 1, ceiling(bounds[2] * scale) - 1) / scale
    }
    smallest <- inside[1]
    largest <- inside[2]
  }
  limits <- response$limits
  if (!is.null(limits)) limits <- decimals_within(limits, digits)
  c(max(smallest, limits[1]), min(largest, limits[2]))
}
