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
  # A type is of the record alone: neither weighted nor censored
  files <- lapply(specs, function(spec) {
    records <- records_of_spec(spec)
    records$alpha[] <- 1
    records$centre <- NULL
    records
  })
  n <- lengths(lapply(files, `[[`, "y"))
  records <- join_records(files[n > 0])
  key <- keys_of_records(records)
  first <- which(!duplicated(key))
  type <- match(key, key[first])
  list(
    spec = spec_of_records(specs[[1]], take_records(records, first)),
    first = first,
    type = unname(split(type, factor(rep(seq_along(n), n), seq_along(n))))
  )
}

#' Which records are equal in all that a model knows of them
#' @param records See [records_of_spec()].
#' @return (character) A text for each, the same for equal ones.
#' @noRd
keys_of_records <- function(records) {
  codes <- array(as.integer(records$codes), dim(records$codes))
  rows <- cbind(
    codes, records$numeric, records$offset, records$survey, records$y
  )
  do.call(paste, unname(as.data.frame(format(rows, digits = 17, trim = TRUE))))
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
  floor <- extra_floor(spec)
  draws <- function(z) {
    if (has_extra) z[, p + 1] <- floor + exp(z[, p + 1])
    z
  }
  log_prior <- function(z) {
    value <- coefficient_log_prior(spec$prior, z[, seq_len(p), drop = FALSE])
    if (has_extra) value + extra_log_prior(extra, z[, p + 1]) else value
  }
  range <- range %||% grid_range(spec, extra)
  start <- colMeans(range)
  if (has_extra) start[p + 1] <- switch(extra, sigma = 0, 1)
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

#' Its lower end
#' @noRd
extra_floor <- function(spec) {
  if (identical(extra_parameter(spec), "precision")) 0.1 else 0
}

coefficient_log_prior <- function(prior, b) {
  switch(prior$kind,
    normal = Reduce(`+`, lapply(seq_len(ncol(b)), function(j) {
      stats::dnorm(b[, j], prior$location[j], prior$scale[j], log = TRUE)
    })),
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
  refuse_if(
    ncol(b) > 1,
    "With {.fn prior_hierarchical}, an exact audit needs a model without
     predictors.",
    i = "Use {.fn prior_normal}.", arg = "x"
  )
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
#' set in. And where the prior has its mass, of which a clip leaves a share.
#' @noRd
grid_range <- function(spec, extra) {
  p <- spec$n_columns
  if (length(extra) == 0) extra <- "none"
  offset <- spec$offset %||% 0
  if (spec$family %in% c("gaussian", "student_t")) {
    # What the coefficients are for
    y <- spec$y - offset
    spread <- max(diff(base::range(y)), 1e-3 * (1 + abs(y[1])))
    b <- matrix(c(-100, 100) * spread, 2, p)
    if (spec$intercept) b[, 1] <- mean(base::range(y)) + b[, 1]
  } else {
    b <- matrix(c(-15, 15), 2, p)
    if (spec$intercept) b[, 1] <- b[, 1] - base::range(offset)[2:1]
  }
  if (spec$prior$kind == "normal") {
    ends <- outer(c(-6, 6), spec$prior$scale) +
      rep(spec$prior$location, each = 2)
    b[] <- rbind(pmin(b[1, ], ends[1, ]), pmax(b[2, ], ends[2, ]))
  }
  cbind(b, switch(extra,
    # The prior's scale is 1
    sigma = c(min(log(spread), 0) - 12, max(log(spread), 0) + 8),
    size = c(-12, 12),
    precision = c(-9, log(1e6)),
    NULL
  ))
}

# Grids ----------------------------------------------------------------------

#' Points of an axis: fine where draws lie, and over the whole range
#'
#' Points are spread evenly over the values of an increasing function. Half of
#' it rises around quantiles of each posterior's draws, most at these and all
#' over the range, so that steps grow in proportion to the distance from where a
#' mode may end in a cliff. The rest rises with the number of draws and evenly
#' from the first to the last.
#' @param draws (list of numeric) One axis of the draws of each posterior.
#' @param start (number) Where to be fine without draws.
#' @param n (count)
#' @return (numeric, n) Increasing.
#' @noRd
axis_points <- function(draws, range, start, n) {
  rises <- unlist(lapply(draws, axis_rises, range), recursive = FALSE)
  if (length(rises) == 0) {
    rises <- list(sinh_rise(start, diff(range) / 100, range))
  }
  z <- sort(unique(unlist(lapply(rises, `[[`, "z"))))
  height <- numeric(length(z))
  for (rise in rises) height <- height + rise$share * rise$height(z)
  even <- seq(height[1], height[length(z)], length.out = n)
  stats::approx(height, z, even, rule = 2, ties = "ordered")$y
}

#' The increasing functions of one posterior's draws
#'
#' Each has some points `z`, a `height` from 0 to 1 and its share of the axis.
#' @noRd
axis_rises <- function(draws, range) {
  at <- stats::quantile(draws, seq(0, 1, 1 / 32), names = FALSE)
  gap <- pmax(diff(at), 1e-9 * diff(range))
  width <- pmin(c(gap[1], gap), c(gap, gap[32]))
  around <- lapply(seq_along(at), function(k) {
    sinh_rise(at[k], width[k], range, 0.5 / length(at))
  })
  line <- function(z, height) {
    rise <- function(x) {
      stats::approx(z, height, x, rule = 2, ties = "ordered")$y
    }
    list(z = z, height = rise, share = 0.25)
  }
  c(around, list(line(at, seq(0, 1, 1 / 32)), line(at[c(1, 33)], c(0, 1))))
}

#' t from 0 to 1 where z = centre + width sinh(a + b t) goes over a range
#' @noRd
sinh_rise <- function(centre, width, range, share = 1) {
  ends <- asinh((range - centre) / width)
  z <- centre + width * sinh(ends[1] + seq(0, 1, length.out = 33) * diff(ends))
  height <- function(z) {
    clamp((asinh((z - centre) / width) - ends[1]) / diff(ends), 0, 1)
  }
  list(z = clamp(z, range[1], range[2]), height = height, share = share)
}

#' A tensor grid of the points of each axis
#'
#' Sums with the cells' volumes are the trapezoidal rule.
#' @param axes (list of increasing numbers)
#' @return (list) `axes`; `z` (G x dimension); `log_volume` (G); `index` (G x
#'   dimension: which point of each axis).
#' @noRd
tensor_grid <- function(axes) {
  index <- unname(as.matrix(expand.grid(lapply(axes, seq_along))))
  pick <- function(parts) {
    picked <- Map(function(part, j) part[index[, j]], parts, seq_along(axes))
    matrix(unlist(picked), nrow(index))
  }
  log_steps <- lapply(axes, function(z) {
    n <- length(z)
    log((c(z[-1], z[n]) - c(z[1], z[-n])) / 2)
  })
  list(
    axes = axes, z = pick(axes), log_volume = rowSums(pick(log_steps)),
    index = index
  )
}

#' Log densities times survey weights
#'
#' A survey weight is a part of its record, as its response is: a type has its
#' own, and the mechanism sees the product.
#' @return (matrix, G x V)
#' @noRd
raised_log_lik <- function(spec, draws) {
  f <- log_lik_(spec, draws)
  if (!is.null(spec$survey)) {
    f <- sweep(f, 2, spec$survey, "*")
    f[, spec$survey == 0] <- 0
  }
  f
}

#' Log masses of the prior and log densities of all types on a grid
#' @return (list) The grid with `f` (G x V), `log_prior` (G, volumes included).
#' @noRd
fill_grid <- function(grid, parameters, spec) {
  grid$log_prior <- parameters$log_prior(grid$z) + grid$log_volume
  grid$f <- raised_log_lik(spec, parameters$draws(grid$z))
  refuse_if(
    anyNA(grid$f), "Every log density on the grid must be a number.",
    x = "At least one is not.",
    abort = abort_sampler
  )
  grid
}

#' Every second point of each axis: the same grid with twice the step
#' @noRd
halve_grid <- function(grid) {
  keep <- rowSums(grid$index %% 2 == 0) == 0
  half <- tensor_grid(lapply(grid$axes, `[`, c(TRUE, FALSE)))
  half$f <- grid$f[keep, , drop = FALSE]
  half$log_prior <- grid$log_prior[keep] - grid$log_volume[keep] +
    half$log_volume
  half
}

# Posteriors -----------------------------------------------------------------

#' Share of the posterior mass that S = 4,000 draws see
#' @noRd
bulk_mass <- 1 - 1 / 4000

grid_posterior <- function(grid, counts, rule) {
  grid_change(grid, grid$log_prior, counts, rule)
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

#' Lipschitz bounds of the types over some cells
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

# Fits -------------------------------------------------------------------------

#' A fit on a grid: its bounds are exact, and it has no draws
#'
#' @param file (list) `grid`; `counts` of the record types; `data` and `type` of
#'   the records; `model`; `raised`: what its survey weights are multiplied by,
#'   beside those of the grid.
#' @param weights,censor As in [fit_synthesizer()]. A censored fit has no bound.
#' @noRd
grid_fit <- function(file, weights = NULL, censor = NULL) {
  n <- length(file$type)
  weights <- as_privacy_weights(weights, n)
  if (!is.null(censor)) censor <- resolve_censor(censor, file$model$family)
  structure(
    list(
      file = file, privacy_weights = weights, censor = censor,
      bound = if (is.null(censor)) grid_bound(file, weights),
      spec = list(y = numeric(n)), log_lik = list(kind = "grid"),
      # Below every quantile of draws: none are left out
      converged = TRUE, quantile = 0, again = grid_fit_again
    ),
    class = c("grid_fit", "external_fit")
  )
}

# See update.external_fit()
grid_fit_again <- function(object, privacy_weights = NULL, censor = NULL, ...) {
  grid_fit(object$file, privacy_weights, censor)
}

#' Bounds over the bulk of a posterior: what maxima over 4,000 draws become
#' without chance
#' @return (`lipschitz_bound`)
#' @noRd
grid_bound <- function(file, weights) {
  grid <- file$grid
  alpha <- if (is.null(weights)) 1 else by_type(weights, file)
  rule <- plain_rule(grid, file$raised * alpha)
  posterior <- if (is.null(weights) && file$raised == 1) {
    grid_change(
      grid, grid$file_unweighted, file$counts - grid$file_counts, rule
    )
  } else {
    grid_posterior(grid, file$counts, rule)
  }
  record <- grid_bounds(grid, rule, grid_bulk(grid, posterior))[file$type]
  structure(
    list(
      overall = max(record), record = record, kept = TRUE, quantile = 1,
      weighted = !is.null(weights)
    ),
    class = "lipschitz_bound"
  )
}

#' Values of records as values of their types, 0 for types without a record
#' @noRd
by_type <- function(value, file) {
  value <- rep_len(as.double(value), length(file$type))
  of_type <- value[match(seq_along(file$counts), file$type)]
  refuse_if(
    any(abs(value - of_type[file$type]) > 1e-9),
    "An exact audit needs a mechanism that gives equal records equal weights.",
    arg = "mechanism"
  )
  of_type[is.na(of_type)] <- 0
  of_type
}
