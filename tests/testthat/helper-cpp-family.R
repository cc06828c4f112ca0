# What the tests of the families in the core share: models with ties, weights
# and clips, plain R beside the core, and exact quadrature of small models.

# A response of the family around eta.
family_response <- function(family, eta, extra = NULL) {
  draw_response(list(family = family, df = 3), eta, extra)
}

# Two factors, a numeric predictor, repeated (row, y) cells; weights 0 to 1;
# with an offset records of the same predictors that start elsewhere.
family_spec <- function(family, extra = NULL, n = 90, seed = 1, level = 0,
                        offset = FALSE, ...) {
  withr::local_seed(seed)
  codes <- cbind(sample(0:2, n, TRUE), sample(0:1, n, TRUE))
  x <- matrix(sample(c(-0.5, 0, 0.5), n, TRUE))
  eta <- level + 0.5 * codes[, 1] - 0.5 * codes[, 2] + x[, 1]
  y <- family_response(family, eta, extra)
  # ties
  if (family %in% c("student_t", "beta")) y <- round(y, 2)
  if (family == "beta") y <- pmin(pmax(y, 0.01), 0.99)
  spec <- core_spec(
    y, codes, x,
    alpha = rep_len(c(1, 0.25, 0, 1, 0.5), n), family = family, ...
  )
  if (offset) spec$offset <- sample(c(-0.7, 0, 1.2), n, TRUE)
  spec
}

with_clip <- function(spec, lower = -0.4, upper = 0.4, centre = -1.5) {
  n <- length(spec$y)
  spec$censor <- list(
    lower = lower, upper = upper,
    centre = spec$alpha * rep_len(c(centre, centre + 0.3), n)
  )
  spec
}

# g_i of every draw and record in plain R.
plain_contributions <- function(spec, f) {
  g <- f * rep(spec$alpha, each = nrow(f))
  g[, spec$alpha == 0] <- 0
  if (!is.null(spec$censor)) {
    g <- g - rep(spec$censor$centre, each = nrow(f))
    g[] <- pmin(pmax(g, spec$censor$lower), spec$censor$upper)
  }
  g
}

# log prior of u = what the sampler moves of the extra parameter.
log_prior_u <- function(family, u) {
  switch(family,
    student_t = log(2) + stats::dt(exp(u), 3, log = TRUE) + u,
    # 1/phi ~ half-Cauchy(0, 5)
    neg_binomial = log(2) + stats::dcauchy(exp(-u), 0, 5, log = TRUE) - u,
    beta = log(1.5) + 1.5 * log(0.1) - 2.5 * log(0.1 + exp(u)) + u,
    0
  )
}

extra_of <- function(family, u) {
  if (family == "beta") 0.1 + exp(u) else exp(u)
}

u_of <- function(family, extra) {
  if (family == "beta") log(extra - 0.1) else log(extra)
}

relative_error <- function(x, truth) {
  error <- abs(x - truth) / pmax(1, abs(truth))
  error[x == truth] <- 0
  error
}

expect_exact <- function(x, truth, tolerance = 1e-12) {
  testthat::expect_lt(max(relative_error(x, truth)), tolerance)
}

# f at every combination, S x N.
density_table <- function(family, y, eta, extra = NULL, df = 3) {
  grid <- expand.grid(c(list(eta = eta), if (!is.null(extra)) list(extra)))
  log_lik_(core_spec(y, family = family, df = df), unname(as.matrix(grid)))
}

plain_table <- function(family, y, eta, extra = NULL, df = 3) {
  grid <- expand.grid(c(
    list(eta = eta), if (!is.null(extra)) list(extra = extra)
  ))
  vapply(y, function(y) {
    log_density(family, y, grid$eta, grid$extra, df)
  }, numeric(nrow(grid)))
}

expect_densities <- function(family, y, eta, extra = NULL, df = 3,
                             tolerance = 1e-12) {
  f <- density_table(family, y, eta, extra, df)
  testthat::expect_false(anyNA(f))
  expect_exact(f, plain_table(family, y, eta, extra, df), tolerance)
}

expect_gradients <- function(spec, around = 0, n = 4, h = 1e-5) {
  testthat::skip_if_not_installed("withr")
  size <- unconstrained_size_(spec)
  model <- model_(spec)
  value <- function(theta) model_evaluate_(model, theta)$value
  withr::local_seed(11)
  for (k in seq_len(n)) {
    theta <- stats::rnorm(size, sd = 0.4)
    theta[1] <- theta[1] + around
    numeric <- vapply(seq_len(size), function(j) {
      step <- replace(numeric(size), j, h)
      (value(theta + step) - value(theta - step)) / (2 * h)
    }, 0)
    testthat::expect_equal(
      model_evaluate_(model, theta)$gradient, numeric,
      tolerance = 1e-6
    )
  }
}

