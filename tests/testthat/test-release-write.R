# Every kind of column that a plan takes, in every format: it comes back equal,
# or it is refused with column, format and reason.

skip_if_not_installed("haven")
skip_if_not_installed("nanoparquet")

spss <- function(...) haven::labelled_spss(...)

written_kinds <- function() {
  long <- strrep("x", 130)
  list(
    flag = c(TRUE, FALSE), flag_missing = c(FALSE, NA), none = c(NA, NA),
    whole = c(1L, NA), ends = c(-1L, 1L) * .Machine$integer.max,
    double = c(0.1, 1e15 + 1), double_missing = c(-1e-7, NA),
    text = c("a", "b\n\"c\","), text_missing = c("a", NA),
    text_none = c(NA_character_, NA), text_empty = c("", "b"),
    text_both = c("", NA), text_space = c("a ", " b"),
    text_utf8 = c("K\u00f6ln", "\u4e2d"), text_long = c(strrep("y", 3000), NA),
    labelled_far = haven::labelled(c(1e10, 2), c(far = 1e10)),
    factor_none = factor(c(NA, NA)), far = c(1e300, NA),
    factor = factor(c("x", NA), c("z", "x")), factor_empty = factor(c("", "y")),
    factor_long = factor(paste0(long, c("a", "b"))),
    ordered = factor(c("low", "high"), c("low", "high"), ordered = TRUE),
    date = as.Date(c("0800-01-01", NA)),
    date_whole = structure(c(18000L, NA), class = "Date"),
    labelled = haven::labelled(c(1, 2), c(no = 1, yes = 2)),
    labelled_whole = haven::labelled(c(1L, NA), c(no = 1L, yes = 2L)),
    labelled_part = haven::labelled(c(1.5, 2), c(half = 1.5)),
    labelled_text = haven::labelled(c("a", NA), c(first = "a")),
    tagged = haven::labelled(
      c(1, haven::tagged_na("a")), c(refused = haven::tagged_na("a"))
    ),
    user = spss(c(1, 9), c(none = 9), na_values = 9),
    user_whole = spss(c(1L, 9L), na_values = 9L),
    user_range = spss(c(1, 95), na_range = c(90, Inf)),
    user_both = spss(c(1, 95), na_range = c(90, 99), na_values = -1),
    user_four = spss(c(1, 95), na_values = 95:98),
    user_four_more = spss(c(1, 95), na_range = c(90, 99), na_values = c(1, 2)),
    user_text = spss(c("a", "x"), na_values = "x"),
    user_text_long = spss(c("a", "longer text"), na_values = "longer text")
  )
}

# What a format cannot hold, and a word of the reason
cannot_hold <- list(
  dta = c(
    text_both = "empty text", text_space = "ends in a space",
    labelled_part = "whole numbers", labelled_far = "whole numbers"
  ),
  sav = c(
    text_both = "empty text", text_space = "ends in a space",
    factor_long = "120 bytes", user_four = "three missing",
    user_four_more = "three missing", user_text_long = "8 bytes",
    tagged = "tagged"
  )
)

as_plain <- function(x) {
  if (is.factor(x)) {
    as.character(x)
  } else if (is.character(x)) {
    as.vector(unclass(x))
  } else {
    as.double(unclass(x))
  }
}

test_that("every kind of column is read back equal or refused", {
  kinds <- written_kinds()
  read <- list(
    rds = readRDS, parquet = nanoparquet::read_parquet, dta = haven::read_dta,
    sav = function(file) haven::read_sav(file, user_na = TRUE)
  )
  folder <- withr::local_tempdir()
  for (format in names(read)) for (kind in names(kinds)) {
    about <- paste(kind, format)
    frame <- data.frame(id = 1:2)
    frame$x <- kinds[[kind]]
    reason <- cannot_hold[[format]][kind]
    if (!is.null(reason) && !is.na(reason)) {
      error <- refusal(check_columns_fit(list(frame), format))
      expect_s3_class(error, "pseudosynth_error_input")
      expect_identical(error$columns, "x", info = about)
      text <- cli::ansi_strip(conditionMessage(error))
      expect_match(text, sprintf("\"x\" as \"%s\"", format), info = about)
      expect_match(text, reason, info = about)
      next
    }
    check_columns_fit(list(frame), format)
    file <- write_sets(list(set = frame), folder, format)
    back <- read[[format]](file.path(folder, file))$x
    if (is.factor(frame$x) && format %in% c("dta", "sav")) {
      back <- haven::as_factor(back)
      expect_identical(levels(back), levels(frame$x), info = about)
    }
    want <- as_plain(frame$x)
    # Stata and SPSS have no other missing text
    if (is.character(frame$x) && format %in% c("dta", "sav")) {
      want[is.na(want)] <- ""
    }
    expect_identical(as_plain(back), want, info = about)
    if (format == "sav") {
      for (mark in c("na_values", "na_range")) {
        expect_equal(
          as.vector(attr(back, mark)), as.vector(attr(frame$x, mark)),
          info = about
        )
      }
    }
    if (format %in% c("dta", "sav") && is.numeric(labels_of(frame$x))) {
      expect_equal(labels_of(back), labels_of(frame$x), info = about)
    }
  }
})

