test_that("values outside the codebook are counted, never told", {
  data <- data.frame(
    g = c("a", "b", "SECRET", NA, "SECRET"), x = c(1, 98765, 3, NaN, 5),
    n = c(1, 2.5, 3, 4, NA)
  )
  book <- data.frame(
    column = c("g", "x", "n"), type = c("category", "amount", "count"),
    levels = c("a|b|other", "", ""), lower = c(NA, 0, 0), upper = c(NA, 9, 9)
  )
  error <- expect_error(
    file_plan(data, book), class = "pseudosynth_error_outside"
  )
  expect_match(conditionMessage(error), "1 record without a value")
  expect_match(conditionMessage(error), "2 records with none", fixed = TRUE)
  expect_false(grepl("SECRET|98765|2\\.5", conditionMessage(error)))
  expect_identical(error$rows, 2:5)
  expect_identical(
    lapply(error$by_column, as.integer), list(g = 3:5, x = c(2L, 4L),
      n = c(2L, 5L))
  )
  book$outside <- c("other", NA, NA)
  book$missing <- c(TRUE, FALSE, FALSE)
  plan <- file_plan(data[c(1, 3), ], book)
  expect_identical(as.character(decode_file(plan)$g), c("a", "other"))
})

test_that("empty text, as of a CSV file, is told apart from a level", {
  book <- codebook(data.frame(
    column = "g", type = "category", levels = "a|b", missing = TRUE
  ))
  error <- expect_error(file_plan(data.frame(g = c("a", "", "c")), book),
    class = "pseudosynth_error_outside"
  )
  expect_match(conditionMessage(error), "1 record with empty text, 1 record")
  expect_match(conditionMessage(error), "na.strings")
})

test_that("bad files and columns are refused by name", {
  data <- data.frame(g = c("a", "b"), x = c(1, 2))
  book <- codebook(data.frame(
    column = c("g", "x"), type = c("category", "amount"),
    levels = c("a|b", ""), lower = c(NA, 0), upper = c(NA, 9), missing = TRUE
  ))
  refused <- function(text, ...) {
    expect_error(file_plan(...), text, class = input_error)
  }
  refused("lacks", data["g"], book)
  refused("lacks", cbind(data, z = 1), book)
  refused("distinct names", cbind(data, g = 1), book)
  refused("type", transform(data, x = c("1", "2")), book)
  refused("at least 1", data[0, ], book)
  refused("codebook", data, 3)
  refused("columns", data, book, publish = "z")
  refused("once", data, book, publish = c("g", "g"))
  refused("identifier", data, book, unit = "g")
  refused("data frame", as.matrix(data), book)
  refused("numbers or dates", data, book, confirmed = "\xff\xfe")
  refused("numbers or dates", data, book, confirmed = c("zz", "12"))
  refused("numbers or dates", data, book, confirmed = c(12, Inf))
  # A category that is constant in the file has its levels in the codebook
  expect_identical(
    unname(file_plan(data[c(1, 1), ], book)$codes[, "g"]), c(1L, 1L)
  )
})

test_that("a unit has at most as many records as stated", {
  data <- heaped_file()
  plan <- file_plan(data, heaped_book(), unit = "household")
  expect_identical(plan$unit$records, 2L)
  expect_identical(plan$unit$index, data$household)
  expect_error(
    file_plan(data, heaped_book(), publish = "household"), "identifier",
    class = input_error
  )
  data$household[3] <- 1
  error <- expect_error(
    file_plan(data, heaped_book(), unit = "household"), "1 unit",
    class = input_error
  )
  expect_identical(error$rows, 1:3)
  data$household[3] <- NA
  expect_error(
    file_plan(data, heaped_book(), unit = "household"), "1 record",
    class = input_error
  )
})

test_that("neither print nor figure of a plan holds a value of a record", {
  data <- data.frame(
    name = sprintf("SECRET%03d", 1:40), pay = 70000 + 1:40 / 128,
    g = rep(c("a", "b"), 20)
  )
  book <- data.frame(
    column = c("name", "pay", "g"), type = c("id", "amount", "category"),
    levels = c("", "", "a|b"), lower = c(NA, 0, NA), upper = c(NA, 1e5, NA)
  )
  plan <- file_plan(data, book, publish = "g")
  text <- paste(capture.output(print(plan)), collapse = " ")
  expect_match(text, "left out")
  expect_match(text, "for the agency only")
  expect_false(grepl("SECRET|70000|7000", text))
  figure <- serialize(autoplot(plan), NULL)
  expect_length(grepRaw("SECRET", figure, fixed = TRUE), 0)
  value <- writeBin(70000 + 7 / 128, raw(), endian = "big")
  expect_length(grepRaw(value, figure, fixed = TRUE), 0)
  # The needle is found where it is
  expect_gt(length(grepRaw(value, serialize(plan, NULL), fixed = TRUE)), 0)
})

test_that("a plan tells what becomes of each column", {
  plan <- file_plan(ce_income, draft_codebook(ce_income), publish = "region")
  table <- plan$table
  expect_identical(table$column, names(ce_income))
  expect_identical(table$role[table$column == "region"], "published")
  expect_identical(table$amount, table$column == "income")
  expect_output(print(plan), "draft, which no strict release accepts")
  expect_s3_class(autoplot(plan), "ggplot")
  expect_identical(as.data.frame(plan), table)
})

test_that("NaN is named as such, and no bound is blamed", {
  file <- data.frame(
    a = c(NaN, NA, seq_len(98) / 7), b = c(1, 2, NaN, NaN), d = rep(1:4, 25)
  )
  book <- draft_codebook(replace(file, is.na(file), 1))
  error <- expect_error(
    file_plan(file, book), class = "pseudosynth_error_outside"
  )
  text <- gsub("\\s+", " ", conditionMessage(error))
  expect_match(text, "`a`: 1 record with NaN, 1 record without", fixed = TRUE)
  expect_match(text, "`b`: 50 records with NaN", fixed = TRUE)
  expect_match(text, "set it to `NA`", fixed = TRUE)
  expect_match(text, "missing = TRUE", fixed = TRUE)
  expect_no_match(text, "beyond the bounds", fixed = TRUE)
  # Nothing to state where all else fits
  alone <- expect_error(synthesize_file(replace(file, 1, 1)))
  expect_no_match(conditionMessage(alone), "State", fixed = TRUE)
  file$a[1:2] <- Inf
  expect_error(file_plan(file, book), "2 records with an infinite value")
})

test_that("a plan protects a column", {
  file <- data.frame(a = rep(c("x", "y"), 20), b = rep(c(TRUE, FALSE), 20))
  shown <- names(file)
  for (idle in list(NULL, sprintf("P%03d", 1:40), NA)) {
    file$idle <- idle
    expect_error(
      suppressMessages(
        file_plan(file, draft_codebook(file), publish = shown)
      ), "leave a column that is protected", class = "pseudosynth_error_input"
    )
  }
})
