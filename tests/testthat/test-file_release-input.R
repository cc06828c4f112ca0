# Bad input to a codebook, a plan and a release: classed errors that name column
# and count, never a value, before anything is spent.

plain_file <- function() {
  data.frame(g = rep(c("a", "b"), 30), x = seq(1, 60) + 0.5, k = 1:60)
}

plain_book <- function(...) {
  book <- list(
    column = c("g", "x", "k"), type = c("category", "amount", "count"),
    levels = c("a|b", "", ""), lower = c("", "0", "0"),
    upper = c("", "100", "100"), digits = c("", "1", ""),
    storage = c("text", "", "")
  )
  as.data.frame(utils::modifyList(book, list(...)))
}

with_column <- function(name, value, data = plain_file()) {
  data[[name]] <- value
  data
}

# A case is what the message must say, and a call. SECRET and 98765 are values.
outside <- "pseudosynth_error_outside"
broken <- "pseudosynth_error_rule"
bad_cases <- list(
  level = list("`g`: 1 record with none", outside, function() {
    file_plan(with_column("g", c("SECRET", rep("a", 59))), plain_book())
  }),
  value = list("`x`: 2 records beyond", outside, function() {
    x <- c(98765, 98765, 3:60)
    file_plan(with_column("x", x), plain_book())
  }),
  infinite = list("an infinite value, 1 record with NaN", outside, function() {
    file_plan(with_column("x", c(Inf, NaN, 3:60)), plain_book())
  }),
  absent = list("`x`: 1 record without", outside, function() {
    file_plan(with_column("x", c(NA, 2:60)), plain_book())
  }),
  decimals = list("`x`: 60 records with more decimals", outside, function() {
    file_plan(
      plain_file(), plain_book(digits = c("", "0", "")), publish = "x"
    )
  }),
  any_decimals = list(
    "\"any\" for any decimals", "pseudosynth_error_digits", function() {
      plan <- file_plan(plain_file(), plain_book(digits = c("", "", "")))
      file_release(plan, 1)
    }
  ),
  month = list(
    "`x`: 58 records not on the first of a month", outside, function() {
      file_plan(
        with_column("x", as.Date("2020-01-01") + 0:59),
        plain_book(
          type = c("category", "date", "count"),
          lower = c("", "2020-01", "0"), upper = c("", "2020-12", "100"),
          digits = c("", "", "")
        )
      )
    }
  ),
  all_missing = list("60 records without a value", NULL, function() {
    file_plan(with_column("x", NA_real_), plain_book())
  }),
  many_levels = list("\"g\" has more", NULL, function() {
    levels <- paste(c("a", "b", 1:500), collapse = "|")
    plan <- file_plan(plain_file(), plain_book(levels = c(levels, "", "")))
    file_release(plan, 1)
  }),
  twice = list("\"x\"", NULL, function() {
    file_plan(stats::setNames(plain_file(), c("x", "x", "k")), plain_book())
  }),
  no_records = list("at least 1 record", NULL, function() {
    file_plan(plain_file()[0, ], plain_book())
  }),
  no_columns = list("at least 1 column", NULL, function() {
    file_plan(plain_file()[, 0], plain_book())
  }),
  list_column = list("\"x\" is a list", NULL, function() {
    file_plan(with_column("x", as.list(1:60)), plain_book())
  }),
  bounds = list("upper.*\"x\"", NULL, function() {
    codebook(plain_book(lower = c("", "98765", "0")))
  }),
  times = list("POSIXct", NULL, function() {
    file_plan(with_column("x", as.POSIXct("2020-01-01") + 1:60), plain_book())
  }),
  span = list("difftime", NULL, function() {
    file_plan(
      with_column("x", as.difftime(1:60, units = "mins")), plain_book()
    )
  }),
  long_integer = list("integer64", NULL, function() {
    x <- structure(as.double(1:60), class = "integer64")
    file_plan(with_column("x", x), plain_book())
  }),
  complex = list("complex", NULL, function() {
    file_plan(with_column("x", 1i * 1:60), plain_book())
  }),
  matrix = list("matrix", NULL, function() {
    file_plan(with_column("x", matrix(1:120, 60)), plain_book())
  }),
  encoding = list("30 of 60 records", NULL, function() {
    file_plan(with_column("g", rep(c("\xe4\xff", "b"), 30)), plain_book())
  }),
  same_levels = list("1 level equals", NULL, function() {
    codebook(plain_book(levels = c("a|b|b ", "", "")))
  }),
  type = list("\"x\".*factor", NULL, function() {
    file_plan(with_column("x", factor(1:60)), plain_book())
  }),
  text = list("\"x\".*character", NULL, function() {
    file_plan(with_column("x", as.character(1:60)), plain_book())
  }),
  big_count = list("whole numbers", NULL, function() {
    codebook(data.frame(column = "h", type = "id", records = 2^31))
  }),
  circle = list("circle", broken, function() {
    file_plan(plain_file(), plain_book(), rules = list(~ x < k, ~ k < x))
  }),
  never = list("None can meet", broken, function() {
    file_plan(plain_file(), plain_book(), rules = ~ x > 200)
  }),
  never_both = list("able to meet", broken, function() {
    file_plan(plain_file(), plain_book(), rules = list(~ x > 90, ~ x < 10))
  }),
  unit = list("20 units have more", NULL, function() {
    data <- with_column("h", rep(1:20, 3))
    book <- plain_book(records = NA)
    book[4, c("column", "type", "records")] <- list("h", "id", 2)
    file_plan(data, book, unit = "h")
  }),
  draft = list("\"x\"", "pseudosynth_error_unconfirmed", function() {
    plan <- file_plan(
      plain_file(), plain_book(confirmed = c(TRUE, FALSE, TRUE))
    )
    file_release(plan, 1)
  }),
  budget = list("must be larger", NULL, function() {
    file_release(file_plan(plain_file(), plain_book()), 1e-4)
  }),
  row_lacking = list("lacks \"k\"", NULL, function() {
    file_plan(plain_file(), plain_book()[1:2, ])
  }),
  no_set = list("`m`", NULL, function() {
    plan <- file_plan(plain_file(), plain_book())
    synthesize(suppressWarnings(file_release(plan, 1, seed = 1)), m = 0)
  }),
  no_rows = list("`n`", NULL, function() {
    plan <- file_plan(plain_file(), plain_book())
    synthesize(suppressWarnings(file_release(plan, 1, seed = 1)), n = 0)
  })
)

