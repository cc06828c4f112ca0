levels <- c(2L, 3L, 4L)

test_that("margins are the nearest ones, and hold nothing that is forbidden", {
  plan <- list(
    levels = levels, published = rep(FALSE, 3), tables = list(1L, 2L, 3L),
    residuals = list(c(10, -10), c(-60, 20, 40), c(-1, 2, -3, 2))
  )
  rules <- list(list(columns = 3L, cells = 1))
  found <- block_margins(plan, 120, rules)
  expect_equal(found[[1]], c(70, 50))
  # 40 - 60 is below 0: the others give up 10 each
  expect_equal(found[[2]], c(0, 50, 70))
  expect_equal(found[[3]][2], 0)
  expect_equal(diff(found[[3]][c(1, 3, 4)]), c(-2, 5))
  for (margin in found) expect_equal(sum(margin), 120)
})

test_that("targets without noise are the file's tables", {
  withr::local_seed(2)
  codes <- leaning_codes(3000, levels)
  release <- block_of(codes, levels, mu = 90, tables = list(1:3))
  counts <- table_counts_(codes, levels, lapply(release$targets, `[[`, 1))
  for (t in seq_along(counts)) {
    expect_equal(release$targets[[t]]$target, counts[[t]], tolerance = 0.02)
  }
  expect_identical(release$targets[[4]]$columns, 1:3)
})

test_that("a table of three is what its pairs say and its own residual", {
  withr::local_seed(3)
  pairs <- utils::combn(3, 2, simplify = FALSE)
  codes <- leaning_codes(500, levels)
  smaller <- Map(
    function(columns, target) list(columns = columns, target = target),
    pairs, table_counts_(codes, levels, pairs)
  )
  margins <- lapply(1:3, function(j) tabulate(codes[, j], levels[j]))
  found <- expected_table(1:3, levels, 500, margins, smaller)
  frame <- Map(factor, as.data.frame(codes), lapply(levels, seq_len))
  fitted <- stats::loglin(
    table(unname(frame)), pairs, fit = TRUE, print = FALSE, eps = 1e-8,
    iter = 100
  )$fit
  expect_equal(found, as.vector(fitted), tolerance = 1e-6)
})

test_that("cells of targets that a rule forbids hold nothing", {
  withr::local_seed(4)
  codes <- leaning_codes(500, levels)
  rules <- list(list(columns = c(3, 1), forbidden = rbind(c(4, 1), c(2, 2))))
  release <- block_of(codes, levels, tables = list(1:3), rules = rules)
  pair <- array(release$targets[[2]]$target, levels[c(1, 3)])
  expect_identical(pair[cbind(c(1, 2), c(4, 2))], c(0, 0))
  three <- array(release$targets[[4]]$target, levels)
  expect_identical(c(three[1, , 4], three[2, , 2]), numeric(6))
  expect_identical(sum(pair == 0), 2L)
})

test_that("a relation that no pair shows is kept by a stated table", {
  withr::local_seed(5)
  codes <- matrix(sample(1:2, 9000, TRUE), 3000)
  codes[, 3] <- (codes[, 1] + codes[, 2]) %% 2L + 1L
  two <- rep(2L, 3)
  share <- function(tables) {
    release <- block_of(codes, two, 0.2, tables = tables)
    set <- draw_block(release, words = c(1, 2))[[1]]
    mean(set[, 3] == (set[, 1] + set[, 2]) %% 2 + 1)
  }
  expect_lt(share(list()), 0.6)
  expect_gt(share(list(1:3)), 0.97)
})

test_that("rare levels that are numbers fall outwards, unless they stand out", {
  fallen <- function(counts, numbers = seq_along(counts), variance = 100) {
    falling_levels(counts, numbers, variance)
  }
  rare <- c(900, 300, 20, -12, 9, 14, -5)
  expect_equal(fallen(rare), c(900, 300, 20, rep(11 / 3, 3), -5))
  expect_equal(fallen(rev(rare)), rev(fallen(rare)))
  # A last level of all above stands out of the noise, and stays
  expect_equal(fallen(c(900, 300, 20, -12, 9, 80))[6], 80)
  # What are no numbers stays, and so does what was not measured
  expect_identical(fallen(rare, integer()), rare)
  expect_identical(fallen(rare, variance = NA), rare)
  expect_equal(fallen(c(rare, 50), 1:7), c(fallen(rare), 50))
  expect_identical(fallen(-rare[1:3]), -rare[1:3])
  # In order, as the codebook has them
  spec <- function(levels, type = "ordered") {
    list(levels = levels, kind = column_kinds[[type]])
  }
  levels <- list(a = 1:4, b = 1:3, c = 1:3, d = 1:2, e = 1:2)
  specs <- list(
    b = spec(c("1", "3", "2")), a = spec(c("1", "2", "10")),
    c = spec(c("x", "y", "z")), d = spec(c("1", "2"), "category")
  )
  found <- level_orders(levels, specs, NULL)
  expect_identical(found$numbers, list(1:3, NULL, NULL, NULL, NULL))
  # Categories have none, nor has what is no column of the codebook
  expect_identical(found$ordered[1:3], list(1:3, 1:3, 1:3))
  expect_length(unlist(found$ordered[4:5]), 0)
  # That there is no such member is none of them
  members <- list(none = c(NA, 3L, NA, NA, NA))
  expect_identical(level_orders(levels, specs, members)$ordered[[2]], 1:2)
})
