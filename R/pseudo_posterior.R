#' The whole workflow in one call
#'
#' Fits what the mechanism needs, makes its weights or its censoring rule,
#' refits, and draws m synthetic sets with their label: what
#' [fit_synthesizer()], the weights, [update()][update.synthesizer], [censor()],
#' [perturbed_histogram()] and [synthesize()] do one by one.
#'
#' Which mechanisms there are, what each does, its label and its settings:
#' [mechanisms].
#'
#' @param formula,data,family As in [fit_synthesizer()], also with an offset for
#'   counts of unequal exposure, which the mechanism `"score"` alone does not
#'   take. The default family is [student_t()].
#' @param mechanism (string or `privacy_mechanism`) Has no default, because it
#'   decides what is promised. A name, whose settings then stand in `...`, or
#'   such as `mechanism_lw(scale = 0.5)`; see [mechanisms].
#' @param epsilon (positive number or `NULL`) The total for all m sets under
#'   `neighbours`: one-off costs plus m times that of a parameter draw. `NULL`,
#'   the default, takes the weights as they are; censored mechanisms need a
#'   number. How it is spent: [mechanisms].
#' @param m (count) Number of synthetic sets. Default 1.
#' @param ... With a mechanism's name, its settings; `prior`, `chains`,
#'   `warmup`, `draws`, `threads` and `control` of [fit_synthesizer()], which
#'   hold for every stage; `bounds`, `bins` and `margin_share`, short for
#'   `margin`. Anything else is an error.
#' @param neighbours (string) The relation `epsilon` is meant for:
#'   `"add-remove"`, the default, or `"replace"`.
#' @param margin (`margin_histogram` or `NULL`) For censored mechanisms and for
#'   `"score"`: the histogram that calibrates the margin, see
#'   [margin_histogram()]. `NULL`, the default: none.
#' @param bounds (two numbers or `NULL`) Public ends of the released values, as
#'   in [synthesize()]. `NULL`, the default: those of `margin` or of `response`,
#'   where they are stated. Where the mean of what is drawn would not exist, as
#'   under [student_t()] of a log, there must be some.
#' @param seed (count or `NULL`) `NULL`, the default, takes the operating
#'   system's entropy. With a seed the result is marked reproducible and not for
#'   release; stages run at seeds of their own, see [stage_seed()].
#' @param allow_unconverged (flag) Go on from a stage that has not converged?
#'   Default `FALSE`: an error. With `TRUE` the label is `"none"` if the last
#'   fit has not converged.
#' @param ledger ([ledger()] or `NULL`) Where the cost is written down before
#'   the sets are drawn, or refused: before the first fit, too, where `epsilon`
#'   tells. `NULL`, the default: nowhere.
#' @param checkpoint (string or `NULL`) A folder that keeps every finished stage
#'   and chain, so that [resume()] can go on where the job was interrupted. It
#'   is made if it does not exist, and it is confidential. `NULL`, the default:
#'   nothing is kept.
#'
#' @return A `pseudo_posterior`: a list with
#'   * `synthetic`: [`synthetic_data`][synthetic_data], the only part from which
#'     something may leave the agency: what `as.data.frame()` of it gives;
#'   * `internal` (confidential): `fits`, a list of the fits by stage (such as
#'     `unweighted`, `lw`, `lw_final`) or of one [score_release()], `margin`,
#'     `label`, made when the sets were drawn, and with a score release `data`,
#'     the columns of the model;
#'   * `stages` (data frame, confidential): see `summary()`;
#'   * `mechanism` (string), `m` (count), `epsilon` (as asked, or `NULL`);
#'   * `remarks` (character, confidential): what the fits leave to the prior,
#'     and what an analyst would find in the sets and not in the file: another
#'     mean (by more than a quarter), values of a sign or range that the file
#'     has none of, an R2 of the model's regression above the file's by more
#'     than a tenth.
#'
#'   `summary()` has one row per stage: the bound, twice the bound, the largest
#'   oscillation, the smallest and median weight, the claimed epsilon of one
#'   draw under both neighbour relations (`NA` where nothing is claimed),
#'   whether the fit converged, and its seconds.
#'
#' @section Relations that look closer than they are:
#' Weights that fall with a record's log-likelihood, and censoring, hold back the
#' records far from the regression. The errors' scale shrinks, and R2 rises: of
#' Consumer Expenditure log income on all predictors it is 0.36 in the file,
#' 0.37 to 0.40 in sets under `"lw_final"` with normal errors and 0.43 to 0.44
#' with [student_t()] of 3 degrees of freedom. Heavy-tailed errors are no
#' remedy: they hold back far records by themselves, and without weights R2 is
#' 0.38 to 0.40.
#'
#' @section Error types:
#' `pseudosynth_error_no_mean` (a `pseudosynth_error_input`): values without a
#' finite mean and without stated ends. `pseudosynth_error_input`: no mechanism
#' named, one that does not exist, an argument that nothing takes, an epsilon
#' for a mechanism that claims none, and whatever the stages would refuse of
#' formula, data and settings: all of it before the first fit.
#' `pseudosynth_error_unreachable` (a `pseudosynth_error_privacy`): a target
#' that cannot be reached; field `nearest`. `pseudosynth_error_checkpoint`: see
#' [resume()].
#'
#' The condition of an error after the first fit carries, in its field `fits`,
#' the fits that were finished, by the stages of [stage_seed()]; `last` is the
#' one that was made last where it is none of these. They are confidential.
#'
#' @section Privacy:
#' The object is confidential as a whole. Release
#' `as.data.frame(job$synthetic)`, whose rows are in random order.
#' @seealso [mechanisms], [synthesize()], [guarantee()], [resume()],
#'   [compare()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:300, ]
#' # Strict: every public number is stated, none is read from the file
#' job <- pseudo_posterior(log(income) ~ ., small, gaussian(),
#'   mechanism = "centred", epsilon = 2,
#'   reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
#'   chains = 2, warmup = 300, draws = 1000
#' )
#' job
#' job$synthetic
#' # The papers': weights from the file
#' weighted <- pseudo_posterior(log(income) ~ age + earner, small, gaussian(),
#'   mechanism = mechanism_lw(scale = 0.8), m = 2, prior = prior_normal(),
#'   chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' @export
pseudo_posterior <- function(formula, data, family = student_t(),
                             mechanism, epsilon = NULL, m = 1, ...,
                             neighbours = c("add-remove", "replace"),
                             margin = NULL, bounds = NULL, seed = NULL,
                             allow_unconverged = FALSE, ledger = NULL,
                             checkpoint = NULL) {
  check_ledger(ledger)
  if (!is.null(checkpoint)) check_path(checkpoint, "checkpoint")
  chosen <- choose_mechanism(
    rlang::maybe_missing(mechanism), "stages", "mechanism"
  )
  given <- sort_arguments(list(...), open_mechanisms(list(chosen)))
  job <- assign_mechanism(
    new_job(
      formula, data, family, given$fit, neighbours, seed, allow_unconverged
    ),
    with_settings(chosen, given$settings), epsilon, m,
    resolve_margin(
      margin, c(list(bounds = bounds)[!is.null(bounds)], given$margin),
      takes_margin(chosen)
    ),
    bounds %||% margin_ends(margin)
  )
  if (job$mechanism$kind != "scores") check_enough_draws(job, job$m, "m")
  if (!is.null(checkpoint)) {
    return(run_kept(checkpoint, job, ledger))
  }
  check_planned(ledger, job)
  carrying_fits(new_run(), job, function(job) finish_job(job, ledger))
}

