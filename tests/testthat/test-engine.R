# A file in several tables of one connection is released as the whole file is,
# and refused where the whole file is.

thirds <- function(d) rep_len(1:3, nrow(d))

test_that("a release of parts is that of the data frame", {
  d <- engine_persons(by_night(3000, 1500))
  # One part lacks a level, and is small
  part <- ifelse(d$group == "A" | seq_len(nrow(d)) %% 4 > 0, 1, 2)
  part[seq(1, nrow(d), 500)] <- 3
  tables <- part_tables(d, part)
  few <- united(lapply(tables, function(table) {
    dplyr::filter(table, .data$hours > 30)
  }))
  expect_releases_of_frame(
    united(tables), d, few, by_night(TRUE, c(2, 5, 8, 10))
  )
  # Whole numbers in one part, others in another
  d$hours <- round(d$hours)
  d$hours[1] <- 0.5
  expect_same_release(
    released(log(income) ~ hours, parts_of(d, d$hours == 0.5)),
    released(log(income) ~ hours, d)
  )
})

test_that("a part without records adds nothing", {
  d <- engine_persons(600)
  tables <- part_tables(d, thirds(d))
  tables[[2]] <- dplyr::filter(tables[[2]], .data$income < 0)
  expect_same_release(
    released(log(income) ~ flag, united(tables)),
    released(log(income) ~ flag, d[thirds(d) != 2, ])
  )
})

test_that("a copy of the response is refused, in any parts", {
  d <- copies()
  third <- ceiling(rank(d$income) / 500)
  d$works <- d$income > stats::median(d$income)
  d$code <- ifelse(d$works, "x", "y")
  # At random; by the response, so that parts know little of it
  for (split in list(thirds(d), third)) {
    parts <- parts_of(d, split)
    for (column in by_night(
      c("text", "unit", "rank", "logarithm"), c("text", "rank")
    )) {
      refused_copy(stats::reformulate(column, quote(log(income))), parts)
    }
  }
  # Constant in each part
  d$works <- as.integer(d$works)
  expect_copy(works_of(works ~ code, parts_of(d, d$code)))
})

test_that("what has nothing to do with the response is taken, in any parts", {
  d <- engine_persons(1500)
  d$other <- withr::with_seed(1, sample(round(d$income, -3)))
  d$label <- paste0("l", withr::with_seed(2, sample(1:40, nrow(d), TRUE)))
  d$amount <- sprintf(
    "%d EUR", withr::with_seed(3, sample(1:60, nrow(d), TRUE))
  )
  columns <- c("amount", "label", "other", "`the \"age\"`")
  for (column in by_night(columns, columns[1])) {
    formula <- stats::reformulate(column, quote(log(income)))
    whole <- released(formula, d)
    for (part in list(thirds(d), ceiling(rank(d$income) / 500))) {
      expect_same_release(released(formula, parts_of(d, part)), whole)
    }
  }
  # Many with 0, and a group that has nothing else
  d$pay <- ifelse(d$flag == "yes" & d$hours > 30, round(d$income), 0)
  pay <- function(data) {
    released(pay ~ flag, data, stats::gaussian(), bounds = NULL,
      reference = list("(Intercept)" = 20000, sigma = 30000)
    )
  }
  expect_same_release(pay(parts_of(d, thirds(d))), pay(d))
})

test_that("a level in a rare value of the response is no class of it", {
  n <- 1000
  d <- data.frame(x = rep("b", n), one = as.integer(seq_len(n) > 20))
  d$x[1:8] <- "a"
  d$count <- ifelse(d$one == 1, 5:9, 0L)
  d$low <- withr::with_seed(1, ifelse(d$one == 1, stats::rnorm(n, 9), 5))
  models <- list(
    list(one ~ x, bernoulli(), list("(Intercept)" = 0)),
    list(count ~ x, stats::poisson(), list("(Intercept)" = 1)),
    list(low ~ x, stats::gaussian(), list("(Intercept)" = 9, sigma = 1))
  )
  for (model in by_night(models, models[c(1, 3)])) {
    of <- function(data) {
      released(
        model[[1]], data, model[[2]], reference = model[[3]], bounds = NULL
      )
    }
    parts <- by_night(thirds(d), rep_len(1:2, n))
    expect_same_release(of(parts_of(d, parts)), of(d))
  }
})

