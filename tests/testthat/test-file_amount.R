#' A plan of a file: what is stated of some columns; the others are categories
file_of <- function(data, ..., publish = NULL) {
  stated <- list(...)
  rows <- lapply(names(data), function(name) {
    row <- data.frame(
      column = name, type = "category",
      levels = paste(levels(data[[name]]), collapse = "|"), lower = "",
      upper = "", zero = FALSE, codes = "", heaps = "", transform = "",
      family = "", digits = "", storage = "factor"
    )
    row[names(stated[[name]])] <- stated[[name]]
    row
  })
  file_plan(data, codebook(do.call(rbind, rows)), publish = publish)
}

amount <- function(lower, upper, ..., type = "amount", transform = "log",
                   digits = if (type == "amount") "any" else "") {
  list(
    digits = digits, storage = "",
    type = type, levels = "", lower = as.character(lower),
    upper = as.character(upper), transform = transform, ...
  )
}

test_that("two amounts keep their correlation given categories", {
  withr::local_seed(1)
  n <- 3000
  g <- factor(sample(1:3, n, TRUE))
  h <- factor(sample(1:4, n, TRUE))
  z <- stats::rnorm(n)
  data <- data.frame(
    g, h,
    a = exp(3 + 0.5 * as.integer(g) + z),
    b = exp(5 - 0.3 * as.integer(h) + 0.7 * z + 0.7 * stats::rnorm(n))
  )
  partial <- function(x) {
    stats::cor(
      stats::resid(stats::lm(log(a) ~ g + h, x)),
      stats::resid(stats::lm(log(b) ~ g + h, x))
    )
  }
  plan <- file_of(data, a = amount(1e-3, 1e6), b = amount(1e-3, 1e6))
  set <- synthesize(file_release(plan, 5, seed = 1), n = n, seed = 2)[[1]]
  # Twelve bins lose .02; five would lose .07
  expect_lt(abs(partial(set) - partial(data)), 0.04)
  slope <- function(x) stats::coef(stats::lm(log(b) ~ g + h, x))[["h4"]]
  expect_lt(abs(slope(set) - slope(data)), 0.15)
})

test_that("amounts of every make come back as they were", {
  withr::local_seed(2)
  n <- 1500
  group <- factor(sample(c("x", "y"), n, TRUE))
  wage <- round(exp(stats::rnorm(n, 7 + 0.7 * (group == "y"), 0.8)))
  heaped <- stats::runif(n) < 0.4
  wage[heaped] <- pmax(100, 100 * round(wage[heaped] / 100))
  kind <- sample(4, n, TRUE, c(0.7, 0.15, 0.1, 0.05))
  wage[kind == 2] <- 0
  wage[kind == 3] <- -round(stats::rexp(sum(kind == 3), 1 / 500)) - 1
  wage[kind == 4] <- 99999
  data <- data.frame(
    group, wage,
    visits = stats::rpois(n, 2 + 3 * (group == "y")),
    day = as.Date("2020-01-01") + sample(0:700, n, TRUE)
  )
  plan <- file_of(
    data,
    wage = amount(-50000, 99998, zero = TRUE, codes = "99999", heaps = "100"),
    visits = amount(0, 60, type = "count", transform = "identity",
      family = "poisson"
    ),
    day = amount("2020-01-01", "2021-12-31", type = "date",
      transform = "identity"
    )
  )
  set <- synthesize(file_release(plan, 5, seed = 1), n = n, seed = 3)[[1]]
  expect_identical(lapply(set, class), lapply(data, class))
  parts <- function(x) {
    c(
      zero = mean(x == 0), negative = mean(x < 0), code = mean(x == 99999),
      heap = mean(x > 0 & x < 99999 & x %% 100 == 0)
    )
  }
  expect_lt(max(abs(parts(set$wage) - parts(data$wage))), 0.03)
  # Nothing beyond the bounds but the code
  expect_true(all(set$wage >= -50000 & set$wage <= 99999))
  middle <- function(x) stats::median(log(x$wage[x$wage > 0 & x$wage < 99999]))
  expect_lt(abs(middle(set) - middle(data)), 0.15)
  expect_true(all(set$visits == round(set$visits) & set$visits >= 0))
  by_group <- function(x) tapply(x$visits, x$group, mean)
  expect_lt(max(abs(by_group(set) - by_group(data))), 0.5)
  expect_true(all(set$day >= as.Date("2020-01-01")))
  expect_true(all(set$day <= as.Date("2021-12-31")))
  expect_lt(abs(as.numeric(mean(set$day) - mean(data$day))), 40)
})

