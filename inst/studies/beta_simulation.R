# The simulation of Hu, Williams and Savitsky (censoring paper, section 4):
# 2,000 values from Beta(0.5, 3), the weighted, truncated and censored
# mechanisms and the perturbed histogram at epsilon 5, 4 and 3, with and without
# downscaling.
#
#   source(system.file("studies/beta_simulation.R", package = "pseudosynth"))
#   beta_simulation(1:5)
#
# One replicate takes about five seconds. `make studies` runs 100.

#' @param replicates (whole numbers) Each is the seed of its data and its fits.
#' @return (data frame) A row for each replicate, mechanism and epsilon: `delta`
#'   (Lipschitz bound), `touched` (records with weight 0 by truncation, or
#'   clipped at any kept draw), `ecdf_max`, `ecdf_mean_squared`, `mean`, `q15`,
#'   `median`, `q90` of one synthetic set, `converged`.
beta_simulation <- function(replicates, n = 2000, epsilons = c(5, 4, 3)) {
  do.call(rbind, lapply(replicates, beta_replicate, n, epsilons))
}

#' One seed after the other
seeds_from <- function(replicate) {
  seeds <- 1000 * replicate + seq_len(1000)
  function() {
    seeds <<- seeds[-1]
    seeds[1]
  }
}

beta_replicate <- function(replicate, n, epsilons) {
  set.seed(replicate)
  data <- data.frame(y = stats::rbeta(n, 0.5, 3))
  next_seed <- seeds_from(replicate)
  quiet <- pseudosynth::sampler_control(progress = FALSE)
  refit <- function(fit, ...) {
    suppressWarnings(stats::update(fit, ..., seed = next_seed()))
  }
  unweighted <- pseudosynth::fit_synthesizer(
    y ~ 1, data, pseudosynth::beta_response(bounds = c(0, 1)),
    seed = next_seed(), control = quiet
  )
  weighted <- refit(
    unweighted,
    privacy_weights = pseudosynth::lipschitz_weights(unweighted)
  )
  scaled <- refit(
    unweighted,
    privacy_weights = pseudosynth::lipschitz_weights(unweighted, scale = 0.8)
  )
  row <- function(mechanism, epsilon, fit, touched = NA) {
    set <- pseudosynth::synthesize(
      fit, 1,
      seed = next_seed(), allow_unconverged = TRUE
    )[[1]]
    data.frame(
      replicate = replicate, mechanism = mechanism, epsilon = epsilon,
      delta = fit$bound$overall, touched = touched,
      beta_utility(set$y, data$y), converged = fit$converged
    )
  }
  clipped <- function(fit, epsilon) {
    sum(fit$bound$record >= epsilon / 2 * (1 - 1e-12))
  }
  at <- function(epsilon) {
    truncated <- pseudosynth::truncate_weights(weighted, epsilon)
    rule <- pseudosynth::censor(epsilon)
    weighted_e <- refit(weighted, privacy_weights = truncated)
    censor_w <- refit(weighted, censor = rule)
    censor_uw <- refit(unweighted, censor = rule)
    histogram <- pseudosynth::perturbed_histogram(
      data$y,
      bounds = c(0, 1), epsilon = epsilon, neighbours = "replace",
      seed = next_seed()
    )
    values <- pseudosynth::synthesize(histogram, seed = next_seed())
    rbind(
      row("Weighted-e", epsilon, weighted_e, sum(as.double(truncated) == 0)),
      row("Censor_w", epsilon, censor_w, clipped(censor_w, epsilon)),
      row("Censor_uw", epsilon, censor_uw, clipped(censor_uw, epsilon)),
      data.frame(
        replicate = replicate, mechanism = "PH", epsilon = epsilon, delta = NA,
        touched = NA, beta_utility(values[[1]][[1]], data$y), converged = TRUE
      )
    )
  }
  downscaled <- function(epsilon) {
    truncated <- pseudosynth::truncate_weights(scaled, epsilon)
    weighted_e <- refit(scaled, privacy_weights = truncated)
    censor_w <- refit(scaled, censor = pseudosynth::censor(epsilon))
    rbind(
      row("Weighted, downscaled", epsilon, scaled),
      row(
        "Weighted-e, downscaled", epsilon, weighted_e,
        sum(as.double(truncated) == 0)
      ),
      row("Censor_w, downscaled", epsilon, censor_w, clipped(censor_w, epsilon))
    )
  }
  rbind(
    row("Unweighted", NA, unweighted), row("Weighted", NA, weighted),
    do.call(rbind, lapply(epsilons, at)),
    if (4 %in% epsilons) downscaled(4),
    # beyond the paper: the ratio to a crude public reference is clipped
    centred_row(data, next_seed, row)
  )
}

#' The strict mechanism of the package at a tenth of the budget
centred_row <- function(data, next_seed, row) {
  rule <- pseudosynth::censor(
    0.5,
    neighbours = "add-remove", window = 2,
    reference = list("(Intercept)" = stats::qlogis(0.15), precision = 4)
  )
  fit <- suppressWarnings(pseudosynth::fit_synthesizer(
    y ~ 1, data, pseudosynth::beta_response(bounds = c(0, 1)),
    censor = rule, seed = next_seed(),
    control = pseudosynth::sampler_control(progress = FALSE)
  ))
  row("centred", 0.5, fit)
}

#' The paper's global and specific measures of utility
beta_utility <- function(z, y) {
  points <- c(y, z)
  difference <- stats::ecdf(y)(points) - stats::ecdf(z)(points)
  q <- stats::quantile(z, c(0.15, 0.5, 0.9), names = FALSE)
  data.frame(
    ecdf_max = max(abs(difference)), ecdf_mean_squared = mean(difference^2),
    mean = mean(z), q15 = q[1], median = q[2], q90 = q[3]
  )
}
