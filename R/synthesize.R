#' Draw synthetic data from a fit
#'
#' Each of the m sets takes a kept draw \eqn{\theta_s} of its own, chosen at
#' random without replacement, and draws \eqn{y^*_i \sim p(\cdot | x_i,
#' \theta_s)} for every record. Values come back in the variable's own unit and
#' type: whole dollars stay whole. Under a strict label decimals and type are
#' those that were stated, see [public_response()]: those of the file are not
#' used. The predictors are those of the file, published as they are.
#'
#' @param fit (`synthesizer`, `score_release`, `perturbed_histogram` or
#'   `synthesis_generator`) The fit; a [score_release()], which needs `newdata`
#'   and costs nothing more; a [perturbed_histogram()], whose values know
#'   nothing of the predictors; or a generator, see [as_generator()], which
#'   needs `newdata`, too.
#' @param m (count) Number of sets, at most the number of kept draws. Default 1.
#' @param newdata (`NULL` or data frame) Predictors to draw for. `NULL`, the
#'   default, takes those of the file. Other records than those of the file need
#'   only public predictors, the columns of an offset among them, which may have
#'   other values: counts are then of these exposures. For a histogram: records
#'   that get a value each; `NULL` draws as many as its noisy counts sum to,
#'   without predictors. All columns but the response are published as they are.
#' @param margin (`perturbed_histogram` or `NULL`) Of the same response on the
#'   same scale: each synthetic value becomes the histogram's quantile of its
#'   rank among the values of its set. The model then carries the relations and
#'   the histogram the margin. It is paid once for all sets. By ranks, `newdata`
#'   that are a part of the file get the margin of the whole: leave it out for
#'   them, or draw from a [score_release()], which knows the difference. Beyond
#'   the offsets of the file, for longer exposures for instance, it is an error.
#' @param assignment (string) How a mixture's cluster is drawn: `"prior"`, the
#'   default, from the mixing proportions, a function of the draw alone;
#'   `"posterior"` from its distribution given the record's confidential value,
#'   as the papers do. The latter reads that value a second time, outside the
#'   mechanism: the label is then `"none"`. For reproduction only.
#' @param support (two numbers or `NULL`) Smallest and largest value that may be
#'   released, in the variable's own unit: public numbers. Values beyond are
#'   moved to them and counted, see [`synthetic_data`][synthetic_data]; the
#'   label states them. The file's smallest or largest value is refused unless
#'   [public_response()] confirms it; a histogram and a score release meet the
#'   file in `newdata` if these hold the response, else in [release()]. `NULL`,
#'   the default: the bounds of [public_response()] where they were stated.
#' @param seed (count or `NULL`) `NULL`, the default, takes the operating
#'   system's entropy. Data made under a given seed are marked reproducible and
#'   not for release. R's own random state is neither used nor changed.
#' @param allow_unconverged (flag) Draw from a fit that has not converged?
#'   Default `FALSE`: an error. With `TRUE` the label is `"none"`.
#' @param ledger ([ledger()] or `NULL`) Where the cost is written down before
#'   anything is drawn, or refused. `NULL`, the default: nowhere.
#' @param uncertainty (flag; for a [score_release()]) Sets whose differences are
#'   what the release leaves unknown, so that [pool()] can combine what is
#'   estimated from them? Default `FALSE`: each is the best single set, and
#'   several differ by where values are placed alone. With `TRUE` a set draws
#'   noise-free sums and counts from their posterior given the noisy ones, then
#'   responses that have them: it is a file from which the release may have
#'   come. Such sets are for the published predictors of the whole file, 20 of
#'   them serve well, and a single one is farther from the file than the best.
#'   Free of further cost. Sets of a fit are draws already: an error.
#' @param ... Must be empty.
#'
#' @return [`synthetic_data`][synthetic_data]: m data frames and their public
#'   label. Rows stay in the order of the file inside the agency;
#'   `as.data.frame()` of it gives a set as it may leave.
#'
#' @section Messages:
#' `pseudosynth_message_remarks`: what differs between the sets and the file of
#' a fit, see [utility()]; [release()] says it of all sets. For the agency
#' alone.
#'
#' @section Error types:
#' `pseudosynth_error_input`: more sets than kept draws, `"posterior"` for a
#' model without clusters or with `newdata`, `uncertainty` where it does not
#' apply or for other predictors than the file's, unknown levels in `newdata`, a
#' margin of another response, a support for two values or levels, or one
#' that holds no value of the response.
#' `pseudosynth_error_privacy`: a fit that has not converged; `newdata` for a
#' histogram that was made from a vector, which does not know its column; class
#' `pseudosynth_error_copied_response`: a published column that tells the
#' response: a copy, an increasing or decreasing function or classes of it, a
#' column that determines it for all records, or its values in another order.
#'
#' @section Privacy:
#' Every set costs one parameter draw, see [guarantee()], and every call takes
#' draws of its own, whose costs are added; a histogram and a margin cost their
#' epsilon once. The result holds no
#' confidential value: no fit, draws, weights, bounds, seed, formula or
#' environment.
#' @references
#' Hu, Savitsky and Williams, Private tabular survey data products through
#' synthetic microdata generation, section 2.
#' @seealso [guarantee()], [pseudo_posterior()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' syn <- synthesize(fit, m = 2)
#' syn
#' head(syn[[1]])
#' @export
synthesize <- function(fit, m = 1, newdata = NULL, margin = NULL,
                       assignment = c("prior", "posterior"), seed = NULL,
                       allow_unconverged = FALSE, support = NULL,
                       ledger = NULL, uncertainty = FALSE, ...) {
  check_no_dots(..., hint = "See {.fn synthesize}.")
  check_present(fit)
  check_ledger(ledger)
  check_uncertainty(uncertainty, fit)
  check_flag(allow_unconverged)
  if (inherits(fit, "perturbed_histogram")) {
    check_histogram_assignment(assignment)
    m <- check_count(m, min = 1)
    if (is.data.frame(newdata)) newdata <- plain_columns(newdata)
    return(synthesize_histogram(
      fit, m, newdata, margin, seed, support, ledger
    ))
  }
  sets <- draw_sets(
    fit, m, newdata, margin, assignment, seed, allow_unconverged, support,
    ledger, uncertainty
  )$synthetic
  if (inherits(fit, "synthesizer") && is.null(newdata)) {
    tell_set_remarks(remarks_of_sets(sets, fit, fit$data))
  }
  sets
}

