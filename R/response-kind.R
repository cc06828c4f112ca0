# What the families that do not model a continuous variable ask of the
# response, and the types that it may have.

#' Check counts: whole numbers, 0 or more
#' @noRd
check_counts <- function(y, name, call) {
  negative <- which(y < 0)
  fraction <- which(y != floor(y))
  # Above 2^53 neighbouring whole numbers are the same double.
  huge <- which(y > 2^53)
  bad <- sort(unique(c(negative, fraction, huge)))
  if (length(bad) == 0) {
    return(invisible(y))
  }
  n <- c(length(negative), length(fraction), length(huge))
  abort_input(
    c(
      "The response {.val {name}} must hold counts: whole numbers, 0 or more.",
      x = if (n[1] > 0) "It is negative for {n[1]} of {length(y)} record{?s}.",
      x = if (n[2] > 0) {
        "It is fractional for {n[2]} of {length(y)} record{?s}."
      },
      x = if (n[3] > 0) "It is above 2^53 for {n[3]} record{?s}.",
      i = "Correct or drop these records, or choose a family for a continuous
           variable, such as {.fn student_t}."
    ),
    arg = "data", call = call, rows = bad
  )
}

#' Check that every value lies strictly between the public bounds
#' @noRd
check_inside <- function(y, response, call) {
  bounds <- response$bounds
  z <- (as.double(y) - bounds[1]) / (bounds[2] - bounds[1])
  # Also what rounds to a bound once scaled: its log density is infinite.
  bad <- which(!(z > 0 & z < 1))
  if (length(bad) == 0) {
    return(invisible(y))
  }
  outside <- sum(y < bounds[1] | y > bounds[2])
  at <- length(bad) - outside
  from_data <- outside == 0 && any(z <= 0) && any(z >= 1)
  shown <- vapply(bounds, format_argument, "")
  name <- response$variable
  abort_input(
    c(
      "The response {.val {name}} must lie strictly between the bounds
       {shown[1]} and {shown[2]}.",
      x = if (at > 0) "It is at a bound for {at} of {length(y)} record{?s}.",
      x = if (outside > 0) {
        "It is outside for {outside} of {length(y)} record{?s}."
      },
      x = if (from_data) {
        "Both bounds are attained, as they are when taken from the data. Bounds
         must be public: the smallest and the largest value of the data are the
         values of two records."
      },
      i = "State wider bounds that are publicly known, or correct or drop these
           records.",
      i = "{.arg support} of {.fn synthesize} brings sets back within the bounds
           that values may attain, such as {.code c(0, 1)}."
    ),
    arg = "data", call = call, rows = bad
  )
}

#' Check a response of two values, which may be stated
#' @noRd
check_binary <- function(y, name, response, call) {
  if (!is.null(dim(y)) || is.list(y)) {
    abort_input(
      c(
        "The response {.val {name}} must be one column.",
        x = "It is {describe_type(y)}.",
        i = "One row a record: counts of successes are not supported."
      ),
      arg = "data", call = call
    )
  }
  stated <- "levels" %in% response$stated
  if (stated && length(response$levels) != 2) {
    abort_input(
      c(
        "{.code levels = } must be two for {.fn bernoulli}.",
        x = "They are {length(response$levels)}."
      ),
      arg = "response", call = call
    )
  }
  if (stated && !is.factor(y) && !is.character(y)) {
    abort_input(
      c(
        "{.code levels = } is for a response that is a factor or a character.",
        x = "{.val {name}} is {describe_type(y)}."
      ),
      arg = "response", call = call
    )
  }
  if (stated) {
    return(check_among_levels(y, name, response, call))
  }
  if (is.logical(y)) {
    return(invisible(y))
  }
  if (is.factor(y) || is.character(y)) {
    check_text(y, name, call)
    n <- length(response_levels(y))
    if (n != 2) {
      abort_input(
        c(
          "The response {.val {name}} must have exactly two
           {if (is.factor(y)) 'levels' else 'distinct values'}.",
          x = if (is.factor(y)) "It has {n} level{?s}." else
            "It has {n} distinct value{?s}.",
          i = if (n > 2) {
            "Merge them, or drop unused levels by {.fn droplevels}."
          } else {
            "Make it a {.fn factor} that declares both levels."
          }
        ),
        arg = "data", call = call
      )
    }
    return(invisible(y))
  }
  if (!is.numeric(y) || is.object(y)) {
    abort_input(
      c(
        "The response {.val {name}} must be 0/1, logical, a factor of two levels
         or a character of two values.",
        x = "It is {describe_type(y)}."
      ),
      arg = "data", call = call
    )
  }
  bad <- which(!(y %in% c(0, 1)))
  if (length(bad) > 0) {
    n_bad <- length(bad)
    abort_input(
      c(
        "The response {.val {name}} must be 0 or 1.",
        x = "It is neither for {n_bad} of {length(y)} record{?s}.",
        i = "For two other values make it a {.fn factor}; for more values choose
             another family."
      ),
      arg = "data", call = call, rows = bad
    )
  }
  invisible(y)
}

#' Check a response of several labels, which may be stated
#' @noRd
check_levels <- function(y, name, response, call) {
  if (!is.factor(y) && (!is.character(y) || !is.null(dim(y)))) {
    abort_input(
      c(
        "The response {.val {name}} must be a factor or a character.",
        x = "It is {describe_type(y)}.",
        i = "Make it a {.fn factor} of public levels."
      ),
      arg = "data", call = call
    )
  }
  check_text(y, name, call)
  size <- length(response$levels)
  if (size < 2) {
    abort_input(
      c(
        "The response {.val {name}} must have at least two levels.",
        x = "It has {size}."
      ),
      arg = "data", call = call
    )
  }
  check_among_levels(y, name, response, call)
}

check_among_levels <- function(y, name, response, call) {
  bad <- which(!as.character(y) %in% response$levels)
  if (length(bad) > 0) {
    n_bad <- length(bad)
    abort_input(
      c(
        "The response {.val {name}} must have one of the stated levels.",
        x = "{n_bad} of {length(y)} record{?s} {?has/have} another value."
      ),
      arg = "data", call = call, rows = bad
    )
  }
  invisible(y)
}

# Types ------------------------------------------------------------------------

response_type <- function(y) {
  if (is.factor(y)) "factor" else typeof(y)
}

# The labels of a factor or a character: public. Characters are sorted in the C
# locale, so that a fit is the same on every machine.
response_levels <- function(y) {
  if (is.factor(y)) {
    levels(y)
  } else if (is.character(y)) {
    distinct_text(y)
  }
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
  name <- response$variable
  switch(response$kind,
    count = sprintf("%s, a count: probability mass, unit-free", name),
    proportion = {
      shown <- vapply(response$bounds, format_argument, "")
      sprintf(
        "%s scaled to (0, 1) by the bounds %s and %s",
        name, shown[1], shown[2]
      )
    },
    binary = sprintf("%s, two values: probability mass, unit-free", name),
    categorical = sprintf("%s, levels: probability mass, unit-free", name),
    response_label(response)
  )
}

#' The modelled scale in words, for instance `log(income)`
#' @noRd
response_label <- function(response) {
  name <- response$variable
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
