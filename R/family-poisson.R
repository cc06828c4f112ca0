# Poisson counts: stats::poisson() is accepted as it is, so that nothing of the
# stats package is masked. mean = exp(x'b) = variance.
poisson_family <- function() {
  new_synth_family(
    "poisson", "poisson", "Poisson counts of mean exp(x'b)",
    extras = character(), kind = "count"
  )
}

law_poisson <- function() {
  family_law(
    poisson_family, "log",
    prior = function(...) prior_hierarchical(lkj = 6), clip = c(1.5, 1),
    variance = function(mean, shape) mean,
    probability = function(q, mean, shape) stats::ppois(q, mean),
    quantile = function(p, mean, shape) stats::qpois(p, mean),
    above = function(a, eta, mean, shape) {
      count_above(a, mean, function(j, more) {
        stats::ppois(j - 1, mean, lower.tail = FALSE)
      })
    }
  )
}
