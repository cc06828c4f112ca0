skip_if_not_installed("jsonlite")

# A file of 400 records with somebody's marks in every place that R has for them
marked <- function(n = 400) {
  withr::with_seed(5, {
    data <- data.frame(
      row.names = sprintf("PERSON%04d", seq_len(n)),
      y = exp(rnorm(n, 3, 0.3)),
      group = factor(
        sample(c("north", "south"), n, TRUE),
        c("north", "south", "Hermitage")
      ),
      x = round(rnorm(n), 2),
      name = sprintf("Smith%04d", seq_len(n)),
      address = sprintf("%d Long Road", 1e4 + seq_len(n)),
      weight = runif(n, 100, 20000),
      id = 123456789 + seq_len(n),
      illness = factor(
        c(rep("none", n - 1), "Kuru"), c("none", "Kuru", "Leprosy")
      )
    )
  })
  data
}

marked_sets <- function(m = 2) {
  data <- marked()
  remember(
    paste0("marked", m),
    histogram_sets(data[c("y", "group", "x")], m = m)
  )
}

# One folder with one file of this text
with_text <- function(text, secrets) {
  folder <- withr::local_tempdir()
  writeLines(enc2utf8(text), file.path(folder, "a.csv"), useBytes = TRUE)
  tryCatch({
    check_none_found(folder, secrets)
    NULL
  }, pseudosynth_error_found = identity)
}

with_bytes <- function(bytes, secrets, name = "a.dta", compressed = FALSE) {
  folder <- withr::local_tempdir()
  connection <- (if (compressed) gzfile else file)(
    file.path(folder, name), "wb"
  )
  writeBin(bytes, connection)
  close(connection)
  tryCatch({
    check_none_found(folder, secrets)
    NULL
  }, pseudosynth_error_found = identity)
}

test_that("an ordinary release has nothing to hide", {
  data <- marked()
  for (format in c("csv", "rds")) {
    path <- release_to(marked_sets(), format, data = data)
    expect_gt(length(left_in(path)), 3)
  }
  path <- release_to(leaving_sets(), c("csv", "rds"), data = ce_income)
  expect_gt(length(left_in(path)), 3)
  # Ordinary releases of rounded and of unrounded values
  for (i in seq_len(by_night(5, 1))) {
    for (digits in list(0, NULL)) {
      syn <- histogram_sets(
        data[c("y", "group", "x")],
        response = public_response(digits = digits), m = 2
      )
      expect_no_error(release_to(syn, data = data))
    }
  }
})

test_that("what is looked for is somebody's and nothing else", {
  secrets <- release_secrets(marked(), marked_sets(), character())
  expect_setequal(
    unique(secrets$text$column), c("row names", "name", "address", "illness")
  )
  expect_true(all(c(
    "PERSON0001", "Smith0400", "10001 Long Road", "Kuru", "Leprosy"
  ) %in% secrets$text$text))
  # 399 records share it; published, the last as a level alone; of less than 4
  # letters
  expect_false(any(
    c("none", "north", "Hermitage", "a") %in% secrets$text$text
  ))
  # y and weight in full, ids of 9 digits; nothing that is published
  expect_setequal(unique(secrets$numbers$column), c("y", "weight", "id"))
  expect_identical(sum(secrets$numbers$column == "y"), 400L)
  public <- release_secrets(marked(), marked_sets(), c("Kuru", "123456790"))
  expect_false("Kuru" %in% public$text$text)
  expect_false(123456790 %in% public$numbers$number)
})

test_that("text is found in text as a whole word, wherever it stands", {
  secrets <- release_secrets(marked(), marked_sets(), character())
  for (text in c(
    "PERSON0007", "a,PERSON0007,b", "\"Smith0007\"", "x;Smith0007.",
    "10007 Long Road", "the 10007 Long Road, north", "Kuru", "{\"a\":\"Kuru\"}",
    "Leprosy"
  )) {
    error <- with_text(c("a,b", "1,2", text), secrets)
    expect_s3_class(error, "pseudosynth_error_found")
    expect_identical(error$found$file, "a.csv")
  }
  others <- c(
    "PERSON00071", "xSmith0007", "kuru", "Long Road", "Road 10007 Long",
    "none", "north"
  )
  # By day in one file
  for (text in by_night(as.list(others), list(others))) {
    expect_null(with_text(text, secrets))
  }
})

