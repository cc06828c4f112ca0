# The law of n records' codes at an inverse temperature, over all states.
enumerated_law <- function(levels, n, fixed_codes, fixed, tables, forbidden,
                           beta) {
  domain <- whole_domain(levels)
  bad <- apply(domain, 1, function(x) {
    any(apply(forbidden, 1, identical, x))
  })
  domain <- domain[!bad, , drop = FALSE]
  states <- as.matrix(expand.grid(rep(list(seq_len(nrow(domain))), n)))
  codes <- lapply(seq_len(nrow(states)), function(s) {
    domain[states[s, ], , drop = FALSE]
  })
  keeps <- vapply(codes, function(x) {
    all(x[, fixed] == fixed_codes[, fixed])
  }, TRUE)
  codes <- codes[keeps]
  energy <- vapply(codes, function(x) {
    counts <- table_counts_(x, levels, lapply(tables, `[[`, "columns"))
    sum(mapply(function(n, t) {
      t$weight * sum((n - t$target)^2)
    }, counts, tables)) / 2
  }, 0)
  p <- exp(-beta * (energy - min(energy)))
  list(codes = codes, p = p / sum(p), energy = energy)
}

state_key <- function(codes) paste(codes, collapse = " ")

#' Sweeps keep a law: one from a state of the law itself, many from one state
#'
#' @param sweep (function of codes, sweeps and a run) One run's codes.
#' @param many (count) Sweeps from `start`.
#' @param rare (number) States that are expected less often are one.
#' @return How often each state was met after many sweeps.
#' @noRd
expect_law_kept <- function(law, start, sweep, many, runs, rare = 0) {
  keys <- vapply(law$codes, state_key, "")
  from <- sample(length(keys), runs, TRUE, law$p)
  for (sweeps in c(1, many)) {
    found <- vapply(seq_len(runs), function(r) {
      begin <- if (sweeps == 1) law$codes[[from[r]]] else start
      state_key(sweep(begin, sweeps, r))
    }, "")
    expect_true(all(found %in% keys))
    count <- tabulate(match(found, keys), length(keys))
    few <- runs * law$p < rare
    pooled <- function(x) c(x[!few], if (any(few)) sum(x[few]))
    p <- suppressWarnings(
      stats::chisq.test(pooled(count), p = pooled(law$p))$p.value
    )
    expect_gt(p, 1e-5)
  }
  count
}

test_that("a Gibbs move alone leaves the target law as it is", {
  withr::local_seed(1)
  levels <- c(2L, 3L, 2L)
  tables <- list(
    list(
      columns = 1:2, target = c(0.3, 1.2, 0, 0.5, -0.2, 0.4), weight = 0.5
    ),
    list(columns = 2:3, target = c(1, 0.1, 0.2, 0.9, 0, 0.3), weight = 2),
    list(columns = c(1L, 3L, 2L), target = stats::runif(12), weight = 1.5)
  )
  forbidden <- rbind(c(2L, 2L, 1L), c(1L, 3L, 2L))
  rules <- list(
    list(columns = 1:3, cells = cell_number(forbidden, levels))
  )
  # Without rules cells move alone; with one of all columns also two at once
  cases <- expand.grid(ruled = c(FALSE, TRUE), fixed = c(FALSE, TRUE))
  for (case in seq_len(nrow(cases))) {
    fixed <- c(FALSE, cases$fixed[case], FALSE)
    kept <- if (cases$ruled[case]) rules else list()
    none <- if (cases$ruled[case]) forbidden else forbidden[0, ]
    start <- rbind(c(1L, 2L, 1L), c(2L, 1L, 2L))
    law <- enumerated_law(levels, 2, start, fixed, tables, none, 1.3)
    count <- expect_law_kept(law, start, function(codes, sweeps, r) {
      test_sweep_records_(
        codes, levels, fixed, tables, kept, 1.3, sweeps, c(sweeps, r)
      )$codes
    }, 25, by_night(6000, 3000))
    # Another temperature would be seen
    other <- enumerated_law(levels, 2, start, fixed, tables, none, 1)
    expect_lt(
      suppressWarnings(stats::chisq.test(count, p = other$p)$p.value), 1e-5
    )
  }
})

