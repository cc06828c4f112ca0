#' Fit a synthesizer
#'
#' Fits a Bayesian model of a confidential response given published predictors.
#' Each record's likelihood is raised to its privacy weight; without weights
#' this is the ordinary posterior. The fit also holds the Lipschitz bound of
#' each record.
#'
#' Arguments are never looked up in `data`: a column named `chains` has no
#' effect.
#'
#' Categorical predictors (factors, characters, logicals) get treatment
#' contrasts, named as by [stats::model.matrix()], beside the first level that
#' the file has: beside an empty one nothing could be estimated. Numeric
#' predictors are
#' centred and scaled by their own mean and standard deviation, which are public
#' like the predictors themselves, or by `scaling`. `.` stands for all other
#' columns. A column that the formula removes, as in `. - id`, is neither read
#' nor published.
#'
#' @param formula (formula) The response and its predictors. The left side is
#'   the variable itself, or `log()`, `log1p()`, `sqrt()`, `asinh(y)` or
#'   `asinh(y / constant)` of it, with a public constant. Counts, proportions
#'   and yes/no are not transformed. Model, bound and label are on the
#'   transformed scale; synthetic values are in the variable's own unit. Factors
#'   keep their levels; for decimals see `response`. The right side may use
#'   columns, bare numbers and those functions of R's own packages that read
#'   nothing but their arguments: arithmetic, comparison, rounding, `log()` and
#'   similar, text, dates, `cut()`, `factor()`, `poly()`, `ns()`, `bs()`. If you
#'   need any other function, first compute a column with it.
#'   `offset(log(exposure))` adds a number of each record to its linear
#'   predictor, see the section on offsets. Numbers in the formula are public. A
#'   number of four or more digits is refused if it equals the response's mean,
#'   a quartile or another simple statistic of it. The same applies to numbers
#'   in `prior` and in the `reference` of [censor()], see [public_response()].
#' @param data (data frame) The confidential file with one row per record, at
#'   least two, and no missing values in the columns used. A column with a class
#'   that is not base R's is refused if it is used; otherwise the class is
#'   removed.
#' @param family (family; default [student_t()]) [stats::gaussian()],
#'   [lognormal()], [student_t()] or [normal_mixture()] for continuous
#'   responses, [neg_binomial()] or [stats::poisson()] for counts,
#'   [beta_response()] for a response between public bounds, [bernoulli()] or
#'   [stats::binomial()] for yes/no, [categorical()] for levels.
#'   `vignette("choosing-a-synthesizer")` helps to choose. The default converges
#'   on skewed amounts such as log income.
#' @param prior (`synth_prior` or `NULL`) See [priors]. Public numbers only.
#'   Default `NULL`: [prior_shared()] for the mixture, [prior_beta_mean()] for
#'   [beta_response()] without predictors, [prior_normal()] for [categorical()],
#'   otherwise [prior_hierarchical()].
#' @param privacy_weights ([privacy_weights], one number, a vector of N numbers
#'   in \[0, 1\], or `NULL`) The weight of each record; one number is the weight
#'   of all. No strict label rests on numbers given by hand, because their
#'   origin is unknown: state a public weight by [public_scalar()]. These are
#'   not survey weights, see `survey_weights`. Default `NULL`: weight 1 for all.
#' @param censor (`censoring_rule` or `NULL`) A rule made by [censor()] that
#'   censors what each record contributes. Default `NULL`: nothing is censored.
#' @param chains (count; default 4) Markov chains. Each has its own random
#'   stream.
#' @param warmup,draws (counts; default 1000) `warmup` is the number of
#'   iterations that each chain drops. `draws` is the number that it keeps, at
#'   least 8.
#' @param seed (whole number from 0 to 2^53 or `NULL`) With a seed, the same
#'   call gives the same draws. Such a fit is marked reproducible, and nothing
#'   made from it is for release. R's own random numbers are never used. Default
#'   `NULL`: the operating system's entropy.
#' @param threads (count) Parallel threads. Default: the option
#'   `pseudosynth.threads`, or two. Results do not depend on it.
#' @param control (`sampler_control`) See [sampler_control()].
#' @param response ([public_response()] or `NULL`) What is publicly known about
#'   the response's values: decimals, labels, bounds. Default `NULL`: nothing.
#'   Released values are then not rounded under a strict label; under other
#'   labels they keep the decimals and the type of the file's values.
#' @param scaling (list or `NULL`) Public centres and scales of numeric
#'   predictors, for instance `list(age = c(45, 15))`. A transformed predictor
#'   is named by its term, `"log(age)"`. Predictors that are not named, and all
#'   predictors by default (`NULL`), have their own mean and standard deviation.
#'   Public constants give coefficients, their prior and a public `reference` of
#'   [censor()] the same meaning in every file. Without an intercept that could
#'   absorb the shift, a predictor is not centred.
#' @param survey_weights (string, one named number, or `NULL`) The column with
#'   the survey weights: numbers of at least 0, in any unit. Each record's
#'   likelihood is raised to its survey weight divided by the mean of all survey
#'   weights. A named number is public and takes the mean's place:
#'   `c(weight = 1250)` divides the column `weight` by 1,250. A strict label
#'   needs such a number. Default `NULL`: no survey weights. See the section on
#'   survey weights.
#' @param ... Must be empty.
#' @return A `synthesizer`. It is **confidential**: it holds the records, and
#'   bounds, weights and draws made from them. Read it with [summary()],
#'   [lipschitz()], [guarantee()], [as_draws()] and [log_lik()]. `converged`
#'   (flag), `problems` (character) and `diagnostics` (data frame) describe the
#'   chains. `remarks` (character) says where the prior rather than the records
#'   determines the result: collinear predictors, separated or rare outcomes,
#'   categories without records.
#' @section Messages: Before it samples, a fit tells you what [release()] will
#'   refuse (class `pseudosynth_message_published`). One message is about
#'   published columns in which nine of ten records have a value of their own
#'   (`pseudosynth_message_distinct`). Another (`pseudosynth_message_near_copy`)
#'   names columns that, alone or together, nearly determine the response, and
#'   says for which share, see *What is published* in [guarantee()]. A third
#'   names factors with more than 200 levels, or with more than 50 levels and
#'   more than one per ten records, and estimates the time
#'   (`pseudosynth_message_many_levels`). Jobs, score releases and sets from a
#'   histogram give the same messages.
#' @section Offsets: With `visits ~ age + offset(log(exposure))`, the mean of a
#'   count is its exposure times exp(x'b), so coefficients describe visits per
#'   unit of exposure. Every family with one linear predictor accepts offsets,
#'   on the scale of this predictor; several offsets are added up.
#'   [normal_mixture()], [categorical()] and [score_release()] accept none. An
#'   offset is a finite number for each record and depends on that record alone.
#'   It is neither centred nor scaled. Its columns are read and published like
#'   predictors, and new data need them. `.` includes the exposure, which then
#'   also has a coefficient: remove it by `. - exposure`. A prior or `reference`
#'   of the intercept is for records with offset 0.
#' @section Survey weights: With survey weights \eqn{w_i} the fit describes the
#'   population that the records stand for and not the sample. A record
#'   contributes \eqn{\alpha_i (w_i / \bar w) f_i}: its privacy weight, times
#'   its survey weight over the mean, times its log-likelihood. Bounds,
#'   Lipschitz weights, the interval of [censor()] and audits all use this
#'   product, so a record with a large survey weight gets a small privacy
#'   weight. The exponents add up to N. Draws therefore vary as those of N equal
#'   records do, which is too little if the survey weights differ much.
#'
#'   A survey weight is a part of its record and is as confidential as the
#'   response. Its column is not published, and `.` leaves it out; a formula
#'   that names the column publishes it. One record changes the mean of a file
#'   and thereby the exponents of all others. A label is strict only if the
#'   weights are divided by a public number, for instance the size of the
#'   population over the number of records. The label states this divisor.
#'
#'   Score releases, histograms and top-coding do not accept survey weights. For
#'   [normal_mixture()] a record with an exponent above 1 counts as several
#'   equal ones, as heaps do; where survey weights differ much, fewer components
#'   may be needed. Sets keep the file's own predictors: like the file, they
#'   are a sample. [compare()] counts each record of a set once. [utility()]
#'   weights the records of sets that have the column of survey weights.
#'   [file_release()] and [synthesize_file()] draw this column with the rest of
#'   a record.
#' @section Intervals: Quantiles of the draws of a weighted or censored fit,
#'   such as `q5` and `q95` of [summary()][synthesizer], are not intervals for
#'   parameters. They may cover too often or too rarely, see theorem 4 of Hu and
#'   Savitsky, Risk-weighted pseudo posterior. Privacy weights below 1 take away
#'   information that the records have: under one weight of 0.25 for all, draws
#'   spread twice as far. Weights that differ also move the centre, and under
#'   survey weights draws spread too little. For estimates with intervals see
#'   [pool()], whose page says when they hold.
#' @section Invariants: If all weights are 1, the draws equal those of the
#'   unweighted fit with the same seed. A record of weight 0 has no effect. If
#'   all weights are 0, the draws are from the prior.
#' @section Privacy: Only what [synthesize()] makes is meant to leave the
#'   agency, under the label that [guarantee()] states.
#' @section Error types: `pseudosynth_error_input` for data, a formula or an
#'   argument that cannot be used. The condition's field `rows` holds the rows
#'   at fault; the message never does. `pseudosynth_error_sampler` if a chain
#'   cannot run. A fit that has not converged is returned with the warning
#'   `pseudosynth_warning_convergence`, and later steps refuse it.
#' @references Savitsky, Williams and Hu (2022), "Bayesian Pseudo Posterior
#'   Mechanism under Asymptotic Differential Privacy", Journal of Machine
#'   Learning Research 23. Savitsky and Toth (2016), "Bayesian estimation under
#'   informative sampling", Electronic Journal of Statistics 10, equation 4, for
#'   survey weights as exponents; Hu, Savitsky and Williams (2021), "Private
#'   tabular survey data products through synthetic microdata generation",
#'   arXiv 2101.06188.
#' @seealso [lipschitz_weights()], [update.synthesizer()], [reweight()],
#'   [synthesize()]; [pseudo_posterior()] for the whole job in one call.
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age + education, ce, gaussian(),
#'   chains = 2, draws = 1000, seed = 1
#' )
#' fit
#' @export
fit_synthesizer <- function(formula, data, family = student_t(),
                            prior = NULL, privacy_weights = NULL, censor = NULL,
                            chains = 4, warmup = 1000, draws = 1000,
                            seed = NULL, threads = default_threads(),
                            control = sampler_control(), response = NULL,
                            scaling = NULL, survey_weights = NULL, ...) {
  check_no_dots(
    ..., hint = "{.code ?fit_synthesizer} lists the arguments of a model."
  )
  check_formula(formula)
  check_data_frame(data)
  family <- as_synth_family(family)
  censor <- resolve_censor(censor, family)
  model <- new_model(
    formula, data, family, prior, response, scaling, survey_weights
  )
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
  check_class(control, "sampler_control")
  check_argument(seed)
  list(
    chains = check_count(chains, min = 1, max = 1000),
    warmup = check_count(warmup, min = 1, max = 1e7),
    draws = check_count(draws, min = 8, max = 1e7),
    seed = seed, purpose = "fit",
    threads = check_argument(threads), control = control
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
  give_back_memory(length(spec$y))
  fit$bound <- call_core(
    bound_of_draws(spec, fit$draws, run$threads, model$response$label)
  )
  fit$seconds$sampling <- sampled - started
  fit$seconds$total <- proc.time()[["elapsed"]] - started
  seal(fit)
}

check_finite_draws <- function(draws) {
  lost <- rowSums(!is.finite(draws)) > 0
  refuse_if(
    any(lost), "Draws must be finite numbers.",
    x = "{format_count(sum(lost))} of {format_count(length(lost))} draws are not
         finite.",
    i = "The response or a predictor has numbers whose squares are too large
         for R: measure it in another unit.", abort = abort_sampler
  )
}

#' The settings of a run with the defaults that depend on the model
#' @noRd
run_control <- function(run, spec) {
  control <- c(unclass(run$control), list(asked = run$control))
  control$sampler <- choose_sampler(control$sampler, spec)
  if (is.null(control$thin)) {
    control$thin <- default_thin(control$sampler, spec)
    # Coupled pairs, which have random numbers of their own, tell before the
    # chain starts how many sweeps a draw takes: see lagged_pairs.hpp
    if (control$sampler == "surrogate" && !is.null(spec$censor) &&
      spec$prior$kind != "hierarchical") {
      control$most_sweeps <- as.integer(most_sweeps)
    }
  }
  # What other samplers hand over to NUTS has the metric of any model
  control$metric <- if (control$sampler == "nuts" || control$metric != "auto") {
    choose_metric(control$metric, spec)
  } else {
    "diagonal"
  }
  control$adapt_delta <- control$adapt_delta %||%
    if (spec$prior$kind == "hierarchical") 0.95 else 0.8
  control$min_ess <- control$min_ess %||% default_gates(spec$family)$min_ess
  c(control, run[c("chains", "warmup", "draws", "threads")])
}

# One run of the chains, or what an earlier one lacks; diagnosed, without the
# bound.
sample_synthesizer <- function(model, weights, censor, run, control, init,
                               earlier = NULL) {
  spec <- model$spec
  give_back_memory(length(spec$y))
  asked <- if (is.null(earlier)) {
    c(control, list(seed = seed_words(run$seed, run$purpose), init = init))
  } else {
    continued_control(control, earlier, run)
  }
  result <- call_core(sample_chains(spec, asked, run_of(run$seed)))
  result <- finished_part(result, run)
  if (!is.null(earlier)) result <- join_runs(earlier, result, control)
  n_kept <- nrow(result$draws) / run$chains

  columns <- model$design$columns
  draws <- result$draws
  colnames(draws) <- parameter_names(columns, spec, names(model$family$extras))
  hyper <- result$hyper
  if (!is.null(hyper)) colnames(hyper) <- hyper_names(columns, spec)
  monitor <- as.matrix(result$monitor)
  colnames(monitor) <- names(monitor_titles)[seq_len(ncol(monitor))]

  seeded <- is_seeded(run$seed)
  # The same again with the same seed, else a random word
  id <- if (seeded) hashed_id(draws, given_seed(run$seed))
  fit <- structure(
    c(model, list(
      id = id %||% new_charge_id(run$seed), draws = draws, hyper = hyper,
      chain = rep(seq_len(run$chains), each = n_kept),
      monitor = monitor, sampler = result$sampler, sweeps = result$sweeps,
      state = result$state,
      diagnostics = NULL, converged = NA, problems = character(),
      remarks = character(), privacy_weights = weights, censor = censor,
      bound = NULL, dropped = 0L, quantile = 1, control = control,
      seed_given = seeded ||
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
  refuse_if(
    each < 8, "The run was interrupted before every chain had draws to keep.",
    i = "Nothing is returned. If the job has a {.arg checkpoint}, continue it
         with {.fn resume}.",
    abort = abort_sampler, class = "pseudosynth_error_interrupt"
  )
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

hyper_names <- function(columns, spec) {
  names <- switch(spec$prior$kind,
    hierarchical = sprintf("tau[%s]", columns),
    shared = c(sprintf("tau[%s]", columns), sprintf("m[%s]", columns)),
    character()
  )
  c(names, if (spec$family == "normal_mixture") "gamma")
}

# What the core says of each draw, in its order
monitor_titles <- c(
  log_lik = "Weighted log-likelihood", q1 = "Predictive 1%",
  q5 = "Predictive 5%", q25 = "Predictive 25%", q50 = "Predictive median",
  q75 = "Predictive 75%", q95 = "Predictive 95%", q99 = "Predictive 99%"
)

# Draws of the response --------------------------------------------------------

#' Responses drawn at a fit's parameter draws
#'
#' By the core for a model of the package, by the user's own function for a
#' model fitted elsewhere. Sets, local databases and measures of risk all come
#' from here.
#' @param rows (integer) Rows of the fit's draws, one for each set.
#' @param spec (list) Of the records, see newdata_spec().
#' @param words (four words) Of the seed.
#' @param given_value (flag) Are clusters drawn given the record's value?
#' @return (matrix, records x rows) On the modelled scale.
#' @noRd
values_at_draws <- function(fit, rows, spec, words, given_value = FALSE,
                            threads = 0L) {
  if (inherits(fit, "external_fit")) {
    return(external_values(fit, rows, spec$data, words))
  }
  synthesize_(
    spec, fit$draws[rows, , drop = FALSE], words, as.integer(given_value),
    threads
  )
}
