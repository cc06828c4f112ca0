# The type and the codes that a draft gives to a column.
drafted <- function(x) {
  file <- data.frame(other = rep(0:1, length.out = length(x)))
  file$x <- x
  row <- suppressMessages(draft_codebook(file))$table[2, ]
  c(type = plain_types(row$type), codes = toString(row$codes[[1]]))
}

type_of <- function(x) drafted(x)[["type"]]

codes_of <- function(x) drafted(x)[["codes"]]

test_that("columns that identify records are left out and named", {
  withr::local_seed(1)
  file <- data.frame(
    name = factor(sprintf("Jane Doe %d", 1:150)),
    text = sprintf("Joe %d", 1:150),
    case = 1e5 + 3 * 1:150, shuffled = sample(150),
    long = sample(1e9, 150) + 1e9,
    born = as.Date("1950-01-01") + sample(20000, 150),
    town = sample(sprintf("Town %d", 1:40), 150, TRUE), sex = c("m", "f")
  )
  heard <- expect_message(
    draft <- draft_codebook(file), class = "pseudosynth_message_left_out"
  )
  left <- setdiff(names(file), "sex")
  expect_identical(draft$table$column[draft$table$type == "id?"], left)
  for (name in left) expect_match(conditionMessage(heard), name, fixed = TRUE)
  expect_match(
    conditionMessage(heard), "edit_codebook(draft, name", fixed = TRUE
  )
  expect_no_match(conditionMessage(heard), "Jane|Joe|Town [0-9]")
  held <- serialize(draft, NULL)
  for (word in c("Jane", "Joe", "Town ")) {
    expect_length(grepRaw(word, held, fixed = TRUE), 0)
  }
  expect_named(decode_file(file_plan(file, draft)), "sex")
  # With missing values, and with labels
  expect_identical(type_of(c(file$name, NA, NA)), "id")
  expect_identical(
    type_of(labelled(as.double(1:60), stats::setNames(1:60, letters[1:60]))),
    "id"
  )
})

test_that("case numbers of records and of households are no amounts", {
  withr::local_seed(2)
  size <- sample(1:5, 400, TRUE)
  expect_identical(type_of(rep(seq_along(size), size)), "id")
  expect_identical(type_of(rep(sort(sample(600, 400)), size)), "id")
  persons <- unlist(Map(function(h, n) 100 * h + seq_len(n), 1:400, size))
  expect_identical(type_of(persons), "id")
  expect_identical(type_of(sample(1e5:(1e6 - 1), 400)), "id")
  expect_identical(type_of(c(-9, 1:200)), "id")
  expect_identical(type_of(2147483647 - 0:99), "id")
  # Of a sample of records, in any order, and with some missing
  for (n in c(150, 500, 1000)) {
    expect_identical(type_of(sample(persons, n)), "id")
  }
  expect_identical(type_of(c(NA, sample(1e6, 400))), "id")
  expect_identical(type_of(sample(1e7, 400)), "id")
})

test_that("a draft states no more levels than one for two records", {
  names <- function(n, k) factor(paste("name", c(seq_len(k), rep(1, n - k))))
  expect_identical(type_of(names(20, 18)), "id")
  expect_identical(type_of(names(30, 16)), "id")
  expect_identical(type_of(names(30, 15)), "category")
  expect_identical(type_of(as.character(names(20, 11))), "id")
  expect_identical(type_of(names(100, 20)), "category")
  expect_identical(type_of(names(100, 21)), "id")
})

test_that("amounts are no identifiers, even if nearly all of them differ", {
  withr::local_seed(3)
  income <- stats::rlnorm(500, 10)
  for (x in list(
    round(income, 2), round(income), sort(round(income)), round(income, -1),
    round(stats::rnorm(500, 5e4, 1e4)), stats::runif(500), income,
    rep(round(income), sample(1:4, 500, TRUE)),
    round(60 + 40 * stats::rexp(60), 1)
  )) expect_true(type_of(x) %in% c("amount", "count"))
  expect_identical(type_of(sample(16:97, 500, TRUE)), "count")
  expect_identical(type_of(sort(sample(0:90, 200, TRUE))), "count")
  # Few different values of few records are numbers, of many levels
  expect_identical(type_of(sample(15, 40, TRUE)), "count")
  expect_identical(type_of(sample(15, 400, TRUE)), "ordered")
  expect_identical(type_of(factor(sample(letters, 150, TRUE))), "category")
})

