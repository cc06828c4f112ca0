# Long: `make test` runs it, R CMD check only where NOT_CRAN is set.
skip_on_cran()

# Eight records, two groups, weights between 0 and 1: small enough for the
# exact answer, far enough apart that components matter.
tiny_spec <- function(alpha = c(0.9, 0.2, 0.5, 1, 0, 0.35, 0.7, 0.6), K = 2,
                      kind = "shared", sigma_floor = 0.2) {
  y <- c(-1.3, 1.1, 0.2, 1.9, 4, -0.7, 1.6, 0.4)
  prior <- if (kind == "shared") {
    shared_prior(2, scale = 0.7)
  } else {
    normal_prior(2, 1.2)
  }
  core_spec(
    y, matrix(rep(0:1, 4)),
    alpha = alpha, K = K, prior = prior, sigma_floor = sigma_floor
  )
}

sample_tiny <- function(spec, draws = by_night(6000, 600), thin = 4, seed = 1,
                        level_moves = 2, shared_moves = 0,
                        hamiltonian_moves = 0, pair_moves = 0,
                        warmup = by_night(500, 200)) {
  # Exponents above 1 are those of survey weights
  run <- run_core(
    utils::modifyList(spec, list(
      alpha = pmin(spec$alpha, 1), survey = pmax(spec$alpha, 1)
    )),
    "augmentation", draws,
    thin = thin, seed = seed, level_moves = level_moves,
    shared_moves = shared_moves,
    hamiltonian_moves = hamiltonian_moves, pair_moves = pair_moves,
    warmup = warmup
  )
  label_invariant(spec, run$draws, run$hyper)
}

expect_exact <- function(spec, ...) {
  truth <- exact_means(spec)
  x <- sample_tiny(spec, ...)
  for (q in colnames(x)) {
    expect_truth(x[, q], truth$mean[q], 2, truth$error[q])
  }
}

test_that("fractional weights: the exact posterior by importance sampling", {
  skip_unless_nightly()
  expect_exact(tiny_spec())
  expect_exact(tiny_spec(K = 3))
})

test_that("fractional weights under a normal prior: the exact posterior", {
  expect_exact(tiny_spec(kind = "normal"))
})

test_that("weights 1 and weights near 0: the exact posterior", {
  expect_exact(tiny_spec(alpha = rep(1, 8)))
  expect_exact(tiny_spec(alpha = rep(0.05, 8)))
})

test_that("exponents above 1: the exact posterior", {
  # Each a few records of exponents up to 1
  exponents <- c(2.4, 0.2, 0.5, 0.7, 0, 1.5, 0.3, 0.6)
  expect_exact(tiny_spec(alpha = exponents, kind = "normal"))
  expect_exact(
    tiny_spec(alpha = exponents), thin = 1, hamiltonian_moves = 2,
    pair_moves = 2, level_moves = 1, shared_moves = 1
  )
  # No more parts than these: exponents stay above 1, and none is below
  expect_exact(tiny_spec(alpha = c(0, 0, 1.4, 0, 0, 0, 0, 1.4)))
  expect_exact(tiny_spec(alpha = c(0, 0, 2.5, 0, 0, 0, 0, 0)))
})

test_that("level moves leave the posterior as it is", {
  if (is_nightly()) {
    expect_exact(tiny_spec(), level_moves = 0)
    expect_exact(tiny_spec(), level_moves = 12, thin = 1)
  }
  expect_exact(tiny_spec(K = 3, kind = "normal"), level_moves = 12, thin = 1)
})

test_that("shared moves leave the posterior as it is", {
  many <- list(thin = 1, level_moves = 0, shared_moves = 12)
  exact <- function(spec) do.call(expect_exact, c(list(spec), many))
  if (is_nightly()) {
    exact(tiny_spec())
    exact(tiny_spec(alpha = rep(1, 8)))
  }
  exact(tiny_spec(alpha = rep(0.05, 8), K = 3))
  # Not always refused, and not asked for where there is no shared prior
  accepted <- function(spec, ...) {
    run <- run_core(spec, "augmentation", 200, ...)
    run$sampler$acceptance[["shared"]]
  }
  share <- accepted(tiny_spec())
  expect_gt(share, 0.3)
  expect_lt(share, 0.98)
  expect_true(is.na(accepted(tiny_spec(kind = "normal"))))
})

