# Score releases of tables in DuckDB, and of CSV and Parquet files.

# Of older versions of dbplyr it says that it does not know all functions
skip_without_duckdb <- function() {
  suppressWarnings({
    skip_if_not_installed("duckdb")
    skip_if_not_installed("dbplyr")
  })
}

duckdb_persons <- function(..., frame = parent.frame()) {
  skip_without_duckdb()
  con <- suppressMessages(DBI::dbConnect(duckdb::duckdb()))
  withr::defer(DBI::dbDisconnect(con, shutdown = TRUE), frame)
  tables <- list(...)
  for (name in names(tables)) DBI::dbWriteTable(con, name, tables[[name]])
  con
}

test_that("tables of attached databases of DuckDB are the file together", {
  skip_without_duckdb()
  d <- engine_persons()
  half <- seq_len(nrow(d)) %% 2 == 0
  files <- withr::local_tempfile(
    pattern = c("a", "b"), fileext = ".duckdb"
  )
  for (k in 1:2) {
    con <- suppressMessages(DBI::dbConnect(duckdb::duckdb(files[k])))
    DBI::dbWriteTable(con, "persons", d[half == (k == 1), ])
    DBI::dbDisconnect(con, shutdown = TRUE)
  }
  con <- duckdb_persons(persons = d[1:9, ])
  attach <- function(file, name) {
    DBI::dbExecute(con, sprintf("ATTACH '%s' AS %s (READ_ONLY)", file, name))
    dplyr::tbl(con, DBI::Id(catalog = name, schema = "main", table = "persons"))
  }
  tables <- Map(attach, files, c("a", "b"))
  few <- united(lapply(tables, function(table) {
    dplyr::filter(table, .data$hours > 30)
  }))
  expect_releases_of_frame(united(tables), d, few)
  refused <- function(...) {
    expect_error(
      released(log(income) ~ flag, dplyr::union_all(...)), "one table",
      class = "pseudosynth_error_rows"
    )
  }
  refused(tables[[1]], tables[[1]])
  # What is only read may be attached again, also by another name of its file
  refused(tables[[1]], attach(files[1], "again"))
  link <- withr::local_tempfile(fileext = ".duckdb")
  skip_if_not(file.link(files[1], link))
  refused(tables[[1]], attach(link, "linked"))
})

test_that("what tells the response of all tables is refused in DuckDB", {
  d <- copies()
  con <- duckdb_persons(a = d[1:700, ], b = d[-(1:700), ])
  parts <- dplyr::union_all(dplyr::tbl(con, "a"), dplyr::tbl(con, "b"))
  for (column in c("text", "rank")) {
    refused_copy(stats::reformulate(column, quote(log(income))), parts)
  }
})

test_that("columns of DuckDB's types are as in memory, or refused", {
  d <- engine_persons(900)
  d$id <- seq_len(nrow(d))
  con <- duckdb_persons(plain = d)
  run <- statements_on(con)
  run("CREATE TYPE mood AS ENUM ('yes', 'no')")
  run(
    "CREATE TABLE persons AS SELECT id, income, works = 1 AS works,",
    "CAST(visits AS UTINYINT) AS visits, CAST(hours AS FLOAT) AS hours,",
    "CAST(hours * 1000 AS BIGINT) AS long, CAST(visits AS HUGEINT) AS wide,",
    "CAST(income AS DECIMAL(14, 2)) AS amount, CAST(flag AS mood) AS flag,",
    "\"group\" COLLATE NOCASE AS \"group\", 'secret'::BLOB AS bytes,",
    "DATE '2000-01-01' + CAST(id AS INTEGER) AS day, [income] AS list,",
    "9007199254740992 + CAST(id AS BIGINT) % 2 AS huge,",
    "CASE WHEN id = 3 THEN 'NaN' ELSE hours END AS nan FROM plain"
  )
  d$long <- d$hours * 1000
  d$wide <- as.double(d$visits)
  d$amount <- d$income
  d$works <- d$works == 1
  table <- dplyr::tbl(con, "persons")
  for (formula in list(
    log(income) ~ works + visits, log(amount) ~ flag + group,
    log(income) ~ hours + long + wide
  )) {
    expect_same_release(released(formula, table), released(formula, d))
  }
  few <- function(x) {
    dplyr::filter(x, .data$works, .data$hours != 0.1, !(.data$group %in% "A"))
  }
  expect_same_release(
    released(log(income) ~ flag, few(table)),
    released(log(income) ~ flag, few(d))
  )
  refused <- function(formula, pattern, class = "pseudosynth_error_engine") {
    error <- expect_error(released(formula, table), pattern, class = class)
    expect_no_match(conditionMessage(error), "secret")
    # None is left open
    DBI::dbBegin(con)
    DBI::dbRollback(con)
  }
  for (type in c("bytes", "day", "list")) {
    refused(stats::reformulate(type, quote(log(income))), "It holds")
  }
  refused(log(income) ~ huge, "at most 2\\^53")
  refused(log(income) ~ nan, "missing for 1 of 900", "pseudosynth_error_input")
})

