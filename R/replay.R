# Make a fit again on other records, its weights included: what audits and
# replicate studies do to a mechanism. Internal.

#' @param records (list) `data` and `spec` of the other records, and `alpha`
#'   (their weights, for weights given by hand; `NULL` if they have none).
#' @param refit (function or `NULL`) The user's way: a fit of a data frame.
#' @param seed (count or `NULL`)
#' @return (`synthesizer` or `external_fit`)
#' @noRd
replay <- function(fit, records, refit, seed) {
  if (!is.null(refit)) {
    return(check_knows_records(refit(records$data), "refit"))
  }
  if (inherits(fit, "external_fit")) {
    return(replay_external(fit, records, seed))
  }
  # The design, with its scaling of the published predictors, stays.
  model <- c(model_of_fit(fit), records[c("data", "spec")])
  model$survey <- survey_of_file(model$survey, records$data)
  model$spec$survey <- survey_exponents(model$survey, records$data)
  control <- fit$control
  run <- function(weights, censor, stage) {
    model$spec <- weighted_spec(model$spec, model, weights, censor)
    settings <- list(
      chains = control$chains, warmup = control$warmup, draws = control$draws,
      seed = stage_seed(seed, "replay", stage), purpose = "fit",
      threads = control$threads, control = control$asked
    )
    made <- run_synthesizer(model, weights, censor, settings, init = NULL)
    truncate_draws(made, fit$quantile)
  }
  weights <- replayed_weights(fit, records, function(weights, stage) {
    run(weights, NULL, stage)
  })
  run(weights, fit$censor, 0)
}

#' @param run (function of weights and a stage) Fits the records.
#' @noRd
replayed_weights <- function(fit, records, run) {
  if (!is.null(fit$privacy_weights)) {
    replay_node(node_of(fit$privacy_weights), records, run = run)
  }
}

#' The same of a model fitted elsewhere, by its refit of other records
#' @noRd
replay_external <- function(fit, records, seed) {
  # Nothing of it is released: no call to find a seed
  fit$way$seeded <- FALSE
  run <- function(weights, stage) {
    made <- refit_external(
      fit, weights, stage_seed(seed, "replay", stage), data = records$data
    )
    truncate_draws(made, fit$quantile)
  }
  run(replayed_weights(fit, records, run), 0)
}
