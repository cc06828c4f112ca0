# Plans of files in databases. SQLite in memory is the engine; see the tests of
# engines for others.

test_that("the plan of a table is that of the data frame, chunk by chunk", {
  n <- by_night(900, 600)
  d <- file_persons(n)
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  expect_plans_of_frame(table, d)
  local_small_chunks()
  seen <- 0
  plain <- read_column
  local_replaced("read_column", function(...) {
    seen <<- seen + 1
    plain(...)
  })
  plan <- expect_plans_of_frame(table, d)
  expect_gt(seen, n / 100 * ncol(d))
  expect_identical(decode_file(plan), d[names(d) != "case"])
})

test_that("a release of a table is that of the data frame in any order", {
  d <- file_persons()
  book <- file_persons_book(d)
  d <- d[c("group", "flag", "income", "case")]
  book <- codebook(book[book$table$column %in% names(d), ])
  released <- function(data, ...) {
    file_release(file_plan(data, book, ...), epsilon = 8, seed = 3)
  }
  whole <- released(d)
  table <- dplyr::tbl(
    sqlite(persons = d[withr::with_seed(4, sample(nrow(d))), ]), "persons"
  )
  found <- released(table)
  expect_identical(found, whole)
  expect_identical(synthesize(found, seed = 1), synthesize(whole, seed = 1))
  # Units, too, wherever their records lie
  local_small_chunks()
  expect_identical(
    released(table, unit = "case"), released(d, unit = "case")
  )
})

test_that("sets of a table are those of the data frame without a plan", {
  skip_if_not_installed("rpart")
  d <- file_persons()[c("group", "income", "case")]
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  sets <- function(data) {
    suppressWarnings(suppressMessages(synthesize_file(data, seed = 1)))
  }
  expect_identical(as.list(sets(table)), as.list(sets(d)))
})

refused_plan <- function(data, book, ..., class = input_error) {
  error <- expect_error(file_plan(data, book), ..., class = class)
  # No value of a record in what is said
  expect_no_match(conditionMessage(error), "SECRET|4141")
  error
}

test_that("faults are counted over the whole file, as of a data frame", {
  n <- by_night(900, 600)
  d <- file_persons(n)
  book <- file_persons_book(d)
  # In the first chunk, one between and the last
  outside <- c(3L, n - 250L, n - 1L)
  d$group[outside] <- "SECRET"
  d$income[c(4, n - 200)] <- 41414141
  d$hours[c(5, 6)] <- NA
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  local_small_chunks()
  expected <- refused_plan(d, book, class = "pseudosynth_error_outside")
  found <- refused_plan(table, book, class = "pseudosynth_error_outside")
  expect_identical(conditionMessage(found), conditionMessage(expected))
  expect_identical(found$by_column, expected$by_column)
  expect_identical(found$by_column$group, as.integer(outside))
  # What a level or a bound takes is counted, too
  edited <- as.data.frame(book)
  edited$outside[edited$column %in% c("group", "income")] <- c("b", "bound")
  edited$missing <- edited$type != "id" & edited$column != "weight"
  book <- codebook(edited)
  plan <- file_plan(table, book)
  expect_identical(plan, file_plan(d, book))
  expect_identical(plan$outside[["group"]], 3L)
  of <- function(column, data) {
    conditionMessage(expect_error(
      file_plan(data, book, survey_weights = "weight", unit = "case"),
      class = input_error
    ))
  }
  for (column in c("weight", "case")) {
    DBI::dbExecute(con, sprintf(
      "UPDATE persons SET \"%s\" = NULL WHERE rowid IN (7, %d)", column, n - 100
    ))
    d[c(7, n - 100), column] <- NA
    expect_match(of(column, table), "missing for 2 records")
    expect_identical(of(column, table), of(column, d))
    one <- if (column == "case") "'new'" else "1"
    DBI::dbExecute(con, sprintf(
      "UPDATE persons SET \"%s\" = %s WHERE rowid IN (7, %d)", column, one,
      n - 100
    ))
    d[c(7, n - 100), column] <- if (column == "case") "new" else 1
  }
  # No value at all
  DBI::dbExecute(con, "UPDATE persons SET flag = NULL")
  expect_message(
    plan <- file_plan(table, book), "flag",
    class = "pseudosynth_message_no_value"
  )
  d$flag <- NA
  expect_identical(plan, suppressMessages(file_plan(d, book)))
  expect_message(
    draft <- suppressMessages(
      draft_codebook(table), "pseudosynth_message_level_order"
    ),
    "no record has a value", class = "pseudosynth_message_left_out"
  )
  expect_identical(draft$table$type[draft$table$column == "flag"], "id?")
})

