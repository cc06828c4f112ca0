# A job: one file, one model, one mechanism and its epsilon, checked as a whole
# before anything is fitted. pseudo_posterior() runs one, compare() one for each
# row.

#' A job without a mechanism, as far as rows of a comparison share it
#'
#' @param given (list) Arguments of [fit_synthesizer()], as far as given.
#' @return A `synthesis_job`: the arguments, `model` (see new_model()), `run`
#'   (see check_run()), `call`.
#' @noRd
new_job <- function(formula, data, family, given, neighbours, seed,
                    allow_unconverged) {
  check_formula(formula)
  check_data_frame(data)
  family <- as_synth_family(family, arg = "family")
  model <- new_model(
    formula, data, family, given$prior, given$response, given$scaling,
    given$survey_weights
  )
  defaults <- formals(fit_synthesizer)[fit_arguments()]
  run <- lapply(defaults, eval, environment(fit_synthesizer))
  run[names(given)] <- given
  run <- check_run(
    run$chains, run$warmup, run$draws, seed, run$threads, run$control
  )
  choose_sampler(run$control$sampler, model$spec)
  check_public_centre(NULL, given$prior, model)
  tell_published(model)
  new_result(
    "synthesis_job",
    formula = formula, data = data, family = family, model = model,
    fit_arguments = given, run = run,
    neighbours = check_argument(neighbours), seed = seed,
    allow_unconverged = check_argument(allow_unconverged)
  )
}

#' The same of a model that was fitted elsewhere: its first fit is there
#' @param model (`external_fit`)
#' @noRd
external_job <- function(model, given, neighbours, seed, allow_unconverged) {
  check_knows_records(model, "formula")
  check_sealed(model, "formula")
  refuse_if(
    !is.null(model$privacy_weights), "A job must start from an unweighted fit.",
    x = "{.arg formula} is a model fitted elsewhere that has weights.",
    i = "Go on from it step by step, with {.fn reweight} and {.fn synthesize}.",
    arg = "formula"
  )
  refuse_if(
    is.null(model$way$refit),
    "{.arg formula} has no function to fit the model again.",
    i = "Give {.fn external_fit} a {.arg refit} function of the weights.",
    arg = "formula"
  )
  refuse_if(
    length(given) > 0,
    "{.arg {names(given)[1]}} does not apply to a model fitted elsewhere.",
    i = "Its {.arg refit} says how it is fitted.", arg = names(given)[1]
  )
  parts <- c("formula", "family", "prior", "response", "design", "data", "spec")
  new_result(
    "synthesis_job",
    formula = model$formula, data = model$data, family = model$family,
    model = c(unclass(model)[c(parts, "tibble")], list(fitted = model)),
    fit_arguments = list(), run = list(chains = 1, draws = n_draws(model)),
    neighbours = check_argument(neighbours), seed = seed,
    allow_unconverged = check_argument(allow_unconverged)
  )
}

#' Refuse a mechanism that fits a model of the package
#' @noRd
check_elsewhere <- function(job, definition) {
  if (is.null(job$model$fitted)) {
    return(invisible(job))
  }
  takes <- function(x) {
    x$from_unweighted && x$kind %in% c("weighted", "no claim")
  }
  able <- names(Filter(takes, mechanisms_with("stages")))
  refuse_if(
    !takes(definition),
    "The mechanism {.val {definition$name}} needs a model of this package.",
    x = "It censors the likelihood, or has none. A model fitted elsewhere can
         only be weighted.",
    i = "Choose {.or {.val {able}}}.", arg = "mechanism"
  )
}

#' Give a job its mechanism and its epsilon
#'
#' @param mechanism (`privacy_mechanism`)
#' @param epsilon (number or `NULL`) The total.
#' @param m (count) Sets.
#' @param margin (`margin_histogram` or `NULL`)
#' @param bounds (two numbers or `NULL`) See with_bounds().
#' @return The job with these and `budget`, see split_epsilon(); its mechanism
#'   has checked the file, too.
#' @noRd
assign_mechanism <- function(job, mechanism, epsilon = NULL, m = 1L,
                             margin = NULL, bounds = NULL) {
  definition <- definition_of(mechanism)
  check_elsewhere(job, definition)
  # A margin's ends are those of the released values
  bounds <- bounds %||% margin_ends(margin)
  job[c("mechanism", "epsilon", "m", "margin", "bounds")] <- list(
    mechanism, check_argument(epsilon, null = TRUE),
    check_argument(m), margin, bounds
  )
  check_epsilon_use(job, definition)
  check_margin_use(job, definition)
  job["budget"] <- list(split_epsilon(job, definition))
  if (!is.null(margin)) check_job_margin(job)
  if (definition$label == "strict") check_response_is_public(job$model$response)
  check_survey_use(job, definition)
  # Of censored likelihoods and of noise one file must not be told by a refusal
  told <- definition$kind %in% c("censored", "histogram", "scores")
  if (!told || definition$from_unweighted) check_varies(job$model)
  response <- with_bounds(job$model$response, bounds)
  y <- job$data[[response$name]]
  check_public_ends(bounds, y, "bounds", response)
  if (is.numeric(y) && claims_epsilon(definition)) {
    check_own_scale(
      facts_of(y), stated_digits(response), response$confirmed, response$name
    )
  }
  job <- definition$prepare(job)
  if (!is.null(definition$stages)) {
    check_finite_mean(job$family, response, margin)
    # Its sets would be refused, after hours and after the margin is paid for
    if (!is.null(job$model$spec)) {
      check_design_not_copied(job$model$spec, job$model$design)
      check_not_copied(
        job$model$spec$y,
        job$model$data[setdiff(names(job$model$data), response$name)]
      )
    }
  }
  job
}

