book_frame <- function(...) {
  x <- list(...)
  fields <- list(column = "x", type = "amount", lower = 0, upper = 1)
  as.data.frame(utils::modifyList(fields, x))
}

test_that("a codebook goes to CSV and back, with odd labels", {
  levels <- c("a|b", "c=d", "e\\f", "", "\u00e9t\u00e9", "10")
  labels <- c("one|two", "", "back\\slash", "empty", "= equal", "ten")
  table <- data.frame(column = c("x, y", "when"), type = c("category", "date"))
  table$levels <- list(stats::setNames(levels, labels), character())
  table$lower <- c(NA, "2000-01-01")
  table$upper <- c(NA, "2010-12-31")
  table$missing <- c(TRUE, FALSE)
  book <- codebook(table)
  path <- withr::local_tempfile(fileext = ".csv")
  write_codebook(book, path)
  expect_identical(codebook(path), book)
  expect_identical(book$table$levels[[1]], stats::setNames(levels, labels))
  expect_identical(codebook(as.data.frame(book)), book)
  expect_error(write_codebook(book, path), class = input_error)
  expect_identical(book[2:1, "type"], as.data.frame(book)$type[2:1])
  missed <- expect_error(book$type, class = input_error)
  expect_match(conditionMessage(missed), "as.data.frame(x)$type", fixed = TRUE)
  # One level, without text
  alone <- codebook(data.frame(column = "x", type = "category", levels = "="))
  expect_identical(alone$table$levels, list(""))
  unlink(path)
  write_codebook(alone, path)
  expect_identical(codebook(path), alone)
})

test_that("a draft stays a draft in CSV, and a confirmed one is none", {
  draft <- draft_codebook(ce_income)
  path <- withr::local_tempfile(fileext = ".csv")
  write_codebook(draft, path)
  expect_identical(codebook(path), draft)
  expect_output(print(draft), "Draft")
  expect_output(print(draft), "Confidential")
  part <- confirm_codebook(draft, c("sex", "age"))
  expect_setequal(unconfirmed(part), setdiff(names(ce_income), c("sex", "age")))
  whole <- confirm_codebook(part)
  expect_identical(unconfirmed(whole), character())
  expect_false(any(grepl("Draft", capture.output(print(whole)))))
  expect_error(confirm_codebook(draft, "nobody"), class = input_error)
  expect_error(confirm_codebook(draft, 3), class = input_error)
})

test_that("only the strict release of an unconfirmed draft is an error", {
  plan <- file_plan(ce_income, draft_codebook(ce_income))
  expect_error(
    check_confirmed(plan), class = "pseudosynth_error_unconfirmed"
  )
  book <- confirm_codebook(draft_codebook(ce_income))
  expect_no_error(check_confirmed(file_plan(ce_income, book)))
})

test_that("a draft holds neither the largest nor the smallest amount", {
  draft <- draft_codebook(ce_income)$table[1, ]
  expect_identical(draft$upper, "2000000")
  expect_identical(draft$lower, "-50000")
  for (x in c(3, 10, 17, 0.0021, 99, 1e6)) {
    expect_gte(outward(x, 1), x)
    expect_lte(outward(x, -1), x)
    expect_gte(outward(-x, 1), -x)
    expect_lte(outward(-x, -1), -x)
    expect_lte(outward(x, 1), 2.5 * x)
  }
})

test_that("a draft finds types, codes, heaps and labels", {
  survey <- draft_codebook(survey_file())$table
  row <- function(name) survey[survey$column == name, ]
  expect_identical(row("income")$codes[[1]], "-8")
  expect_identical(row("edu")$levels[[1]][4], "NONE")
  expect_identical(row("nofriend")$type, "ordered")
  expect_identical(row("smoke")$type, "category")
  expect_identical(
    survey$missing, names(survey_file()) %in% c("income", "edu", "smoke", "bmi")
  )
  haven <- draft_codebook(haven_file())$table
  expect_identical(
    haven$levels[[1]], c("never | rarely" = "1", "often = daily" = "2",
      refused = "9")
  )
  expect_identical(haven$levels[[2]], c(first = "a", third = "c", "b"))
  expect_identical(
    haven$codes[[3]], c("no answer" = "-9", "not asked" = "-7")
  )
  expect_identical(haven$label[3], "Wage")
  heaped <- draft_codebook(heaped_file())$table
  expect_identical(heaped$heaps[[1]], c(10, 100, 1000))
  names <- data.frame(name = sprintf("SECRET%d", 1:60), x = 1)
  draft <- draft_codebook(names)
  expect_identical(draft$table$type, c("id", "logical"))
  expect_length(grepRaw("SECRET", serialize(draft, NULL), fixed = TRUE), 0)
})

