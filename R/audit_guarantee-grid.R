# The grid of an exact audit: fine where the posteriors are, which independent
# draws of the core tell, and refused where it does not resolve them. Internal.

problem_grid <- function(problem, draws, n) {
  parameters <- problem$parameters
  axes <- grid_axes(parameters, draws, n)
  complete_grid(problem, fill_grid(tensor_grid(axes), parameters, problem$spec))
}

grid_axes <- function(parameters, draws, n) {
  lapply(seq_len(parameters$dimension), function(j) {
    axis_points(
      lapply(draws, function(z) z[, j]), parameters$range[, j],
      parameters$start[j], n
    )
  })
}

complete_grid <- function(problem, grid) {
  grid[c("spec", "data")] <- problem[c("spec", "data")]
  # The file's unweighted posterior: neighbours differ by one or two terms
  grid$file_counts <- problem$counts
  unweighted <- plain_rule(grid, 1)
  grid$file_unweighted <- grid_posterior(grid, problem$counts, unweighted)
  grid
}

#' The grid of an audit
#'
#' Fine where every posterior is that the mechanism meets on the file: those
#' that its weights are made from, then its own.
#' @noRd
locate_grid <- function(problem, mechanism, cells) {
  d <- problem$parameters$dimension
  several <- problem$spec$n_columns > 1
  places <- if (several) independent_places else searched_places
  find <- function(counts, rule) {
    list(counts = counts, rule = rule, z = places(problem, counts, rule))
  }
  plain <- plain_rule(list(f = matrix(0, 1, problem$n_types)), 1)
  found <- list()
  if (mechanism$from_file) found$file <- find(problem$counts, plain)
  grid <- problem_grid(problem, lapply(found, `[[`, "z"), coarse_points[d])
  mechanism <- settled(mechanism, problem, grid)
  if (!is.null(mechanism$first)) {
    found$first <- find(problem$counts, first_rule(problem, grid, mechanism))
  }
  found$own <- find(problem$counts, database_rule(problem, grid, mechanism, 0))
  grid <- problem_grid(
    problem, lapply(found, `[[`, "z"), 2 * floor(cells^(1 / d) / 2) + 1
  )
  half <- halve_grid(grid)
  for (one in found) check_resolved(grid, half, one)
  grid
}

coarse_points <- c(801, 101, 31)

# The largest distance between twice 2,000 draws of one law is .06.
n_places <- 4000L
max_distance <- 0.1

#' Draws of the sampler that censored models of few parameters are fitted with
#'
#' It starts from draws of the prior: two runs must agree.
#' @noRd
independent_places <- function(problem, counts, rule) {
  of <- rep(seq_along(counts), counts)
  spec <- spec_of_records(
    problem$spec, take_records(records_of_spec(problem$spec), of)
  )
  spec$alpha <- rule$alpha[of]
  if (is.finite(rule$upper) || is.finite(rule$lower)) {
    spec$censor <- list(
      lower = rule$lower, upper = rule$upper, centre = rule$centre[of]
    )
  }
  control <- unclass(sampler_control("grid", progress = FALSE))
  control[c("thin", "adapt_delta")] <- list(1L, 0.8)
  p <- spec$n_columns
  runs <- lapply(1:2, function(run) {
    result <- call_core(
      sample_posterior_(spec, c(control, list(
        chains = 1L, warmup = 1L, draws = n_places / 2L, threads = 1L,
        seed = stream_seed_(0, "audit", run)
      )))
    )
    check_that_resolved(result$sampler$grid[["unresolved"]] <= 0.05)
    z <- unname(result$draws)
    if (ncol(z) > p) z[, p + 1] <- log(z[, p + 1] - extra_floor(spec))
    z
  })
  for (j in seq_len(ncol(runs[[1]]))) {
    at <- runs[[1]][, j]
    apart <- stats::ecdf(at)(at) - stats::ecdf(runs[[2]][, j])(at)
    check_that_resolved(max(abs(apart)) <= max_distance)
  }
  do.call(rbind, runs)
}

