# Small models on a grid, for exact audits.
#
# A record type is a distinct pair of predictors and modelled response, and a
# database a vector of counts over the types, so that clones cost nothing. All
# integrals are sums over the cells of a tensor grid in the unconstrained
# parameters, fine where posteriors have their mass and wide enough that the
# tails of the parameter space are seen as well.

#' Record types of a specification
#'
#' @param specs (list of specs) The same model with other records: the file,
#'   a reference, replacement records.
#' @return (list) `spec`: a specification whose records are the distinct types;
#'   `type`: for each of `specs` the type of every record; `first`: a record of
#'   each type, counted over all `specs`.
#' @noRd
record_types <- function(specs) {
  # A type is of the record alone: neither weighted nor clipped
  files <- lapply(specs, function(spec) {
    records <- records_of_spec(spec)
    records$alpha[] <- 1
    records$centre <- NULL
    records
  })
  records <- join_records(files)
  rows <- cbind(records$codes, records$numeric, records$y)
  key <- apply(format(rows, digits = 17, trim = TRUE), 1, paste,
    collapse = " "
  )
  first <- which(!duplicated(key))
  type <- match(key, key[first])
  n <- lengths(lapply(files, `[[`, "y"))
  list(
    spec = spec_of_records(specs[[1]], take_records(records, first)),
    first = first,
    type = unname(split(type, factor(rep(seq_along(n), n), seq_along(n))))
  )
}

#' Parameters of a specification on the unconstrained scale
#'
#' @return (list) `names`; `dimension`; `draws(z)`: constrained draws in the
#'   core's layout; `log_prior(z)`: log density of the prior with the Jacobian;
#'   `range`: 2 x dimension, the part of the parameter space that is looked at;
#'   `start`: where to look for posteriors first.
#' @noRd
grid_parameters <- function(spec, range = NULL) {
  p <- spec$n_columns
  extra <- extra_parameter(spec)
  names <- c(sprintf("b[%d]", seq_len(p)), extra)
  has_extra <- length(extra) > 0
  floor <- if (identical(extra, "precision")) 0.1 else 0
  draws <- function(z) {
    if (has_extra) {
      z[, p + 1] <- floor + exp(z[, p + 1])
    }
    z
  }
  log_prior <- function(z) {
    value <- coefficient_log_prior(spec$prior, z[, seq_len(p), drop = FALSE])
    if (has_extra) value + extra_log_prior(extra, z[, p + 1]) else value
  }
  range <- range %||% grid_range(spec, extra)
  start <- colMeans(range)
  if (has_extra) {
    start[p + 1] <- switch(extra, sigma = range[1, p + 1] + 11, 1)
  }
  list(
    names = names, dimension = length(names), draws = draws,
    log_prior = log_prior, range = range, start = start
  )
}

#' The name of the parameter beside the coefficients, if any
#' @noRd
extra_parameter <- function(spec) {
  switch(spec$family,
    gaussian = , student_t = "sigma", neg_binomial = "size",
    beta = "precision", character()
  )
}

coefficient_log_prior <- function(prior, b) {
  switch(prior$kind,
    normal = {
      value <- numeric(nrow(b))
      for (j in seq_len(ncol(b))) {
        value <- value + stats::dnorm(
          b[, j], prior$location[j], prior$scale[j],
          log = TRUE
        )
      }
      value
    },
    beta_mean = {
      log_p <- stats::plogis(b[, 1], log.p = TRUE)
      log_q <- stats::plogis(-b[, 1], log.p = TRUE)
      prior$shape1 * log_p + prior$shape2 * log_q -
        lbeta(prior$shape1, prior$shape2)
    },
    hierarchical = hierarchical_log_prior(prior, b)
  )
}

