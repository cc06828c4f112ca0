# Weighted-e: Lipschitz weights, records above the target dropped.

#' @rdname mechanisms
#' @export
mechanism_weighted_e <- function(scale = 1, shift = 0,
                                 map = c(
                                   "linear", "inverse", "softmax", "logistic"
                                 ),
                                 quantile = 1, tolerance = 0.02,
                                 max_refits = 10, ...) {
  check_no_dots(..., hint = "See {.help mechanisms}.")
  new_mechanism(definition_weighted_e())
}

definition_weighted_e <- function() {
  mechanism_definition(
    name = "weighted_e", kind = "weighted", label = "asymptotic",
    title = "truncated weights (Weighted-e)",
    does = "Lipschitz weights, records above the target dropped",
    short = "Weighted-e", colour = "#6A3D9A",
    needs = c(epsilon = "Epsilon decides which records are dropped."),
    make = mechanism_weighted_e, from_unweighted = TRUE,
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
