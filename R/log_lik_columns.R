# Log-likelihoods of models fitted elsewhere, one record at a time: a list with
# `n` (records) and `at(i)`, the S values of record i.

matrix_columns <- function(x) list(n = ncol(x), at = function(i) x[, i])

#' @param f (function of one record and the draws)
#' @noRd
function_columns <- function(f, data, draws) {
  refuse_if(
    rlang::is_missing(data) || length(dim(data)) != 2 || nrow(data) == 0,
    "A log-likelihood function needs {.arg data} with one row for each record.",
    i = "Give a data frame or a matrix, and all {.arg draws}.", arg = "data"
  )
  refuse_if(
    rlang::is_missing(draws) || is.null(draws) || length(formals(args(f))) < 2,
    "A log-likelihood function takes one row of {.arg data} and all
     {.arg draws}.",
    i = "Write {.code function(data_i, draws)}.", arg = "draws"
  )
  n_draws <- NULL
  list(n = nrow(data), at = function(i) {
    values <- f(data[i, , drop = FALSE], draws)
    n_draws <<- n_draws %||% length(values)
    refuse_if(
      !is.numeric(values) || length(values) != n_draws || n_draws == 0,
      "The log-likelihood function must give one number per draw.",
      x = "For one record it gives {describe_type(values)}. The first record got
           {n_draws} value{?s}.",
      arg = "x", rows = i
    )
    as.double(values)
  })
}

abort_missing_log_lik <- function(rows) {
  refuse_if(
    length(rows) > 0, "The log-likelihood must have no missing values.",
    x = "{length(rows)} record{?s} {?has/have} one.",
    i = "A maximum that skips draws understates the bound.", arg = "x",
    rows = rows
  )
}

#' Iterations x chains x N as S x N, chain 1 first
#' @noRd
merge_chains <- function(x) {
  size <- dim(x)
  refuse_if(
    length(size) != 3,
    "A log-likelihood array must have three dimensions: iterations, chains and
     records.",
    x = "It has {length(size)} dimension{?s}.", arg = "x"
  )
  matrix(
    as.vector(x), size[1] * size[2], size[3],
    dimnames = list(NULL, dimnames(x)[[3]])
  )
}

#' Draws of several variables in any form: S x variables, chain 1 first
#'
#' @param variable (string) For fits that hold many more: all that is needed.
#' @return (matrix with an attribute `chains`, or `NULL`) `NULL`: `x` is no
#'   such thing.
#' @noRd
draws_by_name <- function(x, variable) {
  if (inherits(x, "stanfit")) {
    check_installed("rstan")
    refuse_if(
      !identical(attr(x, "mode"), 0L), "An rstan fit must hold draws.",
      x = "It has none: its sampling failed, or it is a test run.",
      i = "Look at what {.code rstan::sampling()} has said.", arg = "x",
      class = "pseudosynth_error_log_lik"
    )
    # Before is.array(), which is TRUE of it: it has a dim() method
    x <- tryCatch(
      as.array(x, pars = variable), error = function(e) array(0, c(1, 1, 0))
    )
  } else if (inherits(x, "CmdStanFit")) {
    x <- tryCatch(
      x$draws(variables = variable), error = function(e) array(0, c(1, 1, 0))
    )
  }
  if (inherits(x, "draws")) x <- posterior::as_draws_array(x)
  if (!is.array(x) || !is.atomic(x)) {
    return(NULL)
  }
  x <- unclass(x)
  if (length(dim(x)) == 2) {
    return(structure(x, chains = NULL))
  }
  structure(merge_chains(x), chains = dim(x)[2])
}

#' One vector among named draws, its elements in their order
#' @param values (matrix) With the names of variables.
#' @return (matrix, S x N or S x 0)
#' @noRd
vector_of_draws <- function(values, variable) {
  names <- colnames(values) %||% character()
  # The name is compared as it is: it may hold marks of regular expressions
  inside <- startsWith(names, paste0(variable, "[")) & endsWith(names, "]")
  place <- substr(names, nchar(variable) + 2, nchar(names) - 1)
  own <- which(inside & grepl("^[0-9]+$", place))
  place <- as.integer(place[own])
  chains <- attr(values, "chains")
  structure(
    values[, own[order(place)], drop = FALSE], chains = chains, dimnames = NULL
  )
}

