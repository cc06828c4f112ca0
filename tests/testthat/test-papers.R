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

paper_pages <- c(
  "consumer-expenditure-paper", "censoring-paper", "re-weighting-paper"
)

test_that("pages begin with what holds, and check what they state", {
  for (name in paper_pages) {
    text <- readLines(site_file("vignettes", paste0(name, ".Rmd")))
    body <- text[seq(grep("^```$", text)[1], length(text))]
    holds <- grep("^\\*\\*What holds\\*\\*$", body)
    not <- grep("^\\*\\*What does not hold", body)
    expect_length(c(holds, not), 2)
    expect_lt(holds, not)
    expect_lt(not, 40)
    # A statement that is wrong stops the page
    opened <- which(startsWith(text, "```{r statements, include = FALSE}"))
    expect_length(opened, 1)
    closed <- grep("^```$", text)
    code <- text[seq(opened + 1, min(closed[closed > opened]) - 1)]
    all_lines <- paste(text, collapse = " ")
    expect_no_match(all_lines, "error *= *TRUE")
    # Nothing of the console between figures and tables
    expect_match(all_lines, "opts_chunk\\$set\\([^`]*message = FALSE")
    expect_no_match(all_lines, "message *= *TRUE")
    checks <- Filter(
      function(x) rlang::is_call(x, "stopifnot"), as.list(parse(text = code))
    )
    expect_gt(length(checks[[1]]), 10)
    expect_true(all(nzchar(names(checks[[1]])[-1])))
  }
})

test_that("figures of pages have 150 dots an inch, and letters to be read", {
  # Of a page of seven inches
  page <- 7
  pages <- list.files(site_file("vignettes"), "[.]Rmd$", full.names = TRUE)
  drawn <- 0
  for (file in pages) {
    text <- readLines(file)
    setup <- paste(text[seq_len(min(40, length(text)))], collapse = " ")
    option <- function(line, name, default = NULL) {
      value <- regmatches(line, regexec(
        paste0("(^|[ (,])", name, " = \"?([0-9.]+)"), line
      ))[[1]]
      if (length(value) > 0) as.double(value[3]) else default
    }
    usual <- list(
      width = option(setup, "fig.width"), dpi = option(setup, "dpi"),
      out = option(setup, "out.width")
    )
    if (is.null(usual$dpi)) next
    drawn <- drawn + 1
    for (line in grep("^```\\{r", text, value = TRUE)) {
      width <- option(line, "fig.width", usual$width)
      printed <- page * option(line, "out.width", usual$out) / 100
      dots <- option(line, "dpi", usual$dpi) * width / printed
      expect_gte(dots, 150)
      # Text of 12 points is then one of at least 9
      expect_gte(printed / width, 0.75)
    }
  }
  expect_gte(drawn, 11)
})
