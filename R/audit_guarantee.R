#' Search for the largest privacy loss of a mechanism
#'
#' A label states an epsilon; an audit searches for neighbouring files that
#' break it. For models with up to three parameters it computes the posteriors
#' exactly on a grid, without a sampler. It removes each record in turn,
#' replaces responses by each of a set of values, and computes the weights anew
#' on each neighbour, as the mechanism would. For larger models, the audit of a
#' fit refits weights and posterior on a few neighbours and gives a lower
#' confidence bound on the loss.
#'
#' A release with noise is audited as a whole. The audit computes how far a
#' neighbour can move all noisy numbers together, from the vectors that the
#' release adds up (see [record_vectors()]). For a [score_release()] and a
#' [perturbed_histogram()] it tries the ends of the response. If the noise of a
#' score release is Gaussian, it also runs this noise many times. For a
#' [file_release()] neighbours differ in one record, or in one unit if the plan
#' has units. It tries the records of the file and arbitrary records that the
#' codebook allows. It also runs the release again on neighbouring files, with
#' the same random numbers. No noisy number may then move by more than the
#' release has paid for, and everything else must stay the same.
#'
#' A [fit_file()] under a mechanism is always audited exactly, and a regression
#' with more than three parameters is an error. The audit removes whole records,
#' or replaces them by others that the codebook allows. On each neighbour it
#' makes the weights again, and the bound of a record is the sum of its exact
#' bounds in all regressions. Draws of different regressions are independent, so
#' their log ratios add up. The loss is the largest such sum over all
#' combinations of cells of the regressions' grids.
#'
#' The privacy loss of a draw is \eqn{r(\theta) = \log \xi(\theta | x) -
#' \log \xi(\theta | y)} for the file x and a neighbour y. A mechanism keeps its
#' epsilon if |r| is at most epsilon for every file, every neighbour and every
#' \eqn{\theta}. An audit is about one parameter draw; m sets lose m times as
#' much.
#'
#' @param x A formula, a `synthesizer`, a `score_release`, a `file_release`, a
#'   `perturbed_histogram`, a `file_synthesizer` or a `pseudo_posterior` (its
#'   last fit).
#' @param data,family,prior As in [fit_synthesizer()]. For a [score_release()],
#'   `data` is the file it was made from, or a made-up file with the same
#'   columns. The audit gives each combination of the predictors the two most
#'   extreme responses in turn. For a [perturbed_histogram()], `data` is its
#'   file or its vector. For a [file_release()], `data` is the [file_plan()] it
#'   was made from.
#' @param mechanism (a mechanism, string or function) As in
#'   [pseudo_posterior()]: `mechanism("cw", radius = 0.2)`, for instance, or a
#'   name, see [mechanisms]. All except `"risk"` and `"score"` are allowed. All
#'   stages are repeated on every neighbour. They use exact bounds instead of
#'   maxima over draws, so `quantile` has no effect. If `epsilon` cannot be
#'   reached on a neighbour, the nearest value that can be reached is used
#'   there. A function is called on every neighbour. It gets a data frame and
#'   returns a list with `weights` (numeric, one per record) and, if it censors,
#'   `lower`, `upper` and `centre`.
#' @param epsilon (positive number or `NULL`) The total epsilon of a job with
#'   one set. For a function: the epsilon that it claims for add-remove
#'   neighbours.
#' @param ... For a formula: settings of a mechanism given by name; `bounds`,
#'   `bins` and `margin_share`, as a shorthand for `margin`; `response`,
#'   `scaling` and `survey_weights`. All are as in [pseudo_posterior()]. If
#'   survey weights are divided by their mean, each neighbour's weights are
#'   divided by that neighbour's own mean. For a `pseudo_posterior`: arguments
#'   passed to the audit of its last fit.
#' @param margin As in [pseudo_posterior()]. The histogram's epsilon counts as
#'   spent in full.
#' @param remove (row numbers or `NULL`) The records to remove in turn. Default
#'   `NULL`: all records. If several records are equal, only one of them is
#'   removed.
#' @param replacements (count) About how many replacements to try. Default 48:
#'   six records, from the smallest response to the largest, with eight values
#'   each.
#' @param values (vector or `NULL`) Responses to put in place of a record's own.
#'   Default `NULL`: values over the whole range of the response and, if the
#'   response has no bounds, also values far outside its range.
#' @param cells (count or `NULL`) The number of cells of the grid. Default
#'   `NULL`: about 8,000, 60,000 or 110,000 for one, two or three parameters.
#'   Most cells lie where the posteriors of the file have their mass.
#' @param range (numeric matrix or `NULL`, 2 x number of parameters) The range
#'   of each parameter on the unconstrained scale: coefficients, and the
#'   logarithm of sigma, of size, or of precision - 0.1. Default `NULL`: several
#'   powers of ten beyond the data.
#' @param method (string) `"auto"` (the default: exact if the model allows it,
#'   otherwise sampled), `"exact"` or `"sampled"`.
#' @param neighbours (string) The relation that `epsilon` is for, as in
#'   [pseudo_posterior()].
#' @param files (count) Sampled audit: how many neighbouring files to use. Each
#'   is the file without one record. These records are those with the largest
#'   bounds and those with the most extreme responses. Default 4.
#' @param refit (function or `NULL`) Sampled audit: a function that takes a data
#'   frame and returns a fit. Default `NULL`: refits in the way that `x` was
#'   fitted.
#' @param margin_epsilon (number >= 0) Exact audit of a fit: the add-remove
#'   epsilon of a histogram that calibrates the margin. It counts as spent in
#'   full, as does the first stage of a two-stage fit. Default 0; for a
#'   `pseudo_posterior`, the job's own value is used.
#' @param level (number in (0, 1)) Confidence level of the sampled audit's
#'   bounds. Default 0.95.
#' @param seed (whole number or `NULL`) Seed of the refits. Default `NULL`.
#'
#' @return For a `score_release` or a `perturbed_histogram`, a `score_audit`: a
#'   list with
#'   * `worst` (data frame, a row for each relation): `neighbours`; `claimed`
#'     and `exact`, which are mu, or epsilon for Laplace noise; and `found`, the
#'     lower bound from the runs (of a score release with Gaussian noise);
#'   * `curve` (data frame): `neighbours`, and the error rates `false_positive`
#'     and `false_negative` of a test that tells the two files apart.
#'
#'   For a `file_release`, the same with `replays` instead of `curve`; `found`
#'   is `NA`. `replays`
#'   (data frame, confidential) has a row for each run: `file` (`"own"`, or
#'   `"clones"` for a made-up file of clones), `change` (`"dropped"`, `"added"`
#'   or `"replaced"`), `neighbours`, `moved` and `allowed` (mu), `over` (the
#'   charges that paid for less than the numbers moved) and `differs` (what else
#'   depends on the file). `over` and `differs` are empty strings if the run
#'   kept the guarantee.
#'
#'   For anything else a `guarantee_audit`: a list with
#'   * `worst` (data frame, a row for each relation): `neighbours`, `files` (how
#'     many), `claim`, `loss` (largest |r| over all cells; `Inf` if nothing is
#'     censored, because |r| then has no bound), `loss_bulk` (largest |r| over
#'     the region that holds mass 1 - 1/4000 of the file's posterior, about what
#'     4,000 draws see), `delta` (the largest mass by which one posterior
#'     exceeds exp(claim) times the other; `NA` for a `fit_file()` of more than
#'     two regressions whose loss exceeds the claim) and `ratio` (`loss` /
#'     `claim`).
#'     `error_loss`, `error_bulk` and `error_delta` say how much these figures
#'     change on a grid with twice the step;
#'   * `losses` (data frame, confidential): a row for each neighbouring file,
#'     with the same figures except `files` and `ratio`. Each row also has
#'     `record` (row number), `value` (what was put in the record's place) and
#'     `limit` (an upper limit on the loss). If all weights change, `limit` is
#'     epsilon (1 + sum rho_j), or epsilon (2 + sum rho_j) for a replaced
#'     record, see [count_weights()];
#'   * `mechanism`, `epsilon`, `method`, `model`, `n_records`, `bound` (the
#'     Lipschitz bound), `grid` (`cells`, `range`), `claimed` (`"epsilon"`, or
#'     `"2 x bound"` if nothing is censored), `seconds`.
#'
#'   In a sampled audit, `worst` has `loss` (lower confidence bound),
#'   `estimate` and `visible` (the largest loss that this number of draws could
#'   have shown) instead of the figures from the grid. `as.data.frame()` gives
#'   `worst`; `plot()` shows the losses of all neighbours and the claim.
#'
#' @section Privacy:
#' An audit never shows that a mechanism is private. It shows the largest loss
#' found on one file and its neighbours; losses found are real, up to the error
#' stated. Files built to break a mechanism show far larger losses than ordinary
#' ones, see [worst_case_data()]. The audit is confidential unless the file is
#' made up.
#' @section Error types:
#' `pseudosynth_error_input`: a model with more than three parameters and
#' `method = "exact"`, an unknown or missing setting, or a grid larger than the
#' memory available (option `pseudosynth.memory`, in bytes).
#' `pseudosynth_error_privacy`: a fit that has not converged.
#' `pseudosynth_error_sampler`: the grid does not resolve a posterior, because
#' using every second point gives another result or the range cuts it off.
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55),
#' Theorem 1. Hu, Williams and Savitsky, Mechanisms for global differential
#' privacy under Bayesian data synthesis, equations 3.5 and 3.6.
#' @seealso [worst_case_data()], [guarantee()]
#' @examples
#' file <- data.frame(y = c(0.1, 0.2, 0.2, 0.4, 0.9))
#' audit <- audit_guarantee(y ~ 1, file, gaussian(),
#'   mechanism = mechanism("censor_uw"), epsilon = 1,
#'   prior = prior_normal(intercept = c(0, 2)), replacements = 8, cells = 4000
#' )
#' audit
#' audit$worst
#' @export
audit_guarantee <- function(x, ...) {
  check_present(x)
  UseMethod("audit_guarantee")
}

