# A posterior of two or three parameters on a dense tensor grid around draws of
# it: slow, simple, and apart from every sampler.
dense_posterior <- function(fit, cells = by_night(640000, 160000),
                            stretch = 1.3) {
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

# A posterior of an intercept and a scale whose mass lies around some values, on
# very different widths: finest at these values. `at` and `mass` of each.
posterior_around <- function(fit, values, scale) {
  spec <- fit$spec
  steps <- exp(seq(-10, log(6 * scale), length.out = 160))
  axes <- list(
    sort(unique(unlist(lapply(values, function(v) {
      c(v, v + steps, v - steps)
    })))),
    seq(-10, 13, by = 0.05)
  )
  width <- function(x) {
    diff(c(x[1], (x[-1] + x[-length(x)]) / 2, x[length(x)]))
  }
  points <- unname(as.matrix(expand.grid(axes)))
  volume <- as.vector(outer(log(width(axes[[1]])), log(width(axes[[2]])), `+`))
  blocks <- split(seq_len(nrow(points)), (seq_len(nrow(points)) - 1) %/% 40000)
  value <- unlist(lapply(blocks, function(rows) {
    grid <- fill_grid(
      list(z = points[rows, , drop = FALSE], log_volume = 0),
      grid_parameters(spec), spec
    )
    grid_posterior(grid, rep(1, length(spec$y)), list(
      alpha = spec$alpha, centre = spec$censor$centre,
      lower = spec$censor$lower, upper = spec$censor$upper
    ))
  }), use.names = FALSE) + volume
  mass <- matrix(exp(value - max(value)), length(axes[[1]]))
  list(
    list(at = axes[[1]], mass = rowSums(mass) / sum(mass)),
    list(at = axes[[2]], mass = colSums(mass) / sum(mass))
  )
}

# The largest Kolmogorov distance, up to half a cell of the grid.
distance_around <- function(fit, posterior) {
  z <- unconstrained_draws(fit)
  max(vapply(seq_len(ncol(z)), function(j) {
    share <- cumsum(posterior[[j]]$mass)
    found <- stats::ecdf(z[, j])(posterior[[j]]$at)
    max(pmin(abs(found - share), abs(found - share + posterior[[j]]$mass)))
  }, 1))
}
