# Axes of some columns, of arbitrary covariances
some_axes <- function(levels) {
  lapply(levels, function(l) {
    axes_of(crossprod(matrix(stats::rnorm(l * l), l)))
  })
}

shrunk_residual <- function(residual, axes, variance) {
  shrunk_residuals(
    list(as.double(residual)), list(seq_along(axes)), axes, variance
  )[[1]]
}

test_that("axes are orthonormal, sum to 0 and bring every centred table back", {
  withr::local_seed(1)
  levels <- c(3, 4, 2)
  axes <- some_axes(levels)
  for (j in 1:3) {
    own <- axes[[j]]
    expect_equal(dim(own$axes), c(levels[j], levels[j] - 1))
    expect_equal(crossprod(own$axes), diag(levels[j] - 1))
    expect_equal(colSums(own$axes), numeric(levels[j] - 1))
    expect_equal(mean(own$size), 1)
    expect_true(all(own$size > 0))
  }
  table <- centred_table(stats::rnorm(24), levels)
  along <- along_axes(table, axes)
  expect_length(along, 2 * 3 * 1)
  expect_equal(from_axes(along, axes), table)
  # Noise keeps its variance: lengths stay
  expect_equal(sum(along^2), sum(table^2))
  # By base R, for two columns
  pair <- matrix(centred_table(stats::rnorm(12), levels[1:2]), 3)
  expect_equal(
    along_axes(pair, axes[1:2]),
    as.vector(crossprod(axes[[1]]$axes, pair %*% axes[[2]]$axes))
  )
  # A column of one level has no direction
  expect_identical(dim(axes_of(matrix(1))$axes), c(1L, 0L))
})

test_that("a table is shrunk to the mean of its normal posterior", {
  withr::local_seed(2)
  axes <- some_axes(c(3, 4))
  residual <- centred_table(stats::rnorm(12, 0, 30), c(3, 4))
  told <- told_of(residual, axes, 50)
  expect_gt(told$t, 0)
  # Y = D + E, of covariances on the cells that are known
  centre <- function(l) diag(l) - 1 / l
  signal <- told$t *
    kronecker(covariance_of(axes[[2]]), covariance_of(axes[[1]]))
  noise <- 50 * kronecker(centre(4), centre(3))
  found <- eigen(signal + noise, symmetric = TRUE)
  own <- found$vectors[, 1:6]
  inverse <- own %*% (1 / found$values[1:6] * t(own))
  expect_equal(
    shrunk_residual(residual, axes, 50), drop(signal %*% inverse %*% residual)
  )
  # What is left unknown: the posterior's variance, along the axes
  left <- signal - signal %*% inverse %*% signal
  expect_equal(sum(told$variance), sum(diag(left)))
  # Nothing but noise is left out
  expect_identical(shrunk_residual(residual, axes, 1e6), numeric(12))
})

test_that("the size of interactions is the likeliest one", {
  withr::local_seed(3)
  varies <- stats::rexp(400) + 0.1
  for (truth in c(0.3, 4, 100)) {
    seen <- stats::rnorm(400, 0, sqrt(truth * varies + 2))
    loss <- function(t) {
      -sum(stats::dnorm(seen, 0, sqrt(t * varies + 2), log = TRUE))
    }
    best <- stats::optimize(function(x) loss(exp(x)), c(-8, 8))$minimum
    # Within a step of the grid
    expect_lt(abs(log(test_likeliest_size_(seen^2, varies, 2)) - best), log(2))
  }
  # Of equal sizes it is the mean square beyond the noise's, 0 where that is 0
  expect_identical(test_likeliest_size_(rep(1, 10), rep(1, 10), 2), 0)
})

