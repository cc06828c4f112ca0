# Plans that leave their records on disk, beside plans in memory.

test_that("a release of records on disk is that of records in memory", {
  d <- stored_persons()
  book <- stored_book(d)
  rules <- list(~ income >= 20 | is.na(income), ~ flag != "no" | !is.na(flag))
  for (values in by_night(c(1000, 3000, 5e6), c(1000, 5e6))) {
    local_replaced("least_rows", 100)
    local_replaced("chunk_values", values)
    plans <- both_plans(d, book, rules = rules)
    expect_identical(nrow(plans$stored$codes), 0L)
    expect_lt(
      as.numeric(utils::object.size(unclass(plans$stored)$amounts)),
      as.numeric(utils::object.size(plans$whole$amounts)) / 2
    )
    expect_identical(decode_file(plans$stored), decode_file(plans$whole))
    # With tables of amounts, and without
    neighbours <- if (values == 1000) "replace" else "add-remove"
    epsilon <- if (values < 5e6) 8 else 2
    expect_identical(
      quietly_released(plans$stored, epsilon, neighbours = neighbours),
      quietly_released(plans$whole, epsilon, neighbours = neighbours)
    )
  }
})

test_that("columns of few or many levels, and of one part, are stored", {
  d <- stored_persons()
  d <- data.frame(
    place = sprintf("p%03d", seq_len(nrow(d)) %% 300), none = NA_character_,
    sum = round(stats::qnorm(stats::ppoints(nrow(d))), 2)
  )
  book <- suppressMessages(confirm_codebook(codebook(data.frame(
    column = names(d), type = c("category", "category", "amount"),
    levels = c(paste(unique(d$place), collapse = "|"), "a|b", ""),
    lower = c("", "", "-9"), upper = c("", "", "9"), digits = c("", "", "2"),
    missing = c(FALSE, TRUE, FALSE)
  ))))
  local_small_chunks()
  plans <- both_plans(d, book)
  expect_identical(decode_file(plans$stored), decode_file(plans$whole))
  alone <- both_plans(d["sum"], book[book$table$column == "sum", ])
  expect_identical(
    quietly_released(alone$stored, 1), quietly_released(alone$whole, 1)
  )
})

test_that("a file in several parts, or on disk, is stored as one", {
  d <- stored_persons(600)
  book <- stored_book(d)
  local_small_chunks()
  whole <- quietly_released(both_plans(d, book)$whole, 2)
  parts <- parts_of(d, rep(1:3, length.out = 600))
  plans <- both_plans(d, book, table = parts)
  expect_identical(quietly_released(plans$stored, 2), whole)
  skip_if_not_installed("duckdb")
  folder <- withr::local_tempdir()
  paths <- file.path(folder, c("a.csv", "b.csv"))
  write_csv(d[1:250, ], paths[1])
  write_csv(d[251:600, ], paths[2])
  plans <- both_plans(d, book, table = paths)
  expect_identical(quietly_released(plans$stored, 2), whole)
})

test_that("what is refused of records in memory is refused of those on disk", {
  d <- stored_persons()
  local_small_chunks()
  book <- stored_book(d)
  refused <- function(d, ..., rows = TRUE) {
    con <- sqlite(persons = d)
    errors <- lapply(c(10, Inf), function(most) {
      withr::local_options(pseudosynth.records_in_memory = most)
      tryCatch(
        file_plan(dplyr::tbl(con, "persons"), book, ...),
        pseudosynth_error = identity
      )
    })
    expect_s3_class(errors[[1]], "pseudosynth_error")
    expect_identical(class(errors[[1]]), class(errors[[2]]))
    expect_identical(
      conditionMessage(errors[[1]]), conditionMessage(errors[[2]])
    )
    expect_equal(errors[[1]]$rows, errors[[2]]$rows)
  }
  outside <- d
  outside$group[c(3, 250, 899)] <- "elsewhere"
  outside$income[c(3, 700)] <- -1
  refused(outside)
  refused(d, rules = ~ age > 100)
  refused(d, rules = ~ income > 1e6 | is.na(income))
  refused(d, rules = list(~ flag == "yes", ~ flag == "no"))
  # The file's own numbers: a value, a mean, a quantile between two records, and
  # its scale
  income <- sort(d$income)
  for (number in c(
    income[is_long(income)][1], mean(income), stats::sd(income), sum(income)
  )) {
    refused(d, rules = bquote(
      income < .(number) | income >= .(number) | is.na(income)
    ))
  }
  d$share <- d$share / mean(d$share)
  book <- suppressMessages(confirm_codebook(edit_codebook(
    stored_book(d), share = list(lower = 0, upper = 9, digits = "any")
  )))
  refused(d)
})

