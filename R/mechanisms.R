# What pseudo_posterior() runs for each mechanism: how epsilon is split, which
# fits are made in which order, and how weights are solved for a target.

clipped_mechanisms <- c("centred", "censor_uw", "frozen", "two_stage",
  "censor_w")
weighted_mechanisms <- c("lw", "lw_final", "cw", "cw_final", "weighted_e",
  "scalar")
unclaimed_mechanisms <- c("risk", "unweighted")
available_mechanisms <- c(
  clipped_mechanisms, weighted_mechanisms, unclaimed_mechanisms
)

# Those that start from the unweighted fit
needs_unweighted <- c(weighted_mechanisms, "risk", "censor_w")

# Checks -----------------------------------------------------------------------

#' Which argument a mechanism cannot do without
#' @noRd
check_job <- function(job, call = rlang::caller_env()) {
  mechanism <- job$mechanism
  clipped <- mechanism %in% clipped_mechanisms
  need <- function(arg, why) {
    if (is.null(job[[arg]])) {
      abort_input(
        c(
          "The mechanism {.val {mechanism}} needs {.arg {arg}}.",
          i = why
        ),
        arg = arg, call = call
      )
    }
  }
  if (clipped || mechanism == "weighted_e") {
    need("epsilon", "The likelihood is clipped, or records are dropped, by it.")
  }
  switch(mechanism,
    centred = need("reference", "For instance
      {.code list(\"(Intercept)\" = 10.8, sigma = 1)}."),
    frozen = need("rule", "Make one with {.fn freeze}."),
    two_stage = need("weight_range", "Two public numbers: a record with a
      log-likelihood within the first keeps weight 1, beyond the second 0.")
  )
  if (mechanism %in% unclaimed_mechanisms && !is.null(job$epsilon)) {
    abort_input(
      c(
        "The mechanism {.val {mechanism}} claims no epsilon.",
        i = "Leave {.arg epsilon} out, or choose another mechanism."
      ),
      arg = "epsilon", call = call
    )
  }
  if (!clipped && !is.null(job$bounds)) {
    abort_input(
      c(
        "A margin is for clipped mechanisms.",
        x = "{.arg mechanism} is {.val {mechanism}}.",
        i = "Leave {.arg bounds} out, or call {.fn perturbed_histogram} and
             {.fn synthesize} yourself."
      ),
      arg = "bounds", call = call
    )
  }
  if (clipped && job$quantile < 1) {
    abort_input(
      c(
        "Clipped mechanisms keep all draws.",
        x = "{.arg quantile} is {job$quantile}.",
        i = "Which draws are dropped depends on the file."
      ),
      arg = "quantile", call = call
    )
  }
  check_job_classes(job, call)
}

check_job_classes <- function(job, call) {
  if (job$mechanism == "frozen") {
    check_class(
      job$rule, "weight_rule", "Make one with {.fn freeze}.",
      arg = "rule", call = call
    )
  }
  if (job$mechanism == "two_stage") {
    range <- job$weight_range
    if (!is.numeric(range) || length(range) != 2 || !all(is.finite(range))) {
      abort_input(
        c(
          "{.arg weight_range} must be two finite numbers.",
          x = "It is {describe_type(range)}."
        ),
        arg = "weight_range", call = call
      )
    }
  }
  if (!is.null(job$bounds)) {
    check_bounds(job$bounds, call)
  }
}

check_mechanism <- function(mechanism, choices = available_mechanisms,
                            call = rlang::caller_env()) {
  if (rlang::is_missing(mechanism)) {
    abort_input(
      c(
        "{.arg mechanism} must be named: it decides what is promised.",
        i = "Choose one of {.or {.val {choices}}}."
      ),
      arg = "mechanism", call = call
    )
  }
  check_string(mechanism, call = call)
  check_choice(mechanism, choices, call = call)
}

# Epsilon ----------------------------------------------------------------------

#' How the total is spent
#'
#' @return (list) `margin`, `first` and `draw` (of one parameter draw), all
#'   under the job's neighbour relation; `delta`, the bound that a weighted
#'   mechanism has to reach.
#' @noRd
split_epsilon <- function(job) {
  if (is.null(job$epsilon)) {
    return(NULL)
  }
  margin <- if (is.null(job$bounds)) 0 else job$margin_share * job$epsilon
  first <- if (job$mechanism == "two_stage") {
    job$first_share * (job$epsilon - margin)
  } else {
    0
  }
  draw <- (job$epsilon - margin - first) / job$m
  list(
    margin = margin, first = first, draw = draw,
    # The claim is 2 Delta for add/remove-one and 4 Delta for replace-one
    delta = width_of_epsilon(draw, job$neighbours) / 2
  )
}

job_margin <- function(job) {
  if (is.null(job$bounds)) {
    return(NULL)
  }
  cli::cli_progress_step("Perturbing the histogram")
  perturbed_histogram(
    histogram_formula(job$formula, as_synth_family(job$family)), job$data,
    bounds = job$bounds, bins = job$bins, epsilon = job$budget$margin,
    neighbours = job$neighbours, seed = stage_seed(job$seed, 4)
  )
}

#' A family that takes the logarithm itself has a plain left side
#' @noRd
histogram_formula <- function(formula, family) {
  if (family$log_response) {
    formula[[2]] <- call("log", formula[[2]])
  }
  formula
}

# Stages -----------------------------------------------------------------------

#' @return (list of `synthesizer`) By stage, the last one to be synthesized
#'   from.
#' @noRd
run_mechanism <- function(job) {
  switch(job$mechanism,
    unweighted = list(unweighted = first_fit(job)),
    lw = ,
    cw = ,
    risk = weighting_stages(job),
    lw_final = ,
    cw_final = final_stages(job),
    scalar = scalar_stages(job),
    weighted_e = truncated_stages(job),
    clipped_stages(job)
  )
}

#' Fit a model with the job's arguments
#' @noRd
job_fit <- function(job, stage, ...) {
  do.call(fit_synthesizer, c(
    list(job$formula, job$data, job$family), job$fit_arguments, list(...),
    list(seed = stage_seed(job$seed, stage))
  ))
}

#' The unweighted fit; a comparison makes it once for all mechanisms
#' @noRd
first_fit <- function(job) {
  if (!is.null(job[["first"]])) {
    return(job[["first"]])
  }
  cli::cli_progress_step("Fitting the unweighted model")
  truncate_draws(job_fit(job, 0), job$quantile)
}

job_update <- function(job, fit, stage, ...) {
  truncate_draws(
    update(fit, ..., seed = stage_seed(job$seed, stage)), job$quantile
  )
}

#' The weights of a scheme as the user asked for them
#' @noRd
job_weights <- function(job, fit, scheme) {
  switch(scheme,
    lw = lipschitz_weights(
      fit, job$scale, job$shift, job$map,
      allow_unconverged = job$allow_unconverged
    ),
    cw = count_weights(
      fit,
      radius = job$radius, relative = job$relative, known = job$known,
      scale = job$scale, shift = job$shift
    ),
    risk = risk_weights(
      synthesize(
        fit, job$risk_sets,
        seed = stage_seed(job$seed, 5),
        allow_unconverged = job$allow_unconverged
      ),
      fit,
      known = job$known, radius = job$radius, relative = job$relative
    )
  )
}

weighting_stages <- function(job, scheme = job$mechanism) {
  fits <- list(unweighted = first_fit(job))
  cli::cli_progress_step("Fitting with {weights_title(scheme)}")
  weights <- job_weights(job, fits$unweighted, scheme)
  fit <- job_update(job, fits$unweighted, 1, privacy_weights = weights)
  fits[[scheme]] <- if (is.null(job$budget)) {
    fit
  } else {
    solve_stage(job, fits$unweighted, fit, weights)
  }
  fits
}

weights_title <- function(scheme) {
  switch(scheme,
    lw = "Lipschitz weights", cw = "count weights", risk = "risk weights"
  )
}

#' Scale weights down, or shift them up, to the bound the job asks for
#' @param fit The refit with the weights as they are.
#' @noRd
solve_stage <- function(job, unweighted, fit, weights) {
  target <- job$budget$delta
  ratio <- fit$bound$overall / target
  if (abs(ratio - 1) <= job$tolerance) {
    return(fit)
  }
  cli::cli_progress_step("Solving the weights for epsilon")
  solved_fit(job, unweighted, weights, if (ratio > 1) "scale" else "shift")
}

#' The refit that reaches the bound the job asks for
#' @noRd
solved_fit <- function(job, unweighted, weights, by) {
  reach(job, do.call(solve_weights, c(
    list(
      unweighted, job$budget$delta, weights,
      by = by, tolerance = job$tolerance, max_refits = job$max_refits,
      quantile = job$quantile, allow_unconverged = job$allow_unconverged
    ),
    seed_argument(job, 1)
  )))
}

seed_argument <- function(job, stage) {
  if (is.null(job$seed)) NULL else list(seed = stage_seed(job$seed, stage))
}

#' Say an unreachable bound as an epsilon of the whole job
#' @noRd
reach <- function(job, expr) {
  tryCatch(expr, pseudosynth_error_unreachable = function(e) {
    abort_unreached(job, e$nearest, e$search)
  })
}

abort_unreached <- function(job, delta, search = NULL) {
  nearest <- job$m * 2 * delta *
    if (job$neighbours == "replace") 2 else 1
  abort_privacy(
    c(
      "{.arg epsilon} = {format(job$epsilon)} cannot be reached by
       {.val {job$mechanism}}.",
      x = "The nearest that was reached is {format_figure(nearest)}.",
      i = "Ask for that, raise {.arg tolerance} or {.arg max_refits}, or choose
           a clipped mechanism, which meets every epsilon."
    ),
    arg = "epsilon", call = rlang::call2("pseudo_posterior"),
    class = "pseudosynth_error_unreachable", nearest = nearest, search = search
  )
}

final_stages <- function(job) {
  scheme <- sub("_final$", "", job$mechanism)
  fits <- weighting_stages(job, scheme)
  cli::cli_progress_step("Re-weighting")
  fits[[job$mechanism]] <- do.call(reweight, c(
    list(
      fits[[scheme]],
      k = job$k, tolerance = job$tolerance, max_refits = job$max_refits,
      quantile = job$quantile, allow_unconverged = job$allow_unconverged
    ),
    seed_argument(job, 2)
  ))
  fits
}

scalar_stages <- function(job) {
  fits <- list(unweighted = first_fit(job))
  if (is.null(job$budget)) {
    abort_input(
      "The mechanism {.val scalar} needs {.arg epsilon}: the weight is solved
       for it.",
      arg = "epsilon", call = rlang::call2("pseudo_posterior")
    )
  }
  unweighted <- fits$unweighted$bound$overall
  # A weight can only lower the bound
  if (unweighted < job$budget$delta * (1 - job$tolerance)) {
    abort_unreached(job, unweighted)
  }
  cli::cli_progress_step("Solving the scalar weight")
  fits$scalar <- solved_fit(job, fits$unweighted, NULL, "scale")
  fits
}

#' Weighted-e: drop records above the target until none is
#' @noRd
truncated_stages <- function(job) {
  target <- job$budget$delta
  unsolved <- job
  unsolved$budget <- NULL
  fits <- weighting_stages(unsolved, "lw")
  fit <- fits$lw
  cli::cli_progress_step("Dropping records above the target")
  for (count in seq_len(job$max_refits)) {
    if (fit$bound$overall <= target * (1 + job$tolerance)) break
    weights <- reach(job, truncate_weights(
      fit, 2 * target,
      allow_unconverged = job$allow_unconverged
    ))
    fit <- job_update(job, fit, 1 + count, privacy_weights = weights)
  }
  if (fit$bound$overall > target * (1 + job$tolerance)) {
    abort_unreached(job, fit$bound$overall)
  }
  fits$weighted_e <- fit
  fits
}

# Clipped ----------------------------------------------------------------------

clipped_stages <- function(job) {
  switch(job$mechanism,
    censor_uw = list(censor_uw = clipped_fit(job, job_rule(job))),
    centred = {
      job <- with_centred_prior(job)
      list(centred = clipped_fit(job, centred_rule(job)))
    },
    frozen = {
      weights <- predict(job$rule, job$data)
      list(frozen = clipped_fit(job, job_rule(job), weights))
    },
    two_stage = {
      # Clipped around 0 a first stage seldom converges: centred where possible
      if (!is.null(job$reference)) job <- with_centred_prior(job)
      cli::cli_progress_step("Fitting the first stage")
      weights <- do.call(two_stage_weights, c(
        list(
          job$formula, job$budget$first, job$weight_range[1],
          job$weight_range[2], job$data, as_synth_family(job$family),
          neighbours = job$neighbours, reference = job$reference,
          window = job$window
        ),
        seed_argument(job, 0), job$fit_arguments
      ))
      list(two_stage = clipped_fit(job, centred_rule(job), weights))
    },
    censor_w = {
      fits <- list(unweighted = first_fit(job))
      weights <- job_weights(job, fits$unweighted, "lw")
      cli::cli_progress_step("Fitting the clipped model")
      fits$censor_w <- update(
        fits$unweighted,
        privacy_weights = weights, censor = job_rule(job),
        seed = stage_seed(job$seed, 1)
      )
      fits
    }
  )
}

#' The papers' interval, also for counts; a ratio has either sign
#' @noRd
job_rule <- function(job, ...) {
  censor(
    job$budget$draw,
    neighbours = job$neighbours, interval = if (
      job$mechanism %in% c("censor_uw", "censor_w")
    ) "symmetric" else "auto", ...
  )
}

#' Around the reference, where there is one
#' @noRd
centred_rule <- function(job) {
  job_rule(job, reference = job$reference, window = job$window)
}

clipped_fit <- function(job, rule, weights = NULL) {
  cli::cli_progress_step("Fitting the clipped model")
  job_fit(job, 1, privacy_weights = weights, censor = rule)
}

with_centred_prior <- function(job) {
  job$fit_arguments$prior <- job$fit_arguments$prior %||%
    centred_prior(job$reference)
  job
}

#' Slopes N(0, 1), the intercept around the public one
#'
#' What a confidential history says stays out of the prior, which labels print.
#' @noRd
centred_prior <- function(reference) {
  reference <- as_reference(reference)
  if (reference$origin == "history") {
    return(prior_normal(1))
  }
  values <- reference$values
  intercept <- if ("(Intercept)" %in% names(values)) {
    values[["(Intercept)"]]
  } else {
    0
  }
  prior_normal(1, c(intercept, 2.5))
}
