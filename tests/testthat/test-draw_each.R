# Sets of whole files on the workers of a plan: those that are drawn here.

# However few values there are
always_on_workers <- function(env = parent.frame()) {
  local_replaced("shared_values", 0, env)
}

# Made once for each seed, and only read
released <- function(seed = 2) {
  remember(
    paste("draw_each", seed),
    suppressWarnings(file_release(people_plan(), epsilon = 5, seed = seed))
  )
}

test_that("sets are the same on any number of workers, and without a plan", {
  skip_if_not_installed("rpart")
  always_on_workers()
  release <- released()
  plan <- people_plan(people(by_night(400, 200)))
  trees <- fit_file(plan, seed = 1, m = 3)
  lines <- suppressWarnings(
    fit_file(plan, model = "regression", seed = 1, m = 3)
  )
  cleared <- cleared_tables(people_plan(), multiple = 5)
  uncertain <- function() {
    synthesize(release, m = 3, seed = 4, uncertainty = TRUE)
  }
  draw <- function() {
    list(
      best = synthesize(release, m = 3, n = 300, seed = 4),
      uncertain = uncertain(),
      trees = synthesize(trees, m = 3, seed = 4),
      lines = synthesize(lines, m = 3, seed = 4),
      cleared = synthesize(cleared, m = 3, seed = 4)
    )
  }
  here <- draw()
  # Where they ran
  ran <- 0
  on_workers <- rows_on_workers
  local_replaced("rows_on_workers", function(...) {
    ran <<- ran + 1
    on_workers(...)
  })
  local_workers()
  there <- draw()
  expect_equal(ran, length(here))
  for (name in names(here)) expect_identical(there[[name]], here[[name]])
  future::plan("multisession", workers = 1)
  expect_identical(uncertain(), here$uncertain)
  # A set has its number's stream, however many there are
  of <- function(m) as.list(synthesize(release, m, n = 300, seed = 4))
  expect_identical(of(2), of(3)[1:2])
  expect_false(identical(here$trees[[1]], here$trees[[2]]))
  # Without a seed each has its own
  sets <- as.list(synthesize(release, m = 2))
  expect_false(identical(sets[[1]], sets[[2]]))
  expect_false(identical(as.list(synthesize(release, m = 2)), sets))
})

test_that("each amount of each set swaps by chances of its own", {
  data <- people()
  data$other <- rev(data$income)
  book <- as.data.frame(draft_codebook(data))
  amounts <- book$column %in% c("income", "other")
  book[amounts, "type"] <- "amount"
  book[amounts, "lower"] <- "1"
  book[amounts, "upper"] <- "2e6"
  plan <- file_plan(data, confirm_codebook(codebook(book)))
  release <- suppressWarnings(file_release(plan, epsilon = 5, seed = 2))
  seen <- list()
  swap <- swapped_values
  local_replaced("swapped_values", function(x, y, line, set, targets, words,
                                            ...) {
    seen <<- c(seen, list(words))
    swap(x, y, line, set, targets, words, ...)
  })
  synthesize(release, m = 3, seed = 4)
  expect_length(seen, 6)
  expect_length(unique(unlist(seen)), 12)
})

test_that("a large set is the same on a worker: none was fitted with others", {
  release <- released()
  fewest <- utils::modifyList(block_fitting, list(particles = 200))
  local_replaced("block_fitting", fewest)
  here <- synthesize(release, m = 2, n = 600, seed = 4)
  rows <- draw_files(release, 2, 600, seed = 4)
  expect_identical(rows, as.list(here))
})

test_that("a worker has one thread, and its own number back", {
  withr::local_options(pseudosynth.threads = 2L)
  threads <- on_one_thread(function(item) default_threads() + item)
  expect_identical(threads(5L), 6L)
  expect_identical(default_threads(), 2L)
})

