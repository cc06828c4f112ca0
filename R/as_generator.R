#' Take parameter draws from a fit, to generate sets without the file
#'
#' Takes m parameter draws from a fit, charges for them, and keeps them together
#' with the model's formula, levels and scaling. The generator holds no records,
#' Lipschitz bound, weights, other draws, chains or seed. Write it with
#' [release()]. Then `synthesize(generator, m, newdata)` draws sets in any
#' session, for the predictors in `newdata`. These predictors are published with
#' the sets.
#'
#' The label of a fit covers its parameter draws, and sets are drawn from these.
#' A generator therefore costs as much as m sets, and it may be released under
#' the same conditions. This cost covers all sets drawn from the generator
#' later, for any predictors. Only further parameter draws cost more. The j-th
#' draw in the generator gives the j-th set, so a generator gives at most m sets
#' at a time. Calling `as_generator()` again on the fit takes other draws and
#' adds their charges.
#'
#' Objects of [score_release()], [perturbed_histogram()] and [file_release()]
#' hold no protected value and need no generator: [release()] writes them as
#' they are.
#'
#' @param x (`synthesizer` or `pseudo_posterior`) A fit or a job. From a job,
#'   its last fit, its margin and its bounds are used. The job's own sets come
#'   from other draws, so the generator's charges are added to the job's.
#' @param m (count) How many parameter draws to take. Default 1.
#' @param margin,bounds,seed,allow_unconverged,ledger As in [synthesize()]. For
#'   a job, `margin` and `bounds` default to those of the job.
#' @param data (data frame or `NULL`) The whole confidential file. The scan
#'   searches for its values. Default `NULL`: the scan only searches for values
#'   of the model's columns.
#' @param public (character) As in [release()].
#' @param ... Must be empty.
#'
#' @return A `synthesis_generator`, for [synthesize()] and [guarantee()].
#' @section The scan:
#' The generator is written to a private temporary file. This file is scanned
#' for confidential values in the same way as [release()] scans its files.
#' @section Error types:
#' `pseudosynth_error_input`: `m` exceeds the number of draws in the fit.
#' `pseudosynth_error_privacy`: the fit has not converged, or the budget is
#' spent. `pseudosynth_error_found`: the scan found something confidential.
#' @section Privacy:
#' A generator holds the levels of its factors in the order they had in the fit,
#' and so do sets. A message (`pseudosynth_message_level_order`) names unordered
#' factors whose levels are not sorted. Make sure that the order of their levels
#' was not computed from the response. A generator may be published as far as
#' its label allows. Keep it inside the agency if the label is `"none"` or a
#' seed was given.
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
#' # Later, in another session, for any predictors
#' people <- data.frame(age = "21 to 40", earner = rep(c("yes", "no"), 5))
#' synthesize(generator, m = 2, newdata = people)[[1]]
#' @export
as_generator <- function(x, m = 1, margin = NULL, bounds = NULL, seed = NULL,
                         allow_unconverged = FALSE, ledger = NULL, data = NULL,
                         public = character(), ...) {
  check_no_dots(..., hint = "See {.fn as_generator}.")
  check_present(x)
  check_argument(ledger)
  check_public_text(public)
  if (!is.null(data)) data <- confidential_file(data, x)
  fit <- if (is_job(x)) final_fit(x) else x
  if (is_job(x)) {
    margin <- margin %||% x$internal$margin
    bounds <- bounds %||% only_column(x$synthetic)$bounds
  }
  refuse_if(
    inherits(fit, "noisy_release"),
    "{.arg x} needs no generator: it holds no protected value.",
    i = "Write it with {.fn release}, and give it to {.fn synthesize}.",
    arg = "x"
  )
  check_class(fit, "synthesizer", arg = "x")
  check_formats("rds")
  asked <- asked_sets(
    m, NULL, margin, "prior", seed, allow_unconverged, bounds
  )
  plan <- plan_sets(
    fit, asked, ledger, generator_words[["model"]], pay = FALSE
  )
  tell_level_order(fit$data[fit$design$variables])
  generator <- new_generator(
    fit, fit$draws[drawn_rows(fit, plan$asked), , drop = FALSE], margin,
    bounds, publish_guarantee(plan$label)
  )
  # What the scan refuses has cost nothing
  scan_generator(generator, fit, data %||% fit$data, public)
  pay_sets(ledger, fit, plan$label, plan$rows)
  generator
}

#' Look for the confidential file in a generator, as in a release
#' @noRd
scan_generator <- function(generator, fit, file, public) {
  check_file_response(generator$response$name, file)
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
