# Every kind of column keeps what its law promises: one case each.
#
# A case is a list:
#   x        values of a column, at least one missing if `row` says so
#   row      its row of a codebook
#   draft    the type of a draft, where it is another one
#   far      a value that the codebook does not have
#   wrong    a column of another type

n_kind <- 120
sampled <- function(from, seed) {
  withr::with_seed(seed, sample(from, n_kind, TRUE))
}

cases <- list(
  category = list(
    x = factor(sampled(c("a", "b c", NA), 1), c("a", "b c", "z")),
    row = list(levels = "a|b c|z", missing = TRUE),
    far = factor("elsewhere"), wrong = as.Date("2020-01-01")
  ),
  ordered = list(
    x = factor(sampled(c("low", "high"), 2), c("low", "high"), ordered = TRUE),
    row = list(levels = "low|high"), far = "middle", wrong = TRUE
  ),
  logical = list(
    x = sampled(c(TRUE, FALSE, NA), 3), row = list(missing = TRUE), far = 2,
    wrong = "yes"
  ),
  count = list(
    x = sampled(30:60, 4), row = list(lower = 0, upper = 100), far = -1,
    wrong = factor("3")
  ),
  amount = list(
    x = sampled(c(-9, NA, 0, (1:900) / 4), 5),
    row = list(
      lower = 0, upper = 300, digits = 2, codes = "-9=no answer", zero = TRUE,
      heaps = "25", missing = TRUE
    ),
    far = 1e9, wrong = "12.5"
  ),
  rate = list(
    x = sampled(c(0, 1, NA, (1:99) / 100), 6),
    row = list(digits = 2, zero = TRUE, codes = "1=all", missing = TRUE),
    draft = "amount", far = 1.5, wrong = "0.5"
  ),
  date = list(
    x = as.Date("2019-12-30") + sampled(c(NA, 1:700), 7),
    row = list(
      lower = "2019-01-01", upper = "2021-12-31", heaps = "1|12",
      missing = TRUE
    ),
    far = as.Date("1800-01-01"), wrong = 18000
  ),
  datetime = list(
    x = as.POSIXct("2020-02-28 23:00:00", tz = "UTC") +
      60 * sampled(c(NA, 1:9000), 8),
    row = list(
      lower = "2020-01-01 00:00", upper = "2020-12-31 23:59",
      heaps = "3600|86400", missing = TRUE
    ),
    far = as.POSIXct("1800-01-01", tz = "UTC"), wrong = 1.6e9
  ),
  id = list(
    x = rep(seq_len(n_kind / 2), each = 2) + 7e5, row = list(records = 3),
    draft = "amount"
  )
)

# A file with the column `x` and another one, and its codebook
file_of <- function(case, x = case$x) {
  data.frame(x = x, sex = factor(rep_len(c("f", "m"), length(x))))
}

row_of <- function(name, row) {
  as.data.frame(c(list(column = "x", type = name), row))
}

book_with <- function(name, row) {
  own <- unclass(codebook(row_of(name, row)))$table
  sex <- unclass(codebook(data.frame(
    column = "sex", type = "category", levels = "f|m", storage = "factor"
  )))$table
  codebook(rbind(own, sex))
}

with_storage <- function(name, case) {
  storages <- column_kinds[[name]]$storages
  if (length(storages) > 0) case$row$storage <- storage_of(case$x)
  case
}

test_that("every kind has a case here, and answers every question", {
  expect_setequal(names(cases), names(column_kinds))
  for (name in names(column_kinds)) {
    kind <- column_kinds[[name]]
    expect_identical(kind$name, name)
    expect_named(kind, names(formals(new_column_kind)))
    expect_true(all(kind$fields %in% names(codebook_fields)), info = name)
    # A class of its own can be written, read and remembered
    for (method in c("time_forms", "time_number", "is_long")) {
      expect_identical(
        !is.null(kind$class),
        exists(
          paste0(method, ".", kind$class[1] %||% "none"),
          asNamespace("pseudosynth"), mode = "function"
        ), info = paste(name, method)
      )
    }
  }
})

