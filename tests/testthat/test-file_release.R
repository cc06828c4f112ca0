test_that("no record moves the noisy numbers farther than the label says", {
  for (published in list(NULL, c("sex", "age"))) {
    plan <- people_plan(publish = published)
    for (neighbours in relation_names) {
      release <- file_release(plan, 5, neighbours = neighbours, seed = 1)
      worst <- audit_guarantee(
        release, plan, rows = by_night(2000, 500), replays = 0, seed = 2
      )$worst
      expect_true(all(worst$exact <= worst$claimed))
      own <- worst$neighbours == neighbours
      expect_gt(worst$exact[own], 0.9 * worst$claimed[own])
      total <- guarantee(release)$epsilon$total[[neighbours]]
      expect_lte(total, 5 * (1 + 1e-9))
      expect_gt(total, 4.9)
    }
  }
})

test_that("sets have the file's columns, types and levels", {
  data <- people()
  plan <- people_plan(data, publish = "sex")
  release <- file_release(plan, 5, seed = 1)
  set <- synthesize(release, seed = 2)[[1]]
  expect_identical(lapply(set, class), lapply(data, class))
  expect_identical(lapply(set, levels), lapply(data, levels))
  # Rows are in random order
  expect_identical(sort(set$sex), sort(data$sex))
  expect_false(identical(set$income, data$income))
  expect_true(all(set$income >= 1 & set$income <= 2e6))
  expect_identical(synthesize(release, seed = 2)[[1]], set)
  expect_error(synthesize(release, n = 10), class = "pseudosynth_error_input")
  secret <- file_release(people_plan(), 5, seed = 1)
  expect_identical(nrow(synthesize(secret, n = 50)[[1]]), 50L)
})

test_that("a release holds nothing of the file", {
  data <- people()
  release <- file_release(people_plan(data), 1, seed = 1)
  expect_length(release$fixed, 0)
  expect_identical(nrow(release$block$fixed), 0L)
  # No element is as long as the file
  sizes <- lengths(rapply(unclass(release)[c("block", "amounts")], c,
    how = "list"
  ))
  expect_false(any(sizes == nrow(data)))
})

test_that("sets of more records than memory has are refused", {
  release <- file_release(people_plan(), 1, seed = 1)
  for (m in list(1, 2L)) {
    expect_error(
      synthesize(release, m, n = .Machine$integer.max),
      class = "pseudosynth_error_memory"
    )
  }
})

test_that("a draft, a spent ledger and an edited release are refused", {
  data <- people()
  draft <- file_plan(data, draft_codebook(data))
  expect_error(file_release(draft, 1),
    class = "pseudosynth_error_unconfirmed"
  )
  skip_if_not_installed("jsonlite")
  plan <- people_plan(data)
  book <- ledger(withr::local_tempfile(), 1.2, delta = 1e-6)
  release <- file_release(plan, 1, ledger = book)
  synthesize(release, ledger = book)
  expect_error(
    file_release(plan, 1, ledger = book), class = "pseudosynth_error_budget"
  )
  release$epsilon <- 0.1
  expect_identical(guarantee(release)$label, "none")
})

test_that("swaps keep the values of every group", {
  withr::local_seed(1)
  n <- 300
  codes <- matrix(sample(1:3, n, TRUE))
  group <- rep(1:2, length.out = n)
  y <- stats::rnorm(n)
  bins <- findInterval(y, 0)
  target <- as.vector(outer(tabulate(codes, 3), c(0.5, 0.5)))
  target[c(1, 4)] <- target[c(1, 4)] + c(30, -30)
  found <- swap_amounts_(
    y, bins, codes, 3L, list(target), matrix(0, 4, 1), list(
      bins = 2L, row_weight = rep(1, n), expected = rep(0, n),
      score_weight = 0, group = group, beta = c(0.3, 3), sweeps = 20L,
      together = 1e5
    ), c(1, 2)
  )
  expect_identical(sort(found$from), seq_len(n))
  expect_identical(group[found$from], group)
  counts <- table(codes, bins[found$from])
  expect_equal(found$energy[2], sum((as.vector(counts) - target)^2) / 2)
  start <- sum((as.vector(table(codes, bins)) - target)^2) / 2
  expect_lt(found$energy[2], 0.5 * start)
})

