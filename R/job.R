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
    formula, data, family, given$prior, given$response, given$scaling
  )
  run <- lapply(
    formals(fit_synthesizer)[fit_arguments()], eval,
    environment(fit_synthesizer)
  )
  run[names(given)] <- given
  run <- check_run(
    run$chains, run$warmup, run$draws, seed, run$threads, run$control
  )
  choose_sampler(run$control$sampler, model$spec)
  check_public_centre(NULL, given$prior, model)
  tell_published(model)
  structure(
    list(
      formula = formula, data = data, family = family, model = model,
      fit_arguments = given, run = run,
      neighbours = check_choice(neighbours, relation_names), seed = seed,
      allow_unconverged = check_flag(allow_unconverged)
    ),
    class = c("synthesis_job", "pseudosynth_result")
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
  job$mechanism <- mechanism
  job["epsilon"] <- list(check_number(epsilon, above = 0, null = TRUE))
  job$m <- check_count(m, min = 1)
  job["margin"] <- list(margin)
  job["bounds"] <- list(bounds)
  check_epsilon_use(job, definition)
  check_margin_use(job, definition)
  job["budget"] <- list(split_epsilon(job, definition))
  if (!is.null(margin)) check_job_margin(job)
  if (definition$label == "strict") check_response_is_public(job$model$response)
  # Of censored likelihoods and of noise one file must not be told by a refusal
  told <- definition$kind %in% c("censored", "histogram", "scores")
  if (!told || definition$from_unweighted) check_varies(job$model)
  response <- with_bounds(job$model$response, bounds)
  check_public_ends(
    bounds, job$data[[response$variable]], "bounds", response$confirmed
  )
  job <- definition$prepare(job)
  if (!is.null(definition$stages)) {
    check_finite_mean(job$family, response, margin)
  }
  job
}

check_epsilon_use <- function(job, definition) {
  why <- unname(definition$needs["epsilon"])
  if (definition$kind == "censored") {
    why <- "The likelihood is censored by it."
  } else if (definition$kind %in% c("histogram", "scores")) {
    why <- "The noise is scaled by it."
  }
  if (!is.na(why)) check_given(job$epsilon, definition$name, why, "epsilon")
  claims <- definition$kind %in% c("censored", "weighted", "histogram", "scores")
  refuse_if(
    !claims && !is.null(job$epsilon),
    "The mechanism {.val {definition$name}} claims no epsilon.",
    i = "Leave {.arg epsilon} out, or choose another mechanism.",
    arg = "epsilon"
  )
}