test_that("what a codebook states wrongly is named", {
  refused <- function(x, text) {
    expect_error(codebook(x), text, class = input_error)
  }
  refused(data.frame(column = "x"), "type")
  refused(book_frame(tpye = 1), "not known")
  refused(book_frame(type = "number"), "must be one of")
  refused(rbind(book_frame(), book_frame()), "more than one")
  refused(book_frame(column = NA_character_), "name its column")
  refused(book_frame(lower = 2), "smaller one first")
  refused(book_frame(lower = NA_real_), "lower")
  refused(book_frame(lower = "low"), "lower")
  refused(book_frame(type = "date"), "2020-01-31")
  refused(book_frame(type = "count", upper = 1.5), "whole")
  refused(book_frame(codes = "-9|-9"), "different")
  refused(book_frame(codes = "none"), "codes")
  refused(book_frame(codes = "0", zero = TRUE), "one of its codes")
  refused(book_frame(heaps = "10|15"), "multiple")
  refused(book_frame(heaps = "100|10"), "multiple")
  refused(book_frame(transform = "sqrt"), "transform")
  refused(book_frame(transform = "log"), "zero")
  refused(book_frame(family = "poisson"), "family")
  refused(book_frame(levels = "a|b"), "apply")
  refused(book_frame(zero = "perhaps"), "TRUE")
  refused(book_frame(records = 2), "apply")
  category <- function(...) {
    book_frame(type = "category", lower = NA, upper = NA, ...)
  }
  refused(category(), "levels")
  refused(category(levels = "a|a"), "different")
  refused(category(levels = paste(1:10001, collapse = "|")), "10,001")
  refused(category(levels = "a|b", outside = "c"), "outside")
  refused(category(levels = "a |a"), "blanks")
  refused(book_frame(upper = 1e-6), "smaller unit")
  refused(book_frame(upper = 1e16), "larger unit")
  refused(book_frame(digits = 10), "digits")
  refused(book_frame(digits = 0, heaps = "0.5"), "decimals")
  refused(book_frame(outside = "other"), "bound")
  refused(
    book_frame(
      type = "count", transform = "asinh", family = "poisson", zero = TRUE
    ), "identity"
  )
  refused("no such file.csv", "no file")
  refused(3, "data frame")
  refused(data.frame(), "at least 1")
})

test_that("columns that no codebook can describe are named in a draft", {
  expect_error(
    draft_codebook(data.frame(x = 1:3, y = c(NA, NA, NA))), "y",
    class = input_error
  )
  data <- data.frame(x = 1:2)
  data$y <- list(1, 2)
  expect_error(draft_codebook(data), "y", class = input_error)
  data$y <- as.POSIXct("2020-01-01") + 1:2
  expect_error(draft_codebook(data), "POSIXct", class = input_error)
  data$y <- addNA(factor(c("a", NA)))
  expect_error(draft_codebook(data), "exclude", class = input_error)
})

test_that("a file without columns is told from one without records", {
  none <- ce_income[0]
  expect_error(
    draft_codebook(none), "at least 1 column", class = "pseudosynth_error_input"
  )
  expect_error(
    file_plan(none, draft_codebook(ce_income)), "`data`.*at least 1 column",
    class = "pseudosynth_error_input"
  )
  # The argument is named as the user has it
  expect_error(
    synthesize_file(none), "`plan`.*at least 1 column",
    class = "pseudosynth_error_input"
  )
  expect_error(
    synthesize_file(ce_income[0, ]), "`plan`.*at least 1 record",
    class = "pseudosynth_error_input"
  )
})