test_that("bad input is named and counted, and no value is told", {
  for (name in names(bad_cases)) {
    case <- bad_cases[[name]]
    error <- tryCatch(case[[3]](), error = identity)
    expect_s3_class(error, "pseudosynth_error")
    if (!is.null(case[[2]])) expect_s3_class(error, case[[2]])
    text <- gsub("\\s+", " ", conditionMessage(error))
    expect_match(text, case[[1]], info = name)
    expect_false(grepl("SECRET|98765", text), info = name)
  }
})

test_that("nothing is spent on what is refused", {
  skip_if_not_installed("jsonlite")
  book <- ledger(withr::local_tempfile(), 2, delta = 1e-6)
  plan <- file_plan(plain_file(), plain_book())
  expect_error(file_release(plan, 1e-4, ledger = book), class = input_error)
  expect_error(
    file_release(plan, 1, tables = list("g", "x", "k"), ledger = book),
    class = input_error
  )
  expect_identical(nrow(as.data.frame(book)), 0L)
})

test_that("odd levels are levels: NA as text, marks, other encodings", {
  back <- function(values, levels, ...) {
    data <- with_column("g", rep(values, length.out = 60))
    plan <- file_plan(data, plain_book(levels = c(levels, "", ""), ...))
    expect_identical(decode_file(plan), data)
    set <- suppressWarnings(synthesize(file_release(plan, 5, seed = 1)))[[1]]
    expect_true(all(set$g %in% c(values, "b")))
    expect_identical(lapply(set, typeof), lapply(data, typeof))
  }
  back(c("NA", "b"), "NA|b")
  back(c("NA", NA), "NA|b", missing = c(TRUE, NA, NA))
  back(c("x|y", "p=q", "r\\s"), "x\\|y|p\\=q|r\\\\s")
  latin <- c("\xe4", "b")
  Encoding(latin) <- "latin1"
  back(latin, "\u00e4|b")
})

