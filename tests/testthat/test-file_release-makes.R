# Sets of files of five makes: types, levels, labels, order and attributes are
# the file's, as a draft states them, values the codebook's. And what a release
# may be asked for.

described <- function(data) {
  lapply(data, function(x) {
    about <- attributes(x)
    list(typeof(x), about[sort(as.character(names(about)))])
  })
}

expect_made_alike <- function(data, epsilon = 4, book = NULL, ...) {
  book <- book %||% confirm_codebook(draft_codebook(data))
  plan <- file_plan(data, book, ...)
  release <- suppressWarnings(file_release(plan, epsilon, seed = 1))
  for (n in list(NULL, 50)) {
    set <- synthesize(release, n = n, seed = 2)[[1]]
    expect_identical(names(set), names(data))
    expect_identical(described(set), described(data))
    expect_identical(class(set), class(data))
    # A set meets its own codebook: bounds, levels, codes, decimals, parts
    kept <- intersect(names(data), names(set))
    expect_no_error(file_plan(set[kept], plan$codebook))
  }
  invisible(list(set = set, release = release))
}

test_that("sets of a data frame have unused and ordered levels", {
  expect_made_alike(survey_file()[c("sex", "age", "edu", "income", "smoke")])
})

test_that("sets of a tibble have its text and flags", {
  data <- withr::with_seed(2, structure(
    list(
      town = sample(c("Ulm", "K\u00f6ln", "a|b", NA), 300, TRUE),
      own = sample(c(TRUE, FALSE, NA), 300, TRUE),
      rent = round(stats::rlnorm(300, 6, 0.5), 2)
    ),
    row.names = .set_row_names(300), class = c("tbl_df", "tbl", "data.frame")
  ))
  set <- expect_made_alike(data)$set
  expect_true(all(set$rent == round(set$rent, 2)))
})

test_that("sets of a labelled file have labels, formats and user's missing", {
  set <- expect_made_alike(haven_file())$set
  expect_true(all(set$q1 %in% c(1, 2, 9)))
  expect_true(any(set$wage %in% -9))
  # A missing value with a tag is one without, in file and set
  data <- haven_file()
  data$q1[1:40] <- NA
  expect_made_alike(data[by_night(1:4, 1:2)])
})

test_that("sets of dates, integers and counts are whole", {
  data <- dated_file()
  storage.mode(data$end) <- "double"
  set <- expect_made_alike(data)$set
  expect_true(all(unclass(set$start) %% 1 == 0))
  expect_true(all(unclass(set$end) %% 1 == 0, na.rm = TRUE))
  expect_true(all(set$visits >= 0))
})

test_that("all records of the CE file give sets with zeros and negatives", {
  release <- expect_made_alike(ce_income, epsilon = 5)$release
  set <- synthesize(release, n = 6208, seed = 4)[[1]]
  expect_type(set$income, "integer")
  # Noise of a level: less than 10 records in 6,208
  expect_lt(abs(sum(set$income == 0) - 725), 40)
  expect_lt(sum(set$income < 0), 30)
})

test_that("heaps alone hold what they say", {
  data <- withr::with_seed(5, data.frame(
    pay = 50 * sample(1:100, 800, TRUE), g = sample(c("a", "b"), 800, TRUE)
  ))
  book <- data.frame(
    column = c("pay", "g"), type = c("amount", "category"),
    levels = c("", "a|b"), lower = c(1, NA), upper = c(5000, NA),
    digits = c(0, NA), heaps = c("50|500", ""), storage = c("double", "text")
  )
  # Other values than multiples: none in the file, in sets next to none
  made <- expect_made_alike(data, book = book, epsilon = 5)
  set <- made$set
  expect_lt(mean(set$pay %% 50 != 0), 0.1)
  expect_lt(abs(mean(set$pay %% 500 == 0) - 0.1), 0.15)
  set <- synthesize(made$release, n = 800, seed = 1)[[1]]
  shares <- function(x) c(mean(x %% 50 == 0), mean(x %% 500 == 0))
  expect_lt(max(abs(shares(set$pay) - shares(data$pay))), 0.05)
})

test_that("units pay for all their records, and sets keep the codebook", {
  data <- heaped_file()
  one <- file_plan(data, heaped_book())
  both <- file_plan(data, heaped_book(), unit = "household")
  alone <- suppressWarnings(file_release(one, 4, seed = 1))
  whole <- suppressWarnings(file_release(both, 4, seed = 1))
  expect_equal(
    guarantee(alone)$epsilon$total, guarantee(whole)$epsilon$total,
    tolerance = 1e-2
  )
  # Twice the records move a sum twice as far
  expect_equal(whole$tables$sd, 2 * alone$tables$sd, tolerance = 0.15)
  expect_match(format(guarantee(whole))[1], "strict")
  set <- synthesize(whole, seed = 2)[[1]]
  expect_identical(names(set), c("pay", "group"))
  worst <- audit_guarantee(
    whole, both, rows = 500, replays = 0, seed = 3
  )$worst
  expect_true(all(worst$exact <= worst$claimed))
})

