# Remarks on a model that does not suit its data: a prior in another unit, a
# response whose exponential has no mean, weights that erase an answer.

# A response that spreads this many times wider than the prior of a coefficient
# is in another unit than the prior was made for.
prior_conflict <- 50

#' Is the prior made for another unit than the response's?
#'
#' Unit-scale priors pull the coefficients of an amount in dollars to 0, and the
#' chains converge all the same.
#' @noRd
remark_prior_unit <- function(fit) {
  prior <- fit$prior
  scale <- switch(prior$kind,
    normal = , hierarchical = prior$scale,
    shared = prior$slope[2]
  )
  y <- (fit$spec$y - (fit$spec$offset %||% 0))[active_records(fit)]
  if (fit$family$kind != "continuous" || is.null(scale) || length(y) < 2) {
    return(NULL)
  }
  predictors <- length(fit$design$columns) > 1
  far <- !is.null(prior$intercept) &&
    abs(stats::median(y) - prior$intercept[1]) > 10 * prior$intercept[2]
  wide <- predictors && stats::IQR(y) > prior_conflict * scale
  if (far || wide) {
    paste(
      "The prior is made for another unit than the response's:",
      "it pulls the coefficients to 0. Give public numbers in that unit,",
      "prior_normal(scale = , intercept = c( , )), or model its log."
    )
  }
}

#' What is drawn has no mean: synthesize() asks for ends
#' @noRd
remark_no_mean <- function(fit) {
  if (!has_finite_mean(fit$family, fit$response)) {
    sprintf(
      paste(
        "Synthetic %s has no finite mean, since %s has the tails of a t",
        "distribution: state its public ends, support = %s, when you draw."
      ),
      fit$response$variable, response_label(fit$response),
      support_example(fit$response)
    )
  }
}

#' Weights that erase the rarer answer
#' @noRd
remark_erased <- function(fit) {
  y <- fit$spec$y
  alpha <- alpha_of(fit)
  if (sum(alpha) == 0) {
    return(NULL)
  }
  plain <- mean(y)
  weighted <- stats::weighted.mean(y, alpha)
  if (plain > 0.5) {
    plain <- 1 - plain
    weighted <- 1 - weighted
  }
  if (plain > 0 && weighted < plain / 2) {
    sprintf(
      paste(
        "The weights hold back the rarer answer: %s of the records have it,",
        "%s of the weight. Synthetic data will show fewer of them."
      ),
      format_share(plain), format_share(weighted)
    )
  }
}
