#' Look for the largest privacy loss
#'
#' A label states an epsilon; an audit looks for neighbours that break it. For
#' models with up to three parameters the posteriors are computed exactly on a
#' grid, without a sampler: all removals of a record in turn, replacements by a
#' set of values, and the weights made anew on each neighbour as the mechanism
#' would make them. For larger models [audit_guarantee()] of a fit refits
#' weights and posterior on a few neighbours and gives a lower confidence bound.
#'
#' The privacy loss of a draw is \eqn{r(\theta) = \log \xi(\theta | x) -
#' \log \xi(\theta | y)}, x the file and y a neighbour. A mechanism keeps its
#' epsilon if |r| stays below it for all neighbours of all files and all
#' \eqn{\theta}. An audit is of one parameter draw; m sets lose m times as much.
#'
#' @param x A formula, a `synthesizer`, a `score_release` or a
#'   `pseudo_posterior` (its last fit).
#' @param data,family,prior As in [fit_synthesizer()]. For a [score_release()]
#'   `data` is the file that it was made from, or a made-up one with the same
#'   columns; its record of the longest public vector gets the most extreme
#'   responses in turn.
#' @param mechanism (a mechanism, string or function) As in
#'   [pseudo_posterior()]: an object such as `mechanism_cw(radius = 0.2)` or a
#'   name, see [mechanisms]; all but `"risk"` and `"score"`. The job's stages
#'   are gone through on every neighbour with exact bounds in the place of those
#'   of draws, so that `quantile` has no meaning. Where a neighbour cannot reach
#'   `epsilon`, the nearest counts. Or a function of a data frame that gives a
#'   list with `weights` (numeric, one a record), and `lower`, `upper` and
#'   `centre` for a clip; it is called on every neighbour.
#' @param epsilon (positive number or `NULL`) The total epsilon of a job of one
#'   set; what a function claims for add-remove.
#' @param ... For a formula, settings of a mechanism that is given by its name,
#'   the margin in short (`bounds`, `bins`, `margin_share`), `response` and
#'   `scaling`, as in [pseudo_posterior()]. For a fit, passed to the audit: the
#'   arguments below.
#' @param margin As in [pseudo_posterior()]: the histogram's epsilon is taken as
#'   spent in full.
#' @param remove (row numbers or `NULL`) The records removed in turn; `NULL`,
#'   the default, all of them. Equal records are removed once.
#' @param replacements (count) About how many replacements to try. Default 48:
#'   six records, from the smallest response to the largest, by eight values.
#' @param values (vector or `NULL`) Responses put in place of a record's own.
#'   `NULL`, the default, takes values over the whole range of the response and,
#'   where it has no bounds, far outside.
#' @param cells (count or `NULL`) Cells of the grid; default about 8,000, 60,000
#'   or 110,000 for one, two or three parameters. Most lie where the posteriors
#'   of the file have their mass.
#' @param range (numeric matrix or `NULL`, 2 x number of parameters) How far
#'   parameters are looked at, on the unconstrained scale: coefficients, and the
#'   logarithm of sigma, of size, or of precision - 0.1. The default reaches
#'   several powers of ten beyond the data.
#' @param method (string) `"auto"`, the default: exact where the model allows
#'   it, else sampled; or one of the two.
#' @param neighbours (string) The relation that `epsilon` is for, as in
#'   [pseudo_posterior()].
#' @param files (count) Sampled audit: how many neighbouring files to look at.
#'   Each lacks one record, those of the largest bounds and of the most extreme
#'   responses. Default 4.
#' @param refit (function or `NULL`) Sampled audit: makes the fit of a data
#'   frame. `NULL`, the default, repeats how the fit was made.
#' @param margin_epsilon (number >= 0) Exact audit of a fit: the add-remove
#'   epsilon of a histogram that calibrates the margin, taken as spent in full,
#'   as a two-stage fit's first stage is. Default 0; a `pseudo_posterior` knows
#'   its own.
#' @param level (number in (0, 1)) Of the sampled audit's bounds. Default
#'   0.95.
#' @param seed (whole number or `NULL`) Of the refits. Default `NULL`.
#'
#' A [score_release()] is audited as a whole: the exact law of its sums on the
#' file with the record of the longest public vector dropped, or given either of
#' two extreme responses, and the noise itself run many times.
#'
#' @return For a `score_release` a `score_audit`: a list with `worst` (data
#'   frame by `neighbours`: `claimed` and `exact` mu, for Laplace noise epsilon, and
#'   `found`, the lower bound from runs) and `curve` (`neighbours`,
#'   `false_positive`, `false_negative` of a test that tells the two files
#'   apart). Else a `guarantee_audit`: a list with
#'   * `worst` (data frame, a row for each relation): `neighbours`, `files` (how
#'     many), `claim`, `loss` (largest |r| over all cells; `Inf` where the
#'     density is not censored, because it grows without bound), `loss_bulk`
#'     (largest |r| where the posterior of the file has its mass 1 - 1/4000:
#'     what 4,000 draws see), `delta` (the largest mass by which one posterior
#'     exceeds exp(claim) times the other), `ratio` (`loss` / `claim`), and
#'     `error_loss`, `error_bulk`, `error_delta`: the change from a grid with
#'     twice the step;
#'   * `losses` (data frame, confidential): the same for each neighbouring file,
#'     with `record` (row number), `value` (put in its place) and `limit` (the
#'     bound epsilon (1 + sum rho_j) on what a change of all weights can cost);
#'   * `mechanism`, `epsilon`, `method`, `model`, `n_records`, `bound` (Delta),
#'     `grid` (`cells`, `range`), `claimed` (`"epsilon"`, or `"2 x bound"` where
#'     the papers' index stands for it), `seconds`.
#'
#'   A sampled audit's `worst` has `loss` (lower confidence bound), `estimate`,
#'   `visible` (the largest loss that many draws could have shown) instead of
#'   the grid's figures. `as.data.frame()` gives `worst`; `plot()` the losses of
#'   all neighbours against the claim.
#'
#' @section Privacy:
#' An audit never shows that a mechanism is private: it shows the largest loss
#' found on one file and its neighbours. Losses found are real, up to the error
#' stated. Files that are built to break a mechanism find far more than usual
#' ones, see [worst_case_data()]. The whole object is confidential unless the
#' file is made up.
#' @section Error types:
#' `pseudosynth_error_input`: a model with more than three parameters and
#' `method = "exact"`, a setting that is not known or missing, a grid larger
#' than the option `pseudosynth.max_bytes`. `pseudosynth_error_privacy`: a fit
#' that has not converged. `pseudosynth_error_sampler`: a grid that does not
#' resolve a posterior: half of its points give another one, or the range cuts
#' it off.
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55),
#' Theorem 1. Hu, Williams and Savitsky, Mechanisms for global differential
#' privacy under Bayesian data synthesis, equations 3.5 and 3.6.
#' @seealso [worst_case_data()], [guarantee()]
#' @examples
#' file <- data.frame(y = c(0.1, 0.2, 0.2, 0.4, 0.9))
#' audit <- audit_guarantee(y ~ 1, file, gaussian(),
#'   mechanism = mechanism_censor_uw(), epsilon = 1,
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
  abort_input(
    "{.arg x} must be a formula, a {.cls synthesizer} or a
     {.cls pseudo_posterior}.",
    x = "It is {describe_type(x)}.", arg = "x"
  )
}

