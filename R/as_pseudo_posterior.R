#' Put stages made one by one together
#'
#' The tables and figures of [pseudo_posterior()] for who takes the steps one by
#' one: [fit_synthesizer()], [update()][update.synthesizer], [reweight()],
#' [synthesize()].
#'
#' @param synthetic (`synthetic_data`) What [synthesize()] drew from the last
#'   fit.
#' @param fits (named list of `synthesizer`) The fits by stage, in their order,
#'   such as `list(unweighted = , lw = , lw_final = )`. They must be fits of the
#'   same records.
#' @param margin (`perturbed_histogram` or `NULL`) The margin that `synthetic`
#'   was calibrated to. Default `NULL`: none.
#' @return A `pseudo_posterior`, see [pseudo_posterior()]. It is confidential.
#' @section Error types:
#' `pseudosynth_error_input`: objects of other classes, stages without names,
#' fits of other records, a synthetic file that is not of the last fit.
#' @seealso [plot.pseudo_posterior()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500
#' )
#' lw <- update(fit, privacy_weights = lipschitz_weights(fit))
#' job <- as_pseudo_posterior(
#'   synthesize(lw, m = 2), list(unweighted = fit, lw = lw)
#' )
#' job$stages
#' plot(job, "weights")
#' @export
as_pseudo_posterior <- function(synthetic, fits, margin = NULL) {
  check_class(synthetic, "synthetic_data", "Make it with {.fn synthesize}.")
  check_class(
    margin, "perturbed_histogram", "Make one with {.fn perturbed_histogram}.",
    null = TRUE
  )
  stages <- names(fits)
  if (!is.list(fits) || length(fits) == 0 || is.null(stages) ||
    anyDuplicated(stages) > 0 || !all(nzchar(stages))) {
    abort_input(
      c(
        "{.arg fits} must be a list of fits with the names of their stages.",
        i = "Write {.code list(unweighted = fit, lw = weighted)}."
      ),
      arg = "fits"
    )
  }
  for (fit in fits) {
    check_class(
      fit, "synthesizer", "Make one with {.fn fit_synthesizer}.",
      arg = "fits"
    )
  }
  check_same_records(synthetic, fits)
  new_pseudo_posterior(
    synthetic, fits,
    mechanism = stages[length(stages)], epsilon = NULL, margin = margin
  )
}

check_same_records <- function(synthetic, fits, call = rlang::caller_env()) {
  marks <- vapply(fits, history_mark, "")
  if (length(unique(marks)) > 1) {
    abort_input(
      c(
        "All {.arg fits} must be fits of the same records.",
        x = "They are of {length(unique(marks))} files or responses."
      ),
      arg = "fits", call = call
    )
  }
  last <- fits[[length(fits)]]
  same <- synthetic$n_records == n_records(last) &&
    synthetic$variable == last$response$variable &&
    synthetic$guarantee$mechanism == mechanism_of(last)
  if (!same) {
    abort_input(
      c(
        "{.arg synthetic} must be drawn from the last of the {.arg fits}.",
        x = "Its records, its variable or its mechanism are another's."
      ),
      arg = "synthetic", call = call
    )
  }
}
