# A file of two tables: households with their number, region and rent, persons
linked_file <- function(homes = 60) {
  persons <- home_persons(homes)
  households <- persons[!duplicated(persons$home), c("home", "region")]
  households$rooms <- withr::with_seed(3, sample(5L, homes, TRUE))
  # In an order of their own
  households <- households[withr::with_seed(4, sample(homes)), ]
  row.names(households) <- NULL
  list(households = households, persons = persons[c(1, 3:5)])
}

linked_book <- function(file = linked_file()) {
  confirm_codebook(edit_codebook(draft_codebook(file), home = "id"))
}

linked_plan <- function(file = linked_file(), book = linked_book(), ...) {
  suppressMessages(
    file_plan(file, book, unit = "home", members = members(~ -age, 4, ...))
  )
}

test_that("two tables are the plan of the one that they make together", {
  file <- linked_file()
  suppressMessages(book <- linked_book(file))
  plan <- linked_plan(file, book)
  both <- merge(file$persons, file$households, sort = FALSE)
  both <- both[names(plan$members$persons$schema)]
  one <- suppressMessages(file_plan(both, book,
    unit = "home", members = members(~ -age, 4, c("region", "rooms"))
  ))
  sorted <- function(plan) {
    sort(apply(plan$codes[, names(plan$levels)], 1, toString))
  }
  expect_identical(plan$levels, one$levels)
  expect_identical(sorted(plan), sorted(one))
  # And it gives them back, with new numbers
  found <- decode_file(plan)
  expect_identical(lapply(found, names), lapply(file, names))
  expect_identical(found$households$home, seq_len(60))
  texts <- function(x) {
    rows <- do.call(paste, lapply(x$persons[-1], as.character))
    own <- x$households[match(x$persons$home, x$households$home), -1]
    rows <- do.call(paste, c(list(rows), own))
    sort(unname(tapply(rows, x$persons$home, function(y) toString(sort(y)))))
  }
  expect_identical(texts(found), texts(file))
  expect_match(printed(plan), "households (home, region, rooms)", fixed = TRUE)
  # A household of the draft counts once, whatever its size
  expect_identical(unclass(book)$table$column, c(
    "home", "region", "rooms", "age", "sex", "work"
  ))
})

test_that("tables of a database are two linked ones, too", {
  skip_unless_nightly()
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  file <- linked_file()
  file$persons$age <- as.character(file$persons$age)
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  for (name in names(file)) DBI::dbWriteTable(con, name, file[[name]])
  remote <- lapply(stats::setNames(nm = names(file)), function(name) {
    dplyr::tbl(con, name)
  })
  book <- suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(remote),
    home = "id", work = list(type = "ordered", levels = 0:1),
    age = list(type = "ordered", levels = c("0-19", "20-59", "60+"))
  )))
  plan <- linked_plan(remote, book)
  # SQLite has no flags
  file$persons$work <- as.integer(file$persons$work)
  expect_identical(plan$codes, linked_plan(file, book)$codes)
})

test_that("tables that do not fit together are refused before payment", {
  file <- linked_file()
  suppressMessages(book <- linked_book(file))
  refused <- function(households = file$households, persons = file$persons,
                      table, rows) {
    error <- expect_error(
      linked_plan(list(households = households, persons = persons), book),
      class = "pseudosynth_error_members"
    )
    expect_identical(error$table, table)
    expect_identical(error$rows, rows)
    expect_no_match(conditionMessage(error), "SECRET", fixed = TRUE)
  }
  homes <- file$households
  refused(rbind(homes, homes[2, ]), table = "households", rows = c(2L, 61L))
  gone <- homes$home[5]
  refused(
    homes[-5, ], table = "persons", rows = which(file$persons$home == gone)
  )
  alone <- replace(homes[1, ], "home", "SECRET")
  refused(rbind(homes, alone), table = "households", rows = 61L)
  for (none in c(NA, "")) {
    other <- homes
    other$home[3] <- none
    refused(other, table = "households", rows = 3L)
    other <- file$persons
    other$home[7] <- none
    refused(persons = other, table = "persons", rows = 7L)
  }
  # What is no pair of tables
  input <- "pseudosynth_error_input"
  persons <- file$persons
  wrong <- list(
    unname(file), file[1], c(file, file[1]), list(a = homes, A = persons),
    list("a/b" = homes, b = persons), list(a = 1, b = persons),
    list(a = cbind(homes, sex = "m"), b = persons),
    list(a = homes[-1], b = persons), list(a = homes, b = persons[0, ]),
    list(a = replace(homes, "home", list(seq_len(60))), b = persons)
  )
  for (other in wrong) {
    expect_error(linked_plan(other, book), class = input)
  }
  expect_error(draft_codebook(wrong[[1]]), class = input)
  expect_error(draft_codebook(wrong[[7]]), class = input)
  expect_error(
    draft_codebook(list(a = homes["home"], b = persons)), class = input
  )
  expect_error(file_plan(file, book), "members", class = input)
  expect_error(
    file_plan(file, book, unit = "sex", members = members(~ -age, 4)),
    class = input
  )
})

