# Runs the test suite against the installed package; called by `make test`.
#
#   Rscript tools/run-tests.R [filter]
#
# The last line gives testthat's own counts: expectations that passed,
# expectations that failed and tests that stopped with an error, tests that
# were skipped. Exit status 1 if anything failed, if nothing ran, or if a test
# file holds no test.

Sys.setenv(
  NOT_CRAN = "true", # long tests too
  RCPP_PARALLEL_NUM_THREADS = "2",
  OMP_THREAD_LIMIT = "2",
  TESTTHAT_CPUS = "2", # files side by side
  # The package is compiled; compiling the tests, which run once, costs more
  # than it saves.
  R_ENABLE_JIT = "0"
)
compiler::enableJIT(0)
options(Ncpus = 2, mc.cores = 2)

filter <- commandArgs(trailingOnly = TRUE)
filter <- if (length(filter) > 0 && nzchar(filter[1])) filter[1] else NULL
folder <- file.path("tests", "testthat")

files <- list.files(folder, pattern = "^test.*\\.[rR]$")
if (!is.null(filter)) {
  name <- sub("^test-?", "", sub("\\.[rR]$", "", files))
  files <- files[grepl(filter, name)]
}

count <- function(passed, failed, skipped, problems = character()) {
  for (problem in problems) cat("Problem:", problem, "\n")
  cat(sprintf("%d passed, %d failed, %d skipped\n", passed, failed, skipped))
  bad <- failed > 0 || passed == 0 || length(problems) > 0
  quit(save = "no", status = as.integer(bad))
}

if (!requireNamespace("pseudosynth.hooks", quietly = TRUE)) {
  count(0, 0, 0, "tests/hooks is not installed; run `make hooks`.")
}
if (length(files) == 0) {
  count(0, 0, 0, "there is no test file to run.")
}

results <- testthat::test_dir(
  folder,
  filter = filter,
  package = "pseudosynth",
  load_package = "installed",
  reporter = testthat::ProgressReporter$new(
    show_praise = FALSE, max_failures = Inf
  ),
  stop_on_failure = FALSE,
  stop_on_warning = FALSE
)

# A log shows its end first: what failed, once more, just above the counts.
for (test in results) {
  bad <- vapply(
    test$results, inherits, NA,
    what = c("expectation_failure", "expectation_error")
  )
  for (failure in test$results[bad]) {
    cat(sprintf(
      "\n== Failed: %s, \"%s\"\n%s\n", test$file, test$test,
      conditionMessage(failure)
    ))
  }
}
results <- as.data.frame(results)

empty <- setdiff(files, unique(results$file))
problems <- c(
  if (length(empty) > 0) {
    paste("no test was run from", paste(empty, collapse = ", "))
  },
  if (sum(results$passed) == 0) "no expectation was met."
)
count(
  passed = sum(results$passed),
  failed = sum(results$failed) + sum(results$error),
  skipped = sum(results$skipped),
  problems
)
