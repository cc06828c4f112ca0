# Score releases of tables in databases. SQLite in memory is the engine; a
# PostgreSQL server is started in test-engines-postgresql.R.

test_that("a release of a table is as any other", {
  d <- engine_persons(600)
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  release <- released(log(income) ~ flag, table, epsilon = 10)
  expect_s3_class(synthesize(release, newdata = d, seed = 1), "synthetic_data")
  expect_identical(guarantee(release)$label, "strict")
})

test_that("there may be more combinations than there are numbers", {
  d <- odd_persons()
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  local_replaced("most_numbers", 10)
  expect_same_release(
    released(log(income) ~ text + number + flag, table),
    released(log(income) ~ text + number + flag, d)
  )
})

test_that("text is compared in bytes, whatever the column's collation", {
  d <- engine_persons(600)
  con <- sqlite()
  DBI::dbExecute(con, paste(
    "CREATE TABLE persons (income REAL, \"group\" TEXT COLLATE NOCASE)"
  ))
  DBI::dbAppendTable(con, "persons", d[c("income", "group")])
  expect_same_release(
    released(log(income) ~ group, dplyr::tbl(con, "persons")),
    released(log(income) ~ group, d)
  )
})

expect_engine_error <- function(code, ..., class = "pseudosynth_error") {
  condition <- expect_error(code, ..., class = class)
  # No value of a record in what is said
  expect_no_match(conditionMessage(condition), "4141[.]41")
}

test_that("what a database must not hold is refused, and nothing spent", {
  d <- engine_persons(300)
  d$income[3] <- 4141.41
  lost <- d
  lost$flag[2] <- NA
  none <- d
  none$income[2] <- NA
  low <- d
  low$income[2] <- -4141.41
  mixed <- d
  mixed$income <- as.character(mixed$income)
  number <- d
  number$copy <- number$income / 2
  number$half <- as.character(number$income > stats::median(number$income))
  number$code <- ifelse(number$half == "TRUE", 7, 3)
  con <- sqlite(persons = d, lost = lost, none = none, low = low,
    mixed = mixed, copies = number
  )
  DBI::dbExecute(con, "CREATE TABLE any (income, flag)")
  DBI::dbAppendTable(con, "any", d[c("income", "flag")])
  DBI::dbExecute(con, "INSERT INTO any VALUES ('4141.41 or so', 'no')")
  ledger <- ledger(withr::local_tempfile(), epsilon = 2, delta = 1e-5)
  refused <- function(formula, name, ..., pattern,
                      class = "pseudosynth_error") {
    data <- if (is.character(name)) dplyr::tbl(con, name) else name
    expect_engine_error(
      released(formula, data, ..., ledger = ledger, seed = NULL), pattern,
      class = class
    )
  }
  input <- "pseudosynth_error_input"
  refused(log(income) ~ flag, "lost", pattern = "missing", class = input)
  refused(log(income) ~ flag, "none", pattern = "missing for 1 of 300")
  refused(log(income) ~ flag, "low", pattern = "cannot take for 1 of 300")
  refused(log(income) ~ flag, "any", pattern = "both numbers and text")
  refused(log(income) ~ flag, "mixed", pattern = "column of numbers")
  refused(log(income) ~ copy, "copies", pattern = "at most 150 different")
  refused(hours ~ half, "copies", pattern = "can take", family = bernoulli(),
    reference = list("(Intercept)" = 0), bounds = NULL)
  refused(works ~ half, "copies", pattern = "levels",
    response = public_response(levels = c("0", "1")), family = bernoulli(),
    reference = list("(Intercept)" = 0), bounds = NULL)
  refused(half ~ code, "copies", family = bernoulli(), bounds = NULL,
    reference = list("(Intercept)" = 0),
    response = public_response(levels = c("FALSE", "TRUE")),
    pattern = "copy of a protected",
    class = "pseudosynth_error_copied_response"
  )
  refused(flag ~ group, "persons", family = bernoulli(), bounds = NULL,
    reference = list("(Intercept)" = 0), pattern = "state the levels",
    class = "pseudosynth_error_unstated"
  )
  public <- "pseudosynth_error_public_ends"
  refused(log(income) ~ flag, "persons", bounds = c(10, max(d$income)),
    pattern = "extreme", class = public
  )
  refused(log(income) ~ flag, "persons", pattern = "significant",
    reference = list("(Intercept)" = mean(log(d$income)), sigma = 1),
    class = public
  )
  refused(log(income) ~ flag, "persons", pattern = "significant",
    reference = list("(Intercept)" = stats::median(log(d$income)), sigma = 1),
    class = public
  )
  refused(log(income) ~ flag, "persons", response = public_response(digits = 0),
    pattern = "more decimals"
  )
  refused(visits ~ poly(`the "age"`, 2), "persons", family = stats::poisson(),
    reference = list("(Intercept)" = 1), bounds = NULL, pattern = "record alone"
  )
  refused(log1p(income) ~ flag, "persons", pattern = "in the database")
  local_replaced("most_cells", 3)
  refused(log(income) ~ group, "persons", pattern = "combinations")
  expect_identical(nrow(as.data.frame(ledger)), 0L)
})

