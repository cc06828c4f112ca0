# The stages of a job: its fits, their table, their lines.

#' One row per stage
#'
#' Noisy sums have neither bounds over draws nor weights of the file.
#' @noRd
stage_table <- function(fits) {
  rows <- lapply(names(fits), function(stage) {
    fit <- fits[[stage]]
    noisy <- inherits(fit, "score_release")
    label <- if (noisy) guarantee(fit) else label_of_fit(fit, 1)
    epsilon <- label$epsilon[[if (noisy) "total" else "per_draw"]]
    # The weights themselves: a reference's factor is the rule's
    alpha <- if (noisy) NA_real_ else alpha_of(fit)
    data.frame(
      stage = stage, lipschitz_bound = fit$bound$overall %||% NA_real_,
      oscillation = max(fit$bound$oscillation %||% NA_real_),
      alpha_min = min(alpha), alpha_median = stats::median(alpha),
      epsilon_add_remove = epsilon[["add-remove"]],
      epsilon_replace = epsilon[["replace"]], label = label$label,
      converged = if (noisy) NA else isTRUE(fit$converged),
      # A re-weighted stage took all the refits of its search
      seconds = sum(
        fit$reweighting$search$seconds %||% fit$seconds$total %||% NA_real_
      )
    )
  })
  do.call(rbind, rows)
}

stage_lines <- function(stages) {
  # Without draws there is nothing to tell of them
  if (!all(is.na(stages$converged))) {
    paste0("  ", format_table(data.frame(
      stage = stages$stage, bound = stages$lipschitz_bound,
      "2 x bound" = 2 * stages$lipschitz_bound,
      oscillation = stages$oscillation, "min alpha" = stages$alpha_min,
      "median alpha" = stages$alpha_median,
      converged = ifelse(stages$converged, "yes", "NO"), check.names = FALSE
    )))
  }
}

#' What a job repeats of its fits' remarks
#'
#' Noisy sums have none: they know no record. Sets that were drawn have ends
#' wherever their mean needs some.
#' @noRd
remarks_of_model <- function(fit) {
  if (inherits(fit, "synthesizer")) setdiff(fit$remarks, remark_no_mean(fit))
}

#' Lines of remarks, for prints that are confidential
#' @noRd
remark_lines <- function(remarks) {
  wrap_line(sprintf("remark: %s", unlist(remarks)))
}

#' The mechanism of a job in words
#' @noRd
describe_job <- function(x) {
  paste0(
    x$internal$label$title,
    if (!is.null(x$internal$margin)) ", calibrated to a perturbed histogram"
  )
}

#' @param drawn (list) `synthetic` and `label`, see draw_sets().
#' @noRd
new_pseudo_posterior <- function(drawn, fits, mechanism, epsilon, margin,
                                 data = NULL) {
  last <- fits[[length(fits)]]
  new_result(
    "pseudo_posterior",
    synthetic = drawn$synthetic,
    internal = c(
      list(fits = fits, margin = margin, label = drawn$label),
      if (!is.null(data)) list(data = data)
    ),
    stages = stage_table(fits), mechanism = mechanism, m = drawn$synthetic$m,
    epsilon = epsilon,
    remarks = unique(as.character(c(
      unlist(lapply(fits, remarks_of_model)),
      remarks_of_sets(drawn$synthetic, last, data %||% last$data)
    )))
  )
}

# The fits that mechanisms are made of: with a job's arguments and with the seed
# of their stage.

#' Fit the job's model, or do as an exact audit does
#' @noRd
job_fit <- function(job, stage, weights = NULL, censor = NULL) {
  if (!is.null(job$fit_with)) {
    return(job$fit_with(weights, censor))
  }
  if (!is.null(job$model$fitted)) {
    return(finished_stage(job$seed, stage, job$model$fitted))
  }
  run <- job$run
  run["seed"] <- list(stage_seed(job$seed, stage))
  finished_stage(job$seed, stage, fit_model(job$model, weights, censor, run))
}

#' The first stage, an unweighted fit; a comparison makes it once for all
#' mechanisms
#' @noRd
first_stage <- function(job) {
  list(unweighted = truncate_draws(
    job[["first"]] %||% unweighted_fit(job),
    job$mechanism$settings$quantile %||% 1
  ))
}

unweighted_fit <- function(job) {
  tell_step("Fitting the unweighted model")
  job_fit(job, "unweighted")
}

job_update <- function(job, fit, stage, number, ...) {
  finished_stage(job$seed, stage, truncate_draws(
    update(fit, ..., seed = stage_seed(job$seed, stage, number)),
    job$mechanism$settings$quantile %||% 1
  ))
}

#' Each set takes a draw of its own: are there enough?
#' @param sets (count)
#' @noRd
check_enough_draws <- function(job, sets, arg) {
  quantile <- job$mechanism$settings$quantile %||% 1
  kept <- sum(keep_draws(seq_len(job$run$chains * job$run$draws), quantile))
  check_draws_for(kept, sets, arg)
}

#' The default prior around a reference, unless one is given
#' @noRd
with_centred_prior <- function(job) {
  reference <- job$mechanism$settings$reference
  if (is.null(job$fit_arguments$prior) && !is.null(reference)) {
    job$model <- with_prior(job$model, centred_prior(reference))
  }
  job
}

# The stages of weighted mechanisms: the unweighted fit, weights made from it,
# the weighted fit, and the search for weights that reach an epsilon.

