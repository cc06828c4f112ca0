# The law of the draws of clipped models: files with clones, clusters, heaps,
# far records and several modes, each fitted at many seeds and compared with the
# true posterior: a large population that goes there from the prior.
#
#   Rscript bench/run.R clipped-law [seeds]

#' The files, of one parameter vector or with two covariates.
clipped_files <- function(n, covariates) {
  withr::with_seed(n, {
    x1 <- stats::rnorm(n)
    x2 <- stats::rnorm(n)
    centre <- stats::rnorm(n, 0.5 * x1 - 0.3 * x2, 0.7)
    half <- seq_len(n) <= 0.6 * n
    # All but one record
    same <- function(data) {
      data.frame(
        data,
        x1 = c(0.5, rep(0.4, n - 1)), x2 = c(rep(-0.2, n - 1), 0)
      )
    }
    files <- list(
      ordinary = data.frame(z = centre, x1, x2),
      clones = same(data.frame(z = ifelse(half, 0.3, 0.32))),
      clusters = data.frame(
        z = ifelse(half, 0.2, 1.1), x1 = ifelse(half, -1, 1),
        x2 = ifelse(half, 0.5, -0.5)
      ),
      heaps = data.frame(z = round(centre), x1, x2),
      far = data.frame(z = c(rep(0.3, n - 1), 3), x1, x2),
      modes = data.frame(z = ifelse(seq_len(n) %% 2 == 0, -1.5, 1.5), x1, x2)
    )
  })
  lapply(files, function(data) if (covariates) data else data["z"])
}

#' The files' common score as a response of each family
clipped_response <- function(z, family) {
  switch(family,
    neg_binomial = round(4 * exp(z)),
    poisson = round(4 * exp(z)),
    beta_response = stats::plogis(z),
    bernoulli = as.numeric(z > 0.31),
    z
  )
}

clipped_family <- function(family) {
  switch(family,
    gaussian = stats::gaussian(), poisson = stats::poisson(),
    neg_binomial = pseudosynth::neg_binomial(),
    bernoulli = pseudosynth::bernoulli(),
    student_t = pseudosynth::student_t(3),
    beta_response = pseudosynth::beta_response(c(0, 1))
  )
}

#' The cases of the table: few parameters, or two covariates and the default
#' prior as well
clipped_cases <- function(large) {
  families <- c("gaussian", "student_t", "neg_binomial", "beta_response")
  if (!large) families <- c(families, "poisson", "bernoulli")
  cases <- expand.grid(
    file = names(clipped_files(20, large)), n = c(20, 60, 300, 2000),
    epsilon = c(0.1, 0.3, 1, 5), family = families,
    prior = if (large) c("normal", "default") else "normal",
    stringsAsFactors = FALSE
  )
  # A half of a thousand combinations would take days: each file, size, epsilon
  # and family meets every other one
  cells <- as.integer(factor(cases$file)) + as.integer(factor(cases$n)) +
    2 * as.integer(factor(cases$epsilon)) + as.integer(factor(cases$family)) +
    3 * as.integer(factor(cases$prior))
  cases[cells %% (if (large) 8 else 6) == 0, ]
}

clipped_fit <- function(case, large, seed, ...) {
  data <- clipped_files(case$n, large)[[case$file]]
  data$y <- clipped_response(data$z, case$family)
  suppressWarnings(pseudosynth::fit_synthesizer(
    if (large) y ~ x1 + x2 else y ~ 1, data[setdiff(names(data), "z")],
    clipped_family(case$family),
    prior = if (case$prior == "normal") pseudosynth::prior_normal(1, c(0, 2)),
    censor = pseudosynth::censor(case$epsilon), seed = seed, threads = 1,
    scaling = if (large) list(x1 = c(0, 1), x2 = c(0, 1)),
    control = pseudosynth::sampler_control(progress = FALSE), ...
  ), classes = "pseudosynth_warning_convergence")
}

#' The true posterior of a case, as a fit's parameters have it
clipped_truth <- function(case, large, hooks) {
  first <- clipped_fit(case, large, 0, chains = 1, draws = 8, warmup = 1)
  hooks$tempered_posterior(first$spec)
}

bench_clipped_law <- function(seeds = 1:5, large = c(FALSE, TRUE)) {
  hooks <- new.env(parent = asNamespace("pseudosynth"))
  for (file in "helper-tempered.R") {
    sys.source(file.path("tests", "testthat", file), hooks)
  }
  tables <- lapply(large, function(large) {
    cases <- clipped_cases(large)
    rows <- lapply(seq_len(nrow(cases)), function(i) {
      row <- clipped_row(cases[i, ], large, seeds, hooks)
      message(paste(format(row), collapse = "  "))
      row
    })
    do.call(rbind, rows)
  })
  keep_table(do.call(rbind, tables), "clipped-law", character())
}

clipped_row <- function(case, large, seeds, hooks) {
  truth <- clipped_truth(case, large, hooks)
  runs <- lapply(seeds, function(seed) {
    fit <- clipped_fit(case, large, seed)
    data.frame(
      converged = fit$converged,
      distance = hooks$distance_to_weighted(fit$draws, truth),
      seconds = fit$seconds$total, sampler = fit$control$sampler,
      parameters = ncol(fit$draws)
    )
  })
  runs <- do.call(rbind, runs)
  data.frame(
    case[c("file", "n", "epsilon", "family", "prior")],
    parameters = runs$parameters[1],
    sampler = toString(unique(runs$sampler)), seeds = length(seeds),
    converged = sum(runs$converged),
    distance = max(c(0, runs$distance[runs$converged])),
    of_unconverged = max(c(0, runs$distance[!runs$converged])),
    truth_ess = truth$ess, seconds = stats::median(runs$seconds),
    row.names = NULL
  )
}
