# A clipped posterior of any number of parameters by a large population of
# points that goes from the prior to it in small steps: slow, and apart from
# every sampler of the package. All parameters are functions of independent
# standard normals, which makes any prior one to draw from.

# Parameters from standard normals (S x D), in the core's layout.
prior_transform <- function(spec) {
  p <- spec$n_columns
  prior <- spec$prior
  hierarchical <- prior$kind == "hierarchical"
  n_pairs <- p * (p - 1) / 2
  extra <- extra_parameter(spec)
  half_t <- function(v, df, scale) {
    # Both tails to full precision
    scale * stats::qt(
      stats::pnorm(v, lower.tail = FALSE, log.p = TRUE) - log(2), df,
      lower.tail = FALSE, log.p = TRUE
    )
  }
  coefficients <- function(v) {
    if (!hierarchical) {
      return(sweep(sweep(v, 2, prior$scale, `*`), 2, prior$location, `+`))
    }
    tau <- half_t(v[, p + seq_len(p), drop = FALSE], prior$df, prior$scale)
    b <- v[, seq_len(p), drop = FALSE]
    at <- 2 * p
    # The Cholesky factor of Omega row by row, from partial correlations
    for (i in seq_len(p)[-1]) {
      left <- 1
      row <- 0
      for (j in seq_len(i - 1)) {
        at <- at + 1
        shape <- prior$lkj + (p - 1 - j) / 2
        partial <- 2 * stats::qbeta(stats::pnorm(v[, at]), shape, shape) - 1
        row <- row + partial * sqrt(left) * v[, j]
        left <- left * (1 - partial^2)
      }
      b[, i] <- row + sqrt(left) * v[, i]
    }
    b * tau
  }
  n_coefficient <- if (hierarchical) 2 * p + n_pairs else p
  dimension <- n_coefficient + length(extra)
  is_coefficient <- seq_len(dimension) <= n_coefficient
  log_extras <- function(x) {
    if (length(extra) == 0) 0 else stats::dnorm(x[, p + 1], log = TRUE)
  }
  # Hyperparameters are left out of the state: b, then the extra parameter's
  # normal
  list(
    dimension = dimension,
    state = function(v) {
      b <- coefficients(v[, is_coefficient, drop = FALSE])
      cbind(b, v[, !is_coefficient, drop = FALSE])
    },
    draws = function(x) {
      if (length(extra) == 0) {
        return(x)
      }
      w <- x[, p + 1]
      log_tail <- stats::pnorm(w, lower.tail = FALSE, log.p = TRUE)
      cbind(x[, seq_len(p), drop = FALSE], switch(extra,
        sigma = half_t(w, 3, 1),
        # half-Cauchy(0, 5) on 1 / size
        size = 1 / half_t(-w, 1, 5),
        precision = 0.1 * exp(-log_tail / 1.5)
      ))
    },
    log_prior = function(x) {
      b <- x[, seq_len(p), drop = FALSE]
      log_extras(x) + if (hierarchical) {
        marginal_log_prior(b, function(n) {
          v <- matrix(stats::rnorm(n * dimension), n)
          lapply(seq_len(p), function(j) {
            # b for the j-th unit vector: a column of the factor of its
            # covariance
            v[, seq_len(p)] <- rep(diag(p)[j, ], each = n)
            coefficients(v[, is_coefficient, drop = FALSE])
          })
        })
      } else {
        rowSums(stats::dnorm(
          b, rep(prior$location, each = nrow(b)),
          rep(prior$scale, each = nrow(b)),
          log = TRUE
        ))
      }
    },
    wide = function(n) {
      z <- matrix(stats::rnorm(n * p), n)
      if (hierarchical) {
        z <- z / sqrt(stats::rgamma(n * p, prior$df / 2) / (prior$df / 2))
      }
      at <- if (hierarchical) 0 else rep(prior$location, each = n)
      cbind(
        at + z * rep(rep_len(prior$scale, p), each = n),
        matrix(stats::rnorm(n * length(extra)), n)
      )
    },
    log_wide = function(x) {
      n <- nrow(x)
      at <- if (hierarchical) 0 else rep(prior$location, each = n)
      scale <- rep(rep_len(prior$scale, p), each = n)
      z <- (x[, seq_len(p), drop = FALSE] - at) / scale
      each <- if (hierarchical) {
        stats::dt(z, prior$df, log = TRUE)
      } else {
        stats::dnorm(z, log = TRUE)
      }
      rowSums(each - log(scale)) + log_extras(x)
    }
  )
}

