# All orders of few values among records, with their law at an inverse
# temperature.
swap_case <- function(score_weight, beta, pull = double(),
                      longest = double()) {
  codes <- cbind(c(1L, 2L, 1L, 2L, 2L), c(1L, 1L, 2L, 2L, 1L))
  levels <- c(2L, 2L)
  y <- c(-1, 0.5, 2, 1, -0.3)
  bins <- findInterval(y, c(0, 0.8))
  group <- c(1L, 1L, 1L, 2L, 2L)
  targets <- list(
    c(0.3, 1.2, 0.2, 1.1, 0.9, 1.3), c(1.4, 0.1, 0.8, 0.6, 0.5, 1.6)
  )
  lines <- cbind(c(0.2, 0.5, -0.4, 0.1, 0.3), c(-0.1, 0.2, 0.6, 0, -0.5))
  row_weight <- c(1, 0.7, 1.2, 0.9, 0.8)
  expected <- c(0.1, -0.2, 0.4, 0, 0.2)
  rows <- row_weight * t(apply(codes, 1, function(x) {
    lines[1, ] + lines[1 + x[1], ] + lines[3 + x[2], ]
  }))
  if (length(longest) > 0) {
    cut <- pmin(1, longest / sqrt(rowSums(rows^2)))
    stopifnot(any(cut < 1), any(cut == 1))
    rows <- cut * rows
  }
  orders <- as.matrix(expand.grid(rep(list(1:5), 5)))
  orders <- unname(orders[apply(orders, 1, function(x) {
    !anyDuplicated(x) && all(group[x] == group)
  }), ])
  energy <- apply(orders, 1, function(from) {
    in_tables <- vapply(1:2, function(j) {
      counts <- table_counts_(
        cbind(codes[, j], bins[from] + 1L), c(2L, 3L), list(1:2)
      )[[1]]
      sum((counts - targets[[j]])^2) / 2
    }, 0)
    sum(in_tables) + score_weight * sum(colSums(rows * (y[from] - expected))^2)
  })
  # How much records are pulled at values, whatever beta is
  latent <- c(-1.2, 0.4, 1.5, 0.9, -0.2)
  hold <- abs(pull) + 0.2 * seq_along(pull)
  pulled <- apply(orders, 1, function(from) {
    sum(pull * latent[from] - hold * latent[from][seq_along(hold)]^2 / 2)
  })
  if (length(pull) == 0) latent <- pull
  law <- exp(pulled - beta * energy)
  list(
    orders = orders, energy = energy, p = law / sum(law),
    swap = function(from, sweeps, words) {
      found <- swap_amounts_(
        y[from], bins[from], codes, levels, targets, lines, list(
          bins = 3L, row_weight = row_weight, row_longest = longest,
          expected = expected, score_weight = score_weight, group = group,
          beta = beta,
          sweeps = sweeps, together = 1e5, pull = pull, hold = hold,
          latent = latent[from[seq_along(latent)]]
        ), words
      )
      list(from = from[found$from], energy = found$energy)
    }
  )
}

order_key <- function(x) paste(x, collapse = "")

test_that("swaps leave the law of orders as it is, and balance in detail", {
  withr::local_seed(4)
  pulls <- list(double(), double(), c(0.5, -0.3, 0.1, 0.4, -0.2))
  for (k in 1:3) {
    score_weight <- c(0, 0.6, 0.6)[k]
    longest <- if (k > 1) c(0.6, 0.5, 0.5, 0.2, 0.4) else double()
    case <- swap_case(score_weight, 0.8, pulls[[k]], longest)
    keys <- apply(case$orders, 1, order_key)
    expect_length(keys, 12)
    from <- sample(12, 8000, TRUE, case$p)
    runs <- lapply(1:8000, function(r) {
      case$swap(case$orders[from[r], ], 1L, c(score_weight * 10, r))
    })
    to <- match(vapply(runs, function(x) order_key(x$from), ""), keys)
    expect_false(anyNA(to))
    # Sums of floats
    energy <- vapply(runs, `[[`, 0, "energy")
    expect_equal(energy, case$energy[to], tolerance = 1e-5)
    p <- suppressWarnings(
      stats::chisq.test(tabulate(to, 12), p = case$p)$p.value
    )
    expect_gt(p, 1e-5)
    # A sweep of three turns is its own reverse
    flow <- table(factor(from, 1:12), factor(to, 1:12))
    lower <- lower.tri(flow)
    forth <- flow[lower]
    both <- forth + t(flow)[lower]
    seen <- both > 20
    expect_gt(sum(seen), 20)
    z <- sum((2 * forth[seen] - both[seen])^2 / both[seen])
    expect_gt(stats::pchisq(z, sum(seen), lower.tail = FALSE), 1e-5)
    # Another temperature would be seen
    other <- swap_case(score_weight, 0.6, pulls[[k]])
    expect_lt(suppressWarnings(
      stats::chisq.test(tabulate(to, 12), p = other$p)$p.value
    ), 1e-5)
  }
})