test_that("parts may lack records, and values of a column", {
  d <- engine_persons(600)
  d$group <- NULL
  d$hours[301:600] <- NA
  con <- sqlite(a = d[1:300, ], b = d[301:600, ], none = d[0, ])
  tables <- lapply(c("a", "b", "none"), dplyr::tbl, src = con)
  parts <- united(tables)
  expect_identical(draft_codebook(parts), draft_codebook(d))
  expect_same_release(
    released(log(income) ~ flag, parts), released(log(income) ~ flag, d)
  )
  expect_error(
    draft_codebook(dplyr::union_all(
      tables[[3]], dplyr::filter(tables[[1]], .data$visits < 0)
    )), "have"
  )
  expect_error(
    released(log(income) ~ hours, parts), "missing for 300",
    class = "pseudosynth_error_input"
  )
})

test_that("steps before and after union_all() are those of the data frame", {
  d <- engine_persons(600)
  tables <- part_tables(d, thirds(d))
  # Columns go by their names
  tables[[2]] <- dplyr::select(tables[[2]], rev(names(d)))
  steps <- function(x) {
    dplyr::filter(x, .data$hours > 30, .data$group != "A") |>
      dplyr::rename(pay = "income") |>
      dplyr::select("flag", "pay")
  }
  whole <- released(log(pay) ~ flag, steps(d))
  of <- function(data) released(log(pay) ~ flag, data)
  expect_same_release(of(steps(united(tables))), whole)
  expect_same_release(of(united(lapply(tables, steps))), whole)
  # Nested, and one table under a condition of its own
  nested <- dplyr::union_all(
    tables[[1]], dplyr::union_all(
      dplyr::filter(tables[[2]], .data$works == 1), tables[[3]]
    )
  )
  expect_same_release(
    of(steps(nested)), of(steps(d[thirds(d) != 2 | d$works == 1, ]))
  )
})

test_that("union_all() takes no more than tables with the same columns", {
  d <- engine_persons(300)
  con <- sqlite(a = d, b = d)
  a <- dplyr::tbl(con, "a")
  b <- dplyr::tbl(con, "b")
  refused <- function(data, pattern = NULL) {
    expect_error(
      released(log(income) ~ flag, data), pattern,
      class = "pseudosynth_error_rows"
    )
  }
  expect_s3_class(
    released(log(income) ~ flag, dplyr::union_all(a, b)), "score_release"
  )
  refused(dplyr::union(a, b))
  refused(dplyr::intersect(a, b))
  refused(dplyr::setdiff(a, b))
  refused(
    dplyr::union_all(a, dplyr::select(b, -"hours")), "not all of its tables"
  )
  refused(dplyr::union_all(a, dplyr::mutate(b, income = .data$income * 2)))
  refused(dplyr::union_all(a, dplyr::semi_join(b, a, by = "flag")))
  refused(dplyr::union_all(a, dplyr::group_by(b, .data$flag)))
  refused(dplyr::union_all(a, dplyr::count(b, .data$flag)))
  refused(dplyr::union_all(a, dplyr::tbl(con, dplyr::sql("SELECT * FROM b"))))
  refused(dplyr::distinct(dplyr::union_all(a, b)))
  refused(utils::head(dplyr::union_all(a, b), 10))
  # Nor does a view, whatever is in it
  DBI::dbExecute(
    con, "CREATE TEMP VIEW v AS SELECT * FROM a UNION ALL SELECT * FROM b"
  )
  refused(dplyr::tbl(con, "v"), "union_all")
  refused(dplyr::union_all(a, dplyr::tbl(con, "v")), "a view")
  # Nor is it written to
  expect_error(
    table_target(dplyr::union_all(a, b), names(d)), "must name a table",
    class = "pseudosynth_error_input"
  )
})