test_that("cells that a rule holds together reach all allowed states", {
  withr::local_seed(7)
  levels <- c(2L, 3L, 3L)
  # Columns 2 and 3 are equal: neither can move alone
  forbidden <- whole_domain(levels)
  forbidden <- forbidden[forbidden[, 2] != forbidden[, 3], ]
  storage.mode(forbidden) <- "integer"
  tables <- list(
    list(columns = 1:2, target = stats::runif(6), weight = 0.5),
    list(columns = 2:3, target = stats::runif(9), weight = 1),
    list(columns = c(3L, 1L), target = stats::runif(6), weight = 2),
    list(columns = c(3L, 1L, 2L), target = stats::runif(18), weight = 0.7)
  )
  rules <- list(list(columns = 1:3, cells = cell_number(forbidden, levels)))
  start <- rbind(c(1L, 2L, 2L), c(2L, 1L, 1L))
  free <- rep(FALSE, 3)
  law <- enumerated_law(levels, 2, start, free, tables, forbidden, 1.5)
  found <- vapply(1:8000, function(r) {
    state_key(test_sweep_records_(
      start, levels, free, tables, rules, 1.5, 40, c(3, r)
    )$codes)
  }, "")
  count <- tabulate(match(found, vapply(law$codes, state_key, "")), 36)
  expect_identical(sum(count), 8000L)
  p <- suppressWarnings(stats::chisq.test(count, p = law$p)$p.value)
  expect_gt(p, 1e-5)
})

test_that("the energy is kept up by moves", {
  withr::local_seed(2)
  levels <- c(3L, 4L, 2L)
  codes <- leaning_codes(50, levels)
  tables <- list(
    list(columns = 1:2, target = stats::runif(12, 0, 8), weight = 3),
    list(columns = c(3L, 2L, 1L), target = stats::runif(24, 0, 4), weight = 0.5)
  )
  found <- test_sweep_records_(
    codes, levels, rep(FALSE, 3), tables, list(), 0.5, 20, c(1, 2)
  )
  counts <- table_counts_(found$codes, levels, lapply(tables, `[[`, 1))
  energy <- sum(mapply(function(n, t) {
    t$weight * sum((n - t$target)^2)
  }, counts, tables))
  # Misses are floats
  expect_equal(found$energy[20], energy / 2, tolerance = 1e-6)
})

test_that("many tables say what a few of their weight say", {
  withr::local_seed(3)
  # Levels beyond a vector of the processor
  levels <- c(19L, 33L, 2L, 5L, 16L)
  n <- 300
  codes <- leaning_codes(n, levels)
  sets <- list(1:2, 4:5, c(1L, 5L), c(2L, 5L), 1L, c(5L, 3L, 4L), 2L)
  tables <- lapply(sets, function(columns) {
    cells <- prod(levels[columns])
    list(
      columns = columns, target = stats::runif(cells, 0, 2 * n / cells),
      weight = 0.1
    )
  })
  swept <- function(tables) {
    test_sweep_records_(
      codes, levels, rep(FALSE, 5), tables, list(), 0.5, 3, c(1, 2)
    )
  }
  found <- swept(tables)
  # More of a column than are added up in lanes
  many <- swept(lapply(rep(tables, 250), replace, "weight", 0.1 / 250))
  expect_identical(many$codes, found$codes)
  expect_equal(many$energy, found$energy, tolerance = 1e-5)
  counts <- table_counts_(found$codes, levels, sets)
  energy <- sum(mapply(function(n, t) {
    t$weight * sum((n - t$target)^2)
  }, counts, tables))
  expect_equal(found$energy[3], energy / 2, tolerance = 1e-5)
})