test_that("columns of one level or value, and large counts, go through", {
  data <- data.frame(g = "a", x = 3, k = 2^31 + 1:60)
  plan <- file_plan(data, plain_book(
    levels = c("a", "", ""), upper = c("", "100", "1e10")
  ))
  release <- suppressWarnings(file_release(plan, 5, seed = 1))
  # No table is left to speak of
  expect_no_warning(printed(release))
  set <- synthesize(release)[[1]]
  expect_true(all(set$g == "a"))
  expect_true(all(set$k == round(set$k) & set$k >= 0 & set$k <= 1e10))
  expect_identical(lapply(set, typeof), lapply(data, typeof))
})

test_that("an amount that no record has a value of is measured all the same", {
  data <- data.frame(
    a = rep(0, 60), b = rep(0, 60), g = rep(c("x", "y"), 30), h = 1:60 / 61
  )
  book <- data.frame(
    column = names(data), type = c("amount", "amount", "category", "amount"),
    levels = c("", "", "x|y", ""), lower = c(0, 0, NA, 0),
    upper = c(100, 100, NA, 1), zero = c(TRUE, TRUE, NA, NA),
    digits = c("any", "any", NA, "any")
  )
  for (seed in seq_len(by_night(5, 1))) {
    release <- suppressWarnings(
      file_release(file_plan(data, book), 2, seed = seed)
    )
    set <- synthesize(release, seed = seed)[[1]]
    expect_true(all(set$a >= 0 & set$a <= 100))
  }
})

test_that("a budget too small names the columns that are lost", {
  withr::local_seed(1)
  n <- 400
  data <- as.data.frame(lapply(1:5, function(j) sample(c("a", "b"), n, TRUE)))
  names(data) <- paste0("c", 1:5)
  data$wide <- sample(sprintf("l%02d", 1:60), n, TRUE)
  plan <- file_plan(data, confirm_codebook(draft_codebook(data)))
  warning <- expect_warning(
    file_release(plan, 2, seed = 1), class = "pseudosynth_warning_budget"
  )
  expect_match(conditionMessage(warning), "In 5 of 15 pairs")
  expect_match(conditionMessage(warning), "hides how \"wide\" is related")
  expect_no_warning(
    file_release(plan, 10, seed = 1), class = "pseudosynth_warning_budget"
  )
})

test_that("warnings follow public and noisy numbers of records alone", {
  plan <- people_plan(people(200))
  path <- withr::local_tempfile(fileext = ".jsonl")
  book <- ledger(path, epsilon = 50, delta = 1e-4)
  spent <- function(expr) {
    before <- nrow(as.data.frame(book))
    try(expr, silent = TRUE)
    nrow(as.data.frame(book)) - before
  }
  withr::local_options(warn = 2)
  # A warning that stops it: nothing is spent where the number is public
  run <- function(...) file_release(plan, 0.5, ledger = book, ...)
  expect_identical(spent(run(public_n = 200)), 0L)
  expect_identical(spent(run(neighbours = "replace")), 0L)
  # A large public number: no warning, whatever the file has
  expect_no_error(run(public_n = 1e6))
  expect_gt(spent(run()), 0L)
  withr::local_options(warn = 0)
  seen <- NULL
  local_fault(warn_file_budget = function(block, n, names) seen <<- c(seen, n))
  release <- file_release(plan, 5, seed = 1)
  expect_identical(seen, release$block$n)
  expect_false(seen == 200)
  file_release(plan, 5, seed = 1, public_n = 77)
  expect_equal(seen[2], 77)
  expect_error(
    file_release(plan, 5, public_n = 0.5), class = "pseudosynth_error_input"
  )
})
