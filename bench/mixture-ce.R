# (e) The mixture on Consumer Expenditure income, K = 5 and K = 10: unweighted,
# Lipschitz-weighted and re-weighted fits with the convergence gates. Run from
# the package's root directory:
#
#   Rscript bench/mixture-ce.R            both
#   Rscript bench/mixture-ce.R 5          K = 5 only

# Budgets per chain, by K; a kept draw takes `thin` sweeps.
budgets <- list(
  "5" = list(warmup = 300, draws = 1000, thin = 3),
  "10" = list(warmup = 150, draws = 1000, thin = 6)
)
seconds_allowed <- c("5" = 60, "10" = 150)
n_chains <- 4
n_threads <- 2
reweighting_k <- 0.95
seed <- 2026

# The gates
max_rhat <- 1.05
min_ess_bulk <- 200

source(file.path("bench", "ce_data.R"))
source(file.path("bench", "results.R"))
source(file.path("bench", "timing.R"))

#' The three fits at one K, with their seconds.
mixture_fits <- function(K) {
  budget <- budgets[[as.character(K)]]
  control <- pseudosynth::sampler_control(thin = budget$thin)
  staged <- function(expr) {
    # Whatever the package thinks of a fit is in the table, not on the screen
    run <- timed(suppressWarnings(expr))
    message(
      "K = ", K, ", ", pseudosynth::guarantee(run$value)$mechanism, ": ",
      round(run$seconds, 1), " s"
    )
    run
  }
  unweighted <- staged(pseudosynth::fit_synthesizer(
    income_formula, ce_october(), pseudosynth::normal_mixture(K),
    chains = n_chains, warmup = budget$warmup, draws = budget$draws,
    seed = seed, threads = n_threads, control = control
  ))
  weights <- pseudosynth::lipschitz_weights(
    unweighted$value,
    allow_unconverged = TRUE
  )
  lw <- staged(update(
    unweighted$value,
    privacy_weights = weights, seed = seed + 1
  ))
  final <- staged(pseudosynth::reweight(
    lw$value,
    k = reweighting_k, seed = seed + 2, allow_unconverged = TRUE
  ))
  list(unweighted = unweighted, lw = lw, lw_final = final)
}

#' The gates of one fit. The log-likelihood of EVERY record is computed and
#' judged by posterior's own functions, in blocks.
gates <- function(fit) {
  monitored <- data.frame(
    quantity = colnames(fit$monitor), judge_columns(fit$monitor)
  )
  blocks <- split(
    seq_along(fit$spec$y), ceiling(seq_along(fit$spec$y) / 256)
  )
  records <- do.call(rbind, lapply(blocks, function(block) {
    judge_columns(pseudosynth::log_lik(fit, records = block))
  }))
  rbind(monitored, data.frame(
    quantity = "worst of all records", rhat = max(records$rhat),
    ess_bulk = min(records$ess_bulk)
  ))
}

judge_columns <- function(values) {
  by_chain <- function(j) matrix(values[, j], ncol = n_chains)
  each <- function(f) {
    suppressWarnings(
      vapply(seq_len(ncol(values)), function(j) f(by_chain(j)), 0)
    )
  }
  data.frame(rhat = each(posterior::rhat), ess_bulk = each(posterior::ess_bulk))
}

#' One row per fit: budget, seconds, gates, bound and claim.
fit_row <- function(K, stage, run, table) {
  fit <- run$value
  bound <- pseudosynth::lipschitz(fit)
  # A quantity that does not move has no R-hat, and fails
  passes <- isTRUE(
    max(table$rhat) <= max_rhat && min(table$ess_bulk) >= min_ess_bulk
  )
  allowed <- seconds_allowed[[as.character(K)]]
  data.frame(
    K = K, stage = stage, budgets[[as.character(K)]], seconds = run$seconds,
    seconds_allowed = allowed, max_rhat = max(table$rhat),
    min_ess_bulk = min(table$ess_bulk),
    gates = ifelse(passes, "passed", "FAILED"),
    time = verdict(run$seconds, allowed, at_least = FALSE),
    fit_says_converged = isTRUE(fit$converged),
    alpha_min = min(fit$spec$alpha), alpha_median = median(fit$spec$alpha),
    delta = bound$overall, two_delta = 2 * bound$overall,
    oscillation = max(bound$oscillation)
  )
}

bench_mixture <- function(components) {
  fits <- list()
  convergence <- list()
  for (K in components) {
    runs <- mixture_fits(K)
    for (stage in names(runs)) {
      table <- gates(runs[[stage]]$value)
      name <- paste(K, stage)
      fits[[name]] <- fit_row(K, stage, runs[[stage]], table)
      convergence[[name]] <- cbind(K = K, stage = stage, table)
    }
  }
  suffix <- if (length(components) == 1) paste0("-k", components) else ""
  keep_table(
    do.call(rbind, unname(convergence)), paste0("mixture-convergence", suffix),
    packages = "posterior"
  )
  keep_table(
    do.call(rbind, unname(fits)), paste0("mixture-fits", suffix),
    packages = "posterior"
  )
}

asked <- as.integer(commandArgs(trailingOnly = TRUE))
bench_mixture(if (length(asked) > 0) asked else c(5, 10))
