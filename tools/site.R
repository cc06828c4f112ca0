# The site: every page of the manual with its examples, every vignette. Called
# by `make site`; goes to docs/.

# For each package that a page names and that is not installed, such as those of
# inst/examples, pkgdown looks up the address in CRAN's list, and stops where
# CRAN cannot be reached. An empty list of our own does instead.
utils::assignInNamespace(
  "CRAN_urls",
  function() data.frame(Package = character(), URL = character()),
  ns = "downlit"
)

options(pkgdown.internet = FALSE)
pkgdown::build_site(new_process = FALSE, install = FALSE, preview = FALSE)