#' b ~ N(0, tau^2), tau ~ half-t(df, 0, scale), with tau integrated out
#' @noRd
hierarchical_log_prior <- function(prior, b) {
  if (ncol(b) > 1) {
    abort_input(
      c(
        "An exact audit of {.fn prior_hierarchical} needs a model with an
         intercept only.",
        i = "State {.fn prior_normal}."
      ),
      arg = "x"
    )
  }
  t <- seq(-12, 12, length.out = 1201)
  log_weight <- stats::dt(exp(t), prior$df, log = TRUE) + t +
    log(2 * (t[2] - t[1]))
  tau <- prior$scale * exp(t)
  values <- sort(unique(b[, 1]))
  at <- vapply(values, function(value) {
    log_sum(log_weight + stats::dnorm(value, 0, tau, log = TRUE))
  }, 1)
  at[match(b[, 1], values)]
}

extra_log_prior <- function(extra, z) {
  switch(extra,
    # half-t(3, 0, 1) on sigma
    sigma = log(2) + stats::dt(exp(z), 3, log = TRUE) + z,
    # half-Cauchy(0, 5) on 1 / size
    size = log(2) + stats::dcauchy(exp(-z), 0, 5, log = TRUE) - z,
    # Pareto(0.1, 1.5) on precision
    precision = log(1.5) + 1.5 * log(0.1) - 2.5 * log(0.1 + exp(z)) + z
  )
}

#' How far out the parameter space is looked at, unconstrained scale
#'
#' Ten data ranges and further to both sides for locations, six and more powers
#' of ten for scales: where the clip of every mechanism at a usual epsilon has
#' set in.
#' @noRd
grid_range <- function(spec, extra) {
  p <- spec$n_columns
  extra <- if (length(extra) > 0) extra else "none"
  linear <- spec$family %in% c("gaussian", "student_t")
  if (linear) {
    spread <- max(diff(base::range(spec$y)), 1e-3 * (1 + abs(spec$y[1])))
    middle <- mean(base::range(spec$y))
    b <- matrix(c(-100, 100) * spread, 2, p)
    if (spec$intercept) b[, 1] <- middle + b[, 1]
  } else {
    b <- matrix(c(-15, 15), 2, p)
  }
  cbind(b, switch(extra,
    sigma = log(spread) + c(-12, 8),
    size = c(-12, 12),
    precision = c(-9, log(1e6)),
    NULL
  ))
}

# Grids ----------------------------------------------------------------------

#' A grid over the whole range that is fine around a point
#'
#' On each axis z = centre + width sinh(t) with t equally spaced: steps of
#' `width` times the step of t near the centre, growing in proportion to the
#' distance from it. Sums with the cells' volumes are the trapezoidal rule in t.
#' @param centre,width (numeric, dimension) Where it is fine, how far.
#' @param n (counts, dimension) Points on each axis.
#' @return (list) `z` (G x dimension), `log_volume` (G), `index` (G x
#'   dimension: which point of each axis).
#' @noRd
sinh_grid <- function(centre, width, range, n) {
  axes <- lapply(seq_along(centre), function(j) {
    ends <- asinh((range[, j] - centre[j]) / width[j])
    t <- seq(ends[1], ends[2], length.out = n[j])
    list(
      z = centre[j] + width[j] * sinh(t),
      log_step = log(width[j] * cosh(t) * (t[2] - t[1]))
    )
  })
  index <- as.matrix(expand.grid(lapply(n, seq_len)))
  pick <- function(part) {
    vapply(seq_along(axes), function(j) {
      axes[[j]][[part]][index[, j]]
    }, numeric(nrow(index)))
  }
  list(
    z = pick("z"), log_volume = rowSums(pick("log_step")),
    index = unname(index)
  )
}

#' Log masses of the prior and log densities of all types on a grid
#' @return (list) The grid with `f` (G x V), `log_prior` (G, volumes included).
#' @noRd
fill_grid <- function(grid, parameters, spec) {
  draws <- parameters$draws(grid$z)
  grid$log_prior <- parameters$log_prior(grid$z) + grid$log_volume
  grid$f <- grid_log_lik(spec, draws)
  if (anyNA(grid$f)) {
    abort_sampler(
      "A log density is not a number somewhere on the grid.",
      call = rlang::caller_env()
    )
  }
  grid
}

