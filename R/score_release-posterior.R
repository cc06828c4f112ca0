# The posterior of the coefficients given noisy sums and their known noise:
# normal at its mode, from public numbers and released ones alone. Below it what
# clipped scores are expected to be, and the shape that their noisy share of
# unclipped records tells.

#' @param family (`synth_family`)
#' @param file (list) See distinct_rows().
#' @param steps (list) See noisy_step().
#' @param start (double, P)
#' @param location,scale (double, P) Of the normal prior.
#' @param public (number or `NULL`) The reference's shape.
#' @param near (list or `NULL`) Such a posterior near this one.
#' @param unknown (matrix) What adds to the covariance of the sums. Default 0.
#' @param close (number) The mode is reached where no linear predictor moves
#'   farther, in units of the scores' spread.
#' @return (list) `mean`, `covariance`, `noise` (the covariance of all sums),
#'   `slope`, see sums_slope(), `shape` with its `shape_error`, and of the sums
#'   alone, at `mean`: `information` and `pull`.
#' @noRd
score_posterior <- function(family, file, steps, start, location, scale,
                            public = NULL, near = NULL, unknown = 0,
                            close = 0.05, rounds = 20) {
  shape <- near$shape %||% public
  error <- near$shape_error
  b <- start
  noise <- near$noise
  slope <- near$slope
  for (round in seq_len(rounds)) {
    covariance <- noise %||%
      (unknown + sums_covariance(family, file, steps, b, shape))
    noise <- covariance
    sums <- score_quadratic(family, file, steps, b, shape, covariance, slope)
    slope <- sums$slope
    precision <- diag(1 / scale^2, length(b)) + sums$information
    change <- solve_scaled(precision, sums$pull + (location - b) / scale^2)
    # Far from the mode the clip flattens the sums: no step leaves their reach
    largest <- max(abs(line_of_rows(file, change))) / line_unit(family, shape)
    # Nor does it go back and forth between two places for ever
    change <- change * min(1, 3 / largest) * (if (round > 6) 0.5 else 1)
    b <- b + change
    # The coefficients come first: far from them the share of unclipped records
    # tells where these are, and not the shape
    new_shape <- !is.null(public) &&
      (if (is.null(error)) largest < 0.25 || round > 12 else largest > 0.1)
    if (new_shape) {
      found <- released_shape(
        family, steps[[length(steps)]], line_of_rows(file, b), file$count,
        public
      )
      moved <- abs(log(found$value / shape))
      shape <- found$value
      error <- found$error
    } else if (largest < close) {
      break
    }
    # The mode does not depend on these, nor they on small changes of it
    if (largest > 0.25 || (new_shape && moved > 0.1)) {
      slope <- NULL
      noise <- NULL
    }
  }
  sums$pull <- sums$pull - drop(sums$information %*% change)
  c(
    list(
      mean = b, covariance = solve_scaled(precision), noise = covariance,
      shape_error = error
    ),
    sums
  )
}

#' Covariances with what is not known of the shape, to first order: another
#' shape moves the mode
#' @param found (list) See both_posteriors().
#' @noRd
with_shape_error <- function(found, family, file, steps) {
  at <- found$stated
  if (is.null(at$shape)) {
    return(found)
  }
  pull <- function(log_change) {
    score_quadratic(
      family, file, steps, at$mean, at$shape * exp(log_change), at$noise,
      at$slope
    )$pull
  }
  pulled <- at$shape_error * (pull(0.05) - pull(-0.05)) / 0.1
  found[c("stated", "shrunk")] <- lapply(
    found[c("stated", "shrunk")], function(one) {
      one$covariance <- one$covariance + tcrossprod(one$covariance %*% pulled)
      one
    }
  )
  found
}

#' Solve by a positive matrix whose rows may be of any orders of magnitude
#'
#' Values may be nearly alike or in any unit, and levels rare.
#' @param x (double or matrix)
#' @noRd
solve_scaled <- function(a, x = diag(nrow(a))) {
  unit <- 1 / sqrt(diag(a))
  a <- a * outer(unit, unit)
  root <- or_else(chol(a))
  # Rounding may leave it without a Cholesky factor
  unit * if (is.null(root)) {
    solve(a, unit * x)
  } else {
    backsolve(root, backsolve(root, unit * x, transpose = TRUE))
  }
}

