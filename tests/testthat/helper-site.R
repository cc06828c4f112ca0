# The list of pages of the site stands at the root of the sources
site_file <- function(...) {
  file <- testthat::test_path("..", "..", ...)
  skip_if_not(file.exists(file), "the sources are not there")
  file
}
