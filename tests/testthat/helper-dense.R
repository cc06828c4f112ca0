# A posterior of two or three parameters on a dense tensor grid around draws of
# it: slow, simple, and apart from every sampler.
dense_posterior <- function(fit, cells = 640000, stretch = 1.3) {
  spec <- fit$spec
  parameters <- grid_parameters(spec)
  z <- unconstrained_draws(fit)
  middle <- colMeans(z)
  ends <- apply(z, 2, range)
  low <- middle + stretch * (ends[1, ] - middle)
  high <- middle + stretch * (ends[2, ] - middle)
  n <- floor(cells^(1 / ncol(z)))
  axes <- lapply(seq_len(ncol(z)), function(j) {
    seq(low[j], high[j], length.out = n)
  })
  points <- unname(as.matrix(expand.grid(axes)))
  blocks <- split(seq_len(nrow(points)), (seq_len(nrow(points)) - 1) %/% 40000)
  value <- unlist(lapply(blocks, function(rows) {
    grid <- fill_grid(
      list(z = points[rows, , drop = FALSE], log_volume = 0), parameters, spec
    )
    grid_posterior(grid, rep(1, length(spec$y)), list(
      alpha = spec$alpha, centre = spec$censor$centre,
      lower = spec$censor$lower, upper = spec$censor$upper
    ))
  }), use.names = FALSE)
  mass <- exp(value - max(value))
  list(points = points, mass = mass / sum(mass), axes = axes)
}

# As grid_parameters() has them: the extra parameter on the log scale.
unconstrained_draws <- function(fit) {
  z <- unname(fit$draws)
  p <- fit$spec$n_columns
  if (ncol(z) > p) {
    floor <- if (identical(extra_parameter(fit$spec), "precision")) 0.1 else 0
    z[, p + 1] <- log(z[, p + 1] - floor)
  }
  z
}

# The largest Kolmogorov distance of a parameter's draws.
distance_to_dense <- function(fit, posterior) {
  z <- unconstrained_draws(fit)
  max(vapply(seq_len(ncol(z)), function(j) {
    axis <- posterior$axes[[j]]
    at <- match(posterior$points[, j], axis)
    share <- cumsum(as.vector(tapply(posterior$mass, at, sum)))
    # A cell's mass lies around its point
    edge <- axis + (axis[2] - axis[1]) / 2
    sorted <- sort(z[, j])
    expected <- stats::approx(edge, share, sorted, yleft = 0, yright = 1)$y
    max(abs(expected - (seq_along(sorted) - 0.5) / length(sorted)))
  }, 1))
}