test_that("a worker gets words and the release, and keeps nothing", {
  always_on_workers()
  release <- released()
  local_workers()
  synthesize(release, m = 2, seed = 4)
  left <- lapply(1:2, function(i) future::future(ls(globalenv()), seed = NULL))
  expect_identical(unlist(lapply(left, future::value)), character())
  # Neither the folder nor what was drawn before
  sent <- ls(environment(on_one_thread(file_drawer(release))))
  expect_identical(sent, "draw")
  expect_identical(ls(environment(file_drawer(release))), "x")
  row <- on_one_thread(file_drawer(release))
  bare <- length(serialize(release, NULL))
  expect_lt(length(serialize(row, NULL)), bare + 30000)
})

test_that("parts go to a folder as they are drawn here", {
  always_on_workers()
  local_replaced("part_records", 150)
  release <- released()
  write <- function(name, format = "csv") {
    into <- file.path(folder, paste(name, format))
    written <- synthesize(
      release, m = 2, n = 400, seed = 4, into = into, format = format
    )
    files <- dir(into, full.names = TRUE)
    list(unname(tools::md5sum(files)), basename(files), written$table)
  }
  folder <- withr::local_tempdir()
  parquet <- requireNamespace("nanoparquet", quietly = TRUE)
  here <- write("here")
  if (parquet) here_parquet <- write("here", "parquet")
  local_workers()
  expect_identical(write("there"), here)
  expect_length(here[[2]], 8)
  if (parquet) expect_identical(write("there", "parquet"), here_parquet)
})

test_that("a worker sends what would be written, whole", {
  skip_if_not_installed("nanoparquet")
  part <- data.frame(home = c(1L, 1L, 2L), rent = c(5, 5, 9), age = 30:32)
  tables <- list(homes = c("home", "rent"), persons = c("home", "age"))
  cases <- list(list(), list(unit = "home", tables = tables))
  for (members in cases) {
    for (format in part_formats) {
      before <- dir(tempdir())
      found <- part_sender(members, format)(part)
      expect_identical(dir(tempdir()), before)
      paths <- withr::local_tempfile(lines = rep("", max(1, length(members))))
      paths <- paste0(paths, seq_along(found$content))
      note <- write_part(part, members, format, paths)
      expect_identical(found[names(note)], note)
      expect_identical(
        lapply(paths, bytes_of), lapply(unname(found$content), unlist)
      )
    }
  }
  expect_identical(note$records, 3L)
  expect_identical(unname(note$of_tables), 2:3)
  # A disk that filled up meanwhile
  write_bytes(list(as.raw(1:4), as.raw(5:9)), paths[1])
  expect_identical(bytes_of(paths[1]), as.raw(1:9))
  expect_identical(
    read_bytes(paths[1], 5), list(as.raw(1:5), as.raw(6:9))
  )
  expect_error(check_size(paths[1], 10), "incomplete")
  # A worker without the room sends the records
  local_replaced("write_part", function(...) stop("no room"))
  expect_identical(part_sender(list(), "csv")(part), part)
})

test_that("a table's rows are drawn here, whatever the plan", {
  skip_if_not_installed("RSQLite")
  skip_if_not_installed("dbplyr")
  always_on_workers()
  local_replaced("part_records", 150)
  local_replaced("uses_workers", function() TRUE)
  local_replaced("rows_on_workers", function(...) stop("sent"))
  release <- released()
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  set <- synthesize(release, n = 10)[[1]]
  DBI::dbCreateTable(con, "synthetic", database_rows(set, con))
  written <- synthesize(release, n = 400, into = dplyr::tbl(con, "synthetic"))
  expect_equal(nobs(written), 400)
})

# A fault in the third part, on its worker
faulty <- function(fault, env = parent.frame()) {
  local_replaced("file_drawer", function(x) {
    force(fault)
    function(item) {
      if (item$number == 3) fault() else Sys.sleep(0.1)
      data.frame(a = 1)
    }
  }, env)
}

