#' The whole workflow in one call
#'
#' Fits what the mechanism needs, makes its weights or its censoring rule,
#' refits, and draws m synthetic sets with their label: what
#' [fit_synthesizer()], the weights, [update()][update.synthesizer], [censor()],
#' [perturbed_histogram()] and [synthesize()] do one by one.
#'
#' @section Mechanisms:
#' | `mechanism` | what it does | label |
#' |---|---|---|
#' | `"centred"` | clips the likelihood ratio to a public `reference` | strict |
#' | `"censor_uw"` | clips the unweighted likelihood | strict |
#' | `"frozen"` | clips under weights of a frozen `rule` | strict |
#' | `"two_stage"` | clips under weights from a paid draw | strict |
#' | `"censor_w"` | clips under Lipschitz weights | asymptotic |
#' | `"lw"`, `"lw_final"` | Lipschitz weights; re-weighted | asymptotic |
#' | `"cw"`, `"cw_final"` | count weights; re-weighted | asymptotic |
#' | `"weighted_e"` | Lipschitz weights, records above the target dropped |
#'   asymptotic |
#' | `"scalar"` | one weight for all, solved from the file | asymptotic |
#' | `"risk"` | weights from identification risks | none |
#' | `"unweighted"` | no protection, for comparison | none |
#'
#' With a floor (`shift` above 0) use [count_weights()] and [censor()] step by
#' step: such weights are strict, with factors.
#'
#' @section Epsilon:
#' `epsilon` is the total for all m sets under `neighbours`: one-off costs plus
#' m times that of a parameter draw. The clipped mechanisms meet it exactly: of
#' it `margin_share` goes to the margin's histogram where `bounds` are given,
#' then `first_share` of the rest to the first stage of `"two_stage"`, and what
#' is left is shared by the m draws. Weighted mechanisms claim
#' \eqn{2 \Delta} for a draw: their weights are scaled, or shifted where the
#' target lies above what they give, by repeated refits that start from the last
#' one, until the claim
#' lies within `tolerance` of the target. A target that cannot be reached is an
#' error that names the nearest that can.
#'
#' @param formula,data,family As in [fit_synthesizer()]. The default family is
#'   the papers' model for income, [normal_mixture()] with 10 components.
#' @param mechanism (string) Has no default, because it decides what is
#'   promised. See the table.
#' @param epsilon (positive number or `NULL`) The total epsilon. `NULL`, the
#'   default, takes the weights as they are; clipped mechanisms need a number.
#' @param m (count) Number of synthetic sets. Default 1.
#' @param ... Further arguments of [fit_synthesizer()], such as `prior`,
#'   `chains`, `warmup`, `draws`, `threads`. They hold for every stage. The
#'   default prior around a `reference` is `prior_normal(1, c(b, 2.5))` with b
#'   the public reference's intercept.
#' @param neighbours (string) The relation `epsilon` is meant for:
#'   `"add-remove"`, the default, or `"replace"`.
#' @param quantile (number in (0, 1]) Draws above this quantile of the draw
#'   bounds are dropped at every stage, see [truncate_draws()]. Default 1: none.
#'   Not for clipped mechanisms.
#' @param scale,shift,map The weights, see [lipschitz_weights()] and
#'   [count_weights()].
#' @param radius,relative,known The balls of `"cw"` and `"risk"`, see
#'   [count_weights()].
#' @param risk_sets (count) Synthetic sets that risks are taken from. Default
#'   20.
#' @param k,tolerance,max_refits The re-weighting constant and the search for
#'   it, see [reweight()]; the searches for `epsilon` use `tolerance` and
#'   `max_refits` too.
#' @param reference,window The centre of `"centred"`, and of both stages of
#'   `"two_stage"` where given, which without it seldom converge; see
#'   [censor()].
#' @param rule (`weight_rule`) For `"frozen"`, see [freeze()].
#' @param weight_range (two numbers) For `"two_stage"`: the public numbers lo
#'   and hi of [two_stage_weights()].
#' @param first_share (number in (0, 1)) For `"two_stage"`: the share of epsilon
#'   spent on the first stage. Default 0.2.
#' @param bounds,bins The public bounds and number of bins of the margin's
#'   [perturbed_histogram()], for clipped mechanisms. `bounds = NULL`, the
#'   default: no margin. Default 60 bins.
#' @param margin_share (number in (0, 1)) The share of epsilon spent on the
#'   margin. Default 0.4: on four months of Consumer Expenditure income it
#'   served the margin and the groups better than 0.2, the less epsilon the
#'   more.
#' @param seed (count or `NULL`) `NULL`, the default, takes the operating
#'   system's entropy. With a seed the result is marked reproducible and not for
#'   release.
#' @param allow_unconverged (flag) Go on from a stage that has not converged?
#'   Default `FALSE`: an error. With `TRUE` the label is `"none"` if the last
#'   fit has not converged.
#'
#' @return A `pseudo_posterior`: a list with
#'   * `synthetic`: [`synthetic_data`][synthetic_data], the only part that may
#'     leave the agency;
#'   * `internal` (confidential): `fits`, a list of the fits by stage (such as
#'     `unweighted`, `lw`, `lw_final`), `margin`, and `label`, made when the
#'     sets were drawn;
#'   * `stages` (data frame, confidential): see `summary()`;
#'   * `mechanism` (string), `m` (count), `epsilon` (as asked, or `NULL`).
#'
#'   `summary()` has one row per stage: the bound, twice the bound, the largest
#'   oscillation, the smallest and median weight, the claimed epsilon of one
#'   draw under both neighbour relations (`NA` where nothing is claimed),
#'   whether the fit converged, and its seconds.
#'
#' @section Error types:
#' `pseudosynth_error_input`: no mechanism named, one that does not exist, an
#' epsilon for a mechanism that claims none, and whatever the stages refuse.
#' `pseudosynth_error_unreachable` (a `pseudosynth_error_privacy`): a target
#' that cannot be reached; field `nearest`.
#'
#' @section Privacy:
#' The object is confidential as a whole. Take `$synthetic` out of it.
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55).
#' Savitsky, Hu and Williams, Re-weighting of vector-weighted mechanisms for
#' utility maximization under differential privacy. Hu, Williams and Savitsky,
#' Mechanisms for global differential privacy under Bayesian data synthesis.
#' @seealso [synthesize()], [guarantee()], [compare_mechanisms()]
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
#'   mechanism = "lw", m = 2, prior = prior_normal(), chains = 2, warmup = 200,
#'   draws = 500, seed = 1
#' )
#' @export
pseudo_posterior <- function(formula, data, family = normal_mixture(),
                             mechanism, epsilon = NULL, m = 1, ...,
                             neighbours = c("add-remove", "replace"),
                             quantile = 1, scale = 1, shift = 0,
                             map = c("linear", "softmax", "logistic"),
                             radius = NULL, relative = TRUE, known = NULL,
                             risk_sets = 20, k = "auto", tolerance = 0.02,
                             max_refits = 10, reference = NULL, window = NULL,
                             rule = NULL, weight_range = NULL,
                             first_share = 0.2, bounds = NULL, bins = 60,
                             margin_share = 0.4, seed = NULL,
                             allow_unconverged = FALSE) {
  mechanism <- check_mechanism(rlang::maybe_missing(mechanism))
  check_number(epsilon, above = 0, null = TRUE)
  m <- check_count(m, min = 1)
  neighbours <- check_choice(neighbours, c("add-remove", "replace"))
  check_quantile(quantile)
  map <- check_choice(map, c("linear", "softmax", "logistic"))
  check_number(first_share, above = 0, below = 1)
  check_number(margin_share, above = 0, below = 1)
  check_seed(seed)
  check_flag(allow_unconverged)
  job <- list(
    formula = formula, data = data, family = family, mechanism = mechanism,
    epsilon = epsilon, m = m, fit_arguments = list(...),
    neighbours = neighbours, quantile = quantile, scale = scale, shift = shift,
    map = map, radius = radius, relative = relative, known = known,
    risk_sets = risk_sets, k = k, tolerance = tolerance,
    max_refits = max_refits, reference = reference, window = window,
    rule = rule, weight_range = weight_range, first_share = first_share,
    bounds = bounds, bins = bins, margin_share = margin_share, seed = seed,
    allow_unconverged = allow_unconverged
  )
  check_job(job)
  job$budget <- split_epsilon(job)
  fits <- blame(run_mechanism(job))
  margin <- job_margin(job)

  cli::cli_progress_step("Drawing {m} synthetic set{?s}")
  drawn <- draw_sets(
    fits[[length(fits)]], m,
    margin = margin, seed = stage_seed(seed, 3),
    allow_unconverged = allow_unconverged
  )
  new_pseudo_posterior(drawn, fits, job$mechanism, job$epsilon, margin)
}