test_that("shared moves run at any weight", {
  run <- function(weight, ...) {
    data <- withr::with_seed(3, {
      level <- factor(rep(1:6, c(150, 60, 30, 12, 6, 2)))
      data.frame(level, y = rnorm(260, as.integer(level) / 3))
    })
    fit_synthesizer(
      y ~ level, data, normal_mixture(2), privacy_weights = weight,
      chains = 2, warmup = 100, draws = by_night(500, 250), seed = 1,
      control = sampler_control(thin = 1, progress = FALSE, ...)
    )
  }
  acceptance <- function(fit) fit$sampler$acceptance[["shared"]]
  for (weight in c(0.1, 0.6)) {
    expect_gt(acceptance(suppressWarnings(run(weight))), 0.5)
  }
})

test_that("Hamiltonian moves leave the posterior as it is", {
  many <- list(thin = 1, level_moves = 0, hamiltonian_moves = 4)
  exact <- function(spec) do.call(expect_exact, c(list(spec), many))
  if (is_nightly()) {
    exact(tiny_spec())
    exact(tiny_spec(alpha = rep(1, 8)))
  }
  exact(tiny_spec(K = 3, kind = "normal"))
  # Components that reach the floor of sigma bounce off it
  exact(tiny_spec(sigma_floor = 0.9))
  # A move that is always refused would pass as well
  run <- run_core(tiny_spec(), "augmentation", 200, hamiltonian_moves = 4)
  expect_gt(run$sampler$acceptance[["hamiltonian"]], 0.6)
  expect_lt(run$sampler$acceptance[["hamiltonian"]], 0.98)
})

test_that("pair and mass moves leave the posterior as it is", {
  many <- list(thin = 1, level_moves = 0, pair_moves = 6)
  exact <- function(spec) do.call(expect_exact, c(list(spec), many))
  if (is_nightly()) {
    exact(tiny_spec(K = 3, kind = "normal"))
    # Scales that are held at their floor
    exact(tiny_spec(sigma_floor = 0.9))
  }
  exact(tiny_spec(alpha = rep(0.05, 8), K = 3))
  # All moves together, as in use
  expect_exact(
    tiny_spec(K = 3), thin = 1, hamiltonian_moves = 2, pair_moves = 2,
    level_moves = 1
  )
})

test_that("weights 0: pair and mass moves keep the prior", {
  spec <- tiny_spec(alpha = rep(0, 8))
  run <- run_core(
    spec, "augmentation", by_night(8000, 2500), seed = 6, hamiltonian_moves = 0,
    pair_moves = 3, level_moves = 0
  )
  for (k in 1:2) {
    expect_law(run$draws[, 6 + k], half_t_quantile(3, 1, 0.2), 2)
    expect_law((run$draws[, k] - run$hyper[, 3]) / run$hyper[, 1], qnorm, 2)
  }
  u <- pbeta(run$draws[, 5], run$hyper[, 5] / 2, run$hyper[, 5] / 2)
  expect_law(u[run$hyper[, 5] > 0.3], function(p) p)
})

test_that("trajectories follow the gradient of the log-likelihood", {
  withr::local_seed(11)
  n <- 60
  codes <- cbind(rep_len(0:2, n), rep_len(0:1, n), sample(rep_len(0:8, n)))
  x <- matrix(rnorm(2 * n), n)
  none <- matrix(0L, n, 0)
  # Components in one vector of lanes and in several
  for (K in by_night(c(1, 3, 9, 18), c(1, 3, 9))) {
    specs <- list(
      core_spec(c(400, rnorm(n - 1, 10)), codes, x, K = K),
      core_spec(rnorm(n), codes, K = K, alpha = round(runif(n), 1)),
      core_spec(rnorm(n), none, x, K = K, intercept = FALSE)
    )
    for (spec in specs) {
      draw <- random_draws(spec, 1)[1, ]
      extra <- spec$n_columns * K + seq_len(2 * K)
      f <- function(at) {
        at[extra] <- exp(at[extra])
        sum(spec$alpha * naive_log_lik(spec, t(at)))
      }
      at <- replace(draw, extra, log(draw[extra]))
      slope <- vapply(seq_along(at), function(j) {
        h <- replace(numeric(length(at)), j, 1e-5)
        (f(at + h) - f(at - h)) / 2e-5
      }, 0)
      expect_equal(
        unlist(test_mixture_slope_(spec, draw), use.names = FALSE), slope,
        tolerance = 1e-4
      )
    }
  }
})