test_that("numbers are found as text in any layout", {
  data <- marked()
  secrets <- release_secrets(data, marked_sets(), character())
  forms <- c("%.15g", "%.17g")
  for (form in forms) {
    # By day one column in each form
    few <- if (form == forms[1]) data$y[3] else data$weight[3]
    for (value in by_night(c(data$y[3], data$weight[3]), few)) {
      text <- sprintf(form, value)
      for (line in c("%s", "1,%s,2", "-%s", "{\"a\": %s}", "about %s.")) {
        error <- with_text(sprintf(line, text), secrets)
        expect_identical(error$rows, 3L)
      }
    }
  }
  expect_identical(with_text("123456792", secrets)$rows, 3L)
  expect_null(with_text(sprintf("%.5f", data$weight[3]), secrets))
  expect_null(with_text("12345679", secrets))
})

test_that("doubles are found at any byte, in either order, packed or not", {
  data <- marked()
  secrets <- release_secrets(data, marked_sets(), character())
  for (endian in c("big", "little")) {
    # By day every place once, even ones for the one order
    for (before in by_night(0:8, seq(endian == "little", 8, 2))) {
      bytes <- c(
        as.raw(rep(7, before)),
        writeBin(data$weight[9], raw(), endian = endian), as.raw(1:20)
      )
      error <- with_bytes(bytes, secrets)
      expect_identical(error$found$column, "weight")
      expect_identical(error$rows, 9L)
    }
  }
  bytes <- serialize(list(1, "a", data$y[5]), NULL)
  expect_identical(
    with_bytes(bytes, secrets, "a.rds", compressed = TRUE)$rows, 5L
  )
  bytes <- serialize(data.frame(row.names = "PERSON0008", a = 1), NULL)
  expect_identical(
    with_bytes(bytes, secrets, "a.rds", compressed = TRUE)$found$column,
    "row names"
  )
  expect_null(with_bytes(serialize(data$x, NULL), secrets, "a.rds"))
})

test_that("what lies across two blocks is found", {
  secrets <- release_secrets(marked(), marked_sets(), character())
  index <- index_secrets(secrets)
  file <- withr::local_tempfile(fileext = ".csv")
  double <- withr::local_tempfile(fileext = ".dta")
  for (at in 9990:10005) {
    filler <- strrep("a,", 6000)
    text <- paste0(substr(filler, 1, at), ",Smith0007,", filler)
    writeLines(text, file)
    expect_length(scan_file(file, index, block = 1e4), 1)
    writeBin(c(
      raw(at), writeBin(marked()$weight[2], raw()), raw(5000)
    ), double)
    expect_length(scan_file(double, index, block = 1e4), 1)
  }
})

test_that("no message, condition or print holds what was found", {
  data <- marked()
  secrets <- release_secrets(data, marked_sets(), character())
  text <- c("Smith0007", sprintf("%.15g", data$weight[3]))
  error <- with_text(text, secrets)
  expect_setequal(error$found$column, c("name", "weight"))
  expect_identical(error$rows, c(3L, 7L))
  shown <- paste(
    c(conditionMessage(error), capture.output(print(error), str(error$found))),
    collapse = " "
  )
  expect_false(grepl("Smith0007", shown))
  expect_false(grepl(sprintf("%.4f", data$weight[3]), shown, fixed = TRUE))
})

test_that("a release with somebody's mark is refused and leaves nothing", {
  data <- marked()
  refused <- function(syn, column) {
    folder <- withr::local_tempdir()
    error <- refusal(release(syn, file.path(folder, "a"), data = data))
    expect_s3_class(error, "pseudosynth_error_found")
    expect_true(column %in% error$found$column)
    expect_length(left_in(folder), 0)
  }
  edit <- function(change) {
    syn <- marked_sets()
    syn$sets <- lapply(syn$sets, change)
    seal(syn)
  }
  # A level of nobody's
  refused(edit(function(set) {
    levels(set$group)[2] <- "Kuru"
    set
  }), "illness")
  # Somebody's response, somebody's weight in its place
  refused(edit(function(set) {
    set$y[17] <- data$y[200]
    set
  }), "y")
  refused(edit(function(set) {
    set$y[17] <- data$weight[200]
    set
  }), "weight")
  # In the label
  syn <- marked_sets()
  syn$guarantee$public_inputs[["values"]] <- "for Smith0007"
  syn$guarantee <- seal(syn$guarantee)
  refused(seal(syn), "name")
})

