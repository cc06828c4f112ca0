test_that("count weights equal the naive loop, exactly", {
  data <- awkward_data()
  patterns <- list(
    one = list(known = NULL, code = rep(1, nrow(data))),
    a = list(known = "a", code = data$a),
    both = list(known = c("a", "b"), code = paste(data$a, data$b))
  )
  for (pattern in patterns) {
    for (radius in c(0, 0.1, 0.2, 1, 50)) {
      # a relative radius is at most 1
      for (relative in c(if (radius <= 1) TRUE, FALSE)) {
        w <- count_weights(
          "y", data, radius, relative, pattern$known,
          scale = 0.7, shift = 0.2
        )
        ir <- naive_ir(data$y, pattern$code, radius, relative)
        expect_identical(as.numeric(w), 0.7 * (1 - ir) + 0.2)
      }
    }
  }
})

test_that("balls around zero and negative values are right", {
  data <- data.frame(y = c(0, 0, 1e-9, -10, -11, -12.5, 10))
  w <- count_weights("y", data, 0.1)
  # |y_j - y_i| <= 0.1 |y_i|: zeros see zeros, -10 sees -11
  expect_equal(as.numeric(w), c(2, 2, 1, 2, 2, 1, 1) / 7)
  w <- count_weights("y", data, 0, relative = FALSE)
  expect_equal(as.numeric(w), c(2, 2, 1, 1, 1, 1, 1) / 7)
})

test_that("a formula, a name and a fit mean the same records", {
  data <- privacy_data()
  w <- count_weights(log(income) ~ age, data, radius = 0.2, known = "age")
  expect_identical(
    count_weights("income", data, radius = 0.2, known = "age"), w
  )
  from_fit <- count_weights(unweighted_fit(), radius = 0.2, known = "age")
  expect_identical(as.numeric(from_fit), as.numeric(w))
  expect_identical(attr(w, "scheme"), "count")
  expect_identical(dependency_of(w)$kind, "other records")
  expect_identical(
    attr(w, "arguments")[c("n_pattern_min", "n_pattern_max")],
    list(
      n_pattern_min = min(table(factor(data$age))),
      n_pattern_max = max(table(factor(data$age)))
    )
  )
})

test_that("one record moves no other weight by more than c / M", {
  scale <- 0.6
  largest <- 0
  for (known in list(NULL, "a")) {
    data <- awkward_data(40)
    w <- as.numeric(count_weights("y", data, 0.3, known = known, scale = scale))
    size <- table(if (is.null(known)) rep(1, 40) else data$a)
    size <- if (is.null(known)) rep(40, 40) else as.vector(size[data$a])
    for (i in 1:40) {
      without <- count_weights(
        "y", data[-i, ], 0.3,
        known = known, scale = scale
      )
      change <- abs(as.numeric(without) - w[-i]) * size[-i] / scale
      same <- if (is.null(known)) TRUE else data$a[-i] == data$a[i]
      largest <- max(largest, change[same])
      expect_true(all(change[same] <= 1 + 1e-12))
      expect_true(all(change[!same] == 0))
      for (value in c(-5, 0, 1000)) {
        other <- data
        other$y[i] <- value
        replaced <- count_weights("y", other, 0.3, known = known, scale = scale)
        change <- abs(as.numeric(replaced) - w)[-i] * size[-i] / scale
        expect_true(all(change <= 1 + 1e-12))
      }
    }
  }
  # The bound is sharp: it is nearly reached
  expect_gt(largest, 0.9)
})

# sum_j rho_j of the weights on two neighbouring files
relative_change <- function(w, v) {
  high <- pmax(w, v)
  sum((high - pmin(w, v))[high > 0] / high[high > 0])
}

test_that("the factors bound the relative change of the weights", {
  worst <- 0
  for (c in c(0.3, 1)) {
    for (g in c(0.05, 0.5)) {
      # k = 1 outside each ball: the record that is removed is far from clones
      data <- data.frame(y = c(rep(1, 30), 50))
      w <- count_weights("y", data, 0.1, scale = c, shift = g)
      v <- count_weights("y", data[-31, , drop = FALSE], 0.1,
        scale = c, shift = g
      )
      sum_rho <- relative_change(as.numeric(w)[-31], as.numeric(v))
      factor <- attr(v, "arguments")$factor_add_remove
      expect_lte(1 + sum_rho, factor)
      expect_lte(factor, 1 + c / g)
      # 30 records, and one that may be added
      expect_equal(factor, 1 + 30 * (c / 31) / min(1, g + c / 31))
      expect_equal(attr(v, "arguments")$factor_replace, factor + 1)
      data <- awkward_data(30)
      w <- count_weights("y", data, 0.2, scale = c, shift = g)
      for (i in 1:30) {
        v <- count_weights("y", data[-i, ], 0.2, scale = c, shift = g)
        sum_rho <- relative_change(as.numeric(w)[-i], as.numeric(v))
        worst <- max(worst, sum_rho)
        expect_lte(1 + sum_rho, attr(v, "arguments")$factor_add_remove)
      }
    }
  }
  expect_gt(worst, 0.5)
})

test_that("without a floor there is no factor", {
  data <- awkward_data()
  for (shift in c(0, -0.1)) {
    w <- count_weights("y", data, 0.2, shift = shift)
    expect_null(attr(w, "arguments")$factor_add_remove)
  }
  # All weights 1 do not move
  w <- count_weights("y", data, 0.2, shift = 1)
  expect_identical(attr(w, "arguments")$factor_add_remove, 1)
})

test_that("a file with a response of two levels is counted", {
  data <- data.frame(y = factor(c("no", "yes", "yes", "no", "no")))
  w <- count_weights("y", data, 0, relative = FALSE)
  expect_equal(as.numeric(w), c(3, 2, 2, 3, 3) / 5)
})

test_that("100,000 records are counted in order N log N", {
  # Work grows a little more than tenfold from 10,000 to 100,000
  y <- withr::with_seed(1, round(exp(rnorm(1e5, 10, 1))))
  w <- count_weights("y", data.frame(y), 0.2)
  i <- c(1, 500, 99999)
  naive <- vapply(i, function(i) mean(abs(y - y[i]) <= 0.2 * y[i]), 0)
  expect_equal(as.numeric(w)[i], naive)
})

test_that("bad input is a classed error", {
  data <- awkward_data()
  refuse <- function(...) {
    expect_error(count_weights(...), class = "pseudosynth_error_input")
  }
  refuse("y", data)
  refuse("y", data, radius = -1)
  refuse("y", data, radius = Inf)
  refuse("y", data, radius = c(0.1, 0.2))
  refuse("y", data, radius = 0.1, relative = NA)
  refuse("y", data, radius = 0.1, known = "nothing")
  refuse("y", data, radius = 0.1, known = "y")
  refuse("y", data, radius = 0.1, known = 1)
  refuse("y", data, radius = 0.1, scale = -1)
  refuse("a", data, radius = 0.1)
  refuse("z", data, radius = 0.1)
  refuse(1, data, radius = 0.1)
  refuse("y", 1:3, radius = 0.1)
  refuse(unweighted_fit(), data, radius = 0.1)
  data$y[3] <- NA
  error <- expect_error(
    count_weights("y", data, 0.1),
    class = "pseudosynth_error_input"
  )
  expect_identical(error$rows, 3L)
  data$y[3] <- Inf
  refuse("y", data, 0.1)
})