for (name in names(cases)) local({
  kind <- column_kinds[[name]]
  case <- with_storage(name, cases[[name]])
  data <- file_of(case)
  book <- book_with(name, case$row)
  unit <- if (!kind$released) "x"
  # What is left out is in no set; by day the newest kinds leave in every form
  none <- function(...) NULL
  test_of_sets <- if (kind$released) test_that else none
  latest <- name %in% by_night(names(cases), c("rate", "datetime"))
  test_of_forms <- if (latest) test_of_sets else none
  plan_of <- function(data, ...) {
    suppressMessages(file_plan(data, book, unit = unit, ...))
  }

  test_that(sprintf("a codebook's row of a %s comes back from text", name), {
    path <- withr::local_tempfile(fileext = ".csv")
    write_codebook(book, path)
    expect_identical(codebook(path), book)
    spec <- column_specs(book)$x
    expect_true(nzchar(stated_text(spec)))
    expect_output(print(book), "x")
    # Nothing that the kind does not state
    other <- setdiff(
      c("levels", "lower", "codes", "records"), kind$fields
    )
    for (field in other) {
      expect_error(
        book_with(name, utils::modifyList(
          case$row, stats::setNames(list("1"), field)
        )),
        class = "pseudosynth_error_input", regexp = field
      )
    }
    if (length(kind$storages) > 0) {
      expect_error(
        book_with(name, utils::modifyList(case$row, list(storage = "raw"))),
        class = "pseudosynth_error_input", regexp = "storage"
      )
    }
  })

  test_that(sprintf("a %s is drafted, changed and confirmed", name), {
    draft <- suppressMessages(draft_codebook(data))
    drafted <- column_specs(draft)$x$type
    expect_identical(drafted, case$draft %||% name)
    change <- if (drafted != name) name else list(label = "Stated")
    edited <- edit_codebook(draft, x = change)
    expect_identical(column_specs(edited)$x$type, name)
    expect_message(
      confirm_codebook(edited, data = data),
      class = "pseudosynth_message_confirmed"
    )
    # To any other kind, or an error that says what is lacking
    for (other in setdiff(names(column_kinds), name)) {
      tryCatch(
        edit_codebook(edited, x = other),
        pseudosynth_error_input = function(e) expect_match(e$message, "x")
      )
    }
  })

  test_that(sprintf("values of a %s come back from codes and values", name), {
    plan <- plan_of(data)
    whole <- decode_file(plan)
    expect_identical(whole, data[intersect(c(if (kind$released) "x", "sex"),
      names(data)
    )])
    expect_identical(plan_of(data), plan)
    expect_false(any(rapply(unclass(plan), is.function, how = "unlist")))
    if (!kind$released) {
      return()
    }
    # As a CSV file has them
    path <- withr::local_tempfile(fileext = ".csv")
    write_csv(data, path)
    read <- utils::read.csv(path, na.strings = "")
    again <- plan_of(read)
    expect_identical(again$codes, plan$codes)
    expect_identical(again$amounts, plan$amounts)
    expect_identical(decode_file(again), whole)
    # As a database has them, which has no type for dates
    con <- sqlite()
    rows <- database_rows(data, list(dates = FALSE))
    expect_false(is_time(rows$x))
    DBI::dbWriteTable(con, "kinds", rows)
    table <- plan_of(dplyr::tbl(con, "kinds"))
    order <- function(plan) sort(format(decode_file(plan)$x))
    expect_identical(order(table), order(plan))
    expect_identical(table$schema, plan$schema)
  })

  test_that(sprintf("one record more of a %s moves nothing public", name), {
    public <- function(data) {
      plan_of(data)[c("table", "levels", "schema", "codebook", "left_out")]
    }
    same <- public(data)
    for (row in c(1, 50, n_kind)) {
      expect_identical(public(data[-row, ]), same)
      moved <- data
      moved$x[row] <- data$x[which(!data$x %in% data$x[row])[1]]
      expect_identical(public(moved), same)
    }
  })

  test_of_sets(sprintf("odd values of a %s are refused in words", name), {
    refused <- function(x, book = NULL) {
      error <- tryCatch(plan_of(file_of(case, x)), error = identity)
      expect_s3_class(error, "pseudosynth_error_input")
      expect_match(conditionMessage(error), "x", fixed = TRUE)
      expect_no_match(conditionMessage(error), "elsewhere|1800|[.]5|1e[+]?09")
    }
    one <- function(value) {
      x <- if (is.factor(case$x)) as.character(case$x) else case$x
      if (is.factor(value)) value <- as.character(value)
      x <- c(x, value)
      x
    }
    refused(one(case$far))
    refused(rep_len(case$wrong, n_kind))
    refused(I(rep(list(1), n_kind)))
    if (is.numeric(case$x)) for (odd in c(NaN, Inf, -Inf)) refused(one(odd))
    if (is.character(case$x) || is.factor(case$x)) refused(one(""))
    # Missing, where nobody has said so
    row <- case$row
    row$missing <- FALSE
    if (anyNA(case$x)) {
      expect_error(
        suppressMessages(file_plan(data, book_with(name, row))),
        class = "pseudosynth_error_outside"
      )
    }
    # Beyond a bound, where that is stated
    if (kind$valued) {
      row <- c(case$row, outside = "bound")
      plan <- suppressMessages(
        file_plan(file_of(case, one(case$far)), book_with(name, row))
      )
      expect_identical(plan$outside[["x"]], 1L)
      end <- decode_file(plan)$x[n_kind + 1]
      spec <- column_specs(book)$x
      expect_true(as.double(end) %in% c(spec$lower, spec$upper))
    }
  })

  test_of_sets(sprintf("sets with a %s are files of their codebook", name), {
    plan <- plan_of(data)
    release <- suppressMessages(suppressWarnings(
      file_release(plan, epsilon = 8, seed = 1)
    ))
    expect_identical(guarantee(release)$label, "strict")
    expect_false(any(rapply(unclass(release), is.function, how = "unlist")))
    sets <- suppressMessages(synthesize(release, m = 2, seed = 2))
    expect_false(any(rapply(unclass(sets), is.function, how = "unlist")))
    for (set in sets$sets) {
      # Not rounded, nothing outside
      of_set <- plan_of(set)
      expect_length(of_set$rounded, 0)
      expect_identical(of_set$levels, plan$levels)
      expect_identical(lapply(set, attributes), lapply(data, attributes))
    }
    stated <- utility(sets, data)$statistics
    expect_true(all(c("x", "sex") %in% stated$column))
    own <- stated[stated$column == "x", ]
    expect_true(all(is.finite(own$value)))
    expect_identical("mean" %in% own$statistic && kind$averaged, kind$averaged)
    expect_identical("total" %in% own$statistic, kind$summed)
    # The mean of a flag is a share
    expect_identical(
      "x" %in% release$means$column, kind$averaged || kind$name == "logical"
    )
    # The file as text says the same
    text <- data
    if (is_time(text$x)) {
      text$x <- time_forms(text$x)[[1]]
      expect_equal(utility(sets, text)$statistics, stated)
    }
    risk <- risk(sets, data, keys = "sex")
    expect_s3_class(risk, "risk")
    known <- risk(sets, data, keys = "sex", variables = "x")
    expect_output(print(known), "x")
    pmse <- utility(sets, data, pmse = TRUE)
    expect_output(print(pmse), "pMSE", ignore.case = TRUE)
    expect_s3_class(ggplot2::autoplot(sets, data = data), "ggplot")
  })

  test_of_sets(sprintf("models of single columns draw a %s", name), {
    skip_if_not_installed("rpart")
    sets <- suppressMessages(suppressWarnings(
      synthesize_file(plan_of(data), seed = 3)
    ))
    expect_no_error(plan_of(sets$sets[[1]]))
  })

  test_of_forms(sprintf("a set with a %s leaves in every form", name), {
    release <- suppressMessages(suppressWarnings(
      file_release(plan_of(data), epsilon = 8)
    ))
    sets <- suppressMessages(synthesize(release))
    path <- withr::local_tempfile()
    formats <- c(
      "csv", if (requireNamespace("nanoparquet", quietly = TRUE)) "parquet",
      if (requireNamespace("haven", quietly = TRUE)) c("dta", "sav")
    )
    suppressMessages(suppressWarnings(release(
      sets, path, formats = formats, data = data, public = "x"
    )))
    csv <- utils::read.csv(
      list.files(path, "^set.*csv$|^synthetic.*csv$", full.names = TRUE)[1],
      na.strings = ""
    )
    expect_identical(nrow(csv), nrow(sets$sets[[1]]))
    written <- unique(as.character(csv$x))
    own <- sets$sets[[1]]$x
    stated <- if (is_time(own)) time_forms(own)[[1]] else as.character(own)
    expect_setequal(written[!is.na(written)], unique(stated[!is.na(stated)]))
  })
})

