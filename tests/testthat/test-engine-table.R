# What columns, values and engines may do to the sums of a release.

# Predictors with the names that the queries use for what they compute
test_that("names of columns do not meet those of the queries", {
  d <- engine_persons(900)
  names(d)[match(c("flag", "group", "hours"), names(d))] <- c("n", "q", "bin")
  d$k1 <- d$n
  d$k2 <- d$q
  d$inside <- d$works
  d$v <- d$bin
  d$`a "b` <- d$n
  d$`(x)` <- d$q
  con <- sqlite(s = d, t = d)
  formulas <- list(
    log(income) ~ n + q, log(income) ~ q + bin + n,
    log(income) ~ inside + k2 + v,
    log(income) ~ k2 + k1, log(income) ~ v, log(income) ~ `a "b` + `(x)`
  )
  # By day each name once
  for (i in by_night(seq_along(formulas), c(2, 3, 4, 6))) {
    formula <- formulas[[i]]
    own <- released(formula, d, epsilon = 10)
    # Either is the name of one of the queries, too
    for (table in by_night(c("s", "t"), if (i %% 2) "s" else "t")) {
      expect_same_release(
        released(formula, dplyr::tbl(con, table), epsilon = 10), own
      )
    }
  }
  # The response, too
  names(d)[match(c("income", "v"), names(d))] <- c("v", "income")
  con <- sqlite(g = d)
  expect_same_release(
    released(log(v) ~ n, dplyr::tbl(con, "g")), released(log(v) ~ n, d)
  )
})

test_that("combinations have keys of their own, whatever text holds", {
  d <- engine_persons(900)
  odd <- c("a", "a\r1:b", "1:a", "b\r", "", "NA", "-", "'", "\n", "\\")
  d$x <- rep(odd, length.out = 900)
  d$y <- rep(rev(odd)[c(1, 1:9)], each = 3, length.out = 900)
  con <- sqlite(persons = d)
  keys <- cell_keys(expand.grid(x = odd, y = odd), 100)
  expect_identical(anyDuplicated(keys), 0L)
  expect_false(cell_keys(list("NA"), 1) == cell_keys(list(NA_character_), 1))
  expect_identical(cell_keys(list(-0), 1), cell_keys(list(0), 1))
  expect_same_release(
    released(log(income) ~ x + y, dplyr::tbl(con, "persons")),
    released(log(income) ~ x + y, d)
  )
})

expect_engine <- function(code, pattern) {
  error <- expect_error(code, pattern, class = "pseudosynth_error_engine")
  expect_no_match(conditionMessage(error), "4141[.]41|secret")
}

test_that("what R cannot read as the engine does is refused", {
  d <- engine_persons(300)
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  run <- statements_on(con)
  ledger <- ledger(withr::local_tempfile(), epsilon = 2, delta = 1e-5)
  refused <- function(formula, pattern) {
    expect_engine(
      released(formula, dplyr::tbl(con, "persons"), ledger = ledger,
        seed = NULL
      ), pattern
    )
  }
  # NUL ends text in R, and not there
  run("ALTER TABLE persons ADD COLUMN nul TEXT")
  run("UPDATE persons SET nul = CASE rowid % 2 WHEN 0 THEN 'a'",
    "ELSE CAST(X'610062' AS TEXT) END"
  )
  refused(log(income) ~ nul, "equals another one")
  run("UPDATE persons SET nul = CASE rowid % 2 WHEN 0 THEN 'c'",
    "ELSE CAST(X'610062' AS TEXT) END"
  )
  refused(log(income) ~ nul, "the same records that it counted")
  run("ALTER TABLE persons ADD COLUMN id INTEGER")
  run("UPDATE persons SET id = 9007199254740992 + rowid % 2")
  refused(log(income) ~ id, "at most 2\\^53.*150 records")
  run("ALTER TABLE persons ADD COLUMN bytes BLOB")
  run("UPDATE persons SET bytes = CAST('secret' AS BLOB)")
  refused(log(income) ~ bytes, "holds? bytes")
  # Missing, number and text in one column
  run("ALTER TABLE persons ADD COLUMN any")
  run("UPDATE persons SET any = CASE rowid % 3 WHEN 0 THEN 1.5",
    "WHEN 1 THEN 'secret' END"
  )
  refused(log(income) ~ any, "both numbers and text")
  run("UPDATE persons SET any = CASE rowid % 3 WHEN 0 THEN 1.5",
    "WHEN 1 THEN 3 ELSE 4 END"
  )
  d$any <- c(3, 4, 1.5)
  expect_same_release(
    released(log(income) ~ any, dplyr::tbl(con, "persons")),
    released(log(income) ~ any, d)
  )
  expect_identical(nrow(as.data.frame(ledger)), 0L)
})