#' @rdname audit_guarantee
#' @export
audit_guarantee.formula <- function(x, data, family, mechanism, epsilon = NULL,
                                    ..., neighbours = c(
                                      "add-remove", "replace"
                                    ), margin = NULL, prior = NULL,
                                    remove = NULL, replacements = 48,
                                    values = NULL, cells = NULL,
                                    range = NULL) {
  check_present(data)
  check_present(family)
  check_present(mechanism)
  chosen <- if (!is.function(mechanism)) {
    list(choose_mechanism(mechanism, "grid", "mechanism"))
  }
  given <- sort_arguments(
    c(list(prior = prior), list(...)), open_mechanisms(chosen)
  )
  drawn <- setdiff(names(given$fit), c("prior", "response", "scaling"))
  refuse_if(length(drawn) > 0, "An exact audit draws nothing.", arg = drawn[1])
  job <- suppressMessages(
    new_job(x, data, family, given$fit, neighbours, NULL, FALSE)
  )
  mechanism <- if (is.function(mechanism)) {
    check_number(epsilon, above = 0)
    function_mechanism(mechanism, epsilon)
  } else {
    job <- assign_mechanism(
      job, with_settings(chosen[[1]], given$settings), epsilon,
      margin = resolve_margin(margin, given$margin, takes_margin(chosen[[1]]))
    )
    job_mechanism(job)
  }
  exact_audit(job$model, mechanism, remove, replacements, values, cells, range)
}

