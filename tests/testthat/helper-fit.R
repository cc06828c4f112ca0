# Small data and quick fits for the tests of the fit layer.

small_ce <- function(n = 150) {
  head(subset(ce_income, income > 0), n)
}

# Simulated: a response on a scale of a few units, a factor and a number.
simulated <- function(n = 60) {
  withr::with_seed(1, {
    group <- factor(sample(c("a", "b", "c"), n, TRUE))
    x <- stats::rnorm(n, 40, 10)
    data.frame(
      y = 1 + (group == "b") + 0.02 * x + stats::rnorm(n, 0, 0.5),
      group = group, x = x
    )
  })
}

quick_fit <- function(formula = y ~ group + x, data = simulated(),
                      family = gaussian(), ..., chains = 2, warmup = 200,
                      draws = 500, seed = 1, threads = 1) {
  fit_synthesizer(
    formula, data, family, ...,
    chains = chains, warmup = warmup, draws = draws, seed = seed,
    threads = threads
  )
}

# Too short to converge, which is not what these tests are about.
quick_mixture <- function(formula = y ~ group + x, data = simulated(), K = 2,
                          ..., warmup = 100, draws = 100) {
  suppressWarnings(
    quick_fit(
      formula, data, normal_mixture(K), ...,
      warmup = warmup, draws = draws
    ),
    classes = "pseudosynth_warning_convergence"
  )
}