test_that("values at the ends of DuckDB's doubles are as in memory", {
  d <- engine_persons(300)
  d$hours[1:5] <- c(1 / 3, 0.1 + 0.2, 1e-20 / 3, 12345678.123456789, -1e10 / 7)
  d$income[1:6] <- c(1e307, -1.7e308, 1e-320, -1e-310, 0, 5e-324)
  con <- duckdb_persons(persons = d)
  table <- dplyr::tbl(con, "persons")
  of <- function(data, ...) {
    released(income ~ flag + hours, data, stats::gaussian(), ..., bounds = NULL)
  }
  for (sigma in c(1e-3, 1, 1e3)) {
    reference <- list("(Intercept)" = 0, sigma = sigma)
    expect_same_release(
      of(table, reference = reference), of(d, reference = reference)
    )
  }
  d$income[1:6] <- c(1e307, 1.7e308, 1e-320, 1e-310, 1e-100, 5e-324)
  DBI::dbWriteTable(con, "persons", d, overwrite = TRUE)
  expect_same_release(
    released(log(income) ~ flag, table), released(log(income) ~ flag, d)
  )
})

test_that("only tables that hold their records are found in DuckDB", {
  d <- engine_persons(300)
  con <- duckdb_persons(persons = d)
  run <- statements_on(con)
  whole <- released(log(income) ~ flag, d)
  run("CREATE VIEW v AS SELECT * FROM persons")
  refused <- function(data) {
    expect_error(
      released(log(income) ~ flag, data), class = "pseudosynth_error_rows"
    )
  }
  refused(dplyr::tbl(con, "v"))
  refused(dplyr::tbl(con, dplyr::sql("SELECT * FROM persons")))
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(d, file, row.names = FALSE)
  refused(dplyr::tbl(con, dplyr::sql(sprintf("FROM '%s'", file))))
  run("ATTACH ':memory:' AS \"far off\"")
  run("CREATE TABLE \"far off\".persons AS SELECT * FROM persons")
  for (name in list(
    DBI::Id(schema = "main", table = "persons"), "PERSONS",
    DBI::Id(catalog = "far off", schema = "main", table = "persons")
  )) {
    expect_same_release(
      released(log(income) ~ flag, dplyr::tbl(con, name)), whole
    )
  }
  # For this session alone: which one is meant is not guessed
  table <- dplyr::tbl(con, "persons")
  run("CREATE TEMP TABLE persons AS SELECT p.* FROM main.persons p, range(2)")
  refused(table)
})

test_that("a session in which queries mean something else is refused", {
  d <- engine_persons(300)
  con <- duckdb_persons(persons = d)
  run <- statements_on(con)
  table <- dplyr::tbl(con, "persons")
  refused <- function(pattern) {
    expect_error(
      released(log(income) ~ flag, table), pattern,
      class = "pseudosynth_error_engine"
    )
  }
  for (own in c("ln(x) AS 1e6", "floor(x) AS 77", "\"+\"(x, y) AS 77")) {
    run("CREATE MACRO", own)
    refused("its own functions")
    run("DROP MACRO", sub("[(].*", "", own))
  }
  expect_s3_class(released(log(income) ~ flag, table), "score_release")
  settings <- c(
    default_collation = "NOCASE", default_order = "DESC",
    integer_division = "true", ieee_floating_point_ops = "false"
  )
  for (name in names(settings)) {
    run("SET", name, "=", sprintf("'%s'", settings[[name]]))
    refused(paste("RESET", name))
    run("RESET", name)
  }
})

test_that("copies of the response are refused in DuckDB, too", {
  con <- duckdb_persons(persons = copies())
  table <- dplyr::tbl(con, "persons")
  for (name in setdiff(names(copies()), names(engine_persons(2)))) {
    formula <- stats::reformulate(name, quote(log(income)))
    refused_copy(formula, table)
  }
})

