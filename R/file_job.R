# The job of a whole file under a mechanism of the papers: one weight a record,
# from what it adds to the regressions of all columns.

#' @param x As the user gave it.
#' @return A `privacy_mechanism` or a definition, see choose_mechanism().
#' @noRd
choose_file_mechanism <- function(x, arg = "mechanism") {
  chosen <- choose_mechanism(x, "stages", arg)
  name <- chosen$name
  offered <- names(Filter(function(definition) definition$files, mechanisms()))
  refuse_if(
    !name %in% offered,
    "For a whole file, {.arg {arg}} must be {.or {.val {offered}}}.",
    x = "It is {.val {name}}.",
    i = if (chosen$kind == "scores") {
      "{.fn file_release} releases whole files by noisy counts and sums, and
       {.fn score_release} releases one column beside published ones."
    } else {
      "{.fn file_release} releases a whole file under a strict epsilon.
       {.fn pseudo_posterior} releases one column under any mechanism."
    },
    arg = arg, class = "pseudosynth_error_mechanism"
  )
  chosen
}

# Chains of each regression where nothing is said: a bound is a maximum over
# their draws
joint_run <- list(chains = 2, warmup = 500, draws = 1000)

#' A job of a whole file, checked before anything is fitted
#'
#' @param chosen See choose_file_mechanism().
#' @param predictors (named list) See sequence_order().
#' @param given (list) What stands in `...`: settings of a mechanism given by
#'   name, the run of the chains.
#' @return A `synthesis_job`, as assign_mechanism() makes it of one column.
#' @noRd
file_job <- function(plan, chosen, epsilon, model, predictors, m, seed,
                     neighbours, given) {
  given <- sort_arguments(
    given, open_mechanisms(list(chosen)), "allow_unconverged"
  )
  check_joint_run(given)
  refuse_if(
    !is.null(model) && !identical(unname(unique(model)), "regression"),
    "Under a mechanism, {.arg model} must be {.val regression}.",
    x = "Trees copy values of records: nothing bounds what one record adds.",
    i = "Leave {.arg model} out, or use the mechanism {.val unweighted}.",
    arg = "model"
  )
  check_confirmed(plan)
  refuse_if(
    !is.null(plan$unit) && is.null(plan$members),
    "Under a mechanism, every record must be a unit of its own.",
    x = "The plan has units of {.val {plan$unit$column}}, but a mechanism only
         bounds what a single record adds.",
    i = "Make the plan with {.arg members}: each unit is then one record. Or use
         {.fn file_release}, which protects units either way. Without
         {.arg unit} the label protects single records only.",
    arg = "plan"
  )
  mechanism <- with_settings(chosen, given$settings)
  refuse_if(
    isTRUE(mechanism$settings$quantile < 1),
    "{.arg quantile} must be 1 for a whole file.",
    x = "Draws are dropped by the bounds of one column, but the bound of a file
         covers all columns.", arg = "quantile"
  )
  run <- utils::modifyList(joint_run, given$fit[names(joint_run)])
  run <- check_run(
    run$chains, run$warmup,
    max(run$draws, if (is.null(given$fit$draws)) ceiling(m / run$chains)),
    seed, given$fit$threads %||% default_threads(),
    given$fit$control %||% sampler_control(progress = FALSE)
  )
  job <- new_result(
    "synthesis_job",
    plan = plan, predictors = predictors, mechanism = mechanism,
    epsilon = check_argument(epsilon, null = TRUE), m = m,
    neighbours = check_argument(neighbours), seed = seed,
    run = run,
    allow_unconverged = check_argument(
      given$also$allow_unconverged %||% FALSE, arg = "allow_unconverged"
    )
  )
  definition <- definition_of(mechanism)
  check_epsilon_use(job, definition)
  check_enough_draws(job, m, "m")
  check_plan_known(mechanism$settings$known, plan)
  if (!is.null(mechanism$settings$risk_sets)) {
    check_enough_draws(job, mechanism$settings$risk_sets, "risk_sets")
  }
  job["budget"] <- list(split_epsilon(job, definition))
  job
}

#' Models, responses and margins of a file are those of the plan
#' @noRd
check_joint_run <- function(given) {
  taken <- c("chains", "warmup", "draws", "threads", "control")
  strange <- c(setdiff(names(given$fit), taken), names(given$margin))
  refuse_if(
    length(strange) > 0,
    "{cli::qty(strange)}Unused argument{?s}: {.arg {strange}}.",
    i = "Models of whole files follow from the codebook.", arg = strange[1]
  )
}

#' Fit all columns by the stages of the job's mechanism
#' @return A `file_synthesizer`, with its `stages`.
#' @noRd
run_file_job <- function(job) {
  plan <- job$plan
  specs <- column_specs(plan$codebook)[names(plan$schema)]
  file <- records_of_plan(plan)
  warn_rare_levels(plan, specs)
  models <- lapply(stats::setNames(nm = names(job$predictors)), function(name) {
    public_regressions(file, name, specs, job$predictors[[name]], plan)
  })
  definition <- definition_of(job$mechanism)
  if (definition$kind != "censored") check_values_vary(models)
  parts <- list(
    plan = plan, predictors = job$predictors, mechanism = job$mechanism$name,
    run = job$run
  )
  job$fit_with <- function(weights, censor) {
    stage <- if (is.null(censor)) "unweighted" else "censored"
    fit_jointly(
      parts, models, weights, censor, stage_seed(job$seed, stage)
    )
  }
  fits <- definition$stages(job)
  fit <- fits[[length(fits)]]
  check_converged(fit, job$allow_unconverged)
  fit$stages <- stage_table(fits)
  # What a figure of the stages shows
  fit$stage_bounds <- lapply(fits, function(fit) {
    unclass(fit)[c("bound", "privacy_weights", "spec")]
  })
  seal(fit)
}

#' Of values that are all equal the density has no bound
#' @noRd
check_values_vary <- function(models) {
  for (name in names(models)) {
    value <- models[[name]]$value
    if (is.null(value) || !is_location(value$amount$family)) next
    y <- value$model$spec$y[value$used]
    refuse_if(
      length(y) > 1 && min(y) == max(y),
      "The values of {.val {name}} must vary.",
      x = "All {length(y)} records with a value have the same one.",
      i = "State it as one of the {.field codes} of the codebook.",
      arg = "plan"
    )
  }
}

# Printing ---------------------------------------------------------------------

joint_lines <- function(x) {
  fits <- all_regressions(x$models)
  c(
    sprintf(
      "Models of a file under one weight per %s: %s from %s",
      if (is.null(x$plan$members)) "record" else "household",
      counted(length(x$models), "column"), records_text(x$plan)
    ),
    field_lines(c(
      order = toString(names(x$models)),
      models = sprintf(
        "%s, %s draws each", counted(length(fits), "regression"),
        format_count(n_draws(x))
      ),
      published = if (length(x$plan$published) > 0) toString(x$plan$published),
      weights = describe_weights(x),
      bound = sprintf(
        "%s; the columns' own bounds add up to %s", describe_bound(x$bound),
        format_figure(sum(column_bounds(x)))
      ),
      label = format(guarantee(x))
    )),
    stage_lines(x$stages),
    confidential_line("Holds the file")
  )
}

#' The bound of each column alone: that of its sums over its regressions
#' @return (named numeric)
#' @noRd
column_bounds <- function(x) {
  vapply(x$models, function(model) {
    max(Reduce(`+`, lapply(regressions_of(model), function(own) {
      own$fit$bound$record
    })))
  }, 1)
}
