#' Combine separately run stages into a job
#'
#' Combines fits and sets that you made step by step, with [fit_synthesizer()],
#' [update()][update.synthesizer], [reweight()] and [synthesize()], into a
#' `pseudo_posterior`. This gives you the tables and figures that
#' [pseudo_posterior()] gives.
#'
#' @param synthetic (`synthetic_data`) What [synthesize()] drew from the last
#'   fit.
#' @param fits (named list of `synthesizer`) The fits in order, named by stage,
#'   such as `list(unweighted = , lw = , lw_final = )`. All must be fits of the
#'   same records.
#' @param margin (`perturbed_histogram` or `NULL`) The margin that `synthetic`
#'   was calibrated to. Default `NULL`: none.
#' @param ... Must be empty.
#' @return A `pseudo_posterior`, see [pseudo_posterior()]. It is confidential.
#' @section Error types:
#' `pseudosynth_error_input`: an object of another class, stages without names,
#' or fits of different records. Class `pseudosynth_error_other_parts`:
#' `synthetic` was not drawn from the last fit or was calibrated to another
#' margin, or its label does not follow from these parts.
#' @seealso [plot.pseudo_posterior()]
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
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
  check_class(synthetic, "synthetic_data")
  check_class(margin, "perturbed_histogram", null = TRUE)
  stages <- names(fits)
  refuse_if(
    !is.list(fits) || length(fits) == 0 || is.null(stages) ||
      anyDuplicated(stages) > 0 || !all(nzchar(stages)),
    "{.arg fits} must be a list of fits, each named by its stage.",
    i = "Write {.code list(unweighted = fit, lw = weighted)}.", arg = "fits"
  )
  for (fit in fits) check_knows_records(fit, "fits")
  n_files <- length(unique(vapply(fits, history_mark, "")))
  refuse_if(
    n_files > 1, "All {.arg fits} must be fits of the same records.",
    x = "They are fits of {n_files} different files or responses.", arg = "fits"
  )
  new_pseudo_posterior(
    list(
      synthetic = synthetic,
      label = label_of_parts(synthetic, fits[[length(fits)]], margin)
    ), fits,
    mechanism = stages[length(stages)], epsilon = NULL, margin = margin
  )
}

#' The sets' label made again from what they are said to be made of
#'
#' Any difference is an error: of two labels the agency would file the smaller.
#' @return The label with the agency's figures.
#' @noRd
label_of_parts <- function(synthetic, fit, margin) {
  own <- synthetic$guarantee
  refuse_parts <- function(wrong, arg, ...) {
    refuse_if(
      wrong,
      "{.arg synthetic} must be made from the {.arg fits} and the {.arg margin}
       given.", ...,
      arg = arg, class = "pseudosynth_error_other_parts",
      .envir = rlang::caller_env()
    )
  }
  refuse_parts(
    !identical(own$fit, fit$id), "fits",
    x = "It was not drawn from the last of the {.arg fits}.",
    i = "Give the fit that it was drawn from. A refit is another fit, and so is
         a fit after {.fn truncate_draws}."
  )
  label <- label_of_fit(
    fit, length(synthetic),
    what = "synthetic data", assignment = synthetic$made_by$assignment,
    reproducible = isTRUE(own$reproducible), margin = margin_part(margin),
    draws_id = own$draws, bounds = only_column(synthetic)$bounds
  )
  what <- own$charges$what[!own$charges$id %in% label$charges$id]
  refuse_parts(
    length(what) > 0, "margin",
    x = "Its label also charges for: {.val {what}}.",
    i = "Give the {.arg margin} that it was calibrated to."
  )
  remade <- publish_guarantee(label)
  differ <- union(names(own), names(remade))
  differ <- differ[!vapply(differ, function(field) {
    identical(own[[field]], remade[[field]])
  }, TRUE)]
  refuse_parts(
    length(differ) > 0, "synthetic",
    x = "{cli::qty(length(differ))}The field{?s} {.val {differ}} of its label
         {?is/are} not what its parts give."
  )
  label
}