test_that("one component is the normal regression of quadrature", {
  spec <- tiny_spec(K = 1, kind = "normal", sigma_floor = 0)
  run <- run_core(spec, "augmentation", by_night(2e4, 5000), warmup = 200)
  truth <- gaussian_quadrature(spec)
  for (j in 1:2) expect_truth(run$draws[, j], truth$mean_b[j], 2)
  expect_truth(log(run$draws[, 4]), truth$mean_log_sigma, 2)
  expect_truth(run$draws[, 1]^2, truth$square_b[1], 2)
})

test_that("y ~ p(y | theta) and sweeps in turn leave the prior (Geweke)", {
  for (K in by_night(2:3, 2)) {
    spec <- tiny_spec(K = K)
    spec$y <- spec$y[1:6]
    spec$codes <- spec$codes[1:6, , drop = FALSE]
    spec$alpha <- rep(1, 6)
    prior <- withr::with_seed(
      K, mixture_prior_draws(spec, by_night(1e5, 2e4))
    )
    truth <- label_invariant(spec, prior$draws, prior$hyper)
    truth <- truth[, colnames(truth) != "sum_f"]
    for (extra in list(c(0, 0, 0), c(3, 0, 0), c(0, 2, 0), c(0, 0, 3))) {
      x <- test_mixture_joint_(
        spec, by_night(2e4, 2500), 2, 10 + K, extra[1], extra[2], extra[3]
      )
      D <- ncol(prior$draws)
      x <- label_invariant(spec, x[, 1:D], x[, -(1:D)])
      for (q in colnames(truth)) {
        error <- sd(truth[, q]) / sqrt(nrow(truth))
        expect_truth(x[, q], mean(truth[, q]), 1, error, within = 4.5)
      }
    }
  }
})

test_that("weights 0 give back the prior", {
  spec <- tiny_spec(alpha = rep(0, 8))
  run <- run_core(
    spec, "augmentation", by_night(2e4, 2500), thin = 2, seed = 4
  )
  for (j in 1:2) {
    expect_law(run$hyper[, j], half_t_quantile(3, 0.7), 2)
    expect_law(run$hyper[, 2 + j], qnorm, 2)
  }
  expect_law(run$hyper[, 5], qexp, 2)
  for (k in 1:2) {
    expect_law(run$draws[, 6 + k], half_t_quantile(3, 1, 0.2), 2)
    expect_law((run$draws[, k] - run$hyper[, 3]) / run$hyper[, 1], qnorm, 2)
  }
  # pi ~ Dirichlet(gamma / 2) given gamma
  u <- pbeta(run$draws[, 5], run$hyper[, 5] / 2, run$hyper[, 5] / 2)
  expect_law(u[run$hyper[, 5] > 0.3], function(p) p)
  expect_true(all(run$draws[, 7:8] >= 0.2))
})

test_that("weights 0 under a normal prior give back the prior", {
  spec <- tiny_spec(alpha = rep(0, 8), kind = "normal")
  run <- run_core(spec, "augmentation", by_night(1e4, 2500), seed = 5)
  for (j in 1:4) expect_law(run$draws[, j], function(p) qnorm(p, 0, 1.2), 2)
  expect_law(run$hyper[, 1], qexp, 2)
})

test_that("weight 0 is the same as dropping the record", {
  full <- tiny_spec()
  keep <- full$alpha > 0
  dropped <- core_spec(
    full$y[keep], full$codes[keep, , drop = FALSE],
    alpha = full$alpha[keep], K = 2, prior = full$prior, sigma_floor = 0.2
  )
  x <- sample_tiny(full)
  y <- sample_tiny(dropped, seed = 2)
  for (q in colnames(x)) expect_same_mean(x[, q], y[, q])
  # and it has no say in what the chain does
  other <- full
  other$y[!keep] <- 1e6
  expect_identical(sample_tiny(other, 50), sample_tiny(full, 50))
})

