#' Drop the records whose bound is above a target
#'
#' Weighted-e: a record whose bound in the weighted fit lies above \eqn{\epsilon
#' / 2} gets weight 0, all others keep theirs. Fit again with these weights; the
#' new bounds differ, because the draws do.
#'
#' @param fit (`synthesizer` or [external_fit()]) A weighted fit.
#' @param epsilon (number > 0) The target of \eqn{2 \Delta}.
#' @param allow_unconverged (flag) Use a fit that has not converged? Default
#'   `FALSE`: an error.
#'
#' @return [`privacy_weights`][privacy_weights] of scheme `"truncated"`.
#'
#' @section Error types:
#' `pseudosynth_error_input`: an unweighted or censored fit, an `epsilon` out of
#' range. `pseudosynth_error_privacy`: a fit that has not converged; class
#' `pseudosynth_error_unreachable` where every record lies above the target, so
#' that nothing of the file would be left: field `nearest` is the smallest bound
#' of a record with a weight.
#'
#' @section Privacy:
#' Whether a record lies above the threshold depends on all other records, and
#' abruptly so. An audit on exact posteriors found a loss of 70 where this
#' mechanism claimed 4.8. The label is the papers' asymptotic one.
#' @references
#' Hu, Williams and Savitsky, Mechanisms for global differential privacy under
#' Bayesian data synthesis, section 2.2 ("Weighted-e").
#' @seealso [lipschitz_weights()], [censor()] for a strict label.
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' lw <- update(fit, privacy_weights = lipschitz_weights(fit))
#' truncate_weights(lw, epsilon = 2 * lipschitz(lw)$overall * 0.95)
#' @export
truncate_weights <- function(fit, epsilon, allow_unconverged = FALSE) {
  fit <- as_weightable(fit)
  check_number(epsilon, above = 0)
  check_flag(allow_unconverged)
  check_weighted(fit, "truncated")
  check_converged(fit, allow_unconverged)
  alpha <- as.double(fit$privacy_weights)
  model <- frozen_model(fit)
  of <- attr(fit$privacy_weights, "basis")
  basis <- if (!is.null(of) && !is.null(model)) {
    list(kind = "truncated", of = of, model = model, epsilon = epsilon)
  }
  truncated <- truncated_rule(alpha, fit$bound$record, epsilon)
  check_some_left(truncated, alpha, fit$bound$record, epsilon)
  new_privacy_weights(
    truncated, "truncated",
    c(
      list(of = first_scheme(fit$privacy_weights), epsilon = epsilon),
      inherited_arguments(fit$privacy_weights)
    ),
    source = "file", basis = basis,
    records = attr(fit$privacy_weights, "records")
  )
}

truncated_rule <- function(alpha, delta, epsilon) {
  alpha[delta > epsilon / 2] <- 0
  alpha
}

check_weighted <- function(fit, what, call = rlang::caller_env()) {
  check_has_weights(fit, call = call)
  if (!is.null(fit$censor)) {
    abort_input(
      c(
        "The weights of a censored fit cannot be {what}.",
        x = "Its bounds are those of clipped contributions."
      ),
      arg = "fit", call = call
    )
  }
}

# Of weights made from other weights the first scheme counts.
first_scheme <- function(weights) {
  arguments <- attr(weights, "arguments")
  arguments$of %||% attr(weights, "scheme")
}

#' Arguments of the first scheme that derived weights keep
#' @param ... Names of further ones that they do not keep.
#' @noRd
inherited_arguments <- function(weights, ...) {
  arguments <- attr(weights, "arguments")
  # What a floor proves does not survive a computation from the file
  arguments[setdiff(names(arguments), c(
    "of", "k", "epsilon", "factor_add_remove", "factor_replace",
    "n_pattern_min", "n_pattern_max", ...
  ))]
}

#' Weights that are all 0 fit the prior, not the file
#' @noRd
check_some_left <- function(truncated, alpha, delta, epsilon,
                            call = rlang::caller_env()) {
  if (all(truncated == 0)) {
    abort_privacy(
      c(
        "{.arg epsilon} = {format(epsilon)} leaves no record: the bound of each
         lies above {format(epsilon / 2)}.",
        i = "Ask for more, or scale the weights down first with
             {.fn scale_weights}."
      ),
      call = call, arg = "epsilon", class = "pseudosynth_error_unreachable",
      nearest = suppressWarnings(min(delta[alpha > 0]))
    )
  }
}