#' @param what (string) The weights in words.
#' @param make (function of a job and of the unweighted fit) Gives the weights.
#' @noRd
weighting_stages <- function(job, stage, what, make) {
  fits <- first_stage(job)
  unweighted <- fits[[1]]
  tell_step(paste("Fitting with", what))
  weights <- make(job, unweighted)
  fit <- job_update(job, unweighted, "weighted", 1, privacy_weights = weights)
  if (!is.null(job$budget)) fit <- solve_stage(job, unweighted, fit, weights)
  fits[[stage]] <- fit
  fits
}

#' Weights re-weighted: one stage more
#' @param fits (list) The stages up to the weighted fit.
#' @noRd
final_stages <- function(job, fits) {
  force(fits)
  s <- job$mechanism$settings
  tell_step("Re-weighting")
  fits[[job$mechanism$name]] <- reweight(
    fits[[length(fits)]], s$k, s$tolerance, s$max_refits,
    job$allow_unconverged, seed = stage_seed(job$seed, "reweight")
  )
  fits
}

job_lipschitz_weights <- function(job, fit) {
  s <- job$mechanism$settings
  lipschitz_weights(
    fit, s$scale, s$shift, s$map, allow_unconverged = job$allow_unconverged
  )
}

job_count_weights <- function(job, fit) {
  s <- job$mechanism$settings
  if (inherits(fit, "file_synthesizer")) {
    return(file_count_weights(
      records_of_plan(job$plan), names(job$predictors), s$radius, s$relative,
      s$known, s$scale, s$shift, made_of(fit)
    ))
  }
  count_weights(
    job$model$response$name, job$model$data,
    radius = s$radius, relative = s$relative, known = s$known,
    scale = s$scale, shift = s$shift
  )
}

#' The balls' columns are there, and hold numbers
#' @noRd
prepare_balls <- function(job) {
  variable <- job$model$response$name
  check_known(job$mechanism$settings$known, job$model$data, variable)
  response_values(job$data, variable)
  job
}

# Solving for epsilon ----------------------------------------------------------

#' Scale weights down, or shift them up, to the bound the job asks for
#' @param fit The refit with the weights as they are.
#' @noRd
solve_stage <- function(job, unweighted, fit, weights) {
  ratio <- fit$bound$overall / job$budget$bound
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
  solved <- finished_stage(job$seed, "solve", reach(job, solve_weights(
    unweighted, job$budget$bound, weights, by, s$tolerance, s$max_refits,
    job$allow_unconverged,
    # On a neighbour of an audit the nearest has to do
    below = if (is.null(job$fit_with)) TRUE else NA,
    seed = stage_seed(job$seed, "solve")
  )))
  claim <- claim_of_bound(job, solved$solution$reached)
  if (claim < job$epsilon * (1 - s$tolerance)) {
    tell_of(
      NULL,
      i = "{.val {job$mechanism$name}} claims an epsilon of
           {format_figure(claim)}, less than the {format(job$epsilon)} asked
           for: this is the closest that weights in [0, 1] can reach."
    )
  }
  solved
}

#' The epsilon that a job claims at a bound
#' @noRd
claim_of_bound <- function(job, bound) {
  job$m * 2 * bound * if (job$neighbours == "replace") 2 else 1
}

#' Say an unreachable bound as an epsilon of the whole job
#' @noRd
reach <- function(job, expr) {
  tryCatch(expr, pseudosynth_error_unreachable = function(e) {
    abort_unreached(job, e$nearest, e$search)
  })
}

abort_unreached <- function(job, bound, search = NULL) {
  nearest <- claim_of_bound(job, bound)
  abort_privacy(
    "{.arg epsilon} = {format(job$epsilon)} cannot be reached by
     {.val {job$mechanism$name}}.",
    x = "The nearest value reached is {format_figure(nearest)}.",
    i = "Ask for that value, raise {.arg tolerance} or {.arg max_refits}, or
         choose a censored mechanism, which meets every epsilon.",
    arg = "epsilon",
    class = "pseudosynth_error_unreachable", nearest = nearest, search = search
  )
}

# The stages of censored mechanisms: a rule that fixes the cost of a draw, and a
# fit under it.

#' The rule of a draw's epsilon
#' @param interval (string) See [censor()].
#' @noRd
job_rule <- function(job, interval = "auto", epsilon = job$budget$draw) {
  s <- job$mechanism$settings
  censor(
    epsilon, neighbours = job$neighbours, interval = interval,
    reference = s$reference, window = s$window
  )
}

clipped_fit <- function(job, rule, weights = NULL) {
  tell_step("Fitting the censored model")
  job_fit(job, "censored", weights, resolve_censor(rule, job$family))
}

#' The one stage of a mechanism that censors and nothing else
#' @noRd
clipped_stage <- function(job, ...) {
  stats::setNames(list(clipped_fit(job, ...)), job$mechanism$name)
}

#' Does the rule suit the model: its window, its reference, a proper prior?
#' @noRd
prepare_clip <- function(job, rule = job_rule(job)) {
  model <- job$model
  rule <- resolve_censor(rule, job$family)
  check_public_centre(rule$reference, job$fit_arguments$prior, model)
  choose_sampler(
    job$run$control$sampler, weighted_spec(model$spec, model, NULL, rule)
  )
  job
}

#' A source of its own for each set
#' @param make (function of a job) Gives a source.
#' @noRd
release_independent <- function(job, sets, make, newdata) {
  made <- lapply(seq_len(sets), function(j) {
    job["seed"] <- list(stage_seed(job$seed, "release", j))
    draw_sets(
      suppressMessages(make(job)), 1, newdata,
      seed = stage_seed(job$seed, "sets"), bounds = job$bounds
    )
  })
  list(
    sets = lapply(made, function(drawn) drawn$synthetic[[1]]),
    label = made[[1]]$label
  )
}