#' @rdname audit_guarantee
#' @export
audit_guarantee.default <- function(x, ...) {
  check_that(
    FALSE, x, "{.arg x} must be a formula, a {.cls synthesizer}, a
     {.cls file_synthesizer}, a {.cls score_release}, a {.cls file_release} or a
     {.cls pseudo_posterior}."
  )
}

#' @rdname audit_guarantee
#' @export
audit_guarantee.formula <- function(x, data, family, mechanism, epsilon = NULL,
                                    ...,
                                    neighbours = c("add-remove", "replace"),
                                    margin = NULL, prior = NULL,
                                    remove = NULL, replacements = 48,
                                    values = NULL, cells = NULL,
                                    range = NULL) {
  check_present(family)
  check_present(mechanism)
  chosen <- if (!is.function(mechanism)) {
    list(choose_mechanism(mechanism, "grid", "mechanism"))
  }
  given <- sort_arguments(
    c(list(prior = prior), given_dots(...)), open_mechanisms(chosen)
  )
  drawn <- setdiff(names(given$fit), c(
    "prior", "response", "scaling", "survey_weights"
  ))
  refuse_if(
    length(drawn) > 0, "An exact audit has no draws: leave out {.arg {drawn}}.",
    arg = drawn[1]
  )
  job <- suppressMessages(
    new_job(x, data, family, given$fit, neighbours, NULL, FALSE)
  )
  mechanism <- if (is.function(mechanism)) {
    check_argument(epsilon)
    refuse_if(
      !is.null(margin) || length(given$margin) > 0,
      "A mechanism given as a function has no margin.",
      i = "Leave {.arg margin}, {.arg bounds}, {.arg bins} and
           {.arg margin_share} out.",
      arg = "margin"
    )
    function_mechanism(mechanism, epsilon)
  } else {
    job <- assign_mechanism(
      job, with_settings(chosen[[1]], given$settings), epsilon,
      margin = resolve_margin(margin, given$margin, takes_margin(chosen[[1]])),
      bounds = given$margin$bounds
    )
    job_mechanism(job)
  }
  exact_audit(job$model, mechanism, remove, replacements, values, cells, range)
}

