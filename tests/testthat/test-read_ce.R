example_file <- function() {
  system.file(
    "extdata", "fmli_example.csv", package = "pseudosynth", mustWork = TRUE
  )
}

example_table <- function() {
  utils::read.csv(example_file(), colClasses = "character")
}

# Writes a table in the layout of the interview files and returns its name.
write_fmli <- function(table, name = "fmli154.csv", folder = NULL,
                       frame = parent.frame()) {
  if (is.null(folder)) {
    folder <- withr::local_tempdir(.local_envir = frame)
  }
  file <- file.path(folder, name)
  utils::write.csv(table, file, row.names = FALSE, quote = FALSE, na = "")
  file
}

input_error <- function(expr) {
  expect_error(expr, class = "pseudosynth_error_input")
}

test_that("read_ce() returns the layout of ce_income", {
  ce <- read_ce(example_file())
  expect_identical(dim(ce), c(30L, 10L))
  expect_identical(lapply(ce, class), lapply(ce_income, class))
  expect_identical(lapply(ce, levels), lapply(ce_income, levels))
  expect_false(anyNA(ce))
  expect_identical(rownames(ce), as.character(1:30))
})

test_that("zero, negative and imputed incomes become whole dollars", {
  ce <- read_ce(example_file())
  expect_type(ce$income, "integer")
  expect_identical(which(ce$income == 0), c(4L, 17L))
  expect_identical(ce$income[9], -1500L)
  expect_identical(ce$income[21], 41250L)
})

test_that("codes become the documented labels", {
  ce <- read_ce(example_file())
  expect_identical(
    as.character(ce$age[c(1, 2, 3, 5, 6)]),
    c("21 to 40", "21 to 40", "41 to 60", "61 to 80", "over 80")
  )
  expect_identical(ce$education[1:8], factor(
    levels(ce$education), levels = levels(ce$education)
  ))
  expect_identical(
    as.character(ce$family_size[2:4]), c("10", "11 and more", "11 and more")
  )
  raw <- example_table()
  expect_identical(as.integer(ce$marital), as.integer(raw$MARITAL1))
  expect_identical(ce$sex == "female", raw$SEX_REF == "2")
  expect_identical(ce$urban == "rural", raw$BLS_URBN == "2")
})

test_that("education 16 and 17 are both an advanced degree", {
  raw <- example_table()
  raw$EDUC_REF[1:2] <- c("16", "17")
  ce <- read_ce(write_fmli(raw))
  expect_identical(
    as.character(ce$education[1:2]), rep("advanced degree", 2)
  )
})

test_that("a suppressed region or population size is not published", {
  ce <- read_ce(example_file())
  expect_identical(which(ce$region == "not published"), c(6L, 12L))
  expect_identical(which(ce$population == "not published"), 12L)
})

test_that("earner status follows the best column that the file has", {
  raw <- example_table()
  unpaid <- 8L
  by_employer <- read_ce(write_fmli(raw))$earner
  by_reason <- read_ce(write_fmli(raw[names(raw) != "INCOMEY1"]))$earner
  by_occupation <- read_ce(write_fmli(
    raw[!names(raw) %in% c("INCOMEY1", "INCNONW1")]
  ))$earner
  expect_identical(as.character(by_employer[unpaid]), "no")
  expect_identical(as.character(by_reason[unpaid]), "yes")
  expect_identical(by_employer[-unpaid], by_reason[-unpaid])
  expect_identical(by_reason, by_occupation)
  expect_identical(
    as.character(by_reason), ifelse(raw$INCNONW1 == ".", "yes", "no")
  )
})

test_that("the columns of rpms::CE are accepted under their own names", {
  raw <- example_table()
  rpms <- data.frame(
    NEWID = raw$NEWID, QINTRVMO = raw$QINTRVMO,
    REGION = raw$REGION, BLS_URBN = raw$BLS_URBN, POPSIZE = raw$POPSIZE,
    FAM_SIZE = raw$FAM_SIZE, AGE = raw$AGE_REF,
    EDUCA = match(pmin(raw$EDUC_REF, "16"), c("00", as.character(10:16))),
    SEX = ifelse(raw$SEX_REF == "1", "M", "F"), MARITAL = raw$MARITAL1,
    EARNER = ifelse(raw$INCOMEY1 %in% 1:5, "Y", "N"),
    FINCBTAX = raw$FINCBTXM
  )
  expect_identical(read_ce(write_fmli(rpms)), read_ce(example_file()))
})

