# Columns that are functions of another: found from noisy tables alone, drawn
# exactly, and what their tables tell is not lost.

paste_rows <- function(x) apply(x, 1, paste, collapse = " ")

# A state with its code, its region and the region's half, and two columns more
state_codes <- function(n, exceptions = 0) {
  state <- sample(6, n, TRUE, c(6, 5, 4, 3, 2, 1))
  code <- c(4L, 2L, 6L, 1L, 3L, 5L)[state]
  region <- c(1L, 1L, 2L, 2L, 3L, 3L)[state]
  half <- c(1L, 1L, 2L)[region]
  if (exceptions > 0) region[seq_len(exceptions)] <- 4L - region[exceptions:1]
  trade <- ifelse(stats::runif(n) < 0.5, region, sample(3L, n, TRUE))
  cbind(trade, state, half, code, region, flag = sample(2L, n, TRUE))
}

centring <- function(l) diag(l) - 1 / l

state_levels <- c(3L, 6L, 2L, 6L, 3L, 2L)

follows <- function(release) {
  vapply(release$derived, function(one) {
    paste(one$column, "of", one$from)
  }, "")
}

test_that("columns that follow another are found, and drawn as they are", {
  codes <- withr::with_seed(1, state_codes(4000))
  release <- block_of(codes, state_levels)
  # Half follows the state, or its code, which does
  expect_setequal(substr(follows(release), 1, 1), c("3", "4", "5"))
  expect_true(all(c("4 of 2", "5 of 2") %in% follows(release)))
  for (set in draw_block(release, 2, n = 3000)) {
    pairs <- function(x) unique(x[, 2:5])
    expect_true(all(
      paste_rows(pairs(set)) %in% paste_rows(pairs(codes))
    ))
    for (j in 1:6) {
      expect_equal(
        tabulate(set[, j], state_levels[j]),
        release$margins[[j]] * 3000 / sum(release$margins[[j]]),
        tolerance = 0.03
      )
    }
  }
  # Nothing is fitted to their own tables
  fitted <- unlist(lapply(release$targets, `[[`, "columns"))
  expect_setequal(fitted, c(1, 2, 6))
  # What was measured stays as it is
  expect_length(release$tables, 6 + 15)
  random <- random_stream(c(1, 2), 1)
  uncertain <- draw_uncertain_block(release, random)
  expect_true(all(paste_rows(uncertain[, 2:5]) %in% paste_rows(codes[, 2:5])))
})

test_that("a column may follow one that follows another", {
  codes <- withr::with_seed(2, state_codes(4000))
  # A rule of half and region: half then follows region alone
  rules <- list(list(columns = c(3, 5), forbidden = rbind(c(1, 3))))
  release <- block_of(codes, state_levels, rules = rules)
  expect_setequal(follows(release), c("4 of 2", "3 of 5", "5 of 2")[1:2])
  # Region is in a rule of another column, and stays a column of its own
  set <- draw_block(release, n = 2000)[[1]]
  expect_true(all(paste_rows(set[, c(3, 5)]) %in% paste_rows(codes[, c(3, 5)])))
  # Without one of its own a chain is drawn in order
  chain <- list(
    list(column = 3L, from = 5L, level = c(1L, 1L, 2L)),
    list(column = 5L, from = 2L, level = c(1L, 1L, 2L, 2L, 3L, 3L))
  )
  kept <- cbind(1L, 1:6, 2L, 1L)
  all <- with_derived_codes(kept, chain, 6L)
  expect_identical(all[, 5], c(1L, 1L, 2L, 2L, 3L, 3L))
  expect_identical(all[, 3], c(1L, 1L, 1L, 1L, 2L, 2L))
  expect_identical(all[, c(1, 2, 4, 6)], kept)
})

test_that("nothing follows another where noise or an exception says so", {
  withr::local_seed(3)
  # Exceptions that the noise does not hide
  codes <- state_codes(4000, exceptions = 800)
  found <- follows(block_of(codes, state_levels, mu = 2))
  expect_setequal(found, c("4 of 2", "3 of 2"))
  # Columns that have nothing to do with each other, under any noise, and rare
  # levels that the noise hides
  for (mu in c(0.005, 0.05, 0.5, 5)) {
    for (run in 1:by_night(20, 4)) {
      idle <- cbind(
        sample(5L, 800, TRUE), sample(3L, 800, TRUE),
        sample(2L, 800, TRUE, c(0.99, 0.01)),
        sample(2L, 800, TRUE, c(0.999, 0.001))
      )
      release <- block_of(idle, c(5L, 3L, 2L, 2L), mu = mu, seed = run)
      expect_length(release$derived, 0)
    }
  }
})