#' @rdname audit_guarantee
#' @export
audit_guarantee.synthesizer <- function(x,
                                        method = c("auto", "exact", "sampled"),
                                        files = 4, refit = NULL, level = 0.95,
                                        seed = NULL, remove = NULL,
                                        replacements = 48, values = NULL,
                                        cells = NULL, range = NULL,
                                        margin_epsilon = 0, ...) {
  check_no_dots(..., hint = "See {.fn audit_guarantee}.")
  check_number(margin_epsilon, min = 0)
  method <- check_choice(method, c("auto", "exact", "sampled"))
  small <- isTRUE(count_parameters(x$spec) <= 3) &&
    !(x$prior$kind == "hierarchical" && x$spec$n_columns > 1)
  if (method == "auto") {
    method <- if (small && is.null(refit)) "exact" else "sampled"
  }
  if (method == "sampled") {
    return(sampled_audit(x, files, refit, level, seed))
  }
  exact_audit(
    unclass(x), fit_mechanism(x, margin_epsilon), remove, replacements, values,
    cells, range
  )
}

#' @rdname audit_guarantee
#' @export
audit_guarantee.pseudo_posterior <- function(x, ...) {
  if (inherits(final_fit(x), "score_release")) {
    return(audit_guarantee(final_fit(x), job_data(x), ...))
  }
  margin <- x$internal$margin
  spent <- if (is.null(margin)) {
    0
  } else {
    own_cost(histogram_measurement(margin))$epsilon[["add-remove"]]
  }
  audit_guarantee(final_fit(x), margin_epsilon = spent, ...)
}

