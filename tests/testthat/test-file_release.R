people <- function(n = 400) {
  columns <- c("income", "sex", "age", "earner")
  utils::head(subset(ce_income, income > 0, columns), n)
}

people_plan <- function(data = people(), ...) {
  book <- as.data.frame(draft_codebook(data))
  book[1, c("lower", "upper", "transform")] <- c("1", "2e6", "log")
  file_plan(data, confirm_codebook(codebook(book)), ...)
}

test_that("no record moves the noisy numbers farther than the label says", {
  for (published in list(NULL, c("sex", "age"))) {
    plan <- people_plan(publish = published)
    for (neighbours in relation_names) {
      release <- file_release(plan, 5, neighbours = neighbours, seed = 1)
      worst <- audit_guarantee(release, plan, rows = 2000, seed = 2)$worst
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
  expect_identical(set$sex, data$sex)
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
      score_weight = 0, group = group, beta = c(0.3, 3), sweeps = 20L
    ), c(1, 2)
  )
  expect_identical(sort(found$from), seq_len(n))
  expect_identical(group[found$from], group)
  counts <- table(codes, bins[found$from])
  expect_equal(found$energy[2], sum((as.vector(counts) - target)^2) / 2)
  start <- sum((as.vector(table(codes, bins)) - target)^2) / 2
  expect_lt(found$energy[2], 0.5 * start)
})