test_that("real files have the identifiers that they have, and no other", {
  left <- function(file) {
    table <- suppressMessages(draft_codebook(file))$table
    table$column[table$type == "id?"]
  }
  expect_identical(left(ce_income), character())
  for (file in list(
    datasets::mtcars, datasets::iris, datasets::quakes, datasets::swiss,
    datasets::USArrests, as.data.frame(datasets::state.x77), datasets::infert,
    datasets::ChickWeight, datasets::airquality, datasets::rock
  )) expect_identical(left(as.data.frame(file)), character())
  skip_if_not_installed("ggplot2")
  expect_identical(left(ggplot2::diamonds), character())
  expect_identical(left(ggplot2::economics), "date")
  expect_identical(left(ggplot2::midwest), c("PID", "county"))
  # Persons numbered within their household, as in the survey EU-SILC
  withr::local_seed(8)
  size <- sample(9, 2000, TRUE, c(24, 27, 20, 18, 7, 2, 1, 0.5, 0.5))
  household <- rep(seq_along(size), size)
  persons <- data.frame(
    household, person = 100 * household + sequence(size),
    age = sample(0:95, length(household), TRUE)
  )
  persons$income <- round(stats::rlnorm(length(household), 9.5), 2)
  expect_identical(left(persons), c("household", "person"))
})

test_that("round numbers are heaps, also among decimals; full hours, too", {
  withr::local_seed(5)
  heaps_of <- function(x) {
    suppressMessages(draft_codebook(data.frame(x)))$table$heaps[[1]]
  }
  pay <- round(stats::rlnorm(2000, 10, 0.7), 2)
  some <- seq(1, 2000, 3)
  expect_length(heaps_of(pay), 0)
  expect_identical(as.double(heaps_of(replace(pay, some, round(pay[some])))), 1)
  expect_identical(
    as.double(heaps_of(replace(pay, some, round(pay[some], -3)))), 1000
  )
  start <- as.POSIXct("2020-01-01", tz = "UTC")
  minute <- start + 60 * sample(5e5, 2000, TRUE)
  expect_length(heaps_of(minute), 0)
  for (step in c(900, 3600, 86400)) {
    every <- start + step * sample(2000, 2000, TRUE)
    expect_identical(as.double(heaps_of(every)), step)
    half <- replace(minute, some, every[some])
    expect_identical(as.double(heaps_of(half)), step)
  }
})

test_that("text of days is a date, of a data frame as of a database", {
  text <- as.character(as.Date("2020-01-01") + sample(300, 600, TRUE))
  expect_identical(type_of(text), "date")
  expect_identical(type_of(replace(text, 1, NA)), "date")
  expect_identical(type_of(replace(text, 1, "2020-02-31")), "id")
  expect_identical(type_of(sub("-", "/", text[1:50])), "id")
})

test_that("a code stands apart from the other values", {
  withr::local_seed(4)
  # Far above, or near and more frequent
  pay <- round(stats::rlnorm(500, 9.8, 0.3))
  expect_identical(codes_of(c(rep(99999, 20), pay)), "99999")
  balance <- round(stats::rnorm(500, 0, 1000))
  expect_identical(codes_of(c(rep(-9999, 20), balance)), "-9999")
  expect_identical(codes_of(c(rep(99, 60), sample(0:60, 500, TRUE))), "99")
  expect_identical(codes_of(c(rep(99, 60), sample(0:98, 500, TRUE))), "")
  expect_identical(codes_of(sample(-9:35, 500, TRUE)), "")
  expect_identical(codes_of(round(stats::rnorm(365, 8, 8))), "")
  expect_identical(codes_of(round(stats::rnorm(60, 8, 8))), "")
  expect_identical(codes_of(sample(c(-2, -1, 0:60), 500, TRUE)), "")
  income <- round(stats::rlnorm(400, 7))
  expect_identical(codes_of(c(-9, -8, -1, 0, income)), "-9, -8, -1")
  expect_identical(codes_of(c(-9, -9, rep(16:90, 6))), "-9")
  # Far more frequent than its neighbours
  expect_identical(codes_of(c(rep(-1, 60), rep(0:80, 5))), "-1")
  expect_identical(codes_of(c(rep(-1, 5), rep(0:80, 5))), "")
  expect_identical(
    codes_of(c(999, 999, 998, 997, rep(0:80, 5))), "997, 998, 999"
  )
  expect_identical(codes_of(c(99, 98, rep(0:97, 5))), "")
  expect_identical(codes_of(c(-5000, -8, income)), "")
})

