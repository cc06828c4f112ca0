# Files made from tables that an agency cleared by its own rules.

cleared_people <- function(n = 400) {
  set.seed(4)
  sex <- sample(c("male", "female"), n, TRUE)
  work <- ifelse(
    stats::runif(n) < ifelse(sex == "male", 0.8, 0.4), "yes", "no"
  )
  pay <- round(exp(9 + (work == "yes") + stats::rnorm(n, 0, 0.5)))
  pay[work == "no"] <- 0
  pay[seq(5, n, 9)] <- NA
  data.frame(
    sex = factor(sex), work = factor(work, c("yes", "no", "unknown")),
    pay = pay
  )
}

cleared_book <- function() {
  codebook(data.frame(
    column = c("sex", "work", "pay"),
    type = c("category", "category", "amount"),
    levels = c("female|male", "yes|no|unknown", ""), lower = c(NA, NA, 0),
    upper = c(NA, NA, 1e6), zero = c(FALSE, FALSE, TRUE),
    missing = c(FALSE, FALSE, TRUE), digits = c(NA, NA, 0),
    storage = c(NA, NA, "double"),
    transform = c(NA, NA, "log")
  ))
}

test_that("counts are rounded to multiples, small ones are 0", {
  expect_identical(
    coarsened(c(0, 4, 5, 9, 10, 14, 15, 25, 101), 10, 10),
    c(0, 0, 0, 0, 10, 10, 20, 30, 100)
  )
  # Of a least count that is no multiple nothing is below it
  expect_identical(coarsened(c(6, 7, 12), 10, 7), c(0, 10, 10))
  expect_identical(coarsened(0:3, 1, 1), c(0, 1, 2, 3))
  # What a count may have been, by trying all
  for (rule in list(c(10, 10), c(5, 3), c(4, 9), c(1, 1), c(10, 7))) {
    counts <- 0:200
    found <- coarsened(counts, rule[1], rule[2])
    ends <- count_ends(found, rule[1], rule[2])
    expect_true(all(counts >= ends$low & counts <= ends$high))
    # And no more than that
    for (value in unique(found[found > 0 & found < 190])) {
      own <- counts[found == value]
      at <- match(value, found)
      expect_identical(ends$low[at], as.double(min(own)))
      expect_identical(ends$high[at], as.double(max(own)))
    }
  }
})

test_that("a plan's tables are its records' counts, and hold no record", {
  people <- cleared_people()
  plan <- file_plan(people, cleared_book())
  bins <- list(pay = c(5000, 20000))
  x <- cleared_tables(plan, multiple = 5, bins = bins)
  own <- table(people$work, people$sex, dnn = c("work", "sex"))
  frame <- x$tables[["sex x work"]]
  expect_identical(
    frame$n,
    coarsened(as.vector(t(own)), 5, 5)
  )
  bin <- cut(people$pay, c(1, 5000, 20000, Inf), right = FALSE)
  expect_identical(
    x$tables[["pay in bins"]]$n,
    coarsened(
      c(as.vector(table(bin)), sum(is.na(people$pay) | people$pay == 0)), 5, 5
    )
  )
  expect_identical(x$table$order, unname(lengths(x$tables)) - 1L)
  expect_identical(x$n_records, 400)
  expect_setequal(
    names(x$tables), c(
      "sex", "work", "pay", "pay in bins", "sex x work", "sex x pay",
      "work x pay", "sex x pay in bins", "work x pay in bins",
      "pay x pay in bins"
    )
  )
  few <- cleared_tables(plan, c("sex", "pay"), bins = bins)
  expect_setequal(
    few$table$columns[few$table$order > 1],
    c("sex x pay", "sex x pay in bins", "pay x pay in bins")
  )
  # Nothing as long as the file is in it
  expect_lt(max(rapply(unclass(x), length, how = "unlist")), 400)
  expect_false(any(people$pay[people$pay %in% 1:1e6] %in% unlist(x$bins)))
})

test_that("sets have the tables, within what rounding leaves open", {
  people <- cleared_people(2000)
  plan <- file_plan(people, cleared_book())
  x <- cleared_tables(plan, multiple = 10)
  sets <- synthesize(x, 2, seed = 1)
  again <- cleared_tables(plan, multiple = 1, bins = x$bins)
  for (set in sets$sets) {
    expect_identical(lapply(set, class), lapply(people, class))
    expect_identical(levels(set$work), levels(people$work))
    drawn <- cleared_tables(file_plan(set, cleared_book()),
      multiple = 1, bins = x$bins
    )
    for (name in names(x$tables)) {
      ends <- count_ends(x$tables[[name]]$n, 10, 10)
      n <- drawn$tables[[name]]$n
      # Twelve tables cannot all be met to the last record
      expect_true(all(n >= ends$low - 6 & n <= ends$high + 6))
      off <- sum(abs(n - again$tables[[name]]$n)) / 2 / 2000
      expect_lt(off, 0.03)
    }
    # What is impossible does not occur: the level that nobody has, values of
    # those without
    expect_identical(sum(is.na(set$pay)), sum(drawn$tables$pay$n[1]) |>
      as.integer())
  }
  expect_identical(synthesize(x, 2, seed = 1)$sets, sets$sets)
  expect_identical(nrow(synthesize(x, n = 77)[[1]]), 77L)
  # The relation of work and sex is there, and is not where no table has it
  share <- function(set) {
    diff(prop.table(table(set$sex, set$work), 1)[, "yes"])
  }
  expect_equal(share(sets[[1]]), share(people), tolerance = 0.06)
  apart <- cleared_tables(plan, list("sex", "work"))
  expect_lt(abs(share(synthesize(apart, seed = 2)[[1]])), 0.09)
})