test_that("augmentation and Hamiltonian chains agree on separate clusters", {
  withr::local_seed(8)
  group <- rep(0:1, 30)
  centre <- rep(c(-2, -2, 2), 20)
  spec <- core_spec(
    rnorm(60, centre + 0.5 * group, 0.5), matrix(group),
    alpha = runif(60), K = 2, prior = shared_prior(2, 0.5, c(5, 1)),
    sigma_floor = 0.1
  )
  expect_gt(sum(spec$alpha < 0.3), 5)
  n <- by_night(3000, 600)
  warmup <- by_night(500, 250)
  nuts <- run_core(spec, "nuts", n, warmup = warmup, seed = 3)
  augmented <- run_core(
    spec, "augmentation", 2 * n, warmup = warmup, thin = 2, seed = 4
  )
  # sum_i alpha_i f_i and predictive quantiles
  for (j in seq_len(ncol(nuts$monitor))) {
    expect_same_mean(nuts$monitor[, j], augmented$monitor[, j])
    expect_same_mean(nuts$monitor[, j]^2, augmented$monitor[, j]^2)
  }
  sorted <- function(run) t(apply(run$draws[, 1:2], 1, sort))
  for (k in 1:2) expect_same_mean(sorted(nuts)[, k], sorted(augmented)[, k])
  # Not log tau: Hamiltonian chains do not reach tau near 0.
  quantities <- function(run) {
    q <- label_invariant(spec, run$draws, run$hyper)
    cbind(q[, !grepl("^log_tau", colnames(q))], small = run$hyper[, 2] < 0.5)
  }
  a <- quantities(nuts)
  b <- quantities(augmented)
  for (q in colnames(a)) expect_same_mean(a[, q], b[, q])
})

test_that("draws are the same at 1, 2 and 4 threads and on repetition", {
  one <- run_core(tiny_spec(), "augmentation", 40, chains = 4, warmup = 20)
  for (threads in c(1, 2, 4)) {
    again <- run_core(
      tiny_spec(), "augmentation", 40,
      chains = 4, warmup = 20, threads = threads
    )
    for (part in c("draws", "hyper", "state", "monitor")) {
      expect_identical(again[[part]], one[[part]])
    }
  }
  first <- by_chain(one$draws[, 1], 4)
  expect_false(any(first[, 1] == first[, 2]))
})

test_that("a chain goes on from an earlier state", {
  spec <- tiny_spec()
  one <- run_core(spec, "augmentation", 40, warmup = 100)
  D <- ncol(one$draws)
  x <- by_chain(one$draws[, 7])
  expect_equal(
    exp(one$state[[1]][5:6]), one$draws[40, 5:6],
    tolerance = 1e-12
  )
  on <- run_core(spec, "augmentation", 1, warmup = 0, init = one$state)
  expect_true(all(is.finite(on$draws)))
  expect_identical(dim(on$draws), c(2L, D))
})

test_that("designs of every shape and records far out give finite draws", {
  withr::local_seed(9)
  x <- matrix(rnorm(30), 15)
  group <- matrix(rep(0:2, 5))
  alpha <- rep(c(0, 0.5, 1), each = 5)
  specs <- list(
    core_spec(rnorm(15), K = 3, alpha = alpha),
    core_spec(rnorm(15), x = x, K = 3, alpha = alpha),
    core_spec(rnorm(15), x = x, K = 2, intercept = FALSE, alpha = alpha),
    core_spec(rnorm(15), group, x, K = 2, intercept = FALSE, alpha = alpha),
    core_spec(c(1e4, rnorm(14)), group, K = 4, alpha = pmax(alpha, 0.2)),
    core_spec(rep(2, 15), group, K = 3, sigma_floor = 0.1, alpha = alpha),
    core_spec(1.5, K = 3, alpha = 0.4),
    core_spec(1.5, K = 1, alpha = 0)
  )
  for (spec in specs) {
    run <- run_core(spec, "augmentation", 50, warmup = 50)
    expect_true(all(is.finite(run$draws)) && all(is.finite(run$hyper)))
    pi <- spec$n_columns * spec$K + seq_len(spec$K)
    expect_equal(rowSums(run$draws[, pi, drop = FALSE]), rep(1, 100))
  }
})