#' The log-likelihood of a model fitted elsewhere, by record
#'
#' @param x (fit, matrix, array or draws)
#' @param log_lik (string, function or `NULL`) See external_fit().
#' @param chains (count or `NULL`) Where `x` does not tell.
#' @param data (data frame or `NULL`) The records, for a function that asks.
#' @return (list) A source: `kind`, `values` (S x N), `chains`.
#' @noRd
as_log_lik_matrix <- function(x, chains = NULL, log_lik = NULL, data = NULL) {
  if (is.function(log_lik)) {
    made <- user_result(
      if (takes_argument(log_lik, "data")) {
        log_lik(x, data = data)
      } else {
        log_lik(x)
      },
      "log_lik()", "log_lik"
    )
    return(as_log_lik_matrix(made, chains))
  }
  values <- log_lik_values(x, log_lik)
  check_that(
    is.numeric(values) && length(values) > 0, x,
    "{.arg x} must be a numeric matrix with draws in rows and records in
     columns."
  )
  chains <- attr(values, "chains") %||% chains
  list(
    kind = "matrix", chains = chains,
    values = matrix(as.vector(values), nrow(values))
  )
}

#' Has a function of the user an argument of this name?
#' @noRd
takes_argument <- function(f, name) name %in% names(formals(args(f)))

log_lik_values <- function(x, log_lik) {
  variable <- log_lik %||% "log_lik"
  values <- draws_by_name(x, variable)
  if (is.null(values)) {
    return(method_log_lik(x))
  }
  # Without names all are records; with names of a program some may not be
  names <- colnames(values)
  fitted <- inherits(x, c("stanfit", "CmdStanFit", "draws"))
  if (!fitted && is.null(log_lik) && !holds_variables(names)) {
    return(values)
  }
  found <- vector_of_draws(values, variable)
  refuse_if(
    ncol(found) == 0,
    "The draws must have a vector {.val {variable}}, one element a record.",
    x = if (variable %in% names) "It is one number.",
    i = "In the block {.code generated quantities} of a Stan program:",
    i = "{.code vector[N] {variable}; for (i in 1:N) {variable}[i] =
         normal_lpdf(y[i] | mu[i], sigma);}",
    i = "A vector of another name is given as {.code log_lik = \"name\"}.",
    arg = "x", class = "pseudosynth_error_log_lik"
  )
  found
}

#' Are these the names of variables, and not of records?
#' @noRd
holds_variables <- function(names) {
  any(names %in% c("lp__", "log_lik")) ||
    any(grepl("^log_lik\\[[0-9]+\\]$", names))
}

#' By the method of rstantools that rstanarm, brms and others have
#' @noRd
method_log_lik <- function(x) {
  refuse_if(
    !has_log_lik(x), "{.arg x} must be a fit or a log-likelihood.",
    x = "It is {describe_type(x)}.",
    i = "Give a {.cls synthesizer}, an S x N matrix with draws in rows and
         records in columns, a {.code function(data_i, draws)}, or a fit with a
         {.fn log_lik} method.",
    i = "Of any other fit, {.fn external_fit} takes
         {.code log_lik = function(fit)}, which gives that matrix.",
    arg = "x"
  )
  values <- as.matrix(rstantools::log_lik(x))
  # rstanarm fits with weights that are all the same, and leaves them out here
  if (inherits(x, "stanreg") && length(unique(x$weights)) == 1) {
    values <- values * x$weights[[1]]
  }
  # Both merge their chains one after another
  if (inherits(x, c("stanreg", "brmsfit"))) {
    attr(values, "chains") <- dim(as.array(x))[2]
  }
  values
}

#' Refuse a fit that tells of other weights than it is said to have
#'
#' rstanarm and brms keep them; of other fits nobody knows.
#' @param first (flag) Was it fitted by the user, and not by a refit?
#' @noRd
check_weights_taken <- function(fit, alpha, first = FALSE) {
  taken <- if (inherits(fit, "stanreg")) {
    fit$weights
  } else if (inherits(fit, "brmsfit")) {
    brms_weights(fit)
  }
  # Without weights some hold an empty vector
  if (is.null(taken) && !inherits(fit, c("stanreg", "brmsfit"))) {
    return(invisible())
  }
  if (length(taken) == 0) taken <- rep(1, length(alpha))
  differ <- which(abs(as.double(taken) - alpha) > 1e-8)
  refuse_if(
    length(taken) != length(alpha) || length(differ) > 0,
    "The model must be fitted with the privacy weights as they are.",
    x = "The fit holds other weights for {length(differ)} record{?s}.",
    i = if (first) {
      "State those that it has: {.code external_fit(fit, privacy_weights = )}."
    } else {
      "In {.arg refit} give the fit its weights unchanged, not scaled to their
       mean or sum."
    },
    arg = if (first) "x" else "refit", rows = differ,
    class = "pseudosynth_error_weights_changed"
  )
}

