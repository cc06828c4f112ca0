numeric_gradient <- function(f, u, h = 1e-5) {
  vapply(seq_along(u), function(j) {
    up <- down <- u
    up[j] <- u[j] + h
    down[j] <- u[j] - h
    (f(up) - f(down)) / (2 * h)
  }, 0)
}

# A regression with a factor of three levels and a numeric predictor.
small_data <- function(n = 40, family = "gaussian", prior = NULL) {
  withr::local_seed(31)
  group <- rep(0:2, length.out = n)
  z <- round(rnorm(n), 1)
  x <- cbind(1, group == 1, group == 2, z)
  y <- as.numeric(x %*% c(1, 0.5, -0.5, 0.3) + rnorm(n, sd = 0.8))
  normal <- list(kind = "normal", location = c(1, 0, 0, 0),
                 scale = c(2.5, 1, 1, 1))
  list(
    family = family, K = if (family == "gaussian") 1 else 3,
    sigma_floor = if (family == "gaussian") 0 else 0.3,
    x = x, y = y, alpha = rep(1, n),
    prior = if (is.null(prior)) normal else prior
  )
}

hierarchical <- list(kind = "hierarchical", lkj = 1, df = 3, scale = 1)
shared <- list(
  kind = "shared", scale = 0.25, df = 3, location = numeric(4),
  m_scale = c(20, 1, 1, 1)
)

all_models <- function() {
  models <- list()
  for (family in c("gaussian", "normal_mixture")) {
    for (prior in list(NULL, hierarchical, shared)) {
      data <- small_data(family = family, prior = prior)
      data$alpha <- rep(c(0, 0.25, 0.5, 1), length.out = length(data$y))
      models <- c(models, list(data))
    }
  }
  models
}

# The specification of such a model, its design a matrix of numbers.
dense_spec <- function(data) {
  spec <- core_spec(
    data$y, x = data$x, alpha = data$alpha, K = data$K, prior = data$prior,
    intercept = FALSE, sigma_floor = data$sigma_floor, family = data$family
  )
  spec$censor <- data$censor
  spec
}

evaluate <- function(data, theta) {
  spec <- dense_spec(data)
  c(log_posterior_(spec, theta), posterior_parts_(spec, theta))
}

start_of <- function(data, seed) posterior_start_(dense_spec(data), seed)

with_censor <- function(data, half_width = 0.6) {
  centre <- -0.5 * data$alpha
  data$censor <- list(lower = -half_width, upper = half_width, centre = centre)
  data
}

random_theta <- function(data, seed) {
  withr::local_seed(seed)
  start <- start_of(data, seed)
  start + rnorm(length(start), sd = 0.3)
}

# sum_i g_i in plain R from the constrained draw.
log_lik_r <- function(data, draw) {
  n_columns <- ncol(data$x)
  K <- data$K
  b <- matrix(draw[seq_len(n_columns * K)], K)
  eta <- data$x %*% t(b)
  rest <- draw[-seq_len(n_columns * K)]
  if (data$family == "gaussian") {
    f <- dnorm(data$y, eta[, 1], rest, log = TRUE)
  } else {
    weight <- rest[seq_len(K)]
    sigma <- rest[K + seq_len(K)]
    f <- log(Reduce(`+`, lapply(seq_len(K), function(k) {
      weight[k] * dnorm(data$y, eta[, k], sigma[k])
    })))
  }
  g <- ifelse(data$alpha == 0, 0, data$alpha * f)
  if (!is.null(data$censor)) {
    g <- g - data$censor$centre
    g <- pmin(pmax(g, data$censor$lower), data$censor$upper)
  }
  sum(g)
}

test_that("the likelihood term equals plain R for all models, clipped or not", {
  for (data in all_models()) {
    for (model in list(data, with_censor(data))) {
      result <- evaluate(model, random_theta(model, 3))
      expect_equal(result$log_lik, log_lik_r(model, result$draw),
        tolerance = 1e-11
      )
    }
  }
})

test_that("gradients equal central differences, weights 0 and clips included", {
  for (data in all_models()) {
    for (model in list(data, with_censor(data))) {
      theta <- random_theta(model, 4)
      value <- function(theta) evaluate(model, theta)$value
      expect_equal(
        evaluate(model, theta)$gradient,
        numeric_gradient(value, theta),
        tolerance = 1e-6
      )
    }
  }
})