#' Zooming in, from a grid that is fine around the values of clones
#'
#' Censored records are as likely as they can be near their own value, with the
#' more certainty the smaller the scale: plateaus that may be very narrow
#' beside the range, and hold all of the mass.
#' @noRd
searched_places <- function(problem, counts, rule) {
  parameters <- problem$parameters
  used <- which(counts > 0)
  spec <- subset_spec(problem$spec, used)
  of_used <- rule
  of_used[c("alpha", "centre")] <- lapply(rule[c("alpha", "centre")], `[`, used)
  n <- coarse_points[parameters$dimension]
  axes <- grid_axes(parameters, list(), n)
  axes[[1]] <- sort(unique(c(axes[[1]], points_near_clones(problem, counts))))
  z <- list()
  for (pass in 1:5) {
    grid <- fill_grid(tensor_grid(axes), parameters, spec)
    z[[pass]] <- places_on_grid(
      grid, grid_posterior(grid, counts[used], of_used)
    )
    axes <- grid_axes(parameters, z[seq(max(1, pass - 1), pass)], n)
  }
  z[[length(z)]]
}

#' @return (numeric) Within the range of the intercept.
#' @noRd
points_near_clones <- function(problem, counts) {
  y <- problem$spec$y
  value <- switch(problem$spec$family,
    gaussian = , student_t = y,
    beta = stats::qlogis(y),
    poisson = , neg_binomial = log(y + 0.5),
    numeric(length(y))
  ) - (problem$spec$offset %||% 0)
  most <- utils::head(order(-counts), 10)
  most <- most[counts[most] > 0]
  step <- exp(seq(log(1e-4), log(10), length.out = 12))
  range <- problem$parameters$range[, 1]
  near <- as.vector(outer(value[most], c(0, -step, step), `+`))
  near[near > range[1] & near < range[2]]
}

log_normalized <- function(x) x - log_sum(x)

#' Points in cells as often as these have mass
#' @noRd
places_on_grid <- function(grid, x) {
  share <- cumsum(exp(log_normalized(x)))
  at <- findInterval((seq_len(n_places) - 0.5) / n_places, share) + 1L
  at <- pmin(at, length(x))
  vapply(seq_along(grid$axes), function(j) {
    edges <- cell_edges(grid$axes[[j]])
    i <- grid$index[at, j]
    u <- uniforms_(n_places, seed_words(0, "audit"), j)
    edges[i] + u * (edges[i + 1] - edges[i])
  }, numeric(n_places))
}

#' Distribution functions of the parameters
#' @return (list of functions)
#' @noRd
grid_marginals <- function(grid, one) {
  x <- grid_posterior(grid, one$counts, one$rule)
  mass <- exp(log_normalized(x))
  lapply(seq_along(grid$axes), function(j) {
    stats::approxfun(
      cell_edges(grid$axes[[j]]),
      c(0, cumsum(rowsum(mass, grid$index[, j])[, 1])),
      rule = 2, ties = "ordered"
    )
  })
}

#' A cell reaches halfway to the next points
#' @noRd
cell_edges <- function(z) {
  n <- length(z)
  c(z[1], z[-n] + diff(z) / 2, z[n])
}

#' Are a posterior's marginals the same on a grid of twice the step?
#' @noRd
check_resolved <- function(grid, half, one) {
  fine <- grid_marginals(grid, one)
  coarse <- grid_marginals(half, one)
  distance <- vapply(seq_along(fine), function(j) {
    z <- cell_edges(half$axes[[j]])
    max(abs(fine[[j]](z) - coarse[[j]](z)))
  }, 0)
  # Do the ends of the range cut off a share of the posterior? Without a clip
  # the posterior of clones has no end that a range could hold
  at_ends <- vapply(seq_along(fine), function(j) {
    edges <- cell_edges(grid$axes[[j]])
    share <- fine[[j]](edges[c(2, length(edges) - 1)])
    max(share[1], 1 - share[2])
  }, 0)
  check_that_resolved(
    max(distance) <= max_distance,
    max(at_ends) <= 0.01 || !is.finite(one$rule$lower)
  )
}

check_that_resolved <- function(...) {
  refuse_if(
    !all(...), "The audit's grid does not resolve a posterior.",
    x = "It lies beyond the grid's range, or is too narrow for its cells.",
    i = "Ask for more {.arg cells}, or state a wider {.arg range}.",
    abort = abort_sampler
  )
}
