# Weighted-e: Lipschitz weights, records above the target dropped.

definition_weighted_e <- function() {
  mechanism_definition(
    scheme = truncated_scheme(), kind = "weighted", label = "asymptotic",
    does = "Lipschitz weights, records above the target dropped",
    colour = "#6A3D9A",
    needs = c(epsilon = "Epsilon decides which records are dropped."),
    settings = c(lipschitz_settings, search_settings), from_unweighted = TRUE,
    stages = stages_weighted_e
  )
}

stages_weighted_e <- function(job) {
  s <- job$mechanism$settings
  target <- job$budget$bound
  job_unsolved <- job
  job_unsolved["budget"] <- list(NULL)
  fits <- stages_lw(job_unsolved)
  fit <- fits[[length(fits)]]
  above <- function() fit$bound$overall > target * (1 + s$tolerance)
  tell_step("Dropping records above the target")
  for (count in seq_len(s$max_refits)) {
    if (!above()) break
    weights <- if (is.null(job$fit_with)) {
      reach(job, truncate_weights(
        fit, 2 * target, allow_unconverged = job$allow_unconverged
      ))
    } else {
      # On a neighbour of an audit nothing is refused
      truncated_weights(fit, 2 * target)
    }
    fit <- job_update(
      job, fit, "weighted", 1 + count, privacy_weights = weights
    )
  }
  if (is.null(job$fit_with) && above()) abort_unreached(job, fit$bound$overall)
  fits[[job$mechanism$name]] <- fit
  fits
}