exact_audit <- function(model, mechanism, remove, replacements, values, cells,
                        range) {
  started <- proc.time()[["elapsed"]]
  parameters <- count_parameters(model$spec)
  refuse_if(
    !isTRUE(parameters <= 3),
    "An exact audit needs a model with at most three parameters.",
    x = if (is.na(parameters)) "Mixtures and categorical responses have more.",
    x = if (!is.na(parameters)) "This one has {parameters}.",
    i = "Audit the fit with {.code method = \"sampled\"}.", arg = "x"
  )
  check_count(cells, min = 8, null = TRUE)
  check_audit_range(range, parameters)
  files <- audit_neighbours(model, remove, replacements, values)
  found <- audit_on_grid(model, mechanism, files, cells, range)
  losses <- found$losses
  mechanism <- found$mechanism
  values <- files$values
  shown <- if (is.numeric(values)) {
    vapply(values, format, "", digits = 4)
  } else {
    as.character(values)
  }
  losses$value <- shown[losses$value]
  new_result(
    "guarantee_audit",
    worst = worst_losses(losses), losses = losses,
    mechanism = mechanism$name, epsilon = mechanism$epsilon, method = "exact",
    model = format_audit_model(model), n_records = length(model$spec$y),
    bound = found$bound, one_off = mechanism$one_off,
    claimed = if (is.null(mechanism$width)) "2 x bound" else "epsilon",
    grid = list(cells = found$cells, range = found$range),
    seconds = proc.time()[["elapsed"]] - started
  )
}

check_audit_range <- function(range, parameters) {
  good <- is.null(range) || (is.numeric(range) && !is.object(range) &&
    length(range) == 2 * parameters && all(is.finite(range)) &&
    all(apply(matrix(range, 2), 2, diff) > 0) &&
    (parameters == 1 || is.matrix(range)))
  refuse_if(
    !good, "{.arg range} must be a matrix with one column for each of the
     {parameters} parameter{?s}, and two rows: the smaller number first.",
    x = "It is {describe_type(range)}.", arg = "range"
  )
}

# Which neighbours an exact audit looks at. Internal.

#' @return (list) `table` (data frame): `neighbours`, `record` (row number),
#'   `value` (index into `values`, NA for a removal); `values`: responses in
#'   their own unit.
#' @noRd
audit_neighbours <- function(model, remove, replacements, values) {
  remove <- check_index(remove, length(model$spec$y))
  replacements <- check_count(replacements)
  # Equal records have equal neighbours
  key <- keys_of_records(records_of_spec(model$spec))
  remove <- remove[!duplicated(key[remove])]
  table <- data.frame(
    neighbours = "add-remove", record = remove, value = NA_integer_
  )
  values <- check_audit_values(values %||% audit_values(model), model)
  if (replacements > 0) {
    take <- max(1, round(replacements / min(8, length(values))))
    # Distinct records, from the smallest response to the largest
    rows <- order(model$spec$y)
    rows <- rows[!duplicated(key[rows])]
    take <- min(take, length(rows))
    rows <- rows[unique(round(seq(1, length(rows), length.out = take)))]
    pairs <- expand.grid(value = seq_along(values), record = rows)
    same <- response_forward(model$response, values)[pairs$value] ==
      model$spec$y[pairs$record]
    pairs <- pairs[!same, ]
    if (nrow(pairs) > 0) {
      table <- rbind(table, data.frame(
        neighbours = "replace", record = pairs$record, value = pairs$value
      ))
    }
  }
  list(table = table, values = values)
}

