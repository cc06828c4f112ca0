# Long: `make test` runs it, R CMD check only where NOT_CRAN is set.
skip_on_cran()

# Each family's log density and extra parameter in plain R: its unconstrained
# value u, its prior with the Jacobian, and data.
cauchy_dispersion <- function(u) log(2) + dcauchy(exp(-u), 0, 5, log = TRUE) - u
half_t_log <- function(u) log(2) + dt(exp(u), 3, log = TRUE) + u
surrogate_families <- list(
  gaussian = list(
    f = function(y, eta, u) dnorm(y, eta, exp(u), log = TRUE),
    log_prior = half_t_log,
    y = function(eta) rnorm(length(eta), eta, 0.8)
  ),
  student_t = list(
    f = function(y, eta, u) dt((y - eta) / exp(u), 3, log = TRUE) - u,
    log_prior = half_t_log,
    y = function(eta) eta + 0.5 * rt(length(eta), 3)
  ),
  neg_binomial = list(
    f = function(y, eta, u) {
      dnbinom(y, mu = exp(eta), size = exp(u), log = TRUE)
    },
    log_prior = cauchy_dispersion,
    y = function(eta) rnbinom(length(eta), mu = exp(eta + 1), size = 2)
  ),
  beta = list(
    f = function(y, eta, u) {
      lambda <- 0.1 + exp(u)
      dbeta(y, plogis(eta) * lambda, plogis(-eta) * lambda, log = TRUE)
    },
    log_prior = function(u) {
      log(1.5) + 1.5 * log(0.1) - 2.5 * log(0.1 + exp(u)) + u
    },
    y = function(eta) rbeta(length(eta), 8 * plogis(eta), 8 * plogis(-eta))
  ),
  poisson = list(
    f = function(y, eta, u) dpois(y, exp(eta), log = TRUE),
    y = function(eta) rpois(length(eta), exp(eta))
  ),
  bernoulli = list(
    f = function(y, eta, u) plogis((2 * y - 1) * eta, log.p = TRUE),
    y = function(eta) rbinom(length(eta), 1, plogis(eta))
  )
)
n_extras <- function(family) !is.null(surrogate_families[[family]]$log_prior)

family_spec <- function(family, y, ..., epsilon = NULL, centre = 0) {
  spec <- core_spec(y, ...)
  spec$family <- family
  if (family == "student_t") spec$df <- 3
  if (!is.null(epsilon)) {
    spec$censor <- list(
      lower = -epsilon / 2, upper = epsilon / 2,
      centre = rep_len(centre, length(y))
    )
  }
  spec
}

# A regression on a factor and a number, weights from 0 to 1.
surrogate_regression <- function(family, n = 60, prior = NULL, epsilon = NULL,
                                 alpha = c(0, 0.3, 0.8, 1), offset = NULL) {
  withr::local_seed(6)
  alpha <- rep_len(alpha, n)
  group <- rep(0:2, length.out = n)
  z <- round(rnorm(n), 1)
  eta <- c(0, 0.8, -0.5)[group + 1] + 0.4 * z
  if (!is.null(offset)) eta <- eta + rep_len(offset, n)
  spec <- family_spec(
    family, surrogate_families[[family]]$y(eta), matrix(group), matrix(z),
    alpha = alpha, prior = prior, epsilon = epsilon,
    centre = -0.6 * alpha
  )
  if (!is.null(offset)) spec$offset <- rep_len(offset, n)
  spec
}

# sum_i clip(alpha_i f_i - a_i) by plain R, one value per column of f (N x G).
clipped_sums <- function(spec, f) {
  g <- spec$alpha * f
  g[spec$alpha == 0, ] <- 0
  rule <- spec$censor
  if (!is.null(rule)) {
    g <- pmin(pmax(g - rule$centre, rule$lower), rule$upper)
  }
  colSums(matrix(g, nrow(f)))
}