test_that("a table weighs by one over its noise's standard deviation", {
  targets <- list(
    list(columns = 1:2, target = 1:4, variance = 4),
    list(columns = 2:3, target = 1:6, variance = 100)
  )
  found <- weighted_targets(targets)
  weight <- vapply(found$tables, `[[`, 0, "weight")
  expect_equal(found$noise, sqrt(52))
  expect_equal(weight, sqrt(52) / c(2, 10))
  by_variance <- weighted_targets(targets, 2)$tables
  expect_equal(vapply(by_variance, `[[`, 0, "weight"), 52 / c(4, 100))
  expect_identical(found$tables[[2]][names(targets[[2]])], targets[[2]])
  # Where all have the same noise, or none, each weighs 1
  alike <- lapply(targets, replace, "variance", 9)
  alike <- weighted_targets(alike)$tables
  expect_equal(vapply(alike, `[[`, 0, "weight"), c(1, 1))
  exact <- weighted_targets(lapply(targets, replace, "variance", 0))
  expect_identical(exact$noise, 0)
  expect_identical(vapply(exact$tables, `[[`, 0, "weight"), c(1, 1))
  expect_identical(weighted_targets(list()), list(noise = 0, tables = list()))
  # An exact table among noisy ones weighs most
  exact <- weighted_targets(list(
    replace(targets[[1]], "variance", 0), targets[[2]]
  ))
  weight <- vapply(exact$tables, `[[`, 0, "weight")
  expect_equal(weight[1], 100 * weight[2])
})

test_that("where tables disagree, sets are nearer to what weighs more", {
  # Shares of a column are one half in one table, and nine tenths in the other
  tables <- function(weight) {
    list(
      list(columns = 1:2, target = rep(500, 4), weight = weight),
      list(columns = c(1L, 3L), target = c(900, 100, 900, 100), weight = 1)
    )
  }
  share <- vapply(c(0.1, 1, 10), function(weight) {
    set <- test_sweep_records_(
      cbind(rep(1:2, 1000), rep(1:2, each = 1000), rep(1:2, each = 1000)),
      c(2L, 2L, 2L), rep(FALSE, 3), tables(weight), list(), 1, 20, c(1, 2)
    )$codes
    mean(set[, 1] == 1)
  }, 0)
  expect_equal(share, 0.5 + 0.4 * c(1 / 1.1, 1 / 2, 1 / 11), tolerance = 0.01)
})

test_that("sets come close to their targets", {
  withr::local_seed(3)
  levels <- c(2L, 3L, 5L, 4L)
  codes <- leaning_codes(2000, levels)
  release <- block_of(codes, levels, mu = 50)
  set <- draw_block(release, n = 2000, words = c(3, 4))[[1]]
  pairs <- utils::combn(4, 2, simplify = FALSE)
  a <- unlist(table_counts_(set, levels, pairs))
  b <- unlist(table_counts_(codes, levels, pairs))
  expect_lt(sum(abs(a - b)) / 2 / 6 / 2000, 0.004)
  # A smaller set has the same shares
  small <- draw_block(release, n = 500, words = c(3, 4))[[1]]
  a <- unlist(table_counts_(small, levels, pairs))
  expect_lt(sum(abs(4 * a - b)) / 2 / 6 / 2000, 0.015)
})

test_that("sets are the same at any number of threads and under their words", {
  withr::local_seed(4)
  levels <- c(2L, 3L, 4L)
  release <- block_of(leaning_codes(300, levels), levels)
  one <- draw_block(release, 3, words = c(1, 2), threads = 1)
  expect_identical(draw_block(release, 3, words = c(1, 2), threads = 2), one)
  expect_identical(draw_block(release, 1, words = c(1, 2)), one[1])
  expect_false(identical(one[[1]], one[[2]]))
  expect_false(identical(draw_block(release, words = c(1, 3))[[1]], one[[1]]))
  expect_identical(dim(one[[1]]), c(as.integer(round(release$n)), 3L))
})

