# A score release of a categorical response. The sums of the public vectors by
# level are all that a multinomial logit knows of the file, whatever its
# coefficients: one step pays for them, and nothing is clipped.

#' @return (`score_release`)
#' @noRd
release_levels <- function(model, settings, epsilon, neighbours, seed,
                           ledger = NULL, m = 1L, file = score_file(model)) {
  prior <- score_prior(model)
  levels <- model$response$levels
  check_score_margin(settings, model$response)
  refuse_if(
    length(levels) * ncol(file$x) > 2000,
    "Levels times coefficients must be at most 2,000.",
    x = "There are {length(levels)} levels and {ncol(file$x)} coefficients.",
    i = "Merge levels, or leave predictors out.", arg = "formula"
  )
  settings$shares <- c(0, 0, 1)
  settings$spread <- settings$spread %||% levels_spread
  budget <- score_budget(
    settings, epsilon, neighbours,
    c(0, 0, length(levels) * (ncol(file$x) + 1), 0)
  )$second
  warn_delta(settings$delta, file$n)
  geometry <- levels_geometry(file, prior, settings$spread)
  paid <- paid_by(levels_measurement(geometry$z, length(levels)), budget)
  charges <- plan_charges(list("noisy sums by level" = own_cost(paid)))
  # What an engine fails at costs nothing; see rehearse_sums()
  if (!is.null(file$paid)) file$levels()
  charges <- pay_release(ledger, charges, model, m, seed, file)
  step <- levels_step(
    file$levels(), paid, geometry, stage_seed(seed, "step", 1)
  )
  found <- levels_posterior(
    file$x, file$count, geometry$z * geometry$unit, step, prior$location,
    prior$scale
  )
  # Its linear predictors differ by logits, whose sigma is near 2
  warn_budget(levels_error(found, file, length(levels)), 2, NULL, file$n)
  columns <- model$design$columns
  names <- paste(rep(levels[-1], each = length(columns)), columns, sep = ":")
  b <- stats::setNames(found$mean, names)
  told <- list(
    steps = list(step), margin = NULL, coefficients = b,
    covariance = structure(found$covariance, dimnames = list(names, names)),
    draws = list(mean = b, covariance = NULL), shape = NULL, slope_scale = NULL
  )
  made <- score_parts(model, settings, neighbours, told, file)
  new_score_release(made, charges, seed)
}

# What a record of a level counts itself, of what its vector can move: 8% more
# noise, and half the error of the levels' shares, which every table of theirs
# has in it
levels_counted <- 0.4

# kappa in medians: more noise comes off than weight, for there is no clip to
# take any (studied on education and marital status in two months)
levels_spread <- 0.7

#' See score_geometry(): `z` has the count first
#' @noRd
levels_geometry <- function(file, prior, spread) {
  geometry <- score_geometry(
    file, rep(1, nrow(file$x)), diag(1 / prior$scale^2, ncol(file$x)), spread
  )
  rows <- geometry$weight * (file$x %*% geometry$whiten)
  geometry$z <- cbind(
    round(levels_counted * score_length), round(rows / geometry$unit),
    deparse.level = 0
  )
  geometry
}

#' The whole sums: the public vectors of each level's records
#'
#' In units so small that the gap to Gaussian noise is none to speak of.
#' @param items (list) `row`, `level` (from 0; `NA`: of none) and `count`
#'   (`NULL`: 1) of records, or of those of one design row and level.
#' @return (whole) Level by level.
#' @noRd
levels_sums <- function(items, size, z) {
  count <- items$count %||% 1
  unlist(lapply(seq_len(size) - 1, function(level) {
    score_sums_(
      z, items$row, score_steps * count * (items$level %in% level),
      score_steps * max(count)
    )
  }))
}

#' One record adds its vector to a block, or moves it to another
#' @noRd
levels_sensitivity <- function(z, noise) {
  length <- score_steps * vector_lengths(z, noise)
  by_relation(length, if (noise == "laplace") 2 * length else sqrt(2) * length)
}

#' The sums by level as a measurement: a record adds its vector to one block
#' @param size (count) Levels.
#' @return (`measurement`) Of records with `row` (of `z`) and `y` (level from 0,
#'   `NA`: none); also `z`.
#' @noRd
levels_measurement <- function(z, size) {
  x <- new_measurement(
    "noisy sums by level", "sums by level", size * ncol(z),
    bound = function(kind) levels_sensitivity(z, kind),
    vectors = function(records, part) {
      own <- score_steps * z[records$row, , drop = FALSE]
      do.call(cbind, lapply(seq_len(size) - 1, function(level) {
        own * (records$y %in% level)
      }))
    },
    counts = function(records) list(row = records$row, level = records$y),
    sums = function(items) list(levels_sums(items, size, z))
  )
  x$z <- z
  x
}

#' @param paid (list) See levels_measurement(), with its noise.
#' @return (list) All public: `sum` (1 + P x K), `noise` (its standard
#'   deviation), kappa in its `geometry` and the noise as paid, see noise_of().
#' @noRd
levels_step <- function(items, paid, geometry, seed) {
  sums <- measured(paid, items, list(seed))[[1]]
  unit <- geometry$unit / score_steps
  c(
    list(
      sum = matrix(sums * unit, ncol(paid$z)),
      noise = paid$noise$deviation * unit, geometry = geometry["kappa"]
    ),
    paid$noise
  )
}

