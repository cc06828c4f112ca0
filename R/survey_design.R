# Synthetic sets as survey designs, for package survey.

#' Synthetic sets as designs of package survey
#'
#' Makes a [survey::svydesign()] of each set, with the set's survey weights. The
#' functions of package survey then give weighted estimates and their standard
#' errors. Sets whose weights were raked by [rake_weights()] become raked
#' designs: totals that were stated have standard error 0.
#'
#' For several sets, `with()` calls a function of package survey on each design
#' and [pool()] combines the results. Write the call without its `design`:
#' `with(designs, svymean(~income))`.
#'
#' Sets of a [file_release()] must be several, drawn with `uncertainty = TRUE`.
#' The variance within one set is that of a sample. It leaves out the noise of
#' the release, which only the variance between such sets measures. So one set
#' of a release is refused, and so are sets that [pool()] refuses. In 20 samples
#' of 3,000 records of [ce_income], at epsilon 1, the mean income of a region
#' was within 1.96 standard errors of one set in 63% of cases, and of ten pooled
#' sets in 98%. The release's own intervals need no set: see [tables()] and
#' [summary()][summary.file_release].
#'
#' Standard errors treat the records as independent draws with unequal
#' probabilities. They ignore strata and clusters. For a design with strata or
#' clusters call [survey::svydesign()] on `as.data.frame(sets)`.
#'
#' @param sets (`synthetic_data`) Sets of a [file_release()] whose plan states
#'   `survey_weights`.
#' @param set (count or `NULL`) Which set. `NULL`, the default: the only set, or
#'   all sets if there are several. It does not apply to sets of a release.
#' @param data (`survey_designs`) The designs of several sets.
#' @param expr (call) A function of package survey without its argument
#'   `design`, such as `svyglm(log(income) ~ age)`.
#' @param ... Not used.
#' @return For one set, a `survey.design2`. For several sets, a
#'   `survey_designs`, which is also an `svyimputationList` of package survey: a
#'   list whose element `designs` has one design per set. Rows are in random
#'   order, as in `as.data.frame(sets)`. `with()`: a list of results of class
#'   `synthetic_fits`, see [pool()].
#' @section Error types: `pseudosynth_error_input`: sets without weights; a set
#'   that does not exist; an expression that is not a call; package survey is
#'   not installed; sets of a release that do not show its noise (class
#'   `pseudosynth_error_no_noise`).
#' @section Privacy: A design is post-processing of the sets and has the same
#'   label. It holds only a set, in random order.
#' @seealso [rake_weights()], [file_plan()], [pool()]
#' @examplesIf requireNamespace("survey", quietly = TRUE)
#' people <- subset(ce_income, income > 0, c("income", "region", "sex"))
#' people$weight <- runif(nrow(people), 10000, 30000)
#' book <- as.data.frame(draft_codebook(people))
#' book[c(1, 4), "lower"] <- c("1", "1000")
#' book[c(1, 4), "upper"] <- c("2e6", "1e5")
#' book[c(1, 4), "transform"] <- "log"
#' plan <- file_plan(people, confirm_codebook(codebook(book)),
#'   survey_weights = "weight"
#' )
#' sets <- synthesize(file_release(plan, epsilon = 1), 5, uncertainty = TRUE)
#' designs <- survey_design(sets)
#' pool(with(designs, survey::svymean(~sex)))
#' pool(with(designs, survey::svyby(~income, ~region, FUN = survey::svymean)))
#' @export
survey_design <- function(sets, set = NULL) {
  check_weighted_sets(sets)
  check_count(set, min = 1, null = TRUE)
  check_shows_noise(sets, set)
  check_installed("survey")
  if (!is.null(set) || sets$m == 1) {
    return(set_design(sets, set %||% 1))
  }
  structure(
    list(
      designs = lapply(seq_len(sets$m), set_design, sets = sets),
      call = quote(survey_design(sets))
    ),
    class = c("survey_designs", "svyimputationList"),
    combine = sets$made_by$combine
  )
}

#' Refuse sets whose variances leave out the noise of their release
#'
#' As pool() does: in one set nothing tells how large it is.
#' @noRd
check_shows_noise <- function(sets, set) {
  combine <- sets$made_by$combine
  alone <- sets$m == 1 || !is.null(set)
  refuse_if(
    combine == "none" || combine == "rubin" && alone,
    "{.arg sets} must be several sets, drawn with
     {.code uncertainty = TRUE}.",
    x = if (alone) {
      "The variance within one set is that of a sample. It leaves out the noise
       of what the set was drawn from."
    } else {
      "These sets hold the same best-fitting values in different rows. The
       variance between them leaves out the noise of what they were drawn
       from."
    },
    i = "For any estimate pool several sets: {.code sets <- synthesize(release,
         m = 20, uncertainty = TRUE)}, then
         {.code pool(with(survey_design(sets), svymean(~x)))}.",
    i = "A file release has intervals of its own: {.code tables(release)} of
         shares, {.code summary(release)} of amounts.",
    i = "Estimates without standard errors need no design.",
    arg = "sets", class = "pseudosynth_error_no_noise"
  )
}

#' The design of one set
#' @noRd
set_design <- function(sets, set) {
  frame <- as.data.frame(sets, set = set)
  # Persons of a household are drawn together
  unit <- if (is.null(sets$unit)) 1 else as.name(sets$unit)
  ids <- stats::as.formula(call("~", unit), baseenv())
  design <- if (is.null(sets$totals)) {
    plain_design(frame, frame[[sets$survey_weights]], ids)
  } else {
    raked_design(frame, sets$survey_weights, sets$totals, set)
  }
  # As it can be made from the frame, without what was called here
  design$call <- as.call(list(
    quote(svydesign), ids = call("~", ids[[2]]), data = quote(set),
    weights = call("~", as.name(sets$survey_weights))
  ))
  design
}

#' @rdname survey_design
#' @export
with.survey_designs <- function(data, expr, ...) {
  asked <- substitute(expr)
  check_that(
    is.call(asked), asked,
    "{.arg expr} must be a call, such as {.code svymean(~income)}.",
    arg = "expr"
  )
  check_installed("survey")
  asked$design <- quote(.design)
  in_each_frame(
    lapply(data$designs, function(design) list(.design = design)), asked,
    parent.frame(), attr(data, "combine")
  )
}