check_epsilon_use <- function(job, definition) {
  noise <- "Epsilon determines the scale of the noise."
  why <- switch(definition$kind,
    censored = "Epsilon sets the interval that the likelihood is censored to.",
    histogram = noise, scores = noise, unname(definition$needs["epsilon"])
  )
  if (!is.na(why)) check_given(job$epsilon, definition$name, why, "epsilon")
  refuse_if(
    !claims_epsilon(definition) && !is.null(job$epsilon),
    "The mechanism {.val {definition$name}} claims no epsilon.",
    i = "Leave {.arg epsilon} out, or choose another mechanism.",
    arg = "epsilon"
  )
}

#' Survey weights are exponents of a likelihood
#' @noRd
check_survey_use <- function(job, definition) {
  survey <- job$model$survey
  refuse_if(
    !is.null(survey) &&
      definition$kind != "no data" &&
      (is.null(definition$stages) || definition$kind == "scores"),
    "The mechanism {.val {definition$name}} takes no survey weights.",
    i = "Survey weights are exponents of a likelihood, which it does not have.
         Leave {.arg survey_weights} out, or choose another mechanism.",
    arg = "survey_weights"
  )
  if (definition$label == "strict") check_survey_is_public(survey)
}

claims_epsilon <- function(definition) {
  definition$kind %in% c("censored", "weighted", "histogram", "scores")
}

check_margin_use <- function(job, definition) {
  if (definition$kind == "histogram") {
    why <- definition$needs[["margin"]]
    check_given(job$margin, definition$name, why, "bounds")
  }
  refuse_if(
    !is.null(job$margin) && !takes_margin(definition),
    "The mechanism {.val {definition$name}} takes no margin.",
    i = "Leave {.arg margin}, {.arg bins} and {.arg margin_share} out, or call
         {.fn perturbed_histogram} and {.fn synthesize} yourself.",
    arg = "margin"
  )
}

#' How the total is spent
#'
#' @return (list) `margin`, `first` and `draw` (of one parameter draw), all
#'   under the job's neighbour relation; `delta`, the bound that a weighted
#'   mechanism has to reach. `NULL` without an epsilon.
#' @noRd
split_epsilon <- function(job, definition = definition_of(job$mechanism)) {
  if (is.null(job$epsilon)) {
    return(NULL)
  }
  share <- job$margin$share
  if (definition$kind == "histogram") share <- 1
  margin <- if (is.null(job$margin)) 0 else share * job$epsilon
  spent <- definition$split(job, job$epsilon - margin)
  list(
    margin = margin, first = spent$first, draw = spent$draw,
    # The claim is 2 bounds for add-remove and 4 for replace
    bound = width_of_epsilon(spent$draw, job$neighbours) / 2
  )
}

#' @export
format.synthesis_job <- function(x, ...) {
  paste0(
    "job of ", format_count(nrow(x$data)), " records",
    if (!is.null(x$mechanism)) paste0(": ", format(x$mechanism)),
    if (!is.null(x$epsilon)) sprintf(", epsilon %s", format(x$epsilon))
  )
}

# It holds the file
print_lines.synthesis_job <- function(x) {
  c(capitalize(format(x)), paste0("  ", confidential_line()))
}

# A checked job from its first fit to its sets.

#' A checked job, as a run
#' @noRd
run_job <- function(job, ledger, seed) {
  carrying_fits(job, seed, function(job) finish_job(job, ledger))
}

#' Run a checked job: its stages, its margin, its sets
#' @noRd
finish_job <- function(job, ledger) {
  # Stages with noise write down its cost before they draw it
  job["ledger"] <- list(ledger)
  fits <- run_mechanism(job)
  last <- fits[[length(fits)]]
  # What would be refused must be so before the margin is paid for
  if (!is.null(job$margin) && inherits(last, "synthesizer")) {
    check_converged(last, job$allow_unconverged)
    check_draws_for(n_draws(last), job$m)
    refuse_uncounted(!is.null(ledger) && !isTRUE(last$converged), "none")
  }
  margin <- job_margin(job)
  # A score release holds no record: what is published is the job's
  own_data <- if (job$mechanism$kind == "scores") job$model$data

  tell_step(paste("Drawing", counted(job$m, "synthetic set")))
  drawn <- draw_sets(
    last, job$m,
    newdata = as_given(own_data, job$model), margin = margin,
    seed = stage_seed(job$seed, "sets"),
    allow_unconverged = job$allow_unconverged, bounds = job$bounds,
    ledger = ledger
  )
  new_pseudo_posterior(
    drawn, fits, job$mechanism$name, job$epsilon, margin, own_data
  )
}

#' @return (list of `synthesizer`) By stage, the last one to be synthesized
#'   from.
#' @noRd
run_mechanism <- function(job) {
  told_already(definition_of(job$mechanism)$stages(job))
}
