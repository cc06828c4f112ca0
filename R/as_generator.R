#' A model that generates without the confidential file
#'
#' Takes m parameter draws out of a fit, pays for them, and keeps them with the
#' model's blueprint and nothing else: no record, bound, weight, other draw,
#' chain or seed. Write it with [release()]; in any session,
#' `synthesize(generator, m, newdata)` draws sets for the predictors in
#' `newdata`, which are published with them.
#'
#' What a label promises, it promises of the parameter draw; sets are drawn from
#' it and cost nothing more, whatever their number and their predictors. So a
#' generator costs what m sets cost, it is as fit to leave as they are, and all
#' sets that are ever drawn from it, with it, cost that once. What would cost
#' more is another parameter draw, hence a generator gives no more than m sets
#' at a time, the j-th from its j-th draw; another `as_generator()` beside the
#' file takes other draws, whose charges are added.
#'
#' A [score_release()] and a [perturbed_histogram()] hold no record: they can be
#' saved as they are.
#'
#' @param x (`synthesizer` or `pseudo_posterior`) A fit, or a job: its last fit,
#'   its margin and its bounds. The sets that a job has drawn are of other
#'   draws: the generator's charges come on top of the job's.
#' @param m (count) Parameter draws to take. Default 1.
#' @param margin,bounds,seed,allow_unconverged,ledger As in [synthesize()].
#'   `margin` and `bounds` of a job are its own.
#' @param data (data frame or `NULL`) The whole confidential file, for the scan.
#'   `NULL`, the default: the columns of the model.
#' @param public (character) As in [release()].
#' @param ... Must be empty.
#'
#' @return A `synthesis_generator`, for [synthesize()] and [guarantee()].
#' @section The scan:
#' The generator is written to a private file and scanned as [release()] scans
#' what it writes.
#' @section Error types:
#' `pseudosynth_error_input`: more draws than the fit has.
#' `pseudosynth_error_privacy`: a fit that has not converged, a budget that is
#' spent; `pseudosynth_error_found`: something confidential was found.
#' @section Privacy:
#' A generator holds its factors' levels in the order that they had in the fit;
#' a message (`pseudosynth_message_level_order`) names factors that are neither
#' sorted nor ordered. That order must not come from the response. The generator
#' is public as far as its label is. One with the label `"none"`,
#' or made under a seed, is for inside the agency.
#' @seealso [synthesize()], [release()], [ledger()]
#' @examplesIf requireNamespace("jsonlite", quietly = TRUE)
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(1, c(10.8, 2.5)), chains = 2, warmup = 200,
#'   draws = 1000, response = public_response(digits = 0, bounds = c(1, 2e6)),
#'   censor = censor(2, reference = list("(Intercept)" = 10.8, sigma = 1))
#' )
#' generator <- as_generator(fit, m = 2)
#' generator
#' # Later, elsewhere, for any predictors
#' people <- data.frame(age = "21 to 40", earner = rep(c("yes", "no"), 5))
#' synthesize(generator, m = 2, newdata = people)[[1]]
#' @export
as_generator <- function(x, m = 1, margin = NULL, bounds = NULL, seed = NULL,
                         allow_unconverged = FALSE, ledger = NULL, data = NULL,
                         public = character(), ...) {
  check_no_dots(..., hint = "See {.fn as_generator}.")
  check_present(x)
  check_ledger(ledger)
  check_public_text(public)
  if (!is.null(data)) data <- confidential_file(data, x)
  fit <- if (is_job(x)) final_fit(x) else x
  if (is_job(x)) {
    margin <- margin %||% x$internal$margin
    bounds <- bounds %||% only_column(x$synthetic)$bounds
  }
  check_generator_source(fit)
  check_formats("rds")
  plan <- plan_sets(fit, list(
    m = m, newdata = NULL, margin = margin, assignment = "prior", seed = seed,
    allow_unconverged = allow_unconverged, bounds = bounds, uncertainty = FALSE
  ), ledger, generator_words[["model"]])
  tell_level_order(fit)
  generator <- new_generator(
    fit, fit$draws[drawn_rows(fit, plan$asked), , drop = FALSE], margin,
    bounds, publish_guarantee(plan$label)
  )
  scan_generator(generator, fit, data %||% fit$data, public)
  generator
}

#' Say which factors' order of levels leaves with the model
#'
#' Sets have their levels sorted, the model those of the fit.
#' @noRd
tell_level_order <- function(fit) {
  factors <- Filter(is.factor, fit$data[fit$design$variables])
  own <- names(factors)[vapply(factors, function(x) {
    !identical(levels(x), levels(canonical_factor(x)))
  }, NA)]
  if (length(own) > 0) {
    cli::cli_inform(
      c(
        "!" = "The generator holds the order of the levels of {.val {own}}.",
        i = "It must not be made from the response, as {.fn reorder} does.
             Where it is, sort the levels before the fit by
             {.code factor(as.character(x))}."
      ),
      class = "pseudosynth_message_level_order"
    )
  }
}

check_generator_source <- function(fit) {
  refuse_if(
    inherits(fit, c("score_release", "perturbed_histogram")),
    "{.arg x} holds no record already.",
    i = "Write it with {.fn release}, and give it to {.fn synthesize} with
         {.arg newdata}.",
    arg = "x"
  )
  check_class(
    fit, "synthesizer", "Make one with {.fn fit_synthesizer}.", arg = "x"
  )
}

#' Look for the confidential file in a generator, as in a release
#' @noRd
scan_generator <- function(generator, fit, file, public) {
  check_file_response(generator$response$variable, file)
  # What sets of the fit's own records would show is explained
  sets <- suppressMessages(synthesize(generator, 1, newdata = fit$data))
  secrets <- release_secrets(as.data.frame(file), sets, public, "rds")
  folder <- tempfile("generator")
  dir.create(folder, mode = "0700")
  on.exit(unlink(folder, recursive = TRUE))
  # As saveRDS() writes it later, but for the compression
  saveRDS(generator, file.path(folder, "generator.rds"), compress = FALSE)
  check_none_found(folder, secrets)
}