test_that("CSV and Parquet files are released as the data frame is", {
  d <- engine_persons(900)
  d$group[d$group == "a "] <- "b"
  con <- duckdb_persons(persons = d)
  folder <- withr::local_tempdir()
  path <- function(name) file.path(folder, name)
  utils::write.csv(d, path("it's one.csv"), row.names = FALSE)
  for (part in 1:2) {
    DBI::dbExecute(con, sprintf(
      "COPY (SELECT * FROM persons WHERE works = %d) TO '%s' (FORMAT parquet)",
      part - 1, path(sprintf("part%d.parquet", part))
    ))
  }
  formula <- log(income) ~ group + hours + `the "age"`
  whole <- released(formula, d)
  parts <- path(c("part1.parquet", "part2.parquet"))
  expect_same_release(released(formula, path("it's one.csv")), whole)
  expect_same_release(released(formula, parts), whole)
  expect_same_release(released(formula, rev(parts)), whole)
  # Neither a folder's name nor what looks like a comment changes the records
  dir.create(path("group=other"))
  file.copy(parts, path("group=other"))
  moved <- path(file.path("group=other", c("part1.parquet", "part2.parquet")))
  expect_same_release(released(formula, moved), whole)
  signs <- d
  signs$group <- ifelse(d$group == "a", "#a", d$group)
  signs <- signs[c("group", setdiff(names(signs), "group"))]
  utils::write.csv(signs, path("signs.csv"), row.names = FALSE, quote = FALSE)
  expect_same_release(
    released(log(income) ~ group, path("signs.csv")),
    released(log(income) ~ group, signs)
  )
  expect_s3_class(
    release_queries(formula, parts, reference = income_reference),
    "release_queries"
  )
  refused <- function(data, pattern, class = "pseudosynth_error_input") {
    expect_error(released(formula, data), pattern, class = class)
  }
  refused(path("none.csv"), "no file")
  refused(c(folder, folder), "no file")
  refused(folder, "no Parquet file")
  expect_same_release(released(formula, path("group=other")), whole)
  refused(parts[c(1, 2, 1)], "named twice")
  file.copy(parts[1], path("copy.parquet"))
  refused(c(parts, path("copy.parquet")), "1 of the paths is a copy")
  refused(c(path("it's one.csv"), parts), "2 of the paths are not of the kind")
  # A row of another length is an error, and no reason to read another format
  # Columns that some files lack are told, not filled in silence
  utils::write.csv(data.frame(x = 1:9, y = 2), path("2001.csv"))
  utils::write.csv(data.frame(X = 1:9, y = 2), path("2002.csv"))
  utils::write.csv(data.frame(x = 1:9, z = 2), path("2003.csv"))
  told <- function(files) {
    rlang::catch_cnd(draft_codebook(path(files)), "pseudosynth_message_files")
  }
  expect_null(told(c("2001.csv", "2002.csv")))
  expect_match(
    conditionMessage(told(c("2001.csv", "2003.csv"))), "y.*z.*: 1 and 1"
  )
  lines <- readLines(path("it's one.csv"))
  for (row in c(paste0(lines[40], ",41"), "41,secret")) {
    writeLines(replace(lines, 40, row), path("uneven.csv"))
    error <- refused(
      path("uneven.csv"), "could not read", "pseudosynth_error_engine"
    )
    expect_no_match(conditionMessage(error), "41|secret")
  }
  writeLines("a", path("letter.txt"))
  refused(path("letter.txt"), "of another kind")
  file.copy(parts[1], path("part[12].parquet"))
  refused(path("part[12].parquet"), "named with")
  writeLines("a", path("secret.parquet"))
  error <- refused(
    path("secret.parquet"), "could not read", "pseudosynth_error_engine"
  )
  expect_no_match(conditionMessage(error), "secret")
  # Nothing is left behind
  expect_length(dir(tempdir(), "^pseudosynth-records"), 0)
})

# Parquet files in folders that name columns, by DuckDB or by others
write_hive <- function(d, by, folder, con = duckdb_persons(all = d)) {
  DBI::dbExecute(con, sprintf(
    "COPY \"all\" TO '%s' (FORMAT parquet, PARTITION_BY (%s))", folder,
    toString(sql_name(by))
  ))
  folder
}

