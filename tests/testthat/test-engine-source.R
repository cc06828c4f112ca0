# Which tables of databases a release takes: one row for each record.

refused_rows <- function(data, formula = log(income) ~ flag) {
  expect_error(released(formula, data), class = "pseudosynth_error_rows")
}

test_that("joins, windows, limits, chance and one's own SQL are refused", {
  d <- engine_persons(300)
  con <- sqlite(persons = d, other = d[1:5, c("flag", "hours")])
  persons <- dplyr::tbl(con, "persons")
  other <- dplyr::tbl(con, "other")
  refused_rows(dplyr::left_join(persons, other, by = "flag"))
  refused_rows(dplyr::semi_join(persons, other, by = "flag"))
  refused_rows(dplyr::union(persons, persons))
  refused_rows(dplyr::summarise(persons, income = max(.data$income)))
  refused_rows(dplyr::mutate(persons, income = mean(.data$income)))
  refused_rows(dplyr::mutate(persons, income = .data$income / 2))
  refused_rows(dplyr::mutate(persons, income = dplyr::sql("RANDOM()")))
  refused_rows(dplyr::filter(persons, dplyr::row_number(.data$income) > 3))
  refused_rows(dplyr::filter(persons, dplyr::sql("income > RANDOM()")))
  refused_rows(dplyr::filter(persons, .data$income > mean(.data$income)))
  refused_rows(dplyr::filter(persons, .data$flag > "no"))
  refused_rows(dplyr::filter(persons, .data$flag == 1))
  # What is no constant is not left out of a set
  refused_rows(dplyr::filter(persons, .data$income %in% c(41, 1:3)))
  refused_rows(dplyr::filter(persons, .data$income %in% c(41, sqrt(4))))
  refused_rows(dplyr::filter(persons, .data$income %in% c(41, .data$hours)))
  refused_rows(dplyr::filter(persons, log(.data$income) > 2))
  refused_rows(dplyr::filter(persons, .data$income %in% !!dplyr::sql("(1)")))
  refused_rows(utils::head(persons, 10))
  refused_rows(dplyr::distinct(persons, .data$income, .data$flag))
  refused_rows(dplyr::arrange(persons, .data$income))
  refused_rows(dplyr::group_by(persons, .data$flag))
  refused_rows(dplyr::filter(
    dplyr::group_by(persons, .data$flag), .data$income > 5
  ))
})

test_that("a condition calls functions of R alone", {
  backend <- sqlite_backend()
  x <- list(x = sql_column(backend, "f.x", double()))
  expect_match(sql_condition(backend, quote(!is.na(x)), x), "IS NULL")
  for (code in expression(rlang::is.na(x), rlang::`==`(x, 1), is.na(x, 1))) {
    expect_error(
      sql_condition(backend, code, x), class = "pseudosynth_error_rows"
    )
  }
})

test_that("no text of a query is taken, however it is disguised", {
  d <- engine_persons(300)
  con <- sqlite(persons = d, other = d[1:5, c("flag", "hours")])
  texts <- c(
    "SELECT p.* FROM persons p, other o",
    "SELECT p.* FROM persons p /* ( */ , other o WHERE 'it''s' <> ')'",
    "SELECT * FROM persons WHERE hours IN (SELECT hours FROM other)",
    "SELECT *, MAX (income) OVER/**/() AS most FROM persons",
    "SELECT * FROM persons LIMIT 200 OFFSET 3"
  )
  for (text in texts) {
    data <- dplyr::tbl(con, dplyr::sql(text))
    refused_rows(data)
    # Under any step of dplyr's
    refused_rows(dplyr::filter(data, .data$income > 1))
    refused_rows(dplyr::select(data, "income", "flag"))
  }
  # Names that are more than names
  refused_rows(dplyr::tbl(con, dbplyr::ident_q("persons, other"),
    vars = c("income", "flag")
  ))
  # A name that would end its own quotes
  d$`it's "a` <- d$flag
  DBI::dbWriteTable(con, "it's \"persons\", other", d)
  expect_same_release(
    released(
      log(income) ~ `it's "a`, dplyr::tbl(con, "it's \"persons\", other")
    ),
    released(log(income) ~ `it's "a`, d)
  )
})

