# What sets are drawn from: a release's noisy margin without what is only noise.

#' The counts that a release's sets are drawn from
#'
#' Of modal_counts(), under the family's law at the released coefficients.
#' Post-processing: it looks at what is published or released, and at nothing
#' else.
#' @param x (`score_release`)
#' @return (list) `counts`, which sum to N, and `breaks` (modelled scale).
#' @noRd
margin_counts <- function(x) {
  modal_counts(margin_parts(x), x$margin$noisy, margin_precision(x$margin))
}

#' What a margin's bins are made of: see parts_of_bins()
#' @noRd
margin_parts <- function(x) {
  parts_of_bins(
    x$margin$breaks, function(breaks) law_shares(x, breaks),
    x$family$kind == "count"
  )
}

#' The inverse covariance of the noise in a margin's counts
#' @noRd
margin_precision <- function(margin) {
  crossprod(margin_strategy(
    length(margin$noisy), if (is.null(margin$rho)) "laplace" else "gaussian"
  ) / margin$deviation)
}

#' What bins hold before the noisy counts are looked at
#'
#' The family's law at the released coefficients, for the file's predictors, but
#' with normal errors in place of Student's: a margin has bounds, and tails
#' that only a family states would be most of a mean.
#' @return (double) Shares, above 0.
#' @noRd
law_shares <- function(x, breaks) {
  mean <- family_mean(x$family, drop(x$population$rows %*% x$draws$mean))
  below <- if (is_location(x$family)) {
    # The tenth and ninetieth hundredths are those of the family
    sigma <- x$shape * error_quantile(x$family, 0.9) / stats::qnorm(0.9)
    function(q, mean) stats::pnorm((q - mean) / sigma)
  } else {
    function(q, mean) response_probability(x$family, q, mean, x$shape)
  }
  with_even_part(diff(rowMeans(outer(breaks, mean, below))), breaks)
}
