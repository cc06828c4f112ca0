# (a) One evaluation of the mixture's log pseudo posterior with its gradient,
# K = 10: rstan's grad_log_prob() against the package's.

gradient_targets <- c(15, 25)

bench_gradient <- function(K = 10, rounds = 11) {
  model <- compiled_model("normal_mixture")
  data <- list(ce_october(), ce_all_months())
  rows <- lapply(seq_along(data), function(i) {
    gradient_row(model, data[[i]], K, gradient_targets[i], rounds)
  })
  keep_table(do.call(rbind, rows), "gradient")
}

gradient_row <- function(model, data, K, target, rounds) {
  set.seed(20)
  alpha <- random_weights(nrow(data))
  spec <- package_spec(data, pseudosynth::normal_mixture(K), alpha = alpha)
  ours <- pseudosynth.hooks::model_(spec)
  theirs <- stan_target(model, mixture_data(data, spec))
  points <- lapply(1:8, function(i) random_point(theirs, spec))
  difference <- compare_mixture(theirs, ours, spec, points)

  at <- function(i) points[[(i - 1) %% length(points) + 1]]
  mapped <- lapply(points, function(u) package_point(theirs, spec, u))
  at_mapped <- function(i) mapped[[(i - 1) %% length(mapped) + 1]]
  times <- time_alternating(list(
    stan = function(i) rstan::grad_log_prob(theirs, at(i)),
    stan_value = function(i) rstan::log_prob(theirs, at(i)),
    package = function(i) pseudosynth.hooks::model_evaluate_(ours, at_mapped(i))
  ), rounds = rounds)
  ratio <- times[, "stan"] / times[, "package"]
  ms <- 1000 * apply(times, 2, stats::median)
  data.frame(
    n = nrow(data), rows = nrow(unique(data[nine_predictors])), K = K,
    parameters = length(points[[1]]), stan_ms = ms[["stan"]],
    stan_value_ms = ms[["stan_value"]],
    stan_leapfrog_ms = 1000 * leapfrog_seconds(model, data, spec),
    package_ms = ms[["package"]], ratio = stats::median(ratio),
    ratio_low = min(ratio), ratio_high = max(ratio), target = target,
    verdict = verdict(stats::median(ratio), target), difference
  )
}

mixture_data <- function(data, spec) {
  c(stan_records(data, spec$alpha), list(
    K = spec$K, sigma_floor = spec$sigma_floor,
    location = spec$prior$location, m_scale = spec$prior$m_scale,
    tau_df = spec$prior$df, tau_scale = spec$prior$scale
  ))
}

#' Processor seconds per leapfrog of Stan's own sampler: trajectories at a tiny
#' fixed step, so that every draw takes the same number of steps.
leapfrog_seconds <- function(model, data, spec) {
  n_draws <- if (nrow(data) > 10000) 3 else 20
  input <- mixture_data(data, spec)
  started <- processor_seconds()
  fit <- suppressWarnings(rstan::sampling(
    model, input,
    chains = 1, warmup = 0, iter = n_draws, seed = 5, init = 0.1, refresh = 0,
    pars = "gamma", save_warmup = FALSE,
    control = list(adapt_engaged = FALSE, stepsize = 1e-5, max_treedepth = 6)
  ))
  seconds <- processor_seconds() - started
  steps <- rstan::get_sampler_params(fit, inc_warmup = FALSE)[[1]]
  seconds / sum(steps[, "n_leapfrog__"])
}

# ---- the same function of the same parameters? ------------------------------

#' A random point of Stan's unconstrained space, near sensible values.
random_point <- function(target, spec) {
  P <- spec$n_columns
  K <- spec$K
  b <- matrix(stats::rnorm(P * K, 0, 0.3), P)
  b[1, ] <- b[1, ] + stats::rnorm(K, 10.5, 0.5)
  m <- rowMeans(b) + stats::rnorm(P, 0, 0.1)
  weights <- stats::rexp(K)
  rstan::unconstrain_pars(target, list(
    b = b, m = m, tau = exp(stats::rnorm(P, -1.5, 0.5)),
    pi = weights / sum(weights), gamma = stats::rexp(1) + 0.1,
    sigma = spec$sigma_floor + stats::rexp(K) + 0.01
  ))
}

