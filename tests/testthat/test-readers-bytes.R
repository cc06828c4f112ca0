# Files with bytes that were changed, lost or doubled: a reader gives a table or
# an error of its own, and no message has the line in it.

#' A few bytes replaced, taken out, doubled, or the end cut off
changed_bytes <- function(bytes) {
  some <- function(n = sample(5, 1)) sample(length(bytes), n)
  switch(sample(5, 1),
    replace(bytes, some(), as.raw(sample(0:255, 1))),
    bytes[-some()],
    append(bytes, bytes[some()], some(1)),
    bytes[seq_len(some(1))],
    replace(bytes, some(), charToRaw(sample(c("\"", ",", "\n", "\t", "'"), 1)))
  )
}

#' What a reader makes of it: "table", or the classes of its error
read_changed <- function(reader, bytes, extension) {
  file <- withr::local_tempfile(fileext = extension)
  writeBin(changed_bytes(bytes), file)
  said <- character()
  result <- tryCatch(
    withCallingHandlers(reader(file),
      warning = function(w) {
        said <<- c(said, conditionMessage(w))
        invokeRestart("muffleWarning")
      },
      message = function(m) {
        said <<- c(said, conditionMessage(m))
        invokeRestart("muffleMessage")
      }
    ),
    error = identity
  )
  outcome <- if (is.data.frame(result)) {
    "table"
  } else if (inherits(result, "pseudosynth_error")) {
    said <- c(said, conditionMessage(result))
    "refused"
  } else {
    paste("plain:", conditionMessage(result))
  }
  list(outcome = outcome, said = said)
}

read_many <- function(reader, bytes, extension, secret,
                      times = by_night(150, 36)) {
  withr::local_seed(1)
  found <- replicate(times, read_changed(reader, bytes, extension), FALSE)
  outcomes <- vapply(found, `[[`, "", "outcome")
  expect_identical(setdiff(outcomes, c("table", "refused")), character())
  # Some of either: else nothing was tried
  expect_gt(min(table(factor(outcomes, c("table", "refused")))), 5)
  said <- unlist(lapply(found, `[[`, "said"))
  expect_false(any(grepl(secret, said)))
}

skip_on_cran()

test_that("interview files of any bytes are read or refused", {
  file <- system.file("extdata", "fmli_example.csv", package = "pseudosynth")
  table <- utils::read.csv(file, colClasses = "character")
  table$FINCBTXM <- sprintf("%d", 7318000 + seq_len(nrow(table)))
  changed <- withr::local_tempfile(fileext = ".csv")
  utils::write.csv(table, changed, row.names = FALSE, quote = FALSE, na = "")
  bytes <- readBin(changed, "raw", file.size(changed))
  read_many(read_ce, bytes, ".csv", "7318")
})

test_that("survey files of any bytes are read or refused", {
  file <- sdr_file(SALARYP = 71000 + 1000 * 1:4)
  bytes <- readBin(file, "raw", file.size(file))
  read_many(read_sdr, bytes, ".DAT", "7[2-5]000")
})