test_that("union_all() is read as other versions of dbplyr have it", {
  d <- engine_persons(300)
  con <- sqlite(a = d, b = d)
  other <- sqlite(b = d)
  queries <- function(...) structure(list(...), class = "lazy_union_query")
  a <- dplyr::tbl(con, "a")
  b <- dplyr::tbl(con, "b")
  steps <- function(table, all = TRUE, ...) {
    steps_of(queries(
      x = a$lazy_query, unions = list(table = list(table), all = all), ...
    ), con)
  }
  paths <- function(tables) vapply(tables, `[[`, "", "path")
  expect_identical(paths(steps(b)), c("a", "b"))
  expect_identical(paths(steps(b$lazy_query)), c("a", "b"))
  refused <- function(code, pattern) {
    expect_error(code, pattern, class = "pseudosynth_error_rows")
  }
  refused(steps(b, FALSE), "distinct rows")
  refused(steps(dplyr::tbl(other, "b")), "two connections")
  refused(steps(b, limit = 3), "a limit")
  refused(steps(dplyr::select(b, "flag")), "tables of other columns")
})

test_that("a table that is given twice is refused", {
  d <- engine_persons(300)
  path <- withr::local_tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  withr::defer(DBI::dbDisconnect(con))
  RSQLite::initExtension(con, "math")
  run <- statements_on(con)
  DBI::dbWriteTable(con, "persons", d)
  DBI::dbWriteTable(con, "others", d)
  # Files, and some databases in memory, have any number of names
  run(sprintf("ATTACH '%s' AS again", path))
  for (name in c("one", "two")) run(sprintf("ATTACH ':memory:' AS %s", name))
  for (name in c("m", "n")) {
    run(sprintf("ATTACH 'file:/x?vfs=memdb' AS %s", name))
  }
  for (name in c("one", "two", "m")) {
    DBI::dbWriteTable(con, DBI::Id(schema = name, table = "persons"), d)
  }
  of <- function(...) dplyr::tbl(con, dbplyr::in_schema(...))
  persons <- dplyr::tbl(con, "persons")
  others <- dplyr::tbl(con, "others")
  twice <- list(
    list(persons, persons), list(persons, dplyr::tbl(con, "PERSONS")),
    list(
      dplyr::filter(persons, .data$hours > 30),
      dplyr::filter(persons, .data$hours <= 30)
    ),
    list(persons, others, persons), list(persons, of("main", "persons")),
    list(persons, of("again", "persons")),
    list(of("m", "persons"), of("n", "persons"))
  )
  for (tables in twice) {
    expect_error(
      released(log(income) ~ flag, united(tables)), "one table",
      class = "pseudosynth_error_rows"
    )
    expect_error(
      draft_codebook(united(tables)), class = "pseudosynth_error_rows"
    )
  }
  # Nothing stays open
  expect_no_error(released(log(income) ~ flag, persons))
  all <- c(list(persons, others), lapply(c("one", "two", "m"), of, "persons"))
  expect_same_release(
    released(log(income) ~ flag, united(all)),
    released(log(income) ~ flag, d[rep(seq_len(nrow(d)), 5), ])
  )
})

test_that("attached files are read as of one moment each", {
  d <- engine_persons(600)
  folder <- withr::local_tempdir()
  files <- file.path(folder, c("a.db", "b.db"))
  cons <- lapply(files, DBI::dbConnect, drv = RSQLite::SQLite())
  withr::defer(lapply(cons, DBI::dbDisconnect))
  # Others may write while they are read
  for (own in cons) DBI::dbExecute(own, "PRAGMA journal_mode = WAL")
  half <- seq_len(nrow(d)) %% 2 == 0
  DBI::dbWriteTable(cons[[1]], "persons", d[half, ])
  DBI::dbWriteTable(cons[[2]], "persons", d[!half, ])
  con <- DBI::dbConnect(RSQLite::SQLite(), files[1])
  withr::defer(DBI::dbDisconnect(con))
  RSQLite::initExtension(con, "math")
  DBI::dbExecute(con, sprintf("ATTACH '%s' AS other", files[2]))
  plain <- asked
  local_replaced("asked", function(con, query, most = -1) {
    # Before the first records are counted
    if (grepl("COUNT", query)) {
      for (own in cons) DBI::dbExecute(own, "UPDATE persons SET income = 7")
    }
    plain(con, query, most)
  })
  both <- dplyr::union_all(
    dplyr::tbl(con, dbplyr::in_schema("main", "persons")),
    dplyr::tbl(con, dbplyr::in_schema("other", "persons"))
  )
  expect_same_release(
    released(log(income) ~ flag, both), released(log(income) ~ flag, d)
  )
})

