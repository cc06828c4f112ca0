# Make a fit again on other records, its weights included: what audits and
# replicate studies do to a mechanism. Internal.

#' @param records (list) `data` and `spec` of the other records, and `alpha`
#'   (their weights, for weights given by hand; `NULL` if they have none).
#' @param refit (function or `NULL`) The user's way: a fit of a data frame.
#' @param seed (count or `NULL`)
#' @return (`synthesizer`)
#' @noRd
replay <- function(fit, records, refit, seed, call) {
  if (!is.null(refit)) {
    return(check_class(
      refit(records$data), "synthesizer", "The function must give a fit.",
      arg = "refit", call = call
    ))
  }
  # The design, with its scaling of the published predictors, stays.
  model <- unclass(fit)[c(
    "call", "formula", "family", "prior", "response", "design"
  )]
  model <- c(model, records[c("data", "spec")])
  control <- fit$control
  run <- function(weights, censor, stage) {
    model$spec <- weighted_spec(model$spec, model, weights, censor, call)
    settings <- list(
      chains = control$chains, warmup = control$warmup, draws = control$draws,
      seed = stage_seed(seed, stage), threads = control$threads,
      control = control$asked
    )
    made <- run_synthesizer(
      model, weights, censor, settings,
      init = NULL, call = call
    )
    truncate_draws(made, fit$quantile)
  }
  weights <- replay_weights(fit$privacy_weights, records, run, call)
  run(weights, fit$censor, 9)
}

#' The weights' own scheme on other records
#' @param run (function) Fits the records with given weights.
#' @noRd
replay_weights <- function(weights, records, run, call) {
  scheme <- if (is.null(weights)) "none" else attr(weights, "scheme")
  a <- attr(weights, "arguments")
  impossible <- function() {
    abort_input(
      c(
        "These weights cannot be made again for other records.",
        x = "Their scheme is {.val {scheme}}.",
        i = "Give {.arg refit}, a function that makes the fit of a data frame."
      ),
      arg = "refit", call = call
    )
  }
  first <- function(scheme) {
    switch(scheme,
      lipschitz = lipschitz_weights(
        run(NULL, NULL, 1), a$scale, a$shift, a$map, a$quantile %||% 1,
        allow_unconverged = TRUE
      ),
      count = count_weights(
        run(NULL, NULL, 1), NULL, a$radius, a$relative, a$known, a$scale,
        a$shift
      ),
      impossible()
    )
  }
  switch(scheme,
    none = NULL,
    reweighted = reweighted_weights(run(first(a$of), NULL, 2), a$k),
    truncated = truncate_weights(
      run(first(a$of), NULL, 2), a$epsilon,
      allow_unconverged = TRUE
    ),
    frozen = , two_stage = ,
    public_scalar = stats::predict(freeze(weights), records$data),
    user = if (is.null(records$alpha)) {
      impossible()
    } else {
      as_privacy_weights(records$alpha, nrow(records$data))
    },
    first(scheme)
  )
}