test_that("what R would read as something else is refused", {
  d <- data.frame(g = c("a", "A", "b", NA), x = c(1, 2.5, 3, 4))
  book <- draft_codebook(d)
  con <- sqlite(persons = d)
  run <- statements_on(con)
  table <- dplyr::tbl(con, "persons")
  engine <- "pseudosynth_error_engine"
  # Text ends at the sign NUL in R
  run("UPDATE persons SET g = 'a' || CHAR(0) || 'SECRET' WHERE x = 3")
  refused_plan(table, book, "NUL.* for 1 record", class = engine)
  run("UPDATE persons SET g = CAST(x'ff' AS TEXT) WHERE x = 3")
  refused_plan(table, book, "not valid for 1 of 4")
  run("UPDATE persons SET g = 'b' WHERE x = 3")
  expect_identical(file_plan(table, book), file_plan(d, book))
  # A column of text that a number is written to
  run("UPDATE persons SET x = 'SECRET' WHERE x = 3")
  refused_plan(table, book, "both numbers and text", class = engine)
  run("UPDATE persons SET x = x'4141' WHERE x = 'SECRET'")
  refused_plan(table, book, "holds bytes", class = engine)
  run("CREATE TABLE whole AS SELECT g, 9007199254740993 AS x FROM persons")
  refused_plan(
    dplyr::tbl(con, "whole"), book, "at most 2\\^53", class = engine
  )
  run("DELETE FROM persons")
  refused_plan(table, book, "must have")
  # Letters differ whatever the column compares
  run("CREATE TABLE nocase (g TEXT COLLATE NOCASE, x REAL)")
  DBI::dbAppendTable(con, "nocase", d)
  expect_identical(
    file_plan(dplyr::tbl(con, "nocase"), book), file_plan(d, book)
  )
})

test_that("the codebook says whether a table's numbers are R's integers", {
  d <- data.frame(x = c(2147483647, -2147483647, rep(1:40, 2)), y = 0.5)
  con <- sqlite(persons = d)
  DBI::dbExecute(con, "CREATE TABLE whole (x INTEGER, y REAL)")
  DBI::dbAppendTable(con, "whole", d)
  stored <- function() {
    draft <- draft_codebook(dplyr::tbl(con, "whole"))
    book <- as.data.frame(draft)
    expect_identical(book$storage, c("double", "double"))
    book[1, c("lower", "upper", "digits", "storage")] <- c(ends, 0, NA)
    plan <- file_plan(dplyr::tbl(con, "whole"), codebook(book))
    plan$schema$x$storage
  }
  ends <- c("-2147483647", "2147483647")
  expect_identical(stored(), "integer")
  # The next smaller one is R's missing integer
  DBI::dbExecute(con, "INSERT INTO whole VALUES (-2147483648, 0.5)")
  expect_error(stored(), "beyond", class = "pseudosynth_error_outside")
  ends <- c("-3e9", "3e9")
  expect_identical(stored(), "double")
})

test_that("rows of several tables, and some rows of a table, are no file", {
  d <- file_persons(600)
  con <- sqlite(persons = d, other = d[1:5, c("flag", "hours")])
  table <- dplyr::tbl(con, "persons")
  book <- file_persons_book(d)
  for (data in list(
    dplyr::left_join(table, dplyr::tbl(con, "other"), by = "flag"),
    utils::head(table, 10), dplyr::mutate(table, hours = .data$hours * 2),
    dplyr::tbl(con, dplyr::sql("SELECT * FROM persons"))
  )) {
    refused_plan(data, book, class = "pseudosynth_error_rows")
    expect_error(draft_codebook(data), class = "pseudosynth_error_rows")
  }
  expect_error(
    file_plan(c("a", "b"), book), "paths of CSV", class = input_error
  )
  expect_error(
    draft_codebook(dplyr::select(table)), "at least 1 column",
    class = input_error
  )
  expect_error(
    file_plan(dplyr::select(table, -"flag"), book), "The file lacks",
    class = input_error
  )
})

test_that("the session is as before, after an error and Ctrl-C, too", {
  d <- file_persons()
  con <- sqlite(persons = d)
  book <- file_persons_book(d)
  table <- dplyr::tbl(con, "persons")
  is_free <- function() {
    DBI::dbBegin(con)
    DBI::dbRollback(con)
    expect_true(DBI::dbIsValid(con))
  }
  local_small_chunks()
  plain <- read_column
  seen <- 0
  fault <- NULL
  local_replaced("read_column", function(...) {
    seen <<- seen + 1
    if (seen %% 30 == 0) fault()
    plain(...)
  })
  fault <- function() {
    signalCondition(structure(
      class = c("interrupt", "condition"), list(message = "", call = NULL)
    ))
  }
  expect_identical(
    tryCatch(file_plan(table, book), interrupt = function(c) "stopped"),
    "stopped"
  )
  is_free()
  fault <- function() stop("SECRET")
  expect_error(file_plan(table, book), "SECRET")
  is_free()
  fault <- function() NULL
  file_plan(table, book)
  is_free()
  # The user's own transaction stands
  DBI::dbBegin(con)
  refused_plan(
    table, book, "transaction of its own", class = "pseudosynth_error_engine"
  )
  DBI::dbRollback(con)
})

test_that("an update of another connection in the middle is not seen", {
  skip_if_not_installed("RSQLite")
  d <- file_persons()
  book <- file_persons_book(d)
  file <- withr::local_tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), file)
  withr::defer(DBI::dbDisconnect(con))
  DBI::dbExecute(con, "PRAGMA journal_mode = WAL")
  DBI::dbWriteTable(con, "persons", d)
  other <- DBI::dbConnect(RSQLite::SQLite(), file)
  withr::defer(DBI::dbDisconnect(other))
  expect_plan_of_one_moment(con, other, d, book)
})

test_that("five columns are named, and how many more there are is told", {
  file <- as.data.frame(matrix(rep(c(1, 2, 99), 8), 3, 8))
  book <- codebook(data.frame(
    column = names(file), type = "amount", lower = 0, upper = 5, digits = 0
  ))
  error <- expect_error(
    file_plan(file, book), class = "pseudosynth_error_outside"
  )
  expect_match(conditionMessage(error), "`V5`: 1 record.*3 more columns[.]")
  expect_no_match(conditionMessage(error), "V6")
})