test_that("the income column is chosen by preference and can be named", {
  raw <- example_table()
  expect_message(
    collected <- read_ce(example_file(), income = "FINCBTAX"),
    "Left out 1 interview without a value of FINCBTAX"
  )
  expect_identical(nrow(collected), 29L)
  older <- raw[names(raw) != "FINCBTXM"]
  expect_identical(
    suppressMessages(read_ce(write_fmli(older))), collected
  )
})

test_that("further columns come as the files have them", {
  raw <- example_table()
  raw$SMSASTAT <- rep(c("1", "2", "."), 10)
  raw$PSU <- rep(c("S11A", "0000", ""), 10)
  raw$DIVISION <- rep(c("01", "09", "12"), 10)
  file <- write_fmli(raw)
  kept <- c("finlwt21", "SMSASTAT", "PSU", "DIVISION")
  ce <- read_ce(file, variables = kept)
  expect_identical(ce[1:10], read_ce(file))
  expect_identical(names(ce)[-(1:10)], toupper(kept))
  expect_identical(ce$FINLWT21, as.double(raw$FINLWT21))
  expect_identical(ce$SMSASTAT, rep(c(1, 2, NA), 10))
  expect_identical(ce$PSU, rep(c("S11A", "0000", NA), 10))
  expect_identical(ce$DIVISION, raw$DIVISION)
  # Rows that are left out are left out of them; no value is needed in them
  expect_message(
    other <- read_ce(
      file, month = 12, income = "FINCBTAX", variables = c("PSU", "FINLWT21")
    ),
    "1 interview without"
  )
  december <- setdiff(seq(3, 30, by = 3), 21)
  expect_identical(other$FINLWT21, as.double(raw$FINLWT21)[december])
  # One of the layout's own columns, as the file has it
  expect_identical(
    as.character(read_ce(file, variables = c("EDUC_REF", "EDUC_REF"))[[11]]),
    raw$EDUC_REF
  )
})

test_that("further columns that not all files have are refused", {
  raw <- example_table()
  folder <- withr::local_tempdir()
  write_fmli(raw[1:15, ], "fmli154.csv", folder)
  raw$EXTRA <- "1"
  write_fmli(raw[16:30, ], "fmli161.csv", folder)
  cnd <- input_error(read_ce(folder, variables = "EXTRA"))
  expect_match(conditionMessage(cnd), "no column \"EXTRA\"")
  input_error(read_ce(folder, variables = 21))
  input_error(read_ce(folder, variables = character()))
  cnd <- input_error(read_ce(folder, variables = sprintf("secret%d", 1:50)))
  expect_no_match(conditionMessage(cnd), "SECRET", ignore.case = TRUE)
})

test_that("a survey weight that was kept enters a fit", {
  ce <- subset(read_ce(example_file(), variables = "FINLWT21"), income > 0)
  fit <- quick_fit(
    log(income) ~ earner, ce, prior = prior_normal(),
    survey_weights = "FINLWT21"
  )
  expect_equal(fit$spec$survey, ce$FINLWT21 / mean(ce$FINLWT21))
})

test_that("interviews that lack a value are refused on request", {
  cnd <- input_error(
    read_ce(example_file(), income = "FINCBTAX", incomplete = "error")
  )
  expect_identical(cnd$rows, 21L)
  expect_match(conditionMessage(cnd), "1 interview lacks a value of FINCBTAX")
})

test_that("months and years select interviews", {
  all <- read_ce(example_file())
  october <- read_ce(example_file(), month = 10)
  expect_identical(
    october, `rownames<-`(all[seq(1, 30, by = 3), ], NULL)
  )
  expect_identical(read_ce(example_file(), month = 10:12, year = 2015), all)
  input_error(read_ce(example_file(), month = 3))
  input_error(read_ce(example_file(), month = 13))
  input_error(read_ce(example_file(), month = "October"))
})

test_that("a directory is read file by file in alphabetical order", {
  raw <- example_table()
  folder <- withr::local_tempdir()
  write_fmli(raw[16:30, ], "fmli161x.csv", folder)
  write_fmli(raw[1:15, ], "FMLI154.CSV", folder)
  write_fmli(raw, "memi154.csv", folder)
  expect_identical(read_ce(folder), read_ce(example_file()))
})

test_that("files may order their columns differently and add their own", {
  raw <- example_table()
  folder <- withr::local_tempdir()
  other <- raw[16:30, rev(names(raw))]
  other$EXTRA <- "1"
  files <- c(
    write_fmli(raw[1:15, ], "fmli154.csv", folder),
    write_fmli(other, "fmli161.csv", folder)
  )
  expect_identical(read_ce(files), read_ce(example_file()))
})