#' The log-likelihood of noisy sums around some coefficients, to second order
#'
#' All steps are sums over the same records: what the sample does to one it does
#' to the others, too.
#' @param covariance (matrix) Of all sums, see sums_covariance().
#' @param slope (matrix or `NULL`) Of all sums' expectations, where it is known.
#' @return (list) `information`, `pull` (its gradient), `miss` (sums beyond
#'   their expectation), `slope`, `shape`.
#' @noRd
score_quadratic <- function(family, file, steps, b, shape, covariance,
                            slope = NULL) {
  eta <- line_of_rows(file, b)
  expected <- lapply(steps, function(step) {
    expected_scores(family, step, shape)(eta)
  })
  miss <- unlist(Map(function(step, expected) {
    step$sum - drop(crossprod(step$z, file$count * expected$mean))
  }, steps, expected))
  if (is.null(slope)) {
    slope <- do.call(rbind, Map(function(step, expected) {
      sums_slope(step$geometry, file, file$count * expected$slope)
    }, steps, expected))
  }
  weighed <- weighed_products(covariance, slope, miss)
  information <- weighed$products
  # Where sums tell very much, rounding must not drown the prior, which alone
  # knows directions of which they tell nothing
  diag(information) <- diag(information) * (1 + 1e-13)
  list(
    information = information,
    pull = weighed$with, miss = miss, slope = slope, shape = shape
  )
}

#' a'S^-1 a and a'S^-1 x of a covariance S
#' @return (list) `products` (matrix) and `with` (double).
#' @noRd
weighed_products <- function(covariance, a, x) {
  found <- weighed_products_(covariance, a, x, default_threads())
  if (is.null(found)) {
    # Rounding has left it without a Cholesky factor
    weighed <- solve(covariance, a)
    found <- list(crossprod(a, weighed), crossprod(weighed, x))
  }
  list(products = found[[1]], with = drop(found[[2]]))
}

#' The slope of a step's expected sums in the coefficients
#'
#' z' diag(s) x with z = w d x L, not rounded: the rows need not be formed.
#' @param s (double, R)
#' @noRd
sums_slope <- function(geometry, file, s) {
  column_products_(
    geometry$whiten, gram_of_rows(file, geometry$weight * s), default_threads()
  )
}

#' The rows' linear predictors
#' @noRd
line_of_rows <- function(file, b) {
  told <- file$told
  if (!is.null(told$by)) {
    return(drop(file$x %*% b))
  }
  if (!is.null(told)) b <- replace(numeric(told$columns), told$seen, b)
  design_line_(file$products, b)
}

#' The rows' weighted products of their columns
#' @noRd
gram_of_rows <- function(file, weight) {
  if (!is.null(file$told$by)) {
    return(column_products_(file$x, weight * file$x, default_threads()))
  }
  gram <- design_gram_(file$products, weight, default_threads())
  at <- file$told$seen
  if (is.null(at)) gram else gram[at, at, drop = FALSE]
}

# What rows tell of ------------------------------------------------------------

# A synthetic set has no record in some levels, and no amount in some bins. Few
# rows tell of few directions among many slopes, too. Sums along all others are
# apart from these and tell nothing: coefficients keep their prior there, and
# the rest is a smaller problem.

#' @param x (matrix) Rows of the design.
#' @param prior (list) See score_prior().
#' @return (list) `columns` (how many there are), `seen` (those that some row
#'   has), and `by` (matrix, a row for each of these): the directions, where
#'   these are fewer. `NULL`: all.
#' @noRd
told_directions <- function(x, prior) {
  columns <- ncol(x)
  seen <- unname(which(colSums(x != 0) > 0))
  slope <- seen %in% prior$slopes
  scale <- prior$scale[seen][slope]
  turns <- nrow(x) < sum(slope) && all(prior$location[seen][slope] == 0) &&
    all(scale == scale[1])
  if (!turns) {
    return(list(columns = columns, seen = seen))
  }
  found <- svd(x[, seen[slope], drop = FALSE], nu = 0)
  kept <- which(found$d > 1e-8 * found$d[1])
  level <- sum(!slope)
  by <- matrix(0, length(seen), level + length(kept))
  by[cbind(which(!slope), seq_len(level))] <- 1
  by[slope, level + seq_along(kept)] <- found$v[, kept]
  list(columns = columns, seen = seen, by = by)
}