test_that("the value is that of plain R, the gradient that of differences", {
  withr::local_seed(1)
  for (family in names(surrogate_families)) {
    tools <- surrogate_families[[family]]
    for (kind in list(
      list(), list(epsilon = 4), list(offset = c(-1, 0.3)),
      list(epsilon = 4, offset = c(-1, 0.3, 0.3, 2, 0))
    )) {
      spec <- do.call(surrogate_regression, c(family, kind))
      spec$y[2:5] <- spec$y[2]
      x <- dense_matrix(spec)
      # Without an extra parameter u has no say
      often <- if (n_extras(family)) c(-1, 3) else 0.5
      for (u in by_night(c(-1, 0.5, 3), often)) {
        theta <- c(rnorm(4, sd = 0.7), if (n_extras(family)) u)
        eta <- (x %*% theta[1:4])[, 1]
        if (!is.null(spec$offset)) eta <- eta + spec$offset
        f <- tools$f(spec$y, eta, u)
        truth <- clipped_sums(spec, cbind(f))
        if (n_extras(family)) truth <- truth + tools$log_prior(u)
        got <- test_surrogate_density_(spec, theta)
        expect_equal(got$value, truth, tolerance = 1e-11)
        expect_equal(got$again, truth, tolerance = 1e-11)
        slope <- vapply(seq_along(theta), function(j) {
          h <- 1e-6 * (seq_along(theta) == j)
          (test_surrogate_density_(spec, theta + h)$value -
            test_surrogate_density_(spec, theta - h)$value) / 2e-6
        }, 0)
        expect_equal(got$gradient, slope, tolerance = 1e-5)
      }
    }
  }
})

test_that("many factors, numbers and repeated records add up", {
  withr::local_seed(4)
  codes <- matrix(sample(0:11, 2000, TRUE), 400)
  codes[201:400, ] <- codes[1:200, ]
  x <- matrix(round(rnorm(400)), 400)
  for (intercept in c(TRUE, FALSE)) {
    spec <- family_spec(
      "neg_binomial", rpois(400, 3), codes, x,
      alpha = sample(c(0, 0.5, 1), 400, TRUE), intercept = intercept
    )
    b <- rnorm(spec$n_columns, sd = 0.3)
    f <- dnbinom(
      spec$y, mu = exp((dense_matrix(spec) %*% b)[, 1]), size = 2, log = TRUE
    )
    truth <- sum(spec$alpha * f) + cauchy_dispersion(log(2))
    got <- test_surrogate_density_(spec, c(b, log(2)))
    expect_equal(got$value, truth, tolerance = 1e-11)
    expect_equal(got$again, truth, tolerance = 1e-11)
  }
})

test_that("the value holds at the edges: tiny and huge parameters", {
  edges <- list(
    list("neg_binomial", c(0, 1, 7, 5000), c(-30, 3, 40), c(-12, 0, 12, 18)),
    list("beta", c(1e-9, 0.3, 0.999999), c(-12, 0.4, 12), c(-8, 0, 9)),
    list("student_t", c(-1e8, 0.3, 1e8), c(-5, 5), c(-9, 0, 9)),
    list("poisson", c(0, 1, 700), c(-50, 0, 6), 0),
    list("bernoulli", c(0, 1), c(-800, -1, 1, 800), 0)
  )
  for (edge in edges) {
    tools <- surrogate_families[[edge[[1]]]]
    spec <- family_spec(edge[[1]], edge[[2]])
    for (b in edge[[3]]) {
      for (u in edge[[4]]) {
        truth <- sum(tools$f(spec$y, b, u))
        theta <- c(b, if (n_extras(edge[[1]])) u)
        if (n_extras(edge[[1]])) truth <- truth + tools$log_prior(u)
        got <- test_surrogate_density_(spec, theta)$value
        expect_lt(abs(got - truth) / max(1, abs(truth)), 1e-9)
      }
    }
  }
})

# ---- quadrature --------------------------------------------------------------

# Exact distributions of b_0 and u on a grid, for several rules at once.
grid_marginals <- function(spec, rules, log_prior_b, b, u) {
  tools <- surrogate_families[[spec$family]]
  at <- expand.grid(b = b, u = u)
  f <- t(vapply(
    spec$y, function(y) tools$f(y, at$b, at$u), numeric(nrow(at))
  ))
  prior <- log_prior_b(at$b) + tools$log_prior(at$u)
  lapply(rules, function(rule) {
    spec$censor <- rule
    value <- clipped_sums(spec, f) + prior
    weight <- matrix(exp(value - max(value)), length(b))
    list(b = rowSums(weight), u = colSums(weight))
  })
}

