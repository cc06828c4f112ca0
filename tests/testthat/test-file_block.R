levels <- c(2L, 3L, 5L, 4L)

test_that("every record costs the budget, no more under its own relation", {
  withr::local_seed(1)
  codes <- leaning_codes(800, levels)
  hybrid <- c(TRUE, FALSE, FALSE, TRUE)
  for (published in list(rep(FALSE, 4), hybrid)) {
    for (neighbours in relation_names) {
      for (stated in list(list(), list(1:3), list(1:4))) {
        release <- block_of(
          codes, levels, 0.3, published = published, tables = stated,
          neighbours = neighbours
        )
        g <- release$noise$variance
        secret <- neighbours == "add-remove" && !any(published)
        budget <- 0.09 * (1 - 0.02 * secret)
        dropped <- sum(release$noise$squared / g)
        # Both looks at all pairs
        replaced <- sum(vapply(release$looks, function(look) {
          replaced_cost(
            release$tables[look$at], levels, published, look$noise$variance
          )
        }, 0))
        spent <- if (neighbours == "replace") replaced else dropped
        expect_lte(spent, budget)
        expect_gt(spent, budget * (1 - 1e-5))
        # What is charged, written down beforehand, covers both
        paid <- plan_charges(release$costs)
        rho <- colSums(paid[c("rho_add_remove", "rho_replace")])
        expect_lte(replaced / 2, rho[[2]])
        expect_lte(dropped / 2 + 0.09 * 0.01 * secret, rho[[1]] * (1 + 1e-9))
        own <- rho[[match(neighbours, relation_names)]]
        expect_lte(own, 0.09 / 2 * (1 + 1e-9))
        expect_identical(nrow(paid), 1L + secret)
        # Gaps of all noisy numbers
        gaps <- sum(vapply(release$looks, function(look) {
          sum(gaussian_gap(look$noise$scale, look$noise$cells))
        }, 0))
        expect_lte(gaps, sum(paid$gap))
        expect_lte(sum(paid$gap) * (1 + exp(10)), 1e-8 * (1 + 1e-9))
      }
    }
  }
})

test_that("noise is divided as the design says", {
  plan <- plan_block(levels, rep(FALSE, 4), list(1:3), 0.2, "add-remove", 1e-6)
  found <- allocate_noise(plan, 1000)
  k <- (levels - 1) / levels
  budget <- 0.04 * 0.98
  expect_equal(plan$squared, budget)
  pairs <- utils::combn(4, 2)
  p2 <- k[pairs[1, ]] * k[pairs[2, ]]
  cells <- levels[pairs[1, ]] * levels[pairs[2, ]]
  v2 <- p2 * cells
  alone <- sqrt(p2 / v2) * sum(sqrt(v2 * p2)) / budget
  w1 <- min(30, max(1, 70 * mean(0.4 * cells * sqrt(alone) / 1000)))
  v1 <- vapply(1:4, function(j) w1 * sum(k[j] * levels[j] / levels[-j]), 0) *
    levels / mean(levels)
  p <- c(k, p2, prod(k[1:3]))
  v <- c(v1, v2, 5 * prod(k[1:3]) * prod(levels[1:3]))
  expect_equal(found, sqrt(p / v) * sum(sqrt(v * p)) / budget)
  expect_equal(sum(p / found), budget)
})

test_that("the charge covers whatever the noisy number of records is", {
  plan <- plan_block(levels, rep(FALSE, 4), list(1:3), 0.2, "add-remove", 1e-6)
  charged <- 2 * plan_charges(plan$costs)$rho_replace[2]
  cost <- vapply(c(1, 1.5, 3, 7, 15, 30), function(margins) {
    looks_bound(plan, allocate_noise(plan, NULL, margins))[["replace"]]
  }, 0)
  expect_lte(max(cost), charged)
  expect_equal(max(cost), charged)
  for (n in c(1, 30, 1e3, 1e6)) {
    expect_gte(margin_factor(plan$lengths[5:10, ], plan$squared, n), 1)
    expect_lte(margin_factor(plan$lengths[5:10, ], plan$squared, n), 30)
  }
})