test_that("a file may have one column", {
  withr::local_seed(3)
  data <- data.frame(a = exp(stats::rnorm(1000, 5)))
  plan <- file_of(data, a = amount(1e-3, 1e6))
  for (neighbours in relation_names) {
    release <- file_release(plan, 5, neighbours = neighbours, seed = 1)
    set <- synthesize(release, n = 1000, seed = 1)[[1]]
    ends <- stats::quantile(log(data$a), c(0.1, 0.5, 0.9))
    found <- stats::quantile(log(set$a), c(0.1, 0.5, 0.9))
    expect_lt(max(abs(found - ends)), 0.2)
    worst <- audit_guarantee(
      release, plan, rows = 200, replays = by_night(20, 1), seed = 2
    )$worst
    expect_true(all(worst$exact <= worst$claimed))
  }
  data <- data.frame(g = factor(sample(c("x", "y", "z"), 1000, TRUE, 3:1)))
  release <- file_release(file_of(data), 5, seed = 1)
  set <- synthesize(release, n = 1000, seed = 1)[[1]]
  expect_lt(max(abs(table(set$g) - table(data$g))), 20)
  more <- synthesize(release, n = 5000, seed = 1)[[1]]
  expect_lt(max(abs(table(more$g) - 5 * table(data$g))), 100)
  # A category whose only partner is an amount
  data$a <- exp(stats::rnorm(1000, as.integer(data$g)))
  plan <- file_of(data, a = amount(1e-3, 1e6))
  set <- synthesize(file_release(plan, 5, seed = 1), n = 1000, seed = 1)[[1]]
  expect_lt(max(abs(table(set$g) - table(data$g))), 20)
  by_group <- function(x) tapply(log(x$a), x$g, mean)
  expect_lt(max(abs(by_group(set) - by_group(data))), 0.5)
})

test_that("no record moves two amounts farther than the label says", {
  withr::local_seed(4)
  n <- 600
  data <- data.frame(
    g = factor(sample(1:2, n, TRUE)), a = exp(stats::rnorm(n)),
    b = exp(stats::rnorm(n)), c = exp(stats::rnorm(n))
  )
  own <- amount(1e-3, 1e6)
  # Runs on neighbouring files, which take longer, have tests of their own
  worst_of <- function(release, plan, replays) {
    replays <- by_night(20, replays)
    audit_guarantee(release, plan, 1000, replays = replays, seed = 2)$worst
  }
  published <- list(NULL, "g", c("g", "a"))
  for (publish in by_night(published, published[3])) {
    plan <- file_of(data, a = own, b = own, c = own, publish = publish)
    for (neighbours in relation_names) {
      release <- file_release(plan, 8, neighbours = neighbours, seed = 1)
      worst <- worst_of(release, plan, 0)
      expect_true(all(worst$exact <= worst$claimed))
    }
  }
  plan <- file_of(data[c("a", "b")], a = own, b = own)
  for (neighbours in relation_names) {
    release <- file_release(plan, 8, neighbours = neighbours, seed = 1)
    worst <- worst_of(release, plan, 0)
    expect_true(all(worst$exact <= worst$claimed))
  }
})