test_that("units and survey weights are those of records in memory", {
  d <- file_persons(600)
  book <- suppressMessages(confirm_codebook(edit_codebook(
    file_persons_book(d), weight = list(digits = "any")
  )))
  local_small_chunks()
  plans <- suppressWarnings(
    both_plans(d, book, unit = "case", survey_weights = "weight")
  )
  expect_identical(
    quietly_released(plans$stored, 8), quietly_released(plans$whole, 8)
  )
  expect_identical(
    in_memory(plans$stored, ""), plans$whole
  )
  refused <- function(change) {
    con <- sqlite(persons = change(d))
    errors <- lapply(c(10, Inf), function(most) {
      withr::local_options(pseudosynth.records_in_memory = most)
      expect_error(suppressWarnings(file_plan(
        dplyr::tbl(con, "persons"), book, unit = "case",
        survey_weights = "weight"
      )), class = "pseudosynth_error")
    })
    expect_identical(
      conditionMessage(errors[[1]]), conditionMessage(errors[[2]])
    )
    expect_equal(errors[[1]]$rows, errors[[2]]$rows)
  }
  refused(function(d) within(d, case[c(5, 400)] <- NA))
  refused(function(d) within(d, case[c(5, 400, 401)] <- "case 7"))
  refused(function(d) within(d, weight[c(5, 400)] <- NA))
  refused(function(d) within(d, weight <- weight / mean(weight)))
  refused(function(d) within(d, weight <- weight / max(weight)))
  for (n in 599:600) {
    refused(function(d) {
      within(d[seq_len(n), ], weight <- weight / stats::median(weight))
    })
  }
})

test_that("published columns of records on disk are those in memory", {
  d <- stored_persons()
  d$visits[1:7] <- 400L
  book <- stored_book(d)
  local_small_chunks()
  rules <- list(~ income >= 20 | is.na(income), ~ visits <= income)
  d$income <- ifelse(is.na(d$income), NA, d$income + 1000)
  for (publish in list("group", c("flag", "visits"), c("visits", "income"))) {
    plans <- both_plans(d, book, publish = publish, rules = rules[
      c(TRUE, !all(c("visits", "income") %in% publish))
    ])
    expect_identical(nrow(plans$stored$codes), 0L)
    expect_identical(decode_file(plans$stored), decode_file(plans$whole))
    releases <- lapply(plans, quietly_released, 8)
    expect_identical(releases$stored, releases$whole)
    sets <- lapply(releases, synthesize, seed = 2)
    expect_identical(sets$stored, sets$whole)
  }
})

test_that("what is refused of published columns in memory is so on disk", {
  d <- stored_persons()
  local_small_chunks()
  refused <- function(d, book, class, ...) {
    errors <- lapply(c(10, Inf), function(most) {
      con <- sqlite(persons = d)
      withr::local_options(pseudosynth.records_in_memory = most)
      expect_error(
        suppressMessages(file_plan(dplyr::tbl(con, "persons"), book, ...)),
        class = class
      )
    })
    expect_identical(
      conditionMessage(errors[[1]]), conditionMessage(errors[[2]])
    )
    expect_equal(errors[[1]]$rows, errors[[2]]$rows)
  }
  # Published values beyond which others have no room, in several chunks
  d$visits[c(3, 450, 899)] <- 999L
  book <- suppressMessages(confirm_codebook(edit_codebook(
    stored_book(d), share = list(lower = 0, upper = 500, digits = "any")
  )))
  refused(
    d, book, "pseudosynth_error_rule", publish = "visits",
    rules = ~ visits <= share
  )
  d$copy <- 2 * d$income
  book <- suppressMessages(confirm_codebook(draft_codebook(d)))
  refused(d, book, "pseudosynth_error_copied_response", publish = "copy")
})

