test_that("the layout is the published one", {
  layout <- sdr_layout()
  expect_identical(nrow(layout), 241L)
  expect_identical(max(layout$end), 347L)
  at <- function(name) unlist(layout[layout$name == name, c("start", "end")])
  expect_identical(unname(at("SALARYP")), c(261L, 269L))
  expect_identical(unname(at("AGEGRP")), c(26L, 28L))
  expect_identical(unname(at("GENDER")), c(137L, 137L))
  expect_identical(unname(at("WKSWK")), c(322L, 324L))
  expect_identical(unname(at("WTSURVY")), c(337L, 347L))
})

test_that("fields become the documented variables", {
  expect_message(data <- read_sdr(sdr_file()), "Left out 1 respondent")
  expect_identical(data, data.frame(
    salary = c(95000L, 0L, 509000L),
    gender = factor(c("female", "male", "female"), c("female", "male")),
    age = factor(c("29 or younger", "45-49", "70-75"), sdr_ages),
    weeks = c(52L, 1L, 39L)
  ))
  expect_identical(names(data), names(sdr_simulated))
  expect_identical(sdr_ages[-1], levels(sdr_simulated$age))
})

test_that("further fields come as the file has them", {
  expect_message(
    data <- read_sdr(sdr_file(), variables = c("WTSURVY", "EDTP", "EMSIZE"))
  )
  expect_identical(data$WTSURVY, c(10.5, 1.25, 0.0625))
  expect_identical(data$EDTP, rep("4", 3))
  expect_true(all(is.na(data$EMSIZE)))
  expect_refused(
    read_sdr(sdr_file(), variables = "SALARY"), "no column \"SALARY\""
  )
  expect_refused(read_sdr(sdr_file(), variables = 1), "names of fields")
})

test_that("windows line ends, gzip and an empty last line are read", {
  plain <- sdr_file()
  expected <- suppressMessages(read_sdr(plain))
  lines <- readLines(plain)
  other <- withr::local_tempfile()
  writeLines(c(lines, ""), other, sep = "\r\n")
  expect_identical(suppressMessages(read_sdr(other)), expected)
  zipped <- withr::local_tempfile(fileext = ".gz")
  connection <- gzfile(zipped, "w")
  writeLines(lines, connection)
  close(connection)
  expect_identical(suppressMessages(read_sdr(zipped)), expected)
})

test_that("files that are not this file are refused", {
  expect_refused(read_sdr("nowhere.dat"), "does not exist")
  expect_refused(read_sdr(1), "`path` must be one string")
  empty <- withr::local_tempfile()
  file.create(empty)
  expect_refused(read_sdr(empty), "is empty")
  cut <- withr::local_tempfile()
  lines <- readLines(sdr_file())
  lines[2:3] <- substr(lines[2:3], 1, 300)
  writeLines(lines, cut)
  expect_refused(read_sdr(cut), "347 columns.*2 of 4 have another", rows = 2:3)
  expect_refused(
    read_sdr(sdr_file(REFYR = c(2017, 2019, 2017, 2017))),
    "survey year 2017.*1 of 4 is not", rows = 2L
  )
  expect_refused(
    read_sdr(sdr_file(OBSNUM = "00000001")), "3 respondents occur", rows = 2:4
  )
})

test_that("unknown codes are refused without showing them", {
  refused <- function(..., rows) {
    error <- expect_refused(
      read_sdr(sdr_file(...)), "unknown value", rows = rows
    )
    expect_no_match(conditionMessage(error), "777")
  }
  refused(SALARYP = c(95000, -777, 9999998, 777.5), rows = c(2L, 4L))
  refused(SALARYP = 9999777, rows = 1:4)
  refused(GENDER = c("F", "X", "M", "M"), rows = 2L)
  refused(AGEGRP = c(25, 77, 30, 30), rows = 2L)
  refused(WKSWK = c(52, 53, 0, 98), rows = 2:3)
  expect_refused(
    read_sdr(sdr_file(SALARYP = c("a", 1, 2, 3))), "must hold numbers",
    rows = 1L
  )
})

test_that("respondents without a value are counted, or refused", {
  expect_refused(
    read_sdr(sdr_file(), incomplete = "error"), "1 respondent lacks",
    rows = 3L
  )
  expect_refused(
    read_sdr(sdr_file(WKSWK = 98)), "No respondent is left", rows = 1:4
  )
})

test_that("letters of another alphabet are bytes like others, not shown", {
  bytes <- readBin(sdr_file(), "raw", 1e6)
  file <- withr::local_tempfile()
  # Beside the fields that are read, then in the salary
  bytes[1] <- as.raw(0xe9)
  writeBin(bytes, file)
  expect_identical(
    suppressMessages(read_sdr(file)), suppressMessages(read_sdr(sdr_file()))
  )
  bytes[261] <- as.raw(0xe9)
  writeBin(bytes, file)
  error <- expect_refused(read_sdr(file), "must hold numbers", rows = 1L)
  expect_no_match(conditionMessage(error), "95")
})