test_that("a response far from 0 loses no accuracy in the gaussian sums", {
  data <- small_data()
  data$y <- data$y + 1e6
  data$prior$location[1] <- 1e6
  theta <- start_of(data, 1)
  result <- evaluate(data, theta)
  expect_equal(result$log_lik, log_lik_r(data, result$draw),
    tolerance = 1e-9
  )
})

test_that("the log posterior is prior plus likelihood", {
  data <- small_data()
  theta <- c(0.5, 0.1, 0.2, 0.3, -0.4)
  sigma <- exp(-0.4)
  expect_equal(
    evaluate(data, theta)$value,
    log_lik_r(data, c(theta[1:4], sigma)) +
      sum(dnorm(theta[1:4], data$prior$location, data$prior$scale,
        log = TRUE)) +
      log(2) + dt(sigma, 3, log = TRUE) + log(sigma),
    tolerance = 1e-12
  )
})

test_that("weight 0 equals dropping the record", {
  for (family in c("gaussian", "normal_mixture")) {
    data <- small_data(family = family)
    out <- c(1, 5, 12)
    data$alpha[out] <- 0
    data$y[out] <- 1e200
    kept <- data
    kept$x <- data$x[-out, ]
    kept$y <- data$y[-out]
    kept$alpha <- data$alpha[-out]
    theta <- random_theta(kept, 5)
    all <- evaluate(data, theta)
    expect_equal(all$value, evaluate(kept, theta)$value,
      tolerance = 1e-12
    )
    expect_equal(all$gradient, evaluate(kept, theta)$gradient,
      tolerance = 1e-10
    )
  }
})

test_that("a clipped record has gradient 0", {
  data <- small_data()
  data$censor <- list(lower = -1e-6, upper = 1e-6, centre = rep(50, 40))
  theta <- random_theta(data, 6)
  none <- small_data()
  none$alpha[] <- 0
  result <- evaluate(data, theta)
  expect_equal(result$log_lik, -40 * 1e-6)
  expect_equal(result$gradient, evaluate(none, theta)$gradient)
})

test_that("draw and hyper lead back to theta", {
  for (data in all_models()) {
    theta <- random_theta(data, 7)
    if (data$prior$kind == "hierarchical") {
      # Correlations are not stored; unconstrain() starts them at 0.
      theta[4 * data$K + 4 + 1:6] <- 0
    }
    expect_equal(evaluate(data, theta)$back, theta, tolerance = 1e-8)
  }
})

test_that("starts are finite, also for hard data", {
  hard <- all_models()
  far <- small_data()
  far$y <- far$y * 1e8
  none <- small_data(family = "normal_mixture", prior = shared)
  none$alpha[] <- 0
  one <- small_data(n = 1, prior = hierarchical)
  flat <- small_data(family = "normal_mixture")
  flat$y[] <- 10
  hard <- c(hard, list(far, none, one, flat))
  # Clipped ones start from the prior
  for (data in c(hard, lapply(hard, with_censor))) {
    for (seed in 1:5) {
      there <- evaluate(data, start_of(data, seed))
      expect_true(is.finite(there$value))
      expect_true(all(is.finite(there$gradient)))
    }
  }
})

test_that("a prior of the wrong length is refused", {
  data <- small_data()
  data$prior$location <- 1
  data$prior$scale <- 1
  expect_error(start_of(data, 1), "differ in columns")
})

run_parts <- function(data, seed = 1, metric = "diagonal", draws = 1000) {
  run <- run_core(
    dense_spec(data), "nuts", draws,
    chains = 4, seed = seed, metric = metric
  )
  lapply(run[c("draws", "hyper")], function(part) {
    array(part, c(draws, 4, length(part) / draws / 4))
  })
}

run_four <- function(...) run_parts(...)$draws

expect_mean <- function(draws, truth) {
  expect_lt(abs(mean(draws) - truth), 5 * posterior::mcse_mean(draws))
}

expect_sd <- function(draws, truth) {
  expect_lt(abs(sd(draws) - truth), 5 * posterior::mcse_sd(draws))
}

