# The families against Stan: effective draws per second of the worst of
# coefficients and dispersion, the three-fit workflow, and agreement of the
# posteriors. One thread; programs are timed by the processor time they use.

#' The cases. `target`: how many times Stan's effective draws per second, and
#' how many times as fast through the workflow. `forms`: what Stan tries; the
#' better one counts. `stan_chains`: chains of Stan, 1000 + 1000 each.
family_cases <- function() {
  list(
    `nb intercept` = list(
      data = simulated_counts(1000, 0), formula = y ~ 1,
      family = pseudosynth::neg_binomial(), program = "neg_binomial",
      dispersion = "size", forms = 0:1, target = c(300, 300), stan_chains = 4
    ),
    `nb regression` = list(
      data = simulated_counts(1000, 5), formula = y ~ .,
      family = pseudosynth::neg_binomial(), program = "neg_binomial",
      dispersion = "size", forms = 0:1, target = c(100, 100), stan_chains = 1
    ),
    `beta intercept` = list(
      data = simulated_parts(2000, FALSE), formula = y ~ 1,
      family = pseudosynth::beta_response(c(0, 1)), program = "beta",
      dispersion = "precision", forms = 2, target = c(1000, 300),
      stan_chains = 4
    ),
    `beta regression` = list(
      data = simulated_parts(1601, TRUE), formula = y ~ .,
      family = pseudosynth::beta_response(c(0, 1)), program = "beta",
      dispersion = "precision", forms = 0:1, target = c(150, 150),
      stan_chains = 1
    )
  )
}

# Five factors of four levels: 16 columns with the intercept.
simulated_counts <- function(n, n_factors, seed = 1) {
  withr::with_seed(seed, {
    codes <- matrix(sample(4, n * n_factors, TRUE), n)
    effect <- matrix(stats::rnorm(4 * n_factors, sd = 0.3), 4)
    eta <- rep(2, n)
    for (f in seq_len(n_factors)) eta <- eta + effect[codes[, f], f]
    predictors <- lapply(seq_len(n_factors), function(f) factor(codes[, f]))
    names(predictors) <- sprintf("f%d", seq_len(n_factors))
    y <- stats::rnbinom(n, mu = exp(eta), size = 2)
    as.data.frame(c(list(y = y), predictors))
  })
}

# Three factors of four levels, one of two, one number: 12 columns.
simulated_parts <- function(n, regression, seed = 2) {
  withr::with_seed(seed, {
    eta <- rep(0.4, n)
    predictors <- list()
    if (regression) {
      codes <- cbind(matrix(sample(4, 3 * n, TRUE), n), sample(2, n, TRUE))
      effect <- matrix(stats::rnorm(16, sd = 0.3), 4)
      x <- stats::rnorm(n)
      for (f in 1:4) eta <- eta + effect[codes[, f], f]
      eta <- eta + 0.3 * x
      predictors <- lapply(1:4, function(f) factor(codes[, f]))
      names(predictors) <- sprintf("f%d", 1:4)
      predictors$x <- x
    }
    y <- stats::rbeta(n, 12 * stats::plogis(eta), 12 * stats::plogis(-eta))
    as.data.frame(c(list(y = y), predictors))
  })
}

# ---- the package -------------------------------------------------------------

package_fit <- function(case, seed) {
  suppressWarnings(pseudosynth::fit_synthesizer(
    case$formula, case$data, case$family,
    prior = case$prior, censor = case$censor, chains = 4, warmup = 1000,
    draws = 1000, seed = seed, threads = 1,
    control = pseudosynth::sampler_control(progress = FALSE)
  ))
}

#' Processor seconds of an expression, its value, and seconds.
processor_timed <- function(expr) {
  started <- processor_seconds()
  value <- force(expr)
  list(value = value, seconds = processor_seconds() - started)
}

