#' The whole workflow in one call
#'
#' Fits the unweighted model, turns its record bounds into Lipschitz weights,
#' refits, re-weights, and draws m synthetic sets with their label: what
#' [fit_synthesizer()], [lipschitz_weights()], [update()][update.synthesizer],
#' [reweight()] and [synthesize()] do one by one.
#'
#' @param formula,data,family As in [fit_synthesizer()]. The default family is
#'   the papers' model for income, [normal_mixture()] with 10 components.
#' @param mechanism (string) Has no default, because it decides what is
#'   promised:
#'   * `"lw_final"`: Lipschitz weights, re-weighted to use the whole bound;
#'   * `"lw"`: Lipschitz weights;
#'   * `"unweighted"`: no protection, for comparison.
#' @param m (count) Number of synthetic sets. Default 1.
#' @param ... Further arguments of [fit_synthesizer()], such as `prior`,
#'   `chains`, `warmup`, `draws`, `threads`. They hold for every stage.
#' @param quantile (number in (0, 1]) Draws above this quantile of the draw
#'   bounds are dropped at every stage, see [truncate_draws()]. Default 1: none.
#' @param scale,shift,map The Lipschitz weights, see [lipschitz_weights()].
#' @param k,tolerance,max_refits The re-weighting constant and the search for
#'   it, see [reweight()].
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
#'   * `internal` (confidential): `fits`, a list of the fits by stage
#'     (`unweighted`, `lw`, `lw_final`);
#'   * `stages` (data frame, confidential): see `summary()`;
#'   * `mechanism` (string), `m` (count).
#'
#'   `summary()` has one row per stage: the bound, twice the bound, the largest
#'   oscillation, the smallest and median weight, the claimed epsilon of one
#'   draw under both neighbour relations (`NA` where nothing is claimed),
#'   whether the fit converged, and its seconds.
#'
#' @section Error types:
#' `pseudosynth_error_input`: no mechanism named, one that does not exist, and
#' whatever the stages refuse.
#'
#' @section Privacy:
#' The object is confidential as a whole. Take `$synthetic` out of it.
#' @references
#' Savitsky, Williams and Hu (2022), Bayesian pseudo posterior mechanism under
#' asymptotic differential privacy, Journal of Machine Learning Research 23(55).
#' Savitsky, Hu and Williams, Re-weighting of vector-weighted mechanisms for
#' utility maximization under differential privacy.
#' @seealso [synthesize()], [guarantee()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' job <- pseudo_posterior(log(income) ~ age + earner, small, gaussian(),
#'   mechanism = "lw", m = 2, prior = prior_normal(), chains = 2, warmup = 200,
#'   draws = 500, seed = 1
#' )
#' job
#' job$synthetic
#' @export
pseudo_posterior <- function(formula, data, family = normal_mixture(),
                             mechanism, m = 1, ..., quantile = 1, scale = 1,
                             shift = 0,
                             map = c("linear", "softmax", "logistic"),
                             k = "auto", tolerance = 0.02, max_refits = 6,
                             seed = NULL, allow_unconverged = FALSE) {
  mechanism <- check_mechanism(rlang::maybe_missing(mechanism))
  m <- check_count(m, min = 1)
  check_quantile(quantile)
  map <- check_choice(map, c("linear", "softmax", "logistic"))
  check_seed(seed)
  check_flag(allow_unconverged)
  fits <- list()

  cli::cli_progress_step("Fitting the unweighted model")
  fit <- fit_synthesizer(
    formula, data, family, ...,
    seed = stage_seed(seed, 0)
  )
  fits$unweighted <- truncate_draws(fit, quantile)

  if (mechanism != "unweighted") {
    cli::cli_progress_step("Fitting with Lipschitz weights")
    weights <- lipschitz_weights(
      fits$unweighted, scale, shift, map,
      allow_unconverged = allow_unconverged
    )
    fit <- refit_stage(fits$unweighted, weights, stage_seed(seed, 1))
    fits$lw <- truncate_draws(fit, quantile)
  }
  if (mechanism == "lw_final") {
    cli::cli_progress_step("Re-weighting")
    arguments <- list(
      fits$lw,
      k = k, tolerance = tolerance, max_refits = max_refits,
      allow_unconverged = allow_unconverged, quantile = quantile
    )
    if (!is.null(seed)) arguments$seed <- stage_seed(seed, 2)
    fits$lw_final <- do.call(reweight, arguments)
  }

  cli::cli_progress_step("Drawing {m} synthetic set{?s}")
  synthetic <- synthesize(
    fits[[length(fits)]], m,
    seed = stage_seed(seed, 3), allow_unconverged = allow_unconverged
  )
  new_pseudo_posterior(synthetic, fits, mechanism)
}