print_lines.pseudo_posterior <- function(x) {
  label <- guarantee(x)
  c(
    sprintf(
      "Pseudo posterior synthesis: m = %s of %s records",
      counted(x$m, "set"), format_count(x$synthetic$n_records)
    ),
    paste0("  mechanism: ", describe_job(x)),
    stage_lines(x$stages),
    remark_lines(x$remarks),
    wrap_line(paste("label:", format(label))),
    if (label$label == "none" || label$reproducible) {
      "  All of it is confidential; $synthetic is not for release either."
    } else {
      "  as.data.frame(x$synthetic) may leave the agency, nothing else."
    }
  )
}

#' @export
summary.pseudo_posterior <- function(object, ...) {
  structure(
    list(
      stages = stage_table(object$internal$fits), guarantee = guarantee(object),
      reweighting = final_fit(object)$reweighting, m = object$m,
      remarks = object$remarks
    ),
    class = c("summary_pseudo_posterior", "pseudosynth_result")
  )
}

print_lines.summary_pseudo_posterior <- function(x) {
  claims <- data.frame(
    stage = x$stages$stage, label = x$stages$label,
    "epsilon add-remove" = x$stages$epsilon_add_remove,
    "epsilon replace" = x$stages$epsilon_replace,
    seconds = x$stages$seconds, check.names = FALSE
  )
  c(
    "Stages", stage_lines(x$stages),
    if (all(is.na(x$stages$converged))) {
      "Paid once for all sets"
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
    remark_lines(x$remarks),
    print_lines(x$guarantee)
  )
}

#' @rdname guarantee
#' @export
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
