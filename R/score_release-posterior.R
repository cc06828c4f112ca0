# The posterior of the coefficients given noisy sums and their known noise:
# normal at its mode, from public numbers and released ones alone.

#' @param family (`synth_family`)
#' @param x (matrix, R x P), count (integer, R) The distinct design rows.
#' @param steps (list) See step_of_file().
#' @param start (double, P)
#' @param location,scale (double, P) Of the normal prior.
#' @return (list) `mean`, `covariance`, `sigma` (of a location model's errors),
#'   and of the sums alone, at `mean`: `information` and `pull`.
#' @noRd
score_posterior <- function(family, x, count, steps, start, location, scale,
                            sigma = NULL, rounds = 6) {
  b <- start
  for (round in seq_len(rounds)) {
    sums <- score_quadratic(family, x, count, steps, b, sigma)
    sigma <- sums$sigma
    precision <- diag(1 / scale^2, length(b)) + sums$information
    change <- solve(precision, sums$pull + (location - b) / scale^2)
    # Far from the mode the clip flattens the sums: no step leaves their reach
    largest <- max(abs(x %*% change)) / (sigma %||% 1)
    change <- change * min(1, 3 / largest)
    b <- b + change
    if (largest < 0.05) break
  }
  sums$pull <- sums$pull - drop(sums$information %*% change)
  c(list(mean = b, covariance = solve(precision)), sums)
}

#' The log-likelihood of noisy sums around some coefficients, to second order
#'
#' All steps are sums over the same records: what the sample does to one it does
#' to the others, too.
#' @return (list) `information`, `pull` (its gradient), `sigma`.
#' @noRd
score_quadratic <- function(family, x, count, steps, b, sigma) {
  eta <- drop(x %*% b)
  if (is_location(family)) {
    sigma <- released_sigma(family, steps[[length(steps)]], eta, count)
  }
  found <- lapply(steps, function(step) {
    expected <- expected_scores(family, step$at, step$clip, sigma)(eta)
    list(
      slope = crossprod(step$z, count * expected$slope * x),
      miss = step$sum - drop(crossprod(step$z, count * expected$mean))
    )
  })
  slope <- do.call(rbind, lapply(found, `[[`, "slope"))
  miss <- unlist(lapply(found, `[[`, "miss"))
  noise <- sample_covariance(family, steps, eta, sigma, count)
  diag(noise) <- diag(noise) +
    rep(vapply(steps, `[[`, 0, "noise")^2, each = length(b))
  weighed <- solve(noise, slope)
  list(
    information = crossprod(slope, weighed), pull = drop(crossprod(weighed, miss)),
    sigma = sigma
  )
}

#' The covariance of all sums that the sample of records has
#'
#' That of a record's clipped scores in two steps is averaged over two hundred
#' typical records.
#' @noRd
sample_covariance <- function(family, steps, eta, sigma, count) {
  place <- cumsum(as.double(count)) / sum(count)
  some <- findInterval((0:199 + 0.5) / 200, place) + 1
  outcomes <- family_outcomes(family, eta[some], sigma)
  scores <- lapply(steps, function(step) {
    at <- step$at[some]
    u <- clamp(
      scores_at(family, outcomes$value, at), -step$clip, step$clip
    )
    u - rowSums(outcomes$weight * u)
  })
  rows <- lapply(seq_along(steps), function(k) {
    do.call(cbind, lapply(seq_along(steps), function(l) {
      together <- mean(rowSums(outcomes$weight * scores[[k]] * scores[[l]]))
      # The same weights in both: one product serves
      square <- if (identical(steps[[k]]$z, steps[[l]]$z)) {
        steps[[k]]$squares
      } else {
        crossprod(steps[[k]]$z, count * steps[[l]]$z)
      }
      together * square
    }))
  })
  do.call(rbind, rows)
}

#' The scale of the errors, from the noisy share of unclipped records
#' @noRd
released_sigma <- function(family, step, eta, count) {
  # A hundred quantiles of how far the scores' centres are from eta serve all
  d <- eta - step$at
  order <- order(d)
  place <- cumsum(as.double(count[order])) / sum(count)
  some <- d[order][findInterval((0:99 + 0.5) / 100, place) + 1]
  scale_of_share(
    family, clamp(step$share, 0.02, 0.98), step$clip, some,
    step$clip * c(0.05, 50)
  )
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
    likelihood, 2 * log(stated * c(0.01, 1)),
    maximum = TRUE
  )$maximum)
}

#' Posterior under the stated prior, under that of the estimated variance, and
#' that variance
#' @param prior (list) `location`, `scale` (P each), `slopes` (which columns).
#' @return (list) `stated` and `shrunk`, see score_posterior(); `slope_scale`.
#' @noRd
both_posteriors <- function(family, x, count, steps, start, prior, sigma) {
  fit <- function(scale, start) {
    score_posterior(
      family, x, count, steps, start, prior$location, scale, sigma
    )
  }
  stated <- fit(prior$scale, start)
  # What the sums say without a prior, next to none for where they say nothing
  flat <- stated$information + diag(1e-3 / prior$scale^2, length(start))
  alone <- list(
    mean = stated$mean + drop(solve(flat, stated$pull)),
    covariance = solve(flat)
  )
  slopes <- prior$slopes
  variance <- slope_variance(alone, slopes, prior$scale[slopes][1])
  scale <- prior$scale
  scale[slopes] <- sqrt(variance)
  list(
    stated = stated, shrunk = fit(scale, stated$mean),
    slope_scale = sqrt(variance)
  )
}