#' @export
print.pseudo_posterior <- function(x, ...) {
  label <- guarantee(x)
  cat(
    sprintf(
      "Pseudo posterior synthesis: m = %d set%s of %s records", x$m,
      if (x$m == 1) "" else "s", format_count(x$synthetic$n_records)
    ),
    paste0("  mechanism: ", describe_job(x)),
    stage_lines(x$stages),
    paste0("  ", strwrap(paste("label:", format(label)), 76, exdent = 2)),
    if (label$label == "none" || label$reproducible) {
      "  All of it is confidential; $synthetic is not for release either."
    } else {
      "  $synthetic may leave the agency; the rest is confidential."
    },
    sep = "\n"
  )
  invisible(x)
}

#' @export
summary.pseudo_posterior <- function(object, ...) {
  structure(
    list(
      stages = object$stages, guarantee = guarantee(object),
      reweighting = final_fit(object)$reweighting, m = object$m
    ),
    class = "summary_pseudo_posterior"
  )
}

#' @export
print.summary_pseudo_posterior <- function(x, ...) {
  claims <- data.frame(
    stage = x$stages$stage, label = x$stages$label,
    "epsilon add/remove" = x$stages$epsilon_add_remove,
    "epsilon replace" = x$stages$epsilon_replace,
    seconds = x$stages$seconds, check.names = FALSE
  )
  cat(
    "Stages", stage_lines(x$stages),
    "Claimed for one parameter draw (- : nothing is claimed)",
    paste0("  ", format_table(claims)),
    if (!is.null(x$reweighting)) {
      search <- x$reweighting$search
      search$accepted <- ifelse(search$accepted, "yes", "no")
      search$converged <- ifelse(search$converged, "yes", "NO")
      c(
        sprintf(
          "Search for k: target Delta = %s, k = %s kept",
          format_figure(x$reweighting$target), format_figure(x$reweighting$k)
        ),
        paste0("  ", format_table(search))
      )
    },
    sep = "\n"
  )
  print(x$guarantee)
  invisible(x)
}

#' @rdname guarantee
#' @export
guarantee.pseudo_posterior <- function(x, m = x$m, public = FALSE,
                                       study = NULL, ...) {
  check_sets_drawn(m, x$m)
  check_flag(public)
  label <- x$internal$label
  if (!is.null(study)) {
    label <- probabilistic_guarantee(
      label, final_fit(x), study, rlang::current_env()
    )
  }
  if (public) publish_guarantee(label) else label
}