test_that("large whole numbers are as in memory", {
  d <- engine_persons(600)
  d$large <- 2^40 * (1 + d$works)
  d$visits <- d$visits * 2^33
  con <- sqlite()
  DBI::dbExecute(con, paste(
    "CREATE TABLE persons (visits INTEGER, income REAL, large INTEGER,",
    "flag TEXT)"
  ))
  DBI::dbAppendTable(con, "persons", d[c("visits", "income", "large", "flag")])
  table <- dplyr::tbl(con, "persons")
  expect_same_release(
    released(log(income) ~ large, table), released(log(income) ~ large, d)
  )
  visits <- function(data) {
    released(visits ~ flag, data, family = neg_binomial(), bounds = NULL,
      reference = list("(Intercept)" = 23, size = 2)
    )
  }
  expect_same_release(visits(table), visits(d))
})

test_that("values at the ends of double numbers are as in memory", {
  d <- engine_persons(300)
  d$income[1:6] <- c(1e307, -1.7e308, 1e-320, -1e-310, 0, 5e-324)
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  of <- function(data, ...) {
    released(income ~ flag, data, stats::gaussian(), ..., bounds = NULL)
  }
  for (sigma in by_night(c(1e-3, 1, 1e3), c(1e-3, 1e3))) {
    reference <- list("(Intercept)" = 0, sigma = sigma)
    expect_same_release(of(table, reference = reference),
      of(d, reference = reference)
    )
  }
  d$income[1:6] <- c(1e307, 1.7e308, 1e-320, 1e-310, 1e-100, 5e-324)
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  expect_same_release(
    released(log(income) ~ flag, table), released(log(income) ~ flag, d)
  )
  d$income[1] <- Inf
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  expect_error(
    released(log(income) ~ flag, table), "not finite for 1 of 300",
    class = "pseudosynth_error_input"
  )
})

test_that("an update in the middle of a release is not seen in SQLite", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  d <- engine_persons(400)
  file <- withr::local_tempfile(fileext = ".db")
  open <- function() {
    con <- DBI::dbConnect(RSQLite::SQLite(), file)
    withr::defer(DBI::dbDisconnect(con), parent.frame())
    RSQLite::initExtension(con, "math")
    con
  }
  con <- open()
  DBI::dbExecute(con, "PRAGMA journal_mode = WAL")
  DBI::dbWriteTable(con, "persons", d)
  other <- open()
  table <- dplyr::tbl(con, "persons")
  plain <- asked
  updates <- 0
  local_replaced("asked", function(con, query, most = -1) {
    found <- plain(con, query, most)
    if ("n" %in% names(found)) {
      updates <<- updates + DBI::dbExecute(
        other, "UPDATE persons SET income = income * 2"
      )
    }
    found
  })
  expect_same_release(
    released(log(income) ~ flag, table), released(log(income) ~ flag, d)
  )
  expect_gt(updates, 400)
  # What is not committed is no moment
  local_replaced("asked", plain)
  expect_error(
    {
      DBI::dbExecute(con, "PRAGMA read_uncommitted = 1")
      released(log(income) ~ flag, table)
    }, "read_uncommitted", class = "pseudosynth_error_engine"
  )
})

test_that("scaling is as in memory", {
  d <- engine_persons(400)
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  of <- function(data) {
    released(log(income) ~ hours + visits, data,
      scaling = list(hours = c(30, 10))
    )
  }
  expect_same_release(of(table), of(d))
})

