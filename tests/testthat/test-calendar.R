test_that("dates and their text are R's, and years have four digits", {
  days <- c(-719162:-718700, seq(-719162, 2932896, by = 911), 2932896)
  parts <- as.POSIXlt(as.Date(days, origin = "1970-01-01"))
  civil <- civil_date(days)
  expect_identical(civil$year, parts$year + 1900)
  expect_identical(civil$month, parts$mon + 1)
  expect_identical(civil$day, as.double(parts$mday))
  expect_identical(first_of_month(month_number(days)), days - civil$day + 1)
  expect_identical(date_number(date_text(days)), as.double(days))
  late <- days[parts$year >= -900]
  expect_identical(
    date_text(late), format(as.Date(late, origin = "1970-01-01"))
  )
  expect_identical(
    date_text(c(-719136, NA, 0.5, Inf)),
    c("0001-01-27", NA, "1970-01-01", NA)
  )
  expect_identical(date_text(0, 1), "1970-01")
  expect_identical(date_text(0, 12), "1970")
})

test_that("what is no date is none", {
  wrong <- c("2020-02-30", "2019-02-29", "2020-13", "2020-00-01", "20", "x", NA)
  expect_identical(date_number(wrong), rep(NA_real_, length(wrong)))
  expect_identical(date_number(c("2020", "2020-02")), c(18262, 18293))
})

test_that("the next start of a period is that of a search day by day", {
  days <- withr::with_seed(1, sample(-40000:40000, 40))
  x <- c(days, first_of_month(12 * 1990 + c(0, 1, 3)))
  for (months in c(1, 3, 12)) {
    for (sign in c(1, -1)) {
      for (past in c(FALSE, TRUE)) {
        naive <- vapply(x, function(day) {
          if (past) day <- day + sign
          while (!starts_period(day, months)) day <- day + sign
          day
        }, 1)
        expect_identical(
          period_beyond(x, months, sign, rep(past, length(x))), naive
        )
      }
    }
  }
})

test_that("years below 1000 leave as they are", {
  file <- data.frame(x = as.Date(c("0001-01-27", "0999-12-31", NA)))
  path <- withr::local_tempfile()
  write_csv(file, path)
  expect_identical(readLines(path), c("\"x\"", "0001-01-27", "0999-12-31", ""))
  draft <- draft_codebook(data.frame(x = rep(file$x[1:2], 20)))
  expect_identical(draft$table$lower, "0001-01-01")
  expect_identical(draft$table$upper, "0999-12-31")
})
