# A file in several tables is released as the whole file is, and refused where
# the whole file is.

parts_of <- function(d, part, ..., .local_envir = parent.frame()) {
  cons <- list(
    sqlite(.local_envir = .local_envir), sqlite(.local_envir = .local_envir)
  )
  tables <- Map(function(rows, k) {
    con <- cons[[k %% 2 + 1]]
    name <- paste0("part", k)
    DBI::dbWriteTable(con, name, d[rows, , drop = FALSE])
    dplyr::tbl(con, name)
  }, unname(split(seq_len(nrow(d)), part)), seq_len(length(unique(part))))
  do.call(shards, tables)
}

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

test_that("what tells the response of the whole is refused, in any parts", {
  d <- telling()
  columns <- c(
    "rounded", "text", "rank", "class", "less", "nearly", "mean", "mean_text",
    "mean_log", "median", "median_2", "held", "held_text", "low", "high"
  )
  third <- ceiling(rank(d$income) / 500)
  d$third <- c("b", "c", "a")[third]
  d$copy <- round(log(d$income), 1)
  # At random; by the response; by what tells it, so that it is constant
  few <- list(c("class", "held_text"), c("mean_log", "third"))
  splits <- list(thirds(d), third)
  for (k in seq_along(splits)) {
    parts <- parts_of(d, splits[[k]])
    for (column in by_night(c(columns, "third", "copy"), few[[k]])) {
      formula <- stats::reformulate(c(column, "flag"), quote(log(income)))
      if (is_nightly()) refused_copy(formula, d)
      refused_copy(formula, parts)
    }
  }
  # A part for each of its values, by day of the three that most have
  value <- match(d$high, unique(d$high))
  most <- order(-tabulate(value))[1:3]
  d <- by_night(d, d[value %in% most, ])
  refused_copy(log(income) ~ high, parts_of(d, d$high))
})