test_that("one moment is read, and what cannot be so is refused", {
  d <- engine_persons(300)
  con <- sqlite(persons = d)
  persons <- dplyr::tbl(con, "persons")
  DBI::dbBegin(con)
  expect_error(
    released(log(income) ~ flag, persons), "transaction of its own",
    class = "pseudosynth_error_engine"
  )
  # The user's own transaction stands
  DBI::dbRollback(con)
  released(log(income) ~ flag, persons)
  # None is left open after an error, either
  expect_error(released(log(income) ~ flag, persons, bounds = c(5, 4)))
  DBI::dbBegin(con)
  DBI::dbRollback(con)
  # Counts that change between two queries
  plain <- asked
  local_replaced("asked", function(...) {
    found <- plain(...)
    if ("q" %in% names(found)) found$n[1] <- found$n[1] + 1
    found
  })
  expect_error(
    released(log(income) ~ flag, persons), "the same records that it counted",
    class = "pseudosynth_error_engine"
  )
})

test_that("an engine that lacks what is needed is refused", {
  d <- engine_persons(300)
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "persons", d)
  table <- dplyr::tbl(con, "persons")
  # Where functions of another connection are not its own as well
  known <- or_else(unlist(DBI::dbGetQuery(con, "SELECT LOG(10.0)")))
  if (!isTRUE(all.equal(unname(known), log(10)))) {
    expect_error(
      released(log(income) ~ flag, table), "initExtension",
      class = "pseudosynth_error_engine"
    )
  }
  expect_same_release(
    released(income ~ flag, table, bounds = NULL),
    released(income ~ flag, d, bounds = NULL)
  )
  simulated <- dbplyr::lazy_frame(d, con = dbplyr::simulate_mssql())
  expect_error(
    released(log(income) ~ flag, simulated), "known kind of database",
    class = "pseudosynth_error_engine"
  )
})

test_that("release_queries() shows what a release runs", {
  d <- engine_persons(300)
  con <- sqlite(persons = d)
  shown <- release_queries(log(income) ~ flag, dplyr::tbl(con, "persons"),
    reference = income_reference, bounds = c(10, 2e6)
  )
  expect_setequal(shown$queries$when, c("run", "step", "margin"))
  seen <- character()
  plain <- asked
  local_replaced("asked", function(con, query, most = -1) {
    seen <<- c(seen, query)
    plain(con, query, most)
  })
  released(log(income) ~ flag, dplyr::tbl(con, "persons"))
  expect_true(all(
    shown$queries$query[shown$queries$when %in% c("run", "step", "margin")] %in%
      seen
  ))
  expect_output(print(shown), "of the release: step")
  # By name, and with values
  queries <- function(...) {
    release_queries(log(income) ~ flag, dplyr::tbl(con, "persons"), ...)
  }
  input <- "pseudosynth_error_input"
  expect_error(queries(bounds = ), "have values", class = input) # nolint
  expect_error(queries(bound = c(10, 2e6)), "bound", class = input)
  expect_error(queries(1), "no name", class = input)
})

test_that("queries of each back end are as written", {
  types <- list(flag = character(), age = double(), of = TRUE)
  cells <- data.frame(
    flag = c("a'b", "a'b", "c\\"), age = c(1, 2, 1), of = c(TRUE, FALSE, TRUE)
  )
  at <- data.frame(centre = c(1.5, 2, 3), spread = 1, lowest = -1)
  response <- described_response(
    log(income) ~ flag, data.frame(income = double(), flag = character()),
    student_t(), NULL
  )
  for (backend in backends()) {
    column <- function(name, type) {
      sql_column(backend, quoted_column(name), type)
    }
    columns <- Map(column, names(types), types)
    records <- list(
      from = "persons f", columns = columns,
      variable = column("income", double()),
      numbers = cell_numbers(backend, columns, list(values = cells, n = 1:3)),
      counted = FALSE
    )
    own <- sql_own(backend, response, replace(records$variable, "read", "y"))
    modelled <- sql_modelled(backend, response, own)
    expect_snapshot(cat(
      sql_whole(backend, records, modelled, at, 1.5), "\n"
    ))
    records$counted <- TRUE
    expect_snapshot(cat(
      sql_tally(backend, records, modelled, 1:3 / 2), "\n"
    ))
  }
})