#' @rdname audit_guarantee
#' @export
audit_guarantee.synthesizer <- function(x, method = c(
                                          "auto", "exact", "sampled"
                                        ), files = 4, refit = NULL,
                                        level = 0.95, seed = NULL,
                                        remove = NULL, replacements = 48,
                                        values = NULL, cells = NULL,
                                        range = NULL, margin_epsilon = 0,
                                        ...) {
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
  mechanism <- fit_mechanism(x, margin_epsilon)
  exact_audit(unclass(x), mechanism, remove, replacements, values, cells, range)
}

#' @rdname audit_guarantee
#' @export
audit_guarantee.pseudo_posterior <- function(x, ...) {
  if (inherits(final_fit(x), "score_release")) {
    return(audit_guarantee(final_fit(x), job_data(x), ...))
  }
  margin <- x$internal$margin
  spent <- if (is.null(margin)) 0 else histogram_epsilon(margin)[["add-remove"]]
  audit_guarantee(final_fit(x), margin_epsilon = spent, ...)
}

exact_audit <- function(model, mechanism, remove, replacements, values, cells,
                        range) {
  started <- proc.time()[["elapsed"]]
  parameters <- count_parameters(model$spec)
  refuse_if(
    !isTRUE(parameters <= 3),
    "An exact audit needs a model with at most three parameters.",
    x = if (is.na(parameters)) {
      "A mixture or a response of levels has more."
    } else {
      "This one has {parameters}."
    },
    i = "Audit the fit with {.code method = \"sampled\"}.", arg = "x"
  )
  check_count(cells, min = 8, null = TRUE)
  check_audit_range(range, parameters)
  files <- audit_neighbours(model, remove, replacements, values)
  found <- audit_on_grid(model, mechanism, files, cells, range)
  losses <- found$losses
  mechanism <- found$mechanism
  losses$value <- format_values(files$values)[losses$value]
  new_guarantee_audit(
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
    !good, "{.arg range} must be a matrix of two rows, the smaller number first,
     and a column for each of the {parameters} parameter{?s}.",
    x = "It is {describe_type(range)}.", arg = "range"
  )
}

format_values <- function(values) {
  if (is.numeric(values)) {
    vapply(values, format, "", digits = 4)
  } else {
    as.character(values)
  }
}

# The largest of each column over the neighbours of a relation, and the grid's
# error where it is reached.
worst_losses <- function(losses) {
  found <- intersect(relation_names, losses$neighbours)
  rows <- lapply(found, function(neighbours) {
    part <- losses[losses$neighbours == neighbours, ]
    at <- function(value) {
      found <- which.max(value)
      if (length(found) == 0) 1L else found
    }
    error <- function(value, error) part[[error]][at(part[[value]])]
    data.frame(
      neighbours = neighbours, files = nrow(part), claim = part$claim[1],
      loss = max(part$loss), loss_bulk = max(part$loss_bulk),
      delta = max(part$delta), ratio = max(part$loss) / part$claim[1],
      error_loss = error("loss", "error_theta"),
      error_bulk = error("loss_bulk", "error_bulk"),
      error_delta = error("delta", "error_delta")
    )
  })
  do.call(rbind, rows)
}

# Which neighbours an exact audit looks at. Internal.