test_that("text files cannot tell missing text from empty text", {
  both <- data.frame(g = c("a", "", NA))
  for (frame in list(both, data.frame(g = factor(both$g)))) {
    error <- refusal(check_columns_fit(list(frame), "csv"))
    expect_identical(error$columns, "g")
    expect_match(conditionMessage(error), "missing text, which would be empty")
    expect_no_error(check_columns_fit(list(frame), "rds"))
  }
  expect_no_error(check_columns_fit(list(both[1:2, , drop = FALSE]), "csv"))
  expect_no_error(check_columns_fit(list(both[-2, , drop = FALSE]), "csv"))
})

test_that("a release names the column before anything is written", {
  skip_if_not_installed("jsonlite")
  data <- data.frame(
    group = rep(c("a", "b "), 150), other = rep(c("p", NA, "q"), 100)
  )
  data$code <- spss(rep(c(1, 2, 95), 100), c(none = 95), na_values = 95)
  book <- confirm_codebook(draft_codebook(data))
  sets <- synthesize(file_release(file_plan(data, book), 5), 1)
  folder <- withr::local_tempdir()
  path <- file.path(folder, "out")
  error <- refusal(release(sets, path, c("csv", "sav"), data = data))
  expect_s3_class(error, "pseudosynth_error_input")
  expect_identical(error$columns, "group")
  expect_match(conditionMessage(error), "ends in a space")
  expect_no_match(conditionMessage(error), "disk")
  expect_length(left_in(folder), 0)

  data$group <- sub(" ", "", data$group)
  book <- confirm_codebook(draft_codebook(data))
  sets <- synthesize(file_release(file_plan(data, book), 5), 1)
  release(sets, path, c("sav", "dta", "parquet"), data = data)
  for (format in c("sav", "dta", "parquet")) {
    file <- file.path(path, paste0("set-1.", format))
    back <- switch(format,
      sav = haven::read_sav(file, user_na = TRUE), dta = haven::read_dta(file),
      parquet = nanoparquet::read_parquet(file)
    )
    expect_setequal(unclass(back$code), c(1, 2, 95))
    expect_setequal(
      back$other, c("p", "q", if (format == "parquet") NA else "")
    )
  }
})

test_that("a writer's own refusal names the column, a full disk the folder", {
  frame <- data.frame(a = 1:2, b = 3:4)
  file <- withr::local_tempfile(fileext = ".dta")
  picky <- function(frame, file) {
    if ("b" %in% names(frame)) stop("secret") else saveRDS(frame, file)
  }
  error <- refusal(writing("p", write_checked(frame, file, picky, readRDS)))
  expect_identical(error$columns, "b")
  expect_no_match(conditionMessage(error), "secret")
  other <- function(file) data.frame(a = 1:2, b = 4:5)
  error <- refusal(writing("p", write_checked(frame, file, saveRDS, other)))
  expect_identical(error$columns, "b")
  expect_match(conditionMessage(error), "come back")
  other <- function(file) data.frame(a = 1:2, c = 3:4)
  error <- refusal(writing("p", write_checked(frame, file, saveRDS, other)))
  expect_identical(error$columns, "b")
  full <- function(frame, file) stop("no space")
  error <- refusal(writing("p", write_checked(frame, file, full, readRDS)))
  expect_s3_class(error, "pseudosynth_error_write")
})

test_that("Stata gets no labels of text: they would be other ones", {
  skip_if_not_installed("haven")
  frame <- data.frame(l = haven::labelled(c("A", "B"), c(Alpha = "A")))
  file <- withr::local_tempfile(fileext = ".dta")
  haven::write_dta(stat_frame(frame, "dta"), file)
  back <- haven::read_dta(file)$l
  expect_identical(as.vector(back), c("A", "B"))
  expect_length(labels_of(back), 0)
})
