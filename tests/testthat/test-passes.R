# Passes over long columns in C++, beside plain loops and functions of R.

test_that("number_facts_() tells what min(), max() and is.na() tell", {
  withr::local_seed(1)
  for (x in list(
    round(stats::rnorm(101), 2), c(3, NA, -7, NaN, 0), c(1, Inf, 2), -4:9,
    c(NA, 5L), c(TRUE, NA, FALSE), factor(c("b", "a", NA)), 2^60, NA_real_
  )) {
    facts <- number_facts_(x)
    known <- as.double(x)[!is.na(x)]
    expect_identical(facts$missing, as.double(sum(is.na(x))))
    expect_identical(facts$whole, all(round(known) == known))
    expect_identical(facts$least, min(known, Inf))
    expect_identical(facts$most, max(known, -Inf))
    expect_identical(
      all_finite(x), all(is.finite(as.double(x))), label = toString(x)
    )
  }
  expect_error(number_facts_("1"), "numbers")
})

test_that("all_on_grid_() tells multiples of a step, as a loop does", {
  withr::local_seed(2)
  for (x in list(
    100 * sample(1e6, 50), round(stats::rnorm(50), 2), stats::rnorm(50),
    c(0, -10, 20), c(1, NA), c(5, Inf)
  )) {
    for (step in 10^(3:-4)) {
      own <- all(abs(round(x / step) * step - x) <=
                   4 * .Machine$double.eps * abs(x)) %in% TRUE
      expect_identical(all_on_grid_(x, step), own)
    }
  }
})

test_that("hashes of vectors differ with any value, order, length or type", {
  withr::local_seed(3)
  x <- stats::rnorm(103)
  found <- vector_hash_(x)
  expect_match(found, "^[0-9a-f]{32}$")
  expect_identical(vector_hash_(x + 0), found)
  others <- lapply(seq_along(x), function(i) {
    x[i] <- x[i] + 1e-15 * abs(x[i]) * 4
    x
  })
  swapped <- lapply(1:99, function(i) {
    x[c(i, i + 4)] <- x[c(i + 4, i)]
    x
  })
  shorter <- list(x[-103], c(x, 0), x[-1], rev(x))
  hashes <- vapply(c(others, swapped, shorter), vector_hash_, "")
  expect_false(anyDuplicated(c(found, hashes)) > 0)
  text <- c("a", NA, "NA", "", "\u00e9", "a")
  hashes <- vapply(seq_along(text), function(i) vector_hash_(text[-i]), "")
  expect_length(unique(hashes), 6)
  expect_identical(vector_hash_(iconv(text, "UTF-8", "latin1")),
    vector_hash_(text)
  )
  for (x in list(1:7, c(TRUE, NA), as.raw(1:9), complex(3, 1:3, 2))) {
    expect_false(vector_hash_(x) == vector_hash_(rev(x)))
  }
  expect_error(vector_hash_(list(1)), "atomic")
})

test_that("marks see values: not types of numbers, not a factor's codes", {
  expect_identical(values_hash(c(1L, NA, 3L)), values_hash(c(1, NA, 3)))
  expect_identical(values_hash(0), values_hash(-0))
  text <- c("b", "a", NA, "b")
  expect_identical(values_hash(factor(text)), values_hash(text))
  expect_identical(
    values_hash(factor(text, c("b", "z", "a"))), values_hash(text)
  )
  expect_identical(values_hash(c(TRUE, FALSE)), values_hash(c("TRUE", "FALSE")))
  expect_false(values_hash(c("a", "b")) == values_hash(c("b", "a")))
  expect_false(values_hash(1) == values_hash("1"))
})

test_that("records have the hashes that printed numbers and text have", {
  x <- c(0, -0, 7, -123456789, 1e9, 1234567890.2, 0.1, NA, NaN, Inf, -Inf, 1e15)
  slow <- vapply(x, function(value) {
    # Ten digits are what is told apart
    row_hashes_(list(value + value * 1e-13), "salt", 1)
  }, 0)
  expect_identical(row_hashes_(list(x), "salt", length(x)), slow)
  text <- c("b", NA, "a")
  expect_identical(
    row_hashes_(list(factor(text)), "salt", 3),
    row_hashes_(list(text), "salt", 3)
  )
})

