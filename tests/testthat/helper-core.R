# What the tests of the C++ core share: model specifications, runs of a
# sampler, and comparisons in units of Monte Carlo error.

normal_prior <- function(n_columns, scale = 1) {
  list(
    kind = "normal", location = rep(0, n_columns),
    scale = rep(scale, n_columns)
  )
}

shared_prior <- function(n_columns, scale = 0.25, m_scale = 1) {
  list(
    kind = "shared", scale = scale, df = 3, location = rep(0, n_columns),
    m_scale = rep_len(m_scale, n_columns)
  )
}

hierarchical_prior <- function(lkj = 1) {
  list(kind = "hierarchical", lkj = lkj, df = 3, scale = 1)
}

# codes: integer matrix, 0-based; x: numeric matrix; either may have no column.
core_spec <- function(y, codes = matrix(0L, length(y), 0),
                      x = matrix(0, length(y), 0), alpha = rep(1, length(y)),
                      K = 0, prior = NULL, intercept = TRUE, sigma_floor = 0,
                      n_levels = apply(codes, 2, max) + 1L,
                      family = if (K > 0) "normal_mixture" else "gaussian",
                      df = 3) {
  n_levels <- as.integer(n_levels)
  if (!intercept && ncol(codes) > 0) {
    codes[, 1] <- codes[, 1] + 1L
    n_levels[1] <- n_levels[1] + 1L
  }
  width <- n_levels - 1L
  n_columns <- intercept + sum(width) + ncol(x)
  first <- intercept + cumsum(c(0L, width))[seq_along(width)]
  if (is.null(prior)) {
    prior <- if (K > 0) shared_prior(n_columns) else normal_prior(n_columns)
  }
  list(
    family = family, df = df, K = max(K, 1L),
    sigma_floor = sigma_floor, y = as.numeric(y), n_columns = n_columns,
    intercept = intercept, codes = codes, n_levels = n_levels,
    factor_column = as.integer(first), numeric = x,
    numeric_column = as.integer(
      intercept + sum(width) + seq_len(ncol(x)) - 1L
    ),
    alpha = alpha, censor = NULL, prior = prior
  )
}

# The model matrix that a specification stands for, records in file order.
dense_matrix <- function(spec) {
  n <- length(spec$y)
  out <- matrix(0, n, spec$n_columns)
  if (spec$intercept) out[, 1] <- 1
  for (f in seq_len(ncol(spec$codes))) {
    on <- spec$codes[, f] > 0
    column <- spec$factor_column[f] + spec$codes[on, f]
    out[cbind(which(on), column)] <- 1
  }
  out[, spec$numeric_column + 1L] <- spec$numeric
  out
}

# K coefficient vectors of a draw, P x K.
coefficients_of <- function(spec, draw) {
  K <- spec$K
  t(matrix(draw[seq_len(spec$n_columns * K)], K))
}

# Extra parameters of a draw beside the coefficients.
n_extra <- function(spec) {
  switch(spec$family,
    poisson = ,
    bernoulli = 0,
    normal_mixture = 2 * spec$K,
    1
  )
}

# f of one linear predictor in base R's densities; arguments recycle.
log_density <- function(family, y, eta, extra = NULL, df = 3) {
  switch(family,
    gaussian = stats::dnorm(y, eta, extra, log = TRUE),
    student_t = stats::dt((y - eta) / extra, df, log = TRUE) - log(extra),
    poisson = stats::dpois(y, exp(eta), log = TRUE),
    neg_binomial = stats::dnbinom(
      y, size = extra, mu = exp(eta), log = TRUE
    ),
    beta = stats::dbeta(
      y, stats::plogis(eta) * extra, stats::plogis(-eta) * extra, log = TRUE
    ),
    bernoulli = stats::plogis((2 * y - 1) * eta, log.p = TRUE)
  )
}

# S x N log-likelihood in plain R, one loop and base R's densities.
naive_log_lik <- function(spec, draws) {
  x <- dense_matrix(spec)
  K <- spec$K
  n_b <- spec$n_columns * K
  t(apply(draws, 1, function(draw) {
    eta <- x %*% coefficients_of(spec, draw)
    if (!is.null(spec$offset)) eta <- eta + spec$offset
    if (spec$family != "normal_mixture") {
      return(
        log_density(spec$family, spec$y, eta[, 1], draw[n_b + 1], spec$df)
      )
    }
    term <- vapply(seq_len(K), function(k) {
      log(draw[n_b + k]) +
        stats::dnorm(spec$y, eta[, k], draw[n_b + K + k], log = TRUE)
    }, numeric(length(spec$y)))
    term <- matrix(term, ncol = K)
    high <- apply(term, 1, max)
    ifelse(is.finite(high), high + log(rowSums(exp(term - high))), high)
  }))
}

random_draws <- function(spec, n) {
  K <- spec$K
  b <- matrix(stats::rnorm(n * spec$n_columns * K), n)
  if (spec$family != "normal_mixture") {
    extra <- exp(stats::rnorm(n * n_extra(spec)))
    if (spec$family == "beta") extra <- extra + 0.1
    return(unname(cbind(b, if (length(extra) > 0) extra)))
  }
  pi <- matrix(stats::rexp(n * K), n)
  cbind(b, pi / rowSums(pi), matrix(exp(stats::rnorm(n * K)), n))
}

run_core <- function(spec, sampler, draws, warmup = 500, thin = 1, chains = 2,
                     seed = 1, threads = 1, level_moves = 2, shared_moves = 1,
                     hamiltonian_moves = 1, pair_moves = 2, init = NULL,
                     metric = "diagonal", max_treedepth = 10) {
  sample_posterior_(spec, list(
    sampler = sampler, chains = chains, warmup = warmup, draws = draws,
    thin = thin, seed = c(0, seed), threads = threads, adapt_delta = 0.9,
    max_treedepth = max_treedepth, metric = metric, progress = FALSE,
    init = init, level_moves = level_moves, shared_moves = shared_moves,
    hamiltonian_moves = hamiltonian_moves,
    pair_moves = pair_moves
  ))
}

# A column of stacked chains as iterations x chains.
by_chain <- function(x, chains = 2) matrix(x, ncol = chains)

expect_truth <- function(x, truth, chains = 1, error = 0, within = 5) {
  x <- by_chain(x, chains)
  mcse <- posterior::mcse_mean(x)
  z <- (mean(x) - truth) / sqrt(mcse^2 + error^2)
  testthat::expect_lt(abs(z), within)
}

# Two runs agree on a mean.
expect_same_mean <- function(x, y, chains = 2, within = 5) {
  x <- by_chain(x, chains)
  y <- by_chain(y, chains)
  expect_truth(
    x, mean(y), chains, posterior::mcse_mean(y), within = within
  )
}

# The shares below some quantiles of a distribution are what they should be.
expect_law <- function(x, quantile, chains = 1,
                       p = c(0.1, 0.25, 0.5, 0.75, 0.9)) {
  for (share in p) expect_truth(1 * (x < quantile(share)), share, chains)
}

half_t_quantile <- function(df, scale = 1, floor = 0) {
  below <- 2 * stats::pt(floor / scale, df) - 1
  function(p) {
    scale * stats::qt((1 + below + p * (1 - below)) / 2, df)
  }
}
