#' The log-likelihood of every record at every draw
#'
#' `log_lik` is always unweighted and uncensored: f_i(theta_s) =
#' log p(y_i | x_i, theta_s), the log density of the *modelled* response (for
#' `log(income) ~ ...` that of the log, without a Jacobian).
#'
#' [lipschitz()] does not need this matrix: it streams over it. Use it for other
#' packages, such as loo.
#'
#' @param object (`synthesizer`) A fit of [fit_synthesizer()].
#' @param draws (count or `NULL`) How many draws, spread evenly over the fit's;
#'   `NULL`, the default, all of them.
#' @param draw_ids (whole numbers from 1 to S, or `NULL`) Which draws, in place
#'   of `draws`.
#' @param records (whole numbers from 1 to N, or `NULL`) Which records; `NULL`,
#'   the default, all of them.
#' @param ... Not used.
#' @return (numeric matrix, S x N) Draws in rows (chains merged, chain 1 first)
#'   and records in columns, in the order of the data. `-Inf` where a density is
#'   0. Confidential.
#' @section Error types: `pseudosynth_error_input` when the matrix would be
#'   larger than the option `pseudosynth.max_bytes` (default 2e9), or for a draw
#'   or record that does not exist.
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(), chains = 2, draws = 500, seed = 1
#' )
#' dim(log_lik(fit, draws = 10))
#' @importFrom rstantools log_lik
#' @method log_lik synthesizer
#' @export
log_lik.synthesizer <- function(object, draws = NULL, records = NULL,
                                draw_ids = NULL, ...) {
  check_no_dots(...)
  check_class(object, "synthesizer")
  draws <- chosen_draws(draws, draw_ids, n_draws(object))
  records <- check_index(records, n_records(object))
  check_size(length(draws), length(records))
  call_core(
    log_lik_(
      subset_spec(object$spec, records), object$draws[draws, , drop = FALSE]
    ),
    call = rlang::current_env()
  )
}

#' How many draws, or which: one number alone could be meant as either
#' @return (integer) Which.
#' @noRd
chosen_draws <- function(draws, ids, n, call = rlang::caller_env()) {
  if (is.null(draws)) {
    return(check_index(ids, n, arg = "draw_ids", call = call))
  }
  if (!is.null(ids)) {
    abort_input(
      "Only one of {.arg draws} and {.arg draw_ids} can be given.",
      arg = "draws", call = call
    )
  }
  if (length(draws) > 1) {
    abort_input(
      c(
        "{.arg draws} must be one number: how many.",
        x = "It is {describe_type(draws)}.",
        i = "Say by {.arg draw_ids} which ones."
      ),
      arg = "draws", call = call
    )
  }
  draws <- check_count(draws, min = 1, max = n, arg = "draws", call = call)
  round(seq(1, n, length.out = draws))
}

# A matrix of draws by records can outgrow the machine.
check_size <- function(n_draws, n_records, call = rlang::caller_env()) {
  bytes <- 8 * as.double(n_draws) * n_records
  limit <- getOption("pseudosynth.max_bytes", 2e9)
  if (bytes > limit) {
    gigabytes <- format(bytes / 1e9, digits = 2)
    abort_input(
      c(
        "A matrix of {n_draws} draws by {n_records} records must stay below
         {format(limit / 1e9)} GB.",
        x = "It would take {gigabytes} GB.",
        i = "Ask for fewer {.arg draws} or records, or raise the option
             {.code pseudosynth.max_bytes}."
      ),
      arg = "draws", call = call
    )
  }
  invisible(bytes)
}
