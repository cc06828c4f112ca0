# Uncertain sets of releases with published columns, rules, units and weights.

shop_file <- function(n = 500, households = FALSE) {
  status <- sample(c("employed", "other"), n, TRUE, c(0.6, 0.4))
  region <- sample(c("a", "b", "c"), n, TRUE, c(0.5, 0.3, 0.2))
  income <- round(exp(9 + 0.5 * (status == "employed") + 0.6 * stats::rnorm(n)))
  income[stats::runif(n) < 0.1] <- 0
  data <- data.frame(
    status = factor(status), region = factor(region),
    income = pmin(income, 9e5), tax = floor(income * stats::rbeta(n, 2, 6)),
    hours = ifelse(status == "employed", sample(20:60, n, TRUE),
      sample(0:99, n, TRUE)
    ),
    weight = round(exp(3 + 0.5 * (region == "c") + 0.3 * stats::rnorm(n)), 1)
  )
  if (households) data$house <- rep(seq_len(n / 2), each = 2)
  data
}

shop_book <- function(columns) {
  book <- data.frame(
    column = c(
      "status", "region", "income", "tax", "hours", "weight", "house"
    ),
    type = c("category", "category", rep("amount", 4), "id"),
    levels = c("employed|other", "a|b|c", rep("", 5)),
    lower = c("", "", "0", "0", "0", "1", ""),
    upper = c("", "", "1e6", "1e6", "99", "500", ""),
    digits = c("", "", "0", "0", "0", "1", ""),
    zero = c("", "", "TRUE", "TRUE", "", "", ""),
    transform = c("", "", "log", "log", "", "log", ""),
    records = c(rep("", 6), "2")
  )
  codebook(book[match(columns, book$column), ])
}

shop_release <- function(data, epsilon, seed, ...) {
  plan <- file_plan(data, shop_book(names(data)), ...)
  list(
    plan = plan,
    release = suppressWarnings(file_release(plan, epsilon, seed = seed))
  )
}

shop_rules <- list(
  ~ tax <= income, ~ status != "employed" | hours >= 20,
  ~ !(status == "employed" & hours > 60)
)

test_that("uncertain sets keep published columns and every rule", {
  data <- withr::with_seed(1, shop_file(300)[1:5])
  cases <- list(
    NULL, "income", "tax", c("status", "hours"), c("region", "income", "tax")
  )
  for (publish in cases[by_night(1:5, 4:5)]) {
    made <- shop_release(data, 2, 1, publish = publish, rules = shop_rules)
    sets <- synthesize(made$release, 2, uncertainty = TRUE, seed = 2)
    for (set in as.list(sets)) {
      own <- in_file_order(list(set), data, setdiff(names(data), publish))
      expect_identical(as.list(own[[1]])[publish], as.list(data)[publish])
      # Rules, bounds, parts and decimals
      expect_no_error(file_plan(set, made$plan$codebook, rules = shop_rules))
    }
    differs <- vapply(setdiff(names(data), publish), function(name) {
      !identical(sets[[1]][[name]], sets[[2]][[name]])
    }, TRUE)
    expect_true(all(differs))
  }
})

test_that("uncertain sets of units and weights are whole files", {
  data <- withr::with_seed(2, shop_file(by_night(200, 120), TRUE))
  data <- data[setdiff(names(data), by_night(NULL, c("tax", "hours")))]
  made <- shop_release(data, 4, 1, unit = "house", survey_weights = "weight")
  sets <- synthesize(made$release, 3, uncertainty = TRUE, seed = 2)
  for (set in as.list(sets)) {
    expect_identical(names(set), setdiff(names(data), "house"))
    expect_identical(nrow(set), as.integer(round(made$release$block$n)))
    expect_true(all(set$weight >= 1 & set$weight <= 500))
  }
  expect_identical(sets$survey_weights, "weight")
  # Twice the noise of a file whose records are their own units
  alone <- shop_release(data[names(data) != "house"], 4, 1)$release
  spread <- function(release) {
    sets <- synthesize(release, 8, uncertainty = TRUE, seed = 3)
    stats::sd(vapply(as.list(sets), function(set) {
      mean(set$status == "employed")
    }, 0))
  }
  # A ratio of deviations of 8: within a factor of 4 of 2
  ratio <- spread(made$release) / spread(alone)
  expect_gt(ratio, 0.5)
  expect_lt(ratio, 8)
})

