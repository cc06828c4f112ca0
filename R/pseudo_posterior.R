#' The whole workflow in one call
#'
#' Fits a model, applies a privacy mechanism and draws m synthetic sets with
#' their label. It does what [fit_synthesizer()], the weights,
#' [update()][update.synthesizer], [censor()], [perturbed_histogram()] and
#' [synthesize()] do one by one.
#'
#' [mechanisms] lists the mechanisms: what each does, its label and its
#' settings.
#'
#' @param formula,data,family As in [fit_synthesizer()]. An offset for counts of
#'   unequal exposure is allowed, except with the mechanism `"score"`. The
#'   default family is [student_t()]. Or `formula` is an unweighted
#'   [external_fit()], which has its own file and family; then a mechanism that
#'   starts from it and makes weights is needed, such as `"lw_final"`.
#' @param mechanism (string or `privacy_mechanism`) The mechanism. It has no
#'   default, because it decides what is promised. Give a name, with its
#'   settings in `...`, or an object such as `mechanism("lw", scale = 0.5)`; see
#'   [mechanisms].
#' @param epsilon (positive number or `NULL`) The total epsilon for all m sets
#'   under `neighbours`: one-off costs plus m parameter draws. `NULL`, the
#'   default, leaves the weights as they are; censored mechanisms need a number.
#'   See [mechanisms] for how it is spent.
#' @param m (count) Number of synthetic sets. Default 1.
#' @param ... The settings of a mechanism given by name; `prior`, `chains`,
#'   `warmup`, `draws`, `threads`, `control`, `response`, `scaling` and
#'   `survey_weights` of [fit_synthesizer()], which apply to every stage; and
#'   `bins` and `margin_share`, which with `bounds` are a shorthand for
#'   `margin`. Anything else is an error.
#' @param neighbours (string) The neighbour relation of `epsilon`:
#'   `"add-remove"`, the default, or `"replace"`.
#' @param margin (`margin_histogram` or `NULL`) For censored mechanisms and for
#'   `"score"`: the histogram that calibrates the margin, see
#'   [margin_histogram()]. `NULL`, the default: no histogram.
#' @param bounds (two numbers or `NULL`) Public bounds of the released values,
#'   as in [synthesize()]. `NULL`, the default: the bounds of `margin` or
#'   `response`, if stated. Required if the synthetic values would have no
#'   finite mean, as under [student_t()] of a log.
#' @param seed (count or `NULL`) `NULL`, the default, takes the operating
#'   system's entropy. With a seed the result is marked reproducible and not for
#'   release. Each stage then has a seed of its own, see [stage_seed()].
#' @param allow_unconverged (flag) Continue after a stage that has not
#'   converged? Default `FALSE`: an error. With `TRUE`, the label is `"none"` if
#'   the last fit has not converged.
#' @param ledger ([ledger()] or `NULL`) The ledger that records the cost before
#'   the sets are drawn, or refuses it. It refuses before the first fit if
#'   `epsilon` already exceeds the budget. `NULL`, the default: no ledger.
#' @param checkpoint (string or `NULL`) A folder that keeps every finished stage
#'   and chain, so that [resume()] can continue an interrupted job. It is
#'   created if it does not exist, and it is confidential. `NULL`, the default:
#'   nothing is kept.
#'
#' @return A `pseudo_posterior`: a list with
#'   * `synthetic`: [`synthetic_data`][synthetic_data]. Only the data frame from
#'     its `as.data.frame()` may leave the agency;
#'   * `internal` (confidential): `fits`, a list of the fits by stage (such as
#'     `unweighted`, `lw`, `lw_final`) or of one [score_release()]; `margin`;
#'     `label`, made when the sets were drawn; and with a score release `data`,
#'     the columns of the model;
#'   * `stages` (data frame, confidential): see `summary()`;
#'   * `mechanism` (string), `m` (count), `epsilon` (as you gave it, or `NULL`);
#'   * `remarks` (character, confidential): where the prior decides in the fits,
#'     and how the sets differ from the file. Examples of differences are a mean
#'     that is more than 5% or two standard errors off, values outside the
#'     file's sign or range, and an R2 of the model's regression that exceeds
#'     the file's by more than a tenth.
#'
#'   `summary()` gives one row per stage: the bound, twice the bound, the
#'   largest oscillation, the smallest and median weight, the claimed epsilon of
#'   one parameter draw under both relations (`NA` if nothing is claimed),
#'   whether the fit converged, and its seconds.
#'
#' @section Relations that look closer than they are:
#' Some mechanisms hold back records far from the regression: censoring, and
#' weights that are smaller for a smaller log-likelihood. The scale of the
#' errors then shrinks and R2 rises. Example: R2 of Consumer Expenditure log
#' income on all predictors is 0.36 in the file. Under `"lw_final"` the sets
#' have 0.37 to 0.40 with normal errors, and 0.43 to 0.44 with [student_t()] of
#' 3 degrees of freedom. Heavy-tailed errors do not help, because they hold back
#' far records themselves: even without weights R2 is 0.38 to 0.40.
#'
#' @section Error types:
#' `pseudosynth_error_paid`: something failed after the payment; [resume()]
#' goes on.
#' `pseudosynth_error_no_mean` (a `pseudosynth_error_input`): values without a
#' finite mean and without stated bounds. `pseudosynth_error_input`: a missing
#' or unknown mechanism, an unused argument, an epsilon for a mechanism that
#' claims none, and any formula, data or setting that a stage would refuse. All
#' of this is checked before the first fit. `pseudosynth_error_unreachable` (a
#' `pseudosynth_error_privacy`): a target that cannot be reached; its field
#' `nearest` has the nearest value reached. `pseudosynth_error_checkpoint`: see
#' [resume()].
#'
#' An error after the first fit carries the finished fits in its field `fits`,
#' named by the stages of [stage_seed()]. If the most recent fit belongs to none
#' of these stages, the element `last` holds it. All these fits are
#' confidential.
#'
#' @section Privacy:
#' The object is confidential as a whole. Release
#' `as.data.frame(job$synthetic)`, whose rows are in random order.
#' @seealso [mechanisms], [synthesize()], [guarantee()], [resume()],
#'   [compare()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:300, ]
#' # Strict: every public number is stated, and none is read from the file
#' job <- pseudo_posterior(log(income) ~ ., small, gaussian(),
#'   mechanism = "centred", epsilon = 2,
#'   reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
#'   chains = 2, warmup = 300, draws = 1000
#' )
#' job
#' job$synthetic
#' # The papers' mechanism: weights from the file
#' weighted <- pseudo_posterior(log(income) ~ age + earner, small, gaussian(),
#'   mechanism = mechanism("lw", scale = 0.8), m = 2, prior = prior_normal(),
#'   chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' @export
pseudo_posterior <- function(formula, data, family = student_t(),
                             mechanism, epsilon = NULL, m = 1, ...,
                             neighbours = c("add-remove", "replace"),
                             margin = NULL, bounds = NULL, seed = NULL,
                             allow_unconverged = FALSE, ledger = NULL,
                             checkpoint = NULL) {
  check_argument(ledger)
  if (!is.null(checkpoint)) check_path(checkpoint, "checkpoint")
  chosen <- choose_mechanism(
    rlang::maybe_missing(mechanism), "stages", "mechanism"
  )
  given <- sort_arguments(given_dots(...), open_mechanisms(list(chosen)))
  job <- if (!missing(formula) && inherits(formula, "external_fit")) {
    check_elsewhere_alone(missing(data), missing(family))
    external_job(formula, given$fit, neighbours, seed, allow_unconverged)
  } else {
    new_job(
      formula, data, family, given$fit, neighbours, seed, allow_unconverged
    )
  }
  job <- assign_mechanism(
    job,
    with_settings(chosen, given$settings), epsilon, m,
    resolve_margin(
      margin, c(list(bounds = bounds)[!is.null(bounds)], given$margin),
      takes_margin(chosen)
    ),
    bounds
  )
  if (job$mechanism$kind != "scores") check_enough_draws(job, job$m, "m")
  if (!is.null(checkpoint)) {
    return(run_kept(checkpoint, job, ledger))
  }
  check_planned(ledger, job)
  start_paid(
    "job", list(job = job, ledger = ledger), job$seed, run_job, again = TRUE
  )
}