test_that("what an engine fails at before the payment costs nothing", {
  d <- engine_persons(300)
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  plain <- asked
  # The nth query for sums fails
  local_failing <- function(n, frame = parent.frame()) {
    seen <- 0
    local_replaced("asked", function(con, query, most = -1) {
      if (grepl("AS lost", query)) {
        seen <<- seen + 1
        if (seen == n) stop("secret 4141.41")
      }
      plain(con, query, most)
    }, frame)
  }
  spends <- function(n, pattern) {
    ledger <- ledger(tempfile(), epsilon = 2, delta = 1e-5)
    local_failing(n)
    error <- expect_error(
      released(log(income) ~ flag, table, ledger = ledger, seed = NULL),
      class = "pseudosynth_error_engine"
    )
    expect_match(conditionMessage(error), "release_queries")
    expect_no_match(conditionMessage(error), "secret")
    list(
      told = grepl("stays spent", gsub("\\s+", " ", conditionMessage(error))),
      spent = nrow(as.data.frame(ledger)) > 0
    )
  }
  expect_identical(spends(1), list(told = FALSE, spent = FALSE))
  expect_identical(spends(2), list(told = TRUE, spent = TRUE))
  # No transaction is left open
  DBI::dbBegin(con)
  DBI::dbRollback(con)
})

test_that("sums are asked for once each", {
  d <- engine_persons(300)
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  seen <- character()
  plain <- asked
  local_replaced("asked", function(con, query, most = -1) {
    seen <<- c(seen, query)
    plain(con, query, most)
  })
  released(log(income) ~ flag, table)
  expect_identical(anyDuplicated(seen), 0L)
  expect_identical(sum(grepl("AS lost", seen)), 2L)
})

test_that("tables of no record and of one are refused", {
  d <- engine_persons(600)
  con <- sqlite(one = d[1:200, ], none = d[0, ])
  expect_error(
    released(log(income) ~ flag, dplyr::tbl(con, "none")), "must have values",
    class = "pseudosynth_error_input"
  )
  DBI::dbExecute(con, "CREATE TABLE lone AS SELECT * FROM one LIMIT 1")
  expect_error(
    released(log(income) ~ 1, dplyr::tbl(con, "lone")),
    "at least two records", class = "pseudosynth_error_input"
  )
})

test_that("a closed connection and a lacking column are told", {
  d <- engine_persons(300)
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  for (formula in list(
    log(income) ~ absent, log(income) ~ I(absent^2), income ~ flag + income,
    log(income) ~ flag + I(flag_ > 2)
  )) {
    told <- lapply(list(d, table), function(data) {
      expect_error(
        released(formula, data), class = "pseudosynth_error_input"
      )
    })
    expect_identical(
      conditionMessage(told[[1]]), conditionMessage(told[[2]])
    )
  }
  expect_same_release(
    released(log(income) ~ . - hours - visits - share - works - status, table),
    released(log(income) ~ . - hours - visits - share - works - status, d)
  )
  DBI::dbExecute(con, "ALTER TABLE persons DROP COLUMN flag")
  expect_engine(released(log(income) ~ group, table), "those of its table")
  lost <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  DBI::dbWriteTable(lost, "persons", d)
  gone <- dplyr::tbl(lost, "persons")
  DBI::dbDisconnect(lost)
  expect_engine(released(log(income) ~ flag, gone), "must be open")
})

test_that("messages count records, not combinations", {
  d <- engine_persons(300)
  d$hours[d$hours == 40] <- 0
  d$far <- ifelse(d$works == 1, Inf, 1)
  d$bad <- "a"
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  DBI::dbExecute(
    con, "UPDATE persons SET bad = CAST(X'61FF' AS TEXT) WHERE works = 0"
  )
  zero <- sum(d$hours == 0)
  expect_error(
    released(sqrt(income) ~ I(1 / hours), table, bounds = NULL),
    sprintf("for %d of 300 records", zero), class = "pseudosynth_error_input"
  )
  expect_error(
    released(log(income) ~ far, table), sprintf("%d of 300", sum(d$works)),
    class = "pseudosynth_error_input"
  )
  expect_error(
    released(log(income) ~ bad, table), sprintf("%d of 300", sum(d$works == 0)),
    class = "pseudosynth_error_input"
  )
})

test_that("a table's reference is checked as a data frame's", {
  data <- data.frame(g = rep(c("a", "b"), 40), y = seq(1, 4, length.out = 80))
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  DBI::dbWriteTable(con, "file", data)
  refusal_of <- function(x, reference) {
    error <- expect_error(
      score_release(
        log(y) ~ g, x, gaussian(), epsilon = 1, reference = reference,
        bounds = c(1, 5)
      ), class = "pseudosynth_error_input"
    )
    conditionMessage(error)
  }
  for (reference in list(list(a = 1), list("(Intercept)" = 1))) {
    expect_identical(
      refusal_of(dplyr::tbl(con, "file"), reference),
      refusal_of(data, reference)
    )
  }
})
