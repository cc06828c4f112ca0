# Models fitted elsewhere, fitted again: under other weights, on other records.
# What a refit says of itself is compared with what the user has said of it:
# whether its log-likelihood holds the weights, and whether it fixes a seed.

#' @rdname external_fit
#' @param object An `external_fit`.
#' @param seed (whole number or `NULL`) For `update()`: as in
#'   [fit_synthesizer()].
#' @param ... For `update()`: passed to `refit` after the weights. Otherwise not
#'   used.
#' @method update external_fit
#' @export
update.external_fit <- function(object, privacy_weights, ..., seed = NULL) {
  # A whole file, or a posterior on a grid, knows how it is made again
  if (is.function(object$again)) {
    return(if (missing(privacy_weights)) {
      object$again(object, ..., seed = seed)
    } else {
      object$again(object, privacy_weights, ..., seed = seed)
    })
  }
  check_sealed(object)
  refuse_if(
    is.null(object$way$refit),
    "{.arg object} has no function to fit the model again.",
    i = "Give {.fn external_fit} a {.arg refit} function of the weights.",
    arg = "object"
  )
  check_refit_takes(object$way$refit, ...names())
  check_argument(seed)
  if (missing(privacy_weights)) privacy_weights <- object$privacy_weights
  weights <- as_privacy_weights(privacy_weights, n_records(object))
  latest_fit(seed, kept_step(seed, "refit", {
    refit_external(object, weights, seed, ...)
  }))
}

#' Fit the model again, and look at what has come
#' @param weights (`privacy_weights` or `NULL`)
#' @param data (data frame or `NULL`) Other records. `NULL`: its own.
#' @noRd
refit_external <- function(object, weights, seed, ..., data = NULL) {
  started <- proc.time()[["elapsed"]]
  model <- unclass(object)[intersect(external_parts, names(object))]
  if (!is.null(data)) model[c("data", "records")] <- list(data, data)
  n <- if (is.null(data)) n_records(object) else nrow(data)
  alpha <- if (is.null(weights)) rep(1, n) else bare_numbers(weights)
  run <- function(purpose) {
    run_refit(object$way$refit, alpha, data, seed, purpose, ...)
  }
  made <- run("refit")
  way <- object$way
  way["f"] <- list(object$log_lik$f)
  if (is.na(way$seeded)) {
    way$seeded <- fixes_seed(object$fit, made, way, model$data, run)
  }
  # Chains that are known are judged anew
  if (!is.null(object$diagnostics)) way$converged <- NA
  fit <- new_external_fit(model, way, made$fit, weights, seed, n)
  if (is.null(data)) {
    check_reading(object, fit)
    check_weights_used(object, fit)
  }
  fit$seconds <- list(total = proc.time()[["elapsed"]] - started)
  fit
}

external_parts <- c(
  "name", "family", "prior", "records", "formula", "response", "design",
  "data", "tibble"
)

#' Call the user's refit with random numbers of its own
#'
#' R's generator starts from the user's seed or from the system's entropy,
#' whatever the session's state is.
#' @return (list) `fit`, and the `seed` that the function was given, if it takes
#'   one.
#' @noRd
run_refit <- function(refit, alpha, data, seed, purpose, ...) {
  number <- given_seed(seed)
  if (is.null(number) || purpose != "refit") number <- random_number(seed)
  number <- number %% .Machine$integer.max
  seeded <- takes_argument(refit, "seed")
  arguments <- c(
    list(alpha), list(...), if (seeded) list(seed = number),
    if (!is.null(data)) list(data = data)
  )
  fit <- with_r_seed(number, user_result(
    do.call(refit, arguments, quote = TRUE), "refit()", "refit"
  ))
  list(fit = fit, seed = if (seeded) number)
}

#' Refuse arguments that the user's refit does not have
#' @param names (character or `NULL`) Of the arguments.
#' @noRd
check_refit_takes <- function(refit, names) {
  theirs <- names(formals(args(refit)))
  names <- names[!is.na(names) & nzchar(names)]
  # R takes the beginning of a name for the name
  foreign <- names[is.na(pmatch(names, theirs, duplicates.ok = TRUE))]
  if (length(foreign) == 0 || "..." %in% theirs) {
    return(invisible())
  }
  if (foreign[1] == "censor") abort_censored_elsewhere("censor")
  abort_input(
    "{.arg {foreign[1]}} does not apply to this model.",
    x = "It was fitted elsewhere, and its {.arg refit} has no such argument.",
    i = "Write {.code external_fit(..., refit = function(weights, {foreign[1]})
         ...)}, or leave {.arg {foreign[1]}} out.",
    arg = foreign[1]
  )
}