test_that("what needs all records has them in memory, where they fit", {
  d <- file_persons(400)
  book <- file_persons_book(d)
  plan_of <- function(most, ...) {
    withr::local_options(pseudosynth.records_in_memory = most)
    suppressMessages(suppressWarnings(file_plan(table, book, ...)))
  }
  table <- dplyr::tbl(sqlite(persons = d), "persons")
  # A release holds what is published
  withr::local_options(pseudosynth.memory = 1e3)
  for (publish in list("select", c("select", "visits"))) {
    error <- expect_error(
      plan_of(10, publish = publish), class = "pseudosynth_error_memory"
    )
    expect_match(conditionMessage(error), "publish", fixed = TRUE)
  }
  withr::local_options(pseudosynth.memory = 1e4)
  expect_error(
    plan_of(Inf, unit = "case", members = members(~ -hours, slots = 2)),
    class = "pseudosynth_error_memory"
  )
  stored <- plan_of(10)
  for (f in list(
    decode_file, cleared_tables, function(plan) fit_file(plan, seed = 1)
  )) {
    expect_error(f(stored), class = "pseudosynth_error_memory")
  }
  release <- quietly_released(stored, 8)
  expect_error(
    record_vectors(release, stored, 1), class = "pseudosynth_error_memory"
  )
  withr::local_options(pseudosynth.memory = NULL)
  whole <- plan_of(Inf)
  expect_identical(cleared_tables(stored), cleared_tables(whole))
  expect_identical(
    record_vectors(release, stored, 7), record_vectors(release, whole, 7)
  )
})

test_that("a plan says how long a release takes, and how much room sets", {
  d <- stored_persons()
  local_replaced("format_time", function(seconds) {
    expect_gt(seconds, 0)
    "a year"
  })
  plan <- both_plans(d, stored_book(d))$stored
  path <- withr::local_tempfile()
  write_csv(decode_file(plan), path)
  said <- capture.output(print(plan))
  expect_match(said, "release +about a year, as 900 records say", all = FALSE)
  # It is found once, and the plan is as it was
  local_replaced("release_file_plan", function(...) stop("again"))
  expect_identical(capture.output(print(plan)), said)
  expect_no_error(check_sealed(plan))
  bytes <- signif(file.size(path) / nrow(d), 2)
  expect_match(said, sprintf("%s bytes a record as CSV", bytes), all = FALSE)
  expect_match(said, sprintf("take %s GB", bytes / 10), all = FALSE)
  expect_false(any(grepl("csv", dir(plan$stored$folder))))
  # Records that are gone are no error of the print
  unlink(path_in_store(plan$stored, value_key("income")))
  expect_no_match(capture.output(print(plan)), "bytes")
  other <- both_plans(d, stored_book(d))$stored
  unlink(path_in_store(other$stored, value_key("income")))
  expect_no_match(capture.output(print(other)), "bytes|about")
})

test_that("records that are gone, or others, are refused before payment", {
  d <- stored_persons(300)
  stored <- both_plans(d, stored_book(d))$stored
  expect_output(print(stored), "in files of this session, not in memory")
  lost <- "pseudosynth_error_records"
  path <- path_in_store(stored$stored, value_key("income"))
  bytes <- readBin(path, "raw", file.size(path))
  writeBin(rev(bytes), path)
  book <- ledger(withr::local_tempfile(), epsilon = 5, delta = 1e-5)
  expect_error(file_release(stored, 1, ledger = book), class = lost)
  unlink(path)
  expect_error(file_release(stored, 1, ledger = book), class = lost)
  expect_error(decode_file(stored), class = lost)
  writeBin(bytes, path)
  expect_identical(nrow(as.data.frame(book)), 0L)
  release <- suppressMessages(suppressWarnings(
    file_release(stored, 1, ledger = book)
  ))
  expect_identical(nrow(as.data.frame(book)), 1L)
  # Nothing is left behind
  folder <- stored$stored$folder
  expect_true(dir.exists(folder))
  rm(stored)
  gc()
  expect_false(dir.exists(folder))
})

