# Lines that the tests reach. Called by `make coverage`:
#
#   Rscript tools/coverage.R            R and C++; compiles all with counters
#   Rscript tools/coverage.R r          R alone, by the objects that are there
#   Rscript tools/coverage.R r ledger   R alone, by the tests whose names match
#
# Wanted are 95% of the lines in R and 90% in C++, of all tests.

arguments <- commandArgs(trailingOnly = TRUE)
r_alone <- identical(arguments[1], "r")
filter <- if (length(arguments) > 1) arguments[2]
wanted <- c(R = 95, "C++" = 90)

# Without flags the objects that are there are linked as they are. Samplers
# without any optimisation would take hours.
counted <- if (r_alone) {
  list()
} else {
  loadNamespace("covr")
  flags <- getOption("covr.flags")
  replace(flags, TRUE, sub("-O0", "-O1", flags, fixed = TRUE))
}
options(covr.flags = counted)
Sys.setenv(NOT_CRAN = "true")
tests <- sprintf(
  "testthat::test_dir(%s, package = 'pseudosynth', filter = %s,
    reporter = 'minimal', stop_on_failure = FALSE, load_package = 'installed')",
  deparse(normalizePath("tests/testthat")), deparse(filter)
)
coverage <- covr::package_coverage(
  ".",
  type = "none", code = tests, pre_clean = !r_alone, clean = FALSE,
  line_exclusions = c("R/RcppExports.R", "src/RcppExports.cpp")
)
lines <- covr::tally_coverage(coverage, by = "line")
lines$language <- ifelse(grepl("[.]R$", lines$filename), "R", "C++")
share <- function(x) 100 * mean(x > 0)
files <- aggregate(value ~ language + filename, lines, share)
files <- files[order(files$value), ]
cat("Files with the smallest shares of lines reached, in percent\n")
print(utils::head(files, 20), row.names = FALSE, digits = 3)
total <- tapply(lines$value, lines$language, share)
for (language in names(total)) {
  cat(sprintf(
    "%s: %.1f%% of %d lines (%g%% wanted)\n", language, total[[language]],
    sum(lines$language == language), wanted[[language]]
  ))
}
if (is.null(filter) && any(total < wanted[names(total)])) quit(status = 1)
