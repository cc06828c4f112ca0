hours_plan <- function(n = 4000) {
  data <- withr::with_seed(9, {
    odd <- stats::rbinom(n, 99, 0.38)
    hours <- ifelse(stats::runif(n) < 0.6, 5 * round(odd / 5), odd)
    data.frame(
      hours = as.integer(pmax(hours, 1)), g = sample(c("a", "b"), n, TRUE)
    )
  })
  book <- data.frame(
    column = names(data), type = c("amount", "category"),
    levels = c("", "a|b"), lower = c(1, NA), upper = c(99, NA),
    codes = c("40", NA), heaps = c("5", NA), digits = c(0, NA)
  )
  list(data = data, plan = file_plan(data, book))
}

test_that("an amount of few values has a bin for each", {
  case <- hours_plan()
  spec <- column_specs(case$plan$codebook)$hours
  amount <- amount_model(spec)
  expect_identical(amount$breaks, c(1, seq(1.5, 98.5), 99))
  spec$upper <- 1e5
  amount <- amount_model(spec)
  expect_lte(length(amount$breaks), amount_bins + 2)
  # Hundredths are as few, where bounds are near
  spec[c("lower", "upper", "codes", "heaps")] <- list(0, 1, NULL, NULL)
  spec$digits <- 2
  amount <- amount_model(spec)
  expect_equal(amount$breaks, c(0, seq(0.005, 0.995, 0.01), 1))
  # So has each count
  counted <- draft_codebook(data.frame(k = rep(c(0, 3, 30), 20), g = 1:2))
  for (upper in c(3, 30, 127)) {
    book <- edit_codebook(
      counted, k = list(type = "count", lower = 0, upper = upper, levels = NULL)
    )
    breaks <- amount_model(column_specs(book)$k)$breaks
    expect_identical(breaks, seq(-0.5, upper + 0.5))
  }
})

test_that("bins are of the parts that have values in them", {
  case <- hours_plan()
  amount <- amount_model(column_specs(case$plan$codebook)$hours)
  amount$margin <- list(breaks = amount$breaks)
  groups <- part_groups(amount)
  values <- 1:99
  expect_identical(groups$group, 1:2)
  expect_identical(
    groups$open,
    rbind(values %% 5 == 0 & values != 40, values %% 5 != 0)
  )
  # Wide bins hold both: one margin for all
  amount$margin$breaks <- seq(0.5, 99.5, 11)
  groups <- part_groups(amount)
  expect_identical(groups$group, c(1L, 1L))
  expect_identical(groups$open, matrix(TRUE, 1, 9))
  # Values of another sign are of another range, and turned
  spec <- list(
    column = "pay", kind = column_kinds$amount, lower = -100, upper = 1000,
    zero = TRUE,
    missing = FALSE, codes = NULL, heaps = NULL, transform = "log",
    digits = 0L, family = "gaussian"
  )
  amount <- amount_model(spec)
  amount$margin <- list(breaks = amount$breaks)
  groups <- part_groups(amount)
  expect_identical(groups$group, 1:2)
  negative <- which(amount$parts$kind == "negative")
  reach <- max(which(groups$open[negative, ]))
  expect_lte(exp(amount$breaks[reach]), 100)
  expect_gte(exp(amount$breaks[reach + 1]), 100)
})

test_that("a law that knows the parts has their sizes, each in its own bins", {
  case <- hours_plan()
  amount <- amount_model(column_specs(case$plan$codebook)$hours)
  amount$margin <- list(breaks = amount$breaks)
  amount$sizes <- c(700, 300)
  law <- stats::dnorm(1:99, 35, 12)
  law <- law / sum(law)
  held <- law * part_factors(amount, law)
  heap <- 1:99 %% 5 == 0 & 1:99 != 40
  value <- 1:99 %% 5 != 0
  expect_equal(held[heap], 0.7 * law[heap] / sum(law[heap]))
  expect_equal(held[value], 0.3 * law[value] / sum(law[value]))
  # No part has a value there
  expect_equal(held[40], 1e-6 * law[40])
  # Where all parts have values in all bins the law stays
  amount$margin$breaks <- seq(0.5, 99.5, 11)
  expect_equal(part_factors(amount, (1:9) / 45), rep(1, 9))
})

test_that("margins of parts meet their sizes and, where they can, the margin", {
  withr::local_seed(2)
  open <- rbind(c(1, 0, 1, 0, 1), c(0, 1, 1, 0, 1), c(1, 1, 1, 0, 0))
  truth <- open * matrix(stats::rexp(15), 3)
  fitted <- fitted_margins(open, rowSums(truth), colSums(truth), 500)
  expect_equal(rowSums(fitted), rowSums(truth))
  expect_equal(colSums(fitted), colSums(truth), tolerance = 1e-6)
  expect_true(all(fitted[open == 0] == 0))
  # What no part can have is nobody's
  fitted <- fitted_margins(open, c(10, 20, 30), c(20, 20, 10, 5, 5))
  expect_equal(rowSums(fitted), c(10, 20, 30))
})

test_that("values between heaps and heaps come back as often as they were", {
  case <- hours_plan()
  release <- file_release(case$plan, 10, seed = 1)
  set <- synthesize(release, n = nrow(case$data), seed = 2)[[1]]
  share <- function(x) tabulate(x$hours, 99) / nrow(case$data)
  # .013; with one margin for all parts it is .027
  expect_lt(sum(abs(share(set) - share(case$data))) / 2, 0.02)
})

test_that("swaps are drawn to the slope that mapped values have", {
  line <- seq(-1, 1, length.out = 101)
  y <- exp(2 * line)
  mean <- mapped_mean(student_t(), y, line)
  expect_equal(mean, unname(stats::fitted(stats::lm(y ~ line))))
  # No spread at all
  none <- mapped_mean(student_t(), y, rep(3, 101))
  expect_equal(none, rep(mean(y), 101))
})

test_that("a part that the margin has next to no record of has its own bins", {
  case <- hours_plan(400)
  amount <- file_release(case$plan, 1, seed = 1)$amounts$hours
  groups <- part_groups(amount)
  heaps <- groups$open[1, bins_of_counts(amount$counts, amount)]
  # As a draw of a margin's posterior may be: too little to be divided by
  for (least in c(5e-310, 1e-30, 0)) {
    amount$counts$counts[heaps] <- least
    margins <- group_margins(amount, rep(1:2, 25), groups$open, rep(30, 50))
    for (g in 1:2) {
      counts <- margins[[g]]$counts
      expect_true(all(is.finite(counts)) && sum(counts) > 0)
      expect_identical(any(counts[heaps != (g == 1)] > 0), FALSE)
    }
  }
})