# The largest distance of an empirical distribution function to a grid density.
kolmogorov <- function(x, at, density) {
  step <- at[2] - at[1]
  cdf <- cumsum(density) / sum(density)
  below <- stats::ecdf(x)(at + step / 2)
  # The density must have left the grid at both of its ends.
  stopifnot(max(density[c(1, length(at))]) < 1e-4 * max(density))
  max(abs(below - cdf))
}

two_parameter_data <- function(family) {
  withr::with_seed(3, surrogate_families[[family]]$y(rep(0.4, 40)))
}

expect_two_parameters <- function(family, prior, log_prior_b, b, u,
                                  epsilons = by_night(
                                    c(Inf, 10, 5, 3, 1), c(Inf, 5, 1)
                                  ),
                                  draws = by_night(50000, 5000),
                                  y = two_parameter_data(family), centre = 0) {
  alpha <- rep(c(1, 0.7, 0.4, 1), length.out = length(y))
  b <- seq(b[1], b[2], length.out = by_night(241, 161))
  u <- seq(u[1], u[2], length.out = by_night(241, 161))
  specs <- lapply(epsilons, function(epsilon) {
    family_spec(
      family, y, alpha = alpha, prior = prior,
      epsilon = if (is.finite(epsilon)) epsilon, centre = centre
    )
  })
  exact <- grid_marginals(
    specs[[1]], lapply(specs, `[[`, "censor"), log_prior_b, b, u
  )
  for (k in seq_along(specs)) {
    run <- run_core(specs[[k]], "surrogate", draws, chains = 4, threads = 2)
    own <- run$draws[, 2]
    own <- if (family == "beta") log(own - 0.1) else log(own)
    label <- paste(family, epsilons[k])
    near <- by_night(0.01, 0.03)
    expect_lt(kolmogorov(run$draws[, 1], b, exact[[k]]$b), near, label)
    expect_lt(kolmogorov(own, u, exact[[k]]$u), near, label)
  }
}

test_that("two-parameter posteriors are those of quadrature, censored or not", {
  normal <- list(kind = "normal", location = 0.3, scale = 0.5)
  on_normal <- function(b) dnorm(b, 0.3, 0.5, log = TRUE)
  for (family in by_night(c("gaussian", "student_t"), character())) {
    expect_two_parameters(family, normal, on_normal, c(-2, 2.6), c(-9, 6))
  }
  if (is_nightly()) {
    expect_two_parameters(
      "neg_binomial", list(kind = "normal", location = 1.3, scale = 0.5),
      function(b) dnorm(b, 1.3, 0.5, log = TRUE), c(-1, 3.7), c(-16, 20)
    )
  }
  expect_two_parameters(
    "beta", list(kind = "beta_mean", shape1 = 2, shape2 = 3),
    function(b) dbeta(plogis(b), 2, 3, log = TRUE) + dlogis(b, log = TRUE),
    c(-7, 6), c(-9, 9)
  )
})

test_that("the few slices of many records leave the posterior as it is", {
  y <- two_parameter_data("student_t")
  # Each of the 40 as so many records that weigh 5 together
  spec_of <- function(times) {
    family_spec(
      "student_t", rep(y, times), alpha = rep(5 / times, times * length(y)),
      prior = list(kind = "normal", location = 0.3, scale = 0.5)
    )
  }
  b <- seq(-0.1, 1, length.out = 241)
  u <- seq(-1.8, 0.2, length.out = 241)
  exact <- grid_marginals(
    spec_of(1), list(NULL), function(b) dnorm(b, 0.3, 0.5, log = TRUE), b, u
  )[[1]]
  drawn <- function(times, draws, chains = 4) {
    run_core(
      spec_of(times), "surrogate", draws, chains = chains, threads = 2
    )$draws
  }
  many <- 1e5 / length(y)
  # From there on the chains take fewer slices
  expect_equal(drawn(many - 1, 50, 1), drawn(many - 2, 50, 1))
  expect_gt(max(abs(drawn(many, 50, 1) - drawn(many - 1, 50, 1))), 0.01)
  draws <- drawn(many, by_night(50000, 5000))
  near <- by_night(0.01, 0.03)
  expect_lt(kolmogorov(draws[, 1], b, exact$b), near)
  expect_lt(kolmogorov(log(draws[, 2]), u, exact$u), near)
})

