#' Refit a synthesizer with other privacy weights or censoring
#'
#' Fits the same model to the same records again. The chains start where those
#' of the earlier fit ended, if the number of chains is the same. With censoring
#' they start from the prior.
#'
#' @param object (`synthesizer`) A fit of [fit_synthesizer()].
#' @param privacy_weights ([privacy_weights], one number, a vector of N numbers
#'   in \[0, 1\], or `NULL`) The new weights. One number or a [public_scalar()]
#'   applies to all records, `NULL` removes the weights. If missing, the weights
#'   of the fit are kept.
#' @param censor (`censoring_rule` or `NULL`) See [censor()]; `NULL` removes it.
#'   If missing, the rule of the fit is kept.
#' @param chains,warmup,draws,threads (counts) Default: as in the earlier fit.
#' @param seed (whole number or `NULL`) As in [fit_synthesizer()]. `NULL`, the
#'   default, takes the operating system's entropy, even if the earlier fit had
#'   a seed.
#' @param control (`sampler_control`) Default: as in the earlier fit.
#' @param quantile (number in (0, 1] or `NULL`) The share of draws to keep, see
#'   [truncate_draws()]. `NULL`, the default: as in the earlier fit. A strict
#'   label needs 1, which keeps all.
#' @param ... Must be empty. Formula, data, family and prior are those of the
#'   fit; call [fit_synthesizer()] to change them.
#' @return A `synthesizer`, as confidential as the first one.
#' @section Error types: `pseudosynth_error_input`: weights outside \[0, 1\] or
#'   of the wrong length, arguments that cannot change.
#'   `pseudosynth_error_privacy`: weights made for other records.
#' @seealso [lipschitz_weights()], [reweight()].
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(), chains = 2, draws = 1000, seed = 1
#' )
#' half <- update(fit, privacy_weights = rep(0.5, 300), seed = 2)
#' @importFrom stats update
#' @method update synthesizer
#' @export
update.synthesizer <- function(object, privacy_weights, censor, ...,
                               chains = NULL, warmup = NULL, draws = NULL,
                               seed = NULL, threads = NULL, control = NULL,
                               quantile = NULL) {
  check_no_dots(...)
  check_sealed(object)
  refuse_if(
    !missing(privacy_weights) && inherits(privacy_weights, "formula"),
    "{.fn update} cannot change the formula.",
    i = "Call {.fn fit_synthesizer} to fit another model.",
    arg = "privacy_weights"
  )
  quantile <- quantile %||% object$quantile
  check_argument(quantile)
  if (missing(privacy_weights)) privacy_weights <- object$privacy_weights
  censor <- if (missing(censor)) {
    object$censor
  } else {
    resolve_censor(censor, object$family)
  }
  old <- object$control
  run <- check_run(
    chains %||% old$chains, warmup %||% old$warmup, draws %||% old$draws,
    seed, threads %||% old$threads, control %||% old$asked
  )
  run$purpose <- "refit"
  model <- c(model_of_fit(object), unclass(object)[c("data", "spec")])
  if (is.null(censor)) {
    check_varies(model)
  } else {
    check_public_centre(censor$reference, model$prior, model)
  }
  censored <- replace(model$spec, "censor", list(censor))
  sampler <- choose_sampler(run$control$sampler, censored)
  warm <- run$chains == old$chains && sampler == old$sampler
  truncate_draws(
    fit_model(model, privacy_weights, censor, run, if (warm) object$state),
    quantile
  )
}
