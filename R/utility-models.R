# Coefficients of stated models, fitted to a file and to each synthetic set.

#' @param regression (list of formulas, named) May be empty.
#' @param sets (list of data frames)
#' @param weights (string or `NULL`)
#' @return (list) `models` and `coefficients`, data frames, see utility().
#' @noRd
file_models <- function(regression, data, sets, weights) {
  found <- lapply(names(regression), function(name) {
    formula <- without_dot(
      regression[[name]], Reduce(intersect, lapply(sets, names), names(data)),
      names(data)
    )
    for (file in c(list(data), sets)) {
      check_columns(all.vars(formula), file, "data")
    }
    file <- model_fit(formula, data, "the file", weights)
    fits <- lapply(seq_along(sets), function(i) {
      model_fit(formula, sets[[i]], sprintf("set %d", i), weights)
    })
    coefficients <- do.call(rbind, lapply(seq_along(fits), function(i) {
      data.frame(set = i, model = name, beside(fits[[i]]$table, file$table))
    }))
    by_set <- function(x) {
      as.vector(tapply(x, coefficients$set, mean, na.rm = TRUE))
    }
    list(
      models = data.frame(
        set = seq_along(fits), model = name,
        overlap = by_set(coefficients$overlap),
        std_difference = by_set(abs(coefficients$std_difference)),
        r_squared = vapply(fits, `[[`, 1, "r_squared"),
        r_squared_file = file$r_squared
      ),
      coefficients = coefficients
    )
  })
  list(
    models = do.call(rbind, lapply(found, `[[`, "models")),
    coefficients = do.call(rbind, lapply(found, `[[`, "coefficients"))
  )
}

#' A set's coefficients beside the file's: those that both have
#' @noRd
beside <- function(set, file) {
  common <- intersect(set$term, file$term)
  set <- set[match(common, set$term), ]
  own <- file[match(common, file$term), ]
  ends <- c("conf.low", "conf.high")
  data.frame(
    set, file = own$estimate, file_std.error = own$std.error,
    file_low = own$conf.low, file_high = own$conf.high,
    overlap = row_overlaps(as.matrix(own[ends]), as.matrix(set[ends])),
    std_difference = (set$estimate - own$estimate) / own$std.error,
    row.names = NULL
  )
}

#' A linear model; of a response with two levels a logistic regression
#' @return (list) `table` (data frame: `term`, `estimate`, `std.error`,
#'   `conf.low`, `conf.high`) and `r_squared` (`NA` of a logistic regression).
#' @noRd
model_fit <- function(formula, data, whose, weights) {
  y <- left_column(formula, data)
  binary <- is_binary(y)
  refuse_if(
    !binary && (is.factor(y) || is.character(y)),
    "{.arg regression} must have a numeric response, or one with two levels.",
    x = "Its left side is {describe_type(y)} in {whose}.", arg = "regression"
  )
  if (!binary) {
    found <- regression_of(formula, data, whose, weights)
    table <- found$coefficients
    reach <- stats::qt(0.975, found$df)
  } else {
    table <- logistic_fit(formula, data, whose, weights)
    reach <- stats::qnorm(0.975)
  }
  list(
    table = data.frame(
      term = rownames(table), estimate = table[, 1], std.error = table[, 2],
      conf.low = table[, 1] - reach * table[, 2],
      conf.high = table[, 1] + reach * table[, 2], row.names = NULL
    ),
    r_squared = if (binary) NA_real_ else found$r_squared
  )
}

#' The column on the left side; `NULL` of an expression such as log(income)
#' @noRd
left_column <- function(formula, data) {
  if (is.name(formula[[2]])) data[[as.character(formula[[2]])]]
}

#' Has a column two levels, for a logistic regression?
#' @noRd
is_binary <- function(y) {
  is.logical(y) || (is.factor(y) && nlevels(y) == 2) ||
    (is.character(y) && length(unique(y[!is.na(y)])) == 2)
}

#' @return (matrix) Estimates and standard errors in the first two columns.
#' @noRd
logistic_fit <- function(formula, data, whose, weights) {
  name <- as.character(formula[[2]])
  if (is.character(data[[name]])) data[[name]] <- factor(data[[name]])
  # With survey weights successes are no whole numbers
  family <- if (is.null(weights)) stats::binomial() else stats::quasibinomial()
  fitted <- rlang::call2(
    stats::glm, formula, quote(family), quote(data),
    weights = if (!is.null(weights)) as.name(weights)
  )
  fit <- tryCatch(
    # Levels that a set nearly has not: their coefficients have wide intervals
    suppressWarnings(eval(fitted)),
    error = function(error) refuse_model(error, whose)
  )
  stats::coef(summary(fit))
}

# One linear model ------------------------------------------------------------

#' Models of a whole file: one formula, or several with names
#' @return (named list)
#' @noRd
check_models <- function(regression) {
  several <- is.list(regression) && !is.object(regression)
  models <- if (several) regression else list(regression)
  models <- models[lengths(models) > 0]
  for (model in models) check_formula(model, "regression")
  names <- names(models) %||% rep("", length(models))
  plain <- names == ""
  names[plain] <- vapply(models[plain], deparse1, "")
  stats::setNames(models, make.unique(names))
}

#' R2 and 95% intervals of a linear model
#' @param whose (string) The data in words.
#' @param weights (string or `NULL`) A column of survey weights.
#' @noRd
regression_of <- function(formula, data, whose = "the file", weights = NULL) {
  # lm() looks for its weights in the data
  fitted <- rlang::call2(
    stats::lm, formula, quote(data),
    weights = if (!is.null(weights)) as.name(weights)
  )
  fit <- tryCatch(
    eval(fitted), error = function(error) refuse_model(error, whose)
  )
  y <- fit$model[[1]]
  refuse_if(
    !is.numeric(y) || !is.null(dim(y)),
    "{.arg regression} must be a linear model of one numeric response.",
    x = "Its left side is {describe_type(y)} in {whose}.", arg = "regression"
  )
  told <- summary(fit)
  list(
    r_squared = told$r.squared, intervals = stats::confint(fit),
    coefficients = told$coefficients, df = fit$df.residual
  )
}

refuse_model <- function(error, whose) {
  abort_input(
    "{.arg regression} must be a linear model that can be fitted to {whose}.",
    x = "R says: {conditionMessage(error)}",
    i = if (grepl("Inf", conditionMessage(error), fixed = TRUE)) {
      "Is there a value without a finite logarithm, such as 0?"
    },
    arg = "regression"
  )
}

#' Mean overlap of the intervals of the coefficients that both have
#' @noRd
interval_overlap <- function(a, b) {
  common <- intersect(rownames(a), rownames(b))
  mean(
    row_overlaps(a[common, , drop = FALSE], b[common, , drop = FALSE]),
    na.rm = TRUE
  )
}

#' @param a,b (matrix) An interval in each row.
#' @noRd
row_overlaps <- function(a, b) {
  shared <- pmax(pmin(a[, 2], b[, 2]) - pmax(a[, 1], b[, 1]), 0)
  (shared / (a[, 2] - a[, 1]) + shared / (b[, 2] - b[, 1])) / 2
}