#' Log densities by the package's own core
#' @return (matrix, G x V)
#' @noRd
grid_log_lik <- function(spec, draws) {
  log_lik_(spec, draws)
}

#' Every second point of each axis: the same grid with twice the step
#' @noRd
halve_grid <- function(grid) {
  keep <- rowSums(grid$index %% 2 == 0) == 0
  half <- list(
    z = grid$z[keep, , drop = FALSE],
    log_volume = grid$log_volume[keep], log_prior = grid$log_prior[keep],
    f = grid$f[keep, , drop = FALSE],
    index = (grid$index[keep, , drop = FALSE] + 1) / 2
  )
  # Each cell stands for 2^dimension cells: a constant, which cancels
  half
}

# Posteriors -----------------------------------------------------------------

#' Share of the posterior mass that S = 4,000 draws see
#' @noRd
bulk_mass <- 1 - 1 / 4000

grid_posterior <- function(grid, counts, rule) {
  grid_sum_(
    grid$f, grid$log_prior, counts, rule$alpha, rule$centre, rule$lower,
    rule$upper
  )
}

#' The posterior after some counts have changed, the rule being the same
#' @noRd
grid_change <- function(grid, posterior, change, rule) {
  grid_sum_(
    grid$f, posterior, change, rule$alpha, rule$centre, rule$lower, rule$upper
  )
}

grid_bulk <- function(grid, posterior) {
  grid_bulk_(posterior, grid$log_volume, bulk_mass)
}

#' Record Lipschitz bounds over the bulk of a posterior: what a maximum over
#' 4,000 draws becomes without chance
#' @return (numeric, V)
#' @noRd
grid_bounds <- function(grid, rule, cells) {
  ends <- grid_extremes_(
    grid$f, rule$alpha, rule$centre, rule$lower, rule$upper, cells
  )
  pmax(abs(ends$min), abs(ends$max))
}

plain_rule <- function(grid, alpha, lower = -Inf, upper = Inf, centre = 0) {
  v <- ncol(grid$f)
  list(
    alpha = rep_len(as.double(alpha), v),
    centre = rep_len(as.double(centre), v), lower = lower, upper = upper
  )
}

unweighted_posterior <- function(grid, counts) {
  grid_change(
    grid, grid$file_unweighted, counts - grid$file_counts, plain_rule(grid, 1)
  )
}

#' Record bounds of a weighted posterior of a database
#' @return (numeric, V)
#' @noRd
database_bounds <- function(grid, counts, alpha) {
  rule <- plain_rule(grid, alpha)
  posterior <- grid_posterior(grid, counts, rule)
  grid_bounds(grid, rule, grid_bulk(grid, posterior))
}

#' max_s |alpha f(theta_s)| of records at the draws that a rule keeps
#'
#' From the whole matrix of log densities, a block of records at a time: not by
#' the streaming kernel that the rule itself uses.
#' @return (numeric, one per record)
#' @noRd
dense_bound <- function(model, data, alpha = 1, call) {
  size <- max(1, floor(2e7 / max(1, NROW(model$draws))))
  n <- nrow(data)
  blocks <- split(seq_len(n), (seq_len(n) - 1) %/% size)
  largest <- lapply(blocks, function(rows) {
    f <- dense_log_lik(model, data[rows, , drop = FALSE], call)
    f[!is.finite(f)] <- Inf
    apply(abs(f), 2, max)
  })
  bound <- alpha * unlist(largest, use.names = FALSE)
  # What takes no part is not bounded by what its density does
  bound[rep_len(alpha, n) == 0] <- 0
  bound
}

dense_log_lik <- function(model, data, call) {
  if (is.function(model$f)) {
    columns <- lapply(seq_len(nrow(data)), function(i) {
      model$f(data[i, , drop = FALSE], model$draws)
    })
    return(do.call(cbind, columns))
  }
  log_lik_(record_spec(model, data, call), model$draws)
}
