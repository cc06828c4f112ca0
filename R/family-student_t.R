#' A heavy-tailed regression
#'
#' The modelled response is x'b + sigma t, with t from Student's t distribution
#' with `df` degrees of freedom:
#' \deqn{f_i = \log \frac{\Gamma((\nu + 1)/2)}
#'   {\Gamma(\nu/2) \sqrt{\nu \pi} \sigma}
#'   - \frac{\nu + 1}{2} \log(1 + z_i^2 / \nu),
#'   \quad z_i = (y_i - x_i'b)/\sigma.}
#' Write `log(income) ~ ...` to model the log.
#'
#' A record far from its fit pulls on a normal regression in proportion to its
#' distance. Under heavy tails its pull fades again, and its log density falls
#' with the logarithm of the distance only. That is why the bounds of such a fit
#' are small and why censoring it costs little.
#'
#' sigma has the prior half-t(3, 0, 1) on the scale of the modelled response.
#' The default prior of the coefficients is [prior_hierarchical()]; with strict
#' mechanisms take [prior_normal()] and state what is publicly known.
#'
#' @param df (positive number; default 3) The degrees of freedom, a public
#'   number and not estimated. Small values mean heavy tails: 1 is the Cauchy
#'   distribution, 30 is close to normal. Below 1 synthetic values may lie
#'   absurdly far out.
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
#'   chains = 2, warmup = 300, draws = 500, seed = 1
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

law_student_t <- function() {
  family_law(
    student_t, "identity",
    window = 2, example = c(sigma = 1), clip = c(1.5, 0.8),
    error_share = function(x, df) stats::pt(x, df),
    error_quantile = function(p, df) stats::qt(p, df)
  )
}
