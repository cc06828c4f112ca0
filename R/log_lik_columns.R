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
  matrix(as.vector(x), size[1] * size[2], size[3])
}

#' The log-likelihood matrix of a fit of another package
#'
#' @return (matrix, S x N) with an attribute `chains` where that is known.
#' @noRd
external_log_lik <- function(x) {
  if (inherits(x, "stanfit")) {
    # rstan gives its fits an as.array() method: iterations x chains x N
    values <- tryCatch(
      as.array(x, pars = "log_lik"),
      error = function(e) {
        abort_input(
          "An rstan fit must have a variable {.val log_lik}.",
          x = "{conditionMessage(e)}",
          i = "Add it to the block {.code generated quantities}.", arg = "x"
        )
      }
    )
    return(structure(merge_chains(values), chains = dim(values)[2]))
  }
  if (has_log_lik(x)) {
    values <- as.matrix(rstantools::log_lik(x))
    if (inherits(x, c("stanreg", "brmsfit"))) {
      # Both merge their chains one after another
      attr(values, "chains") <- dim(as.array(x))[2]
    }
    return(values)
  }
  abort_input(
    "{.arg x} must be a fit or a log-likelihood.",
    x = "It is {describe_type(x)}.",
    i = "Give a {.cls synthesizer}, an S x N matrix with draws in rows and
         records in columns, a {.code function(data_i, draws)}, or a fit with a
         {.fn log_lik} method.",
    arg = "x"
  )
}

#' A matrix, an array or a fit as a source of log-likelihoods
#' @noRd
as_log_lik_matrix <- function(x, chains) {
  if (is.array(x) && !is.matrix(x)) {
    chains <- dim(x)[2]
    x <- merge_chains(x)
  } else if (!is.matrix(x)) {
    x <- external_log_lik(x)
    chains <- attr(x, "chains") %||% chains
    attr(x, "chains") <- NULL
  }
  check_that(
    is.numeric(x) && length(x) > 0, x,
    "{.arg x} must be a numeric matrix with draws in rows and records in
     columns."
  )
  abort_missing_log_lik(which(colSums(is.na(x)) > 0))
  list(kind = "matrix", values = unname(x), chains = chains)
}

has_log_lik <- function(x) has_method("log_lik", x, "rstantools")

has_method <- function(generic, x, package) {
  home <- asNamespace(package)
  any(vapply(class(x), function(class) {
    !is.null(utils::getS3method(generic, class, TRUE, home))
  }, TRUE))
}

#' Bounds from log-likelihoods that come one record at a time
#'
#' @param columns (list) See the head of this file.
#' @param alpha (numeric, N, or `NULL`) Weights that the log-likelihood does not
#'   hold yet.
#' @param weighted (flag) Is g another thing than the unweighted log-likelihood?
#' @param dropped (count) Draws dropped before, all above these.
#' @return A `lipschitz_bound`.
#' @noRd
bound_of_columns <- function(columns, quantile, unit, alpha = NULL,
                             weighted = FALSE, dropped = 0L) {
  n <- columns$n
  at <- function(i) {
    f <- columns$at(i)
    if (is.null(alpha)) f else alpha[i] * f
  }
  # A record of weight 0 contributes nothing, whatever its log-likelihood
  active <- if (is.null(alpha)) seq_len(n) else which(alpha > 0)
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
  new_lipschitz_bound(parts, kept, quantile, unit, weighted)
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
    if (known && !fit$weighted) {
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