# Posterior ------------------------------------------------------------------

#' Probabilities of the levels
#' @param b (double, P (K - 1)) Level by level.
#' @return (matrix, R x K)
#' @noRd
level_shares <- function(x, b) {
  eta <- cbind(0, x %*% matrix(b, ncol(x)))
  odds <- exp(eta - do.call(pmax, as.data.frame(eta)))
  odds / rowSums(odds)
}

#' Sums over records of z v' times the covariance of their levels' indicators
#'
#' What all levels have in common is 0, so that only pairs are summed.
#' @param share (matrix, R x K)
#' @return (matrix, a row for each column of z and level, a column for each of
#'   v and level)
#' @noRd
levels_cross <- function(z, v, count, share) {
  size <- ncol(share)
  rows <- function(k) (k - 1) * ncol(z) + seq_len(ncol(z))
  columns <- function(k) (k - 1) * ncol(v) + seq_len(ncol(v))
  all <- matrix(0, ncol(z) * size, ncol(v) * size)
  for (k in seq_len(size - 1)) {
    for (j in (k + 1):size) {
      pair <- crossprod(z, (count * share[, k] * share[, j]) * v)
      all[rows(k), columns(j)] <- all[rows(j), columns(k)] <- -pair
      all[rows(k), columns(k)] <- all[rows(k), columns(k)] + pair
      all[rows(j), columns(j)] <- all[rows(j), columns(j)] + pair
    }
  }
  all
}

#' The posterior of the coefficients given noisy sums by level: normal at its
#' mode
#'
#' A noisy sum of a rare level may be negative, which no coefficient reaches:
#' steps are halved until they fit better.
#' @param z (matrix, R x P) In the sums' unit.
#' @param location,scale (double, P) Of the normal prior of each level against
#'   the baseline; half of its variance is the baseline's, so that it is the
#'   same whichever level that is.
#' @return (list) `mean`, `covariance`.
#' @noRd
levels_posterior <- function(x, count, z, step, location, scale, rounds = 30) {
  others <- ncol(step$sum) - 1
  precision <- kronecker(
    solve((diag(others) + 1) / 2), diag(1 / scale^2, ncol(x))
  )
  location <- rep(location, others)
  missed <- function(b) {
    as.vector(step$sum - crossprod(z, count * level_shares(x, b)))
  }
  loss <- function(b, miss) {
    far <- b - location
    (sum(miss * solve(noise, miss)) + sum(far * (precision %*% far))) / 2
  }
  b <- location
  largest <- Inf
  for (round in seq_len(rounds)) {
    share <- level_shares(x, b)
    # Rare levels vary little: not known before the mode is near
    if (largest > 0.25) {
      noise <- levels_cross(z, z, count, share)
      diag(noise) <- diag(noise) + step$noise^2
    }
    slope <- levels_cross(z, x, count, share)[, -seq_len(ncol(x))]
    miss <- missed(b)
    weighed <- solve(noise, slope)
    whole <- precision + crossprod(slope, weighed)
    gradient <- drop(crossprod(weighed, miss) + precision %*% (location - b))
    change <- solve(whole, gradient)
    # What is left to gain in log-likelihood
    if (sum(change * gradient) / 2 < 0.02) break
    largest <- max(abs(x %*% matrix(change, ncol(x))))
    change <- change * min(1, 3 / largest)
    now <- loss(b, miss)
    for (half in 1:10) {
      if (loss(b + change, missed(b + change)) < now) break
      change <- change / 2
    }
    b <- b + change
  }
  list(mean = b, covariance = solve(whole))
}

#' The standard error of a typical record's linear predictors
#'
#' Each against the mean of all, by the levels' shares: the baseline may be
#' rare.
#' @noRd
levels_error <- function(found, file, size) {
  share <- colSums(file$count * level_shares(file$x, found$mean)) / file$n
  among <- rbind(0, diag(size - 1)) - rep(share[-1], each = size)
  variance <- vapply(seq_len(size), function(k) {
    centred <- kronecker(among[k, , drop = FALSE], diag(ncol(file$x)))
    typical_variance(centred %*% found$covariance %*% t(centred), file)
  }, 0)
  sqrt(sum(share * variance))
}

#' One set: levels from 0
#'
#' Of the coefficients' mean: a draw of those of a rare level can make it a
#' common one. Systematic along the sorted design rows: each record has its own
#' probabilities, and alike records together nearly the expected counts.
#' @param b (double) Coefficients.
#' @param p (double, N) Uniform: order within a design row, and the start.
#' @noRd
draw_levels <- function(file, b, p) {
  share <- level_shares(file$x, b)
  place <- integer(nrow(file$x))
  place[do.call(order, as.data.frame(file$x))] <- seq_len(nrow(file$x))
  n <- length(p)
  # Multiples of the golden ratio: any stretch of them is spread evenly
  even <- numeric(n)
  even[order(place[file$row], p)] <-
    (p[1] + seq_len(n) * (sqrt(5) - 1) / 2) %% 1
  below <- numeric(n)
  value <- numeric(n)
  for (k in seq_len(ncol(share) - 1)) {
    below <- below + share[file$row, k]
    value <- value + (even > below)
  }
  value
}
