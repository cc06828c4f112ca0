# Sets that are written part by part.

# Made once: tests draw from it alone
released_people <- function(..., epsilon = 5) {
  remember(
    paste("written people", toString(c(...)), epsilon),
    suppressWarnings(
      file_release(people_plan(people(3000), ...), epsilon = epsilon, seed = 2)
    )
  )
}

read_sets <- function(x) {
  parts <- lapply(file.path(x$into, x$table$file), utils::read.csv)
  lapply(split(parts, x$table$set), function(own) do.call(rbind, own))
}

as_words <- function(set) {
  set[] <- lapply(set, function(x) if (is.factor(x)) as.character(x) else x)
  set
}

# A database with an empty table for sets of a release
set_table <- function(release, name = "synthetic",
                      .local_envir = parent.frame()) {
  con <- sqlite(.local_envir = .local_envir)
  n <- if (length(release$published) == 0) 10
  DBI::dbCreateTable(con, name, as_words(synthesize(release, n = n)[[1]]))
  con
}

test_that("sets of one part are those that synthesize() returns", {
  release <- released_people()
  sets <- synthesize(release, m = 2, seed = 4, n = 2000)
  folder <- file.path(withr::local_tempdir(), "sets")
  written <- synthesize(release, m = 2, seed = 4, n = 2000, into = folder)
  expect_identical(
    dir(folder), c("codebook.csv", "label.txt", "set1-1.csv", "set2-1.csv")
  )
  found <- read_sets(written)
  for (s in 1:2) expect_equal(found[[s]], as_words(sets[[s]]))
  expect_identical(guarantee(written), guarantee(sets))
  expect_identical(
    codebook(file.path(folder, "codebook.csv")), unclass(sets)$codebook
  )
  expect_match(readLines(file.path(folder, "label.txt"))[1], "strict")
  expect_equal(nobs(written), 2000)
  expect_output(print(written), "2 sets of 2,000 records")
  expect_error(
    utility(written, people(3000)), "without `into`", class = input_error
  )
  expect_error(release(written, folder), "written already", class = input_error)
  written$n_records <- 1
  expect_identical(guarantee(written)$label, "none")
})

test_that("what an edited release draws is written without a claim", {
  release <- released_people()
  release$epsilon <- 0.1
  folder <- file.path(withr::local_tempdir(), "sets")
  written <- synthesize(release, n = 100, into = folder)
  expect_identical(guarantee(written)$label, "none")
  said <- readLines(file.path(folder, "label.txt"))
  expect_match(said[1], "none$")
  expect_no_match(said, "strict")
})

test_that("parts are as large as stated, differ, and follow the release", {
  release <- released_people(epsilon = 10)
  folder <- withr::local_tempdir()
  local_replaced("part_records", 2000)
  write <- function(name, ...) {
    synthesize(release, n = 9001, into = file.path(folder, name), ...)
  }
  written <- write("a", seed = 4)
  expect_identical(sum(written$table$records), 9001)
  expect_identical(range(written$table$records), c(1800, 1801))
  expect_identical(anyDuplicated(unname(tools::md5sum(dir(
    written$into, "^set", full.names = TRUE
  )))), 0L)
  set <- read_sets(written)[[1]]
  expect_identical(nrow(set), 9001L)
  # The tables of all parts together are those of a set drawn at once
  once <- as_words(synthesize(release, n = 9001, seed = 5)[[1]])
  for (pair in list(c("sex", "age"), c("age", "earner"), c("sex", "earner"))) {
    away <- table(set[pair]) / 9001 - table(once[pair]) / 9001
    expect_lt(max(abs(away)), 0.004)
  }
  expect_equal(
    stats::quantile(log(set$income), 1:9 / 10),
    stats::quantile(log(once$income), 1:9 / 10), tolerance = 0.005
  )
  expect_equal(
    tapply(log(set$income), set$earner, mean),
    tapply(log(once$income), once$earner, mean), tolerance = 0.01
  )
  # The same numbers of a seed on any number of threads; none without one
  withr::local_options(pseudosynth.threads = 1)
  bytes <- function(x) unname(tools::md5sum(file.path(x$into, x$table$file)))
  expect_identical(bytes(write("b", seed = 4)), bytes(written))
  expect_false(any(bytes(write("c")) %in% bytes(written)))
})

test_that("published columns are written as they are, part by part", {
  shown <- c("sex", "income")
  release <- released_people(publish = shown, epsilon = 10)
  once <- as_words(synthesize(release, seed = 5)[[1]])
  local_replaced("part_records", 700)
  folder <- file.path(withr::local_tempdir(), "sets")
  written <- synthesize(release, m = 2, seed = 4, into = folder)
  expect_identical(written$table$records, rep(600, 10))
  sets <- read_sets(written)
  for (set in sets) {
    # Each row once, in no order of the file: the release has none
    sorted <- function(rows) {
      rows <- as_words(rows)[shown]
      rows <- rows[do.call(order, rows), ]
      rownames(rows) <- NULL
      rows
    }
    expect_equal(sorted(set), sorted(published_frame(release)))
    # Parts have nearly the same rows: by chance they would differ by 30
    men <- tapply(set$sex == "male", rep(1:5, each = 600), sum)
    expect_lte(diff(range(men)), 3)
    # Tables are those of sets that are drawn at once: no part knows of them
    pairs <- list(c("sex", "age"), c("age", "earner"), c("sex", "earner"))
    for (pair in pairs) {
      away <- table(set[pair]) / 3000 - table(once[pair]) / 3000
      expect_lt(max(abs(away)), 0.004)
    }
    expect_equal(
      tapply(log(set$income), set$earner, mean),
      tapply(log(once$income), once$earner, mean), tolerance = 0.01
    )
  }
  expect_false(identical(sets[[1]]$earner, sets[[2]]$earner))
  # What is written to a table, too
  con <- set_table(release)
  synthesize(release, seed = 4, into = dplyr::tbl(con, "synthetic"))
  rows <- DBI::dbReadTable(con, "synthetic")
  expect_equal(rows, sets[[1]], ignore_attr = TRUE)
})