test_that("placeholder dates are codes, dates of one precision keep it", {
  withr::local_seed(5)
  born <- as.Date("1930-01-01") + rep(sample(25000, 300), 2)
  for (day in c("9999-12-31", "1899-12-30", "0001-01-01")) {
    expect_identical(codes_of(c(born, as.Date(day))), day)
  }
  # Within the dates, but far more frequent
  epoch <- as.Date("1970-01-01")
  expect_identical(codes_of(c(born, rep(epoch, 20))), "1970-01-01")
  expect_identical(codes_of(c(born, epoch)), "")
  file <- data.frame(
    month = as.Date(sprintf(
      "%d-%02d-01", rep(1950:1999, 12), sample(rep(1:6, 100))
    )),
    year = as.Date(sprintf("%d-01-01", rep(1950:1999, 12))), some = born
  )
  file$month[1:3] <- as.Date("9999-12-31")
  file$some[1:100] <- as.Date("1962-01-01")
  draft <- draft_codebook(file)$table
  expect_identical(draft$lower, c("1950-01", "1950", "1930-01-01"))
  expect_identical(draft$upper[1:2], c("1999-12", "1999"))
  expect_identical(draft$codes[[1]], "9999-12-31")
  expect_identical(draft$heaps[[3]], c(1, 12))
  expect_identical(decode_file(file_plan(file, codebook(draft))), file)
  expect_error(
    draft_codebook(data.frame(x = as.Date(4e6 + 1:9, origin = "1970-01-01"))),
    "years 0 to 9999", class = input_error
  )
})

test_that("what package haven declares comes back, used or not", {
  withr::local_seed(6)
  back <- function(x) {
    file <- data.frame(other = rep(0:1, length.out = length(x)))
    file$x <- x
    plan <- file_plan(file, draft_codebook(file))
    expect_identical(decode_file(plan)$x, x)
    plan$levels$x
  }
  spss <- function(x, labels = NULL, ...) labelled(x, labels, ..., spss = TRUE)
  many <- as.double(sample(c(1:60, 99), 300, TRUE))
  few <- as.double(sample(c(1:5, 99), 300, TRUE))
  minus <- as.double(sample(c(-5, 1:60), 300, TRUE))
  back(spss(many, na_range = c(90, 99)))
  expect_identical(
    back(spss(few, na_range = c(90, 99))), c(1:5, 90, 99) |> as.character()
  )
  back(spss(minus, na_range = c(-99, -1)))
  back(spss(minus, na_range = c(-Inf, -1)))
  back(spss(minus, c(refused = -7), na_values = c(-5, -6, -7)))
  back(spss(sample(c(0, 1, 9), 300, TRUE), na_values = c(8, 9)))
  back(spss(sample(c("a", "X"), 300, TRUE), na_values = c("X", "Y")))
  # A codebook that does not state both ends drops the range as a whole
  x <- spss(few, na_range = c(90, 99))
  file <- data.frame(other = rep(0:1, 150))
  file$x <- x
  plan <- file_plan(file, codebook(data.frame(
    column = c("other", "x"), type = c("logical", "ordered"),
    levels = c("", "1|2|3|4|5|99")
  )))
  expect_null(attr(decode_file(plan)$x, "na_range"))
  expect_output(print(plan), "attributes of `x`: na_range")
})