test_that("a round gives what is expected of a column's covariance", {
  withr::local_seed(4)
  axes <- some_axes(c(3, 4))
  residual <- centred_table(stats::rnorm(12, 0, 30), c(3, 4))
  told <- told_of(residual, axes, 20)
  drawn <- function() {
    from_axes(
      told$mean + sqrt(told$variance) * stats::rnorm(length(told$mean)), axes
    )
  }
  draws <- replicate(20000, {
    d <- matrix(drawn(), 3)
    own <- d %*% axes[[2]]$axes
    own %*% (1 / axes[[2]]$size * t(own)) / told$t
  })
  # Of the first column, in the levels' own coordinates
  moment_of <- function(columns, residual) {
    found <- axis_moments_(list(columns), list(residual), axes, 20)
    expect_equal(found$count, c(3, 2))
    axes[[1]]$axes %*% tcrossprod(found$moments[[1]], axes[[1]]$axes)
  }
  found <- moment_of(1:2, residual)
  error <- apply(draws, 1:2, stats::sd) / sqrt(20000)
  expect_lt(max(abs(found - apply(draws, 1:2, mean)) / error), 5.5)
  # The other side of the turned table is the same
  expect_equal(moment_of(2:1, as.vector(t(matrix(residual, 3)))), found)
  # What is only noise tells nothing
  none <- axis_moments_(list(1:2), list(residual), axes, 1e6)
  expect_equal(none$count, c(0, 0))
  expect_true(all(unlist(none$moments) == 0))
})

# Interactions of one column of `l` levels with others, in one direction only
in_one_direction <- function(l, others, variance, n = 1e4) {
  curve <- seq_len(l) - mean(seq_len(l))
  curve <- curve / sqrt(sum(curve^2))
  lapply(seq_len(others), function(k) {
    truth <- outer(curve, as.vector(scale(stats::rnorm(4), scale = FALSE)) * 60)
    noise <- stats::rnorm(length(truth), 0, sqrt(variance))
    list(
      columns = c(1L, k + 1L), variance = variance, truth = as.vector(truth),
      residual = as.vector(truth) + centred_table(noise, c(l, 4))
    )
  })
}

test_that("a direction that many tables share is found, the rest left out", {
  withr::local_seed(5)
  pairs <- in_one_direction(12, 30, 400)
  margins <- c(list(rep(1, 12)), rep(list(rep(1, 4)), 30))
  axes <- level_axes(pairs, margins)
  first <- axes[[1]]$axes[, 1]
  curve <- seq_len(12) - 6.5
  expect_gt(abs(sum(first * curve)) / sqrt(sum(curve^2)), 0.95)
  # 6 and .6; beforehand 1 and 1
  expect_gt(axes[[1]]$size[1], 5 * axes[[1]]$size[2])
  # Alone, each table would be shrunk in all directions alike
  flat <- lapply(margins, function(margin) axes_of(expected_alike(margin)))
  off <- function(axes) {
    mean(vapply(pairs, function(pair) {
      sum((shrunk_residual(
        pair$residual, axes[pair$columns], pair$variance
      ) - pair$truth)^2)
    }, 0))
  }
  # Less than half, here
  expect_lt(off(axes), 0.6 * off(flat))
  # Noise alone is not taken for a direction: next to nothing is kept
  noise <- lapply(pairs, function(pair) {
    pair$residual <- pair$residual - pair$truth
    pair
  })
  axes <- level_axes(noise, margins)
  kept <- vapply(noise, function(pair) {
    sum(shrunk_residual(
      pair$residual, axes[pair$columns], pair$variance
    )^2) / sum(pair$residual^2)
  }, 0)
  expect_lt(mean(kept), 0.1)
})

