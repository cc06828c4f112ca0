# The application of Hu, Williams and Savitsky (censoring paper, section 5) on
# many files, since one set of one file says little: salaries of doctorate
# recipients by beta regression, the five synthesizers at epsilon 5, and the
# perturbed histogram with 40 and with 7 bins, for the paper names the square
# root and the logarithm of n.
#
#   source(system.file("studies/sdr_application.R", package = "pseudosynth"))
#   sdr_application(1)
#
# One replicate takes less than a minute. `make studies` runs 10.

source(
  system.file("studies", "beta_simulation.R", package = "pseudosynth"),
  local = TRUE
)

#' @param replicates (whole numbers) Each is the seed of its two files.
#' @param sets (count) Synthetic sets of each release.
#' @return (data frame) A row for each replicate, file and mechanism: `file`
#'   (`"survey"`: the salaries of `sdr_simulated` with predictors and ranks
#'   drawn anew; `"model"`: salaries drawn from a beta regression), `epsilon`,
#'   means over the sets of `ecdf_max`, `ecdf_mean_squared`, `mean`, `q15`,
#'   `median`, `q90`, the standard deviation `ecdf_max_sd` of one set, and
#'   `converged`.
sdr_application <- function(replicates, sets = 20) {
  do.call(rbind, lapply(replicates, function(replicate) {
    files <- list(
      survey = survey_file(replicate), model = model_file(replicate)
    )
    do.call(rbind, lapply(names(files), function(name) {
      cbind(
        replicate = replicate, file = name,
        sdr_mechanisms(files[[name]], sets, replicate)
      )
    }))
  }))
}

sdr_bounds <- c(0, 600000)

#' The regression that data-raw/sdr_simulated.R ranks salaries by
survey_file <- function(seed) {
  set.seed(seed)
  data <- as.data.frame(pseudosynth::sdr_simulated)
  n <- nrow(data)
  data[-1] <- data[sample(n, n, TRUE), -1]
  effect_of_age <- c(0, 0.15, 0.25, 0.35, 0.42, 0.46, 0.48, 0.45, 0.2)
  score <- 0.12 * (data$gender == "male") + effect_of_age[data$age] +
    0.5 * log(data$weeks / 52) + stats::rnorm(n, 0, 0.4)
  data$salary <- sort(data$salary)[rank(score, ties.method = "first")]
  data
}

#' Salaries that follow the model which is fitted
model_file <- function(seed) {
  fit <- sdr_fit(as.data.frame(pseudosynth::sdr_simulated), seed)
  as.data.frame(pseudosynth::synthesize(fit, 1, seed = seed)[[1]])
}

sdr_fit <- function(data, seed) {
  pseudosynth::fit_synthesizer(
    salary ~ gender + age + weeks, data,
    pseudosynth::beta_response(bounds = sdr_bounds),
    seed = seed, control = pseudosynth::sampler_control(progress = FALSE)
  )
}

sdr_mechanisms <- function(data, sets, replicate) {
  next_seed <- seeds_from(replicate)
  refit <- function(fit, ...) {
    suppressWarnings(stats::update(fit, ..., seed = next_seed()))
  }
  unweighted <- sdr_fit(data, next_seed())
  weighted <- refit(
    unweighted,
    privacy_weights = pseudosynth::lipschitz_weights(unweighted)
  )
  clip <- pseudosynth::censor(5)
  fits <- list(
    Unweighted = unweighted, Weighted = weighted,
    "Weighted-e" = refit(
      weighted,
      privacy_weights = pseudosynth::truncate_weights(weighted, 5)
    ),
    Censor_w = refit(weighted, censor = clip, draws = 250),
    Censor_uw = refit(unweighted, censor = clip, draws = 250)
  )
  rows <- lapply(names(fits), function(name) {
    fit <- fits[[name]]
    drawn <- pseudosynth::synthesize(
      fit, sets, seed = next_seed(), allow_unconverged = TRUE
    )
    utility_row(
      name, 2 * fit$bound$overall, lapply(drawn, `[[`, "salary"), data$salary,
      fit$converged
    )
  })
  histograms <- lapply(c(40, 7), function(bins) {
    # A set of a histogram costs its epsilon: each set has noise of its own
    drawn <- lapply(seq_len(sets), function(set) {
      histogram <- pseudosynth::perturbed_histogram(
        data$salary, bounds = sdr_bounds, bins = bins, epsilon = 5,
        neighbours = "replace", seed = next_seed()
      )
      pseudosynth::synthesize(histogram, 1, seed = next_seed())[[1]][[1]]
    })
    utility_row(paste("PH,", bins, "bins"), 5, drawn, data$salary, TRUE)
  })
  do.call(rbind, c(rows, histograms))
}

utility_row <- function(mechanism, epsilon, sets, y, converged) {
  found <- do.call(rbind, lapply(sets, beta_utility, y))
  data.frame(
    mechanism = mechanism, epsilon = epsilon, t(colMeans(found)),
    ecdf_max_sd = stats::sd(found$ecdf_max), converged = converged
  )
}
