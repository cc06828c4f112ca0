#' A fit's draws for the posterior package
#'
#' @param x (`synthesizer`) A fit of [fit_synthesizer()].
#' @param hyper (flag; default `FALSE`) Add the hyperparameters: `tau`, `m` and
#'   `gamma` where the model has them.
#' @param ... Not used.
#' @return A draws object of the posterior package, iterations x chains x
#'   variables. Parameters are `(Intercept)` and the names of the design's
#'   columns, then `sigma`, `size` or `precision` where the family has it; in a
#'   mixture `b[k,name]`, `pi[k]` and `sigma[k]`, which
#'   exchange places between draws. After [truncate_draws()] the chains are of
#'   unequal length and are merged into one. Confidential.
#' @examples
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age, ce, gaussian(), chains = 2, draws = 500, seed = 1
#' )
#' as_draws_df(fit)
#' @name as_draws.synthesizer
#' @importFrom posterior as_draws
#' @importFrom posterior as_draws_array
#' @importFrom posterior as_draws_df
#' @importFrom posterior as_draws_matrix
NULL

#' @rdname as_draws.synthesizer
#' @method as_draws synthesizer
#' @export
as_draws.synthesizer <- function(x, hyper = FALSE, ...) {
  as_draws_array.synthesizer(x, hyper = hyper, ...)
}

#' @rdname as_draws.synthesizer
#' @method as_draws_array synthesizer
#' @export
as_draws_array.synthesizer <- function(x, hyper = FALSE, ...) {
  check_class(x, "synthesizer")
  check_flag(hyper)
  values <- x$draws
  if (hyper && !is.null(x$hyper)) {
    values <- cbind(values, x$hyper)
  }
  lengths <- table(x$chain)
  n_chains <- if (all(lengths == lengths[1])) length(lengths) else 1L
  array <- array(
    values,
    dim = c(nrow(values) / n_chains, n_chains, ncol(values)),
    dimnames = list(NULL, NULL, colnames(values))
  )
  posterior::as_draws_array(array)
}

#' @rdname as_draws.synthesizer
#' @method as_draws_matrix synthesizer
#' @export
as_draws_matrix.synthesizer <- function(x, hyper = FALSE, ...) {
  posterior::as_draws_matrix(as_draws_array.synthesizer(x, hyper = hyper))
}

#' @rdname as_draws.synthesizer
#' @method as_draws_df synthesizer
#' @export
as_draws_df.synthesizer <- function(x, hyper = FALSE, ...) {
  posterior::as_draws_df(as_draws_array.synthesizer(x, hyper = hyper))
}