test_that("many published rows are fitted in parts that are alike", {
  withr::local_seed(6)
  levels <- c(3L, 2L, 4L)
  published <- c(TRUE, TRUE, FALSE)
  release <- block_of(
    leaning_codes(3001, levels), levels, mu = 5, published = published
  )
  dealt <- dealt_rows(release$fixed, 3001, 7)
  expect_identical(sort(unlist(dealt)), 1:3001)
  expect_identical(lengths(dealt), 428L + (1:7 <= 5))
  expect_false(any(vapply(dealt, is.unsorted, NA)))
  kinds <- vapply(dealt, function(rows) {
    tabulate(cell_number(release$fixed[rows, ], levels[1:2]) + 1, 6)
  }, numeric(6))
  expect_lte(max(apply(kinds, 1, function(n) diff(range(n)))), 1)
  expect_identical(dealt_rows(matrix(0L, 0, 0), 3001, 2), list(
    seq(1L, 3001L, 2L), seq(2L, 3000L, 2L)
  ))
  local_replaced("fixed_together", 1000)
  sets <- draw_block(release, 2, words = c(1, 2))
  expect_identical(sets[[1]][, 1:2], unname(release$fixed))
  expect_identical(
    draw_block(release, 1, words = c(1, 2), first = 1L), sets[2]
  )
  expect_false(identical(sets[[1]], sets[[2]]))
  # Sets of more and of fewer parts have no random numbers in common
  streams <- integer()
  fitted <- fit_records_
  local_replaced("fit_records_", function(...) {
    streams <<- c(streams, ..10)
    fitted(...)
  })
  some <- release
  some$fixed <- release$fixed[1:1000, ]
  draw_block(release, 1, words = c(1, 2))
  draw_block(some, 1, n = 1000, words = c(1, 2), first = 1L)
  expect_length(streams, 5)
  expect_false(anyDuplicated(streams) > 0)
  for (target in release$targets) {
    shown <- table_counts_(sets[[1]], levels, list(target$columns))[[1]]
    expect_lt(max(abs(shown - target$target)), 12)
  }
})

test_that("large sets grow out of smaller ones, published columns with them", {
  withr::local_seed(5)
  levels <- c(2L, 3L, 5L, 4L)
  codes <- leaning_codes(4000, levels)
  growing <- utils::modifyList(block_fitting, list(particles = 1000))
  pairs <- utils::combn(4, 2, simplify = FALSE)
  exact <- unlist(table_counts_(codes, levels, pairs))
  for (published in list(rep(FALSE, 4), c(FALSE, TRUE, TRUE, FALSE))) {
    release <- block_of(codes, levels, 20, published = published)
    grown <- draw_block(
      release, n = 4000, words = c(5, 6), fitting = growing
    )[[1]]
    expect_identical(grown[, published], codes[, published])
    counts <- unlist(table_counts_(grown, levels, pairs))
    expect_lt(sum(abs(counts - exact)) / 2 / 6 / 4000, 0.006)
  }
})

test_that("forbidden cells never occur, however rare the allowed ones", {
  withr::local_seed(6)
  levels <- c(2L, 6L, 5L, 6L)
  codes <- leaning_codes(1500, levels)
  codes[, 4] <- codes[, 2]
  codes[codes[, 1] == 2, 3] <- 1L
  # Only the diagonal of columns 2 and 4; one level of column 3 given another
  off <- as.matrix(expand.grid(1:6, 1:6))
  off <- off[off[, 1] != off[, 2], ]
  rules <- list(
    list(columns = c(4, 2), forbidden = off),
    list(columns = c(1, 3), forbidden = cbind(2, 2:5))
  )
  growing <- utils::modifyList(block_fitting, list(particles = 400))
  for (published in list(rep(FALSE, 4), c(TRUE, FALSE, FALSE, TRUE))) {
    release <- block_of(codes, levels, published = published, rules = rules)
    for (fitting in list(block_fitting, growing)) {
      set <- draw_block(release, words = c(7, 8), fitting = fitting)[[1]]
      expect_true(all(set[, 2] == set[, 4]))
      expect_true(all(set[set[, 1] == 2, 3] == 1))
    }
  }
  # Where no cell can move alone both do: shares are the file's
  release <- block_of(codes, levels, 20, rules = rules)
  set <- draw_block(release, n = 1500, words = c(7, 8))[[1]]
  expect_lt(sum(abs(tabulate(set[, 2], 6) - tabulate(codes[, 2], 6))), 30)
  expect_lt(abs(mean(set[, 1]) - mean(codes[, 1])), 0.01)
})

