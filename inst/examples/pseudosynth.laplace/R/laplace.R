# Regression with Laplace errors: median regression as a synthesizer.

# Fit with privacy weights (NULL: all 1). The prior of the coefficients is
# normal with public numbers; numeric predictors are taken as they are.
fit_laplace <- function(formula, data, privacy_weights = NULL,
                        intercept = c(0, 20), slope = c(0, 1), chains = 4,
                        warmup = 1000, draws = 1000, seed = NULL) {
  frame <- stats::model.frame(formula, data)
  y <- stats::model.response(frame)
  x <- stats::model.matrix(formula, frame)
  stopifnot(
    is.numeric(y), all(is.finite(y)), all(is.finite(x)),
    colnames(x)[1] == "(Intercept)"
  )
  alpha <- if (is.null(privacy_weights)) {
    rep(1, length(y))
  } else {
    as.numeric(privacy_weights)
  }
  n_slopes <- ncol(x) - 1
  fit <- sample_laplace_(
    x[, -1, drop = FALSE], y, alpha,
    location = c(intercept[1], rep(slope[1], n_slopes)),
    scale = c(intercept[2], rep(slope[2], n_slopes)),
    chains, warmup, draws, seed_words(seed)
  )
  colnames(fit$draws) <- c(colnames(x), "scale")
  fit$rhat <- apply(fit$draws, 2, function(column) {
    posterior::rhat(matrix(column, ncol = chains))
  })
  stopifnot(all(fit$rhat < 1.05))
  fit$x <- x[, -1, drop = FALSE]
  fit
}

# One synthetic response, from a draw chosen at random.
synthesize_laplace <- function(fit, seed = NULL) {
  row <- sample.int(nrow(fit$draws), 1)
  simulate_laplace_(fit$x, fit$draws[row, ], seed_words(seed))
}

# Two 32-bit words, as the core takes a seed.
seed_words <- function(seed) {
  if (is.null(seed)) {
    # Not for release: R's generator is seeded by time and process alone.
    seed <- floor(stats::runif(1) * 2^53)
  }
  c(floor(seed / 2^32), seed %% 2^32)
}