test_that("a column of each kind can be published, with rules on others", {
  shown <- Filter(function(kind) kind$released, column_kinds)
  data <- as.data.frame(lapply(cases[names(shown)], `[[`, "x"))
  rows <- lapply(names(shown), function(name) {
    row <- unclass(codebook(
      row_of(name, with_storage(name, cases[[name]])$row)
    ))$table
    row$column <- name
    row
  })
  book <- codebook(do.call(rbind, rows))
  # What a value is compared with, and what each rule closes
  rules <- list(
    ~ category != "z" | is.na(category), ~ ordered <= "high",
    ~ logical | !logical | is.na(logical),
    ~ count >= 0, ~ amount < 500 | is.na(amount), ~ rate <= 1 | is.na(rate),
    ~ is.na(date) | date > "2019-06-01",
    ~ is.na(datetime) | datetime >= "2020-02-01 00:00",
    ~ part(datetime) != "full day" | datetime >= "2020-02-01"
  )
  for (published in by_night(names(shown), c("ordered", "rate", "datetime"))) {
    plan <- suppressMessages(suppressWarnings(
      file_plan(data, book, publish = published, rules = rules)
    ))
    expect_identical(decode_file(plan), data)
    expect_identical(plan$table$role[plan$table$column == published],
      "published"
    )
    # As it is
    expect_identical(
      plan$schema[[published]]$attributes,
      column_schema(data[[published]], column_specs(book)[[published]], FALSE)$
        attributes
    )
  }
  wrong <- list(
    ~ datetime > "yesterday", ~ date > "2020-01-01 10:00", ~ rate > "half",
    ~ count == "many"
  )
  for (rule in wrong) {
    expect_error(file_plan(data, book, rules = rule), class = input_error)
  }
})

