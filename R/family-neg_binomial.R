#' Negative binomial regression for overdispersed counts
#'
#' Models a count by a negative binomial distribution with mean mu = exp(x'b)
#' and variance mu + mu^2 / size:
#' \deqn{f_i = \log \binom{y_i + \phi - 1}{y_i}
#'   + \phi \log \frac{\phi}{\mu_i + \phi}
#'   + y_i \log \frac{\mu_i}{\mu_i + \phi}.}
#' It is the synthesizer of the re-weighting paper for salaries and other skewed
#' counts. As `size` grows, it approaches the Poisson distribution; to fit that,
#' use [stats::poisson()].
#'
#' The response must hold whole numbers, 0 or more, as integer or double.
#' Synthetic values are whole numbers of the same type. Do not take the
#' logarithm of the response: the link does that.
#'
#' For counts with unequal exposure, such as visits during some months, model
#' rates: `visits ~ age + offset(log(months))` makes mu = months exp(x'b). The
#' same holds for [stats::poisson()]. See the section on offsets in
#' [fit_synthesizer()].
#'
#' 1/size has the prior half-Cauchy(0, 5). The default prior of the coefficients
#' is [prior_hierarchical()] with `lkj = 6`, as in the paper. The priors are
#' proper, so a fit exists even if all or nearly all counts are 0. The fit's
#' remarks then say what the prior decides.
#'
#' @section Unit of the bound: f is the log of a probability, which is never
#'   above 0 and has no unit. It depends on what is counted: amounts in dollars
#'   have smaller probabilities, and larger Lipschitz bounds, than the same
#'   amounts in thousands.
#' @return A `synth_family` for [fit_synthesizer()]. It holds public numbers
#'   only.
#' @section Error types: [fit_synthesizer()] signals `pseudosynth_error_input`
#'   for counts that are negative or fractional, and for a transformed left
#'   side.
#' @references Savitsky, Hu and Williams (2020), "Re-weighting of
#'   Vector-weighted Mechanisms for Utility Maximization under Differential
#'   Privacy", <https://arxiv.org/abs/2006.01230>.
#' @seealso [stats::poisson()] for counts without overdispersion;
#'   [sdr_salary].
#' @examples
#' neg_binomial()
#' salaries <- head(sdr_salary, 300)
#' fit <- fit_synthesizer(
#'   salary ~ 1, salaries, neg_binomial(),
#'   chains = 2, warmup = 300, draws = 1000, seed = 1
#' )
#' fit
#' # Rates: visits per month of observation
#' patients <- data.frame(months = rep(c(1, 6, 12), 100))
#' patients$visits <- rnbinom(300, mu = 0.5 * patients$months, size = 3)
#' rates <- fit_synthesizer(
#'   visits ~ offset(log(months)), patients, neg_binomial(),
#'   chains = 2, warmup = 300, draws = 1000, seed = 1
#' )
#' # Sets for the same patients, each observed for two years
#' synthesize(rates, newdata = data.frame(months = rep(24, 300)), seed = 2)
#' @export
neg_binomial <- function() {
  new_synth_family(
    "neg_binomial", "neg_binomial",
    "negative binomial counts of mean exp(x'b) and variance mean + mean^2/size",
    extras = c(size = "1/size ~ half-Cauchy(0, 5)"), kind = "count"
  )
}

#' Quantiles of counts
#'
#' R's search for them takes longer the larger the mean is. Beyond a mean of ten
#' thousand they are those of the gamma variable of the same mean and variance
#' but for a few counts, whatever the size is: with a large one counts are next
#' to Poisson.
#' @noRd
neg_binomial_quantile <- function(p, mean, shape) {
  lengths <- c(length(p), length(mean), length(shape))
  # Of no records, as R's own quantiles
  n <- if (min(lengths) == 0) 0 else max(lengths)
  p <- rep_len(p, n)
  mean <- rep_len(mean, n)
  shape <- rep_len(shape, n)
  q <- rep(NA_real_, n)
  far <- mean > 1e4
  near <- which(!far)
  q[near] <- stats::qnbinom(p[near], shape[near], mu = mean[near])
  far <- which(far)
  like <- 1 / (1 / shape[far] + 1 / mean[far])
  q[far] <- round(stats::qgamma(p[far], like, like / mean[far]))
  q
}

law_neg_binomial <- list(
  make = neg_binomial, link = "log",
  prior = function(...) prior_hierarchical(lkj = 6), example = c(size = 2),
  clip = c(1.5, 1),
  variance = function(mean, shape) mean * (1 + mean / shape),
  # Overdispersion shows in the zeros
  lowest = function(frame) -0.95 * frame$centre / frame$spread,
  probability = function(q, mean, shape) stats::pnbinom(q, shape, mu = mean),
  quantile = neg_binomial_quantile,
  above = function(a, eta, mean, shape) {
    count_above(a, mean, function(j, more) {
      stats::pnbinom(j - 1, shape + more,
        mu = mean * (shape + more) / shape, lower.tail = FALSE
      )
    })
  }
)

#' E max(Y - a, 0) of a count, and its slope in the linear predictor
#'
#' y times the mass at y is mu times a mass at y - 1: of the same count if it is
#' Poisson, else of the negative binomial one of size + 1 and the same odds. The
#' slope is mu E[g(Y' + 1) - g(Y')] of that count, with g = max(. - a, 0).
#' @param at_least (function) Of a whole number j and of what is added to the
#'   size: the probability of j or more.
#' @noRd
count_above <- function(a, mean, at_least) {
  k <- pmax(ceiling(a), 0)
  from <- at_least(k - 1, 1)
  after <- at_least(k, 1)
  low <- a < 0
  list(
    mean = ifelse(low, mean - a, mean * from - a * at_least(k, 0)),
    slope = mean * ifelse(low, 1, after + (k - a) * (from - after))
  )
}