shop_estimates <- function(data) {
  weight <- data$weight
  mean_of <- function(x, weight) {
    mean <- stats::weighted.mean(x, weight)
    c(mean, sum(weight^2 * (x - mean)^2) / sum(weight)^2)
  }
  some <- data$income > 0
  found <- rbind(
    employed = mean_of(data$status == "employed", weight),
    both = mean_of(data$status == "employed" & data$region == "a", weight),
    zero = mean_of(!some, weight),
    log = mean_of(log(data$income[some]), weight[some])
  )
  list(estimate = found[, 1], variance = found[, 2])
}

test_that("pooled intervals cover what files of every make are samples of", {
  skip_unless_nightly()
  skip_on_cran()
  population <- withr::with_seed(9, shop_file(1e5))
  together <- c("status", "region", "income", "tax", "weight", "house")
  cases <- list(
    list(
      columns = together, publish = "region", rules = ~ tax <= income,
      unit = "house", survey_weights = "weight"
    ),
    list(columns = together[-4], unit = "house", survey_weights = "weight"),
    list(columns = together[-(4:6)], publish = "region"),
    list(columns = together[-(5:6)], rules = ~ tax <= income)
  )
  sets <- by_night(10, 6)
  for (case in cases[seq_len(by_night(4, 1))]) {
    weighted <- !is.null(case$survey_weights)
    if (!weighted) population$weight <- 1
    truth <- shop_estimates(population)$estimate
    found <- vapply(seq_len(by_night(60, 8)), function(k) {
      data <- withr::with_seed(100 + k, shop_file(500, TRUE))
      if (!weighted) data$weight <- 1
      given <- c(list(data[case$columns], 6, k), case[-1])
      release <- do.call(shop_release, given)$release
      drawn <- synthesize(release, sets, uncertainty = TRUE, seed = k)
      pooled <- as.data.frame(pool(lapply(as.list(drawn), function(set) {
        if (is.null(set$weight)) set$weight <- 1
        shop_estimates(set)
      }), rule = "rubin"))
      own <- shop_estimates(data)
      cbind(
        pooled$conf_low <= truth & truth <= pooled$conf_high,
        (pooled$estimate - own$estimate)^2 / pooled$between / (1 + 1 / sets),
        (pooled$conf_high - pooled$conf_low) / sqrt(own$variance) / 3.92
      )
    }, matrix(0, length(truth), 3))
    expect_gt(mean(found[, 1, ]), by_night(0.87, 0.7))
    # What sets differ by is how far they are from the file, and that is less
    # than a few times what a sample is off by
    away <- sqrt(rowMeans(found[, 2, ]))
    expect_gt(min(away), 0.3)
    expect_lt(max(away), by_night(2, 3))
    expect_lt(max(rowMeans(found[, 3, ])), 5)
  }
})

