# The vignette "Adding a family": its package compiles against the installed
# headers, and what it computes is right.

# Compiling it takes long; tests/core/roles.cpp says by day what a family offers
skip_on_cran()
skip_if_not_installed("RcppEigen")
skip_if(Sys.which("make") == "", "no compiler")

example <- system.file(
  "examples", "pseudosynth.laplace",
  package = "pseudosynth", mustWork = TRUE
)

compile_example <- function() {
  code <- new.env()
  folder <- tempfile("laplace-")
  dir.create(folder)
  suppressMessages(Rcpp::sourceCpp(
    file.path(example, "src", "laplace.cpp"),
    env = code, cacheDir = folder
  ))
  sys.source(file.path(example, "R", "laplace.R"), envir = code)
  code
}
compiled <- function() remember("laplace", compile_example())

log_density <- function(y, eta, scale) {
  -log(2 * scale) - abs(y - eta) / scale
}

test_that("the example family's log-likelihood is that of Laplace errors", {
  skip_unless_nightly()
  laplace <- compiled()
  data <- family_data()
  fit <- laplace$fit_laplace(
    heavy ~ x, data,
    chains = 2, warmup = 300, draws = 500, seed = 1
  )
  expect_identical(colnames(fit$draws), c("(Intercept)", "x", "scale"))
  for (row in c(1, 1000)) {
    theta <- fit$draws[row, ]
    expect_equal(
      fit$log_lik[row, ],
      log_density(data$heavy, theta[1] + theta[2] * data$x, theta[3])
    )
  }
})

test_that("its posterior is that of quadrature, with weights", {
  skip_unless_nightly()
  laplace <- compiled()
  data <- family_data(30)
  weights <- seq(0, 1, length.out = 30)
  fit <- laplace$fit_laplace(
    heavy ~ 1, data, weights,
    intercept = c(0, 2), chains = 4, warmup = 500, draws = 2000, seed = 2
  )
  grid <- expand.grid(
    location = seq(-1.5, 3.5, length.out = 300),
    scale = exp(seq(-2.5, 2, length.out = 300))
  )
  log_posterior <- stats::dnorm(grid$location, 0, 2, log = TRUE) +
    stats::dt(grid$scale, 3, log = TRUE) + log(grid$scale)
  for (i in seq_len(30)) {
    log_posterior <- log_posterior + weights[i] *
      log_density(data$heavy[i], grid$location, grid$scale)
  }
  p <- exp(log_posterior - max(log_posterior))
  p <- p / sum(p)
  # The draws are correlated: 8,000 of them are worth at least 1,000.
  for (j in 1:2) {
    exact <- sum(p * grid[[j]])
    error <- sqrt(sum(p * (grid[[j]] - exact)^2) / 1000)
    expect_lt(abs(mean(fit$draws[, j]) - exact), 4 * error)
  }
})

test_that("bounds, weights and synthetic values follow", {
  skip_unless_nightly()
  laplace <- compiled()
  data <- family_data()
  fit <- laplace$fit_laplace(
    heavy ~ x, data,
    chains = 2, warmup = 300, draws = 500, seed = 1
  )
  bound <- lipschitz(fit$log_lik, unit = "heavy")
  weights <- lipschitz_weights(fit$log_lik)
  weighted <- laplace$fit_laplace(
    heavy ~ x, data, weights,
    chains = 2, warmup = 300, draws = 500, seed = 2
  )
  after <- lipschitz(sweep(weighted$log_lik, 2, as.numeric(weights), "*"))
  expect_lt(after$overall, bound$overall)
  made <- withr::with_seed(1, laplace$synthesize_laplace(fit, seed = 3))
  expect_length(made, nrow(data))
  expect_lt(abs(stats::median(made) - stats::median(data$heavy)), 1)
})
