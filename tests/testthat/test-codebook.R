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

test_that("an empty type is refused", {
  book <- draft_codebook(data.frame(y = c(0.5, 1.5, 1.7, 2.5) * 3))
  for (type in list("", list(type = ""))) {
    expect_error(edit_codebook(book, y = type), class = input_error)
  }
})

test_that("counts may be below 0 under families that are", {
  book <- draft_codebook(data.frame(k = rep(-1:20, 10), a = "x"))
  count <- list(type = "count", lower = -5, upper = 60)
  expect_error(edit_codebook(book, k = count), "reserve codes",
    class = input_error
  )
  count$family <- "student_t"
  expect_no_error(edit_codebook(book, k = count))
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
  expect_identical(row("nofriend")$type, "ordered?")
  expect_identical(row("smoke")$type, "category?")
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
  expect_identical(draft$table$type, c("id?", "logical?"))
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
  data <- data.frame(x = 1:2)
  data$y <- list(1, 2)
  expect_error(draft_codebook(data), "y", class = input_error)
  data$y <- as.difftime(1:2, units = "hours")
  expect_error(draft_codebook(data), "difftime", class = input_error)
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

test_that("a draft stays a draft, whatever is deleted or emptied in it", {
  draft <- draft_codebook(survey_file())
  columns <- names(survey_file())
  is_draft <- function(x) expect_setequal(unconfirmed(codebook(x)), columns)
  table <- as.data.frame(draft)
  is_draft(table[names(table) != "confirmed"])
  is_draft(draft[, names(table) != "confirmed"])
  is_draft(transform(table, confirmed = NA))
  is_draft(transform(table, confirmed = ""))
  is_draft(rbind(table[1:3, ], table[4:7, ]))
  is_draft(lapply(table, unclass) |> list2DF() |> transform(confirmed = NULL))
  # A type alone is retyped: the other mark stays
  retyped <- table
  retyped$type <- sub("?", "", retyped$type, fixed = TRUE)
  is_draft(retyped)
  lost <- draft
  lost$table$confirmed <- NULL
  is_draft(lost)
  path <- withr::local_tempfile(fileext = ".csv")
  write_codebook(draft, path)
  fields <- utils::read.csv(path, colClasses = "character")
  # What can be deleted at all from what can be read again
  for (field in setdiff(names(fields), c("column", "type"))) {
    left <- fields[setdiff(names(fields), c("confirmed", field))]
    book <- tryCatch(codebook(left), pseudosynth_error_input = function(e) NULL)
    if (!is.null(book)) is_draft(left)
  }
  emptied <- replace(fields, "confirmed", "")
  utils::write.csv(emptied, path, row.names = FALSE)
  is_draft(path)
  mixed <- rbind(
    fields[1:2, c("column", "type", "levels", "lower", "upper")],
    data.frame(
      column = "own", type = "amount", levels = "", lower = 0, upper = 1
    )
  )
  expect_identical(unconfirmed(codebook(mixed)), columns[1:2])
  # The strict release refuses it
  plan <- file_plan(survey_file(), codebook(table[names(table) != "confirmed"]))
  expect_error(
    file_release(plan, 1, 1e-6), class = "pseudosynth_error_unconfirmed"
  )
  # Written by hand it states itself
  expect_identical(unconfirmed(codebook(book_frame())), character())
  expect_false(any(
    grepl("?", confirm_codebook(draft)$table$type, fixed = TRUE)
  ))
  expect_identical(
    codebook(transform(book_frame(), type = "amount?"))$table$confirmed, FALSE
  )
})

test_that("what dplyr leaves of a draft is a draft", {
  skip_if_not_installed("dplyr")
  table <- as.data.frame(draft_codebook(survey_file()))
  left <- dplyr::arrange(dplyr::select(table, -"confirmed"), .data$column)
  expect_setequal(unconfirmed(codebook(left)), names(survey_file()))
  bound <- dplyr::bind_rows(
    dplyr::select(table, "column", "type", "levels", "lower", "upper")[1, ],
    table[-1, ]
  )
  expect_setequal(unconfirmed(codebook(bound)), names(survey_file()))
})

test_that("edit_codebook() changes rows by name and keeps the draft's mark", {
  draft <- draft_codebook(survey_file())
  book <- edit_codebook(draft,
    income = list(upper = 2e6, codes = c("no answer" = -8)), age = "id",
    nofriend = list(type = "count", lower = 0, upper = 99, codes = -8),
    edu = list(levels = "PRIMARY|SECONDARY|POST-SECONDARY|NONE|OTHER"),
    bmi = list(digits = NA, label = "Body mass")
  )
  row <- function(name) book$table[book$table$column == name, ]
  expect_identical(row("income")$upper, "2000000")
  expect_identical(row("income")$codes[[1]], c("no answer" = "-8"))
  expect_identical(row("age")$type, "id?")
  expect_identical(row("age")$lower, NA_character_)
  expect_identical(row("nofriend")$levels[[1]], character())
  expect_identical(row("nofriend")$family, "neg_binomial")
  expect_length(row("edu")$levels[[1]], 5)
  expect_identical(row("bmi")$digits, NA_character_)
  expect_identical(row("bmi")$label, "Body mass")
  expect_setequal(unconfirmed(book), names(survey_file()))
  # All else is as it was
  same <- c("sex", "smoke")
  expect_identical(
    book$table[match(same, names(survey_file())), ],
    draft$table[match(same, names(survey_file())), ]
  )
  expect_identical(edit_codebook(draft), draft)
  # The default family follows the transform, another one stays
  count <- codebook(book_frame(type = "count", lower = 1, upper = 9))
  logged <- edit_codebook(count, x = list(transform = "log"))
  expect_identical(logged$table$family, "student_t")
  gaussian <- edit_codebook(count, x = list(family = "gaussian"))
  logged <- edit_codebook(gaussian, x = list(transform = "log"))
  expect_identical(logged$table$family, "gaussian")
  dated <- edit_codebook(count, x = list(
    type = "date", lower = as.Date("0900-01-02"), upper = "2020-12-31"
  ))
  expect_identical(dated$table$lower, "0900-01-02")
})

test_that("edit_codebook() names what it cannot change", {
  book <- codebook(book_frame())
  refused <- function(code, text) {
    expect_error(code, text, class = input_error)
  }
  refused(edit_codebook(book, y = "id"), "column of the codebook")
  refused(edit_codebook(book, "id"), "name of its column")
  refused(edit_codebook(book, x = "id", x = "id"), "one change")
  refused(edit_codebook(book, x = list(uper = 2)), "uper")
  refused(edit_codebook(book, x = list(2)), "named list")
  refused(edit_codebook(book, x = 3), "named list")
  refused(edit_codebook(book, x = list(confirmed = TRUE)), "confirm_codebook")
  refused(edit_codebook(book, x = list(column = "y")), "column")
  refused(edit_codebook(book, x = list(upper = 1:2)), "one value")
  refused(edit_codebook(book, x = list(upper = "many")), "numbers")
  refused(edit_codebook(book, x = "number"), "must be one of")
  refused(edit_codebook(book, x = list(levels = "a|b")), "apply")
  refused(edit_codebook(data.frame(), x = "id"), "codebook")
})

test_that("a print shows transform and family where they are stated", {
  text <- function(...) {
    paste(capture.output(print(codebook(book_frame(...)))), collapse = " ")
  }
  expect_no_match(text(), "identity|student_t")
  expect_match(text(lower = 0.5, transform = "log", digits = 2), "2 dec.*log")
  expect_match(text(family = "gaussian"), "gaussian")
  expect_no_match(text(type = "count"), "neg_binomial")
  expect_match(text(type = "count", family = "poisson"), "poisson")
})

test_that("confirm_codebook() lists what it confirms and what the file has", {
  file <- data.frame(
    g = rep(c("a", "b"), 30), x = c(17, 113.7, 20.5 + 1:58), y = 1:60 + 0.25
  )
  draft <- edit_codebook(draft_codebook(file),
    x = list(lower = 17, upper = 113.7), y = list(lower = 0, upper = 1000)
  )
  heard <- expect_message(
    book <- confirm_codebook(draft, data = file),
    class = "pseudosynth_message_confirmed"
  )
  expect_identical(unconfirmed(book), character())
  expect_identical(heard$confirmed, c("g", "x", "y"))
  expect_identical(heard$equal$column, c("g", "x", "x"))
  expect_identical(heard$equal$field, c("levels", "lower", "upper"))
  expect_match(heard$equal$equals[2:3], "est value")
  text <- conditionMessage(heard)
  expect_match(text, "g: category, 2 levels: a, b", fixed = TRUE)
  expect_match(text, "x: amount, 17 to 113.7", fixed = TRUE)
  # Codes and heaps that are one record's value are as telling
  coded <- edit_codebook(draft,
    x = list(codes = c(113.7, 999)), y = list(heaps = 40.25)
  )
  heard <- expect_message(confirm_codebook(coded, c("x", "y"), file))
  expect_identical(heard$equal$field, c("lower", "codes", "heaps"))
  # Only what is new is confirmed; without the file nothing is compared
  heard <- expect_message(part <- confirm_codebook(draft, "y"))
  expect_identical(heard$confirmed, "y")
  expect_null(heard$equal)
  expect_no_message(confirm_codebook(part, "y"))
  for (own in c(mean(file$x), sum(file$x))) {
    expect_true(nzchar(equal_statistic(own, file$x)))
  }
  expect_identical(equal_statistic(100, file$x), "")
  expect_match(equal_statistic(1234, c(file$y, 1234, 9999)), "is a value")
  expect_error(
    confirm_codebook(draft, data = file["g"]), class = input_error
  )
})

test_that("bounds between which no value lies are refused", {
  book <- function(...) {
    codebook(data.frame(column = "x", type = "amount", ...))
  }
  for (transform in c("identity", "log")) {
    expect_error(
      book(lower = "1", upper = "99", digits = "-2", transform = transform),
      "must be able to have a value", class = "pseudosynth_error_input"
    )
    # One is enough, and so is a part
    expect_no_error(
      book(lower = "1", upper = "100", digits = "-2", transform = transform)
    )
    expect_no_error(book(
      lower = "1", upper = "99", digits = "-2", transform = transform,
      codes = "999"
    ))
  }
})

test_that("bounds that rounding can hardly tell apart are refused", {
  book <- function(lower, upper, ...) {
    codebook(data.frame(
      column = "x", lower = lower, upper = upper, digits = "any", ...
    ))
  }
  for (transform in c("identity", "log", "asinh")) {
    expect_error(
      book("93584605515934.5", "93584605515935.2",
        type = "amount", transform = transform
      ), "must differ by at least 1e-10", class = "pseudosynth_error_input"
    )
  }
  expect_no_error(book("1e14", "100000000100000", type = "amount"))
})

test_that("fields and names are text in a known encoding", {
  book <- codebook(data.frame(column = "y", type = "id"))
  bytes <- "\xff\xfe"
  Encoding(bytes) <- "bytes"
  unknown <- function(call) {
    expect_error(call, "known encoding", class = "pseudosynth_error_input")
  }
  for (field in c("column", "type", "levels", "missing", "digits")) {
    fields <- as.data.frame(book)
    fields[[field]] <- bytes
    unknown(codebook(fields))
  }
  data <- stats::setNames(data.frame(1:3, 1:3), c("a", bytes))
  unknown(draft_codebook(data))
  expect_error(
    draft_codebook(stats::setNames(list(data["a"], data["a"]), c("x", bytes))),
    "list of two", class = "pseudosynth_error_input"
  )
  expect_error(
    read_ce(
      system.file("extdata", "fmli_example.csv", package = "pseudosynth"),
      income = bytes
    ), "income", class = "pseudosynth_error_input"
  )
})

test_that("a change is text in a known encoding", {
  book <- codebook(data.frame(column = "y", type = "id"))
  bytes <- "\xff\xfe"
  Encoding(bytes) <- "bytes"
  for (change in list(bytes, list(type = "category", levels = bytes))) {
    expect_error(
      edit_codebook(book, y = change), "known encoding",
      class = "pseudosynth_error_input"
    )
  }
})

test_that("a draft's type is not confirmed by hand", {
  draft <- as.data.frame(draft_codebook(data.frame(g = rep(c("a", "b"), 50))))
  draft$confirmed <- TRUE
  expect_error(
    codebook(draft), "question mark", class = "pseudosynth_error_input"
  )
  draft$type <- "category"
  expect_true(codebook(draft)$table$confirmed)
})

test_that("levels that reorder() sorted are drafted in their own order", {
  data <- data.frame(
    g = factor(rep(c("a", "b", "c"), 50)), y = rep(c(3, 1, 2), 50)
  )
  data$g <- stats::reorder(data$g, data$y)
  expect_identical(levels(data$g), c("b", "c", "a"))
  expect_message(
    draft <- draft_codebook(data), class = "pseudosynth_message_level_order"
  )
  expect_identical(draft$table$levels[[1]], c("a", "b", "c"))
})

test_that("what is confirmed and equals the file's is listed in full", {
  data <- data.frame(
    stage = rep(c(NA, 2, 4, 7), 100), pay = 100 * rep(c(3, 5, 8, 13), 100)
  )
  book <- edit_codebook(draft_codebook(data), pay = list(
    type = "amount", lower = 0, upper = 5000, digits = 0, heaps = 100,
    levels = character()
  ))
  expect_message(
    said <- tryCatch(
      confirm_codebook(book, data = data),
      pseudosynth_message_confirmed = function(m) {
        message(m)
        m
      }
    ), "multiples of 100"
  )
  expect_identical(said$equal$column, "stage")
})

test_that("levels in the order of another column's means are told", {
  withr::local_seed(2)
  data <- data.frame(
    job = sample(letters[1:7], 500, TRUE),
    pay = round(exp(stats::rnorm(500, 9)))
  )
  means <- sort(tapply(data$pay, data$job, mean))
  data$job <- factor(data$job, names(means))
  draft <- draft_codebook(data)
  said <- expect_message(
    confirm_codebook(draft, data = data), "order of `pay`",
    class = "pseudosynth_message_confirmed"
  )
  data$job <- factor(data$job, letters[1:7])
  expect_no_match(
    conditionMessage(tryCatch(
      confirm_codebook(draft_codebook(data), data = data), message = identity
    )), "order of"
  )
  # Numbers as names are in their own order, and only other columns tell
  data$job <- sample(c(3, 7, 9, 10, 12, 20, 31), 500, TRUE)
  book <- codebook(data.frame(
    column = c("job", "pay"), type = c("category?", "amount?"),
    levels = c("3|7|9|10|12|20|31", ""), lower = c(NA, 1), upper = c(NA, 1e7),
    digits = c(NA, 0)
  ))
  told <- function() {
    tryCatch(
      confirm_codebook(book, data = data),
      pseudosynth_message_confirmed = function(m) m$equal$equals
    )
  }
  expect_identical(told(), "are all values of the file, and no other")
  # Values that are missing tell nothing
  data$pay <- 100 * data$job + stats::runif(500)
  data$pay[data$job == 9][1:5] <- NA
  expect_match(told(), "order of `pay`", all = FALSE)
})

test_that("a draft takes its own file, whatever its decimals and heaps", {
  for (seed in seq_len(by_night(200, 40))) {
    withr::local_seed(seed)
    n <- 60
    digits <- sample(0:9, 1)
    top <- 10^sample(1:7, 1)
    heap <- 10^sample(-1:6, 1)
    x <- round(runif(n, top / 50, top), digits)
    heaped <- sample(n, n %/% 3)
    x[heaped] <- round(x[heaped] / heap) * heap
    file <- data.frame(x, g = rep(c("a", "b"), n / 2))
    book <- suppressMessages(draft_codebook(file))
    expect_no_error(suppressMessages(file_plan(file, book)))
  }
})

test_that("a column without a value is drafted as one that is left out", {
  file <- data.frame(x = rep(NA_real_, 20), g = rep(c("a", "b"), 10))
  expect_message(
    book <- draft_codebook(file), "no record has a value",
    class = "pseudosynth_message_left_out"
  )
  expect_identical(book$table$type, c("id?", "category?"))
})

test_that("columns that no codebook can describe are named when confirmed", {
  file <- data.frame(x = rep(1:5, 8), g = rep(c("a", "b"), 20))
  draft <- suppressMessages(draft_codebook(file))
  file$other <- as.list(1:40)
  expect_no_error(suppressMessages(confirm_codebook(draft, data = file)))
  file$x <- as.list(1:40)
  expect_error(
    confirm_codebook(draft, data = file), "x",
    class = "pseudosynth_error_input"
  )
})
