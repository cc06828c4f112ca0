# Sets that a file release may have come from: what is released is drawn without
# its noise, from its posterior, and records are fitted to that. The variance
# between sets is then what the noise hides, and Rubin's rules hold: see
# score_release-draw.R.

# The prior variance of interactions beside that of the best set. A few cells
# are far from what is typical of their table: shrunk as the best set has them,
# their intervals held the truth in 78% of files; with 4, in 88%, and all are 3%
# longer (60 files, epsilon 1). Tables of amounts have it as it is: of a level
# with few amounts a wider one is mostly noise, which counts cannot follow below
# 0, and pulls the level's mean to that of all.
uncertain_prior <- 4

#' Records fitted to tables drawn from their posterior
#'
#' All sets have the released number of records. Where it is noisy, tables are
#' those of another number of records in each set, and are scaled.
#' @param block (list) See release_plan().
#' @param random (function of a count) Gives uniform numbers.
#' @return (integer matrix)
#' @noRd
draw_uncertain_block <- function(block, random) {
  n <- round(block$n)
  size <- max(
    1, block$n + sqrt(size_variance(block)) * stats::qnorm(random(1))
  )
  nearest <- function(noisy, variance) {
    if (is.na(variance)) noisy else drawn_counts(noisy, variance, random)
  }
  told <- drawn_residuals(random)
  drawn <- block
  parts <- c("derived", "margins", "targets", "pooled_targets")
  drawn[parts] <- told_by_tables(
    block, size, block$rules, block$derived, nearest, told
  )[parts]
  scale <- n / size
  # Published columns have their own number of records, which is public
  drawn$margins <- lapply(drawn$margins, `*`, scale)
  fitted <- c("targets", "pooled_targets")
  drawn[fitted] <- lapply(drawn[fitted], lapply, function(one) {
    one$target <- one$target * scale
    one
  })
  drawn$n <- n
  words <- floor(random(2) * 2^32)
  draw_block(drawn, 1, n, words)[[1]]
}

#' Counts of the posterior: normal around noisy ones, none below 0, of the same
#' total
#'
#' Gibbs moves of pairs of cells, whose sum stays.
#' @param noisy (double)
#' @param variance (number) Of the noise, before it was centred.
#' @param random (function of a count)
#' @noRd
drawn_counts <- function(noisy, variance, random, sweeps = 25) {
  size <- length(noisy)
  counts <- project_counts(noisy)
  if (size < 2) {
    return(counts)
  }
  deviation <- sqrt(variance)
  if (min(noisy) > 6 * deviation) {
    moved <- deviation * stats::qnorm(random(size))
    return(pmax(noisy + moved - mean(moved), 0))
  }
  for (sweep in seq_len(sweeps)) {
    order <- order(random(size))
    half <- seq_len(size %/% 2)
    a <- order[half]
    b <- order[half + size %/% 2]
    total <- counts[a] + counts[b]
    centre <- (total + noisy[a] - noisy[b]) / 2
    counts[a] <- truncated_normal(
      centre, deviation / sqrt(2), 0, total, random(length(a))
    )
    counts[b] <- total - counts[a]
  }
  counts
}

#' Normal numbers between two ends, from uniform ones
#'
#' In the tail that is nearer, so that far ends lose no digits.
#' @noRd
truncated_normal <- function(centre, deviation, low, high, u) {
  flip <- centre < low
  sign <- ifelse(flip, -1, 1)
  from <- ifelse(flip, centre - high, low - centre) / deviation
  to <- ifelse(flip, centre - low, high - centre) / deviation
  below <- stats::pnorm(from)
  x <- stats::qnorm(below + u * (stats::pnorm(to) - below))
  clamp(centre + sign * deviation * clamp(x, from, to), low, high)
}

#' What draws interactions one after the other, where shrunk_residuals() has
#' means
#' @noRd
drawn_residuals <- function(random, prior = uncertain_prior) {
  function(residuals, columns, axes, variance) {
    Map(function(residual, own, variance) {
      drawn_residual(residual, axes[own], variance, random, prior)
    }, residuals, columns, variance)
  }
}