# log density of b, averaged over draws of its normal's covariance.
marginal_log_prior <- function(b, draw_factor, n = 3000) {
  p <- ncol(b)
  columns <- draw_factor(n)
  # The factor is lower triangular: column j of it is columns[[j]]
  precision <- vapply(seq_len(n), function(s) {
    factor <- vapply(columns, function(column) column[s, ], numeric(p))
    inverse <- forwardsolve(matrix(factor, p), diag(p))
    c(crossprod(inverse), sum(log(abs(diag(inverse)))))
  }, numeric(p^2 + 1))
  pairs <- b[, rep(seq_len(p), p), drop = FALSE] *
    b[, rep(seq_len(p), each = p), drop = FALSE]
  constant <- precision[p^2 + 1, ] - p / 2 * log(2 * pi)
  blocks <- split(seq_len(nrow(b)), (seq_len(nrow(b)) - 1) %/% 2000)
  unlist(lapply(blocks, function(rows) {
    value <- rep(constant, each = length(rows)) -
      0.5 * pairs[rows, , drop = FALSE] %*%
        precision[seq_len(p^2), , drop = FALSE]
    log(rowMeans(exp(value)))
  }), use.names = FALSE)
}

tempered_posterior <- function(spec, size = 8000, seed = 1, rounds = 3) {
  withr::local_seed(seed)
  from <- prior_transform(spec)
  dimension <- from$dimension
  distinct <- distinct_records(spec)
  log_lik <- function(v) log_lik_of(from$state(v))
  log_lik_of <- function(x) {
    draws <- from$draws(x)
    blocks <- split(seq_len(nrow(x)), (seq_len(nrow(x)) - 1) %/% 1000)
    value <- unlist(lapply(blocks, function(rows) {
      f <- log_lik_(distinct$spec, draws[rows, , drop = FALSE])
      f[is.nan(f)] <- -Inf
      grid_sum_(
        f, numeric(length(rows)), distinct$counts, distinct$spec$alpha,
        distinct$spec$censor$centre, spec$censor$lower, spec$censor$upper
      )
    }), use.names = FALSE)
    ifelse(is.finite(value), value, -1e300)
  }
  v <- matrix(stats::rnorm(size * dimension), size)
  l <- log_lik(v)
  power <- 0
  move <- function(power) {
    pick <- function() v[sample.int(size), , drop = FALSE]
    # Differences of others at all lengths, or a mixture with the prior
    length <- ifelse(stats::runif(size) < 0.15, 1,
      2.38 / sqrt(2 * dimension) * 10^(-1.5 * stats::runif(size))
    )
    kept <- cos(pi / 2 * 10^(-2 * stats::runif(size)))
    autoregressive <- stats::runif(size) < 0.3
    to <- v + length * (pick() - pick()) +
      1e-4 * matrix(stats::rnorm(size * dimension), size)
    fresh <- kept * v +
      sqrt(1 - kept^2) * matrix(stats::rnorm(size * dimension), size)
    to[autoregressive, ] <- fresh[autoregressive, ]
    l_to <- log_lik(to)
    prior <- ifelse(autoregressive, 0, 0.5 * (rowSums(v^2) - rowSums(to^2)))
    accepted <- log(stats::runif(size)) < power * (l_to - l) + prior
    v[accepted, ] <<- to[accepted, ]
    l[accepted] <<- l_to[accepted]
  }
  while (power < 1) {
    worth <- function(growth) {
      w <- exp(growth * (l - max(l)))
      sum(w)^2 / sum(w^2) - 0.7 * size
    }
    growth <- if (worth(1 - power) >= 0) {
      1 - power
    } else {
      stats::uniroot(worth, c(0, 1 - power), tol = 1e-10)$root
    }
    w <- exp(growth * (l - max(l)))
    at <- findInterval(
      (seq_len(size) - stats::runif(1)) / size, cumsum(w) / sum(w)
    ) + 1
    v <- v[pmin(at, size), , drop = FALSE]
    l <- l[pmin(at, size)]
    power <- if (growth == 1 - power) 1 else power + growth
    for (i in seq_len(rounds)) move(power)
  }
  for (i in seq_len(2 * rounds)) move(1)
  weigh_population(from$state(v), from, log_lik_of, 12 * size)
}

