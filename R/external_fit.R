#' Use a model that was fitted outside this package
#'
#' Wraps any Bayesian model: its log-likelihood by record, a function that fits
#' it again under weights, and a way to draw a set from it. The object then goes
#' through the same functions as a `synthesizer`: [lipschitz()],
#' [lipschitz_weights()], [update()], [reweight()], [solve_weights()],
#' [truncate_weights()], [truncate_draws()] and [guarantee()]. With `formula`
#' and `data` it also goes through [count_weights()], [synthesize()],
#' [replicate_study()], [release()] and [pseudo_posterior()].
#'
#' @param x The model, in one of these forms:
#'   * a fit of rstan or CmdStan, or its draws, whose program has a vector
#'     `log_lik` in the block `generated quantities`;
#'   * a fit with a `log_lik()` method (rstanarm, brms);
#'   * the log-likelihood itself: a matrix (S x N: draws in rows with all chains
#'     merged, records in columns) or an array (iterations x chains x N) of any
#'     class;
#'   * `function(data_i, draws)`, which returns the S log-likelihoods of one
#'     record;
#'   * anything else, if `log_lik` is a function.
#' @param refit (function or `NULL`) A `function(weights)` that fits the model
#'   again with each record's likelihood raised to its weight (numeric, N). It
#'   returns the same kind of object as `x` or, if `x` is a function, the new
#'   draws. If it has an argument `seed`, it is given one (a whole number below
#'   2^31). If it has an argument `data`, [replicate_study()] can fit other
#'   files. R's random numbers start anew in each call, from the operating
#'   system's entropy. Default `NULL`: the fit can be measured but not refitted.
#' @param privacy_weights The weights `x` was fitted with, as in
#'   [fit_synthesizer()]. Default `NULL`: unweighted.
#' @param data (data frame; a matrix will do if `x` is a function) The records,
#'   one row per record, in the order of the log-likelihood. Needed if `x` is a
#'   function, and with `formula`.
#' @param draws If `x` is a function: all its draws.
#' @param formula (formula or `NULL`) The response on the scale of the model and
#'   the columns that sets publish, such as `log(income) ~ age + region`. The
#'   model itself need not have this form. Default `NULL`: no sets can be drawn.
#' @param predict (function, string or `NULL`) How a set is drawn. A
#'   `function(fit, draws, data)` returns a matrix: in row j responses of all
#'   records of `data` at draw `draws[j]`, on the scale of the formula's left
#'   side. `fit` is `x` or what `refit` returned; draws are numbered with chain
#'   1 first, as in `as.matrix(fit)[draws, ]`. A string is the name of a vector
#'   in the program, such as `"y_rep"`. Responses with levels are the levels, or
#'   numbers that count them from 1 (from 0 if there are two). Default `NULL`:
#'   the `posterior_predict()` method of rstanarm, brms and others.
#' @param log_lik (string, function or `NULL`) The vector of the program that
#'   has the log-likelihood, or a `function(fit)` that returns it as a matrix or
#'   array. If it has an argument `data`, it is given the records, which
#'   [replicate_study()] needs. Default `NULL`: `"log_lik"`, or the `log_lik()`
#'   method.
#' @param response ([public_response()] or `NULL`) As in [fit_synthesizer()].
#' @param weighted (flag or `NULL`) Does the log-likelihood of `x`, and of what
#'   `refit` returns, include the weights? Default `NULL`: `TRUE` for fits of
#'   rstanarm and brms, whose log-likelihoods do, otherwise `FALSE`. [update()]
#'   compares both readings with the earlier fit and refuses the wrong one.
#' @param seeded (flag or `NA`) Are the draws of `refit` made with a fixed seed?
#'   Such draws are reproducible and not for release. Default `NA`: the first
#'   [update()] finds out. It compares the seeds that Stan has recorded or, if
#'   these do not tell, calls `refit` twice. `FALSE` is your own statement and
#'   saves that call.
#' @param chains (count or `NULL`) How many chains of equal length were merged
#'   one after another. Needed for the convergence checks: R-hat of the sum of
#'   the weighted log-likelihoods below 1.01 and of the worst record's below
#'   1.05, bulk ESS of the sum at least 400. Default `NULL`: taken from `x` if
#'   it is an array or a fit of rstan, CmdStan, rstanarm or brms; otherwise
#'   convergence is not checked.
#' @param converged (flag or `NA`) Your own judgement if the chains are not
#'   known. Default `NA`: not known, so the label is `"none"`.
#' @param unit (string or `NULL`) The response as the log-likelihood models it,
#'   such as `"log(income)"`. Default `NULL`: the formula's left side.
#' @param name (string) The model's name in prints and labels.
#' @param ... Must be empty.
#'
#' @return An `external_fit`: a list with `fit` (the model itself, refitted by
#'   [update()]; if `x` is a function, its draws), `bound` (see [lipschitz()]),
#'   `privacy_weights`, `converged`, `problems`, `diagnostics` (named numeric)
#'   and more. It is confidential.
#'
#' @section Error types:
#' `pseudosynth_error_input`: `x` is of another kind, log-likelihoods are
#' missing, weights have the wrong length, a refit has other records, or one of
#' your functions fails (its error is in the field `cause`). Narrower classes:
#' `pseudosynth_error_log_lik`: a program without the vector, or a fit without
#' draws. `pseudosynth_error_records`: another number of records than `data`.
#' `pseudosynth_error_weighted`: `weighted` contradicts the refit.
#' `pseudosynth_error_weights_changed`: rstanarm or brms used other weights than
#' `refit` was given. `pseudosynth_error_weights_ignored`: the draws of a refit
#' are those of the earlier fit. `pseudosynth_error_predict`: `predict` is
#' missing, or gives other values than it should.
#' `pseudosynth_error_no_formula`: sets are asked for without `formula` and
#' `data`.
#'
#' @section Checkpoints:
#' The folder of a job holds your functions and the objects that they were made
#' with, but not the workspace. In a new session, load what they use before
#' [resume()].
#'
#' @section Privacy:
#' The label of such a model is at best the papers' asymptotic one, and `"none"`
#' without weights. It is never strict: nothing is censored, and the package
#' cannot know what the prior holds or how the likelihood was weighted.
#'
#' @seealso `vignette("your-own-stan-model")`; [reweight()], [guarantee()],
#'   [synthesize()]
#' @examples
#' # A normal mean with known standard deviation, weighted in closed form
#' file <- data.frame(y = c(-1.2, -0.3, 0.1, 0.4, 2.5))
#' fit_mean <- function(alpha) {
#'   precision <- 1 + sum(alpha)
#'   matrix(rnorm(1000, sum(alpha * file$y) / precision, 1 / sqrt(precision)))
#' }
#' model <- external_fit(
#'   function(data_i, draws) dnorm(data_i$y, draws[, 1], log = TRUE),
#'   refit = fit_mean, data = file, draws = fit_mean(rep(1, 5)),
#'   formula = y ~ 1, chains = 2, converged = TRUE,
#'   predict = function(fit, draws, data) {
#'     n <- length(draws) * nrow(data)
#'     matrix(rnorm(n, fit[draws, 1]), length(draws))
#'   }
#' )
#' lw <- update(model, privacy_weights = lipschitz_weights(model))
#' final <- reweight(lw)
#' synthesize(final, m = 2)
#' @export
external_fit <- function(x, refit = NULL, privacy_weights = NULL, data = NULL,
                         draws = NULL, formula = NULL, predict = NULL,
                         log_lik = NULL, response = NULL, weighted = NULL,
                         seeded = NA, chains = NULL, converged = NA,
                         unit = NULL, name = "a model fitted elsewhere", ...) {
  check_no_dots(..., hint = "See {.fn external_fit}.")
  check_present(x)
  check_function_of(refit, "the weights")
  check_that(
    is.null(log_lik) || is.function(log_lik) || is_variable(log_lik),
    log_lik, "{.arg log_lik} must be a function of a fit or the name of a
     vector."
  )
  check_that(
    is.null(predict) || is.function(predict) || is_variable(predict),
    predict, "{.arg predict} must be a {.code function(fit, draws, data)} or the
     name of a vector."
  )
  weighted <- weighted %||%
    (is.null(log_lik) && inherits(x, c("stanreg", "brmsfit")))
  check_flag(weighted)
  chains <- check_count(chains, min = 1, null = TRUE)
  check_string(unit, null = TRUE)
  check_string(name)
  check_flag_or_na(converged)
  check_flag_or_na(seeded)
  model <- external_model(
    if (is.function(x)) "function" else "fit", name, formula, data, draws,
    response
  )
  way <- list(
    refit = refit, predict = predict, log_lik = log_lik, weighted = weighted,
    seeded = seeded, chains = chains, converged = converged,
    f = if (is.function(x)) x, unit = unit %||% model$response$label %||%
      "not stated"
  )
  new_external_fit(
    model, way, if (is.function(x)) draws else x, privacy_weights
  )
}

