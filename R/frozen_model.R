# A model without its records: what a frozen rule evaluates for others.

#' The model that a rule evaluates, without its records
#'
#' @param fit What weights were made from.
#' @param kept (logical, S) Draws to keep.
#' @return (list or `NULL`) `NULL` where the model is not known (a bound, a
#'   matrix) or a record's contribution is clipped.
#' @noRd
frozen_model <- function(fit, kept = NULL) {
  if (inherits(fit, "external_fit")) {
    source <- fit$log_lik
    known <- source$kind == "function" && is.data.frame(source$data)
    if (!known || fit$weighted) {
      return(NULL)
    }
    return(list(
      f = source$f, draws = source$draws, quantile = fit$quantile,
      columns = names(source$data)
    ))
  }
  if (!inherits(fit, "synthesizer") || !is.null(fit$censor)) {
    return(NULL)
  }
  draws <- fit$draws
  if (!is.null(kept) && !all(kept)) {
    draws <- draws[kept, , drop = FALSE]
  }
  list(
    response = fit$response, design = fit$design, family = fit$family,
    spec = spec_of_model(fit$spec), draws = draws
  )
}

#' Record bounds of other records at a model's draws
#'
#' By the same kernel as the fit's own bounds, so that the same record has the
#' same bound to the last bit, whatever other records there are.
#' @param alpha (numeric) Weights of these records.
#' @return (numeric)
#' @noRd
model_bound <- function(model, data, alpha = NULL, call) {
  if (is.function(model$f)) {
    columns <- function_columns(model$f, data, model$draws, call)
    return(bound_of_columns(columns, 1, "", alpha)$record)
  }
  spec <- record_spec(model, data, call)
  if (!is.null(alpha)) {
    spec$alpha <- alpha
  }
  bound_of_draws(spec, model$draws, 1L, "")$record
}
