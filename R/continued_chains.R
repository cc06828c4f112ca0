# Chains that agree and have too few independent draws go on from where they
# are: what they have drawn is worth as much as what a longer run would draw.

#' Does the next run only make up for draws that an earlier one lacks?
#' @param fit (`synthesizer`) The earlier run, diagnosed.
#' @param control Settings of the next one.
#' @noRd
goes_on <- function(fit, control) {
  control$sampler == fit$control$sampler && has_too_few(fit) &&
    control$thin %% fit$control$thin == 0
}

#' What the core is asked for, so that with the draws of an earlier run there
#' are as many sweeps as `thin` wants
#'
#' A state holds no correlations of the hierarchical prior: a short warmup finds
#' them again. The random numbers are of a stream of its own.
#' @param control,fit As in `goes_on()`.
#' @param run The seed and the purpose of the first run.
#' @noRd
continued_control <- function(control, fit, run) {
  times <- control$thin / fit$control$thin
  control$seed <- seed_words(run$seed, run$purpose, control$thin)
  control$init <- fit$state
  control$draws <- as.integer((times - 1) * control$draws)
  control$warmup <- min(control$warmup, 100L)
  control$thin <- fit$control$thin
  control
}

#' The draws of a run and of its continuation, chain after chain, thinned
#' @param result What the core returned for the continuation.
#' @return `result`, as if one run had made both.
#' @noRd
join_runs <- function(fit, result, control) {
  n <- c(nrow(fit$draws), nrow(result$draws))
  rows <- rbind(
    matrix(seq_len(n[1]), ncol = control$chains),
    n[1] + matrix(seq_len(n[2]), ncol = control$chains)
  )
  every <- control$thin / fit$control$thin
  kept <- as.vector(rows[seq(every, nrow(rows), by = every), ])
  join <- function(first, second) {
    both <- if (is.matrix(second)) rbind(first, second) else c(first, second)
    keep_rows(both, kept, sum(n))
  }
  for (part in c("draws", "hyper", "monitor")) {
    result[[part]] <- join(fit[[part]], result[[part]])
  }
  result$sampler$accept_stat <-
    join(fit$sampler$accept_stat, result$sampler$accept_stat)
  result$sampler$n_nonfinite <-
    fit$sampler$n_nonfinite + result$sampler$n_nonfinite
  result$seconds <- fit$seconds$chains + result$seconds
  result
}