test_that("an allowed record is found where draws would not find it", {
  d <- 12
  levels <- rep(3L, d)
  codes <- matrix(1L, 20, d)
  # Every column as the one before: 3 of 531441
  unequal <- as.matrix(expand.grid(1:3, 1:3))
  unequal <- unequal[unequal[, 1] != unequal[, 2], ]
  rules <- lapply(seq_len(d - 1), function(j) {
    list(columns = c(j, j + 1), forbidden = unequal)
  })
  release <- block_of(codes, levels, rules = rules)
  set <- draw_block(release, n = 20, words = c(1, 2))[[1]]
  expect_true(all(set == set[, 1]))
})

test_that("published records that no rule lets be are an error", {
  codes <- cbind(c(1L, 2L), 1L)
  release <- block_of(
    codes, c(2L, 2L), published = c(TRUE, FALSE),
    rules = list(list(columns = 1:2, forbidden = rbind(c(2, 1), c(2, 2))))
  )
  expect_error(
    draw_block(release), "meet the rules", class = "pseudosynth_error_input"
  )
})

test_that("columns that rules tie in a chain have starts, and no hang", {
  # Of 12^8 cells 12 are allowed: a search that asks at the end takes hours
  levels <- rep(12L, 9)
  differ <- whole_domain(c(12L, 12L))
  differ <- differ[differ[, 1] != differ[, 2], ]
  tied <- lapply(1:8, function(j) list(columns = j + 0:1, forbidden = differ))
  codes <- matrix(rep_len(1:12, 60), 60, 9)
  release <- block_of(codes, levels, rules = tied)
  set <- draw_block(
    release, n = 60, words = c(1, 2),
    fitting = utils::modifyList(block_fitting, list(sweeps = 1))
  )[[1]]
  expect_true(all(set == set[, 1]))
})

test_that("columns that rules tie together move as one, by their law", {
  withr::local_seed(10)
  levels <- c(2L, 3L, 3L, 3L)
  # Columns 2 to 4 are equal, by rules of two of them; the last rule has column
  # 1, too, which is fixed in the second case
  pairs <- whole_domain(c(3L, 3L))
  pairs <- pairs[pairs[, 1] != pairs[, 2], ]
  rules <- list(
    list(columns = 2:3, cells = cell_number(pairs, c(3L, 3L))),
    list(columns = 3:4, cells = cell_number(pairs, c(3L, 3L))),
    list(columns = c(1L, 4L), cells = cell_number(cbind(2, 3), c(2L, 3L)))
  )
  domain <- whole_domain(levels)
  bad <- domain[, 2] != domain[, 3] | domain[, 3] != domain[, 4] |
    (domain[, 1] == 2 & domain[, 4] == 3)
  forbidden <- domain[bad, ]
  storage.mode(forbidden) <- "integer"
  tables <- list(
    list(columns = 1:2, target = stats::runif(6), weight = 0.7),
    list(columns = 2:3, target = stats::runif(9), weight = 2),
    list(columns = c(4L, 2L), target = stats::runif(9), weight = 0.4),
    list(columns = c(4L, 1L, 2L), target = stats::runif(18), weight = 1.5),
    list(columns = 2:4, target = stats::runif(27), weight = 1)
  )
  start <- rbind(c(1L, 2L, 2L, 2L), c(2L, 1L, 1L, 1L))
  for (fixed in list(rep(FALSE, 4), c(TRUE, FALSE, FALSE, FALSE))) {
    law <- enumerated_law(levels, 2, start, fixed, tables, forbidden, 1.5)
    expect_law_kept(law, start, function(codes, sweeps, r) {
      test_sweep_records_(
        codes, levels, fixed, tables, rules, 1.5, sweeps, c(9 + sweeps, r)
      )$codes
    }, 150, by_night(6000, 3000), rare = 3)
  }
})