test_that("codes and sums of levels are those of a loop", {
  withr::local_seed(4)
  n <- 200
  factors <- list(
    factor(sample(letters[1:3], n, TRUE)), factor(sample(5, n, TRUE), 1:6)
  )
  codes <- factor_codes_(factors, c(0L, -1L), c(4L, 300L), n)
  expect_identical(
    codes, cbind(as.integer(factors[[1]]), as.integer(factors[[2]]) - 1L)
  )
  # A byte for each where there are few levels
  bytes <- factor_codes_(factors, c(0L, -1L), c(4L, 6L), n)
  expect_identical(bytes, array(as.raw(codes), dim(codes)))
  expect_error(
    factor_codes_(factors, c(0L, -1L), c(4L, 4L), n), "out of range"
  )
  y <- stats::rpois(n, 1) + 0
  expect_identical(
    level_sums_(bytes, 1:0, c(3L, 6L), y, NULL),
    level_sums_(codes, 1:0, c(3L, 6L), y, NULL)
  )
  for (weights in list(NULL, stats::runif(n) * (stats::runif(n) < 0.5))) {
    sums <- level_sums_(codes, 1:0, c(3L, 6L), y, weights)
    active <- is.null(weights) | (weights %||% 1) > 0
    for (f in 1:2) {
      for (level in seq_along(levels(factors[[f]]))) {
        here <- as.integer(factors[[f]]) == level & active
        expect_identical(sums[[f]]$n[level], as.double(sum(here)))
        expect_identical(sums[[f]]$sum[level], sum(y[here]))
      }
    }
  }
  expect_error(level_sums_(codes, 1:0, c(3L, 2L), y, NULL), "out of range")
})

test_that("quantiles from tables are the law's own, at its steps as well", {
  withr::local_seed(5)
  n <- 40000
  mean <- c(0.01, 1, 7.5, 60)
  row <- sample(4, n, TRUE)
  p <- c(stats::runif(n - 4008), 1 - 10^-stats::runif(4000, 0, 12), 0, 1,
    stats::ppois(0:5, 7.5)
  )
  row[(n - 5):n] <- 3
  for (family in list(neg_binomial(), poisson_family())) {
    shape <- if (family$name == "neg_binomial") 2
    expect_identical(
      quantile_by_row(family, p, mean, shape, row),
      as.double(response_quantile(family, p, mean[row], shape))
    )
  }
  share <- c(0.1, 0.5, 0.9)
  loop <- vapply(c(0.05, 0.3, 0.7), function(p) sum(share < p), 0)
  first <- function(p) table_quantiles_(p, rep(1L, length(p)), share, 0L, 3L)
  expect_identical(first(c(0.05, 0.3, 0.7)), loop)
  expect_identical(first(c(0.95, 0.5, 0.1 + 1e-13)), rep(NA_real_, 3))
})

test_that("whole scores, by record and added up, are those of a loop", {
  withr::local_seed(6)
  n <- 500
  row <- sample(7, n, TRUE)
  centre <- stats::rnorm(7)
  spread <- exp(stats::rnorm(7))
  y <- c(stats::rnorm(n - 3), Inf, -Inf, NaN)
  for (lowest in list(-1.2, stats::runif(7, -1, 0))) {
    q <- inside <- numeric(n)
    for (i in seq_len(n)) {
      score <- (y[i] - centre[row[i]]) / spread[row[i]]
      least <- if (length(lowest) > 1) lowest[row[i]] else lowest
      if (is.nan(score)) next
      q[i] <- floor(min(max(score / 1.2, -1), 1) * 1024 + 0.5)
      inside[i] <- score > least && score < 1.2
    }
    score <- (y - centre[row]) / spread[row]
    own <- if (length(lowest) > 1) lowest[row] else lowest
    expect_identical(
      whole_scores_(score, 1.2, own, 1024), list(q = q, inside = inside)
    )
    sums <- whole_sums_(y, row, centre, spread, 1.2, lowest, 1024)
    expect_identical(sums$q, as.vector(rowsum(q, row)))
    expect_identical(sums$inside, as.vector(rowsum(inside, row)))
  }
})

