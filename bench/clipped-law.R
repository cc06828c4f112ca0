# The law of the draws of clipped models: files with clones, clusters, heaps,
# far records and several modes, each fitted at many seeds and compared with the
# true posterior: a large population that goes there from the prior.
#
#   Rscript bench/run.R clipped-law [seeds]         up to three parameters
#   Rscript bench/run.R clipped-law-more [seeds]    four, and default priors

#' The files, without predictors or with one or two.
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
  lapply(files, function(data) data[seq_len(1 + covariates)])
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

clipped_families <- c(
  "gaussian", "student_t", "neg_binomial", "beta_response", "poisson",
  "bernoulli"
)
has_one_extra <- function(family) !family %in% c("poisson", "bernoulli")

#' The cases of a table, evenly thinned: all would take a day
#'
#' @param part (string) `"intercept"`: one or two parameters, drawn from a grid;
#'   `"three"`: three parameters, chains; `"more"`: four parameters, or default
#'   priors, of the families that have an extra parameter.
clipped_cases <- function(part) {
  families <- clipped_families
  if (part == "more") families <- Filter(has_one_extra, families)
  cases <- expand.grid(
    file = names(clipped_files(20, 0)), n = c(20, 60, 300, 2000),
    epsilon = c(0.1, 0.3, 1, 5), family = families,
    prior = if (part == "more") c("normal", "default") else "normal",
    stringsAsFactors = FALSE
  )
  cases$covariates <- switch(part,
    intercept = 0,
    three = ifelse(has_one_extra(cases$family), 1, 2),
    more = 2
  )
  # A Latin square: each file, size, epsilon and family meets every other one
  cells <- as.integer(factor(cases$file)) + as.integer(factor(cases$n)) +
    2 * as.integer(factor(cases$epsilon)) + as.integer(factor(cases$family)) +
    3 * as.integer(factor(cases$prior))
  cases[cells %% (if (part == "more") 8 else 6) == 0, ]
}

clipped_fit <- function(case, seed, ...) {
  data <- clipped_files(case$n, case$covariates)[[case$file]]
  data$y <- clipped_response(data$z, case$family)
  data$z <- NULL
  scaling <- list(x1 = c(0, 1), x2 = c(0, 1))[seq_len(case$covariates)]
  suppressWarnings(pseudosynth::fit_synthesizer(
    stats::reformulate(c("1", names(scaling)), "y"), data,
    clipped_family(case$family),
    prior = if (case$prior == "normal") pseudosynth::prior_normal(1, c(0, 2)),
    censor = pseudosynth::censor(case$epsilon), seed = seed, threads = 1,
    scaling = if (length(scaling) > 0) scaling,
    control = pseudosynth::sampler_control(progress = FALSE), ...
  ), classes = "pseudosynth_warning_convergence")
}

#' The true posterior of a case, as a fit's parameters have it; again from a
#' larger population where that is not precise
clipped_truth <- function(case, hooks) {
  spec <- clipped_fit(case, 0, chains = 1, draws = 8, warmup = 1)$spec
  truth <- hooks$tempered_posterior(spec, size = 3000)
  if (truth$ess < precise_ess && case$n <= 300) {
    again <- hooks$tempered_posterior(spec, size = 24000, seed = 2)
    if (again$ess > truth$ess) truth <- again
  }
  truth
}

# Effective draws of a reference that is good enough to judge by
precise_ess <- 1000
# The gates: how far a converged fit may be, and how many fits converge
largest_distance <- 0.12
least_converged <- 0.9

clipped_row <- function(case, seeds, hooks) {
  truth <- clipped_truth(case, hooks)
  runs <- lapply(seeds, function(seed) {
    fit <- clipped_fit(case, seed)
    data.frame(
      converged = fit$converged,
      distance = hooks$distance_to_weighted(fit$draws, truth),
      seconds = fit$seconds$total, sampler = fit$control$sampler,
      parameters = ncol(fit$draws)
    )
  })
  runs <- do.call(rbind, runs)
  far <- runs$distance > largest_distance
  data.frame(
    case, parameters = runs$parameters[1],
    sampler = toString(unique(runs$sampler)), seeds = length(seeds),
    converged = sum(runs$converged), wrong = sum(runs$converged & far),
    distance = max(c(0, runs$distance[runs$converged])),
    median_distance = stats::median(runs$distance),
    of_unconverged = max(c(0, runs$distance[!runs$converged])),
    truth_ess = truth$ess, seconds = stats::median(runs$seconds),
    row.names = NULL
  )
}

#' Rows are kept one by one, and those of the file are not made again: a run
#' that was cut off goes on. Delete the file to start over.
bench_clipped_law <- function(seeds = 1:5, parts = c("intercept", "three")) {
  hooks <- new.env(parent = asNamespace("pseudosynth"))
  sys.source(file.path("tests", "testthat", "helper-tempered.R"), hooks)
  name <- if ("more" %in% parts) "clipped-law-more" else "clipped-law"
  rows <- kept_table(name)
  key <- function(x) {
    paste(x$file, x$n, x$epsilon, x$family, x$prior, x$covariates)
  }
  cases <- lapply(parts, clipped_cases)
  turn <- sequence(vapply(cases, nrow, 1L))
  cases <- do.call(rbind, cases)
  # In four parts that are even in all but the pairs of the two
  quarter <- 2 * as.integer(factor(cases$n)) +
    as.integer(factor(cases$epsilon)) + as.integer(factor(cases$family))
  cases <- cases[order(quarter %% 4, turn), ]
  done <- rows[rows$seeds >= length(seeds), ]
  for (i in which(!key(cases) %in% key(done))) {
    row <- clipped_row(cases[i, ], seeds, hooks)
    message(toString(vapply(row, format, "", digits = 3)))
    rows <- rbind(rows[!key(rows) %in% key(row), ], row)
    keep_table(rows, name, character(), show = FALSE)
  }
  judge_clipped_law(rows)
  invisible(rows)
}

judge_clipped_law <- function(rows) {
  judged <- rows[rows$truth_ess >= precise_ess, ]
  few <- judged$converged < least_converged * judged$seeds
  cat(sprintf(
    paste0(
      "%d cases, %d not judged (reference below %d effective draws)\n",
      "%d fits, %d converged, %d of them farther than %s; largest %.3f\n",
      "%d cases with less than %.0f%% converged\n"
    ),
    nrow(rows), nrow(rows) - nrow(judged), precise_ess, sum(judged$seeds),
    sum(judged$converged), sum(judged$wrong), largest_distance,
    max(judged$distance), sum(few), 100 * least_converged
  ))
  print(judged[judged$wrong > 0 | few, ], row.names = FALSE, digits = 3)
  by_file <- split(judged, paste(judged$sampler, judged$file, sep = ", "))
  print(do.call(rbind, lapply(by_file, function(part) {
    data.frame(
      cases = nrow(part), fits = sum(part$seeds),
      converged = sum(part$converged), fewest = min(part$converged),
      wrong = sum(part$wrong), largest = max(part$distance),
      median = stats::median(part$median_distance)
    )
  })), digits = 2)
}