test_that("stated tables of three and four columns bring relations back", {
  data <- withr::with_seed(6, {
    n <- 3000
    flags <- replicate(3, sample(c(TRUE, FALSE), n, TRUE))
    odd <- rowSums(flags) %% 2 == 1
    data.frame(
      a = flags[, 1], b = flags[, 2], c = flags[, 3],
      d = ifelse(stats::runif(n) < 0.95, odd, !odd)
    )
  })
  plan <- file_plan(data, confirm_codebook(draft_codebook(data)))
  agree <- function(tables) {
    release <- file_release(plan, 3, tables = tables, seed = 1)
    set <- synthesize(release, seed = 2)[[1]]
    mean((set$a + set$b + set$c) %% 2 == set$d)
  }
  expect_lt(abs(agree(NULL) - 0.5), 0.1)
  expect_gt(agree(list(c("a", "b", "c", "d"))), 0.9)
  # d against a and b has no relation that three columns show
  expect_lt(abs(agree(list(c("a", "b", "d"))) - 0.5), 0.1)
})

test_that("sets are as many, and as large, as is asked for", {
  data <- people(300)
  release <- suppressWarnings(file_release(people_plan(data), 5, seed = 1))
  m <- by_night(20, 6)
  sets <- synthesize(release, m, n = 40, seed = 2)
  expect_length(sets, m)
  expect_true(all(vapply(as.list(sets), nrow, 1L) == 40))
  expect_length(unique(lapply(as.list(sets), `[[`, "income")), m)
  large <- synthesize(release, n = 3000, seed = 2)[[1]]
  expect_identical(nrow(large), 3000L)
  shares <- function(x) prop.table(table(x$age))
  small <- synthesize(release, n = 300, seed = 2)[[1]]
  expect_lt(max(abs(shares(large) - shares(small))), 0.02)
  expect_identical(nrow(synthesize(release, n = 1, seed = 1)[[1]]), 1L)
})

test_that("protected categories keep their relation to a published amount", {
  data <- withr::with_seed(8, {
    pay <- round(stats::rlnorm(800, 7, 0.5))
    data.frame(pay = ifelse(stats::runif(800) < 0.1, NA, pay), pay.in.bins = 1)
  })
  high <- !is.na(data$pay) & data$pay > 1100
  data$g <- ifelse(high, "b", ifelse(is.na(data$pay), "c", "a"))
  # A column of the name that the bins would have
  names(data)[2] <- "pay in bins"
  data[[2]] <- rep(c("x", "y"), 400)
  book <- data.frame(
    column = names(data), type = c("amount", "category", "category"),
    levels = c("", "x|y", "a|b|c"), lower = c(1, NA, NA),
    upper = c(1e5, NA, NA), missing = c(TRUE, FALSE, FALSE),
    digits = c("any", NA, NA)
  )
  plan <- file_plan(data, book, publish = "pay")
  release <- file_release(plan, 5, seed = 1)
  bins <- setdiff(names(release$levels), names(data))
  expect_length(bins, 1)
  # Fifths, and those without a value
  expect_length(release$levels[[bins]], 6)
  expect_identical(
    release$block$published, c(TRUE, FALSE, FALSE, TRUE)
  )
  set <- synthesize(release, seed = 2)[[1]]
  expect_identical(names(set), names(data))
  expect_false(identical(set$pay, data$pay))
  set <- in_file_order(list(set), data, names(data)[-1])[[1]]
  expect_identical(set$pay, data$pay)
  expect_gt(mean((set$g == "b") == high), 0.85)
  expect_gt(mean((set$g == "c") == is.na(data$pay)), 0.95)
  # Two on the file, the last one on clones
  audit <- audit_guarantee(
    release, plan, 200, replays = by_night(4, 3), seed = 3
  )
  expect_true(all(audit$worst$exact <= audit$worst$claimed * (1 + 1e-6)))
  expect_gt(audit$worst$exact[1], 0.95 * audit$worst$claimed[1])
  expect_true(all(audit$replays$over == "" & audit$replays$differs == ""))
})

test_that("a published amount of one value is no column of the block", {
  data <- data.frame(pay = rep(5, 40), g = rep(c("a", "b"), 20))
  book <- data.frame(
    column = names(data), type = c("amount", "category"),
    levels = c("", "a|b"), lower = c(1, NA), upper = c(9, NA)
  )
  release <- file_release(file_plan(data, book, publish = "pay"), 5, seed = 1)
  expect_named(release$levels, "g")
  expect_identical(synthesize(release, seed = 1)[[1]]$pay, data$pay)
})

test_that("published amounts stay as they are beside protected ones", {
  data <- withr::with_seed(7, data.frame(
    pay = round(stats::rlnorm(500, 7, 0.5)), g = sample(c("a", "b"), 500, TRUE)
  ))
  data$tax <- withr::with_seed(8, round(data$pay * runif(500, 0.15, 0.25)))
  book <- data.frame(
    column = c("pay", "g", "tax"), type = c("amount", "category", "amount"),
    levels = c("", "a|b", ""), lower = c(1, NA, 1), upper = c(1e5, NA, 1e5),
    digits = c(0, NA, 0), transform = c("log", NA, "log")
  )
  plan <- file_plan(data, book, publish = "pay")
  set <- synthesize(file_release(plan, 5, seed = 1), seed = 2)[[1]]
  set <- in_file_order(list(set), data, c("g", "tax"))[[1]]
  expect_identical(set$pay, data$pay)
  expect_false(identical(set$tax, data$tax))
  expect_gt(stats::cor(log(set$tax), log(set$pay)), 0.7)
})
