test_that("log_sum_exp keeps its digits far from 0", {
  for (at in c(-1e308, -1e3, 0, 1e3, 1e307)) {
    expect_equal(test_log_sum_exp_(c(at, at)), rep(at + log(2), 2))
    expect_equal(test_log_sum_exp_(rep(at, 3)), at + log(3))
  }
  expect_equal(
    test_log_sum_exp_(c(-1000, -1001)), rep(-1000 + log1p(exp(-1)), 2)
  )
})

test_that("log_sum_exp of nothing and of -Inf is -Inf", {
  expect_identical(test_log_sum_exp_(numeric()), -Inf)
  expect_identical(test_log_sum_exp_(rep(-Inf, 3)), -Inf)
  expect_identical(test_log_sum_exp_(c(-Inf, -Inf)), c(-Inf, -Inf))
  expect_identical(test_log_sum_exp_(c(-Inf, 3)), c(3, 3))
})

test_that("log1p_exp neither overflows nor loses small values", {
  x <- c(-700, -40, -1, 0, 1, 40, 800)
  truth <- c(exp(-700), exp(-40), log1p(exp(c(-1, 0, 1))), 40 + exp(-40), 800)
  expect_lt(max(abs(test_math_("log1p_exp", x) / truth - 1)), 4e-16)
})

test_that("log_gamma equals base R's to the stated 1e-14", {
  x <- c(10^seq(-300, 300, 7), seq(0.05, 30, 0.05), 1, 2)
  truth <- lgamma(x)
  error <- abs(test_math_("log_gamma", x) - truth) / pmax(1, abs(truth))
  expect_lt(max(error), 1e-14)
  expect_identical(test_math_("log_gamma", c(0, Inf, -1)), c(Inf, Inf, NaN))
})

test_that("digamma equals base R's", {
  x <- c(10^seq(-8, 12, 0.5), seq(0.05, 30, 0.05))
  truth <- digamma(x)
  error <- abs(test_math_("digamma", x) - truth) / pmax(1, abs(truth))
  expect_lt(max(error), 1e-14)
  expect_identical(test_math_("digamma", c(0, -1)), c(NaN, NaN))
})

test_that("the normal distribution function is right in both tails", {
  x <- seq(-37, 8, 0.25)
  # x / sqrt(2) is rounded, which the tail multiplies by x^2
  expect_lt(max(abs(test_math_("normal_cdf", x) / pnorm(x) - 1)), 1e-12)
  expect_identical(test_math_("normal_cdf", c(-Inf, Inf)), c(0, 1))
})