# Posterior moments of (b, sigma): b is conjugate given sigma, sigma is
# integrated on a grid.
gaussian_moments <- function(data) {
  gram <- crossprod(data$x * sqrt(data$alpha))
  moment <- crossprod(data$x, data$alpha * data$y)
  prior_precision <- diag(1 / data$prior$scale^2)
  u <- seq(-3, 2, by = 0.005)
  at <- lapply(u, function(u) {
    precision <- gram * exp(-2 * u) + prior_precision
    pull <- moment * exp(-2 * u) + prior_precision %*% data$prior$location
    centre <- solve(precision, pull)
    log_weight <- -sum(data$alpha) * u -
      0.5 * sum(data$alpha * data$y^2) * exp(-2 * u) +
      0.5 * sum(pull * centre) -
      0.5 * as.numeric(determinant(precision)$modulus) +
      dt(exp(u), 3, log = TRUE) + u
    list(w = log_weight, m = centre, v = diag(solve(precision)))
  })
  w <- vapply(at, `[[`, 0, "w")
  w <- exp(w - max(w))
  w <- w / sum(w)
  m <- vapply(at, function(a) as.numeric(a$m), numeric(4))
  v <- vapply(at, `[[`, numeric(4), "v")
  mean_b <- as.numeric(m %*% w)
  mean_sigma <- sum(w * exp(u))
  list(
    mean = c(mean_b, mean_sigma),
    sd = sqrt(c(
      as.numeric((v + m^2) %*% w) - mean_b^2,
      sum(w * exp(2 * u)) - mean_sigma^2
    ))
  )
}

test_that("gaussian means and sds equal quadrature over sigma", {
  data <- small_data()
  data$alpha <- rep(c(0, 0.3, 0.8, 1), 10)
  truth <- gaussian_moments(data)
  for (metric in c("diagonal", "dense")) {
    draws <- run_four(data, metric = metric, seed = 3)
    for (j in 1:5) {
      expect_mean(draws[, , j], truth$mean[j])
      expect_sd(draws[, , j], truth$sd[j])
      expect_lt(posterior::rhat(draws[, , j]), 1.01)
    }
  }
})

test_that("a clip that never binds leaves the gaussian posterior as it is", {
  data <- small_data()
  loose <- data
  loose$censor <- list(lower = -1e6, upper = 1e6, centre = numeric(40))
  theta <- random_theta(data, 8)
  expect_equal(
    evaluate(loose, theta), evaluate(data, theta),
    tolerance = 1e-10
  )
})

test_that("weights 0 recover the prior", {
  data <- small_data()
  data$alpha[] <- 0
  draws <- run_four(data, seed = 4)
  for (j in 1:4) {
    expect_mean(draws[, , j], data$prior$location[j])
    expect_sd(draws[, , j], data$prior$scale[j])
  }
  for (p in c(0.25, 0.5, 0.75)) {
    expect_mean(1 * (draws[, , 5] < qt((1 + p) / 2, 3)), p)
  }
})

test_that("weights 0 recover the prior of the mixture", {
  data <- small_data(family = "normal_mixture")
  data$alpha[] <- 0
  run <- run_parts(data, seed = 5, draws = by_night(1000, 500))
  draws <- run$draws
  for (k in 1:3) expect_mean(draws[, , 12 + k], 1 / 3)
  above <- 2 * pt(-0.3, 3)
  for (k in 1:3) {
    expect_mean(1 * (draws[, , 15 + k] > 1), 2 * pt(-1, 3) / above)
  }
  gamma <- run$hyper[, , 1]
  expect_mean(1 * (gamma < 1), pexp(1))
})

test_that("an earlier state is where the next chain starts", {
  data <- small_data(prior = hierarchical)
  spec <- dense_spec(data)
  run <- function(...) run_core(spec, "nuts", chains = 1, ...)
  first <- run(draws = 50, warmup = 200)
  again <- run(draws = 50, warmup = 200)
  expect_identical(first$draws, again$draws)
  expect_identical(first$state, again$state)
  short <- function(init) {
    run(draws = 1, warmup = 0, seed = 2, max_treedepth = 1, init = init)
  }
  next_run <- short(first$state)
  expect_lt(max(abs(next_run$state[[1]] - first$state[[1]])), 3)
  # A state that does not fit the model is not used.
  other <- short(list(c(1, 2)))
  expect_true(all(is.finite(other$state[[1]])))
})
