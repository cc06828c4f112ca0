# Neighbouring files: see helper-neighbours.R. `make neighbours` runs 2,000.

test_that("nothing but noisy sums of a release depends on a record", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  con <- sqlite()
  withr::local_seed(3)
  for (reader in c("csv", "sqlite", "written")) {
    for (k in seq_len(by_night(5, 1))) {
      case <- random_case(columns = 3)
      base <- taped(function() released_parts(case$text, case, reader, con))
      for (j in seq_len(by_night(5, 2))) {
        text <- neighbour_text(case)
        expect_identical(
          parts_moved(base, function() {
            released_parts(text, case, reader, con)
          }), character()
        )
      }
    }
  }
})

test_that("what is read from the records otherwise is seen", {
  withr::local_seed(4)
  text <- list(whole = sprintf("%.0f", stats::rlnorm(20, 8, 1)))
  case <- list(n = 20, book = codebook(data.frame(
    column = "whole", type = "amount", lower = "1", upper = "1e6",
    digits = "0", outside = "bound", transform = "log"
  )))
  of <- function(value) {
    function() {
      text$whole[1] <- value
      released_parts(text, case, "csv", NULL)
    }
  }
  base <- taped(of("500"))
  expect_identical(parts_moved(base, of("500.5")), character())
  # As it was: the storage of the file's column
  local_replaced("column_schema", function(x, spec, published) {
    list(storage = typeof(x), attributes = list())
  })
  base <- taped(of("500"))
  expect_true("set" %in% parts_moved(base, of("500.5")))
  expect_true("schema" %in% parts_moved(base, of("500.5")))
})

test_that("one record of one variable moves no type, decimal, level or label", {
  file <- withr::with_seed(5, data.frame(
    y = round(stats::rlnorm(80, 8, 1)), g = rep(c("a", "b"), 40)
  ))
  stated <- function(y, digits) {
    data <- file
    data$y[1] <- y
    release <- suppressMessages(suppressWarnings(score_release(
      log(y) ~ g, data, gaussian(), epsilon = 1, bounds = c(1, 1e6),
      reference = list("(Intercept)" = 8, sigma = 1), seed = 1,
      response = public_response(digits = digits, bounds = c(1, 1e6))
    )))
    sets <- suppressMessages(synthesize(release, newdata = data, seed = 2))
    set <- sets[[1]]
    expect_true(all(set$y == round(set$y, digits)))
    charges <- release$charges
    charges$id <- NULL
    list(
      lapply(set, function(x) list(typeof(x), attributes(x))), set$g, charges,
      release$response, names(release), print_lines(guarantee(sets)),
      sets$columns[c("name", "transform", "kind", "bounds", "ends")]
    )
  }
  for (digits in c(0, 2)) {
    first <- stated(3000, digits)
    for (y in c(3000.5, 1e9, 0.004, 17, 4e9)) {
      expect_identical(stated(y, digits), first)
    }
  }
})

test_that("published rows lie in no order of the file, in a release and sets", {
  n <- 300
  people <- withr::with_seed(6, data.frame(
    age = sample(20:80, n, TRUE), works = rep(0:1, each = n / 2),
    pay = sort(round(stats::rlnorm(n, 8, 1)))
  ))
  book <- codebook(data.frame(
    column = names(people), type = c("count", "logical", "amount"),
    lower = c(0, NA, 1), upper = c(99, NA, 1e6), digits = c(NA, NA, 0),
    transform = c(NA, NA, "log")
  ))
  plan <- file_plan(people, book, publish = "age")
  release <- suppressWarnings(file_release(plan, 1, seed = 1))
  again <- suppressWarnings(file_release(plan, 1, seed = 1))
  expect_identical(release, again)
  ages <- release$fixed$age$values
  expect_identical(sort(ages), sort(as.double(people$age)))
  # Of sorted files the place tells the rank: here it tells nothing
  rank <- function(x) abs(stats::cor(x, seq_len(n)))
  expect_false(identical(ages, as.double(people$age)))
  sorted <- people[order(people$age), ]
  other <- suppressWarnings(
    file_release(file_plan(sorted, book, publish = "age"), 1)
  )
  expect_lt(rank(other$fixed$age$values), 0.25)
  expect_lt(rank(synthesize(other)[[1]]$age), 0.25)
  expect_lt(rank(as.data.frame(synthesize(other))$age), 0.25)
  # Nor does the order in the file move a release
  sets <- synthesize(release, 2, seed = 3)
  expect_identical(sets[[1]]$age, sets[[2]]$age)
  own <- in_file_order(as.list(sets), people, c("works", "pay"))
  for (set in own) expect_equal(set$age, people$age)
})