test_that("date-times are UTC, in whole seconds or minutes", {
  expect_identical(
    datetime_number(c(
      "1970-01-01 00:00:00", "2020-02-29T23:59:59Z", "1969-12-31 23:59",
      "0001-01-01 00:00:00", "9999-12-31 23:59:59", "2020-01-01 00:00:00.25"
    )),
    c(0, 1583020799, -60, -62135596800, 253402300799, 1577836800.25)
  )
  for (none in c(
    "2020-02-30 00:00", "2020-01-01", "2020-01-01 24:00", "2020-01-01 1:00",
    "2020-01-01 00:60", "2020-01-01 00:00:60", "", NA, "now"
  )) {
    expect_identical(datetime_number(none), NA_real_)
  }
  at <- c(0, -1, 1583020799, -62135596800, NA)
  expect_identical(datetime_number(datetime_text(at)), at)
  # The same moments in another zone are the same column of a set
  oslo <- as.POSIXct("2020-10-25 00:00", tz = "Europe/Oslo") + 1800 * 0:9
  data <- data.frame(x = oslo, y = 0:9 %% 2)
  book <- codebook(data.frame(
    column = c("x", "y"), type = c("datetime", "logical"),
    lower = c("2020-10-24 00:00", NA), upper = c("2020-10-26 00:00", NA)
  ))
  plan <- file_plan(data, book)
  expect_identical(attr(decode_file(plan)$x, "tzone"), "UTC")
  expect_identical(as.double(decode_file(plan)$x), as.double(oslo))
  # Between two minutes
  data$x <- oslo + c(0, 29, 31, rep(0, 7))
  expect_message(
    plan <- file_plan(data, book), class = "pseudosynth_message_rounded"
  )
  expect_identical(plan$rounded, c(x = 2L))
  expect_identical(
    as.double(decode_file(plan)$x)[1:3], as.double(oslo)[1:3] + c(0, 0, 60)
  )
  # A published one is as it is, or an error
  expect_error(
    file_plan(data, book, publish = "x"), "full minute",
    class = "pseudosynth_error_outside"
  )
  data$x <- "2020-10-25 12:00"
  data$x[4] <- "noon"
  error <- expect_error(file_plan(data, book), class = input_error)
  expect_identical(error$rows, 4L)
  expect_no_match(conditionMessage(error), "noon")
})