new_pseudo_posterior <- function(synthetic, fits, mechanism) {
  structure(
    list(
      synthetic = synthetic, internal = list(fits = fits),
      stages = stage_table(fits), mechanism = mechanism, m = synthetic$m
    ),
    class = "pseudo_posterior"
  )
}

available_mechanisms <- c("lw_final", "lw", "unweighted")

check_mechanism <- function(mechanism, call = rlang::caller_env()) {
  if (rlang::is_missing(mechanism)) {
    abort_input(
      c(
        "{.arg mechanism} must be named: it decides what is promised.",
        i = "Choose one of {.or {.val {available_mechanisms}}}."
      ),
      arg = "mechanism", call = call
    )
  }
  check_string(mechanism, call = call)
  check_choice(mechanism, available_mechanisms, call = call)
}

#' Every stage has a seed of its own
#' @noRd
stage_seed <- function(seed, stage) {
  if (is.null(seed)) NULL else (seed + stage) %% 2^53
}

refit_stage <- function(fit, weights, seed) {
  if (is.null(seed)) {
    update(fit, privacy_weights = weights)
  } else {
    update(fit, privacy_weights = weights, seed = seed)
  }
}

final_fit <- function(x) {
  fits <- x$internal$fits
  fits[[length(fits)]]
}

#' One row per stage
#' @noRd
stage_table <- function(fits) {
  rows <- lapply(names(fits), function(stage) {
    fit <- fits[[stage]]
    label <- guarantee_of_fit(fit, 1)
    alpha <- fit$spec$alpha
    epsilon <- label$epsilon$per_draw
    data.frame(
      stage = stage,
      delta = fit$bound$overall,
      two_delta = 2 * fit$bound$overall,
      oscillation = max(fit$bound$oscillation),
      alpha_min = min(alpha),
      alpha_median = stats::median(alpha),
      epsilon_add_remove = epsilon[["add/remove-one"]],
      epsilon_replace = epsilon[["replace-one"]],
      label = label$label,
      converged = isTRUE(fit$converged),
      seconds = stage_seconds(fit)
    )
  })
  do.call(rbind, rows)
}

#' A re-weighted stage took all the refits of its search
#' @noRd
stage_seconds <- function(fit) {
  search <- fit$reweighting$search
  if (is.null(search)) fit$seconds$total %||% NA_real_ else sum(search$seconds)
}

#' @export
print.pseudo_posterior <- function(x, ...) {
  label <- guarantee(x)
  cat(
    sprintf(
      "Pseudo posterior synthesis: m = %d set%s of %s records", x$m,
      if (x$m == 1) "" else "s", format_count(x$synthetic$n_records)
    ),
    paste0("  mechanism: ", describe_mechanism(x$mechanism)),
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

stage_lines <- function(stages) {
  shown <- data.frame(
    stage = stages$stage, Delta = stages$delta, "2 Delta" = stages$two_delta,
    oscillation = stages$oscillation, "min alpha" = stages$alpha_min,
    "median alpha" = stages$alpha_median,
    converged = ifelse(stages$converged, "yes", "NO"), check.names = FALSE
  )
  paste0("  ", format_table(shown))
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