test_that("a worker that dies, an error and Ctrl-C leave nothing", {
  always_on_workers()
  local_replaced("part_records", 100)
  release <- released()
  parent <- withr::local_tempdir()
  write <- function() {
    synthesize(release, n = 600, into = file.path(parent, "sets"))
  }
  nothing <- function() {
    expect_length(dir(parent, all.files = TRUE, no.. = TRUE), 0)
  }
  own <- Sys.getpid()
  faults <- list(
    dead = function() {
      if (Sys.getpid() != own) tools::pskill(Sys.getpid(), tools::SIGKILL)
      Sys.sleep(10)
    },
    broken = function() rlang::abort("no luck", class = "of_the_draw"),
    stopped = function() {
      if (Sys.getpid() != own) tools::pskill(own, tools::SIGINT)
      Sys.sleep(0.5)
    }
  )
  for (name in by_night(names(faults), c("dead", "stopped"))) {
    local_workers()
    faulty(faults[[name]])
    said <- tryCatch(
      write(), error = identity, interrupt = function(c) "interrupt"
    )
    nothing()
    future::plan("sequential")
    if (name == "dead") {
      expect_s3_class(said, "pseudosynth_error_worker")
      expect_match(conditionMessage(said), "its set was")
      expect_match(conditionMessage(said), "repeat the call")
      expect_no_match(conditionMessage(said), "file")
    } else if (name == "broken") {
      expect_s3_class(said, "of_the_draw")
    } else {
      expect_identical(said, "interrupt")
    }
  }
})

test_that("an error of a set is blamed on the user's call, as here", {
  always_on_workers()
  release <- released()
  local_replaced("file_drawer", function(x) {
    function(item) pseudosynth:::abort_input("No set can be.", arg = "rules")
  })
  call_of <- function() {
    error <- tryCatch(synthesize(release, m = 2), error = identity)
    expect_s3_class(error, input_error)
    deparse(error$call)
  }
  here <- call_of()
  local_workers()
  expect_identical(call_of(), here)
})

open_ledger <- function(env = parent.frame()) {
  skip_if_not_installed("jsonlite")
  path <- withr::local_tempfile(fileext = ".ledger", .local_envir = env)
  ledger(path, 10, delta = 1e-5)
}

test_that("a plan costs nothing more, and is charged once", {
  always_on_workers()
  release <- released(seed = NULL)
  spent <- function() {
    ledger <- open_ledger()
    synthesize(release, m = 2, ledger = ledger)
    synthesize(release, m = 3, ledger = ledger)
    as.data.frame(ledger)[c("number", "spent", "synthetic")]
  }
  here <- spent()
  local_workers()
  expect_identical(spent(), here)
})

test_that("few values, one set and workers of workers are drawn here", {
  release <- released()
  local_replaced("rows_on_workers", function(...) stop("sent"))
  local_workers()
  expect_no_error(synthesize(release, m = 2))
  always_on_workers()
  expect_error(synthesize(release, m = 2), "sent")
  expect_no_error(synthesize(release, m = 1))
  # In a worker of a plan with one level there is no plan
  nested <- future::future(
    pseudosynth:::draws_on_workers(2, Inf), seed = NULL
  )
  expect_false(future::value(nested))
  future::plan("sequential")
  expect_no_error(synthesize(release, m = 2))
})

test_that("forked workers are refused before the ledger is charged", {
  skip_if_not_installed("future")
  skip_if_not(future::supportsMulticore())
  release <- released(seed = NULL)
  old <- future::plan("multicore", workers = 2)
  withr::defer(future::plan(old))
  ledger <- open_ledger()
  expect_no_error(synthesize(release, m = 2))
  always_on_workers()
  expect_error(
    synthesize(release, m = 2, ledger = ledger), "multisession",
    class = input_error
  )
  expect_identical(nrow(as.data.frame(ledger)), 0L)
  expect_no_error(synthesize(release, m = 1))
})
