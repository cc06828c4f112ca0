# Coefficients of stated models, fitted to a file and to each synthetic set.

#' @param case (list) `data`, `sets`, `regression` (list of formulas, named),
#'   `survey_weights` (string or `NULL`).
#' @return (list) See judgement(). Rows are `models` and `coefficients`, see
#'   utility().
#' @noRd
measure_models <- function(case) {
  if (length(case$regression) == 0) {
    return(NULL)
  }
  all <- c(list(case$data), case$sets)
  known <- setdiff(Reduce(intersect, lapply(all, names)), case$unit)
  models <- lapply(case$regression, function(formula) {
    formula <- without_dot(formula, known, names(case$data))
    names <- all.vars(formula)
    refuse_if(
      isTRUE(case$unit %in% names),
      "{.arg regression} must leave out {.val {case$unit}}.",
      x = "Sets number households anew.", arg = "regression"
    )
    for (file in all) check_columns(names, file, "data")
    file <- coded_alike(all, names)[[1]]
    list(
      formula = formula, names = names, file = file,
      fit = model_fit(formula, file, "the file", case$survey_weights)
    )
  })
  r_squared <- vapply(models, function(x) x$fit$r_squared, 1)
  shown <- c(
    # Logistic regressions have none
    if (!all(is.na(r_squared))) "r_squared", "overlap", "std_difference"
  )
  of <- function(set, whose) {
    found <- Map(function(model, name) {
      set <- coded_alike(list(model$file, set), model$names)[[2]]
      fit <- model_fit(model$formula, set, whose, case$survey_weights)
      rows <- beside(fit, model$fit)
      list(
        models = data.frame(
          model = name, overlap = mean(rows$overlap, na.rm = TRUE),
          std_difference = mean(abs(rows$std_difference), na.rm = TRUE),
          r_squared = fit$r_squared, r_squared_file = model$fit$r_squared
        ),
        coefficients = data.frame(model = rep(name, nrow(rows)), rows)
      )
    }, models, names(models))
    rows <- lapply(c("models", "coefficients"), function(part) {
      do.call(rbind, unname(lapply(found, `[[`, part)))
    })
    list(
      figures = colMeans(rows[[1]][shown], na.rm = TRUE),
      rows = stats::setNames(rows, c("models", "coefficients"))
    )
  }
  fresh <- function(n) {
    # Standard errors of a sample, in those of the file
    size <- sqrt(nrow(case$data) / n)
    c(
      r_squared = mean(r_squared, na.rm = TRUE), overlap = fresh_overlap(size),
      std_difference = sqrt(2 / pi) * size
    )
  }
  list(of = of, fresh = fresh)
}

#' Mean overlap of the interval of a fresh sample with the file's
#' @param size (number) Its standard error, in those of the file.
#' @noRd
fresh_overlap <- function(size) {
  reach <- stats::qnorm(0.975)
  centre <- size * stats::qnorm(stats::ppoints(500))
  mean(row_overlaps(
    cbind(rep(-reach, 500), reach),
    cbind(centre - size * reach, centre + size * reach)
  ))
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
#' @param whose (string) The data in words.
#' @param weights (string or `NULL`) A column of survey weights.
#' @return (list) `table` (data frame: `term`, `estimate`, `std.error`,
#'   `conf.low`, `conf.high`), `r_squared` (`NA` of a logistic regression) and
#'   `meaning`, see meaning_of().
#' @noRd
model_fit <- function(formula, data, whose = "the file", weights = NULL) {
  binary <- is_binary(left_column(formula, data))
  fit <- (if (binary) logistic_fit else linear_fit)(
    formula, data, whose, weights
  )
  told <- summary(fit)
  reach <- stats::qt(0.975, if (binary) Inf else fit$df.residual)
  table <- told$coefficients
  list(
    table = data.frame(
      term = rownames(table), estimate = table[, 1], std.error = table[, 2],
      conf.low = table[, 1] - reach * table[, 2],
      conf.high = table[, 1] + reach * table[, 2], row.names = NULL
    ),
    r_squared = if (binary) NA_real_ else told$r.squared,
    meaning = meaning_of(fit)
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

logistic_fit <- function(formula, data, whose, weights) {
  name <- as.character(formula[[2]])
  if (is.character(data[[name]])) data[[name]] <- factor(data[[name]])
  # With survey weights successes are no whole numbers
  family <- if (is.null(weights)) stats::binomial() else stats::quasibinomial()
  # Levels that a set nearly has not: their coefficients have wide intervals
  suppressWarnings(fitted_model(
    stats::glm, formula, data, whose, weights, family = family
  ))
}

linear_fit <- function(formula, data, whose, weights) {
  check_number_response(left_column(formula, data) %||% 0, whose)
  fit <- fitted_model(stats::lm, formula, data, whose, weights)
  check_number_response(fit$model[[1]], whose)
  fit
}

check_number_response <- function(y, whose) {
  refuse_if(
    !is.numeric(y) || !is.null(dim(y)),
    "{.arg regression} must have one numeric response, or one with two levels.",
    x = "Its left side is {describe_type(y)} in {whose}.", arg = "regression"
  )
}

#' @param ... Passed on to `fit`.
#' @noRd
fitted_model <- function(fit, formula, data, whose, weights, ...) {
  # A model looks for its weights in the data
  called <- rlang::call2(
    fit, formula, quote(data), ...,
    weights = if (!is.null(weights)) as.name(weights)
  )
  tryCatch(eval(called), error = function(error) {
    abort_input(
      "{.arg regression} must be a model that can be fitted to {whose}.",
      x = "R says: {conditionMessage(error)}",
      i = if (grepl("Inf", conditionMessage(error), fixed = TRUE)) {
        "Is there a value without a finite logarithm, such as 0?"
      },
      arg = "regression"
    )
  })
}

#' Models of a whole file: one formula, or several with names
#' @return (named list)
#' @noRd
check_models <- function(regression) {
  several <- is.list(regression) && !is.object(regression)
  # A pairlist has no lengths
  models <- if (several) as.list(regression) else list(regression)
  models <- models[lengths(models) > 0]
  for (model in models) check_formula(model, "regression")
  names <- names(models) %||% rep("", length(models))
  plain <- names == ""
  names[plain] <- vapply(models[plain], deparse1, "")
  stats::setNames(models, make.unique(names))
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

#' @param a,b (matrix) An interval in each row.
#' @noRd
row_overlaps <- function(a, b) {
  shared <- pmax(pmin(a[, 2], b[, 2]) - pmax(a[, 1], b[, 1]), 0)
  (shared / (a[, 2] - a[, 1]) + shared / (b[, 2] - b[, 1])) / 2
}
