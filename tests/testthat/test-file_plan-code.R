confirmed_plan <- function(data) {
  file_plan(data, confirm_codebook(draft_codebook(data)))
}

test_that("files of five makes come back as they went in", {
  heaped <- heaped_file()[c("pay", "group")]
  files <- list(
    ce = ce_income, survey = survey_file(), haven = haven_file(),
    dated = dated_file(), heaped = heaped
  )
  # R's dates are numbers, whatever the file's are
  storage.mode(files$dated$end) <- "double"
  for (file in files) {
    plan <- confirmed_plan(file)
    expect_identical(decode_file(plan), file)
    expect_identical(nrow(plan$codes), nrow(file))
  }
})

test_that("all records of the CE file go through, zeros and negatives too", {
  plan <- confirmed_plan(ce_income)
  parts <- plan$levels$income[plan$codes[, "income"]]
  expect_identical(sum(parts == "zero"), 725L)
  expect_identical(sum(parts == "negative"), 5L)
  expect_identical(length(plan$amounts$income$records), 6208L - 725L)
  expect_identical(
    as.integer(plan$amounts$income$values),
    ce_income$income[ce_income$income != 0]
  )
})

test_that("parts are those of a loop over values", {
  data <- heaped_file()
  plan <- file_plan(data, heaped_book())
  naive <- vapply(data$pay, function(x) {
    if (x == 1e5) "code 100000"
    else if (x == 0) "zero"
    else if (x < 0) "negative"
    else if (x %% 1000 == 0) "multiple of 1000"
    else if (x %% 100 == 0) "multiple of 100"
    else if (x %% 10 == 0) "multiple of 10"
    else "value"
  }, "")
  expect_identical(plan$levels$pay[plan$codes[, "pay"]], naive)
  expect_gt(sum(naive == "code 100000"), 0)
  expect_identical(
    plan$amounts$pay$records, which(!naive %in% c("zero", "code 100000"))
  )
  # The identifier is left out; all else is there
  expect_identical(decode_file(plan), {
    data$group <- factor(data$group, c("a", "b", "c", "other"))
    # Whole numbers within integers, as the codebook says
    data$pay <- as.integer(data$pay)
    data[c("pay", "group")]
  })
})

test_that("other codes and amounts give a file of their own", {
  plan <- file_plan(heaped_file(), heaped_book())
  codes <- plan$codes[1:3, ]
  codes[, "pay"] <- match(
    c("zero", "multiple of 100", "value"), plan$levels$pay
  )
  amounts <- list(pay = list(values = c(300, 301)))
  found <- decode_file(plan, codes, amounts)
  expect_identical(found$pay, c(0L, 300L, 301L))
  # 1,000 is a multiple of 1,000 and in no other part
  amounts$pay$values[1] <- 1000
  expect_error(decode_file(plan, codes, amounts), class = input_error)
  amounts$pay$values <- 300
  expect_error(decode_file(plan, codes, amounts), "2 such", class = input_error)
  codes[1, "group"] <- 9L
  expect_error(decode_file(plan, codes, amounts), class = input_error)
})

test_that("the codebook gives levels, the file their labels", {
  data <- data.frame(g = factor(c("b", "a"), c("b", "a", "secret person")))
  book <- data.frame(column = "g", type = "category", levels = "a|b|c")
  plan <- file_plan(data, book)
  expect_identical(levels(decode_file(plan)$g), c("a", "b", "c"))
  expect_identical(as.character(decode_file(plan)$g), c("b", "a"))
  expect_length(grepRaw("secret", serialize(plan, NULL), fixed = TRUE), 0)
  labels <- c(yes = 1, no = 2, "Jane Doe" = 77)
  data <- data.frame(q = 1:2)
  data$q <- labelled(c(1, 2), labels)
  book <- data.frame(
    column = "q", type = "category", levels = "1|2", storage = "double"
  )
  plan <- file_plan(data, book)
  expect_identical(attr(decode_file(plan)$q, "labels"), labels[1:2])
  expect_length(grepRaw("Jane", serialize(plan, NULL), fixed = TRUE), 0)
})

test_that("numbers are levels as numbers, whatever their text", {
  data <- data.frame(x = c(1L, 2L, 10L, NA))
  book <- data.frame(
    column = "x", type = "ordered", levels = "01|2.0|1e1", missing = TRUE,
    storage = "integer"
  )
  plan <- file_plan(data, book)
  expect_identical(plan$codes[, "x"], 1:4)
  expect_identical(decode_file(plan), data)
  book[c("levels", "storage")] <- list("one|two", NA)
  expect_error(file_plan(data, book), "type", class = input_error)
})