test_that("words that every release holds are nobody's", {
  data <- marked()
  words <- c(
    "true", "null", "strict", "synthetic", "number", "variable", "made",
    "categories", "formula", "Files", "delta", "label", "mechanism",
    "whole number", "published as it is", "one file for all sets", "guarantee",
    "Certificate", "ordered categories"
  )
  data$name[seq_along(words)] <- words
  data$illness <- NULL
  for (long in c(FALSE, TRUE)) {
    path <- release_to(marked_sets(), c("csv", "rds"), data = data, long = long)
    expect_gt(length(left_in(path)), 3)
  }
  secrets <- release_secrets(data, marked_sets(), character())
  expect_false(any(words %in% secrets$text$text))
  expect_true("Smith0400" %in% secrets$text$text)
  # What the records or the user brought in is somebody's as before
  syn <- marked_sets()
  syn$guarantee$public_inputs[["values"]] <- "for Smith0100, Gaussian and more"
  syn$guarantee$unit <- "log(Smith0101)"
  syn$guarantee <- seal(syn$guarantee)
  secrets <- release_secrets(data, seal(syn), character())
  expect_true(all(c("Smith0100", "Smith0101") %in% secrets$text$text))
})

test_that("the words of a score release are nobody's", {
  data <- privacy_data()
  noisy <- suppressWarnings(suppressMessages(score_release(
    log(income) ~ age, data,
    epsilon = 2, reference = list("(Intercept)" = 10.8, sigma = 1)
  )))
  syn <- suppressMessages(synthesize(
    noisy,
    newdata = data, bounds = c(1, 2e6)
  ))
  file <- data
  file$note <- sprintf("Smith%04d", seq_len(nrow(file)))
  words <- c("Gaussian", "Each", "step", "delta", "Coefficients", "scores")
  file$note[seq_along(words)] <- words
  expect_gt(length(left_in(release_to(syn, data = file))), 3)
  file$note[7] <- "identity"
  secrets <- release_secrets(file, syn, character())
  expect_false(any(words %in% secrets$text$text))
  expect_true("identity" %in% secrets$text$text)
})

test_that("dates and times are found as text and as doubles", {
  data <- marked()
  data$born <- as.Date("1954-05-31") + 31 * seq_len(400)
  data$seen <- as.POSIXct("2019-03-02 12:00:00", tz = "UTC") +
    1e5 * seq_len(400) + 7
  secrets <- release_secrets(data, marked_sets(), character())
  for (row in by_night(c(3, 77), 77)) {
    seen <- format(data$seen[row], c("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"))
    for (text in c(format(data$born[row]), seen)) {
      error <- with_text(c("a,b", sprintf("1,\"%s\"", text)), secrets)
      expect_s3_class(error, "pseudosynth_error_found")
      expect_true(row %in% error$rows)
    }
    for (endian in c("big", "little")) {
      for (name in c("born", "seen")) {
        bytes <- c(
          as.raw(1:3), writeBin(as.double(data[[name]][row]), raw(),
            endian = endian
          ), as.raw(1:9)
        )
        error <- with_bytes(bytes, secrets)
        expect_identical(error$found$column, name)
        expect_identical(error$rows, as.integer(row))
      }
    }
  }
  # A day's number in text is any number
  expect_null(with_text(format(as.double(data$born[3])), secrets))
  # What many share, and what is published
  data$born[] <- as.Date("1954-05-31")
  data$seen <- NULL
  secrets <- release_secrets(data, marked_sets(), character())
  expect_null(with_text("1954-05-31", secrets))
})