#' Censoring is of the package's own likelihoods
#' @noRd
abort_censored_elsewhere <- function(arg) {
  abort_input(
    "A model fitted elsewhere cannot be censored.",
    x = "Its likelihood is computed where it was fitted.",
    i = "Fit the model here: {.code fit_synthesizer(formula, data, family,
         censor = censor(epsilon))}.",
    i = "Or give its records weights: {.code update(fit, privacy_weights =
         lipschitz_weights(fit))}.",
    arg = arg
  )
}

#' Refuse a model fitted elsewhere that cannot be fitted to other records
#' @noRd
check_fits_others <- function(fit) {
  if (!inherits(fit, "external_fit")) {
    return(invisible(fit))
  }
  refit <- fit$way$refit
  refuse_if(
    is.null(refit) || !takes_argument(refit, "data"),
    "The {.arg refit} of {.arg fit} must take other records.",
    x = if (is.null(refit)) "It has none.",
    x = if (!is.null(refit)) "It has no argument {.arg data}.",
    i = "Write {.code external_fit(..., refit = function(weights, data = file)
         ...)}: it fits the model to {.arg data}.",
    arg = "fit"
  )
  log_lik <- fit$way$log_lik
  refuse_if(
    is.function(log_lik) && !takes_argument(log_lik, "data"),
    "The {.arg log_lik} of {.arg fit} must take other records.",
    x = "It has no argument {.arg data}.",
    i = "Write {.code external_fit(..., log_lik = function(fit, data) ...)}.",
    arg = "fit"
  )
  invisible(fit)
}

#' A whole number of the system's entropy, or of a checkpoint's
#' @noRd
random_number <- function(seed) {
  number_of_words(entropy_words(run_of(seed)))
}

# Seeds ------------------------------------------------------------------------

#' Does the refit fix a seed by itself?
#'
#' Stan records its seed: it tells where it is the one of the earlier fit, or
#' the one that was handed over. Otherwise the model is fitted a second time
#' under the same weights.
#' @param before The earlier fit.
#' @param made (list) See run_refit().
#' @param data (data frame or `NULL`) The records.
#' @param again (function) Fits it again.
#' @noRd
fixes_seed <- function(before, made, way, data, again) {
  own <- stan_seed(made$fit)
  if (!is.null(own)) {
    if (identical(own, stan_seed(before))) {
      return(TRUE)
    }
    if (!is.null(made$seed) && own == made$seed) {
      return(FALSE)
    }
  }
  second <- again("seed")$fit
  if (!is.null(way$f)) {
    return(identical(second, made$fit))
  }
  identical(
    as_log_lik_matrix(second, NULL, way$log_lik, data)$values,
    as_log_lik_matrix(made$fit, NULL, way$log_lik, data)$values
  )
}

#' The seed that a fit by Stan was made with
#' @return (number or `NULL`)
#' @noRd
stan_seed <- function(fit) {
  stan <- if (inherits(fit, "stanreg")) {
    fit$stanfit
  } else if (inherits(fit, "brmsfit")) {
    fit$fit
  } else {
    fit
  }
  if (inherits(stan, "stanfit")) {
    seed <- or_else(attr(stan, "stan_args")[[1]]$seed)
    if (!is.null(seed)) as.double(seed)
  }
}

# Weights ----------------------------------------------------------------------

#' Refuse a refit whose log-likelihood contradicts `weighted`
#' @noRd
check_reading <- function(before, after) {
  holds <- holds_weights(
    before$typical, alpha_of(before), after$typical, alpha_of(after)
  )
  stated <- after$way$weighted
  refuse_if(
    !is.na(holds) && holds != stated,
    "{.arg weighted} must say whether the log-likelihood holds the weights.",
    x = "By the refit {if (holds) 'it is multiplied by them' else
         'it is not multiplied by them'}, and {.arg weighted} is
         {.code {stated}}.",
    i = "Write {.code external_fit(..., weighted = {holds})}.",
    arg = "weighted", class = "pseudosynth_error_weighted"
  )
}