# The name of a vector of a program
is_variable <- function(x) rlang::is_string(x) && in_known_encoding(x)

check_flag_or_na <- function(x, arg = rlang::caller_arg(x)) {
  refuse_if(
    !is.logical(x) || length(x) != 1,
    "{.arg {arg}} must be {.code TRUE}, {.code FALSE} or {.code NA}.",
    arg = arg
  )
}

#' What stays of a model fitted elsewhere when it is fitted again: its records
#' and what sets have of them
#' @return (list) `name`, `family`, `prior`, `records` (what a function reads);
#'   with a formula `formula`, `response`, `design`, `data` and `tibble`.
#' @noRd
external_model <- function(form, name, formula, data, draws, response) {
  refuse_if(
    form != "function" && !is.null(draws),
    "{.arg draws} is only used if {.arg x} is a function.", arg = "draws"
  )
  refuse_if(
    is.null(formula) && form != "function" && !is.null(data),
    "{.arg data} is only used if {.arg x} is a function, or with
     {.arg formula}.",
    i = "State what sets have: {.code formula = log(income) ~ age + region}.",
    arg = "data"
  )
  refuse_if(
    is.null(formula) && !is.null(response),
    "{.arg response} needs {.arg formula}.", arg = "response"
  )
  model <- list(
    name = name, prior = new_result("external_prior"), records = data,
    family = external_family(name, NULL)
  )
  if (is.null(formula)) {
    return(model)
  }
  check_formula(formula)
  check_data_frame(data)
  data <- plain_columns(data)
  y <- data[[all.vars(formula[[2]])[1]]]
  model$family <- external_family(name, y)
  model$response <- new_response(formula, data, model$family, response)
  variables <- columns_published_by(
    formula, data[setdiff(names(data), model$response$name)]
  )
  # Constants of its left side are in the response already
  environment(formula) <- baseenv()
  model$formula <- formula
  model$design <- list(variables = variables, levels = list())
  model$data <- data
  model$tibble <- is_tibble(data)
  check_varies(model)
  tell_published(model)
  model
}

