# What rules that compare amounts leave of each: against all values there are.

# Three amounts of few whole numbers, with codes, heaps, zero and negatives
small_book <- function() {
  codebook(data.frame(
    column = c("a", "b", "c", "g"),
    type = c("amount", "count", "amount", "category"),
    levels = c("", "", "", "x|y"), lower = c("-3", "0", "0", ""),
    upper = c("12", "9", "12", ""), digits = c("0", "", "0", ""),
    codes = c("7", "", "12|20", ""), heaps = c("2|4", "5", "", ""),
    zero = c("TRUE", "TRUE", "FALSE", ""),
    transform = c("log", "identity", "identity", "")
  ))
}

small_domain <- function(specs) {
  values <- list(a = -3:12, b = 0:9, c = c(0:12, 20), g = 1:2)
  parts <- lapply(specs[c("a", "b", "c")], amount_parts)
  list(values = as.matrix(expand.grid(values)), parts = parts)
}

test_that("values of parts are those that a loop over numbers finds", {
  specs <- column_specs(small_book())
  for (name in c("a", "b", "c")) {
    parts <- amount_parts(specs[[name]])
    all <- -10:30
    home <- part_of(all, parts)
    for (part in which(parts$kind != "missing")) {
      own <- all[home %in% part]
      x <- c(-Inf, seq(-10, 30, by = 0.5), Inf)
      parts_of_x <- rep(part, length(x))
      for (strict in c(FALSE, TRUE)) {
        above <- vapply(x, function(x) {
          min(if (strict) own[own > x] else own[own >= x], Inf)
        }, 0)
        below <- vapply(x, function(x) {
          max(if (strict) own[own < x] else own[own <= x], -Inf)
        }, 0)
        expect_identical(
          in_part_beyond(x, parts_of_x, parts, 1, strict), above
        )
        expect_identical(
          in_part_beyond(x, parts_of_x, parts, -1, strict), below
        )
      }
    }
  }
})

test_that("decimals and values without decimals are found beyond", {
  spec <- list(
    column = "x", kind = column_kinds$amount, lower = 0, upper = 1e6,
    digits = 2L,
    missing = FALSE, codes = 10, heaps = double(), zero = TRUE,
    transform = "identity"
  )
  parts <- amount_parts(spec)
  value <- which(parts$kind == "value")
  up <- function(x, ...) in_part_beyond(x, value, parts, 1, ...)
  expect_identical(up(0), 0.01)
  expect_identical(up(9.991), 10.01)
  expect_identical(up(0.1 + 0.2, TRUE), 0.31)
  expect_identical(up(999999.99), 999999.99)
  expect_identical(up(1e6, TRUE), Inf)
  spec$digits <- NA_integer_
  parts <- amount_parts(spec)
  x <- in_part_beyond(10, value, parts, 1)
  expect_true(x > 10 && x < 10.0001)
  expect_identical(in_part_beyond(3.7, value, parts, -1), 3.7)
})

test_that("forbidden levels are those in which no values meet the rules", {
  specs <- column_specs(small_book())
  domain <- small_domain(specs)
  all <- as.data.frame(domain$values)
  all$g <- c("x", "y")[all$g]
  codes <- cbind(
    vapply(c("a", "b", "c"), function(name) {
      part_of(all[[name]], domain$parts[[name]])
    }, integer(nrow(all))),
    g = match(all$g, c("x", "y"))
  )
  levels <- lapply(specs, block_levels)
  part <- function(x) {
    name <- deparse(substitute(x))
    domain$parts[[name]]$part[codes[, name]]
  }
  cases <- list(
    list(~ a < b), list(~ a <= b, ~ b < c), list(~ a > 9 | g == "x"),
    list(~ b >= c, ~ c > 7, ~ g == "x" | b <= 8), list(~ a >= b, ~ b <= 1),
    list(~ part(a) == "zero" | a > c, ~ !(g == "y" & c <= 3)),
    list(~ a < c, ~ a > 3, ~ c < 6)
  )
  for (rules in cases) {
    met <- Reduce(`&`, lapply(rules, function(rule) {
      eval(rule[[2]], c(as.list(all), part = part), environment())
    }))
    read <- with_closed_cells(lapply(rules, function(rule) {
      read_rule(rule[[2]], specs, levels)
    }), specs, levels)
    sizes <- lengths(levels)
    columns <- sort(unique(unlist(lapply(read, `[[`, "columns"))))
    cell <- function(codes) cell_number(codes[, columns], sizes[columns])
    grid <- as.matrix(expand.grid(lapply(sizes, seq_len)))
    colnames(grid) <- names(levels)
    closed <- unlist(lapply(read, broken_records, grid, sizes))
    expect_setequal(cell(grid[-closed, ]), cell(codes[met, ]))
    # Whatever value within its room an amount has, the others have one
    room <- narrowed_room(start_room(
      compared_rules(list(rules = read)), specs, grid[-closed, ], sizes
    ))
    open <- cell(grid[-closed, ])
    for (name in names(room$amounts)) {
      kept <- tapply(all[[name]][met], cell(codes[met, ]), range)
      kept <- do.call(rbind, kept)[as.character(open), ]
      expect_identical(room$amounts[[name]]$low, as.double(kept[, 1]))
      expect_identical(room$amounts[[name]]$high, as.double(kept[, 2]))
    }
  }
})