#' @return (list) `table` (data frame): `neighbours`, `record` (row number),
#'   `value` (index into `values`, NA for a removal); `values`: responses in
#'   their own unit.
#' @noRd
audit_neighbours <- function(model, remove, replacements, values) {
  n <- length(model$spec$y)
  remove <- check_index(remove, n, arg = "remove")
  replacements <- check_count(replacements, arg = "replacements")
  # Equal records have equal neighbours
  key <- do.call(paste, c(
    list(pattern_of(model$spec), format(model$spec$y, digits = 17))
  ))
  remove <- remove[!duplicated(key[remove])]
  table <- data.frame(
    neighbours = "add-remove", record = remove, value = NA_integer_
  )
  values <- values %||% audit_values(model)
  values <- check_audit_values(values, model)
  if (replacements > 0) {
    take <- max(1, round(replacements / min(8, length(values))))
    index <- seq_along(values)
    records <- replaced_rows(model, key, take)
    pairs <- expand.grid(value = index, record = records)
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

#' Records from the smallest response to the largest, distinct ones
#' @noRd
replaced_rows <- function(model, key, take) {
  rows <- order(model$spec$y)
  rows <- rows[!duplicated(key[rows])]
  rows[unique(round(seq(1, length(rows), length.out = take)))]
}

#' Responses over the whole range, in their own unit
#' @noRd
audit_values <- function(model) {
  response <- model$response
  y <- model$spec$y
  own <- model$data[[response$variable]]
  kind <- model$spec$family
  if (kind == "bernoulli") {
    return(unique(own))
  }
  if (kind %in% c("poisson", "neg_binomial")) {
    high <- max(y)
    return(unique(c(
      0, 1, round(stats::quantile(y, c(0.25, 0.5, 0.75), names = FALSE)), high,
      2 * high + 1, 10 * high + 10
    )))
  }
  if (kind == "beta") {
    z <- c(0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.99, 0.999)
    return(response$bounds[1] + diff(response$bounds) * z)
  }
  spread <- max(stats::IQR(y) / 1.35, diff(range(y)) / 20)
  z <- stats::median(y) + spread * c(-30, -5, -1.5, -0.3, 0.3, 1.5, 5, 30)
  values <- unique(as.double(response_inverse(response, z)))
  values[is.finite(response_forward(response, values))]
}

check_audit_values <- function(values, model) {
  z <- tryCatch(
    response_forward(model$response, values),
    error = function(e) NA_real_
  )
  inside <- is.finite(z) & switch(model$spec$family,
    beta = z > 0 & z < 1,
    poisson = , neg_binomial = z >= 0 & z == round(z),
    bernoulli = z %in% c(0, 1),
    TRUE
  )
  refuse_if(
    length(values) == 0 || !all(inside),
    "{.arg values} must be values that the response can take.", arg = "values"
  )
  unique(values)
}

#' Files that are built to break a mechanism
#'
#' Audits of ordinary files find little. These find what a mechanism can lose:
#' * `"clones"`: n - 1 equal records and one other. Censoring is tight on it: a
#'   removal costs the whole width of the interval, a replacement twice that.
#' * `"clusters"`: two groups of clones close to each other, and an outlier. The
#'   outlier sets the largest Lipschitz bound; without it the min-max map of
#'   Lipschitz weights sends one group from a weight near 1 to 0.
#' * `"bounds"`: half of the records at either end of the range, one in the
#'   middle.
#'
#' @param design (string) `"clones"` (default), `"clusters"` or `"bounds"`.
#' @param n (count) Records, at least 3. Default 200.
#' @param value,second,outlier (numbers) The clones' value, the second group's,
#'   and the odd record's. The defaults suit a response in (0, 1).
#' @param share (number in (0, 1)) Of the first group in `"clusters"`. Default
#'   0.25.
#' @param bounds (two numbers) The ends for `"bounds"`. Default 0.001, 0.999.
#' @param variable (string) The column's name. Default `"y"`.
#' @return (data frame) One numeric column; the odd record comes last. It holds
#'   no confidential value.
#' @section Error types: `pseudosynth_error_input` for an argument out of range.
#' @seealso [audit_guarantee()]
#' @examples
#' worst_case_data("clusters", n = 10)
#' @export
worst_case_data <- function(design = c("clones", "clusters", "bounds"),
                            n = 200, value = 0.5, second = 0.52,
                            outlier = 0.9995, share = 0.25,
                            bounds = c(0.001, 0.999), variable = "y") {
  design <- check_choice(design, c("clones", "clusters", "bounds"))
  n <- check_count(n, min = 3)
  check_number(value)
  check_number(second)
  check_number(outlier)
  check_number(share, above = 0, below = 1)
  check_string(variable)
  check_bounds(bounds)
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
