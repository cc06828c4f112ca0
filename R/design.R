# The design: from the formula's right side and the published predictors to
# what the core reads. A `synth_design` is a blueprint that holds no record: it
# turns the data, and later any new data, into codes and numeric columns.
#
# Columns are those of model.matrix() with treatment contrasts, in its order
# and under its names. Plain categorical variables stay codes and are never
# spread into dummy columns; numeric variables are centred and scaled first,
# and everything else (interactions, poly(), I()) is a dense column.

#' Make the blueprint of a design
#'
#' @param formula (formula) The model.
#' @param data (data frame) The records. Only columns of `data` are used as
#'   variables.
#' @param response (string) The name of the response's column.
#' @param scaling (list or `NULL`) See `check_scaling()`.
#' @param count (double or `NULL`) Records of each row; means and standard
#'   deviations then do not depend on the order of rows. `NULL`: one, in this
#'   order.
#' @param confirmed (numeric or `NULL`) See public_response().
#' @return (`synth_design`) A list with `terms` (no response, no data), `levels`
#'   (list, by variable), `centre` and `scale` (list, by variable), `columns`
#'   (P names), `intercept` (flag), `factors` (data frame: `variable`, `column`,
#'   `full`), `numeric_column` (0-based), `dense` (names of the columns that
#'   need a model matrix), `is_level` (logical, P), `offset` (names of the
#'   offsets among the terms' variables), `offset_range` (two numbers, of their
#'   sum; `NULL` without), `variables` (names of the columns of `data` that are
#'   used).
#' @noRd
new_design <- function(formula, data, response, scaling = NULL,
                       count = NULL, confirmed = NULL) {
  predictors <- setdiff(names(data), response)
  check_right_side(formula, data, response)

  env <- public_environment(formula, predictors)
  refuse_if(
    "." %in% all.vars(formula[[3]]) && length(predictors) == 0,
    "{.code .} in {.arg formula} must stand for at least one predictor.",
    x = "{.arg data} has no column besides the response.",
    i = "Write {.code y ~ 1} for a model without predictors.", arg = "formula"
  )
  stated <- stated_offsets(formula[[3]])
  terms <- stats::delete.response(formula_terms(formula, data))
  environment(terms) <- env
  check_offsets(stated, terms)
  intercept <- attr(terms, "intercept") == 1
  refuse_if(
    !intercept && length(attr(terms, "term.labels")) == 0,
    "{.arg formula} must have an intercept or name a predictor.",
    x = "Its right side is empty.",
    i = "Write {.code y ~ 1} for a model without predictors.", arg = "formula"
  )
  terms <- used_terms(terms)
  variables <- intersect(all.vars(attr(terms, "variables")), predictors)
  for (name in variables) check_predictor(data[[name]], name)

  frame <- predictor_frame(terms, data, count)
  longest <- max(0, nchar(names(frame)))
  refuse_if(
    longest > longest_term,
    "A term of {.arg formula} must have at most {longest_term} characters.",
    x = "The longest has {format_count(longest)}.",
    i = "Compute it as a column of {.arg data} first.", arg = "formula"
  )
  terms <- attr(frame, "terms")
  offset <- names(frame)[attr(terms, "offset")]
  # What has coefficients: levels, centres and scales are of these
  modelled <- frame[setdiff(names(frame), offset)]
  scaling <- check_scaling(scaling, modelled)
  check_public_scaling(scaling, modelled, count, confirmed)

  design <- list(
    terms = terms, variables = variables, intercept = intercept,
    offset = offset, levels = factor_levels(modelled, data[variables])
  )

  design$expects <- vapply(data[variables], predictor_kind, "")
  design$offset_range <- if (length(offset) > 0) {
    range(sum_offsets(frame, design))
  }
  frame <- as_factors(frame, design$levels)
  design <- c(design, numeric_scaling(modelled, terms, scaling, count))
  frame <- standardise(frame, design)
  design <- c(design, design_columns(frame, terms, design$levels))
  structure(design, class = c("synth_design", "pseudosynth_result"))
}

# R cuts the code of a term into lines of this many characters, and its lines
# are no names any more.
longest_term <- 500

