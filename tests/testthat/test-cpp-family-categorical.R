# Multinomial logit in the core, beside plain R.

level_prior <- function(n_columns, scale = 1, location = 0) {
  list(
    kind = "level", location = rep_len(location, n_columns),
    scale = rep_len(scale, n_columns)
  )
}

# As family_spec(): factors, a number, ties, weights 0 to 1.
level_spec <- function(size = 4, n = 90, seed = 1) {
  withr::local_seed(seed)
  codes <- cbind(sample(0:2, n, TRUE), sample(0:1, n, TRUE))
  x <- matrix(sample(c(-0.5, 0, 0.5), n, TRUE))
  spec <- core_spec(
    sample(seq_len(size) - 1, n, TRUE), codes, x,
    alpha = rep_len(c(1, 0.25, 0, 1, 0.5), n), family = "categorical"
  )
  spec$K <- size
  spec$prior <- level_prior(spec$n_columns, c(2, rep(1, spec$n_columns - 1)))
  spec
}

# log softmax in plain R, whose largest term is exact
level_density <- function(y, eta) {
  eta <- cbind(0, eta)
  vapply(seq_along(y), function(i) {
    line <- eta[i, ] - eta[i, y[i] + 1]
    high <- which.max(line)
    -line[high] - log1p(sum(exp(line[-high] - line[high])))
  }, 0)
}

level_coefficients <- function(spec, draw) {
  t(matrix(draw, spec$K - 1))
}

naive_levels <- function(spec, draws) {
  x <- dense_matrix(spec)
  t(apply(draws, 1, function(draw) {
    level_density(spec$y, x %*% level_coefficients(spec, draw))
  }))
}

level_draws <- function(spec, n) {
  size <- spec$n_columns * (spec$K - 1)
  withr::with_seed(15, matrix(stats::rnorm(n * size), n))
}

test_that("categorical densities are those of R, far into the tails", {
  eta <- expand.grid(rep(list(c(-800, -40, -1, 0, 0.3, 30, 900)), 3))
  spec <- core_spec(0:3, family = "categorical")
  spec$K <- 4L
  f <- log_lik_(spec, unname(as.matrix(eta)))
  truth <- vapply(0:3, function(y) {
    level_density(rep(y, nrow(eta)), as.matrix(eta))
  }, numeric(nrow(eta)))
  expect_exact(f, truth)
  # What is all but certain keeps its distance from 0
  sure <- log_lik_(spec, cbind(40, -3, -3))[2]
  expect_equal(sure, -exp(-40) * (1 + 2 * exp(-3)), tolerance = 1e-12)
  # A mass function, and that of the multinomial distribution
  some <- rowSums(abs(eta)) < 100
  expect_equal(rowSums(exp(f[some, ])), rep(1, sum(some)))
  share <- exp(c(0, 0.3, -1, 2))
  share <- share / sum(share)
  expect_equal(
    drop(log_lik_(spec, cbind(0.3, -1, 2))),
    apply(diag(4), 1, stats::dmultinom, size = 1, prob = share, log = TRUE)
  )
})

test_that("two levels are those of bernoulli()", {
  withr::local_seed(2)
  eta <- c(-1e3, -745, -40, -1, -1e-9, 0, 0.3, 30, 720, 1e3)
  spec <- core_spec(0:1, family = "categorical")
  spec$K <- 2L
  two <- core_spec(0:1, family = "bernoulli")
  expect_exact(log_lik_(spec, cbind(eta)), log_lik_(two, cbind(eta)))
  model <- level_spec(2)
  other <- model
  other$family <- "bernoulli"
  other$prior$kind <- "normal"
  for (clip in c(FALSE, TRUE)) {
    if (clip) {
      model <- with_clip(model)
      other <- with_clip(other)
    }
    theta <- stats::rnorm(unconstrained_size_(model))
    expect_equal(log_posterior_(model, theta), log_posterior_(other, theta))
  }
  expect_identical(
    synthesize_(model, rbind(theta), c(0, 5), 0),
    synthesize_(other, rbind(theta), c(0, 5), 0)
  )
})

test_that("log posterior and gradient of categorical", {
  spec <- level_spec()
  size <- spec$n_columns * 3
  expect_identical(unconstrained_size_(spec), as.integer(size))
  theta <- withr::with_seed(12, stats::rnorm(size))
  # Half of the variance is the baseline's
  covariance <- (diag(3) + 1) / 2
  prior <- sum(vapply(seq_len(spec$n_columns), function(j) {
    b <- level_coefficients(spec, theta)[j, ] / spec$prior$scale[j]
    -(3 * log(2 * pi) + determinant(covariance)$modulus +
      drop(b %*% solve(covariance, b))) / 2 - 3 * log(spec$prior$scale[j])
  }, 0))
  for (model in list(spec, with_clip(spec))) {
    g <- plain_contributions(model, naive_levels(model, rbind(theta)))
    expect_equal(log_posterior_(model, theta)$value, sum(g) + prior)
    expect_gradients(model)
  }
  parts <- posterior_parts_(spec, theta)
  expect_identical(parts$draw, theta)
  expect_identical(parts$back, theta)
  expect_true(is.finite(
    log_posterior_(spec, posterior_start_(spec, 1))$value
  ))
})

test_that("the prior is the same whichever level is the baseline", {
  spec <- level_spec()
  theta <- withr::with_seed(13, stats::rnorm(spec$n_columns * 3))
  b <- cbind(0, level_coefficients(spec, theta))
  for (first in 2:4) {
    order <- c(first, setdiff(1:4, first))
    moved <- (b - b[, first])[, order]
    other <- spec
    other$y <- match(spec$y + 1, order) - 1
    for (clip in list(identity, with_clip)) {
      expect_equal(
        log_posterior_(clip(other), as.vector(t(moved[, -1])))$value,
        log_posterior_(clip(spec), theta)$value
      )
    }
  }
})

