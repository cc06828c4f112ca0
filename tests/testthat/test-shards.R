# A file in several tables is released as the whole file is, and refused where
# the whole file is.

thirds <- function(d) rep_len(1:3, nrow(d))

test_that("a release of parts is that of the data frame", {
  d <- engine_persons(by_night(3000, 1500))
  # One part lacks a level, and is small; the others lie on one connection
  part <- ifelse(d$group == "A" | seq_len(nrow(d)) %% 4 > 0, 1, 2)
  part[seq(1, nrow(d), 500)] <- 3
  parts <- parts_of(d, part)
  few <- do.call(shards, lapply(parts$parts, function(table) {
    dplyr::filter(table, .data$hours > 30)
  }))
  expect_releases_of_frame(parts, d, few, by_night(TRUE, c(2, 5, 8, 10)))
  expect_output(print(parts), "3 parts: a table of SQLite", fixed = TRUE)
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
  parts <- parts_of(d, thirds(d))
  parts$parts[[2]] <- dplyr::filter(parts$parts[[2]], .data$income < 0)
  expect_same_release(
    released(log(income) ~ flag, parts),
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
  parts <- do.call(shards, tables)
  expect_identical(draft_codebook(parts), draft_codebook(d))
  expect_same_release(
    released(log(income) ~ flag, parts), released(log(income) ~ flag, d)
  )
  expect_error(
    draft_codebook(shards(
      tables[[3]], dplyr::filter(tables[[1]], .data$visits < 0)
    )), "have"
  )
  expect_error(
    released(log(income) ~ hours, parts), "missing for 300",
    class = "pseudosynth_error_input"
  )
})

test_that("a part that is given twice is refused", {
  d <- engine_persons(300)
  path <- withr::local_tempfile(fileext = ".sqlite")
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  withr::defer(DBI::dbDisconnect(con))
  RSQLite::initExtension(con, "math")
  DBI::dbWriteTable(con, "persons", d)
  DBI::dbWriteTable(con, "others", d)
  other <- DBI::dbConnect(RSQLite::SQLite(), path)
  withr::defer(DBI::dbDisconnect(other))
  RSQLite::initExtension(other, "math")
  persons <- dplyr::tbl(con, "persons")
  twice <- list(
    shards(persons, persons), shards(persons, dplyr::tbl(con, "PERSONS")),
    shards(
      dplyr::filter(persons, .data$hours > 30),
      dplyr::filter(persons, .data$hours <= 30)
    ),
    shards(persons, dplyr::tbl(other, "persons")),
    shards(persons, dplyr::tbl(con, "others"), persons)
  )
  for (parts in twice) {
    expect_error(
      released(log(income) ~ flag, parts), "one part",
      class = "pseudosynth_error_rows"
    )
    expect_error(draft_codebook(parts), class = "pseudosynth_error_rows")
  }
  # Databases in memory that connections share
  memory <- lapply(1:2, function(k) {
    DBI::dbConnect(RSQLite::SQLite(), "file:shared?mode=memory&cache=shared")
  })
  DBI::dbWriteTable(memory[[1]], "persons", d)
  expect_error(
    released(visits ~ flag, do.call(
      shards, lapply(memory, dplyr::tbl, "persons")
    ), stats::poisson(), bounds = NULL, reference = list("(Intercept)" = 1)),
    "one part", class = "pseudosynth_error_rows"
  )
  lapply(memory, DBI::dbDisconnect)
  # Nothing stays open
  expect_no_error(released(log(income) ~ flag, persons))
  expect_no_error(
    released(log(income) ~ flag, shards(persons, dplyr::tbl(other, "others")))
  )
})

test_that("parts of other columns, types or values are refused", {
  d <- engine_persons(300)
  e <- engine_persons(300)
  refuse <- function(e, message, class = "pseudosynth_error_engine") {
    con <- sqlite(d = d, e = e)
    expect_error(
      released(
        log(income) ~ flag + hours,
        shards(dplyr::tbl(con, "d"), dplyr::tbl(con, "e"))
      ), message, class = class
    )
  }
  refuse(e[names(e) != "visits"], "same columns")
  e$hours <- as.character(e$hours)
  refuse(e, "in all")
  e <- engine_persons(300)
  e$income[3] <- NA
  refuse(e, "missing for 1 of", "pseudosynth_error_input")
  for (bad in list(
    list(), list(d), list(d, d), list(1, 2),
    list(dplyr::tbl(sqlite(d = d), "d"))
  )) {
    expect_error(do.call(shards, bad), class = "pseudosynth_error_input")
    # Nor by hand
    edited <- parts_of(d, thirds(d))
    edited$parts <- bad
    expect_error(
      released(log(income) ~ flag, edited), class = "pseudosynth_error_input"
    )
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
  parts <- parts_of(d, thirds(d))
  shown <- release_queries(
    log(income) ~ flag, parts, reference = income_reference, bounds = c(10, 2e6)
  )$queries
  expect_equal(as.vector(table(shown$when)[c("margin", "step")]), c(3, 3))
  # Without a margin
  shown <- release_queries(
    log(income) ~ flag, parts$parts[[1]], reference = income_reference
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