test_that("a stated bound that is a record's own time is no public number", {
  x <- as.POSIXct("2020-05-17 08:31:07", tz = "UTC") + 5003 * 0:99
  data <- data.frame(x = x, y = 0:99 %% 2)
  plan_with <- function(lower, ...) {
    book <- codebook(data.frame(
      column = c("x", "y"), type = c("datetime", "logical"),
      lower = c(lower, NA), upper = c("2021-01-01 00:00:00", NA)
    ))
    file_plan(data, book, ...)
  }
  expect_error(
    plan_with("2020-05-17 08:31:07"), class = "pseudosynth_error_public_ends"
  )
  expect_no_error(plan_with("2020-05-17 08:31:07", confirmed = x[1]))
  expect_no_error(
    plan_with("2020-05-17 08:31:07", confirmed = "2020-05-17 08:31:07")
  )
  expect_no_error(plan_with("2020-05-01 00:00:00"))
})

test_that("a rate lies from 0 to 1", {
  rate <- function(...) codebook(row_of("rate", list(...)))
  expect_identical(rate()$table$lower, "0")
  expect_identical(rate()$table$upper, "1")
  for (bad in list(list(upper = 1.1), list(lower = -0.1))) {
    expect_error(do.call(rate, bad), "from 0 to 1", class = input_error)
  }
  expect_error(rate(transform = "log"), "transform", class = input_error)
})

test_that("numbers about dates are printed as dates", {
  shown <- as_column_shows(
    data.frame(a = c(12462.4, 12462.4, 86400, NA, 3)),
    c("date", "amount", "datetime", "date", NA)
  )
  expect_identical(trimws(shown$a), c(
    "2004-02-14", "12,500", "1970-01-02 00:00", "-", "3.00"
  ))
  plain <- data.frame(a = 1:2)
  expect_identical(as_column_shows(plain, c("amount", NA)), plain)
  n <- 400
  data <- withr::with_seed(1, data.frame(
    born = as.Date("2000-01-01") + sample(3000, n, TRUE),
    sex = sample(c("f", "m"), n, TRUE)
  ))
  book <- suppressMessages(confirm_codebook(draft_codebook(data)))
  release <- file_release(file_plan(data, book), 5, seed = 1)
  expect_output(print(summary(release)), "mean +200[0-9]-[0-9-]{5}")
  expect_output(print(summary(release)), "dates are in days")
  sets <- synthesize(release, seed = 1)
  expect_output(print(utility(sets, data)), "born +mean +200[0-9]-[0-9-]{5}")
})