test_that("parts with published rows have nothing that these rows exclude", {
  data <- withr::with_seed(2, data.frame(
    sex = sample(c("f", "m"), 6000, TRUE),
    other = sample(c("u", "v"), 6000, TRUE)
  ))
  data$expecting <- ifelse(
    data$sex == "f" & withr::with_seed(3, stats::runif(6000)) < 0.02, "yes",
    "no"
  )
  book <- confirm_codebook(draft_codebook(data))
  release <- suppressMessages(file_release(
    file_plan(data, book, publish = "sex"), 10, seed = 1
  ))
  local_replaced("part_records", 500)
  written <- synthesize(
    release, seed = 2, into = file.path(withr::local_tempdir(), "sets")
  )
  set <- read_sets(written)[[1]]
  # With other rows in each part there were 40 to 50
  expect_lt(sum(set$sex == "m" & set$expecting == "yes"), 15)
  expect_gt(sum(set$expecting == "yes"), 0.8 * sum(data$expecting == "yes"))
})

test_that("a published amount of one bin, which no table has, is in parts", {
  data <- withr::with_seed(4, data.frame(
    sex = sample(c("f", "m"), 900, TRUE), other = sample(c("u", "v"), 900, TRUE)
  ))
  data$fee <- 50
  book <- confirm_codebook(edit_codebook(
    draft_codebook(data),
    fee = list(type = "amount", lower = 0, upper = 100, digits = 0)
  ))
  release <- suppressMessages(file_release(
    suppressMessages(file_plan(data, book, publish = "fee")), 10, seed = 1
  ))
  expect_false(any(release$block$published))
  local_replaced("part_records", 400)
  written <- synthesize(
    release, seed = 2, into = file.path(withr::local_tempdir(), "sets")
  )
  set <- read_sets(written)[[1]]
  expect_identical(as.double(set$fee), rep(50, 900))
})

test_that("memory holds one part, whatever the number of records", {
  release <- released_people()
  withr::local_options(pseudosynth.memory = 1e5)
  local_replaced("part_records", 2000)
  expect_error(
    synthesize(release, n = 20000), class = "pseudosynth_error_memory"
  )
  folder <- file.path(withr::local_tempdir(), "sets")
  written <- synthesize(release, n = 20000, into = folder)
  expect_identical(nrow(as.data.frame(written)), 10L)
})

test_that("parts say how long the others will take", {
  release <- released_people()
  local_replaced("part_records", 500)
  local_replaced("long_work", 100)
  local_replaced("format_time", function(seconds) "a year")
  folder <- file.path(withr::local_tempdir(), "sets")
  said <- character()
  withCallingHandlers(
    synthesize(release, n = 1500, into = folder),
    message = function(m) {
      said <<- c(said, conditionMessage(m))
      tryInvokeRestart("muffleMessage")
    }
  )
  said <- grep("Part", said, value = TRUE)
  expect_match(said[1], "Part 1 of 3\n$")
  expect_match(said[2:3], "Part [23] of 3, about a year left\n$")
})

# An error and an interrupt in the third part leave nothing behind
expect_nothing_left <- function(write, nothing) {
  plain <- finished_file
  for (fault in list(
    function() stop("no luck"),
    function() {
      signalCondition(structure(
        class = c("interrupt", "condition"), list(message = "", call = NULL)
      ))
    }
  )) {
    seen <- 0
    local_replaced("finished_file", function(...) {
      seen <<- seen + 1
      if (seen == 3) fault()
      plain(...)
    })
    stopped <- tryCatch(
      write(), error = conditionMessage, interrupt = function(c) "stopped"
    )
    expect_match(stopped, "^(no luck|stopped)$")
    expect_identical(seen, 3)
    nothing()
  }
}

test_that("a folder is there as a whole or not at all", {
  release <- released_people()
  parent <- withr::local_tempdir()
  folder <- file.path(parent, "sets")
  local_replaced("part_records", 500)
  write <- function() synthesize(release, n = 2000, into = folder)
  nothing <- function() {
    expect_length(dir(parent, all.files = TRUE, no.. = TRUE), 0)
  }
  expect_nothing_left(write, nothing)
  local_replaced("write_csv", function(...) stop("disk full"))
  expect_error(write(), "could not be written", class = input_error)
  nothing()
})

test_that("what cannot be drawn in parts is refused before it is drawn", {
  release <- released_people()
  parent <- withr::local_tempdir()
  local_replaced("file_drawer", function(...) stop("drawn"))
  refused <- function(pattern, x = release, into = file.path(parent, "a"),
                      ...) {
    expect_error(
      synthesize(x, into = into, ...), pattern, class = input_error
    )
  }
  writeLines("a", file.path(parent, "file.txt"))
  refused("must be new", into = parent)
  refused("must be new", into = file.path(parent, "file.txt"))
  refused("existing folder", into = file.path(parent, "no", "sets"))
  refused("into", into = 3)
  refused(
    "of the published columns", released_people(publish = "sex"), n = 100
  )
  refused("uncertainty", uncertainty = TRUE)
  refused("only applies to", perturbed_histogram(
    people()$income, bounds = c(1, 2e6), epsilon = 1, seed = 1
  ))
  refused("at least 1", n = 0)
  expect_identical(dir(parent), "file.txt")
})

# Tables -----------------------------------------------------------------------

test_that("a set is written to a table in parts", {
  release <- released_people()
  local_replaced("part_records", 700)
  con <- set_table(release)
  into <- dplyr::tbl(con, "synthetic")
  written <- synthesize(release, n = 2000, seed = 4, into = into)
  rows <- DBI::dbReadTable(con, "synthetic")
  folder <- file.path(withr::local_tempdir(), "sets")
  files <- synthesize(release, n = 2000, seed = 4, into = folder)
  expect_equal(rows, read_sets(files)[[1]], ignore_attr = TRUE)
  expect_identical(written$into, "`synthetic`")
  expect_identical(as.data.frame(written), data.frame(set = 1L, records = 2000))
  expect_identical(guarantee(written), guarantee(files))
  expect_output(print(written), "table +`synthetic`")
  # The connection is free again, and what is there stays
  refused <- function() {
    expect_error(
      synthesize(release, n = 10, into = into), "empty table",
      class = input_error
    )
  }
  refused()
  expect_identical(nrow(DBI::dbReadTable(con, "synthetic")), 2000L)
  refused()
})