test_that("views and virtual tables are refused, and tables of schemas found", {
  d <- engine_persons(300)
  con <- sqlite(persons = d)
  DBI::dbExecute(con, "CREATE VIEW v AS SELECT * FROM persons")
  refused_rows(dplyr::tbl(con, "v"))
  file <- withr::local_tempfile()
  DBI::dbExecute(con, sprintf("ATTACH '%s' AS \"far off\"", file))
  DBI::dbExecute(
    con, "CREATE TABLE \"far off\".persons AS SELECT * FROM main.persons"
  )
  of_schema <- function(schema) {
    dplyr::tbl(con, dbplyr::in_schema(schema, "persons"))
  }
  whole <- released(log(income) ~ flag, d)
  expect_same_release(released(log(income) ~ flag, of_schema("main")), whole)
  expect_same_release(released(log(income) ~ flag, of_schema("far off")), whole)
  # A view for this session alone takes a table's name, as in any query
  table <- dplyr::tbl(con, "persons")
  DBI::dbExecute(con, paste(
    "CREATE TEMP VIEW persons AS SELECT p.* FROM main.persons p,",
    "\"far off\".persons q"
  ))
  refused_rows(table)
  refused_rows(dplyr::tbl(con, "persons"))
  expect_same_release(released(log(income) ~ flag, of_schema("main")), whole)
  # So does a table
  DBI::dbExecute(con, "DROP VIEW temp.persons")
  DBI::dbExecute(
    con, "CREATE TEMP TABLE Persons AS SELECT * FROM main.persons LIMIT 100"
  )
  refused_rows(dplyr::tbl(con, "persons"))
  expect_same_release(released(log(income) ~ flag, of_schema("main")), whole)
  expect_same_release(
    released(log(income) ~ flag, of_schema("temp")),
    released(log(income) ~ flag, d[1:100, ])
  )
  # A trigger is for rows that are written, none is read
  DBI::dbExecute(con, "CREATE TRIGGER main.t AFTER INSERT ON main.persons BEGIN
    DELETE FROM persons; END")
  expect_same_release(released(log(income) ~ flag, of_schema("main")), whole)
})

test_that("columns that a table computes are as any others", {
  d <- engine_persons(300)
  con <- sqlite(persons = d)
  run <- statements_on(con)
  run(
    "CREATE TABLE made (income REAL, flag TEXT, twice REAL GENERATED ALWAYS AS",
    "(income * 2) VIRTUAL, kind TEXT AS (upper(flag)) STORED)"
  )
  run("INSERT INTO made (income, flag) SELECT income, flag FROM persons")
  d$twice <- 2 * d$income
  d$kind <- toupper(d$flag)
  expect_same_release(
    released(log(twice) ~ kind, dplyr::tbl(con, "made")),
    released(log(twice) ~ kind, d)
  )
})

test_that("one file is known under all of its names", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  folder <- withr::local_tempdir()
  withr::local_dir(folder)
  d <- engine_persons(200)
  open <- function(name, ...) {
    con <- DBI::dbConnect(RSQLite::SQLite(), name, ...)
    RSQLite::initExtension(con, "math")
    withr::defer(DBI::dbDisconnect(con), parent.frame())
    con
  }
  file <- file.path(normalizePath("."), "a b.db")
  first <- open(file)
  DBI::dbWriteTable(first, "persons", d)
  names <- c(
    "a b.db", "./a b.db", file.path("..", basename(folder), "a b.db"),
    paste0("file:", file), paste0("file://", file), "file:a%20b.db?mode=ro",
    "file:a%20b.db?cache=private#x"
  )
  if (.Platform$OS.type == "unix") {
    file.symlink(file, "symbolic.db")
    file.link(file, "linked.db")
    names <- c(names, "symbolic.db", "linked.db")
  }
  run <- statements_on(first)
  attached <- function() {
    dplyr::tbl(first, dbplyr::in_schema("again", "persons"))
  }
  both <- function() {
    released(
      log(income) ~ flag,
      dplyr::union_all(dplyr::tbl(first, "persons"), attached())
    )
  }
  whole <- released(log(income) ~ flag, d)
  for (name in names) {
    run(sprintf("ATTACH '%s' AS again", name))
    expect_same_release(released(log(income) ~ flag, attached()), whole)
    expect_error(
      both(), "tables are the same", class = "pseudosynth_error_rows"
    )
    run("DETACH again")
  }
  # Two files of one size and one content but for a record are two
  file.copy(file, "other.db")
  other <- open("other.db")
  Sys.setFileTime("other.db", Sys.time() - 100)
  DBI::dbExecute(other, "UPDATE persons SET works = 1 - works")
  run("ATTACH 'other.db' AS again")
  expect_s3_class(both(), "score_release")
})