test_that("the label claims nothing, and edits are noticed", {
  plan <- file_plan(cleared_people(), cleared_book())
  x <- cleared_tables(plan)
  label <- guarantee(synthesize(x))
  expect_identical(label$label, "none")
  expect_identical(nrow(label$charges), 0L)
  expect_match(format(label), "cleared tables")
  expect_match(label$reasons[1], "no epsilon is claimed")
  expect_identical(label$public_inputs[["tables"]], "all pairs of columns")
  expect_false(any(grepl("read from the file", label$reasons)))
  people <- cleared_people()
  draft <- cleared_tables(file_plan(people, draft_codebook(people)))
  expect_match(guarantee(draft)$reasons, "were read from the file", all = FALSE)
  x$multiple <- 100
  expect_identical(guarantee(x)$label, "none")
  expect_error(synthesize(x), class = "pseudosynth_error_edited")
  expect_error(
    cleared_tables({
      plan$n_records <- 3L
      plan
    }),
    class = "pseudosynth_error_edited"
  )
  path <- withr::local_tempdir()
  plan <- file_plan(cleared_people(), cleared_book())
  sets <- synthesize(cleared_tables(plan))
  expect_error(
    release(sets, file.path(path, "a"), data = cleared_people()),
    class = "pseudosynth_error_privacy"
  )
  suppressMessages(release(
    sets, file.path(path, "b"), data = cleared_people(), require = "none"
  ))
  told <- readLines(file.path(path, "b", "certificate.txt"))
  expect_true(any(grepl("no epsilon is claimed", told)))
})

test_that("tables that were cleared elsewhere are taken as they are", {
  plan <- file_plan(cleared_people(), cleared_book())
  x <- cleared_tables(plan, multiple = 5)
  tables <- x$tables
  same <- cleared_tables(plan, rev(tables), multiple = 5, bins = x$bins)
  expect_setequal(names(same$tables), names(tables))
  expect_identical(
    synthesize(same, seed = 1)[[1]],
    synthesize(
      cleared_tables(plan, same$tables, multiple = 5, bins = x$bins), seed = 1
    )[[1]]
  )
  # Another order of columns and rows, cells that are empty left out, one cell
  # withheld
  frame <- tables[["sex x work"]]
  frame <- frame[frame$n > 0, c("work", "n", "sex")]
  frame <- frame[rev(seq_len(nrow(frame))), ]
  tables[["sex x work"]] <- frame
  expect_identical(
    cleared_tables(plan, tables, 5, bins = x$bins)$tables[["sex x work"]],
    x$tables[["sex x work"]]
  )
  tables[["sex x work"]]$n[2] <- NA
  held <- cleared_tables(plan, tables, 5, bins = x$bins)
  expect_identical(sum(held$table$withheld), 1)
  set <- synthesize(held, seed = 1)[[1]]
  expect_identical(dim(set), c(400L, 3L))
  # A table that is withheld as a whole
  tables <- x$tables
  tables[["sex x work"]]$n <- NA
  held <- cleared_tables(plan, tables, 5, bins = x$bins)
  expect_identical(held$tables[["sex x work"]]$n, rep(NA_real_, 6))
  expect_identical(dim(synthesize(held)[[1]]), c(400L, 3L))

  refused <- function(tables, ..., text) {
    error <- expect_error(
      cleared_tables(plan, tables, ...), class = "pseudosynth_error_input"
    )
    expect_match(conditionMessage(error), text, fixed = TRUE)
  }
  refused(x$tables, text = "`bins` must name every amount")
  bins <- x$bins
  odd <- x$tables["sex"]
  refused(odd, bins = bins, text = "Every column must be in a table")
  odd$sex$n <- odd$sex$n + 0.5
  refused(odd, bins = bins, text = "whole numbers")
  odd <- x$tables
  levels(odd$sex$sex) <- c("a", "b")
  refused(odd, bins = bins, text = "levels of the codebook")
  odd <- x$tables
  odd$sex <- rbind(odd$sex, odd$sex)
  refused(odd, bins = bins, text = "once")
  odd$sex <- x$tables$sex
  odd$sex$n[1] <- Inf
  refused(odd, bins = bins, text = "whole numbers")
  refused("nobody", text = "nobody")
  refused(list(c("sex", "sex")), text = "different")
  refused(3, text = "vectors of column names")
  refused(NULL, bins = list(sex = 1), text = "named by amounts")
  refused(NULL, bins = list(pay = c(3, 2)), text = "increasing")
  refused(NULL, bins = list(pay = c(3, 1e7)), text = "within the bounds")
})