test_that("long whole numbers are found as integers of 4 bytes", {
  data <- marked()
  secrets <- release_secrets(data, marked_sets(), character())
  id <- as.integer(data$id[9])
  for (endian in c("big", "little")) {
    # By day every place once, even ones for the one order
    for (before in by_night(0:4, seq(endian == "little", 4, 2))) {
      bytes <- c(
        as.raw(rep(7, before)), writeBin(id, raw(), endian = endian),
        as.raw(1:20)
      )
      error <- with_bytes(bytes, secrets)
      expect_identical(error$found$column, "id")
      expect_identical(error$rows, 9L)
    }
  }
  places <- list(
    data.frame(a = 1:3, b = c(5L, id, 6L)), structure(1:3, mark = id),
    list(1, list("a", id)), factor("a", "a"), data.frame(a = 1)
  )
  attr(attr(places[[4]], "levels"), "of") <- id
  row.names(places[[5]]) <- id
  for (i in seq_along(places)) {
    bytes <- serialize(places[[i]], NULL)
    for (compressed in by_night(c(TRUE, FALSE), i %% 2 == 1)) {
      error <- with_bytes(bytes, secrets, "a.rds", compressed)
      expect_identical(error$rows, 9L)
    }
  }
  # The same 4 bytes inside of a double are chance
  inside <- readBin(
    c(as.raw(c(64, 9)), writeBin(id, raw(), endian = "big"), as.raw(1:2)),
    "double", endian = "big"
  )
  expect_null(with_bytes(serialize(c(1, inside), NULL), secrets, "a.rds"))
})

# Own values -------------------------------------------------------------------

rounded_file <- function(n = 2000, step = 1, scale = 3e4) {
  withr::with_seed(n + step, {
    data.frame(y = round(scale * exp(rnorm(n, 0, 1)) / step) * step)
  })
}

# What a model draws: of the same distribution, knowing nothing of the record
rounded_set <- function(data, step = 1, m = 2) {
  values <- withr::with_seed(m + nrow(data), replicate(m, {
    noise <- exp(rnorm(nrow(data), 0, 1))
    round(3e4 * noise / step) * step
  }, simplify = FALSE))
  list(
    sets = lapply(values, function(y) data.frame(y = y)),
    columns = data.frame(name = "y"), n_records = nrow(data)
  )
}

own <- function(data, synthetic) {
  tryCatch({
    check_own_values(data, synthetic)
    integer()
  }, pseudosynth_error_found = function(e) e$rows)
}

test_that("rounded values that chance explains are passed over", {
  for (step in c(0.01, 1, 10, 100, 1000)) {
    data <- rounded_file(step = step)
    syn <- rounded_set(data, step, m = 3)
    expect_gt(step < 1 || any(syn$sets[[1]]$y %in% data$y), 0)
    expect_length(own(data, syn), 0)
  }
})

test_that("a tight model meets many values, and that is chance", {
  data <- rounded_file(5000)
  withr::with_seed(1, {
    for (sd in c(3, 10, 100)) {
      syn <- rounded_set(data, m = 1)
      syn$sets[[1]]$y <- round(data$y + rnorm(5000, 0, sd))
      expect_gt(sum(syn$sets[[1]]$y == data$y), 5)
      expect_length(own(data, syn), 0)
    }
  })
})

test_that("records that keep their own rounded value are found", {
  data <- rounded_file()
  alone <- which(!data$y %in% data$y[duplicated(data$y)])
  for (kept in c(12, 50, length(alone))) {
    syn <- rounded_set(data)
    rows <- alone[seq_len(kept)]
    syn$sets[[2]]$y[rows] <- data$y[rows]
    found <- own(data, syn)
    expect_true(all(rows %in% found))
    expect_lt(length(found), kept + 6)
  }
})

test_that("a top-coded file is the file", {
  data <- privacy_data()
  coded <- topcode(income ~ age, data, top = 250000)
  folder <- withr::local_tempdir()
  error <- refusal(release(coded, file.path(folder, "a"),
    data = data, require = "none"
  ))
  expect_s3_class(error, "pseudosynth_error_found")
})