test_that("what other tables told of a column is what its axes start from", {
  withr::local_seed(6)
  margins <- c(list(rep(1, 12)), rep(list(rep(1, 4)), 30))
  first <- level_axes(in_one_direction(12, 30, 400), margins)
  # Thirty tables of four levels tell of 12 levels as much as 30 (4 - 1) / 12 do
  assumed <- alike$told / (30 * 3 / 12)
  expect_lte(first[[1]]$tables, assumed + 30 * 3 / 12)
  # A few are all noise
  expect_gte(first[[1]]$tables, assumed + 25 * 3 / 12)
  alone <- level_axes(list(), list(rep(1, 12), c(5, 3), 7), list(first[[1]]))
  expect_equal(covariance_of(alone[[1]]), covariance_of(first[[1]]))
  expect_identical(alone[[1]]$tables, first[[1]]$tables)
  # Of others nothing is known beforehand
  expect_equal(
    covariance_of(alone[[2]]), expected_alike(c(5, 3)), ignore_attr = TRUE
  )
  expect_identical(alone[[2]]$tables, alike$tables)
  expect_identical(dim(alone[[3]]$axes), c(1L, 0L))
  pairs <- in_one_direction(12, 1, 400)
  expect_identical(
    level_axes(pairs, margins[1:2], vector("list", 2)),
    level_axes(pairs, margins[1:2])
  )
  # A further table alone tells less of the direction than the others do
  off <- function(known) {
    mean(replicate(60, {
      pair <- in_one_direction(12, 1, 2500)
      axes <- level_axes(pair, margins[1:2], known)
      sum((
        shrunk_residual(pair[[1]]$residual, axes, 2500) - pair[[1]]$truth
      )^2)
    }))
  }
  # About half, here
  expect_lt(off(list(first[[1]], NULL)), 0.8 * off(NULL))
  # Whatever is known: without noise a table is what it is
  axes <- level_axes(pairs, margins[1:2], list(first[[1]], NULL))
  expect_equal(
    shrunk_residual(pairs[[1]]$residual, axes, 1e-9), pairs[[1]]$residual,
    tolerance = 1e-6
  )
  expect_identical(
    shrunk_residual(pairs[[1]]$residual, axes, 1e9), numeric(48)
  )
})

test_that("bins beside each other are expected to be alike", {
  margin <- rep(10, 12)
  found <- neighbours_alike(margin, seq_along(margin), alike_bins)
  varies <- covariance_of(found)
  expect_equal(rowSums(varies), rep(0, 12), ignore_attr = TRUE)
  expect_equal(mean(found$size), 1)
  correlation <- stats::cov2cor(varies)
  own <- stats::cov2cor(expected_alike(margin))
  expect_gt(correlation[6, 7], own[6, 7] + 0.2)
  expect_lt(correlation[1, 12], correlation[6, 7])
  # A bin that has nothing, or bins alone
  empty <- neighbours_alike(c(0, 3, 0), 1:3, alike_bins)
  expect_true(all(is.finite(unlist(empty))))
  expect_length(neighbours_alike(7, 1, alike_bins)$size, 0)
})

test_that("noisy tables of bins are nearer to smooth ones so", {
  withr::local_seed(8)
  levels <- c(4, 3, 12)
  margin <- rep(500, 12)
  errors <- replicate(40, {
    truth <- lapply(levels[1:2], function(l) {
      b <- stats::rnorm(l)
      as.vector(centred_table(outer(b, 100 * cos(1:12 / 4)), c(l, 12)))
    })
    noisy <- lapply(truth, function(x) x + stats::rnorm(length(x), sd = 80))
    noisy <- Map(centred_table, noisy, lapply(levels[1:2], c, 12))
    expected <- lapply(levels[1:2], function(l) rep(500 / l, l * 12))
    found <- shrunk_tables(noisy, expected, levels, c(6400, 6400))
    pairs <- lapply(1:2, function(t) {
      list(columns = c(t, 3), residual = noisy[[t]], variance = 6400)
    })
    axes <- level_axes(pairs, list(rep(1, 4), rep(1, 3), margin))
    flat <- lapply(pairs, function(pair) {
      shrunk_residual(pair$residual, axes[pair$columns], 6400)
    })
    far <- function(x) sum((unlist(x) - unlist(truth))^2)
    c(found = far(found), flat = far(flat))
  })
  expect_lt(mean(errors["found", ]), 0.9 * mean(errors["flat", ]))
})

