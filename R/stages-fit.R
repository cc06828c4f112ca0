# The fits that mechanisms are made of: with a job's arguments and with the seed
# of their stage.

#' Fit a model with the job's arguments
#' @noRd
job_fit <- function(job, stage, ...) {
  finished_stage(stage, call_by_name(fit_synthesizer, c(
    list(formula = job$formula, data = job$data, family = job$family),
    job$fit_arguments, list(...), list(seed = stage_seed(job$seed, stage))
  )))
}

#' The unweighted fit; a comparison makes it once for all mechanisms
#' @noRd
first_fit <- function(job) {
  truncate_draws(
    job[["first"]] %||% unweighted_fit(job),
    job$mechanism$settings$quantile %||% 1
  )
}

#' The stages so far where nothing else is fitted yet
#' @noRd
first_stage <- function(job) {
  list(unweighted = first_fit(job))
}

unweighted_fit <- function(job) {
  tell_step("Fitting the unweighted model")
  job_fit(job, "unweighted")
}

job_update <- function(job, fit, stage, number, ...) {
  finished_stage(stage, truncate_draws(
    update(fit, ..., seed = stage_seed(job$seed, stage, number)),
    job$mechanism$settings$quantile %||% 1
  ))
}

seed_argument <- function(job, stage) {
  if (is.null(job$seed)) NULL else list(seed = stage_seed(job$seed, stage))
}

#' Each set takes a draw of its own: are there enough?
#' @param sets (count)
#' @noRd
check_enough_draws <- function(job, sets, arg) {
  quantile <- job$mechanism$settings$quantile %||% 1
  kept <- sum(keep_draws(seq_len(job$run$chains * job$run$draws), quantile))
  if (sets > kept) {
    abort_input(
      c(
        "Each synthetic set needs a draw of its own.",
        x = "{.arg {arg}} asks for {sets} sets, but a fit keeps {kept}
             draw{?s}.",
        i = "Fit with more {.arg draws}."
      ),
      arg = arg, call = job$call
    )
  }
}

#' The default prior around a reference, unless one is given
#' @noRd
with_centred_prior <- function(job) {
  reference <- job$mechanism$settings$reference
  if (is.null(job$fit_arguments$prior) && !is.null(reference)) {
    job$fit_arguments$prior <- centred_prior(reference)
  }
  job
}