#' Of all columns again
#' @param one (list) `mean` and `covariance` along the directions.
#' @param told (list) See told_directions().
#' @param location,scale (double) Of the prior, of all columns.
#' @noRd
of_all_columns <- function(one, told, location, scale) {
  seen <- told$seen
  mean <- one$mean
  own <- one$covariance
  if (!is.null(told$by)) {
    mean <- drop(told$by %*% mean)
    rest <- diag(length(seen)) - tcrossprod(told$by)
    own <- told$by %*% tcrossprod(own, told$by) +
      rest * tcrossprod(scale[seen])
  }
  covariance <- diag(scale^2, length(scale))
  covariance[seen, seen] <- own
  list(mean = replace(location, seen, mean), covariance = covariance)
}

#' The covariance of all sums: that of the sample, and the noise
#'
#' That of a record's clipped scores in two steps is worked out for a hundred
#' records along the linear predictor and taken for their neighbours.
#' @noRd
sums_covariance <- function(family, file, steps, b, shape) {
  count <- file$count
  eta <- line_of_rows(file, b)
  order <- order(eta)
  group <- integer(length(eta))
  place <- cumsum(as.double(count[order])) / sum(count)
  group[order] <- pmin(floor(100 * place), 99) + 1
  some <- typical_rows(eta, count, order)
  outcomes <- family_outcomes(family, eta[some], shape)
  scores <- lapply(steps, function(step) {
    u <- clamp(
      score_of(outcomes$value, rows_of(step, some)), -step$clip, step$clip
    )
    u - rowSums(outcomes$weight * u)
  })
  block <- function(k, l) {
    together <- rowSums(outcomes$weight * scores[[k]] * scores[[l]])
    # Both scores go up with the response: never negative but for rounding
    gram <- gram_of_rows(
      file, steps[[k]]$geometry$weight * steps[[l]]$geometry$weight * count *
        pmax(together, 0)[group]
    )
    own <- column_products_(
      gram, steps[[k]]$geometry$whiten, default_threads()
    )
    column_products_(own, steps[[l]]$geometry$whiten, default_threads())
  }
  all <- block(1, 1)
  if (length(steps) == 2) {
    across <- block(1, 2)
    all <- rbind(cbind(all, across), cbind(t(across), block(2, 2)))
  }
  diag(all) <- diag(all) +
    rep(vapply(steps, `[[`, 0, "noise")^2, each = length(b))
  all
}

#' A hundred rows along a value, each for as many records
#' @noRd
typical_rows <- function(value, count, order = base::order(value)) {
  place <- cumsum(as.double(count[order])) / sum(count)
  order[pmin(findInterval((0:99 + 0.5) / 100, place) + 1, length(value))]
}

#' What a step has for some rows
#' @noRd
rows_of <- function(step, rows) {
  list(centre = step$centre[rows], spread = step$spread[rows], clip = step$clip)
}

#' The prior variance of slopes under which their noisy estimates are likeliest
#'
#' Between a hundredth of the stated standard deviation and all of it.
#' @param slopes (integer) Which coefficients.
#' @noRd
slope_variance <- function(posterior, slopes, stated) {
  if (length(slopes) == 0) {
    return(stated^2)
  }
  b <- posterior$mean[slopes]
  v <- diag(posterior$covariance)[slopes]
  likelihood <- function(log_variance) {
    sum(stats::dnorm(b, 0, sqrt(exp(log_variance) + v), log = TRUE))
  }
  exp(stats::optimize(
    likelihood, 2 * log(stated * c(0.01, 1)), maximum = TRUE
  )$maximum)
}

