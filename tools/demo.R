# The whole job on real data: synthetic income of the Consumer Expenditure
# Surveys with its privacy label. Called by `make demo`:
#
#   Rscript tools/demo.R demo-output
#
# It writes the synthetic sets (CSV) of three jobs, their public labels, the
# figures (PNG) and index.html, a page without any outside resource that
# explains the jobs: the papers' re-weighted mixture, whose epsilon is a claim,
# a censored model, whose epsilon is proven, and a release of the whole file.

# ---- what is asked for -------------------------------------------------------

n_components <- 3 # of the mixture
n_sets <- 3 # synthetic sets

strict_epsilon <- 1 # total of the second job
file_epsilon <- 1 # total of the third one

# The budget of the mixture: more of everything is better and slower.
n_chains <- 4
n_warmup <- 150 # iterations of each chain of the first fit, discarded
n_rewarmup <- 50 # the same for later fits, which start where the last one ended
n_draws <- 500 # kept draws of each chain
n_sweeps <- 2 # of the sampler for each kept draw of the first fit
n_resweeps <- 2 # the same for later fits
n_refits <- 3 # at most, in the search for the re-weighting constant
tolerance <- 0.04 # of that search; the bound of a refit varies by about as much
n_threads <- 2

# Only to reproduce a run: the label says so, and such sets are not for release.
seed <- Sys.getenv("PSEUDOSYNTH_DEMO_SEED")
seed <- if (nzchar(seed)) as.numeric(seed)

# ---- preparation -------------------------------------------------------------

output <- commandArgs(trailingOnly = TRUE)
output <- if (length(output) > 0) output[1] else "demo-output"
here <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
helpers <- file.path(if (is.na(here)) "tools" else dirname(here), "demo")

suppressPackageStartupMessages({
  library(pseudosynth)
  library(ggplot2)
})
for (file in list.files(helpers, "[.]R$", full.names = TRUE)) source(file)

dir.create(output, showWarnings = FALSE, recursive = TRUE)
unlink(list.files(
  output, "^(synthetic-.*[.]csv|.*[.]png|label.*[.]txt|index[.]html)$",
  full.names = TRUE
))
started <- seconds_now()

# ---- 1 the confidential file -------------------------------------------------

# A log scale needs positive incomes. Dropping the others is the user's choice;
# the page says so.
income <- subset(ce_income, income > 0)
say(
  "%s positive incomes of %s, %d predictors, mixture of %d normals, %d sets",
  count(nrow(income)), count(nrow(ce_income)), ncol(income) - 1,
  n_components, n_sets
)

# ---- 2 fit, weigh, refit, re-weigh, draw -------------------------------------

# A stage that has not converged does not stop the demo (allow_unconverged): the
# label and the page then say that nothing is promised.
fits <- list()

step("Fitting the unweighted model", {
  fits$unweighted <- fit_synthesizer(
    log(income) ~ ., income, normal_mixture(K = n_components),
    chains = n_chains, warmup = n_warmup, draws = n_draws,
    threads = n_threads, seed = stage_seed(seed, "unweighted"),
    control = sampler_control(thin = n_sweeps)
  )
})
step("Fitting with Lipschitz weights", {
  weights <- lipschitz_weights(fits$unweighted, allow_unconverged = TRUE)
  fits$lw <- update(
    fits$unweighted,
    privacy_weights = weights, warmup = n_rewarmup,
    seed = stage_seed(seed, "weighted"),
    control = sampler_control(thin = n_resweeps)
  )
})
step("Re-weighting", {
  fits$lw_final <- or_null(reweight(
    fits$lw,
    tolerance = tolerance, max_refits = n_refits,
    seed = stage_seed(seed, "reweight"),
    allow_unconverged = TRUE
  ))
})
step("Drawing the synthetic sets", {
  synthetic <- synthesize(
    fits[[length(fits)]], n_sets,
    seed = stage_seed(seed, "sets"), allow_unconverged = TRUE
  )
  # what pseudo_posterior() makes of the same steps in one call
  job <- as_pseudo_posterior(synthetic, fits)
})

# ---- 3 a proven epsilon, in one call -----------------------------------------

# What a record adds to the log-likelihood is censored to a public interval.
# Reference, bounds and decimals are public statements, not read from the file.
step(sprintf("A proven epsilon of %g", strict_epsilon), {
  strict <- suppressMessages(pseudo_posterior(
    log(income) ~ ., income, student_t(3),
    mechanism = "centred", epsilon = strict_epsilon,
    reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
    response = public_response(digits = 0), threads = n_threads,
    seed = stage_seed(seed, "strict")
  ))
})

# ---- 4 the whole file, all columns protected ---------------------------------

step(sprintf("The whole file at epsilon %g", file_epsilon), {
  whole <- whole_file_job(ce_income, file_epsilon, seed)
})

# ---- 5 what leaves: the sets and their public labels -------------------------

step("Writing the synthetic sets", {
  write_sets(synthetic, output)
  write_sets(strict$synthetic, output, "synthetic-strict")
  write_label(synthetic, file.path(output, "label.txt"))
  write_label(strict$synthetic, file.path(output, "label-strict.txt"))
  write_sets(whole$sets, output, "synthetic-file")
  write_label(whole$sets, file.path(output, "label-file.txt"))
})

# ---- 6 what stays: comparison with the confidential file, figures, page ------

step("Comparing with the confidential file", {
  use <- utility_of(synthetic, strict$synthetic, income)
})
step("Drawing the figures", {
  figures <- c(
    draw_figures(job, strict, use, output),
    draw_whole_file(whole, ce_income, output)
  )
})
step("Writing the page", {
  write_page(job, strict, whole, use, figures, income, helpers, output)
})

# ---- the end -----------------------------------------------------------------

cat("\n")
print(job)
cat("\n")
print(strict)
cat("\n")
print(whole$release)
say(
  "\n%s: open it in a browser (%.0f s in all)",
  file.path(output, "index.html"), seconds_now() - started
)
