# What sets of a score release keep beside the ECDF: means, standard deviations
# and upper quantiles, which a few values far out would move. Log-normal files,
# other shapes, and the incomes of `ce_income`; relative errors of five sets,
# averaged over files or releases.
#
#   Rscript bench/run.R score-means [files]
#
# Writes bench/results/score-means.csv.

score_means_files <- function() {
  pair <- function(n) factor(rep(c("a", "b"), length.out = n))
  on_log <- function(z) {
    function(n) {
      g <- pair(n)
      data.frame(g = g, y = exp(z(n, g)))
    }
  }
  normal <- function(n, g) stats::rnorm(n, 2 + 0.3 * (g == "b"), 0.5)
  log_normal <- on_log(normal)
  logs <- function(name, file, n, bounds = c(0.5, 100), epsilon = 1,
                   centre = 2.2, delta = 1e-6) {
    list(
      name = name, file = file, n = n, bounds = bounds, epsilon = epsilon,
      delta = delta, formula = log(y) ~ g, family = stats::gaussian(),
      reference = list("(Intercept)" = centre, sigma = 0.6)
    )
  }
  list(
    logs("log-normal", log_normal, 600),
    logs("log-normal, bounds 1 and 60", log_normal, 600, c(1, 60)),
    logs("log-normal", log_normal, 3000),
    logs("log-normal, bounds 1 and 60", log_normal, 3000, c(1, 60)),
    logs("log-normal", log_normal, 600, epsilon = 0.25),
    logs("log-normal", log_normal, 600, epsilon = 5),
    logs("log-normal, delta 0", log_normal, 600, delta = 0),
    logs("log-normal, reference off by 1", log_normal, 600, centre = 3.2),
    logs("two clusters", on_log(function(n, g) {
      ifelse(stats::runif(n) < 0.5, 1, 3) + stats::rnorm(n, 0, 0.2)
    }), 3000),
    logs("a fifth of them 10", on_log(function(n, g) {
      ifelse(seq_len(n) <= n / 5, log(10), normal(n, g))
    }), 3000),
    logs("uniform", on_log(function(n, g) stats::runif(n, 1, 3.5)), 3000),
    list(
      name = "counts", n = 600, bounds = c(0, 200), epsilon = 1, delta = 1e-6,
      file = function(n) {
        g <- pair(n)
        data.frame(g = g, y = stats::rnbinom(n, 2, mu = ifelse(g == "a", 4, 8)))
      },
      formula = y ~ g, family = neg_binomial(),
      reference = list("(Intercept)" = 1.5, size = 3)
    )
  )
}

#' Relative errors of a release's sets, and the largest of the ECDF
score_means_errors <- function(y, sets) {
  figures <- function(y) {
    c(
      mean = mean(y), sd = stats::sd(y),
      q95 = stats::quantile(y, 0.95, names = FALSE),
      q99 = stats::quantile(y, 0.99, names = FALSE)
    )
  }
  at <- sort(unique(y))
  rowMeans(vapply(sets, function(set) {
    c(
      figures(set) / figures(y) - 1,
      ecdf = max(abs(stats::ecdf(set)(at) - stats::ecdf(y)(at)))
    )
  }, numeric(5)))
}

bench_score_means <- function(files = 25) {
  suppressPackageStartupMessages(library(pseudosynth))
  released <- function(data, one, variable) {
    release <- suppressWarnings(suppressMessages(score_release(
      one$formula, data, one$family,
      epsilon = one$epsilon, delta = one$delta, reference = one$reference,
      bounds = one$bounds, neighbours = one$neighbours %||% "add-remove"
    )))
    sets <- synthesize(release, 5, data)
    score_means_errors(
      data[[variable]], lapply(seq_along(sets), function(j) {
        sets[[j]][[variable]]
      })
    )
  }
  row <- function(one, found) {
    data.frame(
      case = one$name, n = one$n, epsilon = one$epsilon,
      t(rowMeans(found)), files = ncol(found)
    )
  }
  simulated <- lapply(score_means_files(), function(one) {
    row(one, vapply(seq_len(files), function(i) {
      data <- withr::with_seed(i, one$file(one$n))
      released(data, one, "y")
    }, numeric(5)))
  })
  positive <- subset(ce_income, income > 0)
  incomes <- lapply(c("add-remove", "replace"), function(neighbours) {
    one <- list(
      name = paste("ce_income,", neighbours), n = nrow(positive), epsilon = 1,
      delta = 1e-6, formula = log(income) ~ ., family = student_t(3),
      reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
      neighbours = neighbours
    )
    row(one, vapply(
      seq_len(files), function(i) released(positive, one, "income"), numeric(5)
    ))
  })
  keep_table(do.call(rbind, c(simulated, incomes)), "score-means", NULL)
}