#' Posterior under the stated prior, under that of the estimated variance, and
#' that variance
#' @param prior (list) `location`, `scale` (P each), `slopes` (which columns).
#'   With `all` (function of a posterior) columns are directions: it gives the
#'   variance of the slopes.
#' @param unknown (function of such a posterior) Gives the covariance of what
#'   the file's rows hide of the sums of both steps.
#' @return (list) `stated` and `shrunk`, see score_posterior(); `slope_scale`,
#'   `unknown`.
#' @noRd
both_posteriors <- function(family, file, steps, start, prior, public,
                            unknown = NULL) {
  first <- length(steps) == 1
  hidden <- 0
  fit <- function(scale, start, near = NULL) {
    score_posterior(
      family, file, steps, start, prior$location, scale,
      if (!first) public, near, hidden,
      # Of the first step all that is wanted is where to take the second
      close = if (first) 0.25 else 0.05
    )
  }
  # Where the reference is far from the file, the first step's share of
  # unclipped records tells how far, and not the shape: that is the second's
  stated <- fit(prior$scale, start, list(shape = if (first) public))
  if (!first && !is.null(unknown)) {
    hidden <- unknown(stated)
    stated <- fit(prior$scale, stated$mean)
  }
  # What the sums say without a prior, next to none for where they say nothing
  flat <- stated$information + diag(1e-3 / prior$scale^2, length(start))
  alone <- list(
    mean = stated$mean + solve_scaled(flat, stated$pull),
    covariance = solve_scaled(flat)
  )
  slopes <- prior$slopes
  variance <- if (is.null(prior$all)) {
    slope_variance(alone, slopes, prior$scale[slopes][1])
  } else {
    prior$all(alone)
  }
  scale <- prior$scale
  scale[slopes] <- sqrt(variance)
  list(
    stated = stated, shrunk = fit(scale, stated$mean, stated),
    slope_scale = sqrt(variance), unknown = hidden
  )
}