#' The sampler alone, several times for a clock of coarse ticks.
package_rate <- function(case, seed, repeats = NULL) {
  fit <- package_fit(case, seed)
  internal <- asNamespace("pseudosynth")
  control <- fit$control
  control["init"] <- list(NULL)
  once <- function(word) {
    control$seed <- c(0, word)
    control$progress <- FALSE
    control$threads <- 1L
    internal$sample_posterior_(fit$spec, control)
  }
  run <- processor_timed(once(seed))
  if (is.null(repeats)) repeats <- max(1, ceiling(1 / max(run$seconds, 0.01)))
  taken <- processor_timed(for (k in seq_len(repeats)) once(seed))
  ess <- worst_ess(by_chain_array(run$value$draws, control$chains))
  list(
    fit = fit, seconds = taken$seconds / repeats, ess = ess,
    accept = mean(run$value$sampler$accept_stat), sampler = control$sampler
  )
}

package_three_fits <- function(case, seed) {
  run <- processor_timed({
    first <- package_fit(case, seed)
    weights <- pseudosynth::lipschitz_weights(first)
    lw <- suppressWarnings(
      update(first, privacy_weights = weights, seed = seed + 1000)
    )
    suppressWarnings(
      pseudosynth::reweight(lw, k = reweighting_k, seed = seed + 2000)
    )
  })
  run$seconds
}

by_chain_array <- function(draws, chains) {
  array(draws, c(nrow(draws) / chains, chains, ncol(draws)))
}

worst_ess <- function(draws) {
  c(
    bulk = min(apply(draws, 3, posterior::ess_bulk)),
    tail = min(apply(draws, 3, posterior::ess_tail))
  )
}

# ---- Stan --------------------------------------------------------------------

#' What Stan reads for a fit of the package.
family_input <- function(fit, form, alpha = fit$spec$alpha, with_log_lik = 0) {
  spec <- fit$spec
  x <- design_matrix(fit)
  P <- ncol(x)
  prior <- spec$prior
  rule <- spec$censor
  hierarchical <- prior$kind == "hierarchical"
  normal <- prior$kind == "normal"
  integer_y <- spec$family %in% c("neg_binomial", "poisson", "bernoulli")
  list(
    N = nrow(x), P = P, x = x, alpha = alpha,
    y = if (integer_y) as.integer(spec$y) else spec$y,
    plain = as.integer(all(alpha == 1) && is.null(rule)),
    clipped = as.integer(!is.null(rule)),
    low = rule$lower %||% 0, high = rule$upper %||% 0,
    centre = rule$centre %||% numeric(nrow(x)), form = form,
    lkj = if (hierarchical) prior$lkj else 1,
    tau_df = if (hierarchical) prior$df else 1,
    tau_scale = if (hierarchical) prior$scale else 1,
    location = as.array(if (normal) prior$location else numeric(P)),
    scale = as.array(if (normal) prior$scale else rep(1, P)),
    shape1 = prior$shape1 %||% 1, shape2 = prior$shape2 %||% 1,
    df = spec$df %||% 3, with_log_lik = with_log_lik
  )
}

`%||%` <- function(x, y) if (is.null(x)) y else x

#' The model matrix that a specification of the package stands for.
design_matrix <- function(fit) {
  spec <- fit$spec
  x <- matrix(0, length(spec$y), spec$n_columns)
  if (spec$intercept) x[, 1] <- 1
  for (f in seq_len(ncol(spec$codes))) {
    code <- as.integer(spec$codes[, f])
    on <- which(code > 0)
    x[cbind(on, spec$factor_column[f] + code[on])] <- 1
  }
  x[, spec$numeric_column + 1L] <- spec$numeric
  x
}

stan_family_fit <- function(model, input, chains, seed, dispersion,
                            iterations = c(1000, 1000)) {
  pars <- c("b", dispersion, if (input$with_log_lik == 1) "log_lik")
  suppressWarnings(rstan::sampling(
    model, input,
    chains = chains, warmup = iterations[1], iter = sum(iterations), cores = 1,
    seed = seed, refresh = 0, pars = pars, save_warmup = FALSE,
    control = list(adapt_delta = 0.95)
  ))
}

form_names <- c("non-centred", "centred", "no hierarchy")