test_that("tables of an amount cost a replaced record what is charged", {
  for (free in list(c(TRUE, TRUE, TRUE), c(FALSE, TRUE, FALSE))) {
    for (levels in list(c(2L, 2L, 7L), c(30L, 20L, 40L))) {
      for (neighbours in relation_names) {
        budget <- list(
          neighbours = neighbours, amount = 0.1, sigma = 2^21
        )
        charged <- amount_tables_cost(budget, levels, free)$rho
        for (bins in c(5L, 9L, 12L, table_bins)) {
          plan <- binned_tables_plan(levels, bins, budget, free)
          noise <- table_noise(plan, 100)
          dropped <- sum(noise$squared / noise$variance)
          replaced <- replaced_cost(
            plan$tables, plan$levels, plan$published, noise$variance
          )
          expect_equal(replaced_star(plan, noise$variance), replaced)
          expect_lte(dropped, 2 * charged[["add-remove"]])
          expect_lte(replaced, 2 * charged[["replace"]])
        }
        expect_equal(2 * charged[[neighbours]], 0.01)
      }
    }
  }
})

test_that("an amount is charged for the predictors that it has", {
  # Parts of the first amount are three, of which one has values; the second
  # has the first one's bins beside flags
  data <- data.frame(
    pay = c(NA, 0, stats::qlnorm(1:98 / 99)), rent = stats::qlnorm(100:1 / 101),
    a = rep(0:1, 50), b = rep(0:1, each = 50)
  )
  book <- as.data.frame(draft_codebook(data))
  book$type[1:2] <- "amount"
  book$zero[1] <- TRUE
  book[1:2, c("lower", "upper", "transform")] <- rep(
    c("0.01", "1000", "log"), each = 2
  )
  plan <- file_plan(data, confirm_codebook(codebook(book)))
  expect_identical(lengths(plan$levels)[["pay"]], 3L)
  spending <- plan_file_release(plan, list(), 10, 1e-6, "add-remove")
  release <- file_release(plan, 10, seed = 1)
  for (name in names(release$amounts)) {
    amount <- release$amounts[[name]]
    own <- spending$amounts$each[[name]]
    expect_length(own$free, length(amount$levels) - !is.null(amount$curve))
    budget <- amount_budget(
      spending$amounts$mu, "add-remove", own$sigma, own$links, own$look
    )
    bins <- c(
      look = length(amount$look$noisy), margin = length(amount$margin$noisy)
    )
    expect_true(all(bins <= amount$planned_bins[names(bins)]))
    levels <- tabled_levels(amount)
    exact <- amount_costs(
      budget$tables, planned_amount(bins, 1 + sum(levels - 1), own$links),
      amount_tables_cost(
        budget$tables$tables, levels, rep(TRUE, length(levels))
      )
    )
    expect_lte(exact$rho[[2]], own$cost$rho[[2]])
    expect_lte(exact$gap, own$cost$gap)
  }
  expect_identical(release$amounts$pay$levels, c(2L, 2L))
  expect_identical(
    tabled_levels(release$amounts$rent)[1:4],
    c(3L, 2L, 2L, earlier_bins[1] + 1L)
  )
})

test_that("a release spends its whole epsilon, and no more", {
  data <- people(60)
  plan <- people_plan(data)
  for (delta in by_night(c(1e-3, 1e-6, 1e-12), c(1e-3, 1e-12))) {
    for (epsilon in by_night(c(0.2, 1, 10), c(0.2, 10))) {
      for (neighbours in relation_names) {
        spending <- plan_file_release(plan, list(), epsilon, delta, neighbours)
        total <- total_charges(spending$charges, delta)$epsilon[[neighbours]]
        expect_lte(total, epsilon * (1 + 1e-9))
        expect_gt(total, 0.999 * epsilon)
      }
    }
  }
  # Where the gaps to Gaussian noise take delta, zCDP's delta is kept
  spending <- plan_file_release(plan, list(), 10, 1e-30, "add-remove")
  expect_equal(spending$mu, zcdp_mu(10, 1e-30))
})