test_that("columns of one level, or one column, are no trouble", {
  withr::local_seed(9)
  codes <- cbind(1L, sample(3L, 50, TRUE))
  set <- draw_block(block_of(codes, c(1L, 3L)), n = 20)[[1]]
  expect_true(all(set[, 1] == 1))
  expect_identical(dim(draw_block(block_of(codes[, 2, drop = FALSE], 3L),
    n = 20
  )[[1]]), c(20L, 1L))
  constant <- block_of(codes[, c(1, 1)], c(1L, 1L))
  expect_true(all(draw_block(constant)[[1]] == 1))
  # N alone was paid for
  expect_identical(plan_charges(constant$costs)$what, "noisy number of records")
})

test_that("noisy numbers are sums plus whole noise of the stated variance", {
  withr::local_seed(2)
  codes <- leaning_codes(400, levels)
  plan <- plan_block(levels, rep(FALSE, 4), list(1:3), 0.5, "add-remove", 1e-6)
  noise <- table_noise(plan, 400)
  expect_true(all(noise$scale == round(noise$scale)))
  expect_true(all(log2(noise$factor) == round(log2(noise$factor))))
  counts <- table_counts_(codes, levels, plan$tables)
  exact <- Map(function(n, j) centred_table(n, levels[j]), counts, plan$tables)
  z <- lapply(1:300, function(seed) {
    Map(function(noisy, exact, g) sum((noisy - exact)^2) / g,
      noisy_residuals(block_counts(codes, plan), plan, noise, seed), exact,
      noise$variance
    )
  })
  # Squared lengths in the residual's space of prod(L - 1) dimensions
  for (t in seq_along(plan$tables)) {
    own <- vapply(z, `[[`, 0, t)
    dimensions <- prod(levels[plan$tables[[t]]] - 1)
    error <- sqrt(2 * dimensions / 300)
    expect_lt(abs(mean(own) - dimensions), 5 * error)
  }
})

test_that("replayed on a neighbour no noisy number moves more than counted", {
  withr::local_seed(3)
  codes <- leaning_codes(60, levels)
  published <- c(FALSE, TRUE, FALSE, FALSE)
  for (published in list(rep(FALSE, 4), published)) {
    for (neighbours in relation_names) {
      plan <- plan_block(
        levels, published, list(1:4), 0.4, neighbours, 1e-6, 60
      )
      noise <- table_noise(plan, 60)
      noisy <- function(codes) {
        noisy_residuals(block_counts(codes, plan), plan, noise, 5)
      }
      base <- noisy(codes)
      moved <- function(other) {
        # Centring a noisy table is a projection: it only shortens
        mapply(function(a, b) sum((a - b)^2), base, noisy(other))
      }
      dropped <- vapply(by_night(1:60, seq(1, 60, 6)), function(i) {
        far <- moved(codes[-i, ])
        expect_equal(far, noise$squared, tolerance = 1e-6)
        sum(far / noise$variance)
      }, 0)
      replaced <- vapply(seq_len(by_night(200, 25)), function(k) {
        other <- codes
        free <- which(!published)
        i <- sample(60, 1)
        other[i, free] <- vapply(levels[free], sample, 0L, 1)
        sum(moved(other) / noise$variance)
      }, 0)
      paid <- plan_charges(plan$costs)
      rho <- paid[paid$what == "noisy tables", ]
      expect_lte(max(dropped), 2 * rho$rho_add_remove * (1 + 1e-6))
      expect_lte(max(replaced), 2 * rho$rho_replace * (1 + 1e-6))
    }
  }
  # N moves by one, in the unit of its noise
  plan <- plan_block(levels, rep(FALSE, 4), list(), 0.4, "add-remove", 1e-6)
  sizes <- vapply(60:61, noisy_size, 0, plan$size_noise, 7)
  expect_equal(diff(sizes), 1, tolerance = 1e-9)
  cost <- (plan$size_noise$factor / plan$size_noise$scale)^2
  expect_lte(cost, 0.16 * 0.02)
  expect_gt(cost, 0.16 * 0.02 * (1 - 1e-5))
  expect_equal(cost / 2, plan$size_noise$rho[["add-remove"]])
})

