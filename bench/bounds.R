# (c) Streaming bounds: nanoseconds per record and draw of one thread, against
# the S x N matrix in R, which must give the same bounds.

bounds_targets <- c(gaussian = 2, normal_mixture = 25)

bench_bounds <- function(K = 10, rounds = 7) {
  data <- ce_october()
  families <- list(
    gaussian = stats::gaussian(),
    normal_mixture = pseudosynth::normal_mixture(K)
  )
  rows <- lapply(names(families), function(name) {
    spec <- package_spec(data, families[[name]])
    bounds_row(name, spec, data, n_draws = 4000, n_naive = 200, rounds)
  })
  keep_table(do.call(rbind, rows), "bounds", packages = character())
}

bounds_row <- function(family, spec, data, n_draws, n_naive, rounds) {
  set.seed(30)
  draws <- plausible_draws(spec, data, n_draws)
  few <- draws[seq_len(n_naive), ]
  naive <- switch(family,
    gaussian = naive_gaussian, normal_mixture = naive_mixture
  )
  x <- stats::model.matrix(income_formula, data)
  streaming <- function(draws) {
    pseudosynth:::lipschitz_(spec, draws, 1L)
  }
  by_matrix <- function() {
    matrix_bounds(naive(few, x, spec$y, spec$K))
  }
  bounds <- by_matrix()
  ours <- unlist(streaming(few)[names(bounds)])
  bounds <- unlist(bounds)
  difference <- max(abs(ours - bounds) / pmax(1, bounds))
  if (!(difference <= 1e-12) || length(ours) != length(bounds)) {
    stop("Streaming and matrix bounds differ by ", format(difference))
  }
  times <- time_alternating(list(
    streaming = function(i) streaming(draws), naive = function(i) by_matrix()
  ), rounds = rounds)
  cells <- c(streaming = n_draws, naive = n_naive) * nrow(data)
  ns <- 1e9 * apply(times, 2, stats::median) / cells
  data.frame(
    family = family, n = nrow(data), draws = n_draws,
    streaming_ns = ns[["streaming"]],
    streaming_low = 1e9 * min(times[, "streaming"]) / cells[["streaming"]],
    target = bounds_targets[[family]],
    verdict = verdict(ns[["streaming"]], bounds_targets[[family]], FALSE),
    naive_draws = n_naive, naive_ns = ns[["naive"]],
    ratio = ns[["naive"]] / ns[["streaming"]],
    largest_difference = difference
  )
}

#' Draws scattered around least squares: the time does not depend on them.
plausible_draws <- function(spec, data, n) {
  x <- stats::model.matrix(income_formula, data)
  b <- stats::lm.fit(x, spec$y)$coefficients
  b[is.na(b)] <- 0 # a level that no record has
  around <- function(centre, sd) {
    matrix(stats::rnorm(n * length(centre), centre, sd), n, byrow = TRUE)
  }
  K <- spec$K
  if (spec$family == "gaussian") {
    return(cbind(around(b, 0.02), stats::runif(n, 0.8, 0.9)))
  }
  weights <- matrix(stats::rexp(n * K), n)
  cbind(
    around(rep(b, each = K), 0.2), weights / rowSums(weights),
    matrix(stats::runif(n * K, 0.4, 1.2), n)
  )
}

naive_gaussian <- function(draws, x, y, K) {
  P <- ncol(x)
  out <- matrix(0, nrow(draws), length(y))
  for (s in seq_len(nrow(draws))) {
    mean <- as.vector(x %*% draws[s, seq_len(P)])
    out[s, ] <- stats::dnorm(y, mean, draws[s, P + 1], log = TRUE)
  }
  out
}

naive_mixture <- function(draws, x, y, K) {
  P <- ncol(x)
  out <- matrix(0, nrow(draws), length(y))
  for (s in seq_len(nrow(draws))) {
    mean <- x %*% matrix(draws[s, seq_len(P * K)], P, byrow = TRUE)
    pi <- draws[s, P * K + seq_len(K)]
    sigma <- draws[s, P * K + K + seq_len(K)]
    term <- stats::dnorm(y, mean, rep(sigma, each = length(y)), log = TRUE) +
      rep(log(pi), each = length(y))
    highest <- term[cbind(seq_along(y), max.col(term, "first"))]
    out[s, ] <- highest + log(rowSums(exp(term - highest)))
  }
  out
}

matrix_bounds <- function(log_lik) {
  ends <- apply(log_lik, 2, range)
  list(
    record = apply(abs(log_lik), 2, max), oscillation = ends[2, ] - ends[1, ],
    draw = apply(abs(log_lik), 1, max)
  )
}
