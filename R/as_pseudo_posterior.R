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
#' @param ... Must be empty.
#' @return A `pseudo_posterior`, see [pseudo_posterior()]. It is confidential.
#' @section Error types:
#' `pseudosynth_error_input`: objects of other classes, stages without names,
#' fits of other records. Class `pseudosynth_error_other_parts`: a synthetic
#' file that was not drawn from the last fit, or with another margin, or whose
#' label is not what they give.
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
as_pseudo_posterior <- function(synthetic, fits, margin = NULL, ...) {
  check_no_dots(..., hint = "See {.fn as_pseudo_posterior}.")
  check_present(fits)
  check_class(synthetic, "synthetic_data", "Make it with {.fn synthesize}.")
  check_class(
    margin, "perturbed_histogram", "Make one with {.fn perturbed_histogram}.",
    null = TRUE
  )
  stages <- names(fits)
  if (!is.list(fits) || length(fits) == 0 || is.null(stages) ||
    anyDuplicated(stages) > 0 || !all(nzchar(stages))) {
    abort_input(
      "{.arg fits} must be a list of fits with the names of their stages.",
      i = "Write {.code list(unweighted = fit, lw = weighted)}.", arg = "fits"
    )
  }
  for (fit in fits) {
    check_class(
      fit, "synthesizer", "Make one with {.fn fit_synthesizer}.", arg = "fits"
    )
  }
  check_same_records(fits)
  new_pseudo_posterior(
    list(
      synthetic = synthetic,
      label = label_of_parts(synthetic, fits[[length(fits)]], margin)
    ), fits,
    mechanism = stages[length(stages)], epsilon = NULL, margin = margin
  )
}

check_same_records <- function(fits) {
  marks <- vapply(fits, history_mark, "")
  refuse_if(
    length(unique(marks)) > 1,
    "All {.arg fits} must be fits of the same records.",
    x = "They are of {length(unique(marks))} files or responses.", arg = "fits"
  )
}

#' The sets' label made again from what they are said to be made of
#'
#' Any difference is an error: of two labels the agency would file the smaller.
#' @return The label with the agency's figures.
#' @noRd
label_of_parts <- function(synthetic, fit, margin) {
  own <- synthetic$guarantee
  refuse <- function(arg, ...) {
    abort_input(
      "{.arg synthetic} and its parts do not belong together.", ...,
      arg = arg, class = "pseudosynth_error_other_parts",
      .envir = rlang::caller_env()
    )
  }
  if (!identical(own$fit, fit$id)) {
    refuse(
      "fits",
      x = "It was not drawn from the last of the {.arg fits}.",
      i = "A refit and a fit without some of its draws are other fits."
    )
  }
  label <- label_of_fit(
    fit, length(synthetic),
    what = "synthetic data", assignment = synthetic$made_by$assignment,
    reproducible = isTRUE(own$reproducible), margin = margin_part(margin),
    draws_id = own$draws, bounds = only_column(synthetic)$bounds
  )
  paid <- setdiff(own$charges$id, label$charges$id)
  if (length(paid) > 0) {
    what <- own$charges$what[own$charges$id %in% paid]
    refuse(
      "margin",
      x = "Its label also charges for: {.val {what}}.",
      i = "Give the {.arg margin} that it was calibrated to."
    )
  }
  remade <- publish_guarantee(label)
  differ <- union(names(own), names(remade))
  differ <- differ[!vapply(differ, function(field) {
    identical(own[[field]], remade[[field]])
  }, TRUE)]
  if (length(differ) > 0) {
    refuse(
      "synthetic",
      x = "{cli::qty(length(differ))}The field{?s} {.val {differ}} of its label
           {?is/are} not what its parts give."
    )
  }
  label
}
