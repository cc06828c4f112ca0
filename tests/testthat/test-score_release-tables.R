# Released once, for tests that only read it
shared_release <- function() {
  remember("spread_release", spread_release(seed = 2))
}

tables_error <- function(set, data, name) {
  breaks <- stats::quantile(data$y, 1:9 / 10)
  shares <- function(file) {
    table(file[[name]], factor(findInterval(file$y, breaks), 0:9)) / nrow(file)
  }
  sum(abs(shares(set) - shares(data))) / 2
}

test_that("one record moves tables by what is counted, and one does so fully", {
  for (neighbours in relation_names) {
    budget <- list(amount = 0.4, neighbours = neighbours, sigma = 2^14)
    plan <- binned_tables_plan(c(2L, 1L, 3L), 4, budget, rep(FALSE, 3))
    plan$noise <- table_noise(plan, 100)
    cost <- own_cost(table_measurement(plan, plan$noise))
    expect_lte(2 * cost$rho[[neighbours]], 0.4^2 * (1 + 1e-9))
    expect_gt(2 * cost$rho[[neighbours]], 0.4^2 * 0.99)
    # Squared mu of a whole change of all tables
    moved <- function(x, from, to) {
      sum(vapply(seq_along(plan$tables), function(t) {
        levels <- plan$levels[plan$tables[[t]]]
        change <- matrix(0, levels[1], levels[2])
        if (!is.na(from)) change[x[t], from] <- -1
        if (!is.na(to)) change[x[t], to] <- change[x[t], to] + 1
        whole <- whole_residual(as.vector(change), levels) *
          plan$noise$factor[t]
        expect_identical(whole, round(whole))
        sum(whole^2) / plan$noise$scale[t]^2
      }, 0))
    }
    records <- expand.grid(g = 1:2, h = 1:3, from = 1:4, to = c(1:4, NA))
    found <- vapply(seq_len(nrow(records)), function(i) {
      one <- records[i, ]
      moved(c(one$g, one$h), one$from, one$to)
    }, 0)
    dropped <- is.na(records$to)
    expect_equal(max(found[dropped]), 2 * cost$rho[["add-remove"]])
    expect_equal(max(found[!dropped]), 2 * cost$rho[["replace"]])
  }
})

test_that("replayed on neighbours, noisy tables differ by what is counted", {
  data <- spread_file(800)
  for (neighbours in relation_names) {
    release <- spread_release(data, neighbours = neighbours, seed = 3)
    tables <- release$tables
    expect_false(is.null(tables))
    codes <- table_codes(release$population$coding, data)
    levels <- unname(coded_levels(release$population$coding))
    plan <- binned_tables_plan(levels, length(tables$breaks) + 1, list(
      amount = 1, neighbours = neighbours, sigma = 1
    ), free = rep(FALSE, length(levels)))
    run <- function(y, kept = seq_along(y)) {
      cells <- cbind(codes, findInterval(y, tables$breaks) + 1L)[kept, ]
      noisy_residuals(
        block_counts(cells, plan), plan, tables$noise, stage_seed(3, "tables")
      )
    }
    first <- run(data$y)
    # As in the release itself
    expect_equal(lapply(tables$residuals, as.vector), first,
      ignore_attr = TRUE
    )
    squared <- function(other) {
      sum(mapply(function(a, b) sum((a - b)^2), first, other) /
        tables$noise$variance)
    }
    for (i in c(1, 17, 800)) {
      expect_equal(
        squared(run(data$y, -i)), 2 * tables$rho[["add-remove"]],
        tolerance = 1e-6
      )
      moved <- vapply(c(-20, -1, 2, 20), function(value) {
        squared(run(replace(data$y, i, value)))
      }, 0)
      expect_true(all(moved <= 2 * tables$rho[["replace"]] * (1 + 1e-6)))
    }
  }
})

