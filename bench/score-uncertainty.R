# Do 95% intervals pooled over 20 sets of synthesize(uncertainty = TRUE) cover
# the population's values, and how long are they?
#
#   Rscript bench/score-uncertainty.R [files] [case ...]
#
# Writes bench/results/score-uncertainty.csv, one row for each case and term:
# `covered`; `length` of the interval and `own`, that of confint() of the
# release for coefficients and 3.92 standard deviations of the pooled estimate
# over files for all else; `hidden`, the standard deviation over files of the
# pooled estimate against the confidential file's, beside `between`, the root
# mean variance
# between sets, which should be it; `bias` in per cent of the truth.

suppressPackageStartupMessages(library(pseudosynth))
source("bench/strict_cases.R")

arguments <- commandArgs(trailingOnly = TRUE)
files <- if (length(arguments) > 0) as.integer(arguments[1]) else 500L

incomes <- function(n, error) {
  data <- data.frame(g = sample(c("a", "b"), n, TRUE), x = stats::rnorm(n))
  line <- 2 + 0.3 * (data$g == "b") + 0.2 * data$x
  data$y <- exp(line + error(n))
  while (any(out <- data$y <= 0.5 | data$y >= 100)) {
    data$y[out] <- exp(line[out] + error(sum(out)))
  }
  data
}

others <- function(n, response) {
  data <- data.frame(g = sample(c("a", "b"), n, TRUE), x = stats::rnorm(n))
  data$y <- response(2 + 0.3 * (data$g == "b") + 0.2 * data$x)
  data
}

# The density at the median, on the scale where it is smooth
median_variance <- function(y) {
  at <- stats::density(log(y), n = 512)
  height <- stats::approx(at$x, at$y, log(stats::median(y)))$y
  (stats::median(y) / height)^2 / (4 * length(y))
}

# What an analyst estimates; `coef` and their variances by a model of hers
estimated <- function(y, cut, fit) {
  above <- mean(y > cut)
  continuous <- min(y) > 0 && length(unique(y)) > 100
  v <- c(
    mean = stats::var(y), share = above * (1 - above)
  ) / length(y)
  q <- c(mean = mean(y), share = above)
  if (continuous) {
    v <- c(v, median = median_variance(y))
    q <- c(q, median = stats::median(y))
  }
  list(
    estimate = c(q, stats::coef(fit)[-1]),
    variance = c(v, diag(stats::vcov(fit))[-1])
  )
}

location <- function(name, n, error, family) {
  list(
    name = name, n = n, data = function(n) incomes(n, error), family = family,
    formula = log(y) ~ g + x, bounds = c(0.5, 100), cut = 15,
    reference = list("(Intercept)" = 2.2, sigma = 0.6),
    model = function(data) stats::lm(log(y) ~ g + x, data)
  )
}

count <- function(name, response, family, reference, model, bounds = NULL) {
  list(
    name = name, n = 1000, data = function(n) others(n, response),
    family = family, formula = y ~ g + x, bounds = bounds, cut = 5,
    reference = reference,
    model = function(data) stats::glm(y ~ g + x, model, data)
  )
}

normal <- function(n) 0.5 * stats::rnorm(n)
heavy <- function(n) 0.4 * stats::rt(n, 3)
of_poisson <- function(eta) stats::rpois(length(eta), exp(eta - 1))
of_negative <- function(eta) {
  stats::rnbinom(length(eta), size = 2, mu = exp(eta - 1))
}
of_two <- function(eta) stats::rbinom(length(eta), 1, stats::plogis(eta - 2.5))

cases <- list(
  location("normal errors", 1000, normal, stats::gaussian()),
  location("normal errors", 5000, normal, stats::gaussian()),
  location("t(3) errors", 1000, heavy, student_t(3)),
  location("t(3) errors", 5000, heavy, student_t(3)),
  count("poisson", of_poisson, stats::poisson(), list("(Intercept)" = 1.2),
    stats::poisson()
  ),
  count("neg_binomial", of_negative, neg_binomial(),
    list("(Intercept)" = 1.2, size = 3), stats::quasipoisson()
  ),
  count("neg_binomial, margin", of_negative, neg_binomial(),
    list("(Intercept)" = 1.2, size = 3), stats::quasipoisson(), c(0, 80)
  ),
  count("bernoulli", of_two, bernoulli(), list("(Intercept)" = -0.4),
    stats::binomial()
  )
)
names(cases) <- vapply(cases, function(one) {
  paste(one$name, one$n, sep = ", ")
}, "")
chosen <- arguments[-1]
if (length(chosen) == 0) chosen <- names(cases)

one_file <- function(case, truth) {
  data <- case$data(case$n)
  release <- suppressWarnings(suppressMessages(score_release(
    case$formula, data, case$family,
    epsilon = 1, reference = case$reference, bounds = case$bounds,
    scaling = list(x = c(0, 1))
  )))
  sets <- synthesize(release, 20, data, uncertainty = TRUE)
  found <- as.data.frame(pool(with(sets, {
    set <- data.frame(y = as.numeric(y), g, x)
    estimated(set$y, case$cut, case$model(set))
  })))
  own <- stats::confint(release)[-1, ]
  file <- estimated(data$y, case$cut, case$model(data))$estimate
  cbind(
    covered = found$conf_low <= truth & truth <= found$conf_high,
    length = found$conf_high - found$conf_low, estimate = found$estimate,
    between = found$between, apart = found$estimate - file,
    own = c(rep(NA, length(truth) - 2), own[, 2] - own[, 1])
  )
}

for (name in chosen) {
  case <- cases[[name]]
  set.seed(99)
  population <- case$data(2e6)
  truth <- estimated(
    population$y, case$cut, case$model(population)
  )$estimate
  rm(population)
  set.seed(7)
  found <- replicate(files, one_file(case, truth))
  mean_of <- function(what) rowMeans(found[, what, ])
  sd_of <- function(what) apply(found[, what, ], 1, stats::sd)
  own <- mean_of("own")
  own[is.na(own)] <- 3.92 * sd_of("estimate")[is.na(own)]
  row <- data.frame(
    case = case$name, n = case$n, term = names(truth), epsilon = 1,
    covered = mean_of("covered"), length = mean_of("length"), own = own,
    ratio = mean_of("length") / own, hidden = sd_of("apart"),
    between = sqrt(mean_of("between")),
    bias = 100 * (mean_of("estimate") / truth - 1), sets = 20, files = files
  )
  print(row, row.names = FALSE, digits = 3)
  keep_rows(
    row, "bench/results/score-uncertainty.csv", c("case", "n", "term")
  )
}