test_that("a folder of Parquet files in hive partitions is the file", {
  d <- engine_persons(600)
  d$group[d$group == "A"] <- NA
  d$year <- sample(2019:2022, 600, TRUE)
  folder <- write_hive(
    d, c("year", "status"), file.path(withr::local_tempdir(), "d")
  )
  # What Spark leaves beside them
  writeLines("", file.path(folder, "_SUCCESS"))
  expect_gt(length(list.files(folder, recursive = TRUE)), 12)
  formula <- log(income) ~ flag + status + year
  expect_same_release(released(formula, folder), released(formula, d))
  local_small_chunks()
  # Columns of folders come last
  own <- d[c("status", "income", "year")]
  book <- suppressMessages(confirm_codebook(draft_codebook(own)))
  con <- duckdb_persons(all = own)
  folder <- write_hive(own, "year", file.path(withr::local_tempdir(), "d"), con)
  release <- function(data) {
    suppressWarnings(suppressMessages(
      file_release(file_plan(data, book), 1, seed = 1)
    ))
  }
  expect_identical(release(folder), release(own))
  # Text that is no number, signs that a path cannot have, and none
  own$code <- rep(c("01", "2", "a b/c=d", NA), 150)
  con <- duckdb_persons(all = own)
  folder <- write_hive(own, "code", file.path(withr::local_tempdir(), "d"), con)
  draft <- as.data.frame(draft_codebook(folder))
  expect_identical(
    draft[draft$column == "code", ],
    subset(as.data.frame(draft_codebook(own)), column == "code"),
    ignore_attr = "row.names"
  )
  # The same records in two folders, and twice in one
  few <- data.frame(year = rep(1:2, each = 300), income = d$income[1:300])
  con <- duckdb_persons(all = few)
  folder <- write_hive(few, "year", file.path(withr::local_tempdir(), "d"), con)
  expect_same_release(
    released(log(income) ~ year, folder), released(log(income) ~ year, few)
  )
  file <- list.files(folder, full.names = TRUE, recursive = TRUE)[1]
  file.copy(file, file.path(dirname(file), "copy.parquet"))
  expect_error(
    released(log(income) ~ year, folder), "a copy of another",
    class = "pseudosynth_error_input"
  )
  # DuckDB reads both names as one value
  few$year <- "a b"
  con <- duckdb_persons(all = few[1:300, ])
  folder <- write_hive(few, "year", file.path(withr::local_tempdir(), "d"), con)
  own <- list.files(folder, full.names = TRUE)
  names <- c("year=a b", "year=a%20b")
  twice <- file.path(folder, setdiff(names, basename(own)))
  dir.create(twice)
  file.copy(list.files(own, full.names = TRUE), twice)
  expect_error(
    released(log(income) ~ 1, folder), "a copy of another",
    class = "pseudosynth_error_input"
  )
  # A folder has no file beside it
  expect_error(
    released(log(income) ~ 1, c(folder, list.files(own, full.names = TRUE))),
    "no file", class = "pseudosynth_error_input"
  )
  # A column that files have, too
  con <- duckdb_persons(all = few)
  folder <- file.path(withr::local_tempdir(), "year=1")
  dir.create(folder)
  DBI::dbExecute(con, sprintf(
    "COPY \"all\" TO '%s' (FORMAT parquet)", file.path(folder, "a.parquet")
  ))
  expect_error(
    released(log(income) ~ year, dirname(folder)), "that its folders name",
    class = "pseudosynth_error_input"
  )
})

test_that("a column in place of paths is not shown", {
  for (column in list(c("Miller", "Smith"), "Miller", c("Miller?", "Smith"))) {
    error <- expect_error(
      draft_codebook(column), "no file", class = "pseudosynth_error_input"
    )
    expect_no_match(conditionMessage(error), "Miller|Smith")
    expect_match(conditionMessage(error), "in a data\\s+frame")
  }
})

