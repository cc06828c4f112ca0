# (b) and (d) The three fits of a gaussian() regression of log income on nine
# predictors: unweighted, Lipschitz weights, re-weighted with a fixed k; each
# four chains of 1000 + 1000 on two cores, with the bound of every record.

workflow_target <- 100
reweighting_k <- 0.95
n_cores <- 2

#' @param full (flag) all three Stan fits for each way of using Stan? Else one
#'   unweighted fit each: its time times three is an estimate, and called so.
#' @param seeds (whole numbers) The package runs once for each, Stan for the
#'   first only.
bench_workflow <- function(full = TRUE, seeds = 1:3) {
  data <- ce_october()
  model <- compiled_model("gaussian_hierarchical")
  ours <- lapply(seeds, function(seed) package_workflow(data, seed))
  seconds <- vapply(ours, `[[`, 0, "seconds")
  ways <- list(
    records = list(sufficient = 0, with_log_lik = 1),
    sufficient = list(sufficient = 1, with_log_lik = 0)
  )
  theirs <- lapply(ways, function(way) {
    stan_workflow(model, data, way, seeds[1], full)
  })
  keep_table(workflow_table(theirs, ours, seconds), "workflow")
  diagnostics <- lapply(names(theirs), function(name) {
    cbind(way = name, theirs[[name]]$diagnostics)
  })
  keep_table(do.call(rbind, diagnostics), "workflow_stan_diagnostics")
  bench_agreement(theirs, ours[[1]])
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

#' @param way (list) `sufficient`: reduce the records to P rows first;
#'   `with_log_lik`: log-likelihoods from generated quantities, else from the
#'   draws by one matrix product in R.
stan_workflow <- function(model, data, way, seed, full) {
  alpha <- rep(1, nrow(data))
  stages <- if (full) c("unweighted", "lw", "lw_final") else "unweighted"
  bound <- NULL
  fits <- list()
  rows <- list()
  for (stage in stages) {
    run <- timed({
      alpha <- next_alpha(stage, alpha, bound)
      fit <- stan_fit(model, data, alpha, way, seed)
      bound <- stan_bound(fit, data, alpha, way)
    })
    inside <- rowSums(rstan::get_elapsed_time(fit))
    rows[[stage]] <- data.frame(
      stage = stage, seconds = run$seconds,
      sampler_seconds = sum(inside) / n_cores, delta = bound$overall,
      stan_diagnostics(fit, c("b", "sigma", "tau"))
    )
    fits[[stage]] <- list(
      draws = as.array(fit, pars = c("b", "sigma")), alpha = alpha
    )
    message(
      "Stan, ", stage, ": ", round(run$seconds, 1), " s, ",
      if (rows[[stage]]$passes) "passes" else "FAILS", " its diagnostics"
    )
  }
  diagnostics <- do.call(rbind, unname(rows))
  list(
    fits = fits, diagnostics = diagnostics, measured = length(stages),
    seconds = sum(diagnostics$seconds),
    sampler_seconds = sum(diagnostics$sampler_seconds),
    passes = all(diagnostics$passes)
  )
}

stan_fit <- function(model, data, alpha, way, seed) {
  prior <- pseudosynth::prior_hierarchical()
  input <- c(stan_records(data, alpha), way, list(
    lkj = prior$lkj, tau_df = prior$df, tau_scale = prior$scale, centred = 1
  ))
  suppressWarnings(rstan::sampling(
    model, input,
    chains = 4, warmup = 1000, iter = 2000, cores = n_cores, seed = seed,
    pars = c("b", "sigma", "tau", "log_lik"), save_warmup = FALSE, refresh = 0
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

workflow_table <- function(theirs, ours, seconds) {
  package <- stats::median(seconds)
  rows <- lapply(names(theirs), function(name) {
    way <- theirs[[name]]
    measured <- way$measured == 3
    total <- if (measured) way$seconds else 3 * way$seconds
    data.frame(
      stan = name,
      basis = if (measured) {
        "three fits measured"
      } else {
        "ESTIMATE: three times one measured fit"
      },
      stan_seconds = total,
      stan_sampler_seconds = way$sampler_seconds * 3 / way$measured,
      stan_passes = way$passes, package_seconds = package,
      package_low = min(seconds), package_high = max(seconds),
      package_min_ess = min(vapply(ours, `[[`, 0, "min_ess")),
      ratio = total / package, target = workflow_target,
      verdict = verdict(total / package, workflow_target)
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
    max(gap / sqrt(apply(a, 3, error)^2 + apply(b, 3, error)^2))
  }
  means <- largest(mean, posterior::mcse_mean)
  sds <- largest(stats::sd, posterior::mcse_sd)
  data.frame(
    quantities = dim(a)[3], mean_gap_mcse = means, sd_gap_mcse = sds,
    limit = 5, verdict = verdict(max(means, sds), 5, at_least = FALSE)
  )
}
