#' Regression with heavy-tailed errors
#'
#' Models the response as x'b + sigma t, with t from Student's t distribution
#' with `df` degrees of freedom:
#' \deqn{f_i = \log \frac{\Gamma((\nu + 1)/2)}
#'   {\Gamma(\nu/2) \sqrt{\nu \pi} \sigma}
#'   - \frac{\nu + 1}{2} \log(1 + z_i^2 / \nu),
#'   \quad z_i = (y_i - x_i'b)/\sigma.}
#' Write `log(income) ~ ...` to model the log.
#'
#' In a normal regression, a record's influence is proportional to its distance
#' from the fitted value. With heavy tails this influence fades, and the log
#' density falls only with the logarithm of the distance. The Lipschitz bounds
#' of such a fit are therefore small, and censoring changes it little.
#'
#' sigma has the prior half-t(3, 0, 1) on the scale of the modelled response.
#' The default prior of the coefficients is [prior_hierarchical()]. For strict
#' mechanisms use [prior_normal()] and state what is publicly known.
#'
#' @param df (positive number; default 3) The degrees of freedom, a public
#'   number that is not estimated. Small values mean heavy tails: 1 is the
#'   Cauchy distribution, 30 is close to normal. With fewer than 1 degree of
#'   freedom some synthetic values may be absurdly large.
#' @return A `synth_family` for [fit_synthesizer()]. It holds public numbers
#'   only.
#' @section Error types: `pseudosynth_error_input` for `df` that is not a
#'   positive number.
#' @references Lange, Little and Taylor (1989), "Robust Statistical Modeling
#'   Using the t Distribution", Journal of the American Statistical Association
#'   84, 881-896.
#' @seealso [stats::gaussian()], [normal_mixture()].
#' @examples
#' student_t()
#' ce <- head(subset(ce_income, income > 0), 300)
#' fit <- fit_synthesizer(
#'   log(income) ~ age + education, ce, student_t(3),
#'   chains = 2, warmup = 300, draws = 1000, seed = 1
#' )
#' fit
#' @export
student_t <- function(df = 3) {
  df <- check_number(df, above = 0, max = 1e6)
  new_synth_family(
    "student_t", "student_t",
    sprintf(
      "Student's t errors with %s degrees of freedom and one scale", format(df)
    ),
    df = df, arguments = list(df = df)
  )
}

law_student_t <- list(
  make = student_t, link = "identity",
  window = 2, example = c(sigma = 1), clip = c(1.5, 0.8),
  error_share = function(x, df) stats::pt(x, df),
  error_quantile = function(p, df) student_quantile(p, df)
)

#' Quantiles of Student's t, of many along a curve
#'
#' qt() takes microseconds: a curve through 4,000 is right to eight digits.
#' @noRd
student_quantile <- function(p, df) {
  if (length(p) < 2e4) {
    return(stats::qt(p, df))
  }
  at <- seq(-40, 0, 0.01)
  lower <- stats::splinefun(at, asinh(stats::qt(stats::plogis(at), df)))
  odds <- stats::qlogis(p)
  -sign(odds) * sinh(lower(-abs(odds)))
}
