# Runs the test suite against the installed package; called by `make test`.
#
#   Rscript tools/run-tests.R [filter]
#
# The last line gives testthat's own counts: expectations that passed,
# expectations that failed and tests that stopped with an error, tests that
# were skipped. Each reason to skip is named above it. Exit status 1 if anything
# failed, if nothing ran, if a test file holds no test, or if a test was skipped
# for want of a package that tools/install-dependencies.sh should install.

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
    show_praise = FALSE, max_failures = Inf, update_interval = 1
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

# Why tests were skipped, and how many for each reason
skip_reasons <- function(results) {
  outcomes <- unlist(lapply(results, `[[`, "results"), recursive = FALSE)
  skips <- Filter(function(x) inherits(x, "expectation_skip"), outcomes)
  reasons <- sub("^Reason: ", "", vapply(skips, conditionMessage, ""))
  # testthat's words for an absent package differ between its versions
  absent <- "^[{]?([[:alnum:].]+)[}]? (cannot be loaded|is not installed).*"
  package <- ifelse(grepl(absent, reasons), sub(absent, "\\1", reasons), NA)
  slow <- read.dcf("DESCRIPTION", "Config/Needs/slow")
  slow <- strsplit(slow, ",[[:space:]]*")[[1]]
  said <- ifelse(
    is.na(package), reasons, ifelse(
      package %in% slow,
      paste(package, "is not installed: slow, or more than R is needed"),
      paste0(package, " is not installed")
    )
  )
  counts <- sort(table(said), decreasing = TRUE)
  list(
    lines = sprintf("%6d  %s", as.vector(counts), names(counts)),
    unexpected = setdiff(package, c(NA, slow))
  )
}
skipped <- skip_reasons(results)
if (length(skipped$lines) > 0) {
  cat("\nSkipped:", skipped$lines, sep = "\n")
}
results <- as.data.frame(results)

empty <- setdiff(files, unique(results$file))
problems <- c(
  if (length(empty) > 0) {
    paste("no test was run from", paste(empty, collapse = ", "))
  },
  if (length(skipped$unexpected) > 0) {
    paste(
      "tests were skipped for want of",
      paste(sort(skipped$unexpected), collapse = ", ")
    )
  },
  if (sum(results$passed) == 0) "no expectation was met."
)
count(
  passed = sum(results$passed),
  failed = sum(results$failed) + sum(results$error),
  skipped = sum(results$skipped),
  problems
)