test_that("two to ten records, and intervals that clip nearly all", {
  normal <- list(kind = "normal", location = 0, scale = 1)
  on_normal <- function(b) dnorm(b, 0, 1, log = TRUE)
  for (n in by_night(c(2, 3, 10), 3)) {
    y <- withr::with_seed(n, rnorm(n, 0.5))
    expect_two_parameters(
      "student_t", normal, on_normal, c(-5, 5), c(-16, 7), c(Inf, 1),
      y = y
    )
  }
  # All of f lies below the interval unless sigma is large
  expect_two_parameters(
    "gaussian", normal, on_normal, c(-5, 5), c(-12, 7), 0.2,
    y = c(-3, 0, 4, 9), centre = -3
  )
})

# ---- against Hamiltonian chains, importance sampling and the prior -----------

expect_agrees <- function(spec, draws = by_night(8000, 4000),
                          nuts_draws = by_night(3000, 1500)) {
  warmup <- by_night(c(500, 700), c(300, 400))
  fast <- run_core(spec, "surrogate", draws, warmup = warmup[1], seed = 2)
  nuts <- run_core(spec, "nuts", nuts_draws, warmup = warmup[2], seed = 3)
  for (j in seq_len(ncol(nuts$draws))) {
    middle <- median(nuts$draws[, j])
    expect_same_mean(fast$draws[, j], nuts$draws[, j])
    expect_same_mean(
      1 * (fast$draws[, j] < middle), 1 * (nuts$draws[, j] < middle)
    )
  }
  for (j in seq_len(ncol(nuts$hyper))) {
    expect_same_mean(1 * (fast$hyper[, j] < 0.7), 1 * (nuts$hyper[, j] < 0.7))
  }
  invisible(fast)
}

test_that("weighted regressions are those of Hamiltonian chains", {
  for (family in setdiff(names(surrogate_families), "gaussian")) {
    nested <- family %in% c("neg_binomial", "bernoulli")
    prior <- if (nested) hierarchical_prior(2)
    expect_agrees(surrogate_regression(family, prior = prior))
  }
})

test_that("regressions with an offset are those of Hamiltonian chains", {
  for (epsilon in list(NULL, 2)) {
    expect_agrees(surrogate_regression(
      "neg_binomial",
      epsilon = epsilon, offset = c(-1, 0.3, 0.3, 2, 0)
    ))
  }
})

test_that("censored regressions are those of Hamiltonian chains", {
  skip_unless_nightly()
  for (family in c("gaussian", "student_t", "neg_binomial")) {
    spec <- surrogate_regression(
      family,
      epsilon = 2, prior = if (family == "student_t") hierarchical_prior()
    )
    fast <- expect_agrees(spec)
    f <- log_lik_(spec, fast$draws[1:50, ])
    clipped <- abs(t(f) * spec$alpha - spec$censor$centre) > 1
    expect_gt(mean(clipped), 0.02)
  }
})

test_that("the hierarchical posterior of few records is exact", {
  withr::local_seed(3)
  spec <- family_spec(
    "poisson", c(0, 2, 1, 5, 0), matrix(c(0L, 1L, 0L, 1L, 1L)),
    alpha = c(1, 0.3, 0.8, 0.5, 0.9), prior = hierarchical_prior(2)
  )
  n <- by_night(2e5, 6e4)
  tau <- matrix(draw_half_t(2 * n, 3), n)
  omega <- 2 * rbeta(n, 2, 2) - 1
  first <- rnorm(n)
  b <- tau * cbind(first, omega * first + sqrt(1 - omega^2) * rnorm(n))
  eta <- cbind(b[, 1], b[, 1] + b[, 2])[, 1 + spec$codes[, 1]]
  f <- dpois(rep(spec$y, each = n), exp(eta), log = TRUE)
  quantities <- function(b, tau) {
    cbind(b, b[, 1] * b[, 2], b^2, atan(tau), abs(b) < 0.2)
  }
  truth <- weighted_means(
    quantities(b, tau), (matrix(f, n) %*% spec$alpha)[, 1]
  )
  run <- run_core(spec, "surrogate", by_night(3e4, 1e4), thin = 2, seed = 7)
  q <- quantities(run$draws, run$hyper)
  for (j in seq_len(ncol(q))) {
    expect_truth(q[, j], truth$mean[j], 2, truth$error[j])
  }
})