test_that("attributes that may hold values of records do not come back", {
  data <- data.frame(x = c(1.5, 2.5, 4), row.names = c("Jane", "Joe", "Jim"))
  attr(data$x, "source") <- c(11, 12, 13)
  attr(data$x, "label") <- c("Jane", "Joe", "Jim")
  book <- data.frame(column = "x", type = "amount", lower = 0, upper = 5)
  plan <- file_plan(data, book)
  expect_identical(decode_file(plan), data.frame(x = c(1.5, 2.5, 4)))
  expect_output(print(plan), "row names, attributes of `x`: source, label")
  # One text is text all the same: a label is the codebook's
  attributes(data$x) <- list(label = "1.5 2.5 4")
  expect_identical(decode_file(file_plan(data, book))$x, c(1.5, 2.5, 4))
  book$label <- "Income"
  named <- decode_file(file_plan(data, book))
  expect_identical(attr(named$x, "label"), "Income")
  # A published column is as the file has it
  data$g <- c("a", "b", "a")
  both <- rbind(
    codebook(book)$table, codebook(data.frame(
      column = "g", type = "category", levels = "a|b"
    ))$table
  )
  kept <- decode_file(file_plan(data, both, publish = "x"))
  expect_identical(attr(kept$x, "label"), "1.5 2.5 4")
})

test_that("a column of one level costs nothing and comes back", {
  data <- data.frame(year = rep(2015L, 4), x = c(1, 2, 3, 4))
  book <- data.frame(
    column = c("year", "x"), type = c("category", "amount"),
    levels = c("2015", ""), lower = c(NA, 0), upper = c(NA, 9)
  )
  plan <- file_plan(data, book)
  expect_identical(ncol(plan$codes), 0L)
  expect_identical(plan$table$role, c("constant", "protected"))
  expect_identical(decode_file(plan), data)
})

test_that("a whole file of one record goes through", {
  plan <- confirmed_plan(survey_file()[1, ])
  expect_identical(decode_file(plan), survey_file()[1, ])
})

test_that("dates with codes and bounds are amounts in days", {
  data <- data.frame(d = as.Date(c("2020-02-29", "9999-12-31", NA)))
  book <- data.frame(
    column = "d", type = "date", lower = "2020-01-01", upper = "2020-12-31",
    codes = "9999-12-31=open", missing = TRUE
  )
  plan <- file_plan(data, book)
  expect_identical(plan$levels$d, c("missing", "code 9999-12-31", "value"))
  expect_identical(decode_file(plan), data)
  data$d[1] <- as.Date("2021-01-01")
  expect_error(
    file_plan(data, book), class = "pseudosynth_error_outside"
  )
})

test_that("files that package haven reads come back", {
  skip_if_not_installed("haven")
  path <- withr::local_tempfile(fileext = ".sav")
  data <- data.frame(
    sex = factor(rep(c("male", "female"), 30)), when = as.Date("2020-01-01"),
    pay = 1000 + 17 * (7 * seq_len(60)) %% 61
  )
  data$ask <- haven::labelled(
    rep(c(1, 2, NA), 20), c(yes = 1, no = 2, "not asked" = 9), "Asked?"
  )
  haven::write_sav(data, path)
  read <- haven::read_sav(path, user_na = TRUE)
  plan <- confirmed_plan(read)
  expect_identical(decode_file(plan), read)
  expect_s3_class(decode_file(plan)$ask, "haven_labelled")
})

# A column of any make, with zeros, codes, heaps and missing values at random
random_column <- function(n) {
  x <- switch(sample(8, 1),
    factor(sample(letters[1:4], n, TRUE), letters[1:6], ordered = n %% 2 == 0),
    sample(c("x|y", "x=y", "x\\", ""), n, TRUE),
    runif(n) < 0.3,
    as.Date("1999-01-01") + sample(60, n, TRUE),
    sample(-3:60, n, TRUE),
    round(rlnorm(n, 6, 2)),
    rnorm(n, sample(c(-1e5, 0, 3), 1), 10^sample(-3:4, 1)),
    labelled(as.double(sample(c(-9, -7, 1:90), n, TRUE)), c(a = -9, b = 7))
  )
  kind <- typeof(x)
  if (kind == "double" && !inherits(x, "Date")) {
    plain <- unclass(x)
    if (runif(1) < 0.4) plain[sample(n, n / 5)] <- 0
    if (runif(1) < 0.4) plain[sample(n, n / 5)] <- sample(c(-9, -8, 99999), 1)
    if (runif(1) < 0.3) plain <- round(plain, -2)
    attributes(plain) <- attributes(x)
    x <- plain
  }
  if (runif(1) < 0.5) x[sample(n, n / 10)] <- NA
  x
}