#' Two steps with noise, the second from where the first has led, and what they
#' tell of a response
#'
#' @param file,rows,like See noisy_step(); `like` with `clip` of both steps.
#' @param margin (list or `NULL`) See score_margin().
#' @param budget (list) `first` and `second`, see noise_of().
#' @param start (double, P) The public reference.
#' @param unknown (function of records of `rows` and of expected_pulls()) Gives
#'   the covariance of what rows hide of sums. `NULL`: nothing.
#' @param hidden (function of coefficients) See hidden_variance().
#' @param names (character or `NULL`) Of the coefficients.
#' @return (list) `told`, public and released numbers only: `steps`, `margin`,
#'   `coefficients` with their `covariance`, `draws`, `shape`, and `rows` of the
#'   `population`, as score_release() says; for what follows `found`, see
#'   both_posteriors(), along `directions` (see told_directions()) with their
#'   `prior`, and the `last` step.
#' @noRd
noisy_response <- function(file, rows, like, margin, budget, start, seed = NULL,
                           unknown = NULL, hidden = function(b) 0,
                           names = NULL) {
  steps <- own_steps <- list()
  last <- NULL
  b <- start
  all <- like$prior
  directions <- told_directions(rows$x, all)
  seen <- directions$seen
  by <- directions$by
  own <- c(
    rows[setdiff(names(rows), "x")],
    list(told = directions, coding = like$coding)
  )
  own$x <- rows$x[, seen, drop = FALSE]
  prior <- list(
    location = all$location[seen], scale = all$scale[seen],
    slopes = which(seen %in% all$slopes), curve = which(seen %in% all$curve)
  )
  if (!is.null(by)) {
    own$x <- own$x %*% by
    level <- length(seen) - length(prior$slopes)
    at <- c(setdiff(seq_along(seen), prior$slopes), prior$slopes)
    at <- at[seq_len(ncol(by))]
    prior <- list(
      location = drop(crossprod(by, prior$location)), scale = prior$scale[at],
      # What earlier amounts say is the last column
      slopes = which(seq_len(ncol(by)) > level),
      curve = level[length(prior$curve) > 0], all = function(alone) {
        alone <- of_all_columns(
          alone, directions, all$location, all$scale / sqrt(1e-3)
        )
        slope_variance(alone, all$slopes, all$scale[all$slopes][1])
      }
    )
  }
  beside <- if (!is.null(unknown)) function(posterior) {
    unknown(rows$kept, expected_pulls(like$family, own, own_steps, posterior))
  }
  of_all <- function(one, scale) {
    of_all_columns(one, directions, all$location, scale)
  }
  for (k in 1:2) {
    give_back_memory(like$n)
    last <- noisy_step(
      file, rows, like, b, like$clip[k], budget[[c("first", "second")[k]]],
      stage_seed(seed, "step", k), last, k
    )
    # The same in both steps is in memory once
    same <- k == 2 && identical(last$z, steps[[1]]$z)
    steps[[k]] <- last
    own_steps[[k]] <- within(last, {
      z <- if (same) own_steps[[1]]$z else z[, seen, drop = FALSE]
      sum <- sum[seen]
      geometry$whiten <- geometry$whiten[seen, seen, drop = FALSE]
      # Their noise is the same along any directions
      if (!is.null(by)) {
        whiten <- crossprod(by, geometry$whiten)
        along <- qr.Q(qr(t(whiten)))
        if (!same) z <- z %*% along
        sum <- drop(crossprod(along, sum))
        geometry$whiten <- whiten %*% along
        rm(whiten, along)
      }
      lines <- matrix(0, length(b), ncol(geometry$whiten))
      lines[seen, ] <- if (is.null(by)) geometry$whiten else
        by %*% geometry$whiten
    })
    found <- both_posteriors(
      like$family, own, own_steps,
      if (is.null(by)) b[seen] else drop(crossprod(by, b[seen])), prior,
      like$shape, beside
    )
    b <- of_all(found$shrunk, all$scale)$mean
  }
  found <- with_shape_error(found, like$family, own, own_steps)
  scale <- all$scale
  stated <- of_all(found$stated, scale)
  # Without any slope among them nothing tells their variance
  if (length(prior$slopes) > 0) scale[all$slopes] <- found$slope_scale
  shrunk <- of_all(found$shrunk, scale)
  both_names <- if (!is.null(names)) list(names, names)
  told <- list(
    # The rest is computed from public rows
    steps = lapply(steps, function(step) {
      step$b <- stats::setNames(step$b, names)
      step$geometry <- step$geometry[c("whiten", "kappa", "unit", "noise")]
      step[setdiff(names(step), c("centre", "spread", "z"))]
    }), margin = margin,
    coefficients = stats::setNames(stated$mean, names),
    covariance = structure(stated$covariance, dimnames = both_names),
    draws = list(
      mean = stats::setNames(b, names),
      covariance = structure(shrunk$covariance, dimnames = both_names)
    ),
    shape = if (!is.null(like$shape)) {
      stats::setNames(found$shrunk$shape, names(like$family$extras))
    }
  )
  if (!is.null(margin)) {
    grown <- with_lost_variance(found$shrunk, own, prior, hidden(b))
    told$draws$mean[] <- of_all(replace(
      found$shrunk, "mean", list(grown)
    ), scale)$mean
    some <- typical_rows(drop(rows$x %*% b), rows$count)
    told$population <- list(rows = rows$x[some, , drop = FALSE])
  }
  list(
    told = told, found = found, directions = directions, prior = prior,
    last = last
  )
}

#' What each record of a set is expected to add to the sums of both steps
#'
#' Whole vectors are sums of lines, one for each of a record's levels.
#' @param rows (list) See set_rows().
#' @param steps (list) See noisy_step(), along the directions that rows tell of.
#' @param posterior (list) See score_posterior().
#' @return (list) Of each of `rows$kept` `lines` (integers, a column for each
#'   predictor) and `by` (a column for each step: what its vector is multiplied
#'   by), and `turn` (list by step: the lines, a row each).
#' @noRd
expected_pulls <- function(family, rows, steps, posterior) {
  eta <- line_of_rows(rows, posterior$mean)
  by <- vapply(steps, function(step) {
    step$geometry$weight * expected_scores(family, step, posterior$shape)(
      eta
    )$mean
  }, eta)
  coding <- rows$coding
  first <- as.integer(1 + cumsum(c(0, coding$levels)))[seq_along(coding$levels)]
  codes <- rows$codes[rows$row, , drop = FALSE]
  list(
    lines = cbind(1L, codes + rep(first, each = nrow(codes))),
    by = matrix(by, length(eta))[rows$row, , drop = FALSE],
    turn = lapply(steps, function(step) level_lines(step$lines, coding))
  )
}

# What clipped scores are expected to be -------------------------------------