test_that("quotes, lower case names and a byte order mark do no harm", {
  raw <- example_table()
  names(raw) <- tolower(names(raw))
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(raw, file, row.names = FALSE)
  bytes <- readBin(file, "raw", file.size(file))
  writeBin(c(as.raw(c(0xef, 0xbb, 0xbf)), bytes), file)
  expect_identical(read_ce(file), read_ce(example_file()))
})

test_that("an absent file or directory is named", {
  cnd <- input_error(read_ce("no-such-file.csv"))
  expect_match(conditionMessage(cnd), "no-such-file.csv", fixed = TRUE)
  input_error(read_ce(character()))
  input_error(read_ce(withr::local_tempdir()))
  input_error(read_ce(c(withr::local_tempdir(), example_file())))
})

test_that("what is given in place of income's columns is not repeated", {
  error <- input_error(read_ce(example_file(), income = c("SECRET", "OTHER")))
  expect_match(conditionMessage(error), "one of those in `income`")
  expect_no_match(conditionMessage(error), "SECRET")
  error <- input_error(read_ce(rep("SECRET", 20)))
  expect_match(conditionMessage(error), "20 of 20 files do not exist")
})

test_that("an absent column is named, with its alternatives", {
  raw <- example_table()
  cnd <- input_error(
    read_ce(write_fmli(raw[!names(raw) %in% c("SEX_REF", "POPSIZE")]))
  )
  expect_match(conditionMessage(cnd), "SEX_REF or SEX")
  expect_match(conditionMessage(cnd), "POPSIZE")
  cnd <- input_error(
    read_ce(write_fmli(raw[names(raw) != "QINTRVMO"]), month = 10)
  )
  expect_match(conditionMessage(cnd), "QINTRVMO")
})

test_that("unknown codes are counted and located but not shown", {
  raw <- example_table()
  raw$MARITAL1[c(3, 7)] <- "731"
  cnd <- input_error(read_ce(write_fmli(raw)))
  expect_match(conditionMessage(cnd), "MARITAL1 holds 2 unknown values")
  expect_no_match(conditionMessage(cnd), "731")
  expect_identical(cnd$rows, c(3L, 7L))
})

test_that("text, fractions and impossible numbers are unknown values", {
  for (column in c("AGE_REF", "FAM_SIZE", "FINCBTXM")) {
    raw <- example_table()
    raw[[column]][5] <- "many"
    cnd <- input_error(read_ce(write_fmli(raw)))
    expect_match(conditionMessage(cnd), column)
    expect_identical(cnd$rows, 5L)
  }
  raw <- example_table()
  raw$FAM_SIZE[2] <- "0"
  input_error(read_ce(write_fmli(raw)))
  raw <- example_table()
  raw$FINCBTXM[2] <- "1e12"
  input_error(read_ce(write_fmli(raw)))
})

test_that("an interview that occurs twice is refused", {
  folder <- withr::local_tempdir()
  raw <- example_table()
  write_fmli(raw, "fmli151.csv", folder)
  write_fmli(raw, "fmli151x.csv", folder)
  cnd <- input_error(read_ce(folder))
  expect_match(conditionMessage(cnd), "30 interviews occur more than once")
  expect_identical(cnd$rows, 31:60)
})

test_that("files without a usable interview are refused", {
  raw <- example_table()
  input_error(read_ce(write_fmli(raw[0, ])))
  raw$FINCBTXM <- "."
  input_error(read_ce(write_fmli(raw)))
  empty <- withr::local_tempfile(fileext = ".csv")
  file.create(empty)
  input_error(read_ce(empty))
})

test_that("a broken line is refused, not filled up", {
  lines <- readLines(example_file())
  lines[7] <- sub(",[^,]*,[^,]*$", "", lines[7])
  file <- withr::local_tempfile(lines = lines, fileext = ".csv")
  input_error(read_ce(file))
})

test_that("a file that was cut off is refused, with its last line", {
  bytes <- readBin(example_file(), "raw", 1e6)
  file <- withr::local_tempfile(fileext = ".csv")
  for (cut in c(1, 2, 5, 300)) {
    writeBin(utils::head(bytes, -cut), file)
    error <- input_error(read_ce(file))
    expect_match(conditionMessage(error), "may be cut off")
    expect_identical(error$rows, sum(utils::head(bytes, -cut) == 10) + 1L)
  }
})

test_that("a quote that is not closed on its line is refused, with the line", {
  lines <- readLines(example_file())
  lines[c(5, 9)] <- sub(",", ",\"", lines[c(5, 9)])
  file <- withr::local_tempfile(lines = lines, fileext = ".csv")
  expect_identical(input_error(read_ce(file))$rows, c(5L, 9L))
  lines[9] <- readLines(example_file())[9]
  writeLines(lines, file)
  expect_identical(input_error(read_ce(file))$rows, 5L)
})
