# The exact pseudo posterior of a small model without any chain: prior draws
# weighted by prod_i f_i^alpha_i.

draw_half_t <- function(n, df, scale = 1, floor = 0) {
  half_t_quantile(df, scale, floor)(stats::runif(n))
}

# n draws of all unknowns from the prior, in the layout of the sampler.
mixture_prior_draws <- function(spec, n) {
  K <- spec$K
  P <- spec$n_columns
  prior <- spec$prior
  each <- function(x) rep(x, each = n)
  if (prior$kind == "shared") {
    tau <- matrix(draw_half_t(n * P, prior$df, prior$scale), n)
    m <- matrix(
      stats::rnorm(n * P, each(prior$location), each(prior$m_scale)), n
    )
  } else {
    tau <- matrix(each(prior$scale), n)
    m <- matrix(each(prior$location), n)
  }
  # k runs fastest in b
  b <- do.call(cbind, lapply(seq_len(P), function(j) {
    matrix(stats::rnorm(n * K, m[, j], tau[, j]), n)
  }))
  gamma <- stats::rexp(n)
  # the log of gamma draws: tiny shapes underflow
  log_pi <- matrix(
    log(stats::rgamma(n * K, gamma / K + 1)) +
      log(stats::runif(n * K)) * K / gamma, n
  )
  log_pi <- log_pi - apply(log_pi, 1, max)
  pi <- exp(log_pi)
  pi <- pi / rowSums(pi)
  sigma <- matrix(draw_half_t(n * K, 3, 1, spec$sigma_floor), n)
  hyper <- if (prior$kind == "shared") cbind(tau, m, gamma) else cbind(gamma)
  list(draws = cbind(b, pi, sigma), hyper = unname(hyper))
}

# S x N log-likelihood, vectorised over draws.
mixture_log_lik <- function(spec, draws) {
  K <- spec$K
  P <- spec$n_columns
  x <- dense_matrix(spec)
  f <- vapply(seq_along(spec$y), function(i) {
    density <- 0
    for (k in seq_len(K)) {
      eta <- draws[, (seq_len(P) - 1) * K + k, drop = FALSE] %*% x[i, ]
      density <- density + draws[, P * K + k] *
        stats::dnorm(spec$y[i], eta[, 1], draws[, P * K + K + k])
    }
    log(density)
  }, numeric(nrow(draws)))
  matrix(f, nrow(draws))
}

# Quantities of a draw that do not depend on the components' labels, all with
# finite variance.
label_invariant <- function(spec, draws, hyper) {
  K <- spec$K
  P <- spec$n_columns
  f <- mixture_log_lik(spec, draws)
  pi <- draws[, P * K + seq_len(K), drop = FALSE]
  sigma <- draws[, P * K + K + seq_len(K), drop = FALSE]
  b <- function(j) draws[, (j - 1) * K + seq_len(K), drop = FALSE]
  alpha <- spec$alpha
  sum_f <- if (any(alpha > 0)) {
    # bounded: under the prior alone f has no moments
    atan((f[, alpha > 0, drop = FALSE] %*% alpha[alpha > 0])[, 1] / 10)
  }
  smallest <- log(do.call(pmin, as.data.frame(sigma)))
  largest <- log(do.call(pmax, as.data.frame(sigma)))
  out <- cbind(
    sum_f = sum_f, mean = rowSums(pi * b(1)), last = rowSums(pi * b(P)),
    weight = rowSums(pi^2), smallest = smallest, largest = largest,
    scale = rowSums(pi * log(sigma)),
    gap = do.call(pmax, as.data.frame(b(1))) -
      do.call(pmin, as.data.frame(b(1))),
    link = rowSums(pi * b(1) * log(sigma)),
    gamma = log1p(hyper[, ncol(hyper)])
  )
  if (spec$prior$kind == "shared") {
    tau <- hyper[, seq_len(P), drop = FALSE]
    m <- hyper[, P + seq_len(P), drop = FALSE]
    colnames(tau) <- paste0("log_tau", seq_len(P))
    colnames(m) <- paste0("m", seq_len(P))
    out <- cbind(out, log(tau), m)
  }
  out
}

# Means of the columns of q under weights exp(log_weight), and their standard
# errors.
weighted_means <- function(q, log_weight) {
  w <- exp(log_weight - max(log_weight))
  w <- w / sum(w)
  mean <- colSums(w * q)
  error <- sqrt(colSums(w^2 * (q - rep(mean, each = nrow(q)))^2))
  list(mean = mean, error = error, ess = 1 / sum(w^2))
}

importance_means <- function(spec, n = by_night(1.5e5, 3e4), seed = 1) {
  withr::local_seed(seed)
  prior <- mixture_prior_draws(spec, n)
  f <- mixture_log_lik(spec, prior$draws)
  on <- spec$alpha > 0
  log_weight <- (f[, on, drop = FALSE] %*% spec$alpha[on])[, 1]
  weighted_means(
    label_invariant(spec, prior$draws, prior$hyper), log_weight
  )
}

# The same, computed once per specification.
exact_cache <- new.env()
exact_means <- function(spec) {
  key <- rlang::hash(spec)
  if (is.null(exact_cache[[key]])) {
    exact_cache[[key]] <- importance_means(spec)
    stopifnot(exact_cache[[key]]$ess > 1000)
  }
  exact_cache[[key]]
}