# Gradients under both priors, weighted, clipped.
expect_family_gradients <- function(family, extra = NULL, level = 0, ...) {
  for (prior in list(NULL, hierarchical_prior(2))) {
    for (offset in c(FALSE, TRUE)) {
      spec <- family_spec(
        family, extra,
        prior = prior, level = level, offset = offset
      )
      expect_gradients(spec, around = level, ...)
      expect_gradients(with_clip(spec), around = level, ...)
    }
  }
}

# The likelihood term of the log posterior in plain R.
expect_family_value <- function(family, extra = NULL, level = 0) {
  spec <- family_spec(family, extra, level = level)
  theta <- withr::with_seed(12, stats::rnorm(unconstrained_size_(spec)))
  theta[1] <- theta[1] + level
  draw <- posterior_parts_(spec, theta)$draw
  P <- spec$n_columns
  testthat::expect_equal(draw[seq_len(P)], theta[seq_len(P)])
  prior <- sum(stats::dnorm(theta[seq_len(P)], log = TRUE))
  if (length(theta) > P) {
    testthat::expect_equal(draw[P + 1], extra_of(family, theta[P + 1]))
    prior <- prior + log_prior_u(family, theta[P + 1])
  }
  start <- family_spec(family, extra, level = level, offset = TRUE)
  for (model in list(spec, with_clip(spec), start, with_clip(start))) {
    f <- naive_log_lik(model, t(draw))
    testthat::expect_equal(
      log_posterior_(model, theta)$value,
      sum(plain_contributions(model, f)) + prior,
      tolerance = 1e-12
    )
  }
}

# The order of the file does not matter, nor do ties.
expect_order_free <- function(family, extra = NULL, level = 0) {
  spec <- with_clip(family_spec(family, extra, level = level, offset = TRUE))
  again <- spec
  back <- rev(seq_along(spec$y))
  again$y <- spec$y[back]
  again$codes <- spec$codes[back, ]
  again$numeric <- spec$numeric[back, , drop = FALSE]
  again$alpha <- spec$alpha[back]
  again$offset <- spec$offset[back]
  again$censor$centre <- spec$censor$centre[back]
  theta <- withr::with_seed(13, stats::rnorm(unconstrained_size_(spec)))
  theta[1] <- theta[1] + level
  testthat::expect_equal(
    log_posterior_(spec, theta), log_posterior_(again, theta),
    tolerance = 1e-12
  )
  draws <- withr::with_seed(14, random_draws(spec, 40))
  testthat::expect_equal(
    log_lik_(spec, draws)[, back], log_lik_(again, draws),
    tolerance = 1e-13
  )
}

# Streaming bounds against a loop over the S x N matrix in base R.
expect_family_bounds <- function(family, extra = NULL, level = 0,
                                 tolerance = 1e-12) {
  spec <- family_spec(family, extra, n = 137, level = level)
  start <- family_spec(family, extra, n = 137, level = level, offset = TRUE)
  draws <- withr::with_seed(15, random_draws(spec, 77))
  draws[, 1] <- draws[, 1] + level
  for (model in list(spec, with_clip(spec), start, with_clip(start))) {
    f <- naive_log_lik(model, draws)
    expect_exact(log_lik_(model, draws), f, tolerance)
    g <- plain_contributions(model, f)
    out <- lipschitz_(model, draws, 1L)
    expect_exact(out$record, apply(abs(g), 2, max), tolerance)
    expect_exact(
      out$record + out$oscillation, apply(abs(g), 2, max) + width_of(g),
      tolerance
    )
    expect_exact(out$draw, apply(abs(g), 1, max), tolerance)
    testthat::expect_identical(out$nonfinite, integer())
    for (threads in c(2L, 4L)) {
      testthat::expect_identical(lipschitz_(model, draws, threads), out)
    }
  }
  screen <- record_screen_(spec, draws[1:76, ], 2, 1L)
  testthat::expect_identical(record_screen_(spec, draws[1:76, ], 2, 3L), screen)
}

# Of each record the gap between its largest and its smallest contribution
width_of <- function(g) apply(g, 2, max) - apply(g, 2, min)

# A draw far out beside ordinary ones: its neighbours in the tile keep their
# values.
expect_far_draws <- function(family, extra = NULL, far = c(-1e3, 1e3)) {
  spec <- family_spec(family, extra)
  draws <- withr::with_seed(16, random_draws(spec, 40))
  clean <- log_lik_(spec, draws)
  draws[7, 1] <- far[1]
  draws[20, 1] <- far[2]
  f <- log_lik_(spec, draws)
  testthat::expect_equal(f[-c(7, 20), ], clean[-c(7, 20), ], tolerance = 1e-12)
  testthat::expect_false(anyNA(f))
  draws[30, 1] <- NaN
  f <- log_lik_(spec, draws)
  testthat::expect_true(all(!is.finite(f[30, ])))
  bound <- lipschitz_(spec, draws, 1L)
  bad <- colSums(!is.finite(f)) * (spec$alpha > 0)
  testthat::expect_identical(bound$nonfinite, counts_met(as.integer(bad)))
}

