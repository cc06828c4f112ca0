# Poisson counts: stats::poisson() is accepted as it is, so that nothing of the
# stats package is masked. mean = exp(x'b) = variance.
poisson_family <- function() {
  new_synth_family(
    "poisson", "poisson", "Poisson counts of mean exp(x'b)",
    extras = character(), kind = "count", lkj = 6
  )
}
