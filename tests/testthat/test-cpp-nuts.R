tuning <- function(warmup = 500, draws = 1000, thin = 1, adapt_delta = 0.8,
                   max_treedepth = 10, metric = "diagonal") {
  list(
    warmup = warmup, draws = draws, thin = thin, adapt_delta = adapt_delta,
    max_treedepth = max_treedepth, metric = metric
  )
}

run_target <- function(target, ..., seed = 1, chain = 0,
                       stop_after = .Machine$integer.max) {
  test_nuts_target_(target, tuning(...), seed, chain, stop_after)
}

# Four chains; iterations x chains x variables.
run_four <- function(target, ..., seed = 1) {
  chains <- lapply(0:3, function(chain) {
    run_target(target, ..., seed = seed, chain = chain)$draws
  })
  aperm(simplify2array(chains), c(1, 3, 2))
}

expect_mean <- function(draws, truth) {
  mcse <- posterior::mcse_mean(draws)
  expect_lt(abs(mean(draws) - truth), 5 * mcse)
}

expect_sd <- function(draws, truth) {
  mcse <- posterior::mcse_sd(draws)
  expect_lt(abs(sd(draws) - truth), 5 * mcse)
}

correlated <- function(size = 5) {
  covariance <- outer(1:size, 1:size, function(i, j) {
    0.9^abs(i - j) * sqrt(i * j)
  })
  list(
    kind = "normal", mean = seq_len(size),
    precision = as.numeric(solve(covariance)), covariance = covariance
  )
}

test_that("a correlated normal's mean and covariance are recovered", {
  target <- correlated()
  for (metric in c("diagonal", "dense")) {
    draws <- run_four(target, metric = metric)
    for (j in 1:5) {
      expect_mean(draws[, , j], j)
      expect_sd(draws[, , j], sqrt(target$covariance[j, j]))
      expect_lt(posterior::rhat(draws[, , j]), 1.01)
    }
    product <- (draws[, , 1] - 1) * (draws[, , 2] - 2)
    expect_mean(product, target$covariance[1, 2])
  }
})

test_that("a dense metric takes shorter trajectories on correlated targets", {
  steps <- function(metric) {
    mean(run_target(correlated(10), metric = metric)$n_leapfrog)
  }
  expect_lt(steps("dense"), 0.5 * steps("diagonal"))
})

test_that("Gamma(3, 1) has mean 3 and sd sqrt(3): the Jacobian is there", {
  draws <- run_four(list(kind = "gamma", shape = 3))[, , 1]
  expect_mean(draws, 3)
  expect_sd(draws, sqrt(3))
  expect_mean(1 * (draws < 1), pgamma(1, 3))
})

test_that("the simplex gives Beta(2, 5) and Dirichlet moments", {
  draws <- run_four(list(kind = "dirichlet", shape = c(2, 5)))[, , 1]
  expect_mean(draws, 2 / 7)
  expect_sd(draws, sqrt(10 / (49 * 8)))
  shape <- c(0.5, 2, 4)
  draws <- run_four(list(kind = "dirichlet", shape = shape))
  for (k in 1:3) {
    p <- shape[k] / sum(shape)
    expect_mean(draws[, , k], p)
    expect_sd(draws[, , k], sqrt(p * (1 - p) / (sum(shape) + 1)))
  }
})

test_that("LKJ(2) correlations of three variables have their known moments", {
  # Marginally (r + 1) / 2 is Beta(a, a), a = shape + (P - 2) / 2.
  draws <- run_four(list(kind = "lkj", P = 3, shape = 2))
  for (j in 1:3) {
    expect_mean(draws[, , j], 0)
    expect_sd(draws[, , j], sqrt(1 / (2 * 2.5 + 1)))
  }
})