test_that("a file that is read without locks is refused", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  file <- withr::local_tempfile(fileext = ".db")
  d <- engine_persons(200)
  open <- function(...) {
    con <- DBI::dbConnect(RSQLite::SQLite(), ...)
    RSQLite::initExtension(con, "math")
    withr::defer(DBI::dbDisconnect(con), parent.frame())
    con
  }
  first <- open(file)
  DBI::dbWriteTable(first, "persons", d)
  refused <- function(table) {
    expect_error(
      released(log(income) ~ flag, table), "usual locks",
      class = "pseudosynth_error_engine"
    )
    expect_error(
      draft_codebook(table), "usual locks", class = "pseudosynth_error_engine"
    )
  }
  unlocked <- c("immutable=1", "nolock=1", "mode=ro&immutable=1")
  if (.Platform$OS.type == "unix") unlocked <- c(unlocked, "vfs=unix-none")
  for (how in unlocked) {
    refused(dplyr::tbl(open(sprintf("file:%s?%s", file, how)), "persons"))
  }
  if (.Platform$OS.type == "unix") {
    refused(dplyr::tbl(open(file, vfs = "unix-none"), "persons"))
  }
  other <- open(":memory:")
  DBI::dbExecute(other, sprintf("ATTACH 'file:%s?immutable=1' AS a", file))
  refused(dplyr::tbl(other, dbplyr::in_schema("a", "persons")))
})

test_that("select(), rename() and filter() are as for a data frame", {
  d <- engine_persons(400)
  d$hours[5:9] <- NA
  con <- sqlite(persons = d)
  table <- dplyr::tbl(con, "persons")
  most <- 60
  flags <- c("yes", "it's", "no")
  # Each looks at a record alone
  steps <- list(
    function(x) dplyr::filter(x, .data$income > 100, .data$visits <= most),
    function(x) dplyr::filter(x, .data$group %in% c("a", "A", "it's")),
    function(x) dplyr::filter(x, !(.data$group %in% c("a ", "it's"))),
    function(x) dplyr::filter(x, !is.na(.data$hours) & .data$hours != 40),
    function(x) dplyr::filter(x, is.na(.data$hours) | .data$hours > -1.5e3),
    function(x) dplyr::filter(x, !(.data$hours %in% c(20.5, 40))),
    function(x) dplyr::filter(x, .data$flag == "yes" | .data$works == 1),
    function(x) dplyr::filter(x, .data$visits < .data$hours),
    function(x) {
      dplyr::filter(
        dplyr::rename(x, hours = "income", income = "hours"),
        .data$hours > 20000
      ) |> dplyr::rename(income = "hours", hours = "income")
    },
    function(x) {
      dplyr::filter(dplyr::select(x, "income", "group", flag = "works"),
        .data$flag %in% 1 | .data$group == "a"
      )
    }
  )
  # By day one after the other: a step that is lost or read in another way
  # leaves other records
  chains <- list(c(1, 3, 4), c(2, 5), 6:7, 8:9, 10)
  for (chain in by_night(c(chains, 1:9), chains)) {
    step <- function(x) Reduce(function(x, own) own(x), steps[chain], x)
    own <- step(d)
    expect_gt(nrow(own), 50)
    expect_lt(nrow(own), 401)
    expect_same_release(
      released(log(income) ~ group, step(table)),
      released(log(income) ~ group, own)
    )
  }
})

test_that("filter() compares text in bytes, whatever a column's collation", {
  d <- engine_persons(600)
  con <- sqlite()
  DBI::dbExecute(con, paste(
    "CREATE TABLE persons (income REAL, flag TEXT,",
    "\"group\" TEXT COLLATE NOCASE)"
  ))
  DBI::dbAppendTable(con, "persons", d[c("income", "flag", "group")])
  few <- function(x) dplyr::filter(x, .data$group == "A")
  expect_same_release(
    released(log(income) ~ flag, few(dplyr::tbl(con, "persons"))),
    released(log(income) ~ flag, few(d))
  )
})
