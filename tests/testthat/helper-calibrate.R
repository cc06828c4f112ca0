# Simulation-based calibration (Talts, Betancourt, Simpson, Vehtari and Gelman
# 2018): unknowns drawn from the prior, data from the unknowns, and the rank of
# each unknown among posterior draws must be uniform. With `shared` every record
# stands in the file two or three times, at random weights that add up to 1: the
# posterior is that of the data drawn, and all weights are fractions. Also used
# by tools/calibrate.R.

calibration_models <- function() {
  group <- matrix(rep(0:1, 8))
  z <- matrix(cos(1:16))
  mixture <- function(K) {
    core_spec(
      numeric(12), group[1:12, , drop = FALSE],
      K = K, prior = shared_prior(2, 0.5), sigma_floor = 0.1
    )
  }
  regression <- function(family, n = 16, prior = NULL) {
    core_spec(
      numeric(n), group[seq_len(n), , drop = FALSE],
      z[seq_len(n), , drop = FALSE], family = family, prior = prior
    )
  }
  list(
    `normal, normal prior` = core_spec(numeric(16), group, z),
    `normal, hierarchical prior` = core_spec(
      numeric(16), group, z,
      prior = hierarchical_prior()
    ),
    `mixture, K = 2` = mixture(2),
    `mixture, K = 3` = mixture(3),
    student_t = regression("student_t"),
    poisson = regression("poisson"),
    neg_binomial = regression("neg_binomial"),
    `neg_binomial, hierarchical prior` = regression(
      "neg_binomial", prior = hierarchical_prior()
    ),
    beta = regression("beta", n = 8),
    bernoulli = regression("bernoulli")
  )
}

# Unknowns and data of one simulation. Data that doubles cannot hold (a beta
# draw that rounds to 1) or that no one would model are drawn again together
# with their unknowns: a condition on the data alone leaves the ranks uniform.
simulate_from_prior <- function(spec) {
  repeat {
    truth <- simulate_once(spec)
    good <- switch(spec$family,
      beta = all(truth$y > 1e-290 & truth$y < 1 - 1e-9),
      poisson = ,
      neg_binomial = all(truth$y < 1e5),
      TRUE
    )
    if (good) return(truth)
  }
}

draw_extra <- function(spec) {
  switch(spec$family,
    gaussian = ,
    student_t = draw_half_t(1, 3),
    neg_binomial = 1 / draw_half_t(1, 1, 5),
    beta = 0.1 * stats::runif(1)^(-1 / 1.5)
  )
}

draw_response <- function(spec, eta, extra) {
  n <- length(eta)
  switch(spec$family,
    gaussian = eta + stats::rnorm(n, sd = extra),
    student_t = eta + extra * stats::rt(n, spec$df),
    poisson = stats::rpois(n, exp(eta)),
    # rnbinom() loses tiny sizes; a gamma draw by its log does not
    neg_binomial = stats::rpois(n, exp(pmin(
      eta - log(extra) + log(stats::rgamma(n, extra + 1)) +
        log(stats::runif(n)) / extra, 40
    ))),
    beta = stats::rbeta(
      n, stats::plogis(eta) * extra, stats::plogis(-eta) * extra
    ),
    bernoulli = stats::rbinom(n, 1, stats::plogis(eta))
  )
}

simulate_once <- function(spec) {
  P <- spec$n_columns
  x <- dense_matrix(spec)
  n <- length(spec$y)
  if (spec$family == "normal_mixture") {
    prior <- mixture_prior_draws(spec, 1)
    draw <- prior$draws[1, ]
    K <- spec$K
    k <- sample(K, n, TRUE, prob = draw[P * K + seq_len(K)])
    eta <- x %*% coefficients_of(spec, draw)
    y <- stats::rnorm(n, eta[cbind(seq_len(n), k)], draw[P * K + K + k])
    return(list(y = y, draws = prior$draws, hyper = prior$hyper))
  }
  tau <- numeric()
  if (spec$prior$kind == "hierarchical") {
    tau <- draw_half_t(P, 3)
    # LKJ(1): the correlations of a Wishart matrix with P + 1 degrees of freedom
    omega <- stats::cov2cor(stats::rWishart(1, P + 1, diag(P))[, , 1])
    b <- tau * as.numeric(t(chol(omega)) %*% stats::rnorm(P))
  } else {
    b <- stats::rnorm(P, spec$prior$location, spec$prior$scale)
  }
  extra <- draw_extra(spec)
  list(
    y = draw_response(spec, as.numeric(x %*% b), extra),
    draws = t(c(b, extra)), hyper = t(tau)
  )
}

calibration_quantities <- function(spec, draws, hyper) {
  if (spec$family == "normal_mixture") {
    return(label_invariant(spec, draws, hyper))
  }
  P <- spec$n_columns
  q <- draws
  colnames(q) <- c(paste0("b", seq_len(P)), rep("extra", ncol(q) - P))
  if (length(hyper) > 0) {
    colnames(hyper) <- paste0("tau", seq_len(P))
    q <- cbind(q, hyper)
  }
  f <- naive_log_lik(spec, draws)
  if (length(spec$y) > 1) f <- matrix(f, nrow(draws))
  cbind(q, sum_f = rowSums(f))
}

# The sampler that such a model gets by default. Under a hierarchical prior
# NUTS needs a smaller step than the tests give it.
calibration_sampler <- function(spec) {
  switch(spec$family,
    gaussian = "gibbs",
    normal_mixture = "augmentation",
    "surrogate"
  )
}

# A specification with the weight of each record shared among copies of it, and
# another record of weight 0.
share_weights <- function(spec) {
  n <- length(spec$y)
  copies <- sample(2:3, n, TRUE)
  rows <- rep(seq_len(n), copies)
  # Shapes below 1: some weights are next to 0, some next to 1
  part <- stats::rgamma(length(rows), 0.7)
  alpha <- part / rep(tapply(part, rows, sum), copies)
  rows <- c(rows, 1)
  spec$y <- spec$y[rows]
  if (spec$family %in% c("gaussian", "student_t", "normal_mixture")) {
    spec$y[length(rows)] <- 100
  }
  spec$codes <- spec$codes[rows, , drop = FALSE]
  spec$numeric <- spec$numeric[rows, , drop = FALSE]
  spec$alpha <- c(as.numeric(alpha), 0)
  spec
}

# Ranks (0 .. draws) of n simulations, one column per quantity.
calibration_ranks <- function(spec, n, draws = 99, seed = 1, thin = 10,
                              warmup = 300,
                              sampler = calibration_sampler(spec),
                              shared = FALSE) {
  withr::local_seed(seed)
  out <- lapply(seq_len(n), function(simulation) {
    truth <- simulate_from_prior(spec)
    spec$y <- truth$y
    run <- run_core(
      if (shared) share_weights(spec) else spec, sampler, draws,
      chains = 1, thin = thin, seed = 1000 * seed + simulation, warmup = warmup
    )
    at <- calibration_quantities(spec, truth$draws, truth$hyper)
    q <- calibration_quantities(spec, run$draws, run$hyper)
    colSums(q < rep(at, each = draws))
  })
  do.call(rbind, out)
}

# p-value of the chi-square test that ranks are uniform.
rank_uniformity <- function(ranks, draws = 99, bins = 20) {
  counts <- tabulate((ranks * bins) %/% (draws + 1) + 1, bins)
  suppressWarnings(stats::chisq.test(counts)$p.value)
}