# Rows that a table took are those of a folder's files
expect_written_table <- function(con, name, release) {
  rows <- as_words(synthesize(release, n = 10)[[1]])
  DBI::dbCreateTable(con, name, rows)
  into <- dplyr::tbl(con, name)
  synthesize(release, n = 2000, seed = 4, into = into)
  folder <- file.path(withr::local_tempdir(), "sets")
  files <- synthesize(release, n = 2000, seed = 4, into = folder)
  found <- DBI::dbReadTable(con, name)
  sorted <- function(x) x[do.call(order, unname(as.list(x))), ]
  expect_equal(
    sorted(found), sorted(read_sets(files)[[1]]), ignore_attr = TRUE
  )
  expect_error(
    synthesize(release, n = 10, into = into), "empty table", class = input_error
  )
}

test_that("a set is written to PostgreSQL, in a schema, too", {
  con <- local_postgresql()()
  release <- released_people()
  local_replaced("part_records", 700)
  DBI::dbExecute(con, "CREATE SCHEMA \"My area\"")
  expect_written_table(con, "plain", release)
  expect_written_table(
    con, DBI::Id(schema = "My area", table = "a \"set\""), release
  )
})

test_that("a set is written to DuckDB", {
  skip_if_not_installed("duckdb")
  skip_if_not_installed("dbplyr")
  con <- DBI::dbConnect(duckdb::duckdb())
  withr::defer(DBI::dbDisconnect(con, shutdown = TRUE))
  local_replaced("part_records", 700)
  expect_written_table(con, "synthetic", released_people())
})

test_that("a table has all records of a set or none", {
  release <- released_people()
  local_replaced("part_records", 500)
  con <- set_table(release)
  write <- function() {
    synthesize(release, n = 2000, into = dplyr::tbl(con, "synthetic"))
  }
  nothing <- function() {
    rows <- DBI::dbGetQuery(con, "SELECT COUNT(*) FROM synthetic")[[1]]
    expect_identical(as.double(rows), 0)
  }
  expect_nothing_left(write, function() {
    nothing()
    # But for two parts, with which the same call would go on
    left <- setdiff(DBI::dbListTables(con), "synthetic")
    expect_length(left, 2)
    for (name in left) DBI::dbRemoveTable(con, name)
  })
  # A table that keeps some records away, and one that refuses them
  expect_identical(write()$n_records, 2000)
  keeping <- function(rule) {
    DBI::dbRemoveTable(con, "synthetic")
    DBI::dbExecute(con, sprintf(
      "CREATE TABLE synthetic
       (income REAL %s, sex TEXT, age TEXT, earner TEXT)",
      rule
    ))
  }
  keeping("UNIQUE ON CONFLICT IGNORE")
  expect_error(write(), "as many rows as were written", class = input_error)
  nothing()
  keeping("CHECK (income < 50000)")
  expect_error(write(), "could not be written", class = input_error)
  nothing()
})

# A row of a part is refused that the first part does not have
test_that("what the table refuses later is kept beside it", {
  release <- released_people()
  local_replaced("part_records", 500)
  con <- set_table(release)
  into <- dplyr::tbl(con, "synthetic")
  write <- function() synthesize(release, n = 2000, seed = 4, into = into)
  write()
  rows <- DBI::dbReadTable(con, "synthetic")
  run <- statements_on(con)
  run("DROP TABLE synthetic")
  later <- setdiff(rows$income[501:2000], rows$income[1:500])[1]
  expect_false(is.na(later))
  run(
    "CREATE TABLE synthetic (income REAL CHECK (income <>",
    format(later, digits = 17), "), sex TEXT, age TEXT, earner TEXT)"
  )
  expect_message(
    expect_error(write(), "could not be written", class = input_error),
    "4 finished parts", class = "pseudosynth_message_kept"
  )
  expect_identical(nrow(DBI::dbReadTable(con, "synthetic")), 0L)
  run("DROP TABLE synthetic")
  run("CREATE TABLE synthetic (income REAL, sex TEXT, age TEXT, earner TEXT)")
  local_replaced("file_drawer", function(...) stop("drawn"))
  expect_identical(suppressMessages(write())$n_records, 2000)
  expect_equal(DBI::dbReadTable(con, "synthetic"), rows)
  expect_identical(DBI::dbListTables(con), "synthetic")
})

test_that("a disk that is full in a part, or in the end, loses no part", {
  release <- released_people()
  local_replaced("part_records", 500)
  database <- withr::local_tempfile(fileext = ".db")
  con <- DBI::dbConnect(RSQLite::SQLite(), database)
  withr::defer(DBI::dbDisconnect(con))
  few <- as_words(synthesize(release, n = 9)[[1]])
  DBI::dbCreateTable(con, "synthetic", few)
  write <- function() {
    synthesize(
      release, n = 4000, seed = 4, into = dplyr::tbl(con, "synthetic")
    )
  }
  write()
  rows <- DBI::dbReadTable(con, "synthetic")
  pages <- function() DBI::dbGetQuery(con, "PRAGMA page_count")[[1]]
  most <- function(n) {
    DBI::dbGetQuery(con, sprintf("PRAGMA max_page_count = %.0f", n))
  }
  DBI::dbExecute(con, "VACUUM")
  whole <- pages()
  DBI::dbExecute(con, "DELETE FROM synthetic")
  # In the middle of the parts, and while they are moved
  for (room in c(0.6, 1.5)) {
    DBI::dbExecute(con, "VACUUM")
    most(round(room * whole))
    # RSQLite fails once more while it takes the part back
    expect_message(
      error <- tryCatch(write(), error = identity),
      if (room < 1) "[2-6] finished parts" else "8 finished parts",
      class = "pseudosynth_message_kept"
    )
    error <- suppressMessages(tryCatch(write(), error = identity))
    expect_s3_class(error, "pseudosynth_error_write")
    expect_match(conditionMessage(error), "Is the disk full")
    expect_identical(nrow(DBI::dbReadTable(con, "synthetic")), 0L)
    most(1e6)
    suppressMessages(write())
    expect_identical(DBI::dbReadTable(con, "synthetic"), rows)
    expect_identical(DBI::dbListTables(con), "synthetic")
    DBI::dbExecute(con, "DELETE FROM synthetic")
  }
})