#' One form of the program: its rate, and whether it passes its diagnostics.
stan_rate <- function(case, fit, form, seed) {
  model <- compiled_model(case$program)
  input <- family_input(fit, form)
  run <- processor_timed(
    stan_family_fit(model, input, case$stan_chains, seed, case$dispersion)
  )
  pars <- c("b", case$dispersion)
  out <- cbind(
    form = form_names[form + 1], seed = seed, seconds = run$seconds,
    chains = case$stan_chains, stan_diagnostics(run$value, pars)
  )
  out$ess_per_second <- out$min_ess_bulk / run$seconds
  message(
    "Stan, ", out$form, ": ", signif(out$ess_per_second, 3), " ESS/s in ",
    round(run$seconds), " s, ",
    out$divergences, " divergent, ", if (out$passes) "passes" else "FAILS"
  )
  out
}

#' Three fits with the log-likelihoods in generated quantities and their bounds.
stan_three_fits <- function(case, fit, form, seed) {
  model <- compiled_model(case$program)
  alpha <- rep(1, nrow(case$data))
  bound <- NULL
  run <- processor_timed(for (stage in c("unweighted", "lw", "lw_final")) {
    alpha <- next_alpha(stage, alpha, bound)
    input <- family_input(fit, form, alpha, with_log_lik = 1)
    stan <- stan_family_fit(
      model, input, case$stan_chains, seed, case$dispersion
    )
    log_lik <- rstan::extract(stan, "log_lik")[[1]]
    extremes <- column_ranges(log_lik)
    record <- alpha * pmax(abs(extremes[1, ]), abs(extremes[2, ]))
    bound <- list(record = record, overall = max(record))
  })
  # The package runs four chains
  run$seconds * 4 / case$stan_chains
}

# ---- tables ------------------------------------------------------------------

# Share of the best effective draws per second so far
hopeless <- 0.1

#' @param seeds (whole numbers) for the package and Stan alike; medians count.
#' @param workflow (flag) Stan's three fits, too? For regressions they take the
#'   most of the time.
bench_families <- function(seeds = 1:3, workflow = TRUE,
                           cases = family_cases()) {
  rows <- list()
  stan_rows <- list()
  for (name in names(cases)) {
    case <- cases[[name]]
    message("-- ", name)
    ours <- lapply(seeds, function(seed) package_rate(case, seed))
    rate <- vapply(ours, function(run) run$ess[["bulk"]] / run$seconds, 0)
    theirs <- list()
    for (form in case$forms) {
      one <- function(seed) stan_rate(case, ours[[1]]$fit, form, seed)
      runs <- list(one(seeds[1]))
      # A form that is hopeless at the first seed gets no more of them
      best_so_far <- max(0, unlist(lapply(theirs, `[[`, "ess_per_second")))
      if (runs[[1]]$ess_per_second > hopeless * best_so_far) {
        runs <- c(runs, lapply(seeds[-1], one))
      }
      theirs[[form_names[form + 1]]] <- do.call(rbind, runs)
    }
    stan_rows[[name]] <- cbind(case = name, do.call(rbind, unname(theirs)))
    by_form <- vapply(theirs, function(x) stats::median(x$ess_per_second), 0)
    best <- which.max(by_form)
    seconds <- if (workflow) {
      c(
        stats::median(vapply(
          seeds, function(seed) package_three_fits(case, seed), 0
        )),
        stan_three_fits(
          case, ours[[1]]$fit, case$forms[best], seeds[1]
        )
      )
    } else {
      c(NA_real_, NA_real_)
    }
    rows[[name]] <- data.frame(
      case = name, sampler = ours[[1]]$sampler,
      accept = stats::median(vapply(ours, `[[`, 0, "accept")),
      package_seconds = stats::median(vapply(ours, `[[`, 0, "seconds")),
      ess_bulk = stats::median(vapply(ours, function(x) x$ess[["bulk"]], 0)),
      ess_tail = stats::median(vapply(ours, function(x) x$ess[["tail"]], 0)),
      package_rate = stats::median(rate), package_low = min(rate),
      package_high = max(rate), stan_form = names(by_form)[best],
      stan_rate = by_form[[best]],
      stan_passes = mean(theirs[[best]]$passes),
      ratio = stats::median(rate) / by_form[[best]], target = case$target[1],
      verdict = verdict(stats::median(rate) / by_form[[best]], case$target[1]),
      fits_package = seconds[1], fits_stan = seconds[2],
      fits_ratio = seconds[2] / seconds[1], fits_target = case$target[2]
    )
    keep_table(do.call(rbind, unname(rows)), "families")
    keep_table(do.call(rbind, unname(stan_rows)), "families-stan")
  }
  bench_heavy_tails(seeds)
}