#' Responses over the whole range, in their own unit
#' @noRd
audit_values <- function(model) {
  response <- model$response
  y <- model$spec$y
  switch(model$spec$family,
    bernoulli = unique(model$data[[response$name]]),
    poisson = , neg_binomial = unique(c(
      0, 1, round(stats::quantile(y, c(0.25, 0.5, 0.75), names = FALSE)),
      max(y) * c(1, 2, 10) + c(0, 1, 10)
    )),
    beta = response$bounds[1] + diff(response$bounds) *
      c(0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99, 0.999),
    {
      spread <- max(stats::IQR(y) / 1.35, diff(range(y)) / 20)
      z <- stats::median(y) + spread * c(-30, -5, -1.5, -0.3, 0.3, 1.5, 5, 30)
      values <- unique(as.double(response_inverse(response, z)))
      values[is.finite(response_forward(response, values))]
    }
  )
}

check_audit_values <- function(values, model) {
  z <- or_else(response_forward(model$response, values), NA_real_)
  inside <- is.finite(z) & switch(model$spec$family,
    beta = z > 0 & z < 1,
    poisson = , neg_binomial = z >= 0 & z == round(z),
    bernoulli = z %in% c(0, 1),
    TRUE
  )
  refuse_if(
    length(values) == 0 || !all(inside),
    "{.arg values} must be values that the response can take under its family.",
    arg = "values"
  )
  unique(values)
}

#' Make files that break mechanisms
#'
#' Makes files on which mechanisms show larger privacy losses than on ordinary
#' files. There are three designs:
#' * `"clones"`: n - 1 equal records and one other. They reach the limit of
#'   censoring: a removal costs the whole width of the interval, a replacement
#'   twice that.
#' * `"clusters"`: two groups of clones close to each other, and an outlier. The
#'   outlier sets the largest Lipschitz bound. When it is removed, the min-max
#'   map of Lipschitz weights moves one group from a weight near 1 to 0.
#' * `"bounds"`: one record in the middle of the range, and half of the other
#'   records at each end.
#'
#' @param design (string) `"clones"` (default), `"clusters"` or `"bounds"`.
#' @param n (count) The number of records, at least 3. Default 200.
#' @param value,second,outlier (numbers) `value` is the value of the clones, or
#'   of the first group. `second` is the value of the second group, and
#'   `outlier` that of the odd record in `"clones"` and `"clusters"`. The
#'   defaults suit a response in (0, 1).
#' @param share (number in (0, 1)) The share of the clustered records that is in
#'   the first group of `"clusters"`. Default 0.25.
#' @param bounds (two numbers) The ends for `"bounds"`. Default 0.001 and 0.999.
#' @param variable (string) The column's name. Default `"y"`.
#' @return (data frame) One numeric column; the odd record is the last. It holds
#'   no confidential value.
#' @section Error types: `pseudosynth_error_input` for an argument out of range;
#' `pseudosynth_error_memory` for more records than there is memory for.
#' @seealso [audit_guarantee()]
#' @examples
#' worst_case_data("clusters", n = 10)
#' @export
worst_case_data <- function(design = c("clones", "clusters", "bounds"),
                            n = 200, value = 0.5, second = 0.52,
                            outlier = 0.9995, share = 0.25,
                            bounds = c(0.001, 0.999), variable = "y") {
  design <- check_choice(design, c("clones", "clusters", "bounds"))
  n <- check_argument(n, min = 3)
  check_number(value)
  check_number(second)
  check_number(outlier)
  check_argument(share)
  check_string(variable)
  check_bounds(bounds)
  # With its copies
  check_memory(32 * as.double(n), "The file", "n")
  first <- min(max(round(share * (n - 1)), 1), n - 2)
  half <- (n - 1) %/% 2
  y <- switch(design,
    clones = rep(value, n - 1),
    clusters = rep(c(value, second), c(first, n - 1 - first)),
    bounds = rep(bounds, c(half, n - 1 - half))
  )
  odd <- if (design == "bounds") mean(bounds) else outlier
  stats::setNames(data.frame(c(y, odd)), variable)
}