# The response on both sides, and names that are no columns.
check_right_side <- function(formula, data, response) {
  right <- formula[[3]]
  used <- setdiff(all.vars(right), ".")
  refuse_if(
    response %in% used, "The response must not be among the predictors.",
    x = "{.val {response}} is on both sides of {.arg formula}.",
    i = "Predictors are published as they are.", arg = "formula"
  )
  # A name inside a call, such as the degree in poly(age, degree), may be a
  # public number outside the data. A term of its own must be a column.
  own <- intersect(standing_names(right), used)
  inside <- setdiff(used, c(own, names(data)))
  number <- vapply(inside, function(name) {
    is_public_number(get0(name, envir = environment(formula)))
  }, TRUE)
  unknown <- c(setdiff(own, names(data)), inside[!number])
  refuse_if(
    length(unknown) > 0,
    "Every predictor of {.arg formula} must be a column of {.arg data}.",
    x = "{cli::qty(length(unknown))}There {?is/are} no column{?s}
         {.val {unknown}}.",
    i = "The columns are {.val {setdiff(names(data), response)}}.",
    arg = "formula"
  )
}

# Names that stand as terms of their own, not inside a function's call.
standing_names <- function(x) {
  operators <- c("+", "-", "*", ":", "/", "^", "(", "%in%")
  found <- character()
  walk_code(x, function(part) {
    if (is.symbol(part)) {
      found <<- c(found, as.character(part))
      NULL
    } else if (is.call(part) && is.symbol(part[[1]]) &&
                 as.character(part[[1]]) %in% operators) {
      as.list(part)[-1]
    }
  })
  found
}

predictor_kind <- function(x) {
  if (is.numeric(x)) "numeric" else "categorical"
}

check_predictor <- function(x, name) {
  plain <- is.factor(x) || is.character(x) || is.logical(x) ||
    (is.numeric(x) && (!is.object(x) || inherits(x, "AsIs")))
  refuse_if(
    !plain || !is.null(dim(x)),
    "Column {.val {name}} must be a numeric, factor, character or logical
     vector.",
    x = "It is {describe_type(x)}.",
    i = "Convert it first, or leave it out.",
    i = haven_hint(x), arg = "data"
  )
  if (is.factor(x)) check_named_levels(x, name)
  check_finite_column(x, name)
  check_text(x, name)
}

