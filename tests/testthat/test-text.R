# As read.csv() gives it: UTF-8 that is not marked as such.
unmarked <- function(x) {
  Encoding(x) <- "unknown"
  x
}

latin1 <- function(x) iconv(x, "UTF-8", "latin1")

city <- function(as = unmarked) as(rep(c("K\u00f6ln", "Aachen", "b"), 20))

skip_unless_utf8 <- function() {
  skip_if_not(l10n_info()[["UTF-8"]])
}

test_that("a predictor may be text in any encoding", {
  skip_unless_utf8()
  data <- simulated()
  fit <- function(z) quick_fit(y ~ z + x, transform(data, z = z))
  marked <- fit(city(enc2utf8))
  for (as in list(unmarked, latin1)) {
    other <- fit(city(as))
    expect_identical(other$draws, marked$draws)
    expect_identical(other$design$levels, marked$design$levels)
    set <- synthesize(other, seed = 1, allow_unconverged = TRUE)[[1]]
    expect_identical(enc2utf8(set$z), city(enc2utf8))
    # New data in yet another encoding
    expect_identical(
      posterior_predict(other, data.frame(z = city(latin1), x = 40), 3, 5),
      posterior_predict(marked, data.frame(z = city(enc2utf8), x = 40), 3, 5)
    )
  }
  dense <- quick_fit(y ~ z:x, transform(data, z = city()))
  expect_identical(
    dense$draws,
    quick_fit(y ~ z:x, transform(data, z = city(enc2utf8)))$draws
  )
})

test_that("a response of two values may be text in any encoding", {
  skip_unless_utf8()
  data <- simulated()
  fit <- function(as) {
    data$z <- as(ifelse(data$y > 2.5, "K\u00f6ln", "b"))
    quick_fit(z ~ x, data, bernoulli())
  }
  expect_identical(fit(unmarked)$draws, fit(enc2utf8)$draws)
  expect_identical(fit(latin1)$spec$y, fit(enc2utf8)$spec$y)
  expect_identical(
    history_mark(fit(unmarked)), history_mark(fit(enc2utf8))
  )
})

test_that("marks do not depend on the encoding", {
  marked <- data.frame(z = city(enc2utf8))
  skip_unless_utf8()
  for (as in list(unmarked, latin1)) {
    other <- data.frame(z = city(as))
    expect_identical(record_marks(other, "z"), record_marks(marked, "z"))
    expect_identical(file_mark(other, "z"), file_mark(marked, "z"))
  }
})

test_that("bytes that are no text are refused and counted, not shown", {
  skip_unless_utf8()
  data <- simulated()
  data$z <- rep(c("K\xf6ln", "a", "b"), 20)
  for (formula in list(y ~ z, y ~ z:x)) {
    error <- tryCatch(quick_fit(formula, data), error = identity)
    expect_s3_class(error, "pseudosynth_error_input")
    expect_identical(error$rows, seq(1L, 58L, 3L))
    expect_match(conditionMessage(error), "20 of 60 records")
    expect_no_match(conditionMessage(error), "ln", fixed = TRUE)
  }
  data$z <- rep(c("K\xf6ln", "a"), 30)
  expect_error(
    quick_fit(z ~ x, data, bernoulli()),
    class = "pseudosynth_error_input"
  )
})

test_that("a mark of values is the same in any order, for one type of number", {
  expect_identical(values_mark(c(3, 1, 2)), values_mark(1:3))
  expect_false(values_mark(c(3, 1, 2)) == values_mark(c(3, 1, 1)))
  expect_identical(values_mark(factor(c("b", "a"))), values_mark(c("a", "b")))
})

test_that("text without an encoding is refused before a fit", {
  odd <- "a\xff"
  Encoding(odd) <- "bytes"
  data <- data.frame(y = c(1.5, 2, 4, 3), x = rep(c(odd, "b"), 2))
  error <- expect_error(
    fit_synthesizer(y ~ x, data, gaussian()), "known encoding",
    class = "pseudosynth_error_input"
  )
  expect_identical(error$rows, c(1L, 3L))
})

test_that("a mark of values is that of sorted ones, however they are sorted", {
  withr::local_seed(6)
  sorted <- function(x) {
    rlang::hash(sort(as.double(x) + 0, method = "radix"))
  }
  for (x in list(
    stats::rnorm(100), stats::rpois(2e4, 4), 1:2e4, c(NA, 2, -1), sample(1e5),
    round(exp(stats::rnorm(2e4, 10, 2)))
  )) {
    expect_identical(values_mark(x), sorted(x))
    expect_identical(values_mark(rev(x)), values_mark(x))
  }
})