#' The same point in the package's unconstrained space (layout in
#' inst/include/pseudosynth/mixture_posterior.hpp). The two differ in order and
#' in how they break a simplex.
package_point <- function(target, spec, u) {
  p <- rstan::constrain_pars(target, u)
  c(
    as.vector(t(p$b)), p$m, log(p$tau), stick_from_simplex(p$pi),
    log(p$gamma), log(p$sigma - spec$sigma_floor)
  )
}

stick_from_simplex <- function(pi) {
  K <- length(pi)
  rest <- rev(cumsum(rev(pi)))[-1]
  log(pi[-K]) - log(rest) + log(seq(K - 1, 1))
}

simplex_from_stick <- function(u) {
  K <- length(u) + 1
  z <- stats::plogis(u - log(seq(K - 1, 1)))
  c(z, 1) * c(1, cumprod(1 - z))
}

#' log |J| of the stick-breaking transform.
stick_log_jacobian <- function(u) {
  K <- length(u) + 1
  v <- u - log(seq(K - 1, 1))
  sum(log(simplex_from_stick(u)[-K]) + stats::plogis(-v, log.p = TRUE))
}

#' Compare log densities (up to a constant) and gradients, all Jacobians taken
#' out, at random points. Stops unless they agree.
compare_mixture <- function(target, ours, spec, points) {
  P <- spec$n_columns
  K <- spec$K
  at_b <- seq_len(P * K)
  at_stick <- P * K + 2 * P + seq_len(K - 1)
  at_logs <- c(
    P * K + P + seq_len(P), P * K + 2 * P + K, P * K + 2 * P + K + seq_len(K)
  )
  order_b <- as.vector(t(matrix(at_b, P)))
  results <- lapply(points, function(u) {
    theta <- package_point(target, spec, u)
    theirs <- rstan::grad_log_prob(target, u, adjust_transform = FALSE)
    mine <- pseudosynth.hooks::model_evaluate_(ours, theta)
    stick <- theta[at_stick]
    value <- mine$value - sum(theta[at_logs]) - stick_log_jacobian(stick)
    gradient <- mine$gradient
    gradient[at_logs] <- gradient[at_logs] - 1
    gradient[at_stick] <- gradient[at_stick] -
      central_jacobian(stick_log_jacobian, stick)[1, ]
    # From the package's stick to Stan's simplex coordinates
    to_stick <- function(v) {
      moved <- u
      moved[at_stick] <- v
      stick_from_simplex(rstan::constrain_pars(target, moved)$pi)
    }
    gradient[at_stick] <- as.vector(
      gradient[at_stick] %*% central_jacobian(to_stick, u[at_stick])
    )
    expected <- as.vector(theirs)
    expected[at_b] <- expected[order_b]
    list(
      value = value, difference = value - attr(theirs, "log_prob"),
      gradient = max(abs(gradient - expected) / pmax(1, abs(expected)))
    )
  })
  pick <- function(name) vapply(results, `[[`, 0, name)
  out <- data.frame(
    value_difference =
      diff(range(pick("difference"))) / max(abs(pick("value"))),
    gradient_difference = max(pick("gradient"))
  )
  if (!(out$value_difference < 1e-10 && out$gradient_difference < 1e-5)) {
    print(out)
    stop("The two programs do not compute the same function.")
  }
  out
}

central_jacobian <- function(f, x, h = 1e-4) {
  columns <- lapply(seq_along(x), function(j) {
    step <- replace(numeric(length(x)), j, h)
    # Fourth order: exact to about 1e-12
    (8 * (f(x + step) - f(x - step)) - (f(x + 2 * step) - f(x - 2 * step))) /
      (12 * h)
  })
  do.call(cbind, columns)
}