test_that("what shrunk pairs hide of a sum is found", {
  withr::local_seed(5)
  n <- 4000
  z <- stats::rnorm(n)
  file <- cbind(
    a = findInterval(z + stats::rnorm(n), c(-1, 1)) + 1L,
    b = findInterval(z + stats::rnorm(n), c(-1, 0, 1)) + 1L
  )
  levels <- c(3L, 4L)
  # Columns on their own: all that they share is hidden
  set <- cbind(a = sample(file[, "a"]), b = sample(file[, "b"]))
  counts <- as.vector(table(file[, "a"], file[, "b"]))
  block <- list(
    n = n, levels = levels, tables = list(1L, 2L, 1:2),
    noise = data.frame(order = c(1, 1, 2), variance = c(1, 1, 4)),
    residuals = list(NULL, NULL, centred_table(counts, levels))
  )
  b <- list(c(0, 0.5, 1.2), c(0, 0.3, 0.1, 1))
  variance <- function(codes) {
    line <- b[[1]][codes[, "a"]] + b[[2]][codes[, "b"]]
    mean((line - mean(line))^2)
  }
  found <- function(block) {
    hidden_variance(b, 1:2, unseen_pairs(block, set), set)
  }
  expect_equal(found(block), variance(file) / variance(set) - 1,
    tolerance = 0.01
  )
  # Where noise is all there is, next to nothing is believed
  block$noise$variance <- 1e8
  expect_lt(abs(found(block)), 0.01)
  # The column of the amount's own parts is left out
  expect_identical(
    hidden_variance(b, c(NA, 2L), unseen_pairs(block, set), set), 0
  )
})

test_that("a margin has its bins where a first look has shown values", {
  # Nearly all between 50 and 60, in whole numbers; bounds are wide
  values <- withr::with_seed(1, c(
    sample(52:58, 5000, TRUE), round(stats::runif(50, 0, 1000), 1)
  ))
  data <- data.frame(x = values, g = rep(c("u", "v"), length.out = 5050))
  plan <- file_plan(data, codebook(data.frame(
    column = c("x", "g"), type = c("amount", "category"), lower = c("0", ""),
    upper = c("1000", ""), digits = c("1", ""), levels = c("", "u|v"),
    confirmed = TRUE
  )))
  release <- suppressMessages(file_release(plan, 5, seed = 1))
  amount <- release$amounts$x
  breaks <- amount$margin$breaks
  expect_lte(length(breaks) - 1, grown_bins)
  expect_gt(sum(breaks > 50 & breaks < 60), grown_bins / 3)
  expect_identical(range(breaks), c(0, 1000))
  set <- suppressMessages(synthesize(release, seed = 1)[[1]])
  share <- function(x) mean(x %in% 52:58)
  expect_gt(share(set$x), 0.6)
  # The public bins alone do not tell them from others
  expect_gt(min(diff(amount$look$breaks)[amount$look$breaks[-1] > 50]), 0.5)
  # With nothing to see they stay where they are
  blurred <- replace(amount$look, "noisy", list(
    withr::with_seed(2, stats::rnorm(length(amount$look$noisy), 0, 1e5))
  ))
  blurred$deviation <- 1e5 * amount_unit
  blank <- grown_breaks(amount_model(column_specs(release$codebook)$x), blurred)
  # There are no more of them, either
  expect_lte(length(blank) - 1, amount_bins)
  tenths <- function(x) stats::quantile(x, 1:9 / 10)
  expect_gt(cor(tenths(blank), tenths(amount$look$breaks)), 0.98)
})

test_that("tails fall, but for bins that noise does not explain", {
  breaks <- 0:20
  noisy <- c(
    2, 1, 50, 40, 400, 900, 800, 600, 300, 30, 20, 60, 15, 5, 90, 2, -4, 3, 0, 1
  )
  margin <- list(
    breaks = breaks, noisy = noisy, noise = "gaussian", unit = amount_unit,
    deviation = amount_unit
  )
  amount <- list(
    margin = margin, parts = NULL, part = 1L, transform = "identity",
    family = as_synth_family(stats::gaussian())
  )
  counts <- list(counts = pmax(noisy, 0), breaks = breaks)
  found <- falling_tails(counts, amount)$counts
  expect_equal(sum(found), sum(counts$counts))
  expect_equal(found[c(12, 15)], c(60, 90), tolerance = 0.1)
  expect_false(is.unsorted(-found[c(10, 11, 13, 14, 16:20)]))
  # Where noise is large nothing stands
  amount$margin$deviation <- 100 * amount_unit
  expect_false(is.unsorted(-falling_tails(counts, amount)$counts[10:20]))
})