#' An interaction drawn from its posterior
#'
#' As shrunk_residuals(), under a wider prior whose size is drawn from its own
#' posterior: flat in its standard deviation, on a grid.
#' @inheritParams told_of
#' @param random (function of a count)
#' @param prior (number) See uncertain_prior.
#' @noRd
drawn_residual <- function(residual, axes, variance, random,
                           prior = uncertain_prior) {
  varies <- varies_along(axes)
  seen <- along_axes(residual, axes)
  # All squares in units of the noise's variance
  square <- seen^2 / variance
  most <- sqrt(mean(square) / mean(varies) + 1) * 3
  ratio <- (seq(0, most, length.out = 200))^2
  fit <- vapply(ratio, function(t) {
    -sum(log1p(t * varies) + square / (1 + t * varies)) / 2
  }, 0)
  share <- cumsum(exp(fit - max(fit)))
  signal <- ratio[findInterval(random(1) * share[200], share) + 1]
  signal <- prior * signal * varies
  kept <- signal / (signal + 1)
  drawn <- seen * kept + sqrt(variance * kept) *
    stats::qnorm(random(length(seen)))
  from_axes(drawn, axes)
}

# Amounts ----------------------------------------------------------------------

#' The coefficients that a file's own sums would tell, given the noisy ones
#'
#' Flat estimates are the file's plus noise, and the file's are the
#' population's, which the prior is of, plus those of a sample.
#' @param found (list) See both_posteriors().
#' @param prior (list) `location`, `scale`.
#' @return (list) `mean` and `covariance`.
#' @noRd
file_coefficients <- function(found, steps, prior) {
  unknown <- found$unknown
  found <- found$stated
  weighed <- solve(found$noise, found$slope)
  # Next to no prior, as in both_posteriors()
  flat_prior <- diag(1e-3 / prior$scale^2, length(prior$scale))
  whole <- solve_scaled(found$information + flat_prior)
  flat <- found$mean + drop(whole %*% found$pull)
  noise <- rep(vapply(steps, `[[`, 0, "noise")^2, each = length(flat))
  noise <- diag(noise, length(noise)) + unknown
  hidden <- whole %*% crossprod(weighed, noise %*% weighed) %*% whole
  spread <- diag(prior$scale^2, length(flat)) + whole
  kept <- diag(length(flat)) - hidden %*% solve_scaled(spread)
  covariance <- kept %*% hidden
  list(
    mean = prior$location + drop(kept %*% (flat - prior$location)),
    covariance = (covariance + t(covariance)) / 2
  )
}

#' An amount whose coefficients, margin and tables are drawn from their
#' posterior
#' @param amount (list) See release_amount().
#' @param like (list) Of the set's records with values, see amount_predictors().
#' @noRd
uncertain_amount <- function(amount, like, random) {
  file <- amount$file
  # Beside the mode of the noisy margin: its law is the best one's
  amount$counts <- drawn_margin(known_margin(amount), random)
  amount$draws$mean <- file$mean + drop(crossprod(
    positive_root(file$covariance), stats::qnorm(random(length(file$mean)))
  ))
  tables <- amount$tables
  if (is.null(tables) || nrow(like$codes) == 0) {
    return(amount)
  }
  bins <- length(tables$breaks) + 1L
  expected <- expected_bins(
    amount, like$codes, tables$breaks, amount$n,
    shared_count(like$share, amount$n), like$left
  )
  amount$tables$excess <- shrunk_tables(
    tables$residuals, expected[tables$columns],
    c(amount$levels[tables$columns], bins), tables$noise$variance,
    tables$known,
    drawn_residuals(random, prior = 1)
  )
  amount
}

#' R with R'R a covariance, which rounding may have made slightly indefinite
#' @noRd
positive_root <- function(covariance) {
  found <- eigen(covariance, symmetric = TRUE)
  sqrt(pmax(found$values, 0)) * t(found$vectors)
}
