#' Draw responses from the posterior predictive distribution
#'
#' For checks of the model inside the agency, for instance by
#' `bayesplot::pp_check()`. Each draw takes a parameter draw of its own, so that
#' S of them would cost S times the privacy of one: use [synthesize()] for what
#' is to be released.
#'
#' @param object (`synthesizer`) A fit of [fit_synthesizer()].
#' @param newdata (data frame or `NULL`) Predictors of other records; `NULL`,
#'   the default, takes the fit's own.
#' @param draws (count or `NULL`) How many draws, spread evenly over the fit's;
#'   `NULL`, the default, all of them.
#' @param seed (whole number or `NULL`) As in [fit_synthesizer()].
#' @param draw_ids (whole numbers from 1 to S, or `NULL`) Which draws, in place
#'   of `draws`.
#' @param ... Not used.
#' @return (numeric matrix, S x N) Draws in rows, records in columns, in the
#'   response's own unit; counts are whole, and of two values the second is 1
#'   and the first 0. Confidential.
#' @section Error types: `pseudosynth_error_input` for new data without a
#'   predictor or with an unknown level, and for a matrix larger than the option
#'   `pseudosynth.max_bytes`.
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(), chains = 2, draws = 500, seed = 1
#' )
#' dim(posterior_predict(fit, draws = 10))
#' @importFrom rstantools posterior_predict
#' @method posterior_predict synthesizer
#' @export
posterior_predict.synthesizer <- function(object, newdata = NULL, draws = NULL,
                                          seed = NULL, draw_ids = NULL, ...) {
  check_no_dots(...)
  check_class(object, "synthesizer")
  draws <- chosen_draws(draws, draw_ids, n_draws(object))
  check_seed(seed)
  spec <- newdata_spec(object, newdata)
  check_size(length(draws), length(spec$y))
  values <- call_core(
    synthesize_(
      spec, object$draws[draws, , drop = FALSE],
      seed_words(seed, "predict"), 0L
    ),
    call = rlang::current_env()
  )
  t(response_number(object$response, values))
}

#' Synthetic sets for a measure inside the agency: drawn as synthesize() draws
#' them, a parameter draw for each, but without a label, so not for release
#' @return (list of m data frames)
#' @noRd
predictive_sets <- function(fit, m) {
  check_draws_for(fit, m)
  rows <- random_rows(n_draws(fit), m, seed_words(NULL))
  values <- synthesize_(
    fit$spec, fit$draws[rows, , drop = FALSE], seed_words(NULL), 0L
  )
  lapply(seq_len(m), function(j) {
    set <- fit$data
    set[[fit$response$variable]] <- response_inverse(fit$response, values[, j])
    set
  })
}

#' Each synthetic set takes a draw of its own
#' @noRd
check_draws_for <- function(fit, m, call = rlang::caller_env()) {
  n_kept <- n_draws(fit)
  if (m > n_kept) {
    abort_input(
      c(
        "Each synthetic set needs a draw of its own.",
        x = "{m} sets are asked for, but the fit keeps {n_kept} draw{?s}.",
        i = "Fit with more {.arg draws}."
      ),
      arg = "m", call = call
    )
  }
}