test_that("swaps reach all orders from any one", {
  withr::local_seed(5)
  case <- swap_case(0.6, 0.8)
  keys <- apply(case$orders, 1, order_key)
  to <- vapply(1:4000, function(r) {
    order_key(case$swap(1:5, 25L, c(7, r))$from)
  }, "")
  p <- suppressWarnings(
    stats::chisq.test(tabulate(match(to, keys), 12), p = case$p)$p.value
  )
  expect_gt(p, 1e-5)
})

test_that("rows that are not kept are those that are", {
  withr::local_seed(9)
  n <- 700
  levels <- c(40L, 3L, 17L, 300L, 30L)
  codes <- vapply(levels, function(L) sample(L, n, TRUE), integer(n))
  y <- stats::rnorm(n)
  # Columns with and without tables, and rows of several tiles
  lines <- matrix(stats::rnorm((1 + sum(levels)) * 37), ncol = 37)
  targets <- lapply(levels, function(L) stats::runif(4 * L, 0, 2 * n / 4 / L))
  targets[2] <- list(double())
  swap <- function(most_kept, longest) {
    swap_amounts_(
      y, findInterval(y, c(-0.7, 0, 0.7)), codes, levels, targets, lines, list(
        bins = 4L, row_weight = stats::runif(n) + 0.5, row_longest = longest,
        expected = stats::runif(n), score_weight = 0.01, group = rep(1L, n),
        beta = c(0.1, 1), sweeps = 3L, together = 300, most_kept = most_kept
      ), c(3, 4)
    )
  }
  for (longest in list(double(), stats::runif(n, 5, 15))) {
    found <- lapply(c(2^26, 1), function(most) {
      withr::with_seed(1, swap(most, longest))
    })
    expect_identical(found[[1]], found[[2]])
    expect_false(identical(found[[1]]$from, seq_len(n)))
  }
})

test_that("parts of many records swap apart, the same at any threads", {
  withr::local_seed(6)
  n <- 600
  codes <- matrix(sample(1:3, n, TRUE))
  group <- sample(1:2, n, TRUE)
  y <- stats::rnorm(n)
  bins <- findInterval(y, 0)
  target <- as.vector(table(codes, bins))
  target[c(1, 4)] <- target[c(1, 4)] + c(40, -40)
  swap <- function(together, threads) {
    swap_amounts_(
      y, bins, codes, 3L, list(target), matrix(0, 4, 1), list(
        bins = 2L, row_weight = rep(1, n), expected = rep(0, n),
        score_weight = 0, group = group, beta = c(0.3, 3), sweeps = 20L,
        together = together
      ), c(1, 2), threads
    )
  }
  found <- swap(150, 1)
  expect_identical(swap(150, 2), found)
  expect_identical(sort(found$from), seq_len(n))
  expect_identical(group[found$from], group)
  missed <- function(from) {
    sum((as.vector(table(codes, bins[from])) - target)^2)
  }
  expect_lt(missed(found$from), 0.5 * missed(seq_len(n)))
  expect_false(identical(found$from, swap(n, 1)$from))
})

test_that("no turn is spent on a record and itself", {
  # Two records, one turn a sweep: without a temperature each turn swaps
  swapped <- vapply(1:40, function(r) {
    swap_amounts_(
      c(1, 2), c(0L, 1L), cbind(c(1L, 2L)), 2L, list(c(1, 0, 0, 1)),
      cbind(c(0, 0, 0)), list(
        bins = 2L, row_weight = c(1, 1), expected = c(0, 0), score_weight = 0,
        group = c(1L, 1L), beta = 1e-12, sweeps = 1L, together = 2
      ), c(8, r)
    )$from[1]
  }, 1L)
  expect_identical(swapped, rep(2L, 40))
})