test_that("what tables hide of expected sums is the change that errors make", {
  withr::local_seed(5)
  levels <- c(2L, 3L, 2L)
  set <- leaning_codes(3000, levels)
  # Two steps of lines for the intercept and each level
  turn <- list(matrix(stats::rnorm(8 * 3), 8), matrix(stats::rnorm(8 * 2), 8))
  rows <- which(set[, 3] == 1)
  lines <- cbind(1L, set[rows, ] + rep(c(1L, 3L, 6L), each = length(rows)))
  by <- matrix(stats::rnorm(2 * length(rows)), length(rows))
  pulls <- list(lines = lines, by = by, turn = turn)
  of_records <- function(pulls) {
    do.call(cbind, lapply(1:2, function(k) {
      pulls$by[, k] * apply(pulls$turn[[k]], 2, function(line) {
        rowSums(matrix(line[pulls$lines], nrow(pulls$lines)))
      })
    }))
  }
  whole <- matrix(0, 3000, 5)
  whole[rows, ] <- of_records(pulls)
  first <- function(n) {
    list(lines = lines[n, ], by = by[n, , drop = FALSE], turn = turn)
  }
  block <- list(levels = levels)
  for (columns in list(2L, c(1L, 2L), c(2L, 3L))) {
    own <- levels[columns]
    variance <- stats::runif(prod(own - 1), 1, 2)
    axes <- lapply(own, function(l) axes_of(expected_alike(seq_len(l))))
    at <- cell_number(set[, columns, drop = FALSE], own) + 1
    # An error along one axis moves records of all cells in proportion
    moved <- vapply(seq_along(variance), function(k) {
      error <- from_axes(replace(numeric(length(variance)), k, 1), axes)
      colSums(whole * (error / tabulate(at, prod(own)))[at])
    }, numeric(5))
    found <- unknown_sums(
      block, list(list(columns = columns, axes = axes, variance = variance)),
      set, rows, pulls
    )
    expect_equal(found, moved %*% (variance * t(moved)))
    # Of few records, and at any number of threads
    some <- list(list(columns = columns, axes = axes, variance = variance))
    few <- unknown_sums(block, some, set, rows[1:3], first(1:3))
    cells <- matrix(1:3)
    each <- missed_sums_(
      set, levels, some, rows[1:3], cells, 3L, matrix(1, 3, 1)
    )
    own <- of_records(first(1:3))
    expect_equal(few, crossprod(own, each) %*% own)
    many <- some[rep(1, 20)]
    expect_equal(unknown_sums(block, many, set, rows, pulls), 20 * found)
    expect_identical(
      missed_sums_(set, levels, many, rows, lines, 8L, by, 1),
      missed_sums_(set, levels, many, rows, lines, 8L, by, 2)
    )
  }
  # The noise of the number of records alone: all sums grow in proportion
  size <- list(list(columns = integer(), axes = list(), variance = 9))
  expect_equal(
    unknown_sums(block, size, set, rows, pulls),
    9 * tcrossprod(colSums(whole) / 3000)
  )
  expect_error(
    missed_sums_(set, levels, size, rows, lines, 6L, by), "no such line"
  )
})

test_that("records are expected to add their mean clipped score, by step", {
  withr::local_seed(7)
  # Five records, alike in some
  codes <- cbind(c(2L, 1L, 2L, 2L, 1L), c(3L, 1L, 2L, 2L, 1L))
  coding <- list(levels = c(2L, 3L), baseline = c(1L, 2L))
  rows <- set_rows(codes, coding, 5)
  posterior <- list(mean = c(0.3, -0.5, 1, 0.2), shape = 0.8)
  steps <- lapply(c(2, 0.7), function(clip) {
    list(
      centre = stats::rnorm(3), clip = clip, lines = matrix(1:16 / clip, 4),
      geometry = list(weight = stats::runif(3))
    )
  })
  directions <- list(columns = 4L, seen = 1:4)
  found <- expected_pulls(
    gaussian_family(), c(rows, list(told = directions, coding = coding)), steps,
    posterior
  )
  expect_identical(dim(found$lines), c(5L, 3L))
  e <- stats::qnorm((seq_len(1e5) - 0.5) / 1e5, sd = posterior$shape)
  x <- rows$x[rows$row, ]
  for (k in 1:2) {
    step <- steps[[k]]
    score <- vapply(1:3, function(i) {
      y <- sum(rows$x[i, ] * posterior$mean) + e
      mean(clamp(y - step$centre[i], -step$clip, step$clip))
    }, 0)
    expect_equal(
      found$by[, k], (step$geometry$weight * score)[rows$row], tolerance = 1e-3
    )
    turned <- vapply(1:5, function(i) {
      colSums(found$turn[[k]][found$lines[i, ], ])
    }, numeric(4))
    expect_equal(t(turned), x %*% step$lines)
  }
})

test_that("a table leaves unknown what its prior and noise say", {
  withr::local_seed(6)
  levels <- c(3L, 4L)
  codes <- leaning_codes(2000, levels)
  noisy <- block_of(codes, levels, mu = 1e-2)
  sure <- block_of(codes, levels, mu = 10)
  half <- block_of(codes, levels, mu = 0.5, published = c(TRUE, FALSE))
  variance <- function(block) {
    lapply(unknown_tables(block), function(one) mean(one$variance))
  }
  # A pair that is all noise has no relation that could be unknown
  expect_lt(variance(noisy)[[4]], 0.5 * noisy$noise$variance[3])
  expect_equal(variance(sure)[[4]], sure$noise$variance[3], tolerance = 0.05)
  # Margins have no prior; what is published is known
  expect_equal(variance(noisy)[[2]], noisy$noise$variance[1])
  columns <- lapply(unknown_tables(half), `[[`, "columns")
  expect_identical(
    lapply(columns, as.integer), list(integer(), 2L, c(1L, 2L))
  )
})