#' Draw the sets of a fit and make their label: the one place where both happen
#'
#' @return (list) `synthetic` (`synthetic_data`, with the public label) and
#'   `label`, the same with the agency's figures.
#' @noRd
draw_sets <- function(fit, m = 1, newdata = NULL, margin = NULL,
                      assignment = c("prior", "posterior"), seed = NULL,
                      allow_unconverged = FALSE, support = NULL, ledger = NULL,
                      uncertainty = FALSE) {
  m <- check_count(m, min = 1)
  if (is.data.frame(newdata)) newdata <- plain_columns(newdata)
  if (inherits(fit, "score_release")) {
    check_histogram_assignment(assignment)
    return(draw_score_sets(
      fit, m, newdata, margin, seed, support, ledger, uncertainty
    ))
  }
  if (inherits(fit, "synthesis_generator")) {
    check_histogram_assignment(assignment)
    return(draw_generated_sets(fit, m, newdata, margin, seed, support, ledger ))
  }
  check_class(fit, "synthesizer", "Make one with {.fn fit_synthesizer}." )
  check_margin(margin, fit)
  ends <- with_support(fit$response, support)
  check_public_ends(
    support, fit$data[[fit$response$variable]], "support",
    fit$response$confirmed
  )
  check_finite_mean(fit$family, ends, margin)
  assignment <- check_choice(assignment, c("prior", "posterior"))
  check_assignment(assignment, fit, newdata)
  check_seed(seed)
  check_converged(fit, allow_unconverged)
  check_draws_for(fit, m)

  data <- if (is.null(newdata)) fit$data else newdata
  spec <- newdata_spec(fit, newdata)
  if (!is.null(margin)) check_margin_offset(fit$design, spec)
  columns <- published_columns(fit, data)
  check_published(fit, data, columns)
  check_sets_memory(m, nrow(data))
  label <- label_of_sets(fit, m, margin, assignment, seed, support)
  if (!is.null(ledger)) {
    variable <- fit$response$variable
    spend(
      ledger, label, variable, data[setdiff(columns, variable)],
      fit$data[[variable]]
    )
  }
  rows <- random_rows(n_draws(fit), m, seed_words(seed, "draws"))
  values <- synthesize_(
    spec, fit$draws[rows, , drop = FALSE], seed_words(seed, "synthesize"),
    if (assignment == "posterior") 1L else 0L
  )
  if (!is.null(margin)) {
    values <- calibrate_sets(values, fit$response, margin, seed)
  }
  response <- fit$response
  if (label$holds) response <- released_response(response)
  list(
    synthetic = build_synthetic_sets(
      values, with_support(response, support), data, columns, label,
      assignment, support,
      margin = margin,
      tibble = if (is.null(newdata)) isTRUE(fit$tibble) else is_tibble(newdata)
    ),
    label = label
  )
}

#' The label of m sets drawn from a fit
#'
#' Every call takes draws of its own, which are charged under an identity of
#' their own; the same fit with the same seed gives the same draws again.
#' @noRd
label_of_sets <- function(fit, m, margin, assignment, seed, support,
                          what = "synthetic data") {
  label_of_fit(
    fit, m,
    what = what, assignment = assignment,
    reproducible = !is.null(seed), margin = margin_part(margin),
    support = support,
    draws_id = if (is.null(seed)) {
      new_charge_id()
    } else {
      hashed_id(fit$id, seed)
    }
  )
}