test_that("the label holds tables, and the audit finds nearly all of it", {
  data <- spread_file(1500)
  releases <- list()
  for (neighbours in relation_names) {
    releases[[neighbours]] <- release <- spread_release(
      data,
      neighbours = neighbours
    )
    label <- guarantee(release)
    expect_identical(label$charges$what[4], "noisy tables")
    expect_lte(label$epsilon$total[[neighbours]], 5)
    expect_gt(label$epsilon$total[[neighbours]], 4.97)
    expect_match(label$public_inputs[["tables"]], "20 quantile bins .* 3 pred")
    worst <- audit_guarantee(release, data, replicates = 0)$worst
    expect_true(all(worst$exact <= worst$claimed))
    expect_true(all(worst$exact >= 0.95 * worst$claimed))
    # Half the noise of the tables would be found
    release$tables$noise$scale <- release$tables$noise$scale / 4
    found <- measurements_of.score_release(release, data)
    weak <- worst_pair(found$pairs(2, 1:2)[[1]], found$measurements)
    expect_gt(sqrt(weak$moved), 1.5 * worst$claimed[1])
  }
  release <- releases[["add-remove"]]
  audit <- audit_guarantee(
    release, data,
    replicates = by_night(2e4, 8000), seed = 1
  )
  expect_true(all(audit$worst$found <= audit$worst$claimed))
  expect_true(all(audit$worst$found >= 0.7 * audit$worst$claimed))
  release$tables$residuals[[1]][1] <- 0
  expect_identical(guarantee(release)$label, "none")
})

test_that("tables are off where they do not apply or the budget is too small", {
  data <- spread_file(400)
  without <- list(
    spread_release(data, epsilon = 0.5), spread_release(data, table_share = 0),
    spread_release(data, delta = 0)
  )
  for (release in without) {
    expect_null(release$tables)
    expect_identical(nrow(guarantee(release)$charges), 3L)
    expect_true(all(is.finite(synthesize(release, 1, data)[[1]]$y)))
  }
  # The others share all of it
  expect_gt(guarantee(without[[1]])$epsilon$total[["add-remove"]], 0.497)
  expect_false(is.null(spread_release(spread_file(1500))$tables))
  for (share in list(-0.1, 1, NA, "a")) {
    error <- expect_error(
      score_release(y ~ ., data,
        epsilon = 1, reference = list(sigma = 1), table_share = share
      ),
      class = "pseudosynth_error_input"
    )
    expect_identical(error$arg, "table_share")
  }
})

test_that("sets have what tables say and a linear predictor does not", {
  data <- spread_file()
  error <- function(share) {
    release <- spread_release(table_share = share, seed = 1)
    tables_error(synthesize(release, 1, data)[[1]], data, "g")
  }
  expect_lt(error(0.35), 0.05)
  expect_gt(error(0), 0.15)
})

test_that("swaps leave a set's values as they are, within their bounds", {
  data <- spread_file()
  for (epsilon in c(0.3, 5)) {
    release <- if (epsilon == 5) {
      shared_release()
    } else {
      spread_release(data, epsilon)
    }
    file <- rows_for_score(release, list(newdata = data, uncertainty = FALSE))
    file <- file$distinct
    like <- amount_of_scores(release, file)
    draw <- function(swaps) {
      part <- rep(1L, nrow(data))
      draw_amount(like$amount, like$set, part, c(1, 2), 1, swaps = swaps)
    }
    y <- draw(NULL)
    swapped <- draw(score_swaps)
    targets <- amount_targets(like$amount, like$set)
    expect_identical(sort(swapped), sort(y))
    expect_false(identical(swapped, y))
    # Nearer to the targets
    miss <- function(y) {
      breaks <- targets$breaks
      bin <- factor(findInterval(y, breaks), 0:length(breaks))
      sum(vapply(seq_along(targets$tables), function(j) {
        rows <- factor(file$codes[, j], seq_len(like$amount$levels[j]))
        sum((as.vector(table(rows, bin)) - targets$tables[[j]])^2)
      }, 0))
    }
    expect_lt(miss(swapped), 0.1 * miss(y))
    expect_true(all(swapped > -20 & swapped < 20))
  }
  release <- shared_release()
  expect_identical(
    synthesize(release, 2, data, seed = 5)$sets,
    synthesize(release, 2, data, seed = 5)$sets
  )
})