test_that("a small table's exceptions are not lost in its noise", {
  withr::local_seed(9)
  found <- vapply(1:by_night(100, 20), function(seed) {
    a <- sample(2L, 200, TRUE)
    b <- ifelse(stats::runif(200) < 0.1, 3L - a, a)
    release <- block_of(
      cbind(a, b, sample(2L, 200, TRUE)), c(2L, 2L, 2L), mu = 0.25, seed = seed
    )
    length(release$derived)
  }, 1L)
  expect_lt(mean(found), 0.12)
})

test_that("wide noise, negative margins and levels without records are met", {
  # A public number of records beside noise of a million of them
  size <- matrix(c(1, -1, -1, 1) * 2.5e8, 2)
  margins <- list(c(5e8, 5e8), c(5e8, 5e8))
  variance <- c(1e10, 1e10, 1e10, 0)
  expect_identical(
    derived_level(size, margins, variance, matrix(TRUE, 2, 2)), 1:2
  )
  table <- rbind(c(900, 0, 0), c(0, 500, 0), c(0, 0, 500), c(60, 0, -70))
  margins <- list(c(900, 500, 500, -3), c(960, 500, 430))
  expect_identical(
    nearest_function(table, margins, 100, 1e4, matrix(TRUE, 4, 3)),
    c(1L, 2L, 3L, 1L)
  )
  # A level that a rule of its own column forbids
  a <- withr::with_seed(1, sample(4L, 4000, TRUE))
  rules <- list(list(columns = 1, forbidden = matrix(5L)))
  codes <- cbind(a, (a + 1L) %/% 2L)
  expect_identical(
    follows(block_of(codes, c(5L, 2L), mu = 2, rules = rules)), "2 of 1"
  )
})

test_that("sets are as near as the noise of merged tables allows", {
  withr::local_seed(10)
  a <- sample(4L, 4000, TRUE)
  x <- ifelse(stats::runif(4000) < 0.4, a, sample(4L, 4000, TRUE))
  codes <- cbind(x, matrix(a, 4000, 12))
  release <- block_of(codes, rep(4L, 13), mu = 1)
  expect_length(release$derived, 11)
  fitted <- vapply(release$targets, `[[`, 0, "variance")
  pairs <- lengths(release$tables) == 2
  with_x <- vapply(release$tables, function(columns) 1L %in% columns, NA)
  raw <- release$noise$variance[pairs & with_x]
  expect_length(raw, 12)
  expect_equal(fitted, 1 / sum(1 / raw))
  distance <- function(release) {
    mean(vapply(1:3, function(k) {
      set <- draw_block(release, words = c(k, 2))[[1]]
      found <- table_counts_(set, rep(4L, 13), list(1:2))[[1]]
      sum(abs(found / nrow(set) - own)) / 2
    }, 0))
  }
  own <- table_counts_(codes, rep(4L, 13), list(1:2))[[1]] / 4000
  near <- distance(release)
  release$targets[[1]]$variance <- raw[1]
  expect_lt(near, distance(release))
})

test_that("published columns, rules and stated tables keep a column apart", {
  codes <- withr::with_seed(4, state_codes(4000))
  published <- c(FALSE, TRUE, FALSE, FALSE, FALSE, FALSE)
  release <- block_of(codes, state_levels, mu = 2, published = published)
  # The code cannot follow the state: region and half follow the code
  expect_setequal(follows(release), c("5 of 4", "3 of 4"))
  release <- block_of(
    codes, state_levels, mu = 2, tables = list(c(1L, 4L, 6L))
  )
  expect_setequal(follows(release), c("5 of 2", "3 of 2"))
  rules <- list(list(columns = c(1, 5), forbidden = rbind(c(3, 1))))
  codes[codes[, 1] == 3 & codes[, 5] == 1, 1] <- 1L
  release <- block_of(codes, state_levels, rules = rules)
  expect_false(any(grepl("^5", follows(release))))
  set <- draw_block(release, n = 2000)[[1]]
  expect_false(any(set[, 1] == 3 & set[, 5] == 1))
})

test_that("a function meets the rules of both columns", {
  codes <- withr::with_seed(5, state_codes(4000))
  all <- as.matrix(expand.grid(1:6, 1:6))
  open <- paste_rows(all) %in% paste_rows(codes[, c(2, 4)])
  rules <- list(list(columns = c(2, 4), forbidden = unname(all[!open, ])))
  release <- block_of(codes, state_levels, rules = rules)
  expect_true("4 of 2" %in% follows(release))
  # What the table shows is forbidden: the column does not follow
  table <- diag(c(500, 400, 300))
  free <- matrix(TRUE, 3, 3)
  level <- function(open) {
    derived_level(
      matrix(centred_table(table, c(3, 3)), 3),
      list(diag(table), diag(table)), c(25, 4, 4, 1), open
    )
  }
  expect_identical(level(free), 1:3)
  free[2, 2] <- FALSE
  expect_null(level(free))
  free[2, ] <- FALSE
  expect_null(level(free))
})