test_that("folders that are no hive partitions are refused", {
  folder <- withr::local_tempdir()
  refused <- function(pattern) {
    expect_error(
      released(log(income) ~ flag, folder), pattern,
      class = "pseudosynth_error_input"
    )
  }
  add <- function(...) {
    path <- file.path(folder, ...)
    dir.create(dirname(path), recursive = TRUE, showWarnings = FALSE)
    writeLines(path, path)
  }
  refused("No file is in it")
  add("year=1", "a.parquet")
  add("year=2", "b.csv")
  refused("1 path in it is no Parquet file")
  unlink(file.path(folder, "year=2"), recursive = TRUE)
  add("b.parquet")
  refused("do not name the same columns")
  unlink(file.path(folder, "b.parquet"))
  # What it has is not looked for
  dir.create(file.path(folder, "old"))
  refused("A folder in it names no column")
  unlink(file.path(folder, "old"), recursive = TRUE)
  add("year=1", "old", "b.parquet")
  refused("in a folder of another name")
  unlink(file.path(folder, "year=1", "old"), recursive = TRUE)
  add("year=2", "year=3", "b.parquet")
  refused("do not name the same columns")
  unlink(file.path(folder, "year=2"), recursive = TRUE)
  folder <- file.path(folder, "env=all")
  add("year=1", "a.parquet")
  refused("Its own path has the sign =")
})

test_that("plans of tables and files in DuckDB are those of the data frame", {
  d <- file_persons()
  d$works <- d$works == 1
  d$works[3] <- NA
  d$born <- as.Date("1950-01-01") + seq_len(nrow(d)) %/% 4 * 20
  d$born[9] <- NA
  con <- duckdb_persons(persons = d)
  local_small_chunks()
  table <- dplyr::tbl(con, "persons")
  plan <- expect_plans_of_frame(table, d)
  expect_identical(decode_file(plan), d[names(d) != "case"])
  # The order of rows tells which is the next chunk
  DBI::dbExecute(con, "SET preserve_insertion_order = false")
  expect_error(
    draft_codebook(table), "order of its rows",
    class = "pseudosynth_error_engine"
  )
  DBI::dbExecute(con, "RESET preserve_insertion_order")
  folder <- withr::local_tempdir()
  path <- function(name) file.path(folder, name)
  utils::write.csv(d, path("persons.csv"), row.names = FALSE)
  DBI::dbExecute(con, sprintf(
    "COPY persons TO '%s' (FORMAT parquet)", path("persons.parquet")
  ))
  book <- file_persons_book(d)
  whole <- file_plan(d, book)
  for (file in c("persons.csv", "persons.parquet")) {
    expect_identical(draft_codebook(path(file)), draft_codebook(d))
    expect_identical(file_plan(path(file), book), whole)
  }
  # A file in parts, one after the other
  utils::write.csv(d[1:400, ], path("1.csv"), row.names = FALSE)
  utils::write.csv(d[401:900, ], path("2.csv"), row.names = FALSE)
  expect_identical(file_plan(path(c("1.csv", "2.csv")), book), whole)
  file.copy(path("1.csv"), path("3.csv"))
  expect_error(file_plan(path(c("1.csv", "3.csv")), book), "a copy")
  other <- DBI::dbConnect(con@driver)
  withr::defer(DBI::dbDisconnect(other))
  expect_plan_of_one_moment(con, other, d, book)
})

