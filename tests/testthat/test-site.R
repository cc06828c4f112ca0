# Entries of a list of the file: lines such as "      - name"
site_entries <- function(lines, section) {
  starts <- grep("^[a-z]+:", lines)
  from <- grep(paste0("^", section, ":"), lines)
  to <- c(starts[starts > from], length(lines) + 1)[1] - 1
  entries <- grep("^      - ", lines[from:to], value = TRUE)
  trimws(gsub("\"", "", sub("^ *- ", "", entries)))
}

test_that("every page of the manual is on the site, and none twice", {
  lines <- readLines(site_file("_pkgdown.yml"))
  listed <- site_entries(lines, "reference")
  expect_identical(anyDuplicated(listed), 0L)
  pages <- list.files(site_file("man"), "[.]Rd$", full.names = TRUE)
  internal <- vapply(pages, function(page) {
    any(grepl("\\\\keyword\\{internal\\}", readLines(page)))
  }, TRUE)
  aliases <- lapply(pages, function(page) {
    found <- grep("^\\\\alias\\{", readLines(page), value = TRUE)
    gsub("\\\\(.)", "\\1", sub("^\\\\alias\\{(.*)\\}$", "\\1", found))
  })
  on_site <- vapply(aliases, function(names) sum(names %in% listed), 0L)
  expect_identical(basename(pages)[!internal & on_site == 0], character())
  expect_identical(basename(pages)[on_site > 1], character())
  expect_identical(setdiff(listed, unlist(aliases)), character())
  exported <- getNamespaceExports("pseudosynth")
  expect_identical(setdiff(exported, unlist(aliases)), character())
})

test_that("every vignette is on the site", {
  lines <- readLines(site_file("_pkgdown.yml"))
  vignettes <- sub(
    "[.]Rmd$", "", list.files(site_file("vignettes"), "[.]Rmd$")
  )
  expect_setequal(site_entries(lines, "articles"), vignettes)
})

test_that("vignettes have no colours of their own beside those of figures", {
  files <- list.files(site_file("vignettes"), "[.]Rmd$", full.names = TRUE)
  expect_gt(length(files), 10)
  for (file in files) {
    coloured <- grep("[\"'](#[0-9A-Fa-f]{6,8})[\"']", readLines(file))
    expect_identical(coloured, integer(), info = basename(file))
  }
})
