# (b) and (d) The three fits of a gaussian() regression of log income on nine
# predictors: unweighted, Lipschitz weights, re-weighted with a fixed k; each
# four chains of 1000 + 1000 on two cores, with the bound of every record.

workflow_target <- 100
reweighting_k <- 0.95
n_cores <- 2

#' Two ways of using Stan. `marginal` integrates the coefficients out of the
#' records' sufficient statistics, which is as good as the program can be made;
#' `plain` is the program as one writes it first, non-centred.
stan_ways <- list(
  marginal = list(form = 2, sufficient = 1, with_log_lik = 1),
  plain = list(form = 0, sufficient = 0, with_log_lik = 1)
)
# What is measured of the plain way: two of the twelve chains, each in full.
partial_run <- list(chains = 2, warmup = 1000, draws = 1000)
full_run <- list(chains = 4, warmup = 1000, draws = 1000)

#' @param plain_in_full (flag) run the plain way in full, too? It takes an hour.
#'   Else two chains of its first fit are measured, and the ratio is of these
#'   two chains alone to the package's three whole fits: at least so many times.
#' @param seeds (whole numbers) The package runs once for each, Stan for the
#'   first only.
bench_workflow <- function(plain_in_full = FALSE, seeds = 1:3) {
  data <- ce_october()
  model <- compiled_model("gaussian_hierarchical")
  ours <- lapply(seeds, function(seed) package_workflow(data, seed))
  theirs <- lapply(names(stan_ways), function(name) {
    full <- name == "marginal" || plain_in_full
    stan_workflow(
      model, data, stan_ways[[name]], seeds[1],
      run = if (full) full_run else partial_run,
      stages = if (full) c("unweighted", "lw", "lw_final") else "unweighted"
    )
  })
  names(theirs) <- names(stan_ways)
  keep_table(workflow_table(theirs, ours), "workflow")
  diagnostics <- lapply(names(theirs), function(name) {
    cbind(way = name, theirs[[name]]$diagnostics)
  })
  keep_table(do.call(rbind, diagnostics), "workflow-stan")
  bench_agreement(theirs["marginal"], ours[[1]])
}

# ---- the package -------------------------------------------------------------

package_workflow <- function(data, seed) {
  run <- timed({
    unweighted <- pseudosynth::fit_synthesizer(
      income_formula, data, stats::gaussian(),
      chains = 4, warmup = 1000, draws = 1000, seed = seed, threads = n_cores
    )
    lw <- update(
      unweighted,
      privacy_weights = pseudosynth::lipschitz_weights(unweighted),
      seed = seed + 1000
    )
    final <- pseudosynth::reweight(lw, k = reweighting_k, seed = seed + 2000)
  })
  fits <- list(unweighted = unweighted, lw = lw, lw_final = final)
  converged <- vapply(fits, function(fit) isTRUE(fit$converged), TRUE)
  if (!all(converged)) {
    warning("A fit of the package has not converged.", call. = FALSE)
  }
  list(
    fits = fits, seconds = run$seconds, converged = all(converged),
    min_ess = min(vapply(fits, function(fit) {
      min(fit$diagnostics$ess_bulk, fit$diagnostics$ess_tail)
    }, 0)),
    bounds = vapply(fits, function(fit) {
      pseudosynth::lipschitz(fit)$overall
    }, 0)
  )
}

# ---- Stan --------------------------------------------------------------------

#' @param way (list) data that choose the form of the program;
#'   `with_log_lik`: log-likelihoods from generated quantities, else from the
#'   draws by one matrix product in R.
stan_workflow <- function(model, data, way, seed, run, stages) {
  alpha <- rep(1, nrow(data))
  bound <- NULL
  fits <- list()
  rows <- list()
  for (stage in stages) {
    stage_run <- timed({
      alpha <- next_alpha(stage, alpha, bound)
      fit <- stan_fit(model, data, alpha, way, seed, run)
      bound <- stan_bound(fit, data, alpha, way)
    })
    inside <- sum(rstan::get_elapsed_time(fit))
    rows[[stage]] <- data.frame(
      stage = stage, chains = run$chains, warmup = run$warmup,
      draws = run$draws, seconds = stage_run$seconds,
      sampler_seconds = inside / min(n_cores, run$chains),
      delta = bound$overall, stan_diagnostics(fit, c("b", "sigma", "tau"))
    )
    fits[[stage]] <- list(
      draws = as.array(fit, pars = c("b", "sigma")), alpha = alpha
    )
    message(
      "Stan, ", stage, ": ", round(stage_run$seconds, 1), " s, ",
      if (rows[[stage]]$passes) "passes" else "FAILS", " its diagnostics"
    )
  }
  diagnostics <- do.call(rbind, unname(rows))
  list(
    fits = fits, diagnostics = diagnostics, run = run,
    seconds = sum(diagnostics$seconds),
    sampler_seconds = sum(diagnostics$sampler_seconds),
    passes = all(diagnostics$passes), in_full = length(stages) == 3
  )
}

