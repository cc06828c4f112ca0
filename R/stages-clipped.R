# The stages of clipped mechanisms: a rule that fixes the cost of a draw, and a
# fit under it.

#' The rule of a draw's epsilon
#' @param interval (string) See [censor()].
#' @noRd
job_rule <- function(job, interval = "auto") {
  s <- job$mechanism$settings
  censor(
    job$budget$draw,
    neighbours = job$neighbours, interval = interval,
    reference = s$reference, window = s$window
  )
}

clipped_fit <- function(job, rule, weights = NULL) {
  tell_step("Fitting the clipped model")
  job_fit(job, "clipped", privacy_weights = weights, censor = rule)
}

#' The one stage of a mechanism that clips and nothing else
#' @noRd
clipped_stage <- function(job, ...) {
  stats::setNames(list(clipped_fit(job, ...)), job$mechanism$name)
}

#' Does the rule suit the model: its window, its reference, a proper prior?
#' @noRd
prepare_clip <- function(job, rule = job_rule(job)) {
  model <- job$model
  call <- job$call
  model$prior <- resolve_prior(
    job$fit_arguments$prior, job$family, model$design$columns, call
  )
  rule <- resolve_censor(rule, job$family, call)
  if (!is_categorical(job$family)) {
    check_public_centre(rule$reference, job$fit_arguments$prior, model, call)
  }
  spec <- model_spec(model, NULL, rule, call)
  choose_sampler(job$run$control$sampler, spec, call)
  job
}