test_that("the fewer tables a column has, the more is assumed beforehand", {
  pairs <- lapply(list(1:2, c(1, 3), c(1, 4)), function(columns) {
    list(columns = columns)
  })
  # Three tables of 40 levels tell much of 4; one of 4 levels little of 40
  expect_equal(
    assumed_tables(pairs, c(4, 41, 41, 41, 9)),
    c(alike$told / (3 * 40 / 4), rep(alike$tables, 4))
  )
  expect_equal(assumed_tables(pairs[1], c(5, 16)), c(4 / (15 / 5), 2))
})

test_that("two wide columns that have nothing to do with each other stay so", {
  withr::local_seed(9)
  l <- c(50, 40)
  margins <- lapply(l, function(levels) rep(2e4 / levels, levels))
  size <- replicate(5, {
    noise <- centred_table(stats::rnorm(prod(l), sd = 40), l)
    pair <- list(columns = 1:2, residual = noise, variance = 1600)
    axes <- level_axes(list(pair), margins)
    sum(shrunk_residual(noise, axes, 1600)^2) / sum(noise^2)
  })
  # Assumed as half a table it is four times as much
  expect_lt(mean(size), 0.002)
})

test_that("levels of an order are alike beside each other, others to none", {
  margin <- c(40, 10, 20, 30, 25)
  varies <- function(order, near) {
    unname(covariance_of(neighbours_alike(margin, order, near)))
  }
  near <- list(share = 0.8, reach = 0.5)
  # By a naive loop: levels 2, 4, 1 stand in this order, 3 and 5 in none
  order <- c(2, 4, 1)
  share <- margin / sum(margin)
  at <- rep(NA, 5)
  below <- 0
  for (j in order) {
    at[j] <- below + share[j] / 2
    below <- below + share[j]
  }
  alike <- diag(5)
  for (i in order) {
    for (j in order) alike[i, j] <- exp(-abs(at[i] - at[j]) / 0.5)
  }
  centre <- diag(5) - outer(rep(1, 5), share)
  raw <- t(centre) %*% (outer(share, share) * alike) %*% centre
  expected <- 0.2 * expected_alike(margin) + 0.8 * raw * 4 / sum(diag(raw))
  expect_equal(varies(order, near), expected * 4 / sum(diag(expected)))
  # Without an order, or none of it believed, as of any column
  none <- level_axes(list(), list(margin))[[1]]
  told <- function(order) {
    level_axes(list(), list(margin), order = list(order))[[1]]
  }
  expect_equal(covariance_of(told(NULL)), covariance_of(none))
  expect_equal(covariance_of(told(1:2)), covariance_of(none))
  expect_equal(
    varies(1:5, list(share = 0, reach = 1)), unname(covariance_of(none))
  )
  expect_gt(max(abs(covariance_of(told(1:5)) - covariance_of(none))), 0.1)
})

test_that("noisy tables of a column in order are nearer if that is known", {
  withr::local_seed(3)
  margins <- list(rep(500, 12), rep(1200, 5))
  off <- replicate(40, {
    # What varies along the first column is smooth in its order
    smooth <- apply(matrix(stats::rnorm(60, 0, 40), 12), 2, cumsum)
    residual <- centred_table(smooth, c(12, 5))
    noisy <- residual + centred_table(stats::rnorm(60, 0, 120), c(12, 5))
    pair <- list(list(columns = 1:2, residual = noisy, variance = 120^2))
    orders <- list(NULL, list(1:12, NULL), list(sample(12), NULL))
    vapply(orders, function(order) {
      axes <- level_axes(pair, margins, order = order)
      sum((shrunk_residual(noisy, axes, 120^2) - residual)^2)
    }, 0)
  })
  off <- sqrt(rowMeans(off))
  expect_lt(off[2], 0.9 * off[1])
  # A wrong order does no great harm
  expect_lt(off[3], 1.1 * off[1])
})
