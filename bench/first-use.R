# What a user waits for: the public call by the clock on the wall, the first of
# a fresh session, beside Stan's sampler on the same model in the same run.
# Stan's program is compiled already, and its session is warm.

#' Effective draws a second of the worst coefficient, and the three fits, each
#' from its first call.
#' @param seeds (whole numbers) For the package; Stan runs once, in the form
#'   that was the better one in bench/families.R.
bench_first_use <- function(seeds = 1:5) {
  forms <- c(`nb regression` = 0, `beta regression` = 1)
  cases <- family_cases()
  rows <- lapply(names(forms), function(name) {
    case <- cases[[name]]
    message("-- ", name)
    ours <- lapply(seeds, function(seed) first_call(name, seed))
    rate <- vapply(ours, function(x) x$ess / x$seconds, 0)
    fits <- vapply(ours, `[[`, 0, "three_fits")
    fit <- package_fit(case, 1)
    stan <- timed(stan_family_fit(
      compiled_model(case$program), family_input(fit, forms[[name]]),
      case$stan_chains, 1, case$dispersion
    ))
    told <- stan_diagnostics(stan$value, c("b", case$dispersion))
    stan_rate <- told$min_ess_bulk / stan$seconds
    stan_fits <- stan_three_fits(case, fit, forms[[name]], 1)
    data.frame(
      case = name, package_rate = stats::median(rate), package_low = min(rate),
      stan_rate = stan_rate, stan_passes = told$passes,
      ratio = stats::median(rate) / stan_rate, target = 200,
      verdict = verdict(stats::median(rate) / stan_rate, 200),
      fits_package = stats::median(fits), fits_stan = stan_fits,
      fits_ratio = stan_fits / stats::median(fits), fits_target = 200
    )
  })
  keep_table(do.call(rbind, rows), "first-use")
}

#' Both calls in sessions of their own
#' @return (list) `seconds` and `ess` of one fit; `three_fits`, seconds.
first_call <- function(name, seed) {
  in_session <- function(code) {
    out <- tempfile(fileext = ".rds")
    script <- tempfile(fileext = ".R")
    writeLines(c(
      "suppressPackageStartupMessages(library(pseudosynth))",
      "for (f in c('timing.R', 'families.R')) source(file.path('bench', f))",
      "reweighting_k <- 0.95",
      sprintf("case <- family_cases()[[%s]]", deparse(name)), code,
      sprintf("saveRDS(found, %s)", deparse(out))
    ), script)
    stopifnot(system2("Rscript", script) == 0)
    readRDS(out)
  }
  fit <- in_session(c(
    sprintf("run <- timed(package_fit(case, %d))", seed),
    "draws <- by_chain_array(run$value$draws, 4)",
    "found <- list(seconds = run$seconds, ess = worst_ess(draws)[['bulk']])"
  ))
  fits <- in_session(sprintf(
    "found <- timed(package_three_fits(case, %d))$seconds", seed
  ))
  c(fit, three_fits = fits)
}