#' student_t(3) on log income with nine predictors: seconds of four chains of
#' 1,000 draws on one core, unweighted and censored around a reference.
bench_heavy_tails <- function(seeds = 1:3) {
  cases <- heavy_tail_cases()
  rows <- lapply(names(cases), function(name) {
    runs <- lapply(seeds, function(seed) package_rate(cases[[name]], seed, 1))
    seconds <- vapply(runs, `[[`, 0, "seconds")
    data.frame(
      case = name, n = length(runs[[1]]$fit$spec$y),
      columns = runs[[1]]$fit$spec$n_columns, sampler = runs[[1]]$sampler,
      accept = runs[[1]]$accept, seconds = stats::median(seconds),
      seconds_high = max(seconds), target = 3,
      verdict = verdict(stats::median(seconds), 3, at_least = FALSE),
      ess_bulk = min(vapply(runs, function(x) x$ess[["bulk"]], 0)),
      ess_tail = min(vapply(runs, function(x) x$ess[["tail"]], 0))
    )
  })
  keep_table(do.call(rbind, rows), "families-student_t")
}

heavy_tail_cases <- function() {
  base <- list(
    data = ce_october(), formula = income_formula,
    family = pseudosynth::student_t(3), program = "student_t",
    dispersion = "sigma"
  )
  reference <- list("(Intercept)" = 10.8, sigma = 0.7)
  censored <- c(base, list(
    censor = pseudosynth::censor(1, reference = reference, window = 2)
  ))
  list(unweighted = base, `censored, epsilon 1` = censored)
}

# ---- agreement ---------------------------------------------------------------

#' Posterior means within 5 combined Monte Carlo errors, standard deviations
#' within 5%, at weights 1, random weights, and clipped.
bench_family_agreement <- function(cases = agreement_cases(), seed = 11,
                                   chains = 4) {
  rows <- list()
  for (name in names(cases)) {
    case <- cases[[name]]
    fit <- package_fit(case, seed)
    for (target in case$targets) {
      model <- compiled_model(case$program)
      ours <- agreement_fit(fit, target, seed)
      stan <- stan_family_fit(
        model, family_input(ours, case$form, ours$spec$alpha), chains, seed,
        case$dispersion,
        # A standard deviation to 5% takes some thousands of effective draws
        iterations = c(1000, case$stan_draws %||% 1000)
      )
      pars <- c("b", case$dispersion)
      theirs <- as.array(stan, pars = pars)
      rows[[paste(name, target)]] <- cbind(
        case = name, target = target, form = form_names[case$form + 1],
        sampler = ours$control$sampler,
        accept = mean(ours$sampler$accept_stat), converged = ours$converged,
        compare_families(
          theirs, by_chain_array(ours$draws, ours$control$chains)
        ),
        stan_diagnostics(stan, pars)
      )
      keep_table(do.call(rbind, unname(rows)), "agreement-families")
    }
  }
}