test_that("half-t draws have the quantiles of the folded t, floor or not", {
  target <- list(kind = "half_t", df = 3, scale = 1, floor = 0)
  draws <- run_four(target)[, , 1]
  for (p in c(0.1, 0.5, 0.9)) {
    expect_mean(1 * (draws < qt((1 + p) / 2, 3)), p)
  }
  target$floor <- 0.5
  draws <- run_four(target)[, , 1]
  above <- 2 * pt(-0.5, 3)
  expect_mean(1 * (draws > 1), 2 * pt(-1, 3) / above)
  expect_gte(min(draws), 0.5)
})

test_that("a density that is NaN or throws is rejected and counted", {
  run <- run_target(list(kind = "half_normal"), draws = 4000)
  expect_gt(run$n_nonfinite, 0)
  expect_gt(min(run$draws), 0)
  expect_mean(run$draws[, 1], sqrt(2 / pi))
})

test_that("equal seeds give identical draws, other chains others", {
  run <- function(seed, chain) {
    run_target(correlated(), draws = 50, seed = seed, chain = chain)$draws
  }
  expect_identical(run(7, 1), run(7, 1))
  expect_false(identical(run(7, 1), run(7, 2)))
  expect_false(identical(run(7, 1), run(8, 1)))
})

test_that("thinning keeps every n-th draw of the same chain", {
  all <- run_target(correlated(), draws = 60)$draws
  thinned <- run_target(correlated(), draws = 20, thin = 3)$draws
  expect_identical(thinned, all[seq(3, 60, by = 3), ])
})

test_that("dual averaging finds the step with the target acceptance", {
  for (target in c(0.6, 0.8, 0.95)) {
    expect_equal(test_dual_averaging_(target, 3, 2000), -log(target) / 3,
      tolerance = 0.02
    )
  }
})

test_that("acceptance rises with adapt_delta, energies are consistent", {
  runs <- lapply(c(0.6, 0.8, 0.95), function(delta) {
    run_target(correlated(10), adapt_delta = delta, warmup = 1000)
  })
  accept <- vapply(runs, function(run) mean(run$accept_stat), 0)
  # The average of log steps lands on the careful side, as in Stan.
  expect_true(all(accept > c(0.6, 0.8, 0.95) - 0.05))
  expect_true(all(diff(accept) > 0))
  for (run in runs) {
    expect_equal(sum(run$divergent), 0)
    # Kinetic energy is positive.
    expect_true(all(run$energy + run$log_density >= -1e-9))
  }
})

test_that("max_treedepth bounds the trajectory", {
  run <- run_target(correlated(10), max_treedepth = 2, draws = 100)
  expect_lte(max(run$treedepth), 2)
  expect_lte(max(run$n_leapfrog), 3)
})

test_that("short and absent warmups run", {
  for (warmup in c(0, 5, 25, 149, 151)) {
    run <- run_target(correlated(2), warmup = warmup, draws = 20)
    expect_equal(run$completed, 20)
    expect_true(all(is.finite(run$draws)))
  }
})

test_that("a stopped chain returns the draws it has finished", {
  whole <- run_target(correlated(), warmup = 50, draws = 50)
  part <- run_target(correlated(), warmup = 50, draws = 50, stop_after = 70)
  expect_false(whole$interrupted)
  expect_true(part$interrupted)
  expect_equal(part$completed, 20)
  expect_identical(part$draws, whole$draws[1:20, ])
})

test_that("tuning out of range is refused", {
  expect_error(run_target(correlated(), adapt_delta = 1), "adapt_delta")
  expect_error(run_target(correlated(), max_treedepth = 0), "max_treedepth")
  expect_error(run_target(correlated(), draws = 0), "draws >= 1")
})

test_that("the metric's windows end where Stan's do", {
  expect_equal(test_warmup_windows_(1000), c(99, 149, 249, 449, 949))
  expect_equal(test_warmup_windows_(500), c(99, 149, 249, 449))
  expect_equal(test_warmup_windows_(150), 99)
  # Short warmups: 15% first, 10% last, one window between.
  expect_equal(test_warmup_windows_(100), 89)
  expect_equal(test_warmup_windows_(19), integer(0))
})