test_that("columns of any make go through a draft, its CSV and a plan", {
  path <- withr::local_tempfile(fileext = ".csv")
  withr::local_seed(12)
  for (i in seq_len(by_night(20, 5))) {
    data <- as.data.frame(stats::setNames(
      lapply(1:8, function(j) random_column(80)), paste0("c", 1:8)
    ))
    draft <- draft_codebook(data)
    unlink(path)
    write_codebook(draft, path)
    expect_identical(codebook(path), draft)
    plan <- file_plan(data, path)
    expect_identical(decode_file(plan), data)
    # Codes and amounts alone hold the file: they give it without the plan's
    rows <- sample(80)
    amounts <- lapply(plan$amounts, function(amount) {
      places <- match(amount$records, rows)
      list(values = amount$values[order(places)])
    })
    shuffled <- decode_file(plan, plan$codes[rows, , drop = FALSE], amounts)
    for (name in names(data)) {
      expect_identical(
        column_values(shuffled[[name]]), column_values(data[[name]])[rows]
      )
    }
  }
})

test_that("amounts have the decimals that the codebook states, in every set", {
  file <- withr::with_seed(2, data.frame(
    works = sample(0:1, 300, TRUE), cents = round(stats::runif(300, 0, 90), 2),
    thousands = 1000 * sample(1:400, 300, TRUE)
  ))
  book <- data.frame(
    column = names(file), type = c("logical", "amount", "amount"),
    lower = c("", "0", "0"), upper = c("", "100", "5e5"),
    digits = c("", "2", "-3"), storage = c("integer", "", "double")
  )
  plan <- file_plan(file, book)
  expect_identical(decode_file(plan), file)
  set <- synthesize(file_release(plan, epsilon = 2, seed = 1), seed = 2)[[1]]
  expect_identical(set$cents, round(set$cents, 2))
  expect_identical(set$thousands, round(set$thousands, -3))
  # More than stated are rounded; what is published is as it is
  book$digits[2] <- "1"
  finer <- which(abs(file$cents * 10 - round(file$cents * 10)) > 1e-6)
  expect_message(
    plan <- file_plan(file, book),
    sprintf("`cents`: %d records", length(finer)),
    class = "pseudosynth_message_rounded"
  )
  expect_identical(plan$rounded, c(cents = length(finer)))
  rounded <- decode_file(plan)$cents
  expect_identical(rounded, round(rounded, 1))
  expect_lte(max(abs(rounded - file$cents)), 0.05 + 1e-9)
  error <- expect_error(
    file_plan(file, book, publish = "cents"), "decimals",
    class = "pseudosynth_error_outside"
  )
  expect_identical(error$rows, finer)
})

test_that("labels of an identifier are left out with it", {
  data <- data.frame(x = rep(c(FALSE, TRUE), 30))
  data$id <- labelled(rep(1:30, each = 2), c(first = 1L, last = 30L), "Number")
  book <- data.frame(
    column = c("x", "id"), type = c("logical", "id"), records = c(NA, 2)
  )
  plan <- file_plan(data, book, unit = "id")
  expect_identical(decode_file(plan), data["x"])
})

test_that("confirmed numbers may have labels", {
  stated <- labelled(c(120L, 7L), c(most = 120L))
  expect_identical(check_file_confirmed(stated), c(120, 7))
})

test_that("a rounded value stays within its bounds and is no code", {
  book <- data.frame(
    column = "x", type = "amount", lower = 0.5, upper = 120.4, digits = 0,
    codes = "99|-7.5"
  )
  x <- c(0.5, 98.7, 99, 99.4, 120.4, -7.5, 3.5, 7)
  plan <- suppressMessages(file_plan(data.frame(x), book, confirmed = 120.4))
  expect_identical(decode_file(plan)$x, c(1, 98, 99, 100, 120, -7.5, 3, 7))
  expect_identical(plan$rounded, c(x = 5L))
  expect_error(
    suppressMessages(file_plan(data.frame(x = 120.6), book)), "beyond",
    class = "pseudosynth_error_outside"
  )
})

