#' Fit a synthesizer
#'
#' Fits a Bayesian model of a confidential response given predictors that are
#' published as they are. Each record's likelihood is raised to its privacy
#' weight; without weights this is the ordinary posterior. The record Lipschitz
#' bounds are computed at the end and kept in the fit.
#'
#' Arguments are never looked up in `data`: a column named `chains` changes
#' nothing.
#'
#' Categorical predictors (factors, characters, logicals) get treatment
#' contrasts, under the names [stats::model.matrix()] gives them. Numeric
#' predictors are centred and scaled by their own mean and standard deviation,
#' which are public as the predictors are, or by `scaling`. `.` stands for all
#' other columns; one that the formula takes out again, `. - id`, is neither
#' read nor published.
#'
#' @param formula (formula) The response and its predictors. The left side is
#'   the variable itself, or `log()`, `log1p()`, `sqrt()`, `asinh(y)` or
#'   `asinh(y / constant)` of it, with a public constant; counts, proportions
#'   and yes/no are modelled as they are. Model, bound and label are on that
#'   scale; synthetic values are in the variable's own unit. Factors keep
#'   their levels; for decimals see `response`. The right side may use columns,
#'   bare numbers and functions that read their arguments alone: arithmetic,
#'   comparison, rounding, `log()` and its like, text, dates, `cut()`,
#'   `factor()`, `poly()`, `ns()`, `bs()`, as R's own packages have them. Make a
#'   column of anything else first. `offset(log(exposure))` adds a number of
#'   each record to its linear predictor, see the section on offsets. Numbers
#'   in the formula are public: those of four digits and more that equal the
#'   response's mean, a quartile or another simple statistic of it are refused,
#'   as they are in `prior` and in the `reference` of [censor()], see
#'   [public_response()].
#' @param data (data frame) The confidential file, one row a record, at least
#'   two, without missing values in the columns used. Classes of columns beside
#'   those of base R are taken off, or refused where the column is used.
#' @param family (family; default [student_t()]) [stats::gaussian()],
#'   [lognormal()], [student_t()] or [normal_mixture()] for continuous
#'   responses, [neg_binomial()] or [stats::poisson()] for counts,
#'   [beta_response()] for a response between public bounds, [bernoulli()] or
#'   [stats::binomial()] for yes/no, [categorical()] for levels.
#'   `vignette("choosing-a-synthesizer")` helps to choose. The default's chains
#'   converge on skewed amounts such as log income.
#' @param prior (`synth_prior` or `NULL`) See [priors]. `NULL`, the default, is
#'   [prior_shared()] for the mixture, [prior_beta_mean()] for
#'   [beta_response()] without predictors, [prior_normal()] for [categorical()]
#'   and [prior_hierarchical()] otherwise. Public numbers only.
#' @param privacy_weights ([privacy_weights], one number, a vector of N numbers
#'   in \[0, 1\], or `NULL`) The weight of each record. One number is for all
#'   records; numbers given by hand are of unknown origin, and no strict label
#'   rests on them: state a public one by [public_scalar()]. `NULL`, the
#'   default, is weight 1 for all. These are not survey weights.
#' @param censor (`censoring_rule` or `NULL`) Made by [censor()]: censors what
#'   each record contributes. `NULL`, the default: nothing is censored.
#' @param chains (count; default 4) Markov chains. Each has a random stream of
#'   its own.
#' @param warmup,draws (counts; default 1000) Iterations of each chain that are
#'   thrown away, and draws of each chain that are kept, at least 8.
#' @param seed (whole number from 0 to 2^53 or `NULL`) `NULL`, the default,
#'   takes the operating system's entropy. With a seed the same call gives the
#'   same draws; such a fit is marked reproducible, and what is made from it is
#'   not for release. R's own random numbers are never touched.
#' @param threads (count) Parallel threads; default the option
#'   `pseudosynth.threads`, else two. Results are identical at any number.
#' @param control (`sampler_control`) See [sampler_control()].
#' @param response ([public_response()] or `NULL`) What is publicly known of the
#'   response's values: decimals, labels, bounds. `NULL`, the default, states
#'   nothing: released values under a strict label are then not rounded, others
#'   keep the decimals and the type of the file's.
#' @param scaling (list or `NULL`) Public centres and scales of numeric
#'   predictors, for instance `list(age = c(45, 15))`; a transformed one goes by
#'   its term, `"log(age)"`. `NULL`, the default, and predictors not named:
#'   their own mean and standard deviation. Public constants give coefficients,
#'   their prior and a public `reference` of [censor()] the same meaning in
#'   every file. As with the default, a predictor is not centred where no
#'   intercept could take that up.
#' @param ... Must be empty.
#' @return A `synthesizer`. It is **confidential**: it holds the records, and
#'   bounds, weights and draws that are made from them. Read it through
#'   [summary()], [lipschitz()], [guarantee()], [as_draws()] and [log_lik()];
#'   `converged` (flag), `problems` (character) and `diagnostics` (data frame)
#'   tell how the chains did, `remarks` (character) what the records leave to
#'   the prior: collinear predictors, separated or rare outcomes, categories
#'   without records.
#' @section Messages: Before it samples, a fit tells what [release()] will
#'   refuse (class `pseudosynth_message_published`): published columns whose
#'   values nine of ten records have alone (`pseudosynth_message_distinct`),
#'   columns that alone or together give the response nearly, with the share
#'   (`pseudosynth_message_near_copy`); and factors of more than 200 levels, or
#'   of one for every ten records, with the time that they will cost
#'   (`pseudosynth_message_many_levels`). Jobs, score releases and sets of a
#'   histogram tell the same.
#' @section Offsets: Under `visits ~ age + offset(log(exposure))` a count's mean
#'   is its exposure times exp(x'b): the coefficients are of visits for one unit
#'   of exposure. Every family of one linear predictor takes offsets, on the
#'   scale of that predictor; several add up. [normal_mixture()] and
#'   [categorical()] take none, nor does [score_release()]. The columns of an
#'   offset are read and published like predictors, and new data need them. It
#'   is a finite number of each record alone, neither centred nor scaled. `.`
#'   stands for the exposure, too, which then has a coefficient beside the
#'   offset: take it out by `. - exposure`. A prior or a `reference` of the
#'   intercept is that of records whose offset is 0.
#' @section Invariants: Weights that are all 1 give the draws of the unweighted
#'   fit at the same seed. A record of weight 0 has no effect. With all weights
#'   0 the draws are those of the prior.
#' @section Privacy: Only what [synthesize()] makes is meant to leave the
#'   agency, under the label that [guarantee()] states.
#' @section Error types: `pseudosynth_error_input` for data, formula or argument
#'   that cannot be used; the rows at fault are in the condition's field `rows`
#'   and never in the message. `pseudosynth_error_sampler` when a chain cannot
#'   run. A fit that has not converged is returned with the warning
#'   `pseudosynth_warning_convergence`, and later steps refuse it.
#' @references Savitsky, Williams and Hu (2022), "Bayesian Pseudo Posterior
#'   Mechanism under Asymptotic Differential Privacy", Journal of Machine
#'   Learning Research 23.
#' @seealso [lipschitz_weights()], [update.synthesizer()], [reweight()],
#'   [synthesize()]; [pseudo_posterior()] for the whole job in one call.
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age + education, ce, gaussian(),
#'   chains = 2, draws = 500, seed = 1
#' )
#' fit
#' @export
fit_synthesizer <- function(formula, data, family = student_t(),
                            prior = NULL, privacy_weights = NULL, censor = NULL,
                            chains = 4, warmup = 1000, draws = 1000,
                            seed = NULL, threads = default_threads(),
                            control = sampler_control(), response = NULL,
                            scaling = NULL, ...) {
  check_no_dots(
    ..., hint = "{.code ?fit_synthesizer} lists the arguments of a model."
  )
  check_formula(formula)
  check_data_frame(data)
  family <- as_synth_family(family)
  censor <- resolve_censor(censor, family)
  model <- new_model(formula, data, family, prior, response, scaling)
  if (is.null(censor)) check_varies(model)
  check_public_centre(censor$reference, prior, model)
  tell_published(model)
  run <- check_run(chains, warmup, draws, seed, threads, control)
  fit_model(model, privacy_weights, censor, run)
}

