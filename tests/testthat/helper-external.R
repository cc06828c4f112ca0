# A regression sampled outside the package: conjugate draws of b and sigma under
# a flat prior, each record's likelihood raised to its weight.
outside_data <- function(n = 60) {
  withr::with_seed(21, {
    x <- rnorm(n)
    data.frame(x = x, y = 1 + 0.5 * x + rnorm(n) + c(3, rep(0, n - 1)))
  })
}

outside_draws <- function(alpha, data = outside_data(), n_draws = 1000,
                          seed = 5) {
  x <- cbind(1, data$x)
  withr::with_seed(seed, {
    information <- crossprod(x, alpha * x)
    centre <- solve(information, crossprod(x, alpha * data$y))
    rest <- sum(alpha * (data$y - x %*% centre)^2)
    # Weights of few records leave no degree of freedom
    sigma <- sqrt(rest / rchisq(n_draws, max(sum(alpha) - 2, 1)))
    b <- backsolve(chol(information), matrix(rnorm(2 * n_draws), 2))
    cbind(t(as.vector(centre) + b * rep(sigma, each = 2)), sigma)
  })
}

outside_log_lik <- function(data_i, draws) {
  dnorm(
    data_i$y, draws[, 1] + draws[, 2] * data_i$x, draws[, 3],
    log = TRUE
  )
}

outside_matrix <- function(draws, data = outside_data()) {
  vapply(seq_len(nrow(data)), function(i) {
    outside_log_lik(data[i, ], draws)
  }, numeric(nrow(draws)))
}

matrix_fit <- function(...) {
  refit <- function(alpha) outside_matrix(outside_draws(alpha))
  external_fit(refit(rep(1, 60)), refit = refit, unit = "y", ...)
}

function_fit <- function(...) {
  external_fit(
    outside_log_lik, function(alpha) outside_draws(alpha),
    data = outside_data(), draws = outside_draws(rep(1, 60)), unit = "y", ...
  )
}

# Fits of rstan as tests/testthat/stan/make-fits.R has stored them: `records`,
# `weights`, and the fits `unweighted`, `weighted`, `again` (the same weights,
# another seed) and `half` (weights 1 and 0).
stored_stan <- function() {
  package <- "rstan"
  testthat::skip_if_not_installed(package)
  if (is.null(stan_kept$fits)) {
    suppressPackageStartupMessages(loadNamespace(package))
    stan_kept$fits <- readRDS(testthat::test_path("stan", "fits.rds"))
  }
  stan_kept$fits
}

stan_kept <- new.env()

#' The stored fit of some weights, in turn if there are several
stored_refit <- function(...) {
  stored <- stored_stan()
  turn <- 0
  function(alpha) {
    if (all(alpha == 1)) {
      return(stored$unweighted)
    }
    if (isTRUE(all.equal(alpha, rep(1:0, each = 6)))) {
      return(stored$half)
    }
    turn <<- turn + 1
    if (turn %% 2 == 1) stored$weighted else stored$again
  }
}

stan_model_of <- function(..., refit = stored_refit(), x = NULL) {
  external_fit(x %||% stored_stan()$unweighted, refit, ...)
}

#' A model fitted elsewhere from fit to sets: log income by age and sex
outside_file <- function(n = 120) {
  withr::with_seed(4, {
    age <- round(runif(n, 18, 80))
    sex <- factor(sample(c("f", "m"), n, TRUE))
    noise <- rnorm(n)
    data.frame(
      age = age, sex = sex,
      income = round(exp(9 + 0.02 * age + 0.2 * (sex == "m") + 0.5 * noise))
    )
  })
}

outside_columns <- function(data) {
  data.frame(x = data$age / 50, y = log(data$income))
}

outside_values <- function(fit, data) {
  own <- outside_columns(data)
  mean <- fit[, 1] + outer(fit[, 2], own$x)
  matrix(
    dnorm(rep(own$y, each = nrow(fit)), mean, fit[, 3], log = TRUE), nrow(fit)
  )
}

# Of R's own stream, which a refit meets anew
random_seed <- function() sample.int(.Machine$integer.max, 1)

outside_refit <- function(alpha, data = outside_file()) {
  # Halves of chains that agree: by chance one refit in forty would not converge
  draws <- outside_draws(alpha, outside_columns(data), 200, random_seed())
  draws[rep(seq_len(200), 4), ]
}

outside_predict <- function(fit, draws, data) {
  mean <- fit[draws, 1] + outer(fit[draws, 2], data$age / 50)
  mean + rnorm(length(mean)) * fit[draws, 3]
}

outside_model <- function(refit = outside_refit, data = outside_file(), ...,
                          predict = outside_predict) {
  external_fit(
    withr::with_seed(1, outside_refit(rep(1, nrow(data)), data)), refit,
    log_lik = outside_values, data = data, formula = log(income) ~ age + sex,
    predict = predict, chains = 2, ...
  )
}
