# A checked job from its first fit to its sets.

#' Run a checked job: its stages, its margin, its sets
#' @noRd
finish_job <- function(job, ledger) {
  # Stages with noise write down its cost before they draw it
  job["ledger"] <- list(ledger)
  fits <- run_mechanism(job)
  margin <- job_margin(job)
  # A score release holds no record: what is published is the job's
  own_data <- if (job$mechanism$kind == "sums") job$model$data

  tell_step("Drawing {job$m} synthetic set{?s}")
  drawn <- draw_sets(
    fits[[length(fits)]], job$m,
    newdata = as_given(own_data, job$model), margin = margin,
    seed = stage_seed(job$seed, "sets"),
    allow_unconverged = job$allow_unconverged, support = job$support,
    ledger = ledger, call = job$call
  )
  new_pseudo_posterior(
    drawn, fits, job$mechanism$name, job$epsilon, margin, own_data
  )
}

#' @return (list of `synthesizer`) By stage, the last one to be synthesized
#'   from.
#' @noRd
run_mechanism <- function(job) {
  told_already(blame(definition_of(job$mechanism)$stages(job), job$call))
}