test_that("a release of records on disk goes on where it failed", {
  d <- stored_persons(600)
  local_small_chunks()
  plans <- both_plans(d, stored_book(d))
  whole <- quietly_released(plans$whole, 3)
  plain <- store_numbers
  calls <- 0
  local_replaced("store_numbers", function(...) {
    calls <<- calls + 1
    if (calls == 8) stop("The disk is full.")
    plain(...)
  })
  error <- expect_error(
    quietly_released(plans$stored, 3), class = "pseudosynth_error_paid"
  )
  expect_gt(length(error$noise), 5)
  expect_identical(suppressMessages(resume(error)), whole)
})

test_that("level numbers are read from files of any width, and no others", {
  withr::local_seed(4)
  folder <- withr::local_tempdir()
  levels <- c(3L, 256L, 70000L)
  bytes <- c(1L, 2L, 4L)
  codes <- vapply(levels, function(k) sample.int(k, 1000, TRUE), 1:1000)
  paths <- file.path(folder, bytes)
  for (k in 1:3) writeBin(codes[, k], paths[k], size = bytes[k])
  read <- function(before, n, threads = 1, top = levels) {
    stored_codes_(paths, bytes, top, before, n, threads)
  }
  expect_identical(read(0, 1000L), codes)
  expect_identical(read(300, 500L, 2), codes[301:800, ])
  expect_identical(read(1000, 0L), codes[integer(), ])
  # Too few numbers, a number that is no level, no file
  expect_null(read(1, 1000L))
  expect_null(read(0, 1000L, top = levels - c(0L, 0L, 69000L)))
  writeBin(raw(1000), paths[1])
  expect_null(read(0, 10L))
  unlink(paths[2])
  expect_null(read(0, 10L))
  expect_error(read(0, 1L, top = 1:2), "bytes and levels for each")
})

test_that("the option is a number of records", {
  d <- stored_persons(300)
  expect_error(
    both_plans(d, stored_book(d), most = "many"), class = input_error
  )
})

test_that("audits, odd names and runs that go on read records on disk", {
  d <- stats::setNames(stored_persons()[c("age", "income")], c("g", ".inc"))
  book <- edit_codebook(draft_codebook(d), .inc = list(
    type = "amount", lower = 1, upper = 1e9, digits = 0, levels = character()
  ))
  plans <- both_plans(d, suppressMessages(confirm_codebook(book)))
  expect_identical(decode_file(plans$stored), decode_file(plans$whole))
  release <- quietly_released(plans$stored, 1)
  audits <- lapply(plans, function(plan) {
    audit_guarantee(release, plan, rows = 100, replays = 2, seed = 1)
  })
  expect_identical(audits$stored$worst, audits$whole$worst)
  # After a failure, other records are no longer its own
  local_replaced("release_amounts", function(...) stop("later"))
  error <- expect_error(
    suppressMessages(suppressWarnings(file_release(plans$stored, 1))),
    class = "pseudosynth_error_paid"
  )
  path <- path_in_store(plans$stored$stored, value_key(".inc"))
  kept <- readBin(path, "raw", file.size(path))
  writeBin(rev(kept), path)
  again <- tryCatch(resume(error), error = identity)
  expect_s3_class(again, "pseudosynth_error")
  expect_s3_class(again$cause %||% again, "pseudosynth_error_records")
})

test_that("a fork leaves the records of its parent", {
  skip_on_os("windows")
  plans <- both_plans(stored_persons(200), stored_book(stored_persons(200)))
  stored <- plans$stored$stored
  suppressWarnings(parallel::mclapply(1:2, function(i) {
    rm(stored, plans, envir = parent.env(environment()))
    gc()
  }, mc.cores = 2))
  expect_true(dir.exists(stored$folder))
})
