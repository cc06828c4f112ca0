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
#' @param bounds (two numbers or `NULL`) Smallest and largest value that may be
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
#' margin of another response, bounds for two values or levels, or one
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
                       allow_unconverged = FALSE, bounds = NULL, ledger = NULL,
                       uncertainty = FALSE, ...) {
  check_no_dots(..., hint = "See {.fn synthesize}.")
  check_present(fit)
  check_ledger(ledger)
  sets <- draw_sets(
    fit, m, newdata, margin, assignment, seed, allow_unconverged, bounds,
    ledger, uncertainty
  )$synthetic
  if (inherits(fit, "synthesizer") && is.null(newdata)) {
    tell_set_remarks(remarks_of_sets(sets, fit, fit$data))
  }
  sets
}

#' Every kind of source: one line each
#' @noRd
sources <- function() {
  list(
    synthesizer = fit_source(),
    score_release = score_source(),
    perturbed_histogram = histogram_source(),
    synthesis_generator = generator_source()
  )
}

#' Draw sets and make their label: the one place where both happen
#'
#' @return (list) `synthetic` (`synthetic_data`, with the public label) and
#'   `label`, the same with the agency's figures.
#' @noRd
draw_sets <- function(x, m = 1, newdata = NULL, margin = NULL,
                      assignment = c("prior", "posterior"), seed = NULL,
                      allow_unconverged = FALSE, bounds = NULL, ledger = NULL,
                      uncertainty = FALSE) {
  asked <- list(
    m = m, newdata = newdata, margin = margin, assignment = assignment,
    seed = seed, allow_unconverged = allow_unconverged, bounds = bounds,
    uncertainty = uncertainty
  )
  plan <- plan_sets(x, asked, ledger)
  drawn <- plan$source$draw(x, plan$asked, plan$rows)
  list(
    synthetic = build_synthetic_sets(
      drawn$values, plan$response, plan$rows, plan$label, plan$asked$assignment,
      bounds, drawn$margin, drawn$combine
    ),
    label = plan$label
  )
}

#' What sets will be and cost: checked, and written down in the ledger
#'
#' @param asked (list) See new_source(); unchecked.
#' @param what (string) What is labelled, where it is not sets.
#' @return (list) `source`, `asked`, `response`, `rows` and `label`.
#' @noRd
plan_sets <- function(x, asked, ledger, what = NULL) {
  kind <- intersect(class(x), names(sources()))
  check_class(
    x, c(kind, "synthesizer")[1], "Make one with {.fn fit_synthesizer}.",
    arg = "fit"
  )
  source <- sources()[[kind[1]]]
  asked$m <- check_count(asked$m, min = 1, arg = "m")
  check_seed(asked$seed)
  check_flag(asked$uncertainty, arg = "uncertainty")
  check_flag(asked$allow_unconverged, arg = "allow_unconverged")
  asked$assignment <- check_choice(
    asked$assignment, c("prior", "posterior"),
    arg = "assignment"
  )
  if (is.data.frame(asked$newdata)) {
    asked$newdata <- plain_columns(asked$newdata)
  }
  check_taken(source, c(asked, list(ledger = ledger)))
  source$check(x, asked)
  response <- with_bounds(x$response, asked$bounds)
  if (!is.null(x$family)) {
    check_finite_mean(x$family, response, asked$margin %||% x$margin)
  }
  rows <- source$rows(x, asked)
  name <- response$variable
  secret <- source$secret(x)
  check_public_ends(
    asked$bounds, secret %||% rows$data[[name]], "bounds", response$confirmed
  )
  check_sets_memory(asked$m, rows$n)
  label <- source$label(x, asked, rows)
  if (!is.null(what)) label <- seal(replace(label, "what", what))
  if (!is.null(ledger)) {
    spend(
      ledger, label, name, rows$data[setdiff(rows$columns, name)], secret,
      again = !is.null(run_of(asked$seed))
    )
  }
  if (label$holds) response <- released_response(response)
  list(
    source = source, asked = asked, response = response, rows = rows,
    label = label
  )
}
