# A file with weights, codes, zeros and missing values, and sets of it
weighted_file <- function(n = 600) {
  withr::with_seed(8, {
    pay <- round(stats::rlnorm(n, 7, 0.6))
    pay[stats::runif(n) < 0.5] <- round(pay[stats::runif(n) < 0.5], -1)[1]
    pay[1:40] <- 0
    pay[41:70] <- -8
    pay[71:90] <- NA
    data.frame(
      pay = pay, group = factor(sample(c("a", "b", "c"), n, TRUE)),
      w = round(stats::rlnorm(n, 4, 0.5), 1)
    )
  })
}

weighted_sets <- function(frames, weights = "w") {
  sets <- remember("weighted sets", {
    book <- codebook(data.frame(
      column = c("pay", "group", "w"), type = c("amount", "category", "amount"),
      levels = c("", "a|b|c", ""), lower = c(0, NA, 1),
      upper = c(1e5, NA, 1e4), codes = c("-8=no answer", "", ""),
      missing = c(TRUE, FALSE, FALSE), zero = c(TRUE, NA, FALSE),
      transform = c("log", NA, "log"), digits = c("any", NA, "any")
    ))
    suppressWarnings(synthesize(file_release(
      file_plan(weighted_file(), confirm_codebook(book)), 4,
      seed = 1
    )))
  })
  sets$sets <- frames
  sets$m <- length(frames)
  sets$n_records <- nrow(frames[[1]])
  sets$survey_weights <- weights
  sets
}

test_that("statistics are those of weighted values, without codes", {
  file <- weighted_file()
  set <- file[c(1:300, 1:300), ]
  found <- file_statistics(weighted_sets(list(set)), file, "w")
  value <- function(column, statistic, level = NA, what = "file") {
    row <- found$column == column & found$statistic == statistic &
      found$level %in% level
    found[[what]][row]
  }
  there <- !is.na(file$pay) & file$pay >= 0
  pay <- file$pay[there]
  w <- file$w[there]
  expect_equal(value("pay", "mean"), stats::weighted.mean(pay, w))
  expect_equal(value("pay", "total"), sum(pay * w))
  expect_equal(value("pay", "median"), weighted_quantile(pay, w, 0.5))
  expect_equal(
    value("pay", "multiples of 10"),
    sum(w[pay %% 10 == 0 & pay > 0]) / sum(w[pay > 0])
  )
  expect_equal(
    value("pay", "share", "no answer"), sum(file$w[41:70]) / sum(file$w)
  )
  expect_equal(
    value("pay", "share", "missing"), sum(file$w[71:90]) / sum(file$w)
  )
  expect_equal(value("pay", "share", "zero"), sum(file$w[1:40]) / sum(file$w))
  expect_equal(
    value("group", "share", "b", "value"),
    sum(set$w[set$group == "b"]) / sum(set$w)
  )
  # Of weights themselves
  expect_equal(value("w", "mean"), mean(file$w))
  expect_equal(
    found$ratio, abs(found$value - found$file) / found$fresh,
    tolerance = 1e-12
  )
  # Without weights totals are expanded
  plain <- file_statistics(
    weighted_sets(list(file[rep(1:600, 2), ]), NULL), file, NULL
  )
  same <- plain$statistic %in% c("share", "mean", "total", "multiples of 10")
  expect_equal(plain$value[same], plain$file[same])
})

test_that("a fresh sample is as far off as is stated for it", {
  skip_unless_nightly()
  for (weights in list("w", NULL)) {
    file <- weighted_file()
    withr::local_seed(9)
    # As many records as a set has: fewer than the file
    frames <- replicate(800, {
      sample <- file[sample(600, 450, TRUE), ]
      sample$w <- sample$w * 600 / 450
      sample
    }, simplify = FALSE)
    found <- file_statistics(weighted_sets(frames, weights), file, weights)
    # The mean of weights is not that of the file: they were expanded
    found <- found[found$column != "w", ]
    key <- paste(found$column, found$level, found$statistic)
    off <- abs(found$value - found$file)
    mean <- tapply(off, key, mean)
    error <- tapply(off, key, stats::sd) / sqrt(800)
    fresh <- tapply(found$fresh, key, `[`, 1)
    # Shares without weights, quantiles and means are nearly exact; linear
    # approximations are within a tenth
    expect_true(all(abs(mean - fresh) <= 5 * error + 0.1 * fresh))
    exact <- grepl("share", names(mean)) & is.null(weights)
    expect_true(all((abs(mean - fresh) <= 5 * error)[exact]))
  }
})

test_that("the sets' own weights are used, and print() shows the worst", {
  file <- weighted_file()
  sets <- weighted_sets(list(transform(file, pay = pay * 2)))
  found <- utility(sets, file)
  expect_identical(found$survey_weights, "w")
  rows <- found$statistics[found$statistics$statistic == "total", ]
  expect_equal(rows$file[1], with(file[file$pay %in% 0:1e5, ], sum(pay * w)))
  expect_output(print(found), "with survey weights")
  expect_error(
    utility(sets, file, survey_weights = "nothing"),
    class = "pseudosynth_error_input"
  )
})

test_that("a set, or a file, without a value or weight has no statistics", {
  file <- weighted_file()
  none <- transform(file, pay = NA_real_)
  weightless <- transform(file, w = ifelse(is.na(pay) | pay < 0, 1, 0))
  ways <- list(
    list(file, list(file, none), 2), list(none, list(file, file), integer()),
    list(file, list(weightless, file), 1)
  )
  for (way in ways) {
    found <- utility(weighted_sets(way[[2]]), way[[1]])
    rows <- found$statistics[found$statistics$column == "pay" &
      is.na(found$statistics$level), ]
    for (i in 1:2) {
      own <- rows[rows$set == i, ]
      lacks <- i %in% way[[3]]
      expect_identical(is.na(own$value), lacks & own$statistic != "total")
      expect_identical(own$value[own$statistic == "total"] == 0, lacks)
    }
    expect_output(print(found), "pay +mean")
  }
})

test_that("columns of dates have no totals and no heaps", {
  sets <- synthesize(canary_release(), 1)
  found <- utility(sets, canary_file())$statistics
  born <- found[found$column == "born", ]
  expect_true("median" %in% born$statistic)
  expect_false(any(grepl("total|multiples", born$statistic)))
})