#' Fit a model that is made, under weights and a rule
#' @param weights What `privacy_weights` may be.
#' @param init (matrix or `NULL`) Where chains start.
#' @noRd
fit_model <- function(model, weights, censor, run, init = NULL) {
  weights <- as_privacy_weights(
    weights, length(model$spec$y), arg = "privacy_weights"
  )
  check_weights_records(weights, model$data)
  model$spec <- weighted_spec(model$spec, model, weights, censor)
  run_synthesizer(model, weights, censor, run, init)
}

#' The settings of a run, checked
#' @return (list) `chains`, `warmup`, `draws`, `seed`, `purpose` (see
#'   seed_words()), `threads`, `control`.
#' @noRd
check_run <- function(chains, warmup, draws, seed, threads, control) {
  check_class(
    control, "sampler_control",
    how = "Make one with {.fn sampler_control}.", arg = "control"
  )
  check_seed(seed)
  list(
    chains = check_count(chains, min = 1, max = 1000),
    warmup = check_count(warmup, min = 1, max = 1e7),
    draws = check_count(draws, min = 8, max = 1e7),
    seed = seed, purpose = "fit",
    threads = check_count(threads, min = 1, max = 1024), control = control
  )
}

# Run the chains of a checked model and make the fit, or take the one that a
# checkpoint has.
run_synthesizer <- function(model, weights, censor, run, init) {
  fit <- kept_step(
    run$seed, "fit",
    latest_fit(run$seed, make_synthesizer(model, weights, censor, run, init)),
    complete = function(fit) !fit$interrupted
  )
  latest_fit(run$seed, fit)
  warn_unless_converged(fit)
  fit
}