nuts_draws <- function(spec, draws = 1000, seed = 1, chains = 4, ...) {
  run_core(spec, "nuts", draws,
    warmup = 500, chains = chains, seed = seed, ...
  )
}

# All weights 0: the prior. `quantile` of the extra parameter.
expect_prior_recovered <- function(family, quantile = NULL) {
  spec <- family_spec(family, extra = 2, n = 20)
  spec$alpha[] <- 0
  draws <- nuts_draws(spec, 1500)$draws
  for (j in seq_len(spec$n_columns)) {
    expect_law(draws[, j], stats::qnorm, chains = 4)
  }
  if (!is.null(quantile)) {
    expect_law(draws[, spec$n_columns + 1], quantile, chains = 4)
  }
}

# Marginal distribution functions of b and u of an intercept-only model on a
# grid, for several clips of the same records at once. The grids are midpoints.
quadrature <- function(spec, clips, b, u = NULL) {
  grid <- expand.grid(c(list(b = b), if (!is.null(u)) list(u = u)))
  extra <- if (!is.null(u)) extra_of(spec$family, grid$u)
  total <- matrix(0, nrow(grid), length(clips))
  cells <- unique(data.frame(y = spec$y, alpha = spec$alpha))
  for (k in seq_len(nrow(cells))) {
    if (cells$alpha[k] == 0) next
    same <- spec$y == cells$y[k] & spec$alpha == cells$alpha[k]
    f <- log_density(spec$family, cells$y[k], grid$b, extra, spec$df)
    for (j in seq_along(clips)) {
      g <- cells$alpha[k] * f - clips[[j]]$centre[which(same)[1]]
      g <- pmin(pmax(g, clips[[j]]$lower), clips[[j]]$upper)
      total[, j] <- total[, j] + sum(same) * g
    }
  }
  prior <- stats::dnorm(
    grid$b, spec$prior$location, spec$prior$scale, log = TRUE
  )
  if (!is.null(u)) prior <- prior + log_prior_u(spec$family, grid$u)
  lapply(seq_along(clips), function(j) {
    p <- total[, j] + prior
    p <- matrix(exp(p - max(p)), length(b))
    p <- p / sum(p)
    # What the grid misses must not matter.
    edge <- sum(p[c(1, length(b)), ])
    if (!is.null(u)) edge <- edge + sum(p[, c(1, length(u))])
    list(
      b = cumsum(rowSums(p)), u = if (!is.null(u)) cumsum(colSums(p)),
      edge = edge
    )
  })
}

# Kolmogorov distance of draws from a distribution function on a grid.
kolmogorov <- function(x, grid, cdf) {
  step <- grid[2] - grid[1]
  max(abs(stats::ecdf(x)(grid + step / 2) - cdf))
}

# The clips of the tests: none, and intervals of width epsilon.
clips_of <- function(spec, epsilon = c(10, 5, 3, 1), below_zero = FALSE,
                     centre = numeric(length(spec$y))) {
  none <- list(lower = -Inf, upper = Inf, centre = numeric(length(spec$y)))
  c(list(none), lapply(epsilon, function(e) {
    list(
      lower = if (below_zero) -e else -e / 2,
      upper = if (below_zero) 0 else e / 2, centre = centre
    )
  }))
}

# NUTS against quadrature; the allowed distance is that of independent draws.
expect_quadrature <- function(spec, clips, b, u = NULL, within = 2.2,
                              draws = 1000) {
  truth <- quadrature(spec, clips, b, u)
  for (j in seq_along(clips)) {
    testthat::expect_lt(truth[[j]]$edge, 1e-3)
    spec$censor <- if (is.finite(clips[[j]]$upper)) clips[[j]]
    x <- nuts_draws(spec, draws, seed = 40 + j)$draws
    columns <- list(b = x[, 1])
    if (!is.null(u)) columns$u <- u_of(spec$family, x[, 2])
    for (name in names(columns)) {
      chains <- by_chain(columns[[name]], 4)
      ess <- min(posterior::ess_bulk(chains), posterior::ess_tail(chains))
      distance <- kolmogorov(
        columns[[name]], list(b = b, u = u)[[name]], truth[[j]][[name]]
      )
      testthat::expect_lt(distance, within / sqrt(min(ess, length(chains))))
    }
  }
}