check_margin_use <- function(job, definition) {
  if (definition$kind == "histogram") {
    check_given(
      job$margin, definition$name, definition$needs[["margin"]], "bounds"
    )
  } else if (!is.null(job$margin) && !takes_margin(definition)) {
    abort_input(
      "The mechanism {.val {definition$name}} has no margin.",
      i = "Leave {.arg margin}, {.arg bins} and {.arg margin_share} out, or call
           {.fn perturbed_histogram} and {.fn synthesize} yourself.",
      arg = "margin"
    )
  }
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
  share <- if (is.null(job$margin)) {
    0
  } else if (definition$kind == "histogram") {
    1
  } else {
    job$margin$share
  }
  margin <- share * job$epsilon
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

# What stands in `...` of a job: settings of its mechanism, the margin's
# histogram in short, arguments of the fit. Whatever else is refused by name,
# and its value is never printed: it may be a column of the file.

margin_arguments <- c("bounds", "bins", "margin_share")

#' What a job passes on to its fits: all but what it states or makes itself
#' @noRd
fit_arguments <- function() {
  setdiff(names(formals(fit_synthesizer)), c(
    "formula", "data", "family", "privacy_weights", "censor", "seed", "..."
  ))
}

#' Sort arguments by who takes them
#'
#' @param given (list) What stands in `...`; one that is `NULL` is as if it were
#'   left out.
#' @param definitions (list) The mechanisms of the call that are not objects.
#' @param also (character) Further names that the call takes.
#' @return (list) `settings`, `margin`, `fit` and `also`: lists of arguments.
#' @noRd
sort_arguments <- function(given, definitions, also = character()) {
  check_argument_names(given)
  given <- Filter(Negate(is.null), given)
  settings <- unlist(lapply(definitions, settings_of))
  known <- c(settings, margin_arguments, fit_arguments(), also)
  strange <- setdiff(names(given), known)
  if (length(strange) > 0) abort_not_taken(strange, definitions, unique(known))
  take <- function(names) given[intersect(names(given), names)]
  list(
    settings = take(settings), margin = take(margin_arguments),
    fit = take(fit_arguments()), also = take(also)
  )
}

check_argument_names <- function(given) {
  names <- names(given) %||% character(length(given))
  if (!all(nzchar(names))) {
    n <- sum(!nzchar(names))
    abort_input(
      "Arguments in {.arg ...} must be named.",
      x = "{n} of them {?is/are} not.", arg = "..."
    )
  }
  twice <- unique(names[duplicated(names)])
  refuse_if(
    length(twice) > 0, "The argument{?s} {.arg {twice}} must be given once.",
    arg = twice[1]
  )
}

abort_not_taken <- function(strange, definitions, known) {
  told <- vapply(strange, why_not_taken, "", known = known)
  takes <- vapply(definitions, function(definition) {
    own <- settings_of(definition)
    cli::format_inline(
      "The mechanism {.val {definition$name}} takes ",
      if (length(own) > 0) "{.arg {own}}." else "no settings of its own."
    )
  }, "")
  abort_input(
    "{cli::qty(length(strange))}Argument{?s} that nothing here takes:
     {.arg {strange}}.",
    stats::setNames(cli_escape(told), rep("x", length(told))),
    stats::setNames(cli_escape(takes), rep("i", length(takes))),
    i = if (length(takes) == 0) {
      "Settings of a mechanism object are stated where it is made."
    },
    arg = strange[1]
  )
}

#' One line on an argument that is not taken
#' @param known (character) What the call takes.
#' @noRd
why_not_taken <- function(name, known) {
  takers <- names(Filter(function(definition) {
    name %in% settings_of(definition)
  }, mechanisms_with(c("stages", "release"))))
  meant <- nearest_word(name, known)
  if (name %in% names(paper_arguments)) {
    ours <- paper_arguments[[name]]
    cli::format_inline("The papers' {.arg {name}} is called {.arg {ours}}.")
  } else if (length(takers) > 0) {
    cli::format_inline("{.arg {name}} is taken by {.val {takers}}.")
  } else if (name %in% c("privacy_weights", "censor")) {
    cli::format_inline("{.arg {name}} is what the mechanism makes.")
  } else if (length(meant) > 0) {
    cli::format_inline(
      "{.arg {name}} is not known. Did you mean {.arg {meant}}?"
    )
  } else {
    cli::format_inline("{.arg {name}} is not known.")
  }
}

# Mechanisms as they are given -------------------------------------------------

#' A mechanism as the user names it, or as an object
#'
#' @param parts (character) See mechanisms_with().
#' @return A `privacy_mechanism`, or a definition that is still to get its
#'   settings.
#' @noRd
choose_mechanism <- function(x, parts, arg) {
  if (!rlang::is_missing(x) && inherits(x, "privacy_mechanism")) {
    # A word that is refused where it cannot be used
    if (!x$name %in% names(mechanisms_with(parts))) {
      find_mechanism(x$name, parts, arg)
    }
    return(x)
  }
  find_mechanism(rlang::maybe_missing(x), parts, arg)
}

#' Those that are still to get settings
#' @noRd
open_mechanisms <- function(chosen) {
  Filter(Negate(function(x) inherits(x, "privacy_mechanism")), chosen)
}

#' A definition with those of the settings that it takes
#' @noRd
with_settings <- function(chosen, settings) {
  if (inherits(chosen, "privacy_mechanism")) {
    return(chosen)
  }
  own <- intersect(names(settings), settings_of(chosen))
  do.call(chosen$make, settings[own], quote = TRUE)
}

# A checked job from its first fit to its sets.

#' Run a checked job: its stages, its margin, its sets
#' @noRd
finish_job <- function(job, ledger) {
  # Stages with noise write down its cost before they draw it
  job["ledger"] <- list(ledger)
  fits <- run_mechanism(job)
  margin <- job_margin(job)
  # A score release holds no record: what is published is the job's
  own_data <- if (job$mechanism$kind == "scores") job$model$data

  tell_step(paste("Drawing", counted(job$m, "synthetic set")))
  drawn <- draw_sets(
    fits[[length(fits)]], job$m,
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