test_that("design rows are the core's rows, in as many columns as needed", {
  withr::local_seed(1)
  rows <- matrix(stats::rnorm(70000 * 2), ncol = 2)
  row <- c(1L, 65534L, 65535L, 70000L)
  codes <- matrix(c(1L, 2L, 3L, 1L), 4)
  coding <- row_coding(rows, 3L)
  expect_identical(coding$levels, c(3L, 65535L, 4467L))
  codes <- cbind(codes, design_codes(row, rows))
  lines <- level_lines(diag(2), coding)
  first <- 1 + cumsum(c(0, coding$levels))
  sums <- Reduce(`+`, lapply(1:3, function(j) lines[first[j] + codes[, j], ]))
  expect_equal(sums + lines[c(1, 1, 1, 1), ], rows[row, ])
  b <- c(0.5, -2)
  expect_identical(
    line_sums_(codes, coding$levels, level_lines(b, coding)),
    drop(rows %*% b)[row]
  )
})

test_that("other records, few and of unknown levels, are served", {
  data <- spread_file()
  release <- shared_release()
  for (n in c(1, 2, 49, 200)) {
    set <- synthesize(release, 1, data[seq_len(n), ])[[1]]
    expect_identical(nrow(set), as.integer(n))
    expect_true(all(is.finite(set$y)))
  }
  # Parts of 200 have the relations of the whole
  parts <- do.call(rbind, lapply(1:15, function(k) {
    synthesize(release, 1, data[200 * (k - 1) + 1:200, ], seed = k)[[1]]
  }))
  slope <- function(set) stats::coef(stats::lm(y ~ x + h, set))[2:3]
  expect_lt(max(abs(slope(parts) - slope(data))), 0.12)
  # Swaps in bins of few records would take a fifth of it
  explained <- function(set) summary(stats::lm(y ~ x + h, set))$r.squared
  whole <- synthesize(release, 1, data, seed = 1)[[1]]
  expect_gt(explained(parts), 0.9 * explained(whole))
  # Numbers beyond those of the file
  far <- transform(data[1:100, ], x = 50 * x)
  expect_true(all(is.finite(synthesize(release, 1, far)[[1]]$y)))
  # A level that the formula does not tell apart
  withr::local_seed(4)
  data$text <- ifelse(data$g == "a", "a", sample(c("b", "c"), 3000, TRUE))
  release <- suppressMessages(score_release(y ~ I(text == "a") + x, data,
    epsilon = 5, reference = list("(Intercept)" = 2, sigma = 1),
    bounds = c(-20, 20)
  ))
  expect_identical(release$tables$columns, c("text", "x"))
  data$text[1:60] <- "new"
  expect_true(all(is.finite(synthesize(release, 1, data)[[1]]$y)))
})

test_that("predictors are coded by levels and by fifths of their numbers", {
  withr::local_seed(1)
  data <- data.frame(
    b = rep(0:1, c(70, 30)), c = letters[rep(1:4, 25)], one = 3,
    x = seq_len(100) / 100, y = stats::rnorm(100)
  )
  design <- new_design(y ~ b + c + x, data, "y")
  coding <- table_coding(design, data)
  expect_identical(coded_levels(coding), c(b = 2L, c = 4L, x = 5L))
  codes <- table_codes(coding, data)
  expect_identical(codes[, 1], data$b + 1L)
  expect_identical(tabulate(codes[, 2]), rep(25L, 4))
  expect_true(all(tabulate(codes[, 3]) >= 19))
  # No predictors, no tables
  plain <- suppressWarnings(score_release(y ~ 1, data, gaussian(),
    epsilon = 5, reference = list(sigma = 1), bounds = c(-9, 9)
  ))
  expect_null(plain$tables)
  expect_true(all(is.finite(synthesize(plain, 1, data)[[1]]$y)))
})

test_that("a job states its share of tables", {
  data <- spread_file()
  job <- function(...) {
    suppressWarnings(suppressMessages(pseudo_posterior(y ~ ., data,
      student_t(3),
      mechanism = mechanism(
        "score", reference = list("(Intercept)" = 2, sigma = 1), ...
      ),
      epsilon = 5, bounds = c(-20, 20), bins = 40
    )))
  }
  expect_length(job()$internal$fits$score$tables$columns, 3)
  expect_null(job(table_share = 0)$internal$fits$score$tables)
})
