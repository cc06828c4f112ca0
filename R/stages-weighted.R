# The stages of weighted mechanisms: the unweighted fit, weights made from it,
# the weighted fit, and the search for weights that reach an epsilon.

#' @param what (string) The weights in words.
#' @param make (function of a job and of the unweighted fit) Gives the weights.
#' @noRd
weighting_stages <- function(job, stage, what, make) {
  fits <- first_stage(job)
  unweighted <- fits[[1]]
  tell_step("Fitting with {what}")
  weights <- make(job, unweighted)
  fit <- job_update(job, unweighted, "weighted", 1, privacy_weights = weights)
  if (!is.null(job$budget)) {
    fit <- solve_stage(job, unweighted, fit, weights)
  }
  fits[[stage]] <- fit
  fits
}

#' Weights re-weighted: one stage more
#' @param fits (list) The stages up to the weighted fit.
#' @noRd
final_stages <- function(job, fits) {
  s <- job$mechanism$settings
  tell_step("Re-weighting")
  fits[[job$mechanism$name]] <- call_by_name(reweight, c(
    list(
      fit = fits[[length(fits)]],
      k = s$k, tolerance = s$tolerance, max_refits = s$max_refits,
      quantile = s$quantile, allow_unconverged = job$allow_unconverged
    ),
    seed_argument(job, "reweight")
  ))
  fits
}

job_lipschitz_weights <- function(job, fit) {
  s <- job$mechanism$settings
  lipschitz_weights(
    fit, s$scale, s$shift, s$map,
    allow_unconverged = job$allow_unconverged
  )
}

job_count_weights <- function(job, fit) {
  s <- job$mechanism$settings
  count_weights(
    fit,
    radius = s$radius, relative = s$relative, known = s$known,
    scale = s$scale, shift = s$shift
  )
}

#' The balls' columns are there, and hold numbers
#' @noRd
prepare_balls <- function(job) {
  s <- job$mechanism$settings
  variable <- job$model$response$variable
  check_known(s$known, job$model$data, variable, call = job$call)
  response_values(job$data, variable, call = job$call)
  job
}

# Solving for epsilon ----------------------------------------------------------

#' Scale weights down, or shift them up, to the bound the job asks for
#' @param fit The refit with the weights as they are.
#' @noRd
solve_stage <- function(job, unweighted, fit, weights) {
  ratio <- fit$bound$overall / job$budget$delta
  if (abs(ratio - 1) <= job$mechanism$settings$tolerance) {
    return(fit)
  }
  tell_step("Solving the weights for epsilon")
  solved_fit(job, unweighted, weights, if (ratio > 1) "scale" else "shift")
}

#' The refit that reaches the bound the job asks for
#' @noRd
solved_fit <- function(job, unweighted, weights, by) {
  s <- job$mechanism$settings
  solved <- finished_stage("solve", reach(job, call_by_name(solve_weights, c(
    list(
      fit = unweighted, target = job$budget$delta, weights = weights,
      by = by, tolerance = s$tolerance, max_refits = s$max_refits,
      quantile = s$quantile, allow_unconverged = job$allow_unconverged,
      below = TRUE
    ),
    seed_argument(job, "solve")
  ))))
  claim <- claim_of_bound(job, solved$solution$reached)
  if (claim < job$epsilon * (1 - s$tolerance)) {
    cli::cli_inform(c(
      i = "{.val {job$mechanism$name}} claims an epsilon of
           {format_figure(claim)}, less than the {format(job$epsilon)} that was
           asked for: no weights between 0 and 1 come nearer."
    ))
  }
  solved
}

#' The epsilon that a job claims at a bound
#' @noRd
claim_of_bound <- function(job, delta) {
  job$m * 2 * delta * if (job$neighbours == "replace") 2 else 1
}

#' Say an unreachable bound as an epsilon of the whole job
#' @noRd
reach <- function(job, expr) {
  tryCatch(expr, pseudosynth_error_unreachable = function(e) {
    abort_unreached(job, e$nearest, e$search)
  })
}

abort_unreached <- function(job, delta, search = NULL) {
  nearest <- claim_of_bound(job, delta)
  abort_privacy(
    c(
      "{.arg epsilon} = {format(job$epsilon)} cannot be reached by
       {.val {job$mechanism$name}}.",
      x = "The nearest that was reached is {format_figure(nearest)}.",
      i = "Ask for that, raise {.arg tolerance} or {.arg max_refits}, or choose
           a clipped mechanism, which meets every epsilon."
    ),
    arg = "epsilon", call = job$call,
    class = "pseudosynth_error_unreachable", nearest = nearest, search = search
  )
}