test_that("files are read in little memory, or in more where it must be", {
  duckdb_persons()
  d <- file_persons()
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(d, file, row.names = FALSE)
  limit <- function() {
    source <- paths_source(file)
    withr::defer(source$close())
    found <- DBI::dbGetQuery(source$con, "SELECT * FROM records")
    expect_identical(nrow(found), nrow(d))
    DBI::dbGetQuery(source$con, "SELECT value FROM duckdb_settings()
      WHERE name = 'memory_limit'")$value
  }
  expect_match(limit(), "^95[0-9][.][0-9] MiB$")
  # Too little for any file
  local_replaced("memory_of_files", "1MB")
  expect_no_match(limit(), "KiB")
  bad <- withr::local_tempfile(fileext = ".parquet")
  writeLines("no Parquet", bad)
  expect_error(paths_source(bad), "DuckDB can read", class = input_error)
})

# What is asked for records while code runs
pages_asked <- function(code) {
  asked <- character()
  plain <- fetcher
  local_replaced("fetcher", function(...) {
    fetch <- plain(...)
    function(query, rows, f) {
      asked <<- c(asked, query)
      fetch(query, rows, f)
    }
  })
  force(code)
  asked
}

test_that("pages go by the numbers of rows, with gaps and conditions", {
  d <- file_persons()
  con <- duckdb_persons(persons = d)
  local_small_chunks()
  book <- file_persons_book(d)
  table <- dplyr::tbl(con, "persons")
  asked <- pages_asked(whole <- file_plan(table, book))
  expect_identical(whole, file_plan(d, book))
  expect_match(asked, "rowid >= [0-9]+ AND f[.]rowid < [0-9]+$")
  expect_gt(length(asked), 8)
  # The first and the last rows are gone, and some in between
  run <- statements_on(con)
  run("DELETE FROM persons WHERE rowid < 120 OR rowid > 700 OR rowid % 7 = 3")
  left <- seq_len(nrow(d)) - 1
  left <- d[left >= 120 & left <= 700 & left %% 7 != 3, ]
  asked <- pages_asked(few <- file_plan(table, book))
  expect_identical(few, file_plan(left, book))
  expect_match(asked[1], "rowid >= 120 ")
  on <- dplyr::filter(table, .data$hours > 30, .data$visits < 9)
  own <- left[which(left$hours > 30 & left$visits < 9), ]
  expect_identical(file_plan(on, book), file_plan(own, book))
})

test_that("a column with the name of the numbers of rows takes their place", {
  d <- file_persons()
  names(d)[names(d) == "hours"] <- "RowID"
  con <- duckdb_persons(persons = d)
  local_small_chunks()
  draft <- draft_codebook(d)
  asked <- pages_asked(found <- draft_codebook(dplyr::tbl(con, "persons")))
  expect_identical(found, draft)
  expect_match(asked, "LIMIT [0-9]+ OFFSET [0-9]+$")
})

test_that("words in CSV files are text unless they are true and false", {
  duckdb_persons()
  d <- data.frame(
    answer = c("yes", "no", "yes"), letter = c("t", "f", "t"),
    group = c("01", "02", "01"), range = c("20_24", "25_29", "20_24"),
    day = c("01/02/2020", "03/04/2020", "01/02/2020"), sure = c(TRUE, NA, FALSE)
  )
  file <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(d, file, row.names = FALSE)
  plan <- file_plan(file, as.data.frame(draft_codebook(d)))
  expect_identical(decode_file(plan), d)
})

test_that("values of DuckDB that R would read as others are told", {
  d <- file_persons(600)
  d$born <- as.Date("2000-01-01")
  con <- duckdb_persons(plain = d)
  run <- statements_on(con)
  run("CREATE TYPE mood AS ENUM ('yes', 'no')")
  run(
    "CREATE TABLE persons AS SELECT CAST(flag AS mood) AS flag, born,",
    "CAST(hours AS DECIMAL(9, 2)) AS hours, CAST(visits AS BIGINT) AS visits,",
    "income FROM plain"
  )
  d <- d[c("flag", "born", "hours", "visits", "income")]
  table <- dplyr::tbl(con, "persons")
  book <- as.data.frame(draft_codebook(d))
  book$missing <- TRUE
  expect_identical(file_plan(table, book), file_plan(d, book))
  engine <- "pseudosynth_error_engine"
  run("UPDATE persons SET visits = -2147483648 WHERE income < 10000")
  low <- sum(d$income < 10000, na.rm = TRUE)
  error <- expect_error(
    file_plan(table, book), class = "pseudosynth_error_outside"
  )
  expect_match(conditionMessage(error), sprintf("visits.*%d records", low))
  run("UPDATE persons SET visits = 3 WHERE income < 10000")
  # NaN is none of the missing values, as in memory
  run("UPDATE persons SET income = 'NaN' WHERE hours = 40")
  error <- expect_error(
    file_plan(table, book), class = "pseudosynth_error_outside"
  )
  expect_match(conditionMessage(error), "records with NaN")
  n <- sum(d$hours == 40)
  run("UPDATE persons SET income = 40000 WHERE hours = 40")
  run("UPDATE persons SET born = 'infinity' WHERE hours = 40")
  expect_error(
    file_plan(table, book), sprintf("infinite date for %d records", n),
    class = engine
  )
  run("ALTER TABLE persons DROP born")
  run("ALTER TABLE persons ADD secret BLOB")
  expect_error(file_plan(table, book), "must be those of its", class = engine)
  expect_error(
    file_plan(dplyr::tbl(con, "persons"), book), "values of type",
    class = engine
  )
  run("CREATE TABLE nul AS SELECT 'a' || CHR(0) || 'b' AS flag")
  expect_error(
    draft_codebook(dplyr::tbl(con, "nul")), "NUL.* for 1 record",
    class = engine
  )
})