# A process that writes a set into a table of a file, and dies before its n-th
# statement
write_until <- function(n, database, release) {
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(release, file)
  code <- bquote({
    left <- .(n)
    for (name in c("dbAppendTable", "dbExecute", "dbBegin", "dbCommit")) {
      trace(name, quote({
        left <<- left - 1
        if (left == 0) tools::pskill(Sys.getpid(), 9)
      }), where = asNamespace("DBI"), print = FALSE)
    }
    utils::assignInNamespace("part_records", 500, "pseudosynth")
    con <- DBI::dbConnect(RSQLite::SQLite(), .(database))
    into <- dplyr::tbl(con, "synthetic")
    pseudosynth::synthesize(
      readRDS(.(file)), n = 1800, seed = 4, into = into
    )
    cat("finished")
  })
  script <- withr::local_tempfile(fileext = ".R")
  writeLines(deparse(code), script)
  suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"), script, stdout = TRUE, stderr = FALSE
  ))
}

test_that("a set into a table is finished, at whatever statement it died", {
  skip_on_cran()
  skip_on_os("windows")
  release <- released_people()
  local_replaced("part_records", 500)
  con <- set_table(release)
  write <- function(con, n = 1800, seed = 4, x = release) {
    synthesize(x, n = n, seed = seed, into = dplyr::tbl(con, "synthetic"))
  }
  write(con)
  rows <- DBI::dbReadTable(con, "synthetic")
  statements <- by_night(1:24, c(5, 9, 13, 17, 20, 22))
  died <- vapply(statements, function(k) {
    database <- withr::local_tempfile(fileext = ".db")
    own <- DBI::dbConnect(RSQLite::SQLite(), database)
    withr::defer(DBI::dbDisconnect(own))
    DBI::dbCreateTable(own, "synthetic", rows)
    said <- write_until(k, database, release)
    expect_identical(
      nrow(DBI::dbReadTable(own, "synthetic")), 1800L * (length(said) > 0)
    )
    if (length(said) == 0) suppressMessages(write(own))
    expect_identical(DBI::dbReadTable(own, "synthetic"), rows)
    expect_identical(DBI::dbListTables(own), "synthetic")
    length(said) == 0
  }, NA)
  expect_true(all(died[statements < 23]))
})

target_error <- "pseudosynth_error_target"

# What is left in a database by a run that stops in its third part
leave_parts <- function(con, write) {
  plain <- finished_file
  seen <- 0
  local_replaced("finished_file", function(...) {
    seen <<- seen + 1
    if (seen == 3) stop("no luck")
    plain(...)
  })
  suppressMessages(expect_error(write(con), "no luck"))
  setdiff(DBI::dbListTables(con), "synthetic")
}