test_that("bins of amounts are wider than rounding", {
  # The curve there and back gives 99 - 1e-14 beside 99
  ends <- rbind(
    c(1, 99), c(0, 1e6), c(-5000, 99999), c(1, 2e6), c(0, 0.3), c(-1, 1),
    c(0, 1e9), c(1e14, 1e14 + 1e5), c(0.022, 0.022 + 1e-9)
  )
  for (i in seq_len(nrow(ends))) {
    book <- codebook(data.frame(
      column = "x", type = "amount", lower = format(ends[i, 1], digits = 15),
      upper = format(ends[i, 2], digits = 15), digits = "any",
      transform = "identity", heaps = if (i %% 2 == 1) "5" else ""
    ))
    found <- amount_model(column_specs(book)$x)$breaks
    expect_gt(min(diff(found)), 1e-9 * diff(ends[i, ]))
    # The middle of a bin is in it
    middle <- (found[-1] + found[-length(found)]) / 2
    expect_identical(findInterval(middle, found), seq_along(middle))
    expect_equal(range(found), ends[i, ])
  }
})

test_that("columns and records of codes are picked, and no others", {
  withr::local_seed(1)
  codes <- matrix(sample(9L, 600, TRUE), 100)
  rows <- which(stats::runif(100) < 0.7)
  for (threads in 1:2) {
    expect_identical(
      picked_codes_(codes, c(5L, 2L), rows, 2, threads),
      codes[rows, c(5, 2)]
    )
    # Room for other columns
    expect_identical(
      picked_codes_(codes, 1:6, 1:100, 8, threads), cbind(codes, 0L, 0L)
    )
    expect_identical(
      picked_codes_(codes, integer(), rows, 1, threads),
      matrix(0L, length(rows), 1)
    )
  }
  expect_identical(picked_codes_(codes, 3L, integer(), 1), matrix(0L, 0, 1))
  for (wrong in list(list(7L, 1L), list(0L, 1L), list(1L, 101L),
                     list(1L, NA_integer_), list(1:2, 1L))) {
    expect_error(picked_codes_(codes, wrong[[1]], wrong[[2]], 1), "there")
  }
})

# An amount of a release whose errors have so many degrees of freedom
amount_with_errors <- function(df, n = 6000) {
  withr::local_seed(5)
  a <- sample(c("x", "y", "z"), n, TRUE)
  b <- sample(c("k", "l"), n, TRUE)
  error <- if (is.finite(df)) 0.35 * stats::rt(n, df) else
    stats::rnorm(n, 0, 0.5)
  y <- exp(8 + c(x = 0, y = 0.5, z = -0.3)[a] + 0.4 * (b == "l") + error)
  file <- data.frame(a = a, b = b, pay = pmin(pmax(round(y), 1), 1e6))
  book <- confirm_codebook(edit_codebook(
    draft_codebook(file),
    pay = list(
      type = "amount", lower = 1, upper = 1e6, transform = "log", digits = 0
    )
  ))
  list(file = file, release = file_release(file_plan(file, book), 8, seed = 1))
}