#' Clipped scores at other coefficients than the public ones they are taken at
#' @param frame (list) See score_frame(), with `clip`.
#' @param shape (number or `NULL`) Of the family.
#' @return (function of a linear predictor) Gives `mean` and `slope` (of the
#'   mean in the linear predictor), R each.
#' @noRd
expected_scores <- function(family, frame, shape = NULL) {
  clip <- frame$clip
  if (is_location(family)) {
    return(expected_location(family, frame$centre, clip, shape))
  }
  if (family$kind == "binary") {
    one <- clamp(score_of(1, frame), -clip, clip)
    zero <- clamp(score_of(0, frame), -clip, clip)
    return(function(eta) {
      p <- stats::plogis(eta)
      list(mean = p * one + (1 - p) * zero, slope = p * (1 - p) * (one - zero))
    })
  }
  reach <- clip * frame$spread
  law <- law_of(family)
  function(eta) {
    mean <- family_mean(family, eta)
    above <- law$above(frame$centre - reach, eta, mean, shape)
    beyond <- law$above(frame$centre + reach, eta, mean, shape)
    list(
      mean = (above$mean - beyond$mean) / frame$spread - clip,
      slope = (above$slope - beyond$slope) / frame$spread
    )
  }
}

#' With errors e: E clip(e + d) is odd in d with slope P(|e + d| < c)
#' @noRd
expected_location <- function(family, at, clip, sigma) {
  # Finer near 0, and flat where all is clipped
  cells <- 200
  grid <- sinh(seq(0, asinh(60 * (1 + clip / sigma)), length.out = cells)) *
    sigma
  slope <- latent_share(family, (clip - grid) / sigma) -
    latent_share(family, (-clip - grid) / sigma)
  mean <- c(0, cumsum(diff(grid) * (slope[-1] + slope[-cells]) / 2))
  function(eta) odd_and_even_(eta - at, grid, mean, slope)
}

#' Responses at a linear predictor, with their probabilities
#' @return (list) `value` and `weight`, a row for each of `eta`.
#' @noRd
family_outcomes <- function(family, eta, shape) {
  mean <- family_mean(family, eta)
  if (family$kind == "binary") {
    return(list(
      value = cbind(0 * eta, 0 * eta + 1), weight = cbind(1 - mean, mean)
    ))
  }
  p <- (seq_len(200) - 0.5) / 200
  value <- if (is_location(family)) {
    outer(mean, shape * latent_quantile(family, p), `+`)
  } else {
    row <- rep(seq_along(mean), length(p))
    each <- rep(p, each = length(mean))
    matrix(quantile_by_row(family, each, mean, shape, row), length(mean))
  }
  list(value = value, weight = 0 * value + 1 / 200)
}

# The shape ------------------------------------------------------------------

#' The family's shape, from the noisy share of unclipped records
#' @noRd
released_shape <- function(family, step, eta, count, public) {
  # A hundred records serve all: along how far the scores' centres are from eta,
  # for location models all that there is to know
  some <- typical_rows(
    if (is_location(family)) eta - step$centre else eta, count
  )
  # What the sample itself adds to the noise is at most a half over root N
  noise <- sqrt(step$share_noise^2 + 0.25 / sum(count))
  shape_of_share(
    family, step$share, noise, rows_of(step, some), eta[some], public
  )
}

#' The shape under which a noisy share of records lies within a clip
#'
#' The likeliest, beside a public one that says no more than its order of
#' magnitude: log shape ~ N(log public, 1).
#' @return (list) `value`, and `error`: the standard error of its logarithm.
#' @param share,noise (numbers) The share and its standard error.
#' @param frame (list) See score_frame(), with `clip`; of some typical records.
#' @param eta (double) Their linear predictor.
#' @param public (number) The reference's.
#' @noRd
shape_of_share <- function(family, share, noise, frame, eta, public) {
  within_clip <- inside_clip(family, frame, eta)
  inside <- function(log_shape) mean(within_clip(exp(log_shape)))
  loss <- function(log_shape) {
    ((inside(log_shape) - share) / noise)^2 + (log_shape - log(public))^2
  }
  # Two shapes may have the same share: where the scores' centres are far from
  # the responses', and of counts and proportions anywhere
  grid <- log(public) + seq(-4, 4, 0.5)
  range <- grid[which.min(vapply(grid, loss, 0))] + c(-0.5, 0.5)
  best <- stats::optimize(loss, range, tol = 1e-3)$minimum
  slope <- (inside(best + 0.01) - inside(best - 0.01)) / 0.02
  list(value = exp(best), error = 1 / sqrt((slope / noise)^2 + 1))
}