test_that("lines of CSV files are what R writes", {
  withr::local_seed(7)
  x <- c(
    0, -0, 1, -5, 1e5, 123456789, 1e14, 1e15, 1e16, 0.1, 1 / 3, -2.5e-7, 1e300,
    NA, Inf, -Inf, stats::rnorm(200), round(stats::rnorm(200), 2),
    exp(stats::runif(200, -50, 50))
  )
  n <- length(x)
  text <- rep_len(c("a", "say \"b\"", NA, "", "\u00e9,x"), n)
  columns <- list(
    x, rep_len(c(7L, NA, -100000L), n), rep_len(c(TRUE, FALSE, NA), n),
    text, factor(text), rep_len(c("2020-01-01", NA), n)
  )
  quoted <- c(FALSE, FALSE, FALSE, TRUE, FALSE, FALSE)
  quote <- function(text) {
    ifelse(is.na(text), "", paste0("\"", gsub("\"", "\"\"", text), "\""))
  }
  plain <- function(x) ifelse(is.na(x), "", as.character(x))
  shortest <- shortest_text(x)
  # Few decimals have no exponent
  shortest[x %in% -2.5e-7] <- "-0.00000025"
  slow <- paste(
    ifelse(is.na(x), "", shortest), plain(columns[[2]]),
    plain(columns[[3]]), quote(text), quote(text), plain(columns[[6]]),
    sep = ","
  )
  lines <- csv_lines_(columns, quoted, 1, n)
  expect_identical(
    rawToChar(lines), enc2utf8(paste0(slow, "\n", collapse = ""))
  )
  expect_identical(csv_lines_(columns, quoted, 3, 5),
    charToRaw(enc2utf8(paste0(slow[3:5], "\n", collapse = "")))
  )
  expect_error(csv_lines_(columns, quoted, 1, n + 1), "each record")
})

test_that("facts of weighted numbers are those of a loop", {
  weights <- c(0, 1, 0.5, 0, 0.1)
  y <- c(-9, 2, 7, 0.5, NA)
  expect_identical(
    number_facts_(y, weights),
    list(least = 2, most = 7, missing = 1, whole = TRUE)
  )
  expect_true(is_weighted(c(1, 0.5)))
  expect_false(is_weighted(c(1, 1)))
})

# Whole numbers of a small range by counting, others by sorting
counted_numbers <- function(y) {
  counted_wholes(y) %||% sorted_runs_(sort(as.double(y), method = "radix"))
}

test_that("counted numbers are runs of sorted ones", {
  withr::local_seed(9)
  for (y in list(
    stats::rpois(20000, 5), stats::rpois(20000, 5) - 3, stats::rnorm(20000),
    c(stats::rpois(20000, 2), NA), c(3, 1, 1), numeric(20000)
  )) {
    runs <- rle(sort(y))
    counted <- counted_numbers(y)
    expect_equal(counted$value, as.double(runs$values), tolerance = 0)
    expect_identical(counted$n, runs$lengths)
    # Ledgers keep marks: they stay what they were
    expect_identical(
      values_mark(y), rlang::hash(sort(as.double(y) + 0, method = "radix"))
    )
    # In any order and type, and of no other numbers
    expect_identical(values_mark(y), values_mark(sample(y) + 0))
    expect_false(values_mark(y) == values_mark(replace(y, 2, 4)))
    expect_false(values_mark(y) == values_mark(y[-1]))
  }
})

test_that("numbers beyond 2^52 are sorted, not counted", {
  far <- rep(2^54, 2e4)
  expect_identical(counted_numbers(far), list(value = 2^54, n = 20000L))
  expect_false(values_hash(far) == values_hash(2 * far))
})

test_that("the most common number is found, the least of several", {
  withr::local_seed(5)
  by_table <- function(y) {
    counts <- table(y)
    list(
      value = as.double(names(counts)[which.max(counts)]),
      n = as.double(max(counts))
    )
  }
  for (y in list(
    c(3, 1, 3, 2, 1), 7, c(0.5, -2, 0.5), rep(4, 5), stats::rpois(2e4, 3),
    round(stats::rnorm(3e4), 2)
  )) {
    expect_equal(commonest_number(y), by_table(y))
  }
  expect_identical(commonest_number(double()), list(value = NA_real_, n = 0))
  expect_identical(commonest_number(c(NA, 2, 2, 1)), list(value = 2, n = 2))
})

test_that("a sequence that is not written out has the hash of one that is", {
  for (x in list(1:3, 1:4096, 1:100001, 5:9000, 10:-5000, integer())) {
    expect_identical(vector_hash_(x), vector_hash_(x + 0L))
  }
  expect_false(vector_hash_(1:5000) == vector_hash_(c(1:4999, 5001L)))
})
