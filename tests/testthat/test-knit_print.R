skip_if_not_installed("knitr")

knitted <- function(x) {
  text <- knitr::knit_print(x)
  expect_s3_class(text, "knit_asis")
  strsplit(as.character(text), "\n")[[1]]
}

# Rows of a table in markdown, the lines under the header
table_rows <- function(lines) {
  rows <- grep("^\\|", lines, value = TRUE)
  rows[!grepl("^\\|[:-]", rows)]
}

test_that("results that are tables are tables of a document", {
  job <- small_job()
  compared <- compare(job, again = job, groups = "earner")
  lines <- knitted(compared)
  expect_length(table_rows(lines), 3)
  expect_match(lines, "Table: Sets of income", all = FALSE)
  expect_match(lines, "claimed, not proven", all = FALSE)
  use <- knitted(utility(job, regression = log(income) ~ age))
  # Eleven figures, a model, eleven statistics and three heaps
  expect_length(table_rows(use), 12 + 2 + 15)
  expect_match(use, "of the file", all = FALSE)
  for (x in list(compared, utility(job))) {
    expect_match(knitted(x), "not for release", all = FALSE)
  }
})

test_that("pooled estimates are of what is released: no word of secrecy", {
  pooled <- pool(with(small_job(), stats::lm(log(income) ~ age)))
  lines <- knitted(pooled)
  expect_length(table_rows(lines), nrow(pooled$table) + 1)
  expect_no_match(lines, "not for release")
  # The figures are those of the console
  shown <- format_figure(pooled$table$std_error[1])
  expect_match(lines, shown, fixed = TRUE, all = FALSE)
})

test_that("why a row is empty stands below the table", {
  table <- compare(small_job())$table
  table$problem <- "The chains did not mix."
  compared <- structure(
    list(table = table, variable = "income", interrupted = FALSE),
    class = c("mechanism_comparison", "pseudosynth_result")
  )
  expect_match(knitted(compared), "chains did not mix", all = FALSE)
})