test_that("weights 0 give back the prior of every family", {
  pareto <- function(p) 0.1 * (1 - p)^(-1 / 1.5)
  extra <- list(
    gaussian = half_t_quantile(3), student_t = half_t_quantile(3),
    neg_binomial = function(p) 1 / half_t_quantile(1, 5)(1 - p), beta = pareto
  )
  for (family in names(surrogate_families)) {
    spec <- surrogate_regression(
      family,
      n = 12, alpha = rep(0, 12), prior = hierarchical_prior(2)
    )
    run <- run_core(spec, "surrogate", by_night(2e4, 3000), seed = 5)
    for (j in 1:4) {
      expect_law(run$hyper[, j], half_t_quantile(3), 2)
      expect_law(run$draws[, j] / run$hyper[, j], qnorm, 2)
    }
    if (n_extras(family)) expect_law(run$draws[, 5], extra[[family]], 2)
  }
  spec <- family_spec(
    "beta", c(0.2, 0.4),
    alpha = c(0, 0),
    prior = list(kind = "beta_mean", shape1 = 0.5, shape2 = 2)
  )
  run <- run_core(spec, "surrogate", by_night(2e4, 3000), seed = 6)
  expect_law(plogis(run$draws[, 1]), function(p) qbeta(p, 0.5, 2), 2)
})

# ---- invariants --------------------------------------------------------------

test_that("weight 0 is the same as dropping the record", {
  full <- surrogate_regression("student_t")
  keep <- full$alpha > 0
  dropped <- family_spec(
    "student_t", full$y[keep], full$codes[keep, , drop = FALSE],
    full$numeric[keep, , drop = FALSE],
    alpha = full$alpha[keep]
  )
  x <- run_core(full, "surrogate", 200)
  expect_equal(
    run_core(dropped, "surrogate", 200)$draws, x$draws, tolerance = 1e-6
  )
  other <- full
  other$y[!keep] <- 1e6
  expect_identical(run_core(other, "surrogate", 200)$draws, x$draws)
})

test_that("draws are the same at 1, 2 and 4 threads and on repetition", {
  spec <- surrogate_regression("neg_binomial", prior = hierarchical_prior(6))
  one <- run_core(spec, "surrogate", 50, chains = 4)
  for (threads in c(1, 2, 4)) {
    again <- run_core(spec, "surrogate", 50, chains = 4, threads = threads)
    for (part in c("draws", "hyper", "state", "monitor")) {
      expect_identical(again[[part]], one[[part]])
    }
    expect_identical(again$sampler$accept_stat, one$sampler$accept_stat)
  }
  # Chains differ, and begin apart
  expect_gt(min(dist(matrix(one$draws[, 1], 4, byrow = TRUE))), 0)
})

test_that("a run goes on from the state of another", {
  spec <- surrogate_regression("beta", prior = hierarchical_prior())
  first <- run_core(spec, "surrogate", 500)
  spec$alpha <- 0.8 * spec$alpha
  fresh <- run_core(spec, "surrogate", 4000, seed = 2)
  warm <- run_core(spec, "surrogate", 4000, seed = 3, init = first$state)
  for (j in 1:5) expect_same_mean(fresh$draws[, j], warm$draws[, j])
  for (bad in list(list(numeric()), list(c(first$state[[1]][-1], NA)))) {
    run <- run_core(spec, "surrogate", 50, init = bad)
    expect_true(all(is.finite(run$draws)))
  }
})