#' Values drawn from a histogram: post-processing, whatever m is
#' @noRd
synthesize_histogram <- function(x, m, newdata, margin, seed, support, ledger) {
  check_seed(seed)
  response <- with_support(x$response, support)
  if (!is.null(margin)) {
    abort_input(
      "{.arg margin} is for models.",
      x = "{.arg fit} is a histogram itself.",
      arg = "margin"
    )
  }
  check_histogram_newdata(newdata, x$response)
  variable <- x$response$variable
  check_public_ends(
    support, newdata[[variable]], "support", response$confirmed
  )
  n <- if (is.null(newdata)) round(sum(x$counts)) else nrow(newdata)
  check_sets_memory(m, n)
  published <- setdiff(names(newdata), variable)
  label <- label_of_histogram(
    x,
    what = "synthetic data", m = m, n_records = as.integer(n),
    reproducible = x$reproducible || !is.null(seed), published = published,
    support = support
  )
  if (!is.null(ledger)) {
    spend(ledger, label, variable, newdata[published], NULL)
  }
  words <- seed_words(seed, "synthesize")
  values <- vapply(seq_len(m), function(j) {
    histogram_quantile(x, uniforms_(n, words, j))
  }, numeric(n))
  build_synthetic_sets(
    matrix(values, n, m), response, newdata, c(variable, published), label,
    assignment = "prior", support = support, margin = x
  )
}

check_histogram_assignment <- function(assignment) {
  assignment <- check_choice(assignment, c("prior", "posterior"))
  if (assignment != "prior") {
    abort_input(
      "{.code assignment = \"posterior\"} is for mixtures.",
      x = "{.arg fit} is none.",
      arg = "assignment"
    )
  }
}

check_histogram_newdata <- function(newdata, response) {
  if (is.null(newdata)) {
    return(invisible())
  }
  check_data_frame(newdata, arg = "newdata")
  if (!response$column) {
    abort_privacy(
      "{.arg newdata} needs a histogram that knows its column.",
      x = "It was made from a vector: the response could be published
           untouched.",
      i = "Make it from a formula, such as {.code income ~ 1}.",
      arg = "newdata"
    )
  }
  newdata <- without_labels(newdata)
  y <- newdata[[response$variable]]
  beside <- newdata[setdiff(names(newdata), response$variable)]
  if (!is.null(y)) {
    check_not_copied(y, beside)
    tell_near_copies(y, beside)
  }
  tell_distinct(beside)
}

#' Columns beside what is drawn from a fit must not tell the response
#' @noRd
check_published <- function(fit, data, columns) {
  variable <- fit$response$variable
  published <- data[setdiff(columns, variable)]
  check_design_not_copied(fit$spec, fit$design)
  y <- data[[variable]]
  own <- is.numeric(y) && identical(y, fit$data[[variable]])
  if (nrow(data) == n_records(fit)) {
    check_not_copied(fit$spec$y, published)
  }
  # Other records, or the same in another order
  if (!is.null(y) && nrow(data) > 0 && !own) {
    check_not_copied(y, published)
  }
  check_holds_none(fit$data[[variable]], published)
  check_terms_hold_none(fit$data[[variable]], fit$design$terms)
}

check_margin <- function(margin, fit) {
  if (is.null(margin)) {
    return(invisible())
  }
  check_class(
    margin, "perturbed_histogram", "Make one with {.fn perturbed_histogram}.",
    arg = "margin"
  )
  check_margin_kind(fit$response)
  scale <- c("variable", "transform", "constant")
  same <- identical(
    unclass(margin$response)[scale], unclass(fit$response)[scale]
  )
  if (!same) {
    abort_input(
      "{.arg margin} must be a histogram of the modelled response.",
      x = "The model is of {.code {response_label(fit$response)}}, the
           histogram of {.code {response_label(margin$response)}}.",
      i = "Give {.fn perturbed_histogram} the model's formula.",
      arg = "margin"
    )
  }
  check_ends_hold(margin$bounds, fit$response, "margin")
}

check_margin_kind <- function(response) {
  if (has_labels(response)) {
    abort_input(
      "{.arg margin} is for numbers.",
      i = "Leave it out.",
      arg = "margin"
    )
  }
}

check_assignment <- function(assignment, fit, newdata) {
  if (assignment == "prior") {
    return(invisible())
  }
  if (!is_mixture(fit$family)) {
    abort_input(
      "{.code assignment = \"posterior\"} is for mixtures.",
      x = "The family of {.arg fit} has no clusters.",
      i = "Leave {.arg assignment} out.",
      arg = "assignment"
    )
  }
  if (!is.null(newdata)) {
    abort_input(
      "{.code assignment = \"posterior\"} reads the confidential response.",
      x = "{.arg newdata} has none.",
      i = "Leave {.arg assignment} or {.arg newdata} out.",
      arg = "assignment"
    )
  }
}
