# The list of the papers' tables and figures points at code that is there.

results <- function() {
  utils::read.csv(system.file("papers", "results.csv", package = "pseudosynth"))
}

test_that("each table and figure is listed once, with a known status", {
  listed <- results()
  expect_false(any(duplicated(listed[c("paper", "item")])))
  expect_true(all(listed$status %in% c("reproduced", "differs", "not shown")))
  # What differs or is not shown says why
  expect_true(all(nzchar(listed$note[listed$status != "reproduced"])))
  expect_identical(listed$vignette == "", listed$status == "not shown")
})

test_that("each listed chunk is one of its vignette's", {
  folder <- site_file("vignettes")
  listed <- results()
  listed <- listed[listed$vignette != "", ]
  for (name in unique(listed$vignette)) {
    text <- readLines(file.path(folder, paste0(name, ".Rmd")))
    opened <- grep("^```\\{r ", text, value = TRUE)
    chunks <- sub("^```\\{r ([^,} ]*).*", "\\1", opened)
    expect_setequal(
      setdiff(listed$chunk[listed$vignette == name], chunks), character()
    )
  }
})
