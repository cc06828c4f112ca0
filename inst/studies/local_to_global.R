# From one file's Lipschitz bound to that of many files, as in Savitsky, Hu and
# Williams (re-weighting paper, supplement 5): 1,000 counts from a Poisson
# distribution or from a mixture of negative binomials, unweighted, with
# Lipschitz weights, and with these re-weighted, as the supplement has them.
#
#   source(system.file("studies/local_to_global.R", package = "pseudosynth"))
#   local_to_global(1:3)
#
# `make studies` runs 100 replicates.

#' @param replicates (whole numbers) Each is the seed of its data and its fits.
#' @return (data frame) A row for each replicate, data (`"Poisson"`,
#'   `"NB mixture"`) and release (`"data"`, `"Unweighted"`, `"LW"`,
#'   `"LW_final"`): `delta`, `mean`, `q15`, `median`, `q90` of one set,
#'   `converged`.
local_to_global <- function(replicates, n = 1000) {
  do.call(rbind, lapply(replicates, function(replicate) {
    set.seed(replicate)
    poisson <- stats::rpois(n, 100)
    mixture <- negative_binomial_mixture(n)
    rbind(
      local_bounds("Poisson", poisson, stats::poisson(), replicate),
      local_bounds(
        "NB mixture", mixture, pseudosynth::neg_binomial(), replicate
      )
    )
  }))
}

#' The paper's skewed counts: 20% with dispersion 5, 80% with 20
negative_binomial_mixture <- function(n) {
  size <- ifelse(stats::runif(n) < 0.2, 5, 20)
  stats::rnbinom(n, mu = 100, size = size)
}

local_bounds <- function(data, y, family, replicate) {
  fit <- pseudosynth::fit_synthesizer(
    y ~ 1, data.frame(y = y), family,
    seed = 10 * replicate + 1,
    control = pseudosynth::sampler_control(progress = FALSE)
  )
  weighted <- stats::update(
    fit,
    privacy_weights = pseudosynth::lipschitz_weights(fit),
    seed = 10 * replicate + 2
  )
  final <- pseudosynth::reweight(weighted, seed = 10 * replicate + 4)
  row <- function(release, values, fit = NULL) {
    q <- stats::quantile(values, c(0.15, 0.5, 0.9), names = FALSE)
    data.frame(
      replicate = replicate, data = data, release = release,
      delta = if (is.null(fit)) NA else fit$bound$overall,
      mean = mean(values), q15 = q[1], median = q[2], q90 = q[3],
      converged = if (is.null(fit)) NA else fit$converged
    )
  }
  set_of <- function(fit) {
    pseudosynth::synthesize(fit, 1, seed = 10 * replicate + 3)[[1]]$y
  }
  rbind(
    row("data", y), row("Unweighted", set_of(fit), fit),
    row("LW", set_of(weighted), weighted),
    row("LW_final", set_of(final), final)
  )
}
