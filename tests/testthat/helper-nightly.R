# `make nightly` sets NIGHTLY=true. What takes minutes and says little more
# than a part of it runs there in full; continuous integration runs the part.
is_nightly <- function() identical(Sys.getenv("NIGHTLY"), "true")

#' All cases at night, else a part of them
by_night <- function(all, part) if (is_nightly()) all else part

skip_unless_nightly <- function() {
  testthat::skip_if_not(is_nightly(), "long: `make nightly` runs it")
}

# In each test: a file that skips as a whole has no test. pandoc is no package,
# so that a user without it fails nothing.
skip_without_pandoc <- function() {
  testthat::skip_if_not(rmarkdown::pandoc_available(), "pandoc is absent")
}
