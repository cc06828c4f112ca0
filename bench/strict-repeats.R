# A strict job ("centred"), again and again on the same file: how far do the
# draws of one run lie from those of all? Only the sampler's seed varies. The
# margin's noise does, too, and does not reach the fit: it calibrates what is
# released.
#
#   Rscript bench/run.R strict-repeats [runs]

#' The jobs, each a function of a seed.
strict_jobs <- function() {
  quiet <- pseudosynth::sampler_control(progress = FALSE)
  job <- function(formula, data, family, ...) {
    function(seed) {
      suppressMessages(pseudosynth::pseudo_posterior(
        formula, data, family,
        mechanism = "centred", epsilon = 1, seed = seed, threads = 1,
        control = quiet, ...
      ))
    }
  }
  salary <- pseudosynth::sdr_simulated
  thousands <- transform(salary, salary = as.integer(salary / 1000))
  list(
    `ce_income, student_t(3)` = job(
      log(income) ~ ., ce_october(), pseudosynth::student_t(3),
      reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
      response = pseudosynth::public_response(digits = 0)
    ),
    `sdr_simulated, neg_binomial()` = job(
      salary ~ ., thousands, pseudosynth::neg_binomial(),
      reference = list("(Intercept)" = log(90), size = 4), window = 2,
      bounds = c(0, 1000)
    ),
    `sdr_simulated, student_t(3)` = job(
      log(salary) ~ ., salary, pseudosynth::student_t(3),
      reference = list("(Intercept)" = log(90000), sigma = 0.5),
      bounds = c(1000, 1e6),
      response = pseudosynth::public_response(digits = -3)
    )
  )
}

#' A run's parameters, one row: means, standard deviations and the draws at
#' even distances, by which the runs are pooled
strict_run <- function(call, seed, kept = 500) {
  run <- timed(tryCatch(call(seed), pseudosynth_error_privacy = identity))
  if (inherits(run$value, "condition")) {
    return(list(seconds = run$seconds, refused = conditionMessage(run$value)))
  }
  draws <- run$value$internal$fits[[1]]$draws
  list(
    seconds = run$seconds, mean = colMeans(draws),
    sorted = apply(draws, 2, stats::quantile, stats::ppoints(kept, 0.5))
  )
}

bench_strict_repeats <- function(seeds = 1:200, jobs = strict_jobs()) {
  rows <- kept_table("strict-repeats")
  for (name in names(jobs)) {
    runs <- lapply(seeds, function(seed) strict_run(jobs[[name]], seed))
    refused <- vapply(runs, function(run) !is.null(run$refused), NA)
    for (run in runs[refused]) message(name, ": ", run$refused)
    row <- repeats_row(runs[!refused])
    row <- data.frame(
      job = name, runs = length(seeds), refused = sum(refused), row,
      seconds = stats::median(vapply(runs, `[[`, 1, "seconds"))
    )
    rows <- rbind(rows[rows$job != name, ], row)
    keep_table(rows, "strict-repeats", character())
  }
}

#' The largest differences of one run from all, in the parameters' own unit, in
#' posterior standard deviations, and as a Kolmogorov distance
repeats_row <- function(runs) {
  means <- do.call(rbind, lapply(runs, `[[`, "mean"))
  pool <- do.call(rbind, lapply(runs, `[[`, "sorted"))
  sd <- apply(pool, 2, stats::sd)
  off <- abs(sweep(means, 2, colMeans(means)))
  in_sd <- sweep(off, 2, sd, `/`)
  pool <- apply(pool, 2, sort)
  distance <- t(vapply(runs, function(run) {
    n <- nrow(run$sorted)
    vapply(seq_len(ncol(pool)), function(j) {
      share <- findInterval(run$sorted[, j], pool[, j]) / nrow(pool)
      max(abs(share - stats::ppoints(n, 0.5)))
    }, 1)
  }, numeric(ncol(pool))))
  data.frame(
    parameters = ncol(means), largest_sd = max(sd),
    largest_difference = max(off), largest_in_sd = max(in_sd),
    largest_distance = max(distance),
    over_raw = sum(apply(off > 0.15, 1, any)),
    over_in_sd = sum(apply(in_sd > 0.15, 1, any)),
    over_distance = sum(apply(distance > 0.15, 1, any)),
    worst = colnames(means)[which.max(apply(in_sd, 2, max))]
  )
}