#' @param y (vector or `NULL`) Values of the response.
#' @noRd
external_family <- function(name, y) {
  levels <- if (is.factor(y)) levels(y) else unique(y)
  kind <- if (is.null(y) || is.numeric(y)) {
    "continuous"
  } else if (length(levels) == 2 || is.logical(y)) {
    "binary"
  } else {
    "categorical"
  }
  new_result("external_model", name = name, kind = kind, log_response = FALSE)
}

#' Turn any model into something with a bound, weights and a refit
#' @noRd
as_weightable <- function(x, ..., arg = "fit") {
  check_present(x, arg)
  if (inherits(x, c("synthesizer", "external_fit"))) {
    stated <- names(Filter(Negate(is.null), list(...)))
    refuse_if(
      length(stated) > 0,
      "{.arg {stated[1]}} is for log-likelihoods from other packages.",
      x = "{.arg {arg}} is {describe_type(x)}, which has its own.",
      arg = stated[1]
    )
    return(x)
  }
  log_lik <- is.function(x) || (is.numeric(x) && !is.null(dim(x))) ||
    inherits(x, c("stanfit", "CmdStanFit", "draws")) || has_log_lik(x)
  check_that(
    log_lik, x,
    "{.arg {arg}} must be a {.cls synthesizer} or an {.fn external_fit}.",
    arg = arg
  )
  external_fit(x, ...)
}
