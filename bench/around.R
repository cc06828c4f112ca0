# What a user waits for: whole calls by the clock, everything around the sampler
# included, and the processor time they use. Searches and studies refit dozens
# of times, so that what a fit costs beside its chains counts.

#' The calls, each a function of a seed, with the seconds they may take.
whole_calls <- function() {
  quiet <- pseudosynth::sampler_control(progress = FALSE)
  fit <- function(data) {
    function(seed) {
      pseudosynth::fit_synthesizer(
        y ~ ., data, pseudosynth::neg_binomial(),
        chains = 1, warmup = 1000, draws = 1000, seed = seed, threads = 1,
        control = quiet
      )
    }
  }
  strict <- function(threads) {
    data <- ce_october()
    function(seed) {
      suppressMessages(pseudosynth::pseudo_posterior(
        log(income) ~ ., data, pseudosynth::student_t(3),
        mechanism = "centred", epsilon = 1,
        reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
        seed = seed, threads = threads, control = quiet
      ))
    }
  }
  list(
    `nb, 15 numbers` = list(call = fit(numeric_counts()), target = 0.06),
    `nb, 5 factors` = list(
      call = fit(simulated_counts(1000, 5)), target = 0.06
    ),
    `strict, 1 thread` = list(call = strict(1), target = 1.2),
    `strict, 2 threads` = list(call = strict(2), target = 0.8)
  )
}

# Fifteen numbers: 16 columns with the intercept.
numeric_counts <- function(n = 1000, seed = 1) {
  withr::with_seed(seed, {
    x <- matrix(stats::rnorm(15 * n), n)
    eta <- 2 + (x %*% stats::rnorm(15, sd = 0.2))[, 1]
    data.frame(y = stats::rnbinom(n, mu = exp(eta), size = 3), x)
  })
}

#' Each call at several seeds; the first run, which loads and allocates, is not
#' counted. `rerun` is the share of calls whose first run of the chains did not
#' pass the gates and was followed by a longer one.
bench_around <- function(seeds = 1:20, calls = whole_calls()) {
  rows <- lapply(names(calls), function(name) {
    case <- calls[[name]]
    suppressWarnings(case$call(0))
    runs <- lapply(seeds, function(seed) {
      used <- processor_seconds()
      run <- timed(suppressWarnings(case$call(seed)))
      used <- processor_seconds() - used
      fit <- if (inherits(run$value, "pseudo_posterior")) {
        run$value$internal$fits[[1]]
      } else {
        run$value
      }
      data.frame(
        clock = run$seconds, processor = used,
        chains = sum(fit$seconds$chains),
        rerun = fit$control$thin > 1 || fit$control$sampler != "surrogate",
        converged = fit$converged, rhat = max(fit$diagnostics$rhat),
        ess = min(fit$diagnostics$ess_bulk, fit$diagnostics$ess_tail)
      )
    })
    runs <- do.call(rbind, runs)
    clock <- stats::median(runs$clock)
    data.frame(
      case = name, seeds = length(seeds), clock = clock,
      clock_best = min(runs$clock), clock_mean = mean(runs$clock),
      processor = stats::median(runs$processor),
      processor_best = min(runs$processor),
      of_chains = stats::median(runs$chains), rerun = mean(runs$rerun),
      converged = mean(runs$converged), rhat = max(runs$rhat),
      ess = min(runs$ess), target = case$target,
      verdict = verdict(clock, case$target, at_least = FALSE)
    )
  })
  keep_table(do.call(rbind, rows), "around", character())
}
