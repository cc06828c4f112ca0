#' @importFrom rstantools log_lik
#' @export
rstantools::log_lik

#' @importFrom rstantools posterior_predict
#' @export
rstantools::posterior_predict

#' @importFrom rstantools prior_summary
#' @export
rstantools::prior_summary

#' @importFrom posterior as_draws
#' @export
posterior::as_draws

#' @importFrom posterior as_draws_array
#' @export
posterior::as_draws_array

#' @importFrom posterior as_draws_df
#' @export
posterior::as_draws_df

#' @importFrom posterior as_draws_matrix
#' @export
posterior::as_draws_matrix