test_that("separation, collinear columns and rare outcomes run", {
  withr::local_seed(2)
  # Level 2 has no success, x is doubled, one outcome in forty
  group <- matrix(rep(0:1, each = 20))
  x <- rnorm(40)
  for (family in c("bernoulli", "poisson")) {
    spec <- family_spec(
      family, as.numeric(seq_len(40) == 7), group, cbind(x, x),
      prior = hierarchical_prior(2)
    )
    run <- run_core(spec, "surrogate", by_night(8000, 4000), seed = 4)
    nuts <- run_core(
      spec, "nuts", by_night(4000, 1500), warmup = by_night(1000, 500),
      seed = 5
    )
    for (j in 1:4) {
      for (at in quantile(nuts$draws[, j], c(0.2, 0.5, 0.8))) {
        expect_same_mean(1 * (run$draws[, j] < at), 1 * (nuts$draws[, j] < at))
      }
    }
  }
})

test_that("starts never fail on a proper model", {
  withr::local_seed(8)
  specs <- list(
    family_spec("neg_binomial", c(0, 0, 0)),
    family_spec("neg_binomial", c(0, 1e6, 3), alpha = c(1, 0.01, 1)),
    family_spec("poisson", c(0, 1e5)), family_spec("poisson", 0),
    family_spec("beta", c(1e-8, 1 - 1e-8)), family_spec("beta", 0.5),
    family_spec("student_t", c(-1e6, 1e6)),
    family_spec("bernoulli", rep(1, 5), matrix(rep(0:4))),
    family_spec("gaussian", rnorm(9), epsilon = 1e-6),
    family_spec("gaussian", rnorm(9), epsilon = 0.5, centre = 40),
    family_spec(
      "student_t", rnorm(9), matrix(rep(0:2, 3)),
      prior = hierarchical_prior(), epsilon = 1, centre = -1e4
    ),
    family_spec(
      "neg_binomial", rpois(8, 2), x = matrix(rnorm(16), 8), intercept = FALSE
    )
  )
  for (spec in specs) {
    run <- run_core(spec, "surrogate", 100, warmup = 100)
    expect_true(all(is.finite(run$draws)))
    expect_gt(length(unique(run$draws[, 1])), 10)
  }
})

test_that("equal values, whose posterior is improper, do not fail either", {
  # The density grows without bound as sigma falls to 0: chains go there.
  spec <- family_spec("student_t", rep(2, 9))
  for (seed in 1:5) {
    run <- run_core(spec, "surrogate", 100, warmup = 100, seed = seed)
    expect_true(all(is.finite(run$draws)))
    expect_true(all(run$draws[, 2] > 0))
  }
})

test_that("the monitored sum is that of the draws", {
  spec <- surrogate_regression("beta", epsilon = 3)
  run <- run_core(spec, "surrogate", 50)
  f <- log_lik_(spec, run$draws)
  expect_equal(run$monitor[, 1], clipped_sums(spec, t(f)), tolerance = 1e-10)
})

test_that("models it cannot serve are refused", {
  expect_error(
    run_core(
      core_spec(rnorm(9), K = 2, prior = normal_prior(1)), "surrogate", 10
    ),
    "one linear predictor"
  )
  spec <- surrogate_regression("poisson", prior = shared_prior(4))
  expect_error(run_core(spec, "surrogate", 10), "does not know this prior")
  spec$prior <- hierarchical_prior(0.5)
  expect_error(run_core(spec, "surrogate", 10), "above 1/2")
  expect_identical(choose_sampler("auto", spec), "nuts")
  spec$prior <- hierarchical_prior(1)
  expect_identical(choose_sampler("auto", spec), "surrogate")
})

test_that("clipped values keep their digits where densities are sharp", {
  # Terms of 1e12 that cancel
  spec <- family_spec("beta", c(0.3, 0.4, 0.40001, 0.6), epsilon = 40)
  for (u in log(c(1e6, 1e9, 1e12))) {
    got <- test_surrogate_density_(spec, c(stats::qlogis(0.4), u))
    expect_equal(got$value, got$again, tolerance = 1e-10)
    # y at the mean: half the log of the precision over 2 pi m (1 - m), less
    # log m (1 - m), to the first order
    one <- family_spec("beta", 0.4, epsilon = 40)
    value <- test_surrogate_density_(one, c(stats::qlogis(0.4), u))$value
    f <- 0.5 * log(exp(u) / (2 * pi * 0.24))
    prior <- surrogate_families$beta$log_prior(u)
    expect_lt(abs(value - f - prior), 1e-5)
  }
})