test_that("a server that goes away takes no part with it", {
  connect <- local_postgresql()
  con <- connect()
  other <- connect()
  release <- released_people()
  local_replaced("part_records", 500)
  rows <- as_words(synthesize(release, n = 10)[[1]])
  run <- statements_on(con)
  run("CREATE SCHEMA \"My area\"")
  id <- DBI::Id(schema = "My area", table = "a set")
  sorted <- function(x) x[do.call(order, unname(as.list(x))), ]
  found <- function() {
    sorted(DBI::dbGetQuery(other, "SELECT * FROM \"My area\".\"a set\""))
  }
  DBI::dbCreateTable(con, id, rows)
  write <- function(con) {
    synthesize(release, n = 1800, seed = 4, into = dplyr::tbl(con, id))
  }
  write(con)
  whole <- found()
  run("DELETE FROM \"My area\".\"a set\"")
  plain <- finished_file
  seen <- 0
  local_replaced("finished_file", function(...) {
    seen <<- seen + 1
    if (seen == 3) {
      DBI::dbGetQuery(other, "SELECT pg_terminate_backend(pid)
        FROM pg_stat_activity
        WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'")
    }
    plain(...)
  })
  suppressWarnings(expect_message(
    expect_error(write(con), class = "pseudosynth_error"),
    "2 finished parts", class = "pseudosynth_message_kept"
  ))
  expect_identical(nrow(found()), 0L)
  expect_message(
    write(connect()), "2 of 4 parts were",
    class = "pseudosynth_message_continued"
  )
  expect_identical(seen, 5)
  expect_identical(found(), whole)
  left <- DBI::dbGetQuery(other, "SELECT relname FROM pg_class
    WHERE relname LIKE 'pseudosynth%'")
  expect_identical(nrow(left), 0L)
  # A role that may fill the table and make none beside it
  run <- statements_on(other)
  run("DELETE FROM \"My area\".\"a set\"")
  run("CREATE ROLE few LOGIN")
  run("GRANT USAGE ON SCHEMA \"My area\" TO few")
  run("GRANT SELECT, INSERT ON \"My area\".\"a set\" TO few")
  expect_error(write(connect("few")), "500 records", class = input_error)
  into <- dplyr::tbl(connect("few"), id)
  expect_identical(synthesize(release, n = 400, into = into)$n_records, 400)
})

test_that("parts that wait are of the same set, or are left alone", {
  release <- released_people()
  local_replaced("part_records", 500)
  con <- set_table(release)
  write <- function(con, n = 1800, seed = 4, x = release) {
    synthesize(x, n = n, seed = seed, into = dplyr::tbl(con, "synthetic"))
  }
  left <- leave_parts(con, write)
  refused <- function(...) {
    error <- expect_error(
      write(con, ...), "Nothing else must wait", class = target_error
    )
    expect_match(conditionMessage(error), left[2], fixed = TRUE)
  }
  refused(n = 1801)
  refused(seed = 5)
  refused(seed = NULL)
  refused(x = released_people(epsilon = 10))
  run <- statements_on(con)
  parts <- grep("parts", left, value = TRUE)
  notes <- grep("notes", left, value = TRUE)
  run("DELETE FROM", parts, "WHERE rowid = 7")
  refused()
  run("DROP TABLE", notes)
  refused()
  run("DROP TABLE", parts)
  run("CREATE TABLE", notes, "(a)")
  refused()
  run("DROP TABLE", notes)
  # Without a seed the words of the first parts are those of the others
  leave_parts(con, function(con) write(con, seed = NULL))
  local_replaced("words_of_files", function(seed) stop("New words."))
  expect_message(
    written <- write(con, seed = NULL), "2 of 4 parts were",
    class = "pseudosynth_message_continued"
  )
  expect_identical(nrow(DBI::dbReadTable(con, "synthetic")), 1800L)
  expect_identical(DBI::dbListTables(con), "synthetic")
  # Of what is refused at once nothing is left
  run("DROP TABLE synthetic")
  run(
    "CREATE TABLE synthetic (income CHECK (income IS NULL), sex, age, earner)"
  )
  local_replaced("words_of_files", function(seed) {
    list(block = 1:2, amounts = 3:4)
  })
  expect_error(write(con), "could not be written", class = input_error)
  expect_identical(DBI::dbListTables(con), "synthetic")
})

test_that("a table that does more with rows than to keep them is refused", {
  release <- released_people()
  con <- set_table(release)
  local_replaced("file_drawer", function(...) stop("drawn"))
  run <- statements_on(con)
  refused <- function(pattern, name = "synthetic") {
    expect_error(
      synthesize(release, n = 10, into = dplyr::tbl(con, name)), pattern,
      class = target_error
    )
  }
  run("CREATE TABLE spy (x)")
  trigger <- paste(
    "TRIGGER copies AFTER INSERT ON synthetic BEGIN",
    "INSERT INTO spy VALUES (NEW.income); END"
  )
  run("CREATE", trigger)
  refused("has a trigger")
  # In capitals, too
  refused("has a trigger", "SYNTHETIC")
  run("DROP TRIGGER copies")
  # For one session alone
  run("CREATE TEMP", sub("ON syn", "ON main.syn", trigger))
  refused("has a trigger")
  run("DROP TRIGGER copies")
  run("CREATE VIEW seen AS SELECT * FROM synthetic")
  refused("no table of its own", "seen")
  run("CREATE TEMP VIEW synthetic AS SELECT * FROM main.synthetic")
  refused("no table of its own")
  expect_error(
    synthesize(release, n = 10, into = dplyr::tbl(
      con, dbplyr::in_schema("main", "synthetic")
    )), "drawn"
  )
})

test_that("triggers, rules and policies of PostgreSQL are refused", {
  connect <- local_postgresql()
  con <- connect()
  run <- statements_on(con)
  release <- released_people()
  few <- synthesize(release, n = 5, seed = 1)[[1]]
  DBI::dbCreateTable(con, "synthetic", few)
  write <- function(con, name = "synthetic") {
    synthesize(release, n = 10, into = dplyr::tbl(con, name))
  }
  refused <- function(pattern, ...) {
    expect_error(write(...), pattern, class = target_error)
  }
  run(
    "CREATE FUNCTION more() RETURNS trigger LANGUAGE plpgsql AS",
    "'BEGIN NEW.income = NEW.income + 1; RETURN NEW; END'"
  )
  run(
    "CREATE TRIGGER more BEFORE INSERT ON synthetic FOR EACH ROW",
    "EXECUTE FUNCTION more()"
  )
  refused("has a trigger", con)
  run("ALTER TABLE synthetic DISABLE TRIGGER more")
  run("CREATE TABLE parent (LIKE synthetic) PARTITION BY LIST (sex)")
  run("ALTER TABLE parent ATTACH PARTITION synthetic DEFAULT")
  run("ALTER TABLE synthetic ENABLE TRIGGER more")
  refused("has a trigger", con, "parent")
  run("DROP TRIGGER more ON synthetic")
  run("CREATE TABLE spy (LIKE synthetic)")
  run(
    "CREATE RULE also AS ON INSERT TO synthetic DO ALSO",
    "INSERT INTO spy VALUES (NEW.*)"
  )
  refused("has a rule", con)
  run("DROP RULE also ON synthetic")
  run("CREATE VIEW seen AS SELECT * FROM synthetic")
  refused("no table of its own", con, "seen")
  run("CREATE ROLE few LOGIN")
  run("GRANT SELECT, INSERT ON synthetic TO few")
  run("INSERT INTO synthetic (income) VALUES (1)")
  run("CREATE POLICY none ON synthetic TO few USING (false)")
  run("ALTER TABLE synthetic ENABLE ROW LEVEL SECURITY")
  # It would pass for an empty one
  refused("row-level security", connect("few"))
  run("DELETE FROM synthetic")
  expect_identical(write(con)$n_records, 10)
})

# A release of cents, thousandths, large whole numbers and any decimals
released_decimals <- function() {
  data <- withr::with_seed(1, data.frame(
    cents = round(stats::rlnorm(400, 9, 1), 2),
    mills = round(stats::runif(400, 0, 50), 3),
    large = 1e5 * sample(1:60, 400, TRUE), any = stats::rnorm(400)
  ))
  book <- codebook(data.frame(
    column = names(data), type = "amount", lower = c(0, 0, 0, -50),
    upper = c(1e6, 100, 1e10, 50), digits = c("2", "3", "0", "any")
  ))
  suppressWarnings(file_release(file_plan(data, book), 8, seed = 1))
}

# Numbers of a table as text, without the zeros that say nothing
kept_text <- function(con, name, column) {
  found <- DBI::dbGetQuery(con, sprintf(
    "SELECT CAST(%s AS VARCHAR(60)) AS v FROM %s", column, name
  ))$v
  sub("[.]$", "", sub("([.][0-9]*?)0+$", "\\1", found, perl = TRUE))
}

expect_decimals <- function(con, name, columns, release) {
  DBI::dbCreateTable(con, name, columns)
  synthesize(release, n = 400, seed = 4, into = dplyr::tbl(con, name))
  set <- synthesize(release, n = 400, seed = 4)[[1]]
  most <- c(cents = 2, mills = 3, large = 0)
  for (column in names(most)) {
    text <- kept_text(con, name, column)
    decimals <- ifelse(grepl(".", text, fixed = TRUE), nchar(
      sub(".*[.]", "", text)
    ), 0)
    expect_lte(max(decimals), most[[column]])
    expect_no_match(text, "e", fixed = TRUE)
    expect_identical(sort(as.double(text)), sort(set[[column]]))
  }
  expect_equal(
    sort(as.double(kept_text(con, name, "\"any\""))), sort(set$any),
    tolerance = 1e-14
  )
}

test_that("a table has the decimals that are stated, whatever its columns", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  release <- released_decimals()
  con <- sqlite()
  columns <- function(type) {
    stats::setNames(rep(type, 4), c("cents", "mills", "large", "any"))
  }
  types <- c(a = "TEXT", b = "REAL", c = "NUMERIC", d = "DECIMAL(12,2)")
  for (name in names(types)) {
    expect_decimals(con, name, columns(types[[name]]), release)
  }
  folder <- file.path(withr::local_tempdir(), "sets")
  files <- synthesize(release, n = 400, seed = 4, into = folder)
  lines <- readLines(file.path(files$into, files$table$file))[-1]
  expect_match(lines, "^[0-9]+([.][0-9]{1,2})?,[0-9]+([.][0-9]{1,3})?,[0-9]+,")
})

test_that("PostgreSQL has the decimals that are stated, or refuses them", {
  con <- local_postgresql()()
  release <- released_decimals()
  columns <- function(cents, ...) {
    c(cents = cents, mills = "numeric", large = "bigint", any = "text")
  }
  types <- c("numeric", "numeric(12,2)", "double precision", "text")
  for (k in seq_along(types)) {
    expect_decimals(con, letters[k], columns(types[k]), release)
  }
  for (type in c("numeric(12,1)", "real", "integer")) {
    DBI::dbCreateTable(con, "bad", columns(type))
    expect_error(
      synthesize(release, n = 400, into = dplyr::tbl(con, "bad")),
      "keep values|could not be written", class = input_error
    )
    expect_identical(nrow(DBI::dbReadTable(con, "bad")), 0L)
    DBI::dbRemoveTable(con, "bad")
  }
})

test_that("what is no empty table of the set's columns is refused", {
  release <- released_people()
  con <- set_table(release)
  table <- dplyr::tbl(con, "synthetic")
  local_replaced("file_drawer", function(...) stop("drawn"))
  refused <- function(pattern, into = table, x = release, ...) {
    expect_error(
      synthesize(x, into = into, n = 10, ...), pattern, class = input_error
    )
  }
  refused("takes one set", m = 2)
  refused("has further steps", dplyr::filter(table, income > 1))
  refused("has further steps", dplyr::select(table, "income"))
  refused(
    "has further steps",
    dplyr::tbl(con, dplyr::sql("SELECT * FROM synthetic"))
  )
  DBI::dbCreateTable(con, "other", c(income = "REAL", sex = "TEXT", b = "TEXT"))
  refused("lacks \"age\" and \"earner\"", dplyr::tbl(con, "other"))
  refused("has no \"b\"", dplyr::tbl(con, "other"))
  refused("uncertainty", uncertainty = TRUE)
  DBI::dbBegin(con)
  refused("transaction of its")
  DBI::dbCommit(con)
  closed <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  DBI::dbCreateTable(closed, "synthetic", c(income = "REAL"))
  gone <- dplyr::tbl(closed, "synthetic")
  DBI::dbDisconnect(closed)
  refused("connection of `into` must be open", gone)
})

test_that("a table that changes values is refused, and is left empty", {
  data <- withr::with_seed(1, data.frame(
    code = factor(sample(c("01", "1", "2"), 500, TRUE), c("01", "1", "2")),
    pay = round(stats::rlnorm(500, 8, 1), 2)
  ))
  plan <- file_plan(data, confirm_codebook(draft_codebook(data)))
  release <- file_release(plan, 8, seed = 1)
  con <- sqlite()
  refused <- function(columns, pattern) {
    withr::defer(DBI::dbRemoveTable(con, "s"))
    DBI::dbCreateTable(con, "s", columns)
    into <- dplyr::tbl(con, "s")
    expect_error(
      synthesize(release, n = 100, into = into), pattern, class = input_error
    )
    expect_identical(nrow(DBI::dbReadTable(con, "s")), 0L)
  }
  # Text in a column of numbers loses its zeros
  refused(c(code = "INTEGER", pay = "REAL"), "\"code\" does not")
  DBI::dbCreateTable(con, "s", c(code = "TEXT", pay = "REAL"))
  into <- dplyr::tbl(con, "s")
  expect_identical(synthesize(release, n = 100, into = into)$n_records, 100)
})

test_that("dates, flags, labels and missing values arrive as what they are", {
  set <- data.frame(
    day = as.Date(c("2020-01-31", NA)), yes = c(TRUE, NA),
    n = 1:2, f = factor(c("a", NA))
  )
  set$label <- structure(c(1, 2), labels = c(x = 1), class = "haven_labelled")
  plain <- database_rows(set, sqlite_backend())
  expect_identical(plain, data.frame(
    day = c("2020-01-31", NA), yes = c(TRUE, NA), n = 1:2, f = c("a", NA),
    label = c(1, 2)
  ))
  expect_identical(database_rows(set, postgresql_backend())$day, set$day)
})

test_that("parts with missing and empty text are refused, none is left", {
  data <- data.frame(
    g = rep(c("", NA, "a"), 60), h = rep(c("u", "v"), 90)
  )
  book <- suppressMessages(confirm_codebook(draft_codebook(data)))
  made <- suppressMessages(file_release(file_plan(data, book), 5, seed = 1))
  folder <- file.path(withr::local_tempdir(), "sets")
  error <- refusal(synthesize(made, into = folder))
  expect_s3_class(error, "pseudosynth_error_input")
  expect_identical(error$columns, "g")
  expect_false(dir.exists(folder))
  # One of the two alone comes back as it was
  for (text in list(c("", "b", "a"), c("b", NA, "a"))) {
    data$g <- rep(text, 60)
    book <- suppressMessages(confirm_codebook(draft_codebook(data)))
    made <- suppressMessages(file_release(file_plan(data, book), 5, seed = 1))
    folder <- file.path(withr::local_tempdir(), "sets")
    expect_no_error(suppressMessages(synthesize(made, into = folder)))
  }
})

# Writes until the third part fails, and leaves what a killed process would
leave_killed <- function(write, parent, owner = "99999999~1") {
  plain <- finished_file
  seen <- 0
  local_replaced("finished_file", function(...) {
    seen <<- seen + 1
    if (seen == 3) {
      left <- dir(parent, "^[.]release-", all.files = TRUE, full.names = TRUE)
      host <- Sys.info()[["nodename"]]
      dead <- sub("^([.]release-[0-9a-f]+-).*$", "\\1", basename(left))
      dead <- file.path(parent, paste0(dead, host, "~", owner, "~1"))
      dir.create(dead)
      file.copy(dir(left, full.names = TRUE), dead)
      stop("killed")
    }
    plain(...)
  })
  expect_error(write(), "killed")
}

test_that("sets that a killed process has left are finished", {
  skip_if_not(dir.exists("/proc/self"))
  release <- released_people()
  parent <- withr::local_tempdir()
  local_replaced("part_records", 500)
  write <- function(name = "sets", seed = 4) {
    synthesize(release, n = 1800, into = file.path(parent, name), seed = seed)
  }
  bytes <- function(x) {
    unname(tools::md5sum(dir(x$into, full.names = TRUE)))
  }
  whole <- write("whole")
  leave_killed(write, parent)
  # Of two that were left the one with most parts is taken
  left <- dir(parent, "^[.]release-", all.files = TRUE, full.names = TRUE)
  dir.create(paste0(left, "0"))
  # Others have nothing to do with it
  other <- write(seed = 5)
  unlink(other$into, recursive = TRUE)
  expect_message(
    written <- write(), "2 of 4 parts were",
    class = "pseudosynth_message_continued"
  )
  expect_identical(bytes(written), bytes(whole))
  expect_identical(written$table, whole$table)
  expect_identical(
    dir(parent, all.files = TRUE, no.. = TRUE), c("sets", "whole")
  )
  # A part that was changed, and a file of somebody else, do not stay
  for (spoil in list(
    function(left) cat("x\n", file = file.path(left, "set1-1.csv")),
    function(left) unlink(file.path(left, "set1-1.csv")),
    function(left) cat("x", file = file.path(left, "extra.txt")),
    function(left) unlink(file.path(left, words_of_parts)),
    function(left) saveRDS(list("a"), file.path(left, words_of_parts))
  )) {
    unlink(written$into, recursive = TRUE)
    leave_killed(write, parent)
    spoil(dir(parent, "^[.]release-", all.files = TRUE, full.names = TRUE))
    written <- suppressMessages(write())
    expect_identical(bytes(written), bytes(whole))
  }
  # Without a seed the words of the first parts are those of the others
  unlink(written$into, recursive = TRUE)
  leave_killed(function() write(seed = NULL), parent)
  left <- dir(parent, "^[.]release-", all.files = TRUE, full.names = TRUE)
  words <- readRDS(file.path(left, words_of_parts))
  # What was cut off while it was written is written again
  writeLines("half", file.path(left, "set1-2.rds"))
  said <- character()
  local_replaced("words_of_files", function(seed) stop("New words."))
  expect_message(
    written <- write(seed = NULL), "1 of 4 parts were",
    class = "pseudosynth_message_continued"
  )
  expect_identical(sum(written$table$records), 1800)
  expect_false(any(grepl("rds", dir(written$into))))
  # A process that still writes keeps its folder
  unlink(written$into, recursive = TRUE)
  local_replaced("words_of_files", function(seed) words)
  own <- sub("^[^ ]* ", "", process_name())
  leave_killed(write, parent, owner = gsub(" ", "~", own))
  expect_no_message(write(), class = "pseudosynth_message_continued")
})

# Parquet files ----------------------------------------------------------------

read_parquet_sets <- function(x) {
  lapply(file.path(x$into, x$table$file), function(file) {
    as.data.frame(nanoparquet::read_parquet(file))
  })
}

test_that("Parquet files hold what CSV files of the seed hold, with levels", {
  skip_if_not_installed("nanoparquet")
  release <- released_people()
  local_replaced("part_records", 700)
  folder <- withr::local_tempdir()
  write <- function(format) {
    synthesize(
      release, m = 2, n = 1500, seed = 4, into = file.path(folder, format),
      format = format
    )
  }
  csv <- write("csv")
  parquet <- write("parquet")
  names <- sprintf("set%d-%d", rep(1:2, each = 3), 1:3)
  expect_identical(parquet$table$file, paste0(names, ".parquet"))
  expect_identical(csv$table$file, paste0(names, ".csv"))
  expect_identical(parquet$table[c("set", "records")], csv$table[-2])
  expect_identical(
    dir(parquet$into), c("codebook.csv", "label.txt", parquet$table$file)
  )
  for (text in c("codebook.csv", "label.txt")) {
    expect_identical(
      readLines(file.path(parquet$into, text)),
      readLines(file.path(csv$into, text))
    )
  }
  parts <- read_parquet_sets(parquet)
  both <- lapply(split(parts, parquet$table$set), do.call, what = rbind)
  expect_equal(lapply(both, as_words), read_sets(csv))
  # Each part has all levels, in their order, and numbers to the last bit
  small <- synthesize(release, n = 500, seed = 4)[[1]]
  expect_identical(lapply(parts[[1]], class), lapply(small, class))
  expect_identical(lapply(parts[[1]], levels), lapply(small, levels))
  expect_identical(parts[[1]], as.data.frame(small), ignore_attr = TRUE)
  expect_output(print(parquet), "6 Parquet files, codebook")
  expect_output(print(csv), "6 CSV files, codebook")
  expect_identical(guarantee(parquet), guarantee(csv))
})

test_that("a Parquet file holds values, and nothing that a frame carries", {
  skip_if_not_installed("nanoparquet")
  frame <- data.frame(
    f = factor(c("b", NA), c("c", "b")), t = c("", NA), i = c(3L, NA),
    d = as.Date("2020-01-31") + c(0, NA), l = c(TRUE, NA), x = c(0.1, NA),
    row.names = c("Ann Miller", "Bob Stone")
  )
  frame$time <- structure(c(1.6e9, NA), class = c("POSIXct", "POSIXt"))
  values <- frame
  attr(frame, "note") <- "Cyd Young"
  attr(frame$x, "label") <- "Dan White"
  attr(frame$f, "label") <- "Eve Black"
  file <- withr::local_tempfile(fileext = ".parquet")
  write_parquet(frame, file)
  expect_equal(
    as.data.frame(nanoparquet::read_parquet(file)), values, ignore_attr =
      c("row.names", "tzone")
  )
  write_parquet(frame, file, compression = "uncompressed")
  bytes <- readBin(file, "raw", file.size(file))
  text <- rawToChar(bytes[bytes > 31 & bytes < 127])
  expect_match(text, "b")
  expect_no_match(text, "Miller|Stone|Young|White|Black|note|label|row")
  # What readers are told beside the columns: their types
  about <- nanoparquet::read_parquet_metadata(file)$file_meta_data
  told <- about$key_value_metadata[[1]]
  expect_identical(told$key, "ARROW:schema")
  skip_if_not_installed("jsonlite")
  bytes <- jsonlite::base64_dec(told$value)
  expect_no_match(
    rawToChar(bytes[bytes > 31 & bytes < 127]),
    "Miller|Stone|Young|White|Black|note|label|row"
  )
})

test_that("a Parquet file that is cut off is an error", {
  skip_if_not_installed("nanoparquet")
  skip_if_not(file.exists("/dev/full"))
  full <- withr::local_tempfile(fileext = ".parquet")
  file.symlink("/dev/full", full)
  expect_error(write_parquet(data.frame(x = 1:10), full), "incomplete")
})

test_that("Parquet files of a killed process are finished, CSV are others", {
  skip_if_not_installed("nanoparquet")
  skip_if_not(dir.exists("/proc/self"))
  release <- released_people()
  parent <- withr::local_tempdir()
  local_replaced("part_records", 500)
  write <- function(name = "sets", format = "parquet") {
    synthesize(
      release, n = 1800, into = file.path(parent, name), seed = 4,
      format = format
    )
  }
  bytes <- function(x) {
    unname(tools::md5sum(dir(x$into, full.names = TRUE)))
  }
  whole <- write("whole")
  leave_killed(write, parent)
  expect_no_message(
    unlink(write(format = "csv")$into, recursive = TRUE),
    class = "pseudosynth_message_continued"
  )
  left <- dir(parent, "^[.]release-", all.files = TRUE, full.names = TRUE)
  # One of two parts is no longer what was written
  cat("x", file = file.path(left, "set1-1.parquet"), append = TRUE)
  expect_message(
    written <- write(), "1 of 4 parts were",
    class = "pseudosynth_message_continued"
  )
  expect_identical(bytes(written), bytes(whole))
  expect_identical(written$table, whole$table)
})

test_that("Parquet files tell missing text from empty text", {
  skip_if_not_installed("nanoparquet")
  data <- data.frame(
    g = rep(c("", NA, "a"), 60), h = rep(c("u", "v"), 90)
  )
  book <- suppressMessages(confirm_codebook(draft_codebook(data)))
  made <- suppressMessages(file_release(file_plan(data, book), 5, seed = 1))
  folder <- file.path(withr::local_tempdir(), "sets")
  written <- suppressMessages(synthesize(
    made, n = 300, seed = 3, into = folder, format = "parquet"
  ))
  set <- suppressMessages(synthesize(made, n = 300, seed = 3))[[1]]
  found <- read_parquet_sets(written)[[1]]
  expect_identical(as.character(found$g), as.character(set$g))
  expect_true(anyNA(found$g) && any(found$g %in% ""))
})

test_that("a format is refused where there are no such files", {
  release <- released_people()
  folder <- file.path(withr::local_tempdir(), "sets")
  con <- set_table(release)
  local_replaced("file_drawer", function(...) stop("drawn"))
  refused <- function(pattern, ...) {
    error <- expect_error(
      synthesize(release, n = 10, ...), pattern, class = input_error
    )
    expect_identical(error$arg, "format")
  }
  refused("\"csv\" or \"parquet\"", into = folder, format = "rds")
  refused("only applies with `into`", format = "parquet")
  refused(
    "only applies to a folder", into = dplyr::tbl(con, "synthetic"),
    format = "parquet"
  )
  local_replaced("check_installed", function(packages, arg = NULL) {
    abort_input("{.pkg {packages}} is not there.", arg = arg)
  })
  refused("nanoparquet", into = folder, format = "parquet")
})
