test_that("streams are xoshiro256++ seeded as documented", {
  truth <- read.table(test_path("rng-reference.txt"), header = TRUE)
  for (part in split(truth, truth[c("seed", "stream")], drop = TRUE)) {
    words <- test_rng_("bits", part$seed[1], part$stream[1], nrow(part), 0, 0)
    expect_identical(words, cbind(part$high, part$low))
  }
})

test_that("uniform numbers are the upper 52 bits of a word, never 0 or 1", {
  words <- test_rng_("bits", 9, 1, 100, 0, 0)
  upper <- words[, 1] * 2^20 + floor(words[, 2] / 2^12)
  expect_identical(test_rng_("uniform", 9, 1, 100, 0, 0), (upper + 0.5) / 2^52)
  ends <- test_rng_extremes_()
  expect_gt(ends[1], 0)
  expect_lt(ends[2], 1)
})

test_that("normal numbers are the polar method on the uniform stream", {
  u <- 2 * matrix(test_rng_("uniform", 4, 0, 200, 0, 0), 2) - 1
  s <- colSums(u^2)
  u <- u[, s < 1]
  s <- s[s < 1]
  truth <- as.numeric(u * rep(sqrt(-2 * log(s) / s), each = 2))
  expect_equal(
    test_rng_("normal", 4, 0, length(truth), 0, 0), truth, tolerance = 1e-14
  )
})

test_that("a new generator repeats its stream after an odd number of draws", {
  first <- test_rng_("normal", 5, 2, 7, 0, 0)
  expect_identical(test_rng_("normal", 5, 2, 3, 0, 0), first[1:3])
  expect_identical(test_rng_("normal", 5, 2, 7, 0, 0), first)
})

test_that("seeds and streams are unrelated", {
  u <- sapply(0:20, function(i) test_rng_("uniform", i, 0, 1e4, 0, 0))
  v <- sapply(1:20, function(i) test_rng_("uniform", 0, i, 1e4, 0, 0))
  r <- cor(cbind(u, v))
  # 820 pairs at sd 0.01 each
  expect_lt(max(abs(r[upper.tri(r)])), 0.06)
})

expect_drawn_from <- function(x, cdf) {
  p <- suppressWarnings(ks.test(cdf(x), "punif")$p.value)
  expect_gt(p, 1e-6)
}

test_that("every distribution passes a Kolmogorov-Smirnov test", {
  n <- 1e5
  draw <- function(what, a = 0, b = 0) test_rng_(what, 11, 0, n, a, b)
  expect_drawn_from(draw("uniform"), identity)
  expect_drawn_from(draw("normal"), pnorm)
  expect_drawn_from(draw("exponential"), pexp)
  for (shape in c(0.05, 0.5, 1, 1.5, 7, 300)) {
    expect_drawn_from(draw("gamma", shape), function(x) pgamma(x, shape))
    expect_drawn_from(
      draw("log_gamma", shape), function(x) pgamma(exp(x), shape)
    )
  }
  expect_drawn_from(draw("beta", 0.3, 2), function(x) pbeta(x, 0.3, 2))
  expect_drawn_from(draw("beta", 5, 5), function(x) pbeta(x, 5, 5))
})

test_that("neighbouring normal draws are independent", {
  x <- test_rng_("normal", 12, 0, 2e5, 0, 0)
  for (lag in 1:4) {
    expect_lt(abs(cor(head(x, -lag), tail(x, -lag))), 5 / sqrt(2e5))
  }
})

test_that("the log of a gamma draw survives shapes whose draws underflow", {
  shape <- 1e-4
  x <- test_rng_("log_gamma", 13, 0, 1e5, shape, 0)
  expect_true(all(is.finite(x)))
  # P(log X < t) = exp(shape t) / Gamma(1 + shape) far below 0
  expect_drawn_from(x, function(t) {
    ifelse(
      t < -30, exp(shape * t - lgamma(1 + shape)), pgamma(exp(t), shape)
    )
  })
})

test_that("integers are uniform", {
  for (n in c(2, 7, 10)) {
    x <- test_rng_("integer", 14, 0, 1e5, n, 0)
    expect_identical(range(x), c(0, n - 1))
    expect_gt(chisq.test(tabulate(x + 1, n))$p.value, 1e-6)
  }
})