#' How likely responses are to count as unclipped
#' @param frame (list) See score_frame(), with `clip`; R rows.
#' @param eta (double, R) Their linear predictor.
#' @return (function of a shape) Gives R probabilities.
#' @noRd
inside_clip <- function(family, frame, eta) {
  low <- frame$centre + frame$spread * counted_above(family, frame, frame$clip)
  high <- frame$centre + frame$spread * frame$clip
  # Strictly inside
  if (family$kind == "count") {
    low <- floor(low)
    high <- ceiling(high) - 1
  }
  mean <- family_mean(family, eta)
  function(shape) {
    response_probability(family, high, mean, shape) -
      response_probability(family, low, mean, shape)
  }
}

#' Are nearly all scores of the last step clipped?
#'
#' Then its sums say that the coefficients lie beyond some point, and not where:
#' no interval around a mode is right. At a reference that fits half of the
#' records and more are unclipped.
#' @param x (list) With `steps` and `family`.
#' @noRd
is_saturated <- function(x) {
  last <- x$steps[[length(x$steps)]]
  !x$family$kind %in% c("binary", "categorical") &&
    last$share + 2 * last$share_noise < 0.15
}

#' Warn of it: the share is released
#' @param stated (flag) Was the reference stated? That of a file release comes
#'   from its noisy margin.
#' @noRd
warn_saturated <- function(x, stated = TRUE) {
  saturated <- is_saturated(x)
  if (saturated) {
    why <- c(
      "The noisy margin says too little about where values lie.",
      i = "Spend more {.arg epsilon}, or state the amount's values as levels."
    )
    if (stated) why <- c(
      "The {.arg reference} is too far from the file.",
      i = "State an intercept and a scale closer to the file, from public
           sources. The cost of this release is already spent."
    )
    warn_of(
      "reference", why[1], x = "Nearly all scores of the last step are clipped:
      coefficients are only known to lie beyond some value, and their intervals
      are invalid.", why[2]
    )
  }
  invisible(saturated)
}

#' Coefficients whose linear predictor varies as much as the file's does
#'
#' A posterior mean lies closer to 0 than coefficients of the posterior, and
#' predictors of a set are less related than the file's: sets drawn from it have
#' too weak relations. The slopes grow in common; the mean of the linear
#' predictor stays.
#' @param posterior (list) `mean`, `covariance`.
#' @param rows (list) See distinct_rows().
#' @param prior (list) `slopes` (integer), which coefficients; the others sum up
#'   to the mean, but that of what earlier amounts say, `curve`, which is known.
#' @param hidden (number) What the rows hide of the linear predictor's variance,
#'   as a share of what they show.
#' @noRd
with_lost_variance <- function(posterior, rows, prior, hidden = 0) {
  kept <- setdiff(seq_along(posterior$mean), prior$curve)
  b <- posterior$mean[kept]
  slopes <- match(prior$slopes, kept)
  share <- rows$count / sum(rows$count)
  means <- drop(crossprod(rows$x, share))
  gram <- gram_of_rows(rows, share) - tcrossprod(means)
  means <- means[kept]
  gram <- gram[kept, kept]
  shown <- drop(crossprod(b, gram %*% b))
  lost <- sum(gram * posterior$covariance[kept, kept])
  # Where next to nothing is known of them, noise is not made larger
  factor <- if (shown > 1e-8 * lost) {
    min(1.5, sqrt((1 + max(0, lost) / shown) * (1 + hidden)))
  } else {
    1
  }
  level <- setdiff(seq_along(b), slopes)
  centre <- sum(means * b)
  b[level] <- centre - factor * (centre - b[level])
  b[slopes] <- factor * b[slopes]
  replace(posterior$mean, kept, b)
}

#' The variance of a typical record's linear predictor
#' @noRd
typical_variance <- function(covariance, file) {
  gram <- design_gram_(file$products, file$count, default_threads())
  sum(covariance * gram) / sum(file$count)
}
