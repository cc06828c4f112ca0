#' Beta regression for a response between two public bounds
#'
#' Scales the response to the unit interval by `bounds`,
#' z = (y - low) / (high - low), and models z by a beta distribution with mean
#' m = inverse-logit(x'b) and precision lambda, Beta(m lambda,
#' (1 - m) lambda):
#' \deqn{f_i = \log \frac{\Gamma(\lambda)}{\Gamma(m_i \lambda)
#'   \Gamma((1 - m_i) \lambda)} + (m_i \lambda - 1) \log z_i
#'   + ((1 - m_i) \lambda - 1) \log(1 - z_i).}
#' It is the synthesizer of the censoring paper, for salaries and for simulated
#' data, with and without predictors.
#'
#' Synthetic values are scaled back to the response's own unit and keep its
#' type and decimals; they stay inside the bounds.
#'
#' `precision` (lambda) has the prior Pareto(0.1, 1.5): density proportional to
#' lambda^-2.5 for lambda > 0.1. Without predictors the mean has the prior
#' [prior_beta_mean()], Beta(1, 1); with predictors the default is
#' [prior_hierarchical()].
#'
#' @param bounds (two numbers, low < high; required) The range of the response
#'   that is publicly known from its definition, the questionnaire or a
#'   published top code. **Never use its smallest and largest value in the
#'   file.** Those are the values of two records; bounds taken from the data
#'   publish them, and no label accounts for that. Every value must lie strictly
#'   inside the bounds. The bounds are part of the label.
#' @section Unit of the bound: f is the log density of the *scaled* response z,
#'   so the unit (dollars or thousands) does not matter. Wider bounds make z
#'   vary less and its density higher. The Lipschitz bound therefore depends on
#'   the bounds, and they are printed with it.
#' @return A `synth_family` for [fit_synthesizer()]. It holds public numbers
#'   only.
#' @section Error types: `pseudosynth_error_input` for bounds that are missing,
#'   not finite or not increasing; from [fit_synthesizer()] for values at or
#'   outside the bounds (the rows are in the condition's field `rows`), and for
#'   a transformed left side.
#' @references Hu, Williams and Savitsky (2022), "Mechanisms for Global
#'   Differential Privacy under Bayesian Data Synthesis",
#'   <https://arxiv.org/abs/2205.05003>.
#' @seealso [bernoulli()] for a response that is 0 or 1; [sdr_simulated].
#' @examples
#' beta_response(bounds = c(0, 600000))
#' salaries <- head(sdr_simulated, 300)
#' fit <- fit_synthesizer(
#'   salary ~ gender, salaries, beta_response(c(0, 600000)),
#'   chains = 2, warmup = 300, draws = 1000, seed = 1
#' )
#' fit
#' @export
beta_response <- function(bounds) {
  bounds <- check_bounds(
    rlang::maybe_missing(bounds),
    what = "the public range of the response", advice = unwrapped("State what is
       publicly known, for instance {.code c(0, 1)} for a share or {.code c(0,
       600000)} for an amount; never the smallest and largest value of the
       data.")
  )
  shown <- vapply(bounds, format_argument, "")
  new_synth_family(
    "beta_response", "beta",
    sprintf(
      unwrapped("a beta distribution of mean inverse-logit(x'b), once scaled to
         (0, 1) by the public bounds %s and %s"),
      shown[1], shown[2]
    ),
    extras = c(precision = "precision ~ Pareto(0.1, 1.5)"),
    kind = "proportion", bounds = bounds, arguments = list(bounds = bounds)
  )
}

#' E max(Z - a, 0) of a proportion, and its slope in the linear predictor
#'
#' z times the density of Beta(p, q) is its mean times that of Beta(p + 1, q).
#' @noRd
proportion_above <- function(a, eta, mean, shape) {
  at <- function(eta) {
    mean <- stats::plogis(eta)
    p <- mean * shape
    q <- stats::plogis(-eta) * shape
    mean * stats::pbeta(a, p + 1, q, lower.tail = FALSE) -
      a * stats::pbeta(a, p, q, lower.tail = FALSE)
  }
  above <- at(eta)
  list(mean = above, slope = (at(eta + 1e-4) - above) / 1e-4)
}

law_beta_response <- list(
  make = beta_response, link = "logit",
  prior = function(alone) {
    if (alone) prior_beta_mean() else prior_hierarchical()
  },
  example = c(precision = 10), clip = c(1.5, 0.8),
  variance = function(mean, shape) mean * (1 - mean) / (1 + shape),
  probability = function(q, mean, shape) {
    stats::pbeta(q, mean * shape, (1 - mean) * shape)
  },
  quantile = function(p, mean, shape) {
    stats::qbeta(p, mean * shape, (1 - mean) * shape)
  },
  above = proportion_above
)