make_synthesizer <- function(model, weights, censor, run, init) {
  spec <- model$spec
  # Draws, their monitor, and a copy of both while they are put together
  per_draw <- 24 * (spec$n_columns * max(1, spec$K) + 20)
  check_memory(per_draw * run$chains * run$draws, "The draws", "draws")
  control <- run_control(run, spec)
  started <- proc.time()[["elapsed"]]
  fit <- sample_synthesizer(model, weights, censor, run, control, init)
  while (!is.null(other <- next_attempt(fit, run$control))) {
    fit <- sample_synthesizer(
      model, weights, censor, run, other, NULL,
      earlier = if (goes_on(fit, other)) fit
    )
  }
  sampled <- proc.time()[["elapsed"]]
  check_finite_draws(fit$draws)
  fit$bound <- call_core(
    bound_of_draws(spec, fit$draws, run$threads, model$response$label)
  )
  fit$seconds$sampling <- sampled - started
  fit$seconds$total <- proc.time()[["elapsed"]] - started
  seal(fit)
}

check_finite_draws <- function(draws) {
  lost <- rowSums(!is.finite(draws)) > 0
  if (any(lost)) {
    abort_sampler(
      "Draws must be finite numbers.",
      x = "{format_count(sum(lost))} of {format_count(length(lost))} hold
           others.",
      i = "The response or a predictor has numbers whose squares are beyond
           what R can hold: measure it in another unit."
    )
  }
}

#' The settings of a run with the defaults that depend on the model
#' @noRd
run_control <- function(run, spec) {
  control <- c(unclass(run$control), list(asked = run$control))
  control$sampler <- choose_sampler(control$sampler, spec)
  control$thin <- control$thin %||% default_thin(control$sampler, spec)
  control$adapt_delta <- control$adapt_delta %||% default_adapt_delta(spec)
  control$min_ess <- control$min_ess %||% default_gates(spec$family)$min_ess
  c(control, run[c("chains", "warmup", "draws", "threads")])
}