test_that("tables of other types or values are refused", {
  d <- engine_persons(300)
  e <- engine_persons(300)
  refuse <- function(e, message, class = "pseudosynth_error_engine") {
    con <- sqlite(d = d, e = e)
    expect_error(
      released(
        log(income) ~ flag + hours,
        dplyr::union_all(dplyr::tbl(con, "d"), dplyr::tbl(con, "e"))
      ), message, class = class
    )
  }
  e$hours <- as.character(e$hours)
  refuse(e, "in all")
  e <- engine_persons(300)
  e$income[3] <- NA
  refuse(e, "missing for 1 of 600", "pseudosynth_error_input")
})

test_that("stated numbers are looked for in all tables together", {
  d <- persons_with_gaps()
  for (part in list(thirds(d), ceiling(rank(d$income) / 200))) {
    expect_numbers_looked_for(parts_of(d, part), d)
  }
})

test_that("no query of a file in parts gives a response", {
  d <- engine_persons()
  expect_no_income_asked(parts_of(d, thirds(d)), d, 15)
})

test_that("no query holds anything that was read from the response", {
  d <- engine_persons(600)
  shown <- function(income, data) {
    d$income <- income
    release_queries(
      log(income) ~ flag + group, data(d), reference = income_reference,
      bounds = c(10, 2e6)
    )$queries
  }
  frame <- environment()
  tables <- list(
    function(d) {
      dplyr::tbl(sqlite(persons = d, .local_envir = frame), "persons")
    },
    function(d) parts_of(d, thirds(d), .local_envir = frame)
  )
  for (data in tables) {
    expect_identical(
      shown(d$income, data), shown(7 + 2 * rev(d$income), data)
    )
  }
})

test_that("queries of parts are shown, and failures are told", {
  d <- engine_persons(600)
  tables <- part_tables(d, thirds(d))
  parts <- united(tables)
  shown <- release_queries(
    log(income) ~ flag, parts, reference = income_reference, bounds = c(10, 2e6)
  )$queries
  expect_equal(as.vector(table(shown$when)[c("margin", "step")]), c(3, 3))
  # Without a margin
  shown <- release_queries(
    log(income) ~ flag, tables[[1]], reference = income_reference
  )$queries
  expect_equal(sum(shown$when == "step"), 1)
  expect_false("margin" %in% shown$when)
  plain <- asked
  local_replaced("asked", function(con, query, most = -1) {
    if (grepl("part3", query) && grepl("AS q", query)) stop("secret")
    plain(con, query, most)
  })
  expect_error(
    released(log(income) ~ flag, parts), class = "pseudosynth_error_engine"
  )
})

test_that("the plan of a file in parts is that of the data frame", {
  d <- engine_persons(900)
  d$group <- NULL
  parts <- parts_of(d, rep(1:3, each = 300))
  book <- confirm_codebook(draft_codebook(d))
  expect_identical(file_plan(parts, book), file_plan(d, book))
  expect_identical(draft_codebook(parts), draft_codebook(d))
  # Whole numbers that one part alone has too large ones of
  d$visits <- as.double(d$visits)
  d$visits[1] <- 2^40
  parts <- parts_of(d, rep(1:3, each = 300))
  book <- confirm_codebook(draft_codebook(d))
  expect_identical(file_plan(parts, book), file_plan(d, book))
})
