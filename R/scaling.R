# Centre and scale of numeric predictors. A published predictor has its own mean
# and standard deviation, unless public constants are given; one that is not
# published must have public constants, or coefficients and prior would depend
# on confidential values in a way that no label counts.

#' Check the public constants that the user gives
#'
#' @param scaling (list or `NULL`) By predictor: `c(centre, scale)`.
#' @param frame (data frame) The variables of the terms.
#' @return (list) Empty for `NULL`.
#' @noRd
check_scaling <- function(scaling, frame) {
  if (is.null(scaling)) {
    return(list())
  }
  predictors <- names(frame)[vapply(frame, function(x) {
    is.numeric(x) && is.null(dim(x))
  }, TRUE)]
  named <- is.list(scaling) && !is.object(scaling) &&
    length(scaling) == length(unique(names(scaling))) &&
    all(nzchar(names(scaling)))
  good <- vapply(if (named) scaling else list(FALSE), function(x) {
    are_numbers(x, 2) && x[2] > 0
  }, TRUE)
  refuse_if(
    !named || !all(good),
    "{.arg scaling} must be a list named by predictors. Each element must be a
     centre and a positive scale.",
    x = if (named) {
      "It has something else for {.val {names(scaling)[!good]}}."
    } else {
      "It is {describe_type(scaling)}{if (is.list(scaling))
       ' without distinct names'}."
    },
    i = "For instance {.code list(age = c(45, 15))}.", arg = "scaling"
  )
  unknown <- setdiff(names(scaling), predictors)
  refuse_if(
    length(unknown) > 0,
    "{.arg scaling} must name numeric predictors of the model.",
    x = "{cli::qty(length(unknown))}{.val {unknown}} {?is/are} not among them.",
    i = if (length(predictors) > 0) {
      "The numeric predictors are {.val {predictors}}."
    },
    arg = "scaling"
  )
  lapply(scaling, as.double)
}

# Functions of a record alone: what they give does not depend on other records.
row_wise_functions <- c(
  "I", "(", "+", "-", "*", "/", "^", "log", "log1p", "log2", "log10", "sqrt",
  "exp", "expm1", "plogis", "qlogis", "asinh", "abs", "pmin", "pmax",
  "<", ">", "<=", ">=", "==", "!=", "&", "|", "!"
)

#' Centre and scale of every numeric variable of the frame
#'
#' A variable is centred only where the model has what remains of each of its
#' terms without it (for `x` the intercept), so that centring does not change
#' the model.
#' @param count See new_design().
#' @return (list) `centre` and `scale`, lists by variable.
#' @noRd
numeric_scaling <- function(frame, terms, scaling, count = NULL) {
  numeric <- names(frame)[vapply(frame, is.numeric, TRUE)]
  table <- variable_table(terms)
  constant <- spans_constant(terms, frame)
  centre <- scale <- stats::setNames(vector("list", length(numeric)), numeric)
  for (name in numeric) {
    x <- as.matrix(frame[[name]])
    sd <- apply(x, 2, counted_sd, count)
    varies <- apply(x, 2, max) > apply(x, 2, min)
    if (!all(varies)) abort_constant(name)
    refuse_if(
      !all(is.finite(sd) & sd > 0),
      "The standard deviation of predictor {.val {name}} must be a positive
       number.",
      x = "It is {if (any(sd == 0)) 'too small: R computes 0' else
           'not finite'}.",
      i = "Measure it in a {if (any(sd == 0)) 'smaller' else 'larger'} unit.",
      arg = "data"
    )
    public <- scaling[[name]]
    mean <- if (!is.null(public)) {
      public[1]
    } else if (is.null(count)) {
      colMeans(x)
    } else {
      apply(x, 2, counted_mean, count)
    }
    may_centre <- is_centrable(name, table, constant)
    centre[[name]] <- unname(if (may_centre) mean else 0 * mean)
    scale[[name]] <- unname(if (is.null(public)) sd else public[2])
  }
  list(centre = centre, scale = scale)
}

# From each value once, in order: the same to the last digit in whatever order
# records come, and whoever counts them.
counted_mean <- function(x, count) {
  counted <- counted_values(x, count)
  weighted_mean(counted$x, counted$count)
}

counted_sd <- function(x, count) {
  if (is.null(count)) {
    return(stats::sd(x))
  }
  counted <- counted_values(x, count)
  n <- sum(count)
  weighted_sd(counted$x, counted$count) * sqrt(n / (n - 1))
}

counted_values <- function(x, count) {
  values <- sort(unique(x))
  code <- match(x, values)
  list(x = values, count = sums_by_code(count, code, length(values)))
}

# An intercept, or a factor that has a column for each level.
spans_constant <- function(terms, frame) {
  alone <- Filter(function(term) length(term) == 1, term_variables(terms))
  attr(terms, "intercept") == 1 || !all(vapply(frame[unlist(alone)],
    is.numeric, TRUE
  ))
}

is_centrable <- function(name, table, constant) {
  present <- table > 0
  all(vapply(which(present[name, ]), function(term) {
    rest <- present[, term] & rownames(present) != name
    if (any(rest)) any(colSums(present != rest) == 0) else constant
  }, TRUE))
}

standardise <- function(frame, design) {
  for (name in names(design$centre)) {
    x <- frame[[name]]
    centre <- design$centre[[name]]
    scale <- design$scale[[name]]
    frame[[name]] <- if (is.null(dim(x))) {
      (as.double(x) - centre) / scale
    } else {
      sweep(sweep(x, 2, centre), 2, scale, "/")
    }
  }
  frame
}

abort_constant <- function(name) {
  abort_input(
    "The predictor {.code {name}} must vary.",
    x = "It has the same value for all records.",
    i = "Leave it out of {.arg formula}.", arg = "formula"
  )
}