test_that("sums of an amount are the same in any order, cut and threads", {
  withr::local_seed(6)
  levels <- c(3L, 2L, 5L)
  codes <- leaning_codes(5000, levels)
  coding <- list(levels = levels, baseline = c(1L, 2L, 3L))
  whiten <- t(chol(crossprod(matrix(stats::rnorm(80), 10)) / 10))
  geometry <- list(
    whiten = whiten, kappa = 2, unit = 2 / score_length, noise = "gaussian"
  )
  scale <- stats::runif(5000, 0.5, 2)
  q <- round(stats::runif(5000, -score_steps, score_steps))
  lines <- level_lines(whiten, coding)
  sums <- function(at, threads) {
    own_sums_(
      codes[at, ], levels, lines, scale[at], q[at], own_limit(geometry), threads
    )
  }
  all <- sums(1:5000, 1)
  expect_identical(sums(1:5000, 2), all)
  expect_identical(sums(sample(5000), 2), all)
  expect_identical(sums(1:1777, 1) + sums(1778:5000, 2), all)
  # The vectors are w d L'x, cut off towards 0
  z <- own_vectors(codes, coding, scale, geometry)
  expect_identical(all, colSums(q * z))
  x <- dense_design(predictor_parts(codes, coding))
  rows <- scale * (x %*% whiten)
  length <- sqrt(rowSums(rows^2))
  expect_gt(mean(length > 2), 0.1)
  exact <- rows * pmin(1, 2 / length) / geometry$unit
  expect_true(all(abs(z) <= abs(exact) + 1e-9 & abs(z - exact) < 1 + 1e-9))
  expect_true(all(rowSums(z^2) <= score_length^2))
  # Whatever the geometry is, no vector is longer
  geometry$kappa <- 1e9
  z <- own_vectors(codes, coding, scale, geometry)
  expect_true(all(rowSums(z^2) <= score_length^2))
  expect_true(any(rowSums(z^2) == 0) && any(rowSums(z^2) > 0))
  geometry$whiten[1, 1] <- NaN
  expect_true(all(own_vectors(codes, coding, scale, geometry) == 0))
})

test_that("long work says what it does, short work nothing", {
  plan <- people_plan(people(200))
  run <- function(...) {
    synthesize(file_release(plan, 8, seed = 1, ...), seed = 2)
  }
  said <- testthat::capture_messages(short <- run())
  expect_no_match(said, "Measuring|Fitting|Drawing")
  local_fault(long_work = 100, cells_as_table = 0)
  # How long measuring takes follows from a number that is secret
  said <- testthat::capture_messages(run())
  expect_no_match(said, "Measuring tables")
  said <- testthat::capture_messages(long <- run(public_n = 150))
  expect_identical(long, short)
  expect_match(said, "Measuring tables", all = FALSE)
  expect_match(said, "Fitting records to tables", all = FALSE)
  expect_match(said, "Drawing income", all = FALSE)
  # How many tables there are is public
  local_fault(cells_as_table = 100)
  said <- testthat::capture_messages(run())
  expect_match(said, "Measuring tables", all = FALSE)
})

test_that("a column that follows another does so in files with amounts", {
  data <- people(2000)
  names <- c("none", "some", "much", "most")
  data$class <- cut(withr::with_seed(1, stats::runif(2000)), 4, names)
  data$label <- factor(names[c(2, 4, 1, 3)][data$class], names)
  data <- data[c("income", "label", "sex", "class")]
  release <- file_release(people_plan(data), 8, seed = 1)
  expect_output(print(release), "derived +class from label")
  pairs <- function(x) unique(paste(x$class, x$label))
  sets <- c(
    as.list(synthesize(release, 2, n = 500, seed = 2)),
    as.list(synthesize(release, 1, uncertainty = TRUE, seed = 3))
  )
  for (set in sets) {
    expect_setequal(pairs(set), pairs(data))
    expect_identical(lapply(set, levels), lapply(data, levels))
  }
  # Estimates of the tables themselves are as they were measured
  cells <- tables(release, c("label", "class"))
  expect_identical(nrow(as.data.frame(cells)), 16L)
})