test_that("a multiple of which the file has not half is refused", {
  plan <- file_plan(cleared_people(5), cleared_book())
  expect_identical(cleared_tables(plan, multiple = 10)$n_records, 10)
  expect_identical(dim(synthesize(cleared_tables(plan))[[1]]), c(10L, 3L))
  expect_error(
    cleared_tables(plan, multiple = 11), "rounded to 0",
    class = "pseudosynth_error_input"
  )
})

test_that("a file may have a column n, or named like a table", {
  people <- cleared_people()
  book <- as.data.frame(cleared_book())
  names(people)[1:2] <- book$column[1:2] <- c("n", "n x pay")
  plan <- file_plan(people, codebook(book))
  x <- cleared_tables(plan, multiple = 5)
  expect_identical(names(x$tables[["n"]]), c("n", "n.1"))
  expect_identical(
    x$tables[["n"]]$n.1, coarsened(as.vector(table(people$n)), 5, 5)
  )
  again <- cleared_tables(plan, rev(x$tables), multiple = 5, bins = x$bins)
  # Two tables are called n x pay
  expect_setequal(unname(again$tables), unname(x$tables))
  set <- synthesize(x, seed = 1)[[1]]
  expect_identical(names(set), names(people))
  expect_equal(
    as.vector(table(set$n)), as.vector(table(people$n)), tolerance = 0.05
  )
  expect_s3_class(plot(x), "ggplot")
})

test_that("plans that tables cannot keep are refused", {
  people <- cleared_people()
  expect_error(
    cleared_tables(file_plan(people, cleared_book(), publish = "sex")),
    class = "pseudosynth_error_input"
  )
  expect_error(
    cleared_tables(file_plan(people, cleared_book(), rules = ~ pay <= 9e5)),
    class = "pseudosynth_error_input"
  )
  # One that forbids levels holds in every record
  rule <- ~ work != "no" | part(pay) != "value"
  x <- cleared_tables(file_plan(people, cleared_book(), rules = rule),
    tables = list("sex", "pay")
  )
  set <- synthesize(x, n = 3000)[[1]]
  expect_false(any(set$work == "no" & set$pay %in% 1:1e6))
  for (wrong in list(list(newdata = people), list(uncertainty = TRUE))) {
    expect_error(
      do.call(synthesize, c(list(x), wrong)),
      class = "pseudosynth_error_input"
    )
  }
})

test_that("values thin out in the end bins from the density beside", {
  breaks <- c(0, 10, 20)
  n <- c(40, 100, 100, 20)
  bin <- rep(1:4, n)
  ends <- list(
    low = c(-100, 0, 10, 20)[bin], high = c(0, 10, 20, 100)[bin]
  )
  p <- unlist(lapply(n, function(k) (seq_len(k) - 0.5) / k))
  at <- place_in_bin(p, bin, ends, breaks)
  expect_identical(at[bin %in% 2:3], p[bin %in% 2:3])
  # The law of the last bin: exponential with density 10 a unit at 20, cut off
  # at 100
  rate <- 10 / 20
  law <- function(x) (1 - exp(-rate * x)) / (1 - exp(-rate * 80))
  expect_equal(law(80 * at[bin == 4]), p[bin == 4], tolerance = 1e-10)
  rate <- 10 / 40
  law <- function(x) (1 - exp(-rate * x)) / (1 - exp(-rate * 100))
  expect_equal(
    law(100 * (1 - at[bin == 1])), p[bin == 1], tolerance = 1e-10
  )
  # Few bins, empty neighbours: evenly
  expect_identical(place_in_bin(p, bin, ends, 0), p)
  alone <- list(low = rep(20, 20), high = rep(100, 20))
  expect_identical(place_in_bin(p[1:20], rep(4L, 20), alone, breaks), p[1:20])
})

test_that("a table within its ends is met by the closed form of one margin", {
  # Two by two with one cell fixed and the margins known: nothing is open
  ends <- list(low = c(30, 0, 0, 0), high = c(30, Inf, Inf, Inf))
  found <- within_counts(
    rep(25, 4), ends, c(2L, 2L), list(c(60, 40), c(50, 50))
  )
  expect_equal(found, c(30, 20, 30, 20), tolerance = 1e-3)
  # Inside all ends nothing moves
  wide <- list(low = rep(0, 4), high = rep(100, 4))
  base <- as.vector(outer(c(60, 40), c(50, 50))) / 100
  expect_equal(
    within_counts(base, wide, c(2L, 2L), list(c(60, 40), c(50, 50))), base
  )
})