test_that("storage, decimals and levels of a set are the codebook's", {
  book <- codebook(data.frame(
    column = c("f", "g", "h", "k", "x", "y"),
    type = c("category", "ordered", "logical", "count", "amount", "amount"),
    levels = c("1|2|x", "1|2", "", "", "", ""),
    lower = c(NA, NA, NA, 0, 0, 0), upper = c(NA, NA, NA, 9, 3e9, 100),
    digits = c(NA, NA, NA, NA, 0, 0), missing = TRUE
  ))
  file <- data.frame(
    f = c("1", "2"), g = c(1, 2), h = 0:1, k = c(1, 9), x = 1:2, y = c(5, 6)
  )
  # The same statements of files that are of other types
  files <- list(
    file, transform(file, f = 1:2, g = c("1", "2.0"), x = c(1, 2), y = 5:6),
    transform(
      file, f = factor(f), g = factor(g, 2:1), h = h == 1, k = c(1L, 9L)
    ),
    transform(file, f = c("01", "2"))
  )
  plans <- lapply(files, file_plan, book)
  for (plan in plans) {
    expect_identical(plan$schema, plans[[1]]$schema)
    expect_identical(plan$codes, plans[[1]]$codes)
    expect_identical(plan$amounts, plans[[1]]$amounts)
  }
  expect_identical(
    vapply(decode_file(plans[[1]]), function(x) class(x)[1], ""),
    c(
      f = "factor", g = "integer", h = "logical", k = "integer",
      x = "numeric", y = "integer"
    )
  )
  # Of a column without a value the type is none
  empty <- transform(file, x = NA, y = NA_character_, f = NA)
  expect_error(file_plan(empty, book), "type", class = input_error)
  empty$y <- NA
  expect_message(
    plan <- file_plan(empty, book), "missing for all",
    class = "pseudosynth_message_no_value"
  )
  expect_identical(plan$schema, plans[[1]]$schema)
  # Flags as levels, and dates
  book <- codebook(data.frame(
    column = c("t", "d"), type = "category",
    levels = c("T|F|U", "2020-01-01|never")
  ))
  one <- file_plan(data.frame(t = c("T", "F"), d = "2020-01-01"), book)
  two <- file_plan(
    data.frame(t = c(TRUE, FALSE), d = as.Date("2020-01-01")), book
  )
  expect_identical(one$codes, two$codes)
  expect_identical(one$schema, two$schema)
})

test_that("a storage that cannot hold what is stated is refused", {
  bad <- list(
    list("category", levels = "a|b", storage = "integer"),
    list("category", levels = "1|2.5", storage = "integer"),
    list("category", levels = "1|2", storage = "logical"),
    list("logical", storage = "factor"),
    list("amount", lower = 0, upper = 9, digits = 2, storage = "integer"),
    list("amount", lower = 0, upper = 9, digits = "any", storage = "integer"),
    list("amount", lower = 0, upper = 3e9, digits = 0, storage = "integer"),
    list("amount", lower = 0, upper = 9, digits = "two"),
    list("date", lower = "2000-01-01", upper = "2001-01-01", storage = "double")
  )
  for (one in bad) {
    names(one)[1] <- "type"
    expect_error(
      codebook(as.data.frame(c(one, column = "x"))), "storage|digits",
      class = input_error
    )
  }
  stated <- function(...) {
    column_storage(column_specs(codebook(data.frame(column = "x", ...)))$x)
  }
  expect_identical(stated(type = "category", levels = "01|2"), "factor")
  expect_identical(stated(type = "category", levels = "1.5|2"), "double")
  expect_identical(
    stated(type = "amount", lower = 0, upper = 9, storage = "integer"),
    "integer"
  )
  expect_identical(stated(type = "amount", lower = 0, upper = 9), "double")
})

test_that("values beyond a bound count as the bound where it is stated", {
  file <- data.frame(
    works = rep(0:1, 100), age = c(rep(20:59, 5)), end = as.Date("2020-01-01")
  )
  file$age[7] <- 104L
  file$age[8] <- -9L
  file$end[9] <- as.Date("1950-01-01")
  book <- data.frame(
    column = names(file), type = c("logical", "amount", "date"),
    lower = c("", "16", "2000-01-01"), upper = c("", "90", "2030-01-01"),
    codes = c("", "-9", ""), outside = c("", "bound", "bound"),
    digits = c("", "0", "")
  )
  found <- decode_file(file_plan(file, book))
  expect_identical(found$age[7:8], c(90L, -9L))
  expect_identical(found$end[8:9], as.Date(c("2020-01-01", "2000-01-01")))
  book$outside <- ""
  expect_error(file_plan(file, book), class = "pseudosynth_error_outside")
})