test_that("no noisy number of records costs more than is charged", {
  withr::local_seed(2)
  # Margins of many levels get more of the budget
  for (wide in list(c(2L, 41L), c(2L, 2L, 200L), c(3L, 5L, 16L, 41L, 2L))) {
    open <- rep(FALSE, length(wide))
    for (mu in c(0.02, 0.4, 3)) {
      plan <- plan_block(wide, open, list(), mu, "add-remove", 1e-6)
      charged <- plan$costs[["noisy tables"]]$rho
      for (n in c(1, exp(stats::runif(10, 0, 18)))) {
        variance <- allocate_noise(plan, n)
        dropped <- sum(plan$lengths$squared / variance)
        replaced <- replaced_cost(plan$tables, wide, open, variance)
        expect_lte(dropped / 2, charged[["add-remove"]] * (1 + 1e-9))
        expect_lte(replaced / 2, charged[["replace"]] * (1 + 1e-9))
      }
    }
  }
})

test_that("a release is the same under a seed and another without one", {
  withr::local_seed(4)
  codes <- leaning_codes(300, levels)
  expect_identical(
    block_of(codes, levels)[c("n", "residuals", "targets")],
    block_of(codes, levels)[c("n", "residuals", "targets")]
  )
  one <- block_of(codes, levels, seed = NULL)
  expect_false(identical(one$n, block_of(codes, levels, seed = NULL)$n))
})

test_that("a secret number of records is nowhere in a release", {
  withr::local_seed(8)
  release <- block_of(leaning_codes(307, levels), levels, tables = list(1:4))
  sizes <- function(x) {
    inside <- if (is.list(x)) lapply(x, sizes)
    c(length(x), dim(x), unlist(inside))
  }
  expect_false(307 %in% sizes(release))
  expect_false(307 %in% unlist(release[c("n", "margins")]))
  expect_false(any(vapply(release$residuals, sum, 0) == 307))
  totals <- vapply(release$targets, function(one) sum(one$target), 0)
  expect_equal(totals, rep(release$n, length(totals)))
})

test_that("published columns are exact and stay in the order of the file", {
  withr::local_seed(5)
  codes <- leaning_codes(400, levels)
  published <- c(TRUE, FALSE, TRUE, FALSE)
  release <- block_of(codes, levels, published = published)
  expect_identical(release$n, 400L)
  expect_identical(release$margins[[3]], as.double(tabulate(codes[, 3], 5)))
  set <- draw_block(release, words = c(1, 2))[[1]]
  expect_identical(set[, published], codes[, published])
  expect_error(
    draw_block(release, n = 399), class = "pseudosynth_error_input"
  )
  all <- block_of(codes, levels, published = rep(TRUE, 4))
  expect_identical(nrow(plan_charges(all$costs)), 0L)
  expect_identical(draw_block(all, words = c(1, 2))[[1]], codes)
})

test_that("what no budget can bear is refused", {
  codes <- leaning_codes(50, levels)
  expect_error(
    block_of(codes, levels, 1e-8), class = "pseudosynth_error_input"
  )
})

test_that("bad input is refused by name and count, never by value", {
  codes <- leaning_codes(50, levels)
  colnames(codes) <- letters[1:4]
  bad <- codes
  bad[c(3, 7), 2] <- c(17L, NA)
  error <- expect_error(
    block_of(bad, levels), class = "pseudosynth_error_input"
  )
  expect_identical(error$rows, c(3L, 7L))
  expect_match(conditionMessage(error), "column b, 2 records")
  expect_no_match(conditionMessage(error), "17")
  refused <- function(...) {
    expect_error(block_of(...), class = "pseudosynth_error_input")
  }
  refused(codes + 0.5, levels)
  refused(codes, c(levels[-1], 0L))
  refused(codes, levels, published = NA)
  refused(codes, levels, tables = list(1:2))
  refused(codes, levels, tables = list(c(1, 2, 2)))
  refused(codes, levels, tables = list(c(1, 2, 9)))
  refused(codes, levels, rules = list(list(columns = 9)))
  refused(codes, levels, rules = list(
    list(columns = 1:2, forbidden = cbind(1, 9))
  ))
  refused(codes, levels, rules = list(
    list(columns = 1, forbidden = cbind(1)),
    list(columns = 1, forbidden = cbind(2:1))
  ))
  refused(codes, levels, mu = 0)
  refused(codes, c(2L, 2000L, 2000L, 4L))
})