test_that("blocks around a column, and those that end nowhere, keep the law", {
  withr::local_seed(12)
  # Columns 1 and 2 say whether 3 and 4 are asked; 4 and 5 are not both 3, by a
  # rule with a table of three. Rules of three columns leave some draws no level
  levels <- c(2L, 2L, 3L, 3L, 2L)
  domain <- whole_domain(levels)
  broken <- list(
    list(1:3, function(x) (x[, 1] == 2 & x[, 2] == 2) != (x[, 3] > 1)),
    list(c(2L, 4L), function(x) (x[, 2] == 2) != (x[, 4] > 1)),
    list(3:5, function(x) (x[, 3] + x[, 4] + x[, 5]) %% 3 == 1)
  )
  rules <- lapply(broken, function(one) {
    own <- whole_domain(levels[one[[1]]])
    all <- matrix(1L, nrow(own), 5)
    all[, one[[1]]] <- own
    list(
      columns = one[[1]],
      cells = cell_number(own[one[[2]](all), ], levels[one[[1]]])
    )
  })
  bad <- Reduce(`|`, lapply(broken, function(one) one[[2]](domain)))
  forbidden <- domain[bad, ]
  storage.mode(forbidden) <- "integer"
  tables <- list(
    list(columns = 1:2, target = stats::runif(4), weight = 0.7),
    list(columns = c(3L, 2L), target = stats::runif(6), weight = 2),
    list(columns = c(1L, 4L), target = stats::runif(6), weight = 0.4),
    list(columns = 3:5, target = stats::runif(18), weight = 1.5),
    list(columns = c(5L, 1L), target = stats::runif(4), weight = 1)
  )
  allowed <- domain[!bad, ]
  storage.mode(allowed) <- "integer"
  start <- allowed[c(1, nrow(allowed)), ]
  free <- rep(FALSE, 5)
  law <- enumerated_law(levels, 2, start, free, tables, forbidden, 1.5)
  expect_law_kept(law, start, function(codes, sweeps, r) {
    test_sweep_records_(
      codes, levels, free, tables, rules, 1.5, sweeps, c(70 + sweeps, r)
    )$codes
  }, 30, by_night(8000, 4000))
})

test_that("a filter has its share, whatever its questions could be", {
  withr::local_seed(13)
  n <- 2000
  # Of the eight questions alone 12^8 combinations; one of them is a filter, too
  levels <- c(rep(13L, 8), 2L)
  yes <- stats::rnorm(n) < 0.3
  codes <- cbind(matrix(1L + sample(12L, 8 * n, TRUE), n), 1L + yes)
  codes[!yes, 1:8] <- 1L
  codes[codes[, 8] < 8, 1:2] <- 1L
  storage.mode(codes) <- "integer"
  cells <- whole_domain(c(13L, 2L))
  unasked <- cells[(cells[, 1] > 1) != (cells[, 2] == 2), ]
  within <- whole_domain(c(13L, 13L))
  within <- within[(within[, 1] > 1) != (within[, 2] >= 8), ]
  rules <- c(
    lapply(3:8, function(j) list(columns = c(j, 9L), forbidden = unasked)),
    lapply(1:2, function(j) list(columns = c(j, 8L), forbidden = within))
  )
  for (published in list(rep(FALSE, 9), 1:9 == 9)) {
    release <- block_of(codes, levels, 5, rules = rules, published = published)
    set <- draw_block(release, n = n, words = c(7, 8))[[1]]
    expect_identical((set[, 9] == 2) + 0, (rowSums(set[, 3:8] > 1) == 6) + 0)
    expect_true(all((set[, 3:8] > 1) == (set[, 9] == 2)))
    expect_true(all((set[, 1:2] > 1) == (set[, 8] >= 8)))
    expect_lt(abs(mean(set[, 9]) - mean(codes[, 9])), 0.01)
    expect_lt(abs(mean(set[, 1] > 1) - mean(codes[, 1] > 1)), 0.02)
    if (any(published)) expect_identical(set[, 9], codes[, 9])
  }
})