test_that("sets are two tables in every form", {
  file <- linked_file()
  suppressMessages(book <- linked_book(file))
  release <- home_release(linked_plan(file, book))
  sets <- synthesize(release, m = 2)
  whole <- function(x) {
    expect_identical(lapply(x, names), lapply(file, names))
    expect_identical(x$households$home, seq_len(nrow(x$households)))
    expect_identical(unique(x$persons$home), x$households$home)
    expect_households(cbind(
      x$persons, x$households[x$persons$home, "region", drop = FALSE]
    ), 4)
  }
  whole(sets[[2]])
  whole(sets[1:2][[1]])
  whole(as.list(sets)[[1]])
  expect_identical(
    unlist(with(sets, nrow(households))),
    vapply(as.list(sets), function(x) nrow(x$households), 1L)
  )
  # One table of persons, or one of the two
  joined <- as.data.frame(sets, set = 1)
  expect_identical(names(joined), c(names(file[[1]]), names(file[[2]])[-1]))
  homes <- as.data.frame(sets, table = "households")
  expect_identical(names(homes), c("set", names(file$households)))
  expect_identical(nrow(homes), sum(unlist(with(sets, nrow(households)))))
  expect_error(as.data.frame(sets, table = "no"), "households")
  expect_error(as.data.frame(sets, set = 3), "no set 3")
  expect_match(printed(sets), "persons (home, age, sex, work)", fixed = TRUE)
  # Edited, nothing is claimed
  edited <- sets
  edited$tables <- NULL
  expect_identical(guarantee(edited)$label, "none")
  expect_s3_class(utility(sets, file), "file_utility")
  expect_s3_class(risk(sets, file, keys = c("sex", "age")), "risk")
})

test_that("what is written has both tables, their codebooks and certificate", {
  file <- linked_file()
  suppressMessages(book <- linked_book(file))
  release <- home_release(linked_plan(file, book))
  sets <- synthesize(release, m = 2)
  folder <- withr::local_tempdir()
  at <- function(...) file.path(folder, ...)
  suppressMessages(release(sets, at("sets"), data = file))
  books <- sprintf("codebook-%s.csv", names(file))
  expect_setequal(dir(at("sets")), c(
    "certificate.json", "certificate.txt", books,
    outer(c("set-1-", "set-2-"), paste0(names(file), ".csv"), paste0)
  ))
  tables <- lapply(names(file), function(name) {
    found <- utils::read.csv(at("sets", sprintf("set-2-%s.csv", name)))
    expect_identical(names(found), names(file[[name]]))
    book <- codebook(at("sets", sprintf("codebook-%s.csv", name)))
    expect_identical(as.data.frame(book)$column, names(file[[name]]))
    found
  })
  expect_setequal(tables[[1]]$home, tables[[2]]$home)
  told <- jsonlite::read_json(at("sets", "certificate.json"), TRUE)
  expect_identical(told$tables, lapply(file, names))
  text <- paste(readLines(at("sets", "certificate.txt")), collapse = "\n")
  expect_match(text, "households (home, region, rooms)", fixed = TRUE)
  bytes <- unlist(lapply(dir(at("sets"), full.names = TRUE), readLines))
  expect_no_match(bytes, "SECRETHOME", fixed = TRUE)
  skip_unless_nightly()
  suppressMessages(release(sets, at("long"), data = file, long = TRUE))
  expect_setequal(
    dir(at("long"), "^sets"), sprintf("sets-%s.csv", names(file))
  )
  suppressMessages(release(release, at("object"), data = file))
  # Part by part
  local_replaced("part_records", 50)
  written <- synthesize(release, n = 120, into = at("parts"))
  own <- as.data.frame(written)
  expect_identical(unique(own$table), names(file))
  read <- function(name) {
    files <- own$file[own$table == name]
    do.call(rbind, lapply(at("parts", files), utils::read.csv))
  }
  homes <- read("households")
  persons <- read("persons")
  expect_identical(homes$home, 1:120)
  expect_identical(unique(persons$home), 1:120)
  expect_identical(written$n_records, nrow(persons))
  expect_identical(sum(own$records), nrow(persons) + 120L)
  expect_true(all(file.exists(at("parts", books))))
  skip_if_not_installed("nanoparquet")
  write <- function(format) {
    synthesize(release, n = 120, seed = 4, into = at(format), format = format)
  }
  csv <- write("csv")
  parquet <- write("parquet")
  expect_identical(parquet$table$file, sub("csv$", "parquet", csv$table$file))
  expect_identical(parquet$table[-3], csv$table[-3])
  expect_setequal(dir(parquet$into), c(parquet$table$file, books, "label.txt"))
  for (file in csv$table$file) {
    found <- nanoparquet::read_parquet(
      at("parquet", sub("csv$", "parquet", file))
    )
    expect_equal(
      lapply(found, as.character),
      lapply(utils::read.csv(at("csv", file), na.strings = ""), as.character)
    )
  }
})

test_that("reports of two tables are those of persons with their household", {
  skip_unless_nightly()
  skip_without_pandoc()
  file <- linked_file()
  suppressMessages(book <- linked_book(file))
  sets <- suppressWarnings(synthesize_file(linked_plan(file, book)))
  page <- file.path(withr::local_tempdir(), "review.html")
  suppressMessages(report(sets, page, data = file))
  expect_true(file.exists(page))
})
