synthesize_core <- function(spec, draws, seed = 1, assignment = 0) {
  synthesize_(spec, draws, c(0, seed), assignment)
}

synthesis_spec <- function(K) {
  withr::local_seed(1)
  core_spec(rnorm(60, sd = 2), cbind(sample(0:2, 60, TRUE)), K = K)
}

expect_uniform <- function(u) {
  expect_gt(suppressWarnings(ks.test(as.numeric(u), "punif")$p.value), 1e-6)
}

test_that("normal synthetic values follow each record's density", {
  spec <- synthesis_spec(0)
  draw <- withr::with_seed(2, random_draws(spec, 1))
  y <- synthesize_core(spec, draw[rep(1, 500), ])
  eta <- dense_matrix(spec) %*% draw[1:3]
  u <- pnorm(y, eta[, 1], draw[4])
  expect_uniform(u)
  p <- apply(u, 1, function(row) ks.test(row, "punif")$p.value)
  expect_gt(min(p), 1e-6)
})

test_that("mixture synthetic values follow each record's density", {
  spec <- synthesis_spec(3)
  draw <- withr::with_seed(3, random_draws(spec, 1))
  y <- synthesize_core(spec, draw[rep(1, 500), ])
  eta <- dense_matrix(spec) %*% coefficients_of(spec, draw)
  cdf <- Reduce(`+`, lapply(1:3, function(k) {
    draw[9 + k] * pnorm(y, eta[, k], draw[12 + k])
  }))
  expect_uniform(cdf)
  # within records as well: a record's own draws are uniform
  p <- apply(cdf, 1, function(u) ks.test(u, "punif")$p.value)
  expect_gt(min(p), 1e-6)
})

test_that("assignment = posterior draws the cluster given the true value", {
  spec <- synthesis_spec(2)
  spec$y <- rep(c(-4, 5, 0.3), 20)
  # components at -5 and 5, one width; no effect of the factor
  draw <- rbind(c(-5, 5, 0, 0, 0, 0, 0.3, 0.7, 1.2, 1.2))
  y <- synthesize_core(spec, draw[rep(1, 400), ], assignment = 1)
  upper <- 0.7 * dnorm(spec$y, 5, 1.2)
  upper <- upper / (upper + 0.3 * dnorm(spec$y, -5, 1.2))
  share <- rowMeans(y > 0)
  error <- sqrt(upper * (1 - upper) / 400)
  expect_true(all(abs(share - upper) < 5 * error + 1e-4))
})

test_that("assignment = prior does not look at the true values", {
  spec <- synthesis_spec(3)
  draws <- withr::with_seed(4, random_draws(spec, 5))
  other <- utils::modifyList(spec, list(y = rev(spec$y) + 10))
  expect_identical(
    synthesize_core(spec, draws), synthesize_core(other, draws)
  )
})

test_that("a set depends on its own draw, its number and the seed alone", {
  spec <- synthesis_spec(3)
  draws <- withr::with_seed(5, random_draws(spec, 5))
  y <- synthesize_core(spec, draws)
  expect_identical(dim(y), c(60L, 5L))
  expect_identical(synthesize_core(spec, draws), y)
  expect_identical(synthesize_core(spec, draws[1:2, ]), y[, 1:2])
  expect_false(any(synthesize_core(spec, draws, seed = 2) == y))
})

test_that("sets of many records are the same at any number of threads", {
  n <- 70000L
  spec <- core_spec(
    numeric(n), withr::with_seed(5, cbind(sample(0:2, n, TRUE))),
    family = "gaussian"
  )
  draws <- withr::with_seed(6, random_draws(spec, 3))
  sets <- synthesize_(spec, draws, c(0, 1), 0L)
  expect_identical(anyDuplicated(as.vector(sets)), 0L)
  for (threads in 2:4) {
    expect_identical(synthesize_(spec, draws, c(0, 1), 0L, threads), sets)
  }
  # The first 65,536 records have the stream of a small file
  some <- 1:1000
  spec$y <- spec$y[some]
  spec$codes <- spec$codes[some, , drop = FALSE]
  spec$alpha <- spec$alpha[some]
  expect_identical(synthesize_(spec, draws, c(0, 1), 0L), sets[some, ])
})

test_that("a forked copy of a process that has run threads draws sets", {
  skip_on_os("windows")
  spec <- synthesis_spec(2)
  draws <- withr::with_seed(7, random_draws(spec, 4))
  sets <- synthesize_(spec, draws, c(0, 1), 0L, 2L)
  copy <- parallel::mcparallel(synthesize_(spec, draws, c(0, 1), 0L, 2L))
  found <- NULL
  for (second in 1:60) {
    found <- parallel::mccollect(copy, wait = FALSE, timeout = 1)
    if (!is.null(found)) break
  }
  if (is.null(found)) tools::pskill(copy$pid)
  expect_identical(found[[1]], sets)
})