# Clones are evaluated once
distinct_records <- function(spec) {
  spec$censor$centre <- rep_len(spec$censor$centre, length(spec$y))
  key <- do.call(paste, c(
    list(spec$y, spec$alpha, spec$censor$centre),
    as.data.frame(spec$codes), as.data.frame(spec$numeric)
  ))
  first <- which(!duplicated(key))
  list(
    spec = subset_spec(spec, first),
    counts = tabulate(match(key, key[first])) + 0
  )
}

# Weighted draws of the posterior: proposals from t distributions around the
# clusters of a population and from the prior, with the weights that make them
# exact.
weigh_population <- function(x, from, log_lik, size) {
  d <- ncol(x)
  df <- 5
  groups <- suppressWarnings(stats::kmeans(
    scale(x), min(30, nrow(unique(x)) - 1),
    iter.max = 50, nstart = 3
  ))$cluster
  parts <- Filter(function(part) nrow(part) > 5 * d, split(
    as.data.frame(x), groups
  ))
  overall <- diag(1e-8 * apply(x, 2, stats::var), d)
  parts <- lapply(parts, function(part) {
    part <- as.matrix(part)
    list(
      share = nrow(part), mean = colMeans(part),
      root = chol(1.5 * stats::cov(part) + overall)
    )
  })
  share <- vapply(parts, `[[`, 1, "share")
  share <- c(0.1, 0.9 * share / sum(share))
  kind <- sample.int(length(share), size, TRUE, share)
  z <- matrix(stats::rnorm(size * d), size)
  z[kind == 1, ] <- from$wide(sum(kind == 1))
  far <- sqrt(df / stats::rchisq(size, df))
  for (k in seq_along(parts)) {
    at <- which(kind == k + 1)
    z[at, ] <- sweep(
      (far[at] * z[at, , drop = FALSE]) %*% parts[[k]]$root, 2,
      parts[[k]]$mean, `+`
    )
  }
  density <- share[1] * exp(from$log_wide(z))
  for (k in seq_along(parts)) {
    one <- parts[[k]]
    white <- backsolve(one$root, t(z) - one$mean, transpose = TRUE)
    distance <- colSums(white^2)
    density <- density + share[k + 1] * exp(
      lgamma((df + d) / 2) - lgamma(df / 2) - d / 2 * log(df * pi) -
        sum(log(diag(one$root))) - (df + d) / 2 * log1p(distance / df)
    )
  }
  log_weight <- log_lik(z) + from$log_prior(z) - log(density)
  weight <- exp(log_weight - max(log_weight))
  draws <- from$draws(z)
  list(
    # Of each column the values in order and the weight up to each
    columns = lapply(seq_len(ncol(draws)), function(j) {
      at <- order(draws[, j])
      list(at = draws[at, j], share = cumsum(weight[at]) / sum(weight))
    }),
    ess = sum(weight)^2 / sum(weight^2)
  )
}

# The largest Kolmogorov distance of the columns of draws from weighted ones.
distance_to_weighted <- function(draws, truth) {
  max(vapply(seq_len(ncol(draws)), function(j) {
    column <- truth$columns[[j]]
    at <- sort(draws[, j])
    expected <- c(0, column$share)[findInterval(at, column$at) + 1]
    max(abs(expected - (seq_along(at) - 0.5) / length(at)))
  }, 1))
}