#' Where brms has weights: in the data of its program
#' @noRd
brms_weights <- function(fit) {
  standata <- utils::getS3method(
    "standata", "brmsfit", TRUE, asNamespace("brms")
  )
  as.vector(standata(fit)$weights)
}

has_log_lik <- function(x) has_method("log_lik", x, "rstantools")

has_method <- function(generic, x, package) {
  !is.null(s3_method(generic, x, package))
}

#' The method of a generic for an object, `NULL` if there is none
#' @noRd
s3_method <- function(generic, x, package) {
  home <- asNamespace(package)
  for (class in class(x)) {
    method <- utils::getS3method(generic, class, TRUE, home)
    if (!is.null(method)) {
      return(method)
    }
  }
}

#' Bounds from log-likelihoods that come one record at a time
#'
#' @param columns (list) See the head of this file.
#' @param alpha (numeric, N, or `NULL`) Weights; `NULL`: none.
#' @param multiplied (flag) Is the log-likelihood multiplied by them already?
#' @param dropped (count) Draws dropped before, all above these.
#' @return A `lipschitz_bound`.
#' @noRd
bound_of_columns <- function(columns, quantile, unit, alpha = NULL,
                             multiplied = FALSE, dropped = 0L) {
  n <- columns$n
  alpha <- alpha %||% rep(1, n)
  at <- function(i) if (multiplied) columns$at(i) else alpha[i] * columns$at(i)
  # A record of weight 0 contributes nothing, whatever its log-likelihood
  active <- which(alpha > 0)
  draw <- numeric(length(columns$at(1)))
  broken <- integer()
  for (i in active) {
    g <- abs(at(i))
    if (anyNA(g)) broken <- c(broken, i)
    draw <- pmax(draw, g)
  }
  abort_missing_log_lik(broken)
  draw <- unname(draw)
  kept <- keep_draws(draw, quantile, dropped)
  parts <- list(record = numeric(n), oscillation = numeric(n), draw = draw)
  lost <- integer(n)
  for (i in active) {
    g <- at(i)[kept]
    lost[i] <- sum(!is.finite(g))
    parts$record[i] <- if (lost[i] > 0) Inf else max(abs(g))
    parts$oscillation[i] <- if (lost[i] > 0) Inf else max(g) - min(g)
  }
  parts$nonfinite <- counts_met(lost)
  new_lipschitz_bound(parts, kept, quantile, unit, any(alpha != 1))
}

# A model without its records: what a frozen rule evaluates for others.

#' The model that a rule evaluates, without its records
#'
#' @param fit What weights were made from.
#' @param kept (logical, S) Draws to keep.
#' @return (list or `NULL`) `NULL` where the model is not known (a bound, a
#'   matrix) or a record's contribution is censored.
#' @noRd
frozen_model <- function(fit, kept = NULL) {
  if (inherits(fit, "external_fit")) {
    source <- fit$log_lik
    known <- source$kind == "function" && is.data.frame(source$data)
    if (known && !fit$way$weighted) {
      list(
        f = source$f, draws = source$draws, quantile = fit$quantile,
        columns = names(source$data)
      )
    }
  } else if (inherits(fit, "synthesizer") && is.null(fit$censor)) {
    draws <- fit$draws
    if (!is.null(kept) && !all(kept)) draws <- draws[kept, , drop = FALSE]
    list(
      response = fit$response, design = fit$design, family = fit$family,
      survey = fit$survey, spec = spec_of_model(fit$spec), draws = draws
    )
  }
}

#' Record bounds of other records at a model's draws
#'
#' By the same kernel as the fit's own bounds, so that the same record has the
#' same bound to the last bit, whatever other records there are.
#' @param alpha (numeric) Weights of these records.
#' @return (numeric)
#' @noRd
model_bound <- function(model, data, alpha = NULL) {
  if (is.function(model$f)) {
    columns <- function_columns(model$f, data, model$draws)
    return(bound_of_columns(columns, 1, "", alpha)$record)
  }
  spec <- record_spec(model, data)
  if (!is.null(alpha)) spec$alpha <- alpha
  bound_of_draws(spec, model$draws, 1L, "")$record
}