test_that("what has nothing to do with the response is taken, in any parts", {
  d <- telling()
  d$other <- withr::with_seed(1, sample(d$rounded))
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

test_that("classes are told on any scale, and honest groups pass", {
  withr::local_seed(3)
  n <- 900
  z <- stats::rnorm(n)
  d <- data.frame(
    q = c("b", "c", "a")[ceiling(rank(z) / 300)],
    perm = paste0("c", (7 * ceiling(rank(z) / 45)) %% 31),
    other = sample(letters[1:4], n, TRUE)
  )
  places <- list(c(0, 1), c(0, 1e6), c(0, 1e-8), c(1e9, 1), c(1e6, 10))
  # By day the one where fewest digits tell the records apart
  for (place in by_night(places, places[3])) {
    d$y <- place[1] + place[2] * z
    of <- function(formula, data) {
      released(formula, data, stats::gaussian(), bounds = NULL,
        reference = list("(Intercept)" = place[1], sigma = place[2])
      )
    }
    parts <- parts_of(d, thirds(d))
    refused_by <- function(formula) {
      expect_error(
        of(formula, parts), class = "pseudosynth_error_copied_response"
      )
    }
    refused_by(y ~ q)
    refused_by(y ~ perm)
    expect_same_release(of(y ~ other, parts), of(y ~ other, d))
  }
})

test_that("one far record hides no class, and the zeros of many are one", {
  withr::local_seed(4)
  n <- 900
  d <- data.frame(y = stats::rnorm(n))
  d$q <- c("b", "c", "a")[ceiling(rank(d$y) / 300)]
  of <- function(formula, data) {
    released(formula, data, stats::gaussian(), bounds = NULL,
      reference = list("(Intercept)" = 0, sigma = 1)
    )
  }
  for (far in by_night(c(1e15, 1e200), 1e200)) {
    d$y[which.max(d$y)] <- far
    expect_copy(of(y ~ q, d))
    expect_copy(of(y ~ q, parts_of(d, thirds(d))))
  }
  # A group that has 0 alone is no class of those that have it, too
  d$y <- ifelse(seq_len(n) %% 3 > 0, 0, abs(d$y))
  d$none <- ifelse(d$y == 0 & seq_len(n) < 400, "none", "some")
  expect_same_release(of(y ~ none, parts_of(d, thirds(d))), of(y ~ none, d))
  # Nor beside a predictor with which each combination is one record's
  d$many <- seq_len(n) %% 300
  d$none <- ifelse(d$y == 0 & seq_len(n) < 300, "none", "some")
  expect_same_release(
    of(y ~ none + many, parts_of(d, thirds(d))), of(y ~ none + many, d)
  )
})

test_that("looks go first into the few classes that decide of a column", {
  # Two combinations in each of 300 classes; groups that meet within classes
  cells <- list(n = rep(5, 600))
  picture <- list(
    cell = 1:600, bin = rep(1:300, each = 2), split = rep(TRUE, 300)
  )
  groups <- function(by) list(values = findInterval(1:600, seq(2, 600, by)))
  of <- function(...) groups_in_picture(picture, cells, list(...))$unsure
  few <- of(groups(6))
  expect_length(few, 100)
  more <- of(groups(4))
  expect_length(more, 150)
  # Both are too many at once: queries stay as long, whatever the columns
  expect_setequal(of(groups(4), groups(6)), few)
  expect_setequal(of(groups(4), groups(20)), union(of(groups(20)), more))
  expect_length(of(groups(2)), 0)
  # Where the one is known to overlap, the other has its turn
  picture$split[setdiff(few, more)[1]] <- FALSE
  expect_setequal(of(groups(4), groups(6)), more)
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

test_that("classes of two or more responses are told, and no others", {
  d <- engine_persons(1500)
  d$copy <- ifelse(d$works == 1, "x", "y")
  d$state <- paste0(match(d$status, unique(d$status)), d$flag)
  for (part in list(thirds(d), d$copy)) {
    parts <- parts_of(d, part)
    expect_copy(works_of(works ~ copy, parts))
    expect_same_release(
      works_of(works ~ group, parts), works_of(works ~ group, d)
    )
    expect_copy(status_of(status ~ state, parts))
  }
})

test_that("stated numbers that are the whole file's are refused", {
  d <- engine_persons(1500)
  parts <- parts_of(d, ceiling(rank(d$income) / 500))
  y <- log(d$income)
  with_centre <- function(centre, data) {
    released(
      log(income) ~ flag, data,
      reference = list("(Intercept)" = centre, sigma = 1)
    )
  }
  told <- c(
    mean(y), stats::median(y), stats::quantile(y, 0.25), stats::IQR(y),
    stats::sd(y), stats::mad(y), min(y), max(y), y[17], 2.5 * stats::sd(y),
    log(mean(y))
  )
  for (centre in by_night(told, told[c(1, 4, 6, 9)])) {
    for (data in by_night(list(d, parts), list(parts))) {
      expect_error(
        with_centre(centre, data), class = "pseudosynth_error_privacy"
      )
    }
  }
  expect_same_release(with_centre(10.8, parts), with_centre(10.8, d))
  # Far from all of these
  expect_same_release(with_centre(8.1234, parts), with_centre(8.1234, d))
  ends <- function(bounds, data) {
    released(log(income) ~ flag, data, bounds = bounds)
  }
  for (bounds in list(c(min(d$income), 2e6), c(10, max(d$income)))) {
    expect_error(ends(bounds, d), class = "pseudosynth_error_privacy")
    expect_error(ends(bounds, parts), class = "pseudosynth_error_privacy")
  }
  # The least of a part is not the least of the file
  inside <- min(d$income[rank(d$income) > 500])
  expect_no_error(ends(c(10, inside * 100), parts))
  wide <- c(10, max(d$income[rank(d$income) <= 1000]))
  expect_same_release(ends(wide, parts), ends(wide, d))
})

test_that("statistics lie where their classes say", {
  withr::local_seed(2)
  for (i in 1:20) {
    scale <- 10^sample(c(-12, 0, 12), 1)
    y <- scale * stats::rlnorm(sample(c(2:60, 1e3, 1e4), 1), 3)
    if (i %% 2) y <- scale * round(y / scale)
    if (i %% 3 == 0) y <- y - mean(y)
    tally <- function(breaks) {
      bin <- findInterval(y, breaks) + 1L
      n <- tabulate(bin, length(breaks) + 1)
      list(cell = rep(1L, sum(n > 0)), bin = which(n > 0), n = n[n > 0])
    }
    response <- list(
      kind = "continuous", transform = "identity", type = "double",
      digits = NA, levels = NULL
    )
    picture <- response_picture(response, tally)
    expect_true(all(
      near_in_picture(picture, response, abs(response_statistics(y)), "own")
    ))
  }
  # Few other numbers do
  y <- stats::rlnorm(1e4, 3)
  picture <- response_picture(response, tally)
  others <- stats::quantile(y, seq(0.01, 0.99, 0.001))
  expect_lt(mean(near_in_picture(picture, response, others, "own")), 0.1)
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