test_that("tagged missing values of Stata and SAS are named", {
  skip_if_not_installed("haven")
  file <- data.frame(other = rep(0:1, 20))
  file$x <- haven::labelled(
    c(1:38 + 0.5, haven::tagged_na("a", "z")),
    c(refused = haven::tagged_na("a"))
  )
  file$y <- c(1:39 + 0.5, NA)
  expect_message(
    draft <- draft_codebook(file), "\"x\" do not come back",
    class = "pseudosynth_message_tagged"
  )
  expect_identical(draft$table$codes[[2]], character())
  plan <- file_plan(file, draft)
  expect_output(print(plan), "`x`: tags of missing values")
  expect_no_match(toString(plan$left_out), "`y`")
  expect_identical(as.double(decode_file(plan)$y), file$y)
})

test_that("text that is dates or numbers but for some records says so", {
  born <- format(as.Date("1950-01-01") + 1:400)
  said <- function(x) {
    file <- data.frame(other = rep(0:1, length.out = length(x)), x = x)
    heard <- expect_message(
      draft_codebook(file), class = "pseudosynth_message_left_out"
    )
    conditionMessage(heard)
  }
  expect_match(said(c(born, "", "")), "text of dates but for 2 records")
  expect_match(
    said(c(paste(born, "10:30"), "unknown")), "date-times but for 1 record"
  )
  expect_match(said(c(1:400 + 0.5, "n/a")), "numbers but for 1 record")
  # Names are of no kind, and text of numbers may be what it says
  expect_no_match(said(sprintf("Joe %d", 1:400)), "is text of")
  expect_match(said(as.character(1:400)), "is text of numbers.")
  expect_match(said(as.character(1:400)), "as.numeric()", fixed = TRUE)
})

test_that("dates that are all one day of the month say so; years end decades", {
  month <- seq(as.Date("2001-01-01"), by = "month", length.out = 40)
  file <- data.frame(other = rep(0:1, 100), x = rep(month, 5))
  expect_no_message(draft_codebook(file), class = "pseudosynth_message_one_day")
  expect_message(
    draft_codebook(transform(file, x = x + 14)), "are on the same day of",
    class = "pseudosynth_message_one_day"
  )
  expect_message(
    draft_codebook(transform(file, x = x - 1)), "are on the last day of",
    class = "pseudosynth_message_one_day"
  )
  expect_no_message(
    draft_codebook(transform(file, x = x + c(14, 15))),
    class = "pseudosynth_message_one_day"
  )
  draft <- draft_codebook(data.frame(
    born = rep(1931:2000, 10), pay = rep_len(c(1931:2100, 2400), 700)
  ))$table
  expect_identical(draft$lower, c("1930", "1000"))
  expect_identical(draft$upper, c("2010", "5000"))
})

test_that("date-times of another time zone than UTC are told", {
  at <- as.POSIXct("2019-01-01", tz = "UTC") + 86400 * rep(1:50, 4)
  file <- data.frame(other = rep(0:1, 100), at = at)
  expect_no_message(
    draft_codebook(file), class = "pseudosynth_message_time_zone"
  )
  attr(file$at, "tzone") <- "Europe/Vienna"
  heard <- expect_message(
    draft_codebook(file), class = "pseudosynth_message_time_zone"
  )
  expect_match(
    conditionMessage(heard), "as.POSIXct(format(at), tz = \"UTC\")",
    fixed = TRUE
  )
})

test_that("codes that are rarer than twice a value stand apart by their gap", {
  withr::local_seed(9)
  put <- function(x, value, n = 40) replace(x, seq_len(n), value)
  expect_identical(draft_codes(put(sample(0:60, 1000, TRUE), 99)), 99)
  both <- put(put(sample(0:70, 1000, TRUE), 88, 60), 99, 30)
  expect_identical(draft_codes(both), c(88, 99))
  expect_identical(draft_codes(put(sample(0:90, 1000, TRUE), 99)), double())
  expect_identical(draft_codes(put(sample(0:60, 1000, TRUE), 99, 3)), double())
  expect_identical(draft_codes(rep(c(0, 10, 20, 99), 100)), double())
})