test_that("values by number are those of a long CASE", {
  con <- sqlite()
  for (n in c(1, 2, 8, 9, 64, 65, 700)) {
    value <- withr::with_seed(n, sample(c(1, 2, 2, 3.5), n, TRUE))
    # Numbers with gaps
    found <- DBI::dbGetQuery(con, sprintf(
      "WITH RECURSIVE c(cell) AS (SELECT 3 UNION ALL SELECT cell + 3 FROM c
       WHERE cell < %d) SELECT %s AS x FROM c", 3 * n,
      sql_by_number(sqlite_backend(), 3 * seq_len(n), value)
    ))$x
    expect_equal(as.double(found), value)
  }
})

# The numbers of combinations, as SQLite computes them
numbers_found <- function(con, cells, most = most_numbers) {
  local_replaced("most_numbers", most)
  backend <- sqlite_backend()
  columns <- Map(function(name, x) {
    sql_column(backend, quoted_column(name), x[0])
  }, names(cells$values), cells$values)
  records <- list(
    from = "cells f", columns = columns, counted = FALSE,
    variable = list(read = "1", type = double()),
    numbers = cell_numbers(backend, columns, cells)
  )
  with <- sql_records(backend, records, "y")
  code <- records$numbers$code
  of_last <- which(!is.na(code))
  found <- DBI::dbGetQuery(con, sql_query(
    c("cell", "n", sprintf("%s AS c%d", code[of_last], of_last)), "s",
    with = with, once = setdiff(names(with), "r")
  ))
  expect_true(all(found$n == 1))
  list(
    of = records$numbers$number, steps = length(records$numbers$steps),
    found = as.double(found$cell), code = found[-(1:2)], of_last = of_last
  )
}

test_that("combinations are found by a number, in one step or in several", {
  con <- sqlite()
  values <- expand.grid(
    y = c("", "a", "A", "it's", "a\rb", "\u00e4", "z", sprintf("%d", 1:40)),
    x = c(-1e9 - 0.5, -3:40 / 8, 1e5), one = "1", z = 1:2,
    stringsAsFactors = FALSE
  )
  n <- 1500
  values <- withr::with_seed(1, values[sample(nrow(values), n), ])
  cells <- sorted_cells(list(values = values, n = rep(1, n)))
  DBI::dbWriteTable(con, "cells", as.data.frame(cells$values))
  for (most in c(most_numbers, 3000, 10)) {
    numbers <- numbers_found(con, cells, most)
    expect_false(is.unsorted(numbers$of, strictly = TRUE))
    expect_identical(numbers$found, numbers$of)
    # Parts of a number tell the levels of the last step's columns
    for (j in seq_along(numbers$of_last)) {
      x <- cells$values[[numbers$of_last[j]]]
      place <- match(x, sort(unique(x), method = "radix")) - 1
      expect_identical(as.double(numbers$code[[j]]), place)
    }
    expect_identical(numbers$steps, switch(as.character(most),
      "3000" = 2L, "10" = 4L, 1L
    ))
  }
  unknown <- function(change, most) {
    DBI::dbBegin(con)
    on.exit(DBI::dbRollback(con))
    DBI::dbExecute(con, paste("UPDATE cells SET", change))
    numbers_found(con, cells, most)$found
  }
  for (most in c(most_numbers, 3000, 10)) {
    expect_true(all(is.na(unknown("x = x + 0.01", most))))
    expect_true(all(is.na(unknown("one = '2'", most))))
    expect_true(all(is.na(unknown("z = NULL", most))))
  }
})

test_that("numbers of combinations stay exact where columns have many levels", {
  con <- sqlite()
  values <- withr::with_seed(1, as.data.frame(
    matrix(sample(100, 9 * 1000, TRUE), 1000)
  ))
  cells <- sorted_cells(list(values = unique(values), n = rep(1, 1000)))
  DBI::dbWriteTable(con, "cells", as.data.frame(cells$values))
  numbers <- numbers_found(con, cells)
  expect_gt(numbers$steps, 1)
  expect_lte(max(numbers$of), most_numbers)
  expect_identical(numbers$found, numbers$of)
})

test_that("published text of a database is its codebook's factor", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  data <- withr::with_seed(6, data.frame(
    grade = factor(
      sample(c("poor", "fair", "good", NA), 200, TRUE),
      c("poor", "fair", "good", "best")
    ),
    g = factor(sample(c("b", "a"), 200, TRUE), c("b", "a"))
  ))
  book <- suppressMessages(confirm_codebook(draft_codebook(data)))
  text <- as.data.frame(lapply(data, as.character))
  con <- withr::local_db_connection(
    DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  )
  DBI::dbWriteTable(con, "file", text)
  for (file in list(text, dplyr::tbl(con, "file"))) {
    plan <- file_plan(file, book, publish = "grade")
    set <- synthesize(suppressMessages(file_release(plan, 1)))[[1]]
    expect_identical(levels(set$grade), levels(data$grade))
    expect_identical(
      as.vector(table(set$grade, useNA = "a")),
      as.vector(table(data$grade, useNA = "a"))
    )
  }
})
