# Censoring around a reference on Beta(0.5, 3) data, n = 2,000: the largest
# distance between the ECDFs of file and synthetic set, mean over replicates.
# The reference is a fit to another file, drawn from Beta(0.55, 2.7): last
# year's, which has drifted.
#
#   Rscript bench/beta-reference.R [replicates, default 20]

suppressPackageStartupMessages(library(pseudosynth))
source("bench/results.R")

arguments <- commandArgs(trailingOnly = TRUE)
replicates <- if (length(arguments) > 0) as.integer(arguments[1]) else 20L
n <- 2000
target <- 0.036 # at epsilon 0.5

fit_beta <- function(y, censor = NULL, seed) {
  fit_synthesizer(
    y ~ 1, data.frame(y = y), beta_response(c(0, 1)),
    censor = censor, threads = 2, seed = seed,
    control = sampler_control(progress = FALSE)
  )
}

distance <- function(fit, seed) {
  set <- synthesize(fit, seed = seed)[[1]]
  at <- sort(c(fit$data$y, set$y))
  max(abs(stats::ecdf(fit$data$y)(at) - stats::ecdf(set$y)(at)))
}

one <- function(r) {
  set.seed(r)
  history <- fit_beta(stats::rbeta(n, 0.55, 2.7), seed = 1000 + r)
  y <- stats::rbeta(n, 0.5, 3)
  rule <- function(epsilon, window) {
    if (is.null(window)) return(censor(epsilon))
    censor(epsilon, reference = history, window = window)
  }
  cases <- list(unweighted = NULL)
  for (epsilon in c(1, 0.5, 0.25)) {
    for (window in c(1, 2, 4)) {
      cases[[sprintf("centred, epsilon %g, window %g", epsilon, window)]] <-
        rule(epsilon, window)
    }
  }
  vapply(names(cases), function(name) {
    fit <- suppressWarnings(fit_beta(y, cases[[name]], seed = r))
    if (!fit$converged) return(NA_real_)
    distance(fit, seed = r)
  }, 0)
}

found <- vapply(seq_len(replicates), one, numeric(10))
table <- data.frame(
  case = rownames(found), ecdf_max = rowMeans(found, na.rm = TRUE),
  standard_error = apply(found, 1, stats::sd, na.rm = TRUE) / sqrt(replicates),
  replicates = rowSums(!is.na(found)), target = ifelse(
    grepl("epsilon 0.5", rownames(found)), target, NA
  )
)
keep_table(table, "beta-reference")