#' Is the log-likelihood of a refit multiplied by its weights?
#'
#' A record of weight 0 tells it: its values are all 0, or they are not.
#' Otherwise the log-likelihoods of both fits are compared under either reading.
#' Under the right one those of the refit are about a + b times the earlier
#' ones, with a common a and b, since weights mostly change the model's scale.
#' @param before,after (numeric, N) Medians of the log-likelihood as given.
#' @param alpha_before,alpha_after (numeric, N) Weights.
#' @return (flag) `NA` where it makes no difference, or neither fits.
#' @noRd
holds_weights <- function(before, alpha_before, after, alpha_after) {
  known <- is.finite(before) & is.finite(after) & alpha_before > 0 &
    before != 0
  gone <- known & alpha_after == 0
  if (any(gone)) {
    return(mean(after[gone] == 0) > 0.5)
  }
  change <- alpha_after / alpha_before
  # A far record moves with the fit as no other does, and would decide alone
  middle <- stats::median(before[known])
  spread <- stats::mad(before[known], middle)
  known <- known & abs(before - middle) <= 4 * spread
  if (!any(known) || max(abs(log(change[known]))) < 0.05) {
    return(NA)
  }
  # Weights that hardly differ leave a and b open: a = 0 and b = 1 are tried
  for (line in c(sum(known) >= 8, FALSE)) {
    without <- reading_error(before[known], after[known], 1, line)
    with <- reading_error(before[known], after[known], change[known], line)
    if (max(with, without) > 10 * min(with, without)) {
      return(with < without)
    }
  }
  NA
}

#' How far the refit is from alpha (a + b f)
#' @param line (flag) With the best a and b, or with 0 and 1?
#' @noRd
reading_error <- function(f, g, alpha, line) {
  alpha <- rep_len(alpha, length(f))
  residuals <- if (line) {
    stats::lm.fit(cbind(alpha, alpha * f), g)$residuals
  } else {
    g - alpha * f
  }
  sum(residuals^2)
}

#' Refuse a refit whose draws are those of the earlier fit: it did not use its
#' weights
#'
#' Other weights multiply the posterior density by exp(r), r the sum of their
#' change times f. So the mean of r rises by its variance, or about it; where
#' nothing has changed it stays, and so does the mean of the log-likelihood.
#' @noRd
check_weights_used <- function(before, after) {
  # Of fewer draws nothing can be said
  if (min(n_draws(before), n_draws(after)) < 100) {
    return(invisible())
  }
  change <- alpha_of(after) - alpha_of(before)
  # Multiplied by 0 a log-likelihood is not known
  known <- change != 0 & is.finite(before$typical) & is.finite(after$typical)
  if (after$way$weighted) {
    known <- known & alpha_of(before) > 0 & alpha_of(after) > 0
  }
  sums <- lapply(list(before, after), change_sums, change, which(known))
  rise <- moved(sums[[1]][, 1], sums[[2]][, 1], before$chains, after$chains)
  whole <- moved(sums[[1]][, 2], sums[[2]][, 2], before$chains, after$chains)
  told <- isTRUE(rise$variance > 8 * rise$error)
  stays <- abs(rise$mean) < 3.5 * rise$error + 1e-12 &&
    abs(whole$mean) < 3.5 * whole$error + 1e-12
  refuse_if(
    told && isTRUE(stays), "The refit must use its weights.",
    x = "Its draws are like those of the earlier fit, which had other weights.",
    i = "In a Stan program multiply each record's log-likelihood by its weight:
         {.code target += alpha[i] * normal_lpdf(y[i] | mu[i], sigma);}",
    i = if (inherits(after$fit, "stanreg")) {
      "{.fn stan_glm} of rstanarm takes {.arg weights} and does not use them
       with some families."
    },
    arg = "refit", class = "pseudosynth_error_weights_ignored"
  )
}

#' Sums over records at each draw: of the change times f, and of f
#' @param records (integer) Of which.
#' @return (matrix, S x 2)
#' @noRd
change_sums <- function(fit, change, records) {
  columns <- external_columns(fit$log_lik)
  alpha <- if (fit$way$weighted) alpha_of(fit) else rep(1, columns$n)
  sums <- matrix(0, n_draws(fit), 2)
  for (i in records) {
    f <- columns$at(i) / alpha[i]
    if (all(is.finite(f))) sums <- sums + cbind(change[i] * f, f)
  }
  sums
}

#' How far a mean has moved from one fit's draws to another's
#' @return (list) `mean` (of the move), its `error`, and the smaller `variance`
#'   of a draw.
#' @noRd
moved <- function(x, y, chains_x, chains_y) {
  error <- function(z, chains) {
    if (length(z) %% (chains %||% 1) != 0) chains <- 1
    ess <- posterior::ess_mean(matrix(z - mean(z), ncol = chains %||% 1))
    sqrt(stats::var(z) / if (is.finite(ess)) ess else length(z))
  }
  list(
    mean = mean(y) - mean(x),
    error = sqrt(error(x, chains_x)^2 + error(y, chains_y)^2),
    variance = min(stats::var(x), stats::var(y))
  )
}