test_that("errors have the tails that the margin tells, slopes their size", {
  slopes <- function(file) {
    stats::coef(stats::lm(log(pay) ~ a + b, file))[-1]
  }
  for (df in c(3, Inf)) {
    suppressMessages(made <- amount_with_errors(df))
    amount <- made$release$amounts$pay
    expect_identical(amount$error_df, if (is.finite(df)) NULL else Inf)
    set <- synthesize(made$release, seed = 1)[[1]]
    own <- slopes(made$file)
    ratio <- sum(slopes(set) * own) / sum(own^2)
    expect_lt(abs(ratio - 1), 0.02)
  }
  # Student's errors where the file has normal ones make slopes smaller
  local_replaced("with_told_errors", identity)
  set <- synthesize(made$release, seed = 1)[[1]]
  expect_lt(sum(slopes(set) * own) / sum(own^2), 0.985)
})

test_that("errors of another family keep as many unclipped", {
  amount <- list(
    family = as_synth_family(student_t()), shape = c(sigma = 0.4),
    steps = list(list(clip = 1), list(clip = 0.5)), error_df = 10
  )
  found <- with_told_errors(amount)
  expect_identical(found$family$df, 10)
  p <- stats::pt(0.5 / 0.4, 3)
  expect_equal(found$shape, 0.5 / stats::qt(p, 10))
  expect_equal(
    with_told_errors(replace(amount, "error_df", Inf))$shape,
    0.5 / stats::qnorm(p)
  )
  # As the family has them
  expect_identical(
    with_told_errors(replace(amount, "error_df", 3)),
    replace(amount, "error_df", 3)
  )
  bare <- amount[names(amount) != "error_df"]
  expect_identical(with_told_errors(bare), bare)
  normal <- replace(amount, "family", list(as_synth_family(stats::gaussian())))
  expect_identical(with_told_errors(normal), normal)
})

test_that("earlier amounts have as many bins as noise leaves room for", {
  expect_identical(bins_of_earlier(-5, 0.2, 3), earlier_bins[1])
  expect_identical(bins_of_earlier(1e9, 0.2, 3), max(earlier_bins))
  # Not of many amounts, which would take long
  expect_identical(bins_of_earlier(1e9, 0.2, 10), earlier_bins[1])
  bins <- vapply(10^seq(0, 7, 0.1), bins_of_earlier, 1L, mu = 0.3, amounts = 7)
  expect_false(is.unsorted(bins))
  expect_setequal(bins, earlier_bins)
  # Of all amounts, whatever their own values, as the plan has charged for
  data <- data.frame(
    a = rep(1:4, 500), b = rep(c(2.5, 7), 1000),
    c = seq(1, 90, length.out = 2000)
  )
  plan <- file_of(
    data, a = amount(1, 10), b = amount(1, 10), c = amount(1, 100)
  )
  local_replaced("bins_of_earlier", function(...) 20L)
  release <- suppressMessages(file_release(plan, 5, seed = 1))
  levels <- vapply(release$amounts, `[[`, 1L, "bin_levels")
  expect_identical(unname(levels), rep(21L, 3))
  expect_identical(release$amounts$c$levels[1:2], c(21L, 21L))
  expect_lt(length(release$amounts$a$bins), 10)
  expect_length(
    coef(release, amount = "b"), length(release$amounts$b$coefficients)
  )
  expect_named(synthesize(release, seed = 1)[[1]], c("a", "b", "c"))
  # Of a version that did not keep them, or edited: as many would never end
  for (levels in list(NULL, 1e9, NA, 22L, "13")) {
    for (name in names(release$amounts)) {
      release$amounts[[name]]["bin_levels"] <- list(levels)
    }
    for (use in list(synthesize, function(x) coef(x, amount = "b"))) {
      expect_error(
        use(release), "another version", class = "pseudosynth_error_edited"
      )
    }
  }
})

test_that("nothing is drawn of the last amount for a release", {
  data <- data.frame(a = rep(1:40, 10), b = seq(1, 90, length.out = 400))
  plan <- file_of(data, a = amount(1, 50), b = amount(1, 100))
  drawn <- character()
  draws <- draw_amount
  local_replaced("draw_amount", function(amount, ...) {
    drawn <<- c(drawn, amount$name)
    draws(amount, ...)
  })
  suppressMessages(file_release(plan, 5, seed = 1))
  expect_identical(drawn, "a")
})