test_that("one unrounded value is enough, but not a stated bound", {
  data <- withr::with_seed(1, data.frame(y = c(runif(500, 0, 10), 0, 10)))
  syn <- rounded_set(data, m = 1)
  syn$sets[[1]]$y <- withr::with_seed(2, pmin(10, pmax(0, runif(502, -1, 11))))
  expect_length(own(data, syn), 0)
  syn$sets[[1]]$y[7] <- data$y[77]
  expect_identical(own(data, syn), 77L)
})

test_that("a single record at a stated end is nobody's own value", {
  data <- withr::with_seed(3, data.frame(y = pmax(
    c(rep(0, 20), rnorm(280, 10, 3.6)), 0
  )))
  syn <- rounded_set(data, m = 1)
  syn$sets[[1]]$y <- withr::with_seed(4, runif(300, 0.5, 20))
  syn$sets[[1]]$y[5] <- 0
  expect_length(own(data, syn), 20)
  syn$columns$ends <- list(c(0, 100))
  expect_length(own(data, syn), 0)
  # Rounded: one top-coded record that is released at the top
  coded <- data.frame(y = c(withr::with_seed(5, runif(999, 100, 1e5)), 1e6))
  coded$y <- round(coded$y, 2)
  syn <- rounded_set(coded, m = 1)
  syn$sets[[1]]$y <- round(withr::with_seed(6, runif(1000, 2e5, 9e5)), 2)
  syn$sets[[1]]$y[1000] <- 1e6
  syn$columns$ends <- list(c(100, 1e6))
  ends <- only_column(syn)$ends
  expect_length(rows_of_own(coded$y, list(syn$sets[[1]]$y), 0.01, ends), 0)
})

test_that("sets cut at a stated end leave, whoever is there", {
  local_fixed_chance()
  data <- withr::with_seed(3, data.frame(
    y = pmax(c(0, rnorm(280, 10, 3.2)), 0), a = factor(rep(1:3, length = 281))
  ))
  noisy <- suppressWarnings(suppressMessages(score_release(
    y ~ a, data, gaussian(),
    epsilon = 5, reference = list("(Intercept)" = 10, sigma = 4)
  )))
  at_end <- 0
  for (i in seq_len(by_night(30, 6))) {
    syn <- suppressMessages(
      synthesize(noisy, newdata = data, bounds = c(0, 100))
    )
    expect_identical(only_column(syn)$ends, c(0, 100))
    at_end <- at_end + (sum(syn[[1]]$y == 0) == 1)
    expect_gt(length(left_in(release_to(syn, data = data))), 3)
  }
  expect_gt(at_end, 0)
  # An end with many digits is in the label: a secret, if it is not public
  data$y[1] <- 1 / 3
  syn <- suppressMessages(
    synthesize(noisy, newdata = data["a"], bounds = c(1 / 3, 100))
  )
  expect_error(
    release_to(syn, data = data),
    class = "pseudosynth_error_public_ends"
  )
  public <- "0.333333333333333"
  expect_gt(length(left_in(release_to(syn, data = data, public = public))), 3)
})

test_that("yes and no and small counts tell nobody", {
  data <- data.frame(y = rep(0:1, 100))
  syn <- list(
    sets = list(data), columns = data.frame(name = "y"), n_records = 200L
  )
  expect_length(own(data, syn), 0)
  counts <- withr::with_seed(3, data.frame(y = rpois(3000, 4)))
  syn <- list(sets = list(withr::with_seed(4, data.frame(y = rpois(3000, 4)))),
    columns = data.frame(name = "y"), n_records = 3000L)
  expect_length(own(counts, syn), 0)
})

test_that("the step of released values is found", {
  step <- function(y) {
    released_step(list(
      sets = list(data.frame(y = y)), columns = data.frame(name = "y")
    ))
  }
  expect_identical(step(c(1, 5, 12)), 1)
  expect_identical(step(c(100, 500, -1200)), 100)
  expect_identical(step(c(0.25, 1)), 0.01)
  expect_identical(step(c(0.1, 0.2)), 0.1)
  expect_identical(step(c(1 / 3, 1)), NA_real_)
  # As many decimals as a codebook states
  expect_identical(step(c(0.00001, 0.12345)), 1e-5)
  expect_identical(step(c(0.123456789, 1)), 1e-9)
  # Numbers have no such digits: on so fine a grid all of them lie
  expect_identical(step(c(1e8 / 3, 1e8)), NA_real_)
})