test_that("bounds of levels are those of a loop, whatever the threads", {
  spec <- level_spec(n = 137)
  draws <- level_draws(spec, 77)
  f <- naive_levels(spec, draws)
  expect_exact(log_lik_(spec, draws), f)
  for (model in list(spec, with_clip(spec))) {
    g <- plain_contributions(model, f)
    out <- lipschitz_(model, draws, 1L)
    size <- apply(abs(g), 2, max)
    expect_exact(out$record, size)
    expect_exact(out$record + out$oscillation, size + width_of(g))
    expect_exact(out$draw, apply(abs(g), 1, max))
    expect_identical(lipschitz_(model, draws, 3L), out)
  }
  # A draw without a value, beside others in its tile
  draws[30, 1] <- NaN
  bad <- log_lik_(spec, draws)
  expect_true(all(!is.finite(bad[30, ])))
  expect_equal(bad[-30, ], f[-30, ])
})

test_that("levels that are drawn follow their probabilities", {
  spec <- core_spec(numeric(40000), family = "categorical")
  spec$K <- 4L
  for (eta in list(c(0.5, -1, 2), c(-6, 0, 6), c(800, 0, 799))) {
    y <- synthesize_(spec, rbind(eta), c(0, 8), 0)[, 1]
    p <- exp(c(0, eta) - max(eta))
    p <- p / sum(p)
    error <- sqrt(p * (1 - p) / 40000)
    expect_true(all(abs(tabulate(y + 1, 4) / 40000 - p) <= 4.5 * error))
  }
})

test_that("NUTS agrees with quadrature for three levels, weighted, clipped", {
  spec <- core_spec(
    rep(c(0, 1, 1, 2), 15), family = "categorical",
    alpha = rep(c(1, 0.4, 0.8, 0.6), 15)
  )
  spec$K <- 3L
  spec$prior <- level_prior(1, 1.5)
  at <- seq(-5, 5, length.out = 201)
  grid <- unname(as.matrix(expand.grid(at, at)))
  for (model in list(spec, with_clip(spec))) {
    value <- model_(model)
    log_mass <- apply(grid, 1, function(theta) {
      model_evaluate_(value, theta)$value
    })
    mass <- matrix(exp(log_mass - max(log_mass)), 201)
    metric <- if (is.null(model$censor)) "curvature" else "diagonal"
    draws <- nuts_draws(model, metric = metric)$draws
    for (k in 1:2) {
      law <- cumsum(if (k == 1) rowSums(mass) else colSums(mass)) / sum(mass)
      chains <- by_chain(draws[, k], 4)
      ess <- min(posterior::ess_bulk(chains), posterior::ess_tail(chains))
      expect_lt(
        max(abs(stats::ecdf(draws[, k])(at + 0.025) - law)), 2 / sqrt(ess)
      )
    }
  }
})

test_that("weights 0 recover the prior of levels", {
  spec <- level_spec(n = 20)
  spec$alpha[] <- 0
  draws <- nuts_draws(spec, 1500, metric = "curvature")$draws
  b <- sweep(draws, 2, rep(spec$prior$scale, each = 3), `/`)
  for (j in 1:4) expect_law(b[, j], stats::qnorm, chains = 4)
  # Against another level it is the same
  expect_law(b[, 5] - b[, 4], stats::qnorm, chains = 4)
})

test_that("steps by the curvature are few, and the law is that of others", {
  spec <- level_spec(6, n = 200)
  runs <- lapply(c("curvature", "diagonal"), function(metric) {
    nuts_draws(spec, by_night(2000, 500), metric = metric)
  })
  steps <- vapply(runs, function(run) mean(run$sampler$n_leapfrog), 0)
  expect_lt(2 * steps[1], steps[2])
  for (j in seq_len(ncol(runs[[1]]$draws))) {
    expect_same_mean(runs[[1]]$draws[, j], runs[[2]]$draws[, j], chains = 4)
  }
})

test_that("copies of the likelihood and rows beyond a lane count alike", {
  # Rows from one to more than a vector; all in one level, some of weight 0
  for (n in c(1, 7, 8, 9, 33)) {
    spec <- level_spec(3, n = n)
    spec$y[] <- 2
    theta <- withr::with_seed(n, stats::rnorm(spec$n_columns * 2))
    without <- spec
    without$alpha[] <- 0
    for (clip in list(identity, with_clip)) {
      g <- plain_contributions(
        clip(spec), naive_levels(spec, rbind(theta))
      )
      none <- plain_contributions(
        clip(without), naive_levels(spec, rbind(theta))
      )
      expect_equal(
        log_posterior_(clip(spec), theta)$value -
          log_posterior_(clip(without), theta)$value,
        sum(g) - sum(none)
      )
      expect_gradients(clip(spec))
    }
  }
  # What has no value is no number, in every place
  spec <- level_spec(3)
  for (j in 1:4) {
    theta[j] <- NaN
    expect_false(is.finite(log_posterior_(spec, theta)$value))
    theta[j] <- 0
  }
})

test_that("a response that is no level is refused", {
  for (y in c(4, -1, 0.5)) {
    spec <- level_spec()
    spec$y[3] <- y
    expect_error(model_(spec), "one of the levels")
  }
  expect_error(run_core(level_spec(), "surrogate", 10), "one linear predictor")
})