stan_fit <- function(model, data, alpha, way, seed, run) {
  prior <- pseudosynth::prior_hierarchical()
  input <- c(stan_records(data, alpha), way, list(
    lkj = prior$lkj, tau_df = prior$df, tau_scale = prior$scale
  ))
  suppressWarnings(rstan::sampling(
    model, input,
    chains = run$chains, warmup = run$warmup, iter = run$warmup + run$draws,
    cores = min(n_cores, run$chains), seed = seed, refresh = 0,
    pars = c("b", "sigma", "tau", "log_lik"), save_warmup = FALSE
  ))
}

#' The bound of every record, max_s |alpha_i f_i|, and the overall one.
stan_bound <- function(fit, data, alpha, way) {
  log_lik <- if (way$with_log_lik == 1) {
    rstan::extract(fit, "log_lik", permuted = FALSE, inc_warmup = FALSE)
  } else {
    draws <- rstan::extract(fit, c("b", "sigma"))
    x <- stats::model.matrix(income_formula, data)
    sigma <- as.vector(draws$sigma)
    z <- (tcrossprod(draws$b, x) - rep(log(data$income), each = nrow(draws$b)))
    -0.5 * (z / sigma)^2 - log(sigma) - 0.5 * log(2 * pi)
  }
  dim(log_lik) <- c(length(log_lik) / nrow(data), nrow(data))
  extremes <- column_ranges(log_lik)
  record <- alpha * pmax(abs(extremes[1, ]), abs(extremes[2, ]))
  list(record = record, overall = max(record))
}

column_ranges <- function(x) {
  vapply(seq_len(ncol(x)), function(i) range(x[, i]), numeric(2))
}

next_alpha <- function(stage, alpha, bound) {
  delta <- bound$record
  switch(stage,
    unweighted = alpha,
    lw = 1 - (delta - min(delta)) / (max(delta) - min(delta)),
    lw_final = ifelse(
      alpha == 0, 0, pmin(1, reweighting_k * alpha * bound$overall / delta)
    )
  )
}

# ---- tables ------------------------------------------------------------------

workflow_table <- function(theirs, ours) {
  seconds <- vapply(ours, `[[`, 0, "seconds")
  package <- stats::median(seconds)
  rows <- lapply(names(theirs), function(name) {
    way <- theirs[[name]]
    data.frame(
      stan = name,
      basis = if (way$in_full) "three fits" else "2 of 12 chains: at least",
      stan_seconds = way$seconds,
      stan_sampler_seconds = way$sampler_seconds,
      stan_passes = way$passes, package_seconds = package,
      package_low = min(seconds), package_high = max(seconds),
      package_converged = all(vapply(ours, `[[`, TRUE, "converged")),
      package_min_ess = min(vapply(ours, `[[`, 0, "min_ess")),
      ratio = way$seconds / package, target = workflow_target,
      verdict = verdict(way$seconds / package, workflow_target)
    )
  })
  do.call(rbind, rows)
}

#' (d) Posterior means and standard deviations of both, in combined Monte Carlo
#' standard errors. Later stages are refitted by the package at Stan's weights.
bench_agreement <- function(theirs, ours) {
  rows <- lapply(names(theirs), function(name) {
    fits <- theirs[[name]]$fits
    stage_rows <- lapply(names(fits), function(stage) {
      fit <- ours$fits$unweighted
      if (stage != "unweighted") {
        fit <- update(fit, privacy_weights = fits[[stage]]$alpha, seed = 77)
      }
      cbind(
        way = name, stage = stage,
        compare_moments(fits[[stage]]$draws, draws_by_chain(fit))
      )
    })
    do.call(rbind, stage_rows)
  })
  keep_table(do.call(rbind, rows), "agreement")
}

draws_by_chain <- function(fit) {
  n_chains <- max(fit$chain)
  array(fit$draws, c(nrow(fit$draws) / n_chains, n_chains, ncol(fit$draws)))
}

compare_moments <- function(a, b) {
  largest <- function(moment, error) {
    gap <- abs(apply(a, 3, moment) - apply(b, 3, moment))
    squares <- function(x) suppressWarnings(apply(x, 3, error))^2
    max(gap / sqrt(squares(a) + squares(b)))
  }
  means <- largest(mean, posterior::mcse_mean)
  sds <- largest(stats::sd, posterior::mcse_sd)
  data.frame(
    quantities = dim(a)[3], mean_gap_mcse = means, sd_gap_mcse = sds,
    limit = 5, verdict = verdict(max(means, sds), 5, at_least = FALSE)
  )
}