#' A model fitted elsewhere has its own file and family
#' @noRd
check_elsewhere_alone <- function(no_data, no_family) {
  for (arg in c("data", "family")[!c(no_data, no_family)]) {
    abort_input(
      "{.arg {arg}} does not apply to a model fitted elsewhere.",
      i = "It is stated in {.fn external_fit}.", arg = arg
    )
  }
}

print_lines.pseudo_posterior <- function(x) {
  label <- guarantee(x)
  c(
    sprintf(
      "Pseudo posterior synthesis: m = %s of %s records",
      counted(x$m, "set"), format_count(x$synthetic$n_records)
    ),
    paste0("  mechanism: ", describe_job(x)), stage_lines(x$stages),
    remark_lines(x$remarks), wrap_line(paste("label:", format(label))),
    if (label$label == "none" || label$reproducible) {
      "  All of it is confidential; $synthetic is not for release either."
    } else {
      "  Only as.data.frame(x$synthetic) may leave the agency."
    }
  )
}

#' @export
summary.pseudo_posterior <- function(object, ...) {
  new_result(
    "summary_pseudo_posterior", stages = stage_table(object$internal$fits),
    guarantee = guarantee(object), reweighting = final_fit(object)$reweighting,
    m = object$m, remarks = object$remarks
  )
}

print_lines.summary_pseudo_posterior <- function(x) {
  claims <- x$stages[c(
    "stage", "label", "epsilon_add_remove", "epsilon_replace", "seconds"
  )]
  names(claims)[3:4] <- c("epsilon add-remove", "epsilon replace")
  c(
    "Stages", stage_lines(x$stages),
    if (all(is.na(x$stages$converged))) {
      "Spent once for all sets"
    } else {
      "Claimed for one parameter draw (- : nothing is claimed)"
    },
    paste0("  ", format_table(claims)),
    if (!is.null(x$reweighting)) {
      search <- x$reweighting$search
      search$accepted <- ifelse(search$accepted, "yes", "no")
      search$converged <- ifelse(search$converged, "yes", "NO")
      c(
        sprintf(
          "Search for k: target bound %s, k = %s kept",
          format_figure(x$reweighting$target), format_figure(x$reweighting$k)
        ),
        paste0("  ", format_table(search))
      )
    },
    remark_lines(x$remarks), print_lines(x$guarantee)
  )
}

#' @rdname guarantee
#' @export
#' @order 3
guarantee.pseudo_posterior <- function(x, m = x$m, public = FALSE,
                                       study = NULL, ...) {
  check_no_dots(..., hint = "See {.fn guarantee}.")
  check_sets_drawn(m, x$m)
  check_flag(public)
  label <- intact_label(x$internal$label)
  if (!identical(publish_guarantee(label), guarantee(x$synthetic))) {
    label <- void_label(label, "job")
  }
  if (!is.null(study)) {
    label <- probabilistic_guarantee(label, final_fit(x), study)
  }
  if (public) publish_guarantee(label) else label
}