agreement_cases <- function() {
  all <- family_cases()
  heavy <- heavy_tail_cases()$unweighted
  heavy$data <- heavy$data[seq_len(800), ]
  heavy$formula <- log(income) ~ age + education + earner
  counts <- all$`nb regression`
  counts[c("family", "program", "dispersion")] <- list(
    stats::poisson(), "poisson", NULL
  )
  yes <- all$`nb regression`
  yes$data$y <- as.integer(yes$data$y > 12)
  yes[c("family", "program", "dispersion")] <- list(
    pseudosynth::bernoulli(), "bernoulli", NULL
  )
  # Under the hierarchical prior Stan itself seldom passes its diagnostics
  normal <- c(
    all[c("nb regression", "beta regression", "nb intercept")],
    list(student_t = heavy, poisson = counts, bernoulli = yes)
  )
  normal$student_t$stan_draws <- 4000
  normal <- lapply(normal, function(case) {
    case$prior <- pseudosynth::prior_normal()
    case$form <- 2
    case$targets <- c("weighted", "clipped")
    case
  })
  names(normal) <- paste0(names(normal), ", prior_normal()")
  fixed <- all$`beta intercept`
  fixed$form <- 2
  fixed$targets <- c("weighted", "clipped")
  hierarchical <- all$`nb regression`
  hierarchical$form <- 0
  hierarchical$targets <- "unweighted"
  c(normal, list(
    `beta intercept` = fixed,
    `nb regression, prior_hierarchical()` = hierarchical
  ))
}

#' The package's own fit at weights 1, at random weights, or clipped to an
#' interval of width 2 around the log-likelihood at the posterior mean; long
#' enough that its error is the smaller one.
agreement_fit <- function(fit, target, seed, draws = 4000) {
  weights <- withr::with_seed(5, 0.2 + 0.8 * stats::runif(length(fit$spec$y)))
  rule <- if (target == "clipped") {
    # The window leaves the weights as they are
    pseudosynth::censor(
      lower = -1, upper = 1, reference = as.list(colMeans(fit$draws)),
      window = 1
    )
  }
  suppressWarnings(update(
    fit,
    privacy_weights = if (target != "unweighted") weights, censor = rule,
    draws = draws, seed = seed
  ))
}

compare_families <- function(theirs, ours) {
  squares <- function(x, error) suppressWarnings(apply(x, 3, error))^2
  gap <- abs(apply(theirs, 3, mean) - apply(ours, 3, mean)) /
    sqrt(squares(theirs, posterior::mcse_mean) +
      squares(ours, posterior::mcse_mean))
  ratio <- apply(ours, 3, stats::sd) / apply(theirs, 3, stats::sd)
  sd_gap <- max(abs(ratio - 1))
  data.frame(
    quantities = dim(ours)[3], mean_gap_mcse = max(gap), limit = 5,
    sd_gap = sd_gap, sd_limit = 0.05,
    verdict = ifelse(max(gap) <= 5 && sd_gap <= 0.05, "reached", "MISSED")
  )
}

# ---- bounds ------------------------------------------------------------------

#' Does the fast sampler understate a bound by exploring too little? The overall
#' bound and the mean record bound from both samplers at the same number of
#' draws, over seeds. Under `prior_normal()`, where it can be: the hierarchical
#' prior is what NUTS itself explores too little.
bench_family_bounds <- function(seeds = 1:3,
                                cases = utils::head(agreement_cases(), 5)) {
  rows <- list()
  for (name in names(cases)) {
    case <- cases[[name]]
    for (sampler in c("surrogate", "nuts")) {
      fits <- lapply(seeds, function(seed) {
        suppressWarnings(pseudosynth::fit_synthesizer(
          case$formula, case$data, case$family,
          prior = case$prior, chains = 4, warmup = 1000, draws = 1000,
          seed = seed, threads = 1,
          control = pseudosynth::sampler_control(
            sampler = sampler, progress = FALSE
          )
        ))
      })
      bounds <- lapply(fits, pseudosynth::lipschitz)
      overall <- vapply(bounds, `[[`, 0, "overall")
      rows[[paste(name, sampler)]] <- data.frame(
        case = name, sampler = sampler, draws = nrow(fits[[1]]$draws),
        delta = mean(overall), delta_low = min(overall),
        delta_high = max(overall),
        mean_record = mean(vapply(bounds, function(b) mean(b$record), 0)),
        ess_bulk = min(vapply(fits, function(fit) {
          min(fit$diagnostics$ess_bulk)
        }, 0)),
        converged = sum(vapply(fits, function(fit) {
          isTRUE(fit$converged)
        }, TRUE))
      )
      keep_table(do.call(rbind, unname(rows)), "bounds-families")
    }
  }
}