test_that("fine values that chance explains are passed over", {
  for (digits in c(5, 6)) {
    data <- withr::with_seed(digits, data.frame(
      r = round(runif(3000, 0, 10^(5 - digits)), digits),
      g = sample(c("a", "b"), 3000, TRUE)
    ))
    # Some values have more decimals than most
    if (digits == 6) data$r[-(1:60)] <- round(data$r[-(1:60)], 4)
    book <- codebook(data.frame(
      column = c("r", "g"), type = c("amount", "category"),
      levels = c("", "a|b"), lower = c(0, NA), upper = c(1, NA),
      digits = c(digits, NA)
    ))
    made <- suppressMessages(file_release(file_plan(data, book), 1))
    set <- suppressWarnings(synthesize(made))
    expect_gt(sum(set[[1]]$r %in% data$r), 0)
    folder <- file.path(withr::local_tempdir(), "set")
    expect_no_error(suppressWarnings(release(set, folder, data = data)))
  }
})

test_that("few records with values of their own meet them by chance", {
  # Two records alone with their values among heaps: one of them is met
  y <- c(rep(c(20, 21, 22), 100), 11, 33)
  drawn <- list(c(rep(c(21, 22, 20), 100), 11, 25))
  expect_length(rows_of_own(y, drawn, 1), 0)
  # A copy of many of them is no chance
  y <- 1000 * (1:50)
  expect_length(rows_of_own(y, list(y), 1), 50)
})

test_that("a set's times are excused in every form that a file may have", {
  time <- as.POSIXct("2020-01-31 10:00", tz = "UTC")
  expect_true(all(c(
    "2020-01-31 10:00", "2020-01-31T10:00", "2020-01-31 10:00:00", "2020-01-31"
  ) %in% unlist(time_forms(time))))
  # Text of full hours: sets meet the file's by chance
  data <- withr::with_seed(4, data.frame(
    g = rep(c("a", "b"), 1000), t = sprintf(
      "%s %02d:00", as.Date("2010-01-01") + sample(300, 2000, TRUE),
      sample(0:23, 2000, TRUE)
    )
  ))
  book <- suppressMessages(confirm_codebook(draft_codebook(data)))
  set <- synthesize(suppressMessages(file_release(file_plan(data, book), 1)))
  folder <- file.path(withr::local_tempdir(), "set")
  expect_no_error(suppressMessages(release(set, folder, data = data)))
})

test_that("texts are found wherever they stand, but not within other words", {
  found <- function(bytes, texts) {
    runs_met_(charToRaw(bytes), word_bytes(), texts, TRUE)
  }
  expect_identical(
    found("a b,c a", c("a", "b,c", "b,c a", "a b,c a", "c", "b c", "")),
    c(TRUE, TRUE, TRUE, TRUE, TRUE, FALSE, FALSE)
  )
  # Within a longer word it does not stand there, unless it does elsewhere
  expect_identical(
    found("xab ab", c("ab", "xa", "b ab")), c(TRUE, FALSE, FALSE)
  )
  expect_identical(found("-ab-ab", c("-ab", "-a", "ab-")), c(TRUE, FALSE, TRUE))
  expect_identical(found("", "a"), FALSE)
  withr::local_seed(1)
  signs <- c(letters[1:3], " ", "-")
  text_of <- function(n) paste(sample(signs, n, TRUE), collapse = "")
  bytes <- text_of(300)
  texts <- unique(replicate(400, text_of(sample(1:6, 1))))
  stands <- vapply(texts, function(text) {
    at <- gregexpr(sprintf("(?=%s)", text), bytes, perl = TRUE)[[1]]
    any(at > 0 & vapply(at, function(at) {
      last <- at + nchar(text) - 1
      pair <- function(i) grepl("^[abc]{2}$", substr(bytes, i, i + 1))
      !(at > 1 && pair(at - 1)) && !pair(last)
    }, NA))
  }, NA)
  expect_identical(found(bytes, texts), unname(stands))
  expect_gt(sum(stands), 20)
})
