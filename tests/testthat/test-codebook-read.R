german <- function(...) {
  c(
    "column;type;levels;lower;upper;digits;missing;codes;label",
    "sex;category;m|w;;;;FALSCH;;Geschlecht",
    paste0(
      "lohn;amount;;0,5;20000;2;WAHR;-9=keine Angabe, sonst|-8,5;",
      "\"Lohn; brutto\""
    ),
    "geb;date;;01.02.1950;31.12.2000;;;1.1.1900=fehlt;f\u00fcr alle", ...
  )
}

written <- function(lines, mark = NULL, end = "\n", to = "UTF-8") {
  path <- withr::local_tempfile(fileext = ".csv", .local_envir = parent.frame())
  text <- iconv(paste0(lines, end, collapse = ""), "UTF-8", to, toRaw = TRUE)
  writeBin(c(mark, text[[1]]), path)
  path
}

test_that("codebooks of a German spreadsheet are read", {
  plain <- codebook(data.frame(
    column = c("sex", "lohn", "geb"), type = c("category", "amount", "date"),
    levels = c("m|w", "", ""), lower = c("", "0.5", "1950-02-01"),
    upper = c("", "20000", "2000-12-31"), digits = c("", "2", ""),
    missing = c(FALSE, TRUE, FALSE),
    codes = c("", "-9=keine Angabe, sonst|-8.5", "1900-01-01=fehlt"),
    label = c("Geschlecht", "Lohn; brutto", "f\u00fcr alle")
  ))
  mark <- as.raw(c(0xef, 0xbb, 0xbf))
  expect_identical(codebook(written(german())), plain)
  expect_identical(codebook(written(german(), mark, "\r\n")), plain)
  expect_identical(codebook(written(german(), to = "latin1")), plain)
  expect_identical(
    codebook(written(c("sep=;", german()), end = "\r\n", to = "latin1")), plain
  )
  # Filled up to a rectangle
  filled <- paste0(german(";;;;;;;;", ";;;;;;;;"), ";;")
  expect_identical(codebook(written(filled)), plain)
  tabs <- gsub(";", "\t", sub("Lohn; brutto", "Lohn brutto", german()))
  expect_identical(codebook(written(tabs))$table$lower, plain$table$lower)
})

test_that("commas stay what they are in files with commas, and in labels", {
  book <- codebook(data.frame(
    column = "x", type = "category", levels = "1,5=a;b|2,5=c, d"
  ))
  path <- withr::local_tempfile(fileext = ".csv")
  write_codebook(book, path)
  expect_identical(codebook(path), book)
  expect_identical(
    codebook(
      written(c("column;type;levels", "x;category;1,5|2,5"))
    )$table$levels,
    list(c("1,5", "2,5"))
  )
})

test_that("what cannot be read is named with the way out", {
  refused <- function(path, text) {
    expect_error(codebook(path), text, class = input_error)
  }
  thousands <- sub("20000", "20.000", german())
  refused(written(thousands), "dots between thousands")
  refused(written(german(), to = "UTF-16LE"), "CSV UTF-8")
  refused(written("name;art\na;b"), "first line")
  refused(written(character()), "empty|first line")
  path <- withr::local_tempfile(fileext = ".csv")
  file.create(path)
  refused(path, "empty")
})