# One run of the chains, or what an earlier one lacks; diagnosed, without the
# bound.
sample_synthesizer <- function(model, weights, censor, run, control, init,
                               earlier = NULL) {
  spec <- model$spec
  asked <- if (is.null(earlier)) {
    c(control, list(seed = seed_words(run$seed, run$purpose), init = init))
  } else {
    continued_control(control, earlier, run)
  }
  result <- call_core(sample_chains(spec, asked, run_of(run$seed)))
  result <- finished_part(result, run)
  if (!is.null(earlier)) result <- join_runs(earlier, result, control)
  n_kept <- nrow(result$draws) / run$chains

  draws <- result$draws
  colnames(draws) <- parameter_names(
    model$design$columns, spec, names(model$family$extras)
  )
  hyper <- result$hyper
  if (!is.null(hyper)) {
    colnames(hyper) <- hyper_names(model$design$columns, spec, ncol(hyper))
  }
  monitor <- as.matrix(result$monitor)
  colnames(monitor) <- monitor_names(ncol(monitor))

  fit <- structure(
    c(model, list(
      # The same again with the same seed, else a random word
      id = if (is_seeded(run$seed)) {
        hashed_id(draws, given_seed(run$seed))
      } else {
        new_charge_id(run$seed)
      },
      draws = draws, hyper = hyper,
      chain = rep(seq_len(run$chains), each = n_kept),
      monitor = monitor, sampler = result$sampler, state = result$state,
      diagnostics = NULL, converged = NA, problems = character(),
      remarks = character(), privacy_weights = weights, censor = censor,
      bound = NULL, dropped = 0L, quantile = 1,
      control = control, seed_given = is_seeded(run$seed) ||
        (!is.null(weights) && is_reproducible(node_of(weights))),
      interrupted = isTRUE(result$interrupted),
      seconds = list(chains = result$seconds)
    )),
    class = c("synthesizer", "pseudosynth_result")
  )
  diagnose(fit)
}

# After an interrupt every chain has finished some draws: keep as many of each.
finished_part <- function(result, run) {
  if (!isTRUE(result$interrupted)) {
    return(result)
  }
  rlang::signal("The chains were interrupted.", "pseudosynth_interrupted")
  completed <- rep_len(as.integer(result$completed), run$chains)
  each <- min(completed)
  # Fewer draws of a chain cannot be diagnosed.
  if (each < 8) {
    abort_sampler(
      "The run was interrupted before every chain had draws to keep.",
      i = "Nothing is returned. A job with a {.arg checkpoint} goes on with
           {.fn resume}.", class = "pseudosynth_error_interrupt"
    )
  }
  n <- nrow(result$draws)
  # Rows of unfinished draws may be there or not.
  room <- completed
  if (n != sum(completed)) room <- rep(n / run$chains, run$chains)
  first <- cumsum(c(0, room))[seq_len(run$chains)]
  kept <- as.vector(outer(seq_len(each), first, `+`))
  parts <- c("draws", "hyper", "monitor")
  result[parts] <- lapply(result[parts], keep_rows, kept, n)
  result$sampler <- lapply(result$sampler, keep_rows, kept, n)
  result
}

hyper_names <- function(columns, spec, n) {
  names <- switch(spec$prior$kind,
    hierarchical = sprintf("tau[%s]", columns),
    shared = c(sprintf("tau[%s]", columns), sprintf("m[%s]", columns)),
    character()
  )
  if (spec$family == "normal_mixture") names <- c(names, "gamma")
  if (length(names) != n) names <- sprintf("hyper[%d]", seq_len(n))
  names
}

monitor_names <- function(n) {
  names <- c("log_lik", "q1", "q5", "q25", "q50", "q75", "q95", "q99")
  if (n > length(names)) {
    names <- c(names, sprintf("monitor[%d]", seq_len(n - length(names))))
  }
  names[seq_len(n)]
}