test_that("a chain of tied columns has the file's shares", {
  withr::local_seed(11)
  levels <- c(rep(6L, 5), 3L)
  unequal <- whole_domain(c(6L, 6L))
  unequal <- unequal[unequal[, 1] != unequal[, 2], ]
  rules <- lapply(1:4, function(j) list(columns = j + 0:1, forbidden = unequal))
  own <- sample(6, 2000, TRUE, c(0.5, 0.25, 0.12, 0.08, 0.04, 0.01))
  codes <- cbind(matrix(own, 2000, 5), ifelse(own > 2, 3L, own))
  storage.mode(codes) <- "integer"
  release <- block_of(codes, levels, 20, rules = rules)
  set <- draw_block(release, n = 2000, words = c(7, 8))[[1]]
  expect_true(all(set[, 1:5] == set[, 1]))
  expect_lt(sum(abs(tabulate(set[, 3], 6) - tabulate(own, 6))), 40)
  expect_lt(mean(set[, 6] != ifelse(set[, 1] > 2, 3, set[, 1])), 0.01)
})

test_that("parts of a large set are the same at any number of threads", {
  withr::local_seed(5)
  codes <- cbind(
    a = sample(1:3, 400, TRUE), b = sample(1:4, 400, TRUE),
    c = sample(1:2, 400, TRUE)
  )
  for (fixed in c(FALSE, TRUE)) {
    release <- release_block(
      codes, 3:1 + c(0L, 2L, 1L), c(fixed, FALSE, FALSE), mu = 50, seed = 1
    )
    for (particles in c(100, 1e5)) {
      fitting <- block_fitting
      fitting[c("particles", "together", "grown_together")] <-
        c(particles, 60, 150)
      draw <- function(m, threads, first = 0) {
        draw_block(
          release, m, if (fixed) 400 else 410, c(3, 4), first, fitting, threads
        )
      }
      sets <- draw(2, 1)
      expect_identical(draw(2, 2), sets)
      expect_identical(draw(1, 2, first = 1), sets[2])
      expect_false(identical(sets[[1]], sets[[2]]))
      if (fixed) expect_identical(sets[[1]][, 1], codes[, "a"])
      counts <- table_counts_(
        sets[[1]], release$levels, lapply(release$targets, `[[`, "columns")
      )
      missed <- mapply(function(counts, one) {
        sum(abs(counts - one$target * sum(counts) / release$n)) / 2
      }, counts, release$targets)
      expect_lt(max(missed), 25)
    }
  }
})

test_that("moves of records that are in a table several times keep the law", {
  withr::local_seed(1)
  levels <- c(2L, 2L, 3L)
  pooled <- list(
    list(
      levels = 2L, columns = list(2L, 3L),
      level = list(list(1:2), list(c(1:2, NA))),
      target = c(2.5, 0.4), weight = 0.7
    ),
    list(
      levels = c(2L, 2L), columns = list(c(1L, 2L), c(1L, 3L)),
      level = list(list(1:2, 1:2), list(1:2, c(1:2, NA))),
      target = c(0.2, 1, 0.7, 1.5), weight = 1.3
    )
  )
  domain <- whole_domain(levels)
  states <- as.matrix(expand.grid(rep(list(seq_len(nrow(domain))), 2)))
  codes <- lapply(seq_len(nrow(states)), function(s) {
    domain[states[s, ], , drop = FALSE]
  })
  energy <- vapply(codes, function(x) {
    sum(vapply(pooled, function(one) {
      counts <- numeric(length(one$target))
      for (k in 1:2) {
        at <- vapply(seq_along(one$levels), function(a) {
          one$level[[k]][[a]][x[, one$columns[[k]][a]]]
        }, integer(2))
        at <- at[rowSums(is.na(at)) == 0, , drop = FALSE]
        cell <- 1 + (at - 1) %*% c(1, 2)[seq_along(one$levels)]
        counts <- counts + tabulate(cell, length(counts))
      }
      one$weight * sum((counts - one$target)^2)
    }, 0)) / 2
  }, 0)
  p <- exp(-0.8 * (energy - min(energy)))
  law <- list(codes = codes, p = p / sum(p), energy = energy)
  expect_law_kept(law, codes[[1]], function(begin, sweeps, r) {
    test_sweep_records_(
      begin, levels, rep(FALSE, 3), pooled, list(), 0.8, sweeps, c(r, sweeps)
    )$codes
  }, 30, by_night(20000, 4000))
})