test_that("a plan counts what a level or a bound stands for", {
  data <- data.frame(g = c("a", "SECRET", "b", "other"), x = c(1, -3, 9, 98765))
  book <- data.frame(
    column = c("g", "x"), type = c("category", "amount"),
    levels = c("a|b|other", ""), lower = c(NA, 0), upper = c(NA, 10),
    outside = c("other", "bound")
  )
  plan <- file_plan(data, book)
  expect_identical(plan$outside, c(g = 1L, x = 2L))
  text <- paste(capture.output(print(plan)), collapse = " ")
  expect_match(text, "1 record of g as other; 2 records of x as the bound")
  expect_false(grepl("SECRET|98765", text))
  expect_length(file_plan(data[3, ], book)$outside, 0)
  text <- capture.output(print(codebook(book)))
  expect_match(text, "others become other", all = FALSE)
  expect_match(text, "values beyond become the bound", all = FALSE)
})

test_that("dates of one precision keep it in every set", {
  file <- withr::with_seed(4, data.frame(
    sex = factor(sample(c("m", "f"), 300, TRUE), c("m", "f")),
    born = as.Date(sprintf(
      "%d-%02d-01", sample(1950:2000, 300, TRUE), sample(12, 300, TRUE)
    )),
    hired = as.Date(sprintf("%d-01-01", sample(1980:2020, 300, TRUE))),
    seen = as.Date("2019-03-01") + sample(600, 300, TRUE)
  ))
  file$seen[1:150] <- as.Date(sprintf("2019-%02d-01", 1 + 1:150 %% 12))
  file$born[2] <- as.Date("9999-12-31")
  book <- codebook(data.frame(
    column = names(file), type = c("category", "date", "date", "date"),
    levels = c("m|f", "", "", ""),
    lower = c("", "1950-01", "1980", "2019-01-01"),
    upper = c("", "2000-12", "2020", "2020-12-31"),
    codes = c("", "9999-12-31=unknown", "", ""), heaps = c("", "", "", "1")
  ))
  plan <- file_plan(file, book)
  expect_identical(decode_file(plan), file)
  expect_identical(plan$levels$seen, c("first of a month", "value"))
  path <- withr::local_tempfile(fileext = ".csv")
  write_codebook(book, path)
  expect_identical(codebook(path), book)
  expect_output(print(book), "1950-01 to 2000-12")
  sets <- synthesize(file_release(plan, 10, 1e-6, seed = 1), 2, seed = 2)
  for (set in unclass(sets)$sets) {
    known <- set$born != as.Date("9999-12-31")
    expect_true(all(format(set$born[known], "%d") == "01"))
    expect_true(all(format(set$hired, "%m-%d") == "01-01"))
    expect_gt(length(unique(set$born)), 100)
    expect_lt(abs(mean(format(set$seen, "%d") == "01") - 0.5), 0.1)
  }
  # Another day is no value of the column
  moved <- file
  moved$hired[7] <- as.Date("1999-03-01")
  error <- expect_error(
    file_plan(moved, book), "not on the first of a year",
    class = "pseudosynth_error_outside"
  )
  expect_identical(error$rows, 7L)
  refused <- function(..., text) {
    book <- data.frame(column = "x", type = "date", ...)
    expect_error(codebook(book), text, class = input_error)
  }
  refused(lower = "1950-01", upper = "2000-12-31", text = "both be days")
  refused(lower = "1950", upper = "1960", heaps = "1", text = "heaps")
  refused(lower = "1950", upper = "1960-13", text = "dates such as")
})

test_that("a date with a part of a day is that day", {
  file <- data.frame(g = rep(0:1, 20), x = as.Date("2020-05-01") + 1:40 / 3)
  plan <- file_plan(file, codebook(data.frame(
    column = c("g", "x"), type = c("logical", "date"),
    lower = c("", "2020-05-01"), upper = c("", "2020-05-31")
  )))
  expect_identical(format(decode_file(plan)$x), format(file$x))
  expect_identical(
    plan$amounts$x$values, floor(as.double(file$x))
  )
  expect_identical(draft_codebook(file["x"])$table$lower, "2020-01-01")
})

test_that("days with a time are days, and a message says how many", {
  data <- data.frame(
    day = structure(18400 + rep(c(0, 0.5, 1), 20), class = "Date"),
    g = rep(c("a", "b"), 30)
  )
  book <- codebook(data.frame(
    column = c("day", "g"), type = c("date", "category"),
    levels = c("", "a|b"), lower = c("2020-01-01", NA),
    upper = c("2020-12-31", NA)
  ))
  expect_message(
    plan <- file_plan(data, book), "20 records",
    class = "pseudosynth_message_rounded"
  )
  expect_identical(plan$rounded, c(day = 20L))
  expect_identical(
    as.double(decode_file(plan)$day), floor(as.double(data$day))
  )
})
