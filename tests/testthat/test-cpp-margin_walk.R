# The same walk in plain R, and random numbers of the core in their order
walk_in_r <- function(margin, draws, steps, words) {
  numbers <- uniforms_(4e5, words, 0L)
  taken <- 0
  uniform <- function() {
    taken <<- taken + 1
    numbers[taken]
  }
  # Marsaglia's polar method: normal numbers come in pairs
  spare <- NULL
  normal <- function() {
    if (!is.null(spare)) {
      value <- spare
      spare <<- NULL
      return(value)
    }
    repeat {
      u <- 2 * uniform() - 1
      v <- 2 * uniform() - 1
      s <- u^2 + v^2
      if (s < 1 && s > 0) break
    }
    factor <- sqrt(-2 * log(s) / s)
    spare <<- v * factor
    u * factor
  }
  shares_at <- function(d) {
    ratio <- margin$log_law + margin$mode + d
    p <- exp(ratio - max(ratio))
    p / sum(p)
  }
  near <- function() {
    z <- vapply(margin$noisy, function(one) normal(), 0)
    backsolve(margin$factor, z)
  }
  # The log density beside that of the normal approximation
  beside <- function(d) {
    miss <- margin$noisy - sum(margin$noisy) * shares_at(d)
    ratio <- margin$mode + d
    loss <- sum(miss * (margin$known %*% miss)) +
      sum(ratio * (margin$precision %*% ratio))
    (sum((margin$factor %*% d)^2) - loss) / 2
  }
  d <- near()
  step <- function() {
    other <- near()
    least <- beside(d) + log(uniform())
    angle <- 2 * pi * uniform()
    ends <- c(angle - 2 * pi, angle)
    for (k in 1:38) {
      new <- d * cos(angle) + other * sin(angle)
      if (beside(new) > least) {
        d <<- new
        return()
      }
      ends[(angle > 0) + 1] <- angle
      angle <- ends[1] + uniform() * (ends[2] - ends[1])
    }
  }
  vapply(seq_len(draws), function(k) {
    for (s in seq_len(steps[if (k == 1) 1 else 2])) step()
    shares_at(d)
  }, margin$noisy)
}

margin_case <- function(k, noise = 3, scale = 20) {
  withr::with_seed(k, {
    law <- stats::dnorm(seq(-3, 3, length.out = k)) + 1e-3
    law <- law / sum(law)
    root <- diag(k) * 0.7 + 0.3 * outer(1:k, 1:k, function(i, j) {
      exp(-abs(i - j) / 2)
    })
    noisy <- k * scale * law + noise * stats::rnorm(k)
    precision <- solve(root)
    known <- diag(k) / noise^2 + 0.002
  })
  fit <- ratio_mode(
    noisy, known, log(law), list(precision = precision, root = chol(root)),
    numeric(k)
  )
  list(
    noisy = noisy, known = known, log_law = log(law), precision = precision,
    mode = fit$ratio, factor = fit$factor
  )
}

test_that("a walk over margins takes the steps that it should", {
  # Few records make slices that are left at many angles
  for (scale in c(20, 1)) {
    margin <- margin_case(7, scale = scale)
    expect_equal(
      walk_margin_(margin, 25L, c(5L, 3L), c(11, 12)),
      walk_in_r(margin, 25, c(5, 3), c(11, 12)),
      tolerance = 1e-8
    )
  }
  one <- walk_margin_(margin, 1L, c(0L, 0L), c(1, 2))
  expect_equal(one, walk_in_r(margin, 1, c(0, 0), c(1, 2)))
  expect_false(identical(walk_margin_(margin, 1L, c(0L, 0L), c(1, 3)), one))
})

test_that("places of a walk over margins are draws of their density", {
  # Of two bins one ratio tells all: the other is integrated out on a grid
  margin <- margin_case(2, noise = 2, scale = 4)
  u <- seq(-9, 9, length.out = 601)
  grid <- as.matrix(expand.grid(u, u))
  p <- stats::plogis(grid[, 1] - grid[, 2] + diff(rev(margin$log_law)))
  n <- sum(margin$noisy)
  miss <- cbind(margin$noisy[1] - n * p, margin$noisy[2] - n * (1 - p))
  loss <- rowSums(miss * (miss %*% margin$known)) +
    rowSums(grid * (grid %*% margin$precision))
  weight <- exp((min(loss) - loss) / 2)
  weight <- weight / sum(weight)
  draws <- by_night(2e5, 2e4)
  drawn <- walk_margin_(margin, draws, c(30L, 3L), c(5, 6))
  expect_equal(colSums(drawn), rep(1, draws))
  for (at in c(0.3, 0.5, 0.7, 0.9)) {
    share <- sum(weight[p <= at])
    error <- sqrt(share * (1 - share) / draws)
    expect_lt(abs(mean(drawn[1, ] <= at) - share), 6 * error + 2e-3)
  }
  truth <- sum(weight * p)
  spread <- sqrt(sum(weight * (p - truth)^2))
  expect_lt(abs(mean(drawn[1, ]) - truth), 6 * spread / sqrt(draws))
  expect_equal(stats::sd(drawn[1, ]), spread, tolerance = 0.05)
})

test_that("a margin that is no margin is an error", {
  margin <- margin_case(4)
  for (part in names(margin)) {
    wrong <- margin
    wrong[[part]] <- wrong[[part]][-1]
    expect_error(walk_margin_(wrong, 2L, c(3L, 3L), c(1, 2)), "Expected")
  }
  expect_error(walk_margin_(margin, 2L, 3L, c(1, 2)), "two numbers of steps")
  margin$log_law[2] <- NaN
  expect_error(walk_margin_(margin, 2L, c(3L, 3L), c(1, 2)), "no density")
})
