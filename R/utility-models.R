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
    files <- coded_alike(c(list(data), sets), all.vars(formula))
    file <- model_fit(formula, files[[1]], "the file", weights)
    fits <- lapply(seq_along(sets), function(i) {
      model_fit(formula, files[[i + 1]], sprintf("set %d", i), weights)
    })
    coefficients <- do.call(rbind, lapply(seq_along(fits), function(i) {
      own <- beside(fits[[i]], file)
      n <- nrow(own)
      data.frame(set = rep(i, n), model = rep(name, n), own)
    }))
    by_set <- function(x) {
      set <- factor(coefficients$set, seq_along(fits))
      as.vector(tapply(x, set, mean, na.rm = TRUE))
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

#' A set's coefficients beside the file's: those that mean the same
#' @param set,file (list) See model_fit().
#' @noRd
beside <- function(set, file) {
  common <- shared_terms(
    set$meaning, file$meaning, set$table$term, file$table$term
  )
  own <- file$table[match(common, file$table$term), ]
  set <- set$table[match(common, set$table$term), ]
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
#'   `conf.low`, `conf.high`), `r_squared` (`NA` of a logistic regression) and
#'   `meaning`, see meaning_of().
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
    reach <- stats::qt(0.975, found$df)
  } else {
    found <- logistic_fit(formula, data, whose, weights)
    reach <- stats::qnorm(0.975)
  }
  table <- found$coefficients
  list(
    table = data.frame(
      term = rownames(table), estimate = table[, 1], std.error = table[, 2],
      conf.low = table[, 1] - reach * table[, 2],
      conf.high = table[, 1] + reach * table[, 2], row.names = NULL
    ),
    r_squared = if (binary) NA_real_ else found$r_squared,
    meaning = found$meaning
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

#' @return (list) `coefficients` (matrix: estimates and standard errors in the
#'   first two columns) and `meaning`.
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
  list(coefficients = stats::coef(summary(fit)), meaning = meaning_of(fit))
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

#' R2, coefficients and 95% intervals of a linear model
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
    coefficients = told$coefficients, df = fit$df.residual,
    meaning = meaning_of(fit)
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

# Coefficients of one name that mean the same ----------------------------------

#' Files whose categories are coded alike, so that equal names of coefficients
#' mean the same
#'
#' As the first file has them: its order of levels, its contrasts. Levels that
#' only others have come last; contrasts that do not know them are R's own.
#' @param files (list of data frames) The file, then sets.
#' @param names (character) Columns; others are left as they are.
#' @noRd
coded_alike <- function(files, names) {
  for (name in intersect(names, names(files[[1]]))) {
    columns <- lapply(files, `[[`, name)
    text <- vapply(columns, function(x) is.factor(x) || is.character(x), NA)
    if (!all(text)) next
    first <- columns[[1]]
    met <- lapply(columns, function(x) {
      if (is.factor(x)) levels(x) else distinct_text(x[!is.na(x)])
    })
    found <- unique(unlist(met))
    coding <- attr(first, "contrasts", exact = TRUE)
    if (length(found) > length(met[[1]])) coding <- NULL
    for (i in seq_along(files)) {
      x <- factor(
        as.character(columns[[i]]), found, ordered = is.ordered(first)
      )
      attr(x, "contrasts") <- coding
      files[[i]][[name]] <- x
    }
  }
  files
}

#' What the names of a model's coefficients mean
#'
#' Where all columns cannot be told apart, some are left out, and others carry
#' them. A column of zeros moves nothing.
#' @param fit (`lm`)
#' @return (list) `lost`, `carry` (character); `coding`, see coding_of();
#'   `touched` (list of character): by category, the coefficients that its
#'   coding is part of.
#' @noRd
meaning_of <- function(fit) {
  on <- if (anyNA(stats::coef(fit))) abs(stats::alias(fit)$Complete) > 1e-8
  coding <- coding_of(fit)
  parts <- attr(stats::terms(fit), "factors") > 0
  touched <- lapply(stats::setNames(nm = names(coding$xlevels)), function(x) {
    beside <- rowSums(parts[, parts[x, ], drop = FALSE]) > 0
    # A term of columns that are all in one with it: main effects, too
    own <- which(parts[x, ] | colSums(parts[!beside, , drop = FALSE]) == 0)
    names(stats::coef(fit))[fit$assign %in% c(0, own)]
  })
  list(
    lost = if (!is.null(on)) rownames(on)[rowSums(on) > 0],
    carry = if (!is.null(on)) colnames(on)[colSums(on) > 0],
    coding = coding, touched = touched
  )
}

#' How a model codes its categories: the levels that it compares, and how
#' @noRd
coding_of <- function(fit) {
  parts <- if (is.list(fit)) unclass(fit)[c("xlevels", "contrasts")]
  lapply(Filter(length, parts), function(x) {
    x[order(names(x), method = "radix")]
  })
}

#' Terms of two fits whose coefficients mean the same
#'
#' A level that has no record in one of them is no matter unless it is the first
#' one, or contrasts are of several levels.
#' @param a,b (list) See meaning_of().
#' @param of_a,of_b (character) Terms.
#' @noRd
shared_terms <- function(a, b, of_a, of_b) {
  other <- if (!setequal(a$lost, b$lost)) c(a$carry, b$carry)
  for (name in names(a$coding$xlevels)) {
    levels <- list(a$coding$xlevels[[name]], b$coding$xlevels[[name]])
    coded <- list(a$coding$contrasts[[name]], b$coding$contrasts[[name]])
    same <- identical(coded[[1]], coded[[2]]) && (
      identical(levels[[1]], levels[[2]]) ||
        identical(coded[[1]], "contr.treatment") &&
          identical(levels[[1]][1], levels[[2]][1])
    )
    if (!same) other <- c(other, a$touched[[name]], b$touched[[name]])
  }
  setdiff(intersect(of_a, of_b), other)
}

#' Mean overlap of the intervals of the coefficients that mean the same
#' @param a,b (list) See regression_of().
#' @noRd
interval_overlap <- function(a, b) {
  ends <- list(a$intervals, b$intervals)
  common <- shared_terms(
    a$meaning, b$meaning, rownames(ends[[1]]), rownames(ends[[2]])
  )
  ends <- lapply(ends, function(x) x[common, , drop = FALSE])
  mean(row_overlaps(ends[[1]], ends[[2]]), na.rm = TRUE)
}

#' @param a,b (matrix) An interval in each row.
#' @noRd
row_overlaps <- function(a, b) {
  shared <- pmax(pmin(a[, 2], b[, 2]) - pmax(a[, 1], b[, 1]), 0)
  (shared / (a[, 2] - a[, 1]) + shared / (b[, 2] - b[, 1])) / 2
}