#' Files and other programs know no level without a name
#' @noRd
check_named_levels <- function(x, name) {
  lost <- function() which(is.na(levels(x)[x]))
  refuse_if(
    anyNA(levels(x)), "Levels of column {.val {name}} must have names.",
    x = "One is {.code NA}: {length(lost())} of {length(x)} record{?s}
         ha{?s/ve} it.",
    i = "Name this level as follows, where {.code x} is the column:
         {.code levels(x)[is.na(levels(x))] <- \"missing\"}.",
    arg = "data", rows = lost()
  )
}

#' @param count (double or `NULL`) See new_design().
#' @noRd
predictor_frame <- function(terms, data, count = NULL) {
  used <- intersect(all.vars(attr(terms, "variables")), names(data))
  plain <- as.data.frame(data)[used]
  plain[] <- lapply(plain, plain_column)
  frame <- tryCatch(
    variables_frame(terms, plain) %||% stats::model.frame(
      terms, plain, na.action = stats::na.pass, drop.unused.levels = FALSE
    ),
    error = function(e) {
      abort_input(
        "The right side of {.arg formula} must be computable from {.arg data}.",
        x = "{conditionMessage(e)}", arg = "formula"
      )
    }
  )
  offset <- names(frame)[attr(terms, "offset")]
  count <- count %||% rep(1, nrow(frame))
  for (term in names(frame)) {
    x <- frame[[term]]
    if (term %in% offset) {
      check_offset_values(x, term, data)
      next
    }
    refuse_if(
      NROW(x) != nrow(data),
      "The predictor {.code {term}} must have one value for each record.",
      x = "It has {NROW(x)} for {nrow(data)} record{?s}.",
      i = "Compute it as a column of {.arg data} first.", arg = "formula"
    )
    bad <- if (!is.numeric(x)) {
      if (has_missing(x)) which(is.na(x))
    } else if (!all_finite(x)) {
      which(!is.finite(rowSums(as.matrix(x))))
    }
    refuse_if(
      length(bad) > 0, "The predictor {.code {term}} must be finite.",
      x = "It is not finite for {sum(count[bad])} of {sum(count)} record{?s}.",
      i = "Correct or drop these records, or choose another term.",
      arg = "formula", rows = bad
    )
  }
  frame
}

#' The frame of terms that are columns as they stand, without a copy of them
#' @return (data frame) As model.frame() makes it; `NULL` where something is
#'   computed.
#' @noRd
variables_frame <- function(terms, data) {
  variables <- as.list(attr(terms, "variables"))[-1]
  names <- vapply(variables, function(x) {
    if (is.symbol(x)) as.character(x) else ""
  }, "")
  plain <- vapply(data[intersect(names, names(data))], function(x) {
    is.factor(x) || is.null(attributes(x)) && is.atomic(x)
  }, TRUE)
  if (length(names) == 0 || !all(names %in% names(data)) || !all(plain)) {
    return(NULL)
  }
  frame <- data[names]
  described <- c(attributes(terms), list(
    predvars = attr(terms, "variables"),
    dataClasses = vapply(frame, stats::.MFclass, "")
  ))
  attributes(terms) <- described
  structure(frame, terms = terms)
}

# Levels of every categorical variable of the frame. Characters are sorted in
# the C locale, so that a fit is the same on every machine.
factor_levels <- function(frame, raw) {
  categorical <- names(frame)[!vapply(frame, is.numeric, TRUE)]
  lapply(stats::setNames(categorical, categorical), function(name) {
    x <- frame[[name]]
    found <- if (is.factor(x)) {
      as.vector(levels(x))
    } else if (is.logical(x)) {
      c("FALSE", "TRUE")
    } else {
      distinct_text(x)
    }
    if (length(found) < 2) abort_constant(name)
    occupied_first(found, x)
  })
}

# The base is a level that some record has: beside an empty one, the columns of
# the others add up to the intercept.
occupied_first <- function(levels, x) {
  # Of text they are the values, of yes and no they are known
  if (!is.factor(x)) return(levels)
  base <- match(TRUE, as_text(levels) %in% met_text(x), nomatch = 1L)
  levels[c(base, seq_along(levels)[-base])]
}

# Categorical variables of a frame as factors with the blueprint's levels.
as_factors <- function(frame, levels) {
  for (name in names(levels)) {
    x <- frame[[name]]
    same <- is.factor(x) && identical(levels(x), levels[[name]])
    # As it is: no copy of a column of the file
    if (same && !is.ordered(x) && !has_missing(x)) next
    code <- if (same) {
      as.integer(x)
    } else {
      match(as_text(x), as_text(levels[[name]]))
    }
    unknown <- which(is.na(code))
    n_levels <- length(unique(as.character(x[unknown])))
    refuse_if(
      length(unknown) > 0,
      "Column {.val {name}} must have the levels it had in the fit.",
      x = "{length(unknown)} record{?s} {?has/have} {n_levels} unknown
           {cli::qty(n_levels)}level{?s}.",
      i = "Recode {cli::qty(length(unknown))}{?it/them}, or refit with all
           levels declared by {.fn factor}.",
      arg = "newdata", rows = unknown, class = "pseudosynth_error_unknown_level"
    )
    frame[[name]] <- structure(code, levels = levels[[name]], class = "factor")
  }
  frame
}

# Which term is what, and the names and places of its columns.
design_columns <- function(frame, terms, levels) {
  labels <- attr(terms, "term.labels")
  intercept <- attr(terms, "intercept") == 1
  variables <- term_variables(terms)
  plain <- lengths(variables) == 1
  is_factor <- plain & vapply(variables, `[`, "", 1) %in% names(levels)
  is_vector <- plain & !is_factor & vapply(variables, function(name) {
    is.null(dim(frame[[name[1]]]))
  }, TRUE)
  is_dense <- !is_factor & !is_vector

  assign <- if (any(is_dense)) {
    x <- dense_matrix(frame[1, , drop = FALSE], terms, levels)
    split(colnames(x), factor(attr(x, "assign"), c(0, seq_along(labels))))[-1]
  }
  full <- !intercept & is_factor & cumsum(is_factor) == 1
  names_of <- lapply(seq_along(labels), function(t) {
    if (is_factor[t]) {
      shown <- levels[[variables[[t]]]]
      paste0(labels[t], if (full[t]) shown else shown[-1])
    } else if (is_vector[t]) {
      labels[t]
    } else {
      assign[[t]]
    }
  })
  columns <- c(if (intercept) "(Intercept)", unlist(names_of))
  first <- as.integer(intercept) + cumsum(c(0, lengths(names_of)))
  first <- as.integer(first[seq_along(labels)])
  is_level <- c(if (intercept) TRUE, rep(full, lengths(names_of)))
  list(
    columns = make.unique(as.character(columns)),
    factors = data.frame(
      variable = vapply(variables[is_factor], `[`, "", 1),
      column = first[is_factor], full = full[is_factor]
    ),
    vectors = vapply(variables[is_vector], `[`, "", 1),
    vector_column = first[is_vector],
    dense = as.character(unlist(names_of[is_dense])),
    dense_column = as.integer(unlist(lapply(which(is_dense), function(t) {
      first[t] + seq_along(names_of[[t]]) - 1L
    }))),
    is_level = as.logical(is_level)
  )
}

dense_matrix <- function(frame, terms, levels) {
  # Only factors that some term uses can be given contrasts.
  contrasts <- stats::setNames(
    rep(list("contr.treatment"), length(levels)), names(levels)
  )
  stats::model.matrix(terms, frame, contrasts.arg = contrasts)
}

#' The design of some records as the core reads it
#'
#' @param design (`synth_design`)
#' @param data (data frame) The fit's data or new data.
#' @return (list) The elements `n_columns`, `intercept`, `codes`, `n_levels`,
#'   `factor_column`, `numeric` and `numeric_column` of a model specification,
#'   and `offset` (double, N) where the design has one.
#' @noRd
design_parts <- function(design, data, arg = "newdata") {
  check_columns(design$variables, data, arg)
  for (name in design$variables) {
    check_predictor(data[[name]], name)
    refuse_if(
      predictor_kind(data[[name]]) != design$expects[[name]],
      "Column {.val {name}} must be {design$expects[[name]]}, as it was in
       the fit.",
      x = "It is {describe_type(data[[name]])}.", arg = arg
    )
  }
  data <- plain_columns(data)
  n <- nrow(data)
  frame <- if (length(design$variables) > 0) predictor_frame(design$terms, data)
  frame <- as_factors(frame, design$levels)
  frame <- standardise(frame, design)

  factors <- design$factors
  numeric <- vapply(design$vectors, function(v) frame[[v]], numeric(n))
  dense <- if (length(design$dense) > 0) {
    x <- dense_matrix(frame, design$terms, design$levels)
    x[, design$dense, drop = FALSE]
  }
  numeric <- cbind(matrix(numeric, n), dense)
  n_levels <- lengths(design$levels[factors$variable]) + factors$full
  codes <- factor_codes_(
    unname(as.list(frame)[factors$variable]), factors$full - 1L, n_levels, n
  )
  c(
    list(
      n_columns = length(design$columns), intercept = design$intercept,
      codes = codes, n_levels = as.integer(n_levels),
      factor_column = factors$column, numeric = matrix(as.double(numeric), n),
      numeric_column = c(design$vector_column, design$dense_column)
    ),
    if (length(design$offset) > 0) list(offset = sum_offsets(frame, design))
  )
}

#' The dense design matrix of a specification
#'
#' For checks and summaries of small data; the core never forms it.
#' @param spec (list) A model specification, or `design_parts()`.
#' @return (double matrix, N x P)
#' @noRd
dense_design <- function(spec) {
  x <- matrix(0, nrow(spec$codes), spec$n_columns)
  if (spec$intercept) x[, 1] <- 1
  for (f in seq_len(ncol(spec$codes))) {
    code <- as.integer(spec$codes[, f])
    on <- which(code > 0)
    x[cbind(on, spec$factor_column[f] + code[on])] <- 1
  }
  x[, spec$numeric_column + 1L] <- spec$numeric
  x
}

print_lines.synth_design <- function(x) {
  paste0(
    "<synth_design> ", length(x$columns), " columns from ",
    length(x$variables), " predictors",
    if (length(x$offset) > 0) paste0(", ", paste(x$offset, collapse = " + "))
  )
}