test_that("the nearest function is the nearest of all", {
  withr::local_seed(6)
  all <- as.matrix(expand.grid(rep(list(1:3), 4)))
  for (run in 1:20) {
    level <- sample(3, 4, TRUE)
    size <- c(900, 500, 80, 20)
    table <- matrix(0, 4, 3)
    table[cbind(1:4, level)] <- size
    table <- table + 10 * stats::rnorm(12)
    margin <- drop(sums_by_level(size, level, 3)) + 5 * stats::rnorm(3)
    open <- matrix(TRUE, 4, 3)
    open[1, 2] <- FALSE
    miss <- apply(all, 1, function(f) {
      fitted <- matrix(0, 4, 3)
      fitted[cbind(1:4, f)] <- size
      closed <- if (f[1] == 2) Inf else 0
      closed + sum((table - fitted)^2) / 100 +
        sum((margin - sums_by_level(size, f, 3))^2) / 25
    })
    found <- nearest_function(table, list(size, margin), 100, 25, open)
    expect_identical(found, unname(all[which.min(miss), ]))
  }
})

test_that("merged tables are what both say, with the variance of both", {
  withr::local_seed(7)
  levels <- c(7L, 3L, 3L)
  tables <- list(1L, 2L, 3L, c(1L, 2L), c(1L, 3L), c(2L, 3L))
  one <- list(column = 2L, from = 1L, level = c(1L, 2L, 1L, 1L, 3L, 1L, 1L))
  counts <- matrix(stats::rpois(21, 50), 7)
  second <- rowsum(counts, one$level)
  truth <- list(
    rowSums(counts), rowSums(second), colSums(counts), NULL, counts, second
  )
  sizes <- lapply(tables, function(own) levels[own])
  noise <- data.frame(
    order = lengths(tables), variance = c(4, 2, 4, 9, 9, 5)
  )
  centre <- function(x, t) centred_table(as.vector(x), sizes[[t]])
  # Without noise of margins each direction is normal, and so is a sum
  merge <- function(residuals) {
    plan <- list(
      levels = levels, tables = tables, residuals = residuals, noise = noise,
      published = rep(FALSE, 3)
    )
    merged_residual(plan, sum(counts), one, 3L, 6, 5)
  }
  exact <- lapply(seq_along(tables), function(t) {
    if (is.null(truth[[t]])) numeric(21) else centre(truth[[t]], t)
  })
  expect_equal(merge(exact), exact[[5]])
  miss <- vapply(1:4000, function(run) {
    noisy <- exact
    noisy[[5]] <- exact[[5]] + centre(3 * stats::rnorm(21), 5)
    noisy[[6]] <- exact[[6]] + centre(sqrt(5) * stats::rnorm(9), 6)
    merge(noisy) - exact[[5]]
  }, numeric(21))
  expect_lt(max(abs(rowMeans(miss))), 5 * 3 / sqrt(4000))
  # (7 - 1) (3 - 1) directions; the best that is linear in both tables
  of_one <- kronecker(centring(3), centring(7))
  sum_of <- matrix(0, 3, 7)
  sum_of[cbind(one$level, 1:7)] <- 1
  of_second <- kronecker(centring(3), centring(3) %*% sum_of)
  information <- of_one / 9 + crossprod(of_second %*% of_one) / 5
  best <- sum(1 / eigen(information, TRUE, TRUE)$values[1:12])
  expect_lt(abs(sum(miss^2) / 4000 / best - 1), 0.03)
  # Its variance is the mean of all directions
  told <- shared_directions(one$level)
  expect_equal(mean(1 / (1 / 9 + told / 5)), best / 12)
})

test_that("tables of one column are as near as those of both", {
  withr::local_seed(8)
  # What both tables tell is told of one
  levels <- c(6L, 6L, 3L)
  codes <- state_codes(3000)[, c(2, 4, 5)]
  codes[, 3] <- ifelse(stats::runif(3000) < 0.6, codes[, 3], 1L)
  own <- table_counts_(codes, levels, list(c(1L, 3L)))[[1]]
  miss <- vapply(1:30, function(seed) {
    release <- block_of(codes, levels, mu = 1, seed = seed)
    plan <- without_derived(release, release$n, release$derived)
    expect_identical(follows(release), "2 of 1")
    truth <- centred_table(own, levels[c(1, 3)])
    at <- match(list(c(1L, 3L)), plan$tables)
    raw <- match(list(c(1L, 3L), c(2L, 3L)), release$tables)
    c(
      sum((plan$residuals[[at]] - truth)^2) / plan$noise$variance[at],
      plan$noise$variance[at] * sum(1 / release$noise$variance[raw])
    )
  }, numeric(2))
  expect_equal(miss[2, ], rep(1, 30), tolerance = 0.01)
  expect_lt(abs(mean(miss[1, ]) - 10), 5 * sqrt(20 / 30))
})