test_that("rules with little room hold in every row, whatever the parts", {
  book <- small_book()
  specs <- column_specs(book)
  all <- as.data.frame(small_domain(specs)$values)
  rules <- list(~ a < c, ~ b <= c, ~ g == "y" | a > 3)
  met <- all$a < all$c & all$b <= all$c & (all$g == 2 | all$a > 3)
  data <- withr::with_seed(1, all[sample(which(met), 300), ])
  data$g <- c("x", "y")[data$g]
  for (publish in list(NULL, "g")) {
    plan <- file_plan(data, book, rules = rules, publish = publish)
    release <- suppressWarnings(file_release(plan, 3, seed = 1))
    for (set in as.list(synthesize(release, by_night(5, 2), seed = 2))) {
      expect_true(all(set$a < set$c & set$b <= set$c))
      expect_true(all(set$g == "y" | set$a > 3))
      expect_no_error(file_plan(set, book, rules = rules))
    }
  }
  # Beside 0, which nothing is below but a negative value, some parts are closed
  error <- expect_error(
    file_plan(data, book, rules = rules, publish = "c"), "room",
    class = "pseudosynth_error_rule"
  )
  expect_true(length(error$rows) > 0 && length(error$rows) < 300)
})

test_that("published amounts beside protected levels are looked at, too", {
  data <- data.frame(
    age = rep(c(10, 40), 40), works = rep(c(FALSE, TRUE), 40)
  )
  book <- data.frame(
    column = c("age", "works"), type = c("amount", "logical"),
    lower = c(0, NA), upper = c(99, NA), digits = c(0, NA)
  )
  rule <- ~ age >= 15 | !works
  plan <- file_plan(data, book, rules = rule)
  set <- suppressWarnings(synthesize(file_release(plan, 5, seed = 1)))[[1]]
  expect_true(all(set$age >= 15 | !set$works))
  error <- expect_error(
    file_plan(data, book, rules = rule, publish = "age"), "works",
    class = "pseudosynth_error_rule"
  )
  expect_identical(error$rows, seq(1L, 79L, by = 2L))
  data$g <- rep(c("a", "b"), each = 40)
  both <- rbind(codebook(book)$table, codebook(data.frame(
    column = "g", type = "category", levels = "a|b"
  ))$table)
  expect_no_error(
    file_plan(data, both, rules = rule, publish = c("age", "works"))
  )
})

test_that("values are given below the records' ends wherever they can be", {
  withr::local_seed(3)
  for (i in 1:50) {
    n <- 7
    values <- sort(round(runif(n), 1))
    high <- pmax(values, round(runif(n), 1))[sample(n)]
    if (i %% 2 == 0) high <- round(runif(n), 1)
    wish <- runif(n)
    given <- values_below_(values, wish, high)
    expect_identical(sort(given), seq_len(n))
    # As many as the largest matching of nested sets: Hall's condition
    over <- max(0, vapply(values, function(v) {
      sum(values >= v) - sum(high >= v)
    }, 0))
    expect_identical(sum(values[given] > high), as.integer(over))
  }
  wish <- c(0.3, 0.9, 0.1)
  expect_identical(values_below_(1:3, wish, rep(Inf, 3)), c(2L, 3L, 1L))
})
