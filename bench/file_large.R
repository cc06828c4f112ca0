# A large file: time and memory of a plan, a release and a set.
#
#   Rscript bench/file_large.R [records] [categories] [amounts]
#
# Default: 1e6 records, 18 categories of 2 to 8 levels, 2 amounts. Each step
# runs in a process of its own that has what a user has at that time (the plan's
# process the file, the release's the file and the plan, the set's the release),
# and once more all three run in one process. Prints for each the seconds of
# processor and by the clock, and the peak of resident memory (VmHWM, Linux)
# from the start of the process; `before` is what the process held before the
# step. The clock depends on what else runs: the machine's load is printed.

suppressPackageStartupMessages(library(pseudosynth))
arguments <- commandArgs(trailingOnly = TRUE)
number <- function(k, default) {
  if (length(arguments) < k) default else as.numeric(arguments[k])
}
records <- number(1, 1e6)
categories <- number(2, 18)
amounts <- number(3, 2)

# Categories and amounts that one hidden number relates
large_file <- function() {
  set.seed(1)
  hidden <- stats::rnorm(records)
  levels <- rep_len(c(2L, 3L, 4L, 5L, 6L, 8L), categories)
  file <- lapply(seq_len(categories), function(j) {
    load <- 0.2 + 0.6 * j / categories
    x <- load * hidden + sqrt(1 - load^2) * stats::rnorm(records)
    inner <- stats::qnorm(seq_len(levels[j] - 1) / levels[j])
    factor(findInterval(x, inner) + 1L, seq_len(levels[j]))
  })
  names(file) <- paste0("c", seq_len(categories))
  for (k in seq_len(amounts)) {
    pay <- exp(9 + k / 4 + 0.5 * hidden + 0.7 * stats::rnorm(records))
    idle <- stats::runif(records) < 0.1 * k
    file[[paste0("a", k)]] <- ifelse(idle, 0, round(pmin(pmax(pay, 1), 9e5)))
  }
  as.data.frame(file)
}

large_book <- function(file) {
  book <- as.data.frame(draft_codebook(file[seq_len(min(records, 1e4)), ]))
  pay <- grepl("^a", book$column)
  book[pay, c("type", "lower", "upper", "transform", "family")] <- rep(
    c("amount", "0", "1e6", "log", "student_t"), each = sum(pay)
  )
  book$zero[pay] <- TRUE
  book$codes[pay] <- book$heaps[pay] <- rep(list(double()), sum(pay))
  book$digits[pay] <- 0
  confirm_codebook(codebook(book))
}

memory <- function(field) {
  status <- readLines("/proc/self/status")
  line <- grep(paste0("^", field, ":"), status, value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

measure <- function(what, expr) {
  invisible(gc())
  before <- memory("VmRSS")
  took <- system.time(value <- expr)
  cat(sprintf(
    "%-22s processor %5.1f s, clock %5.1f s, before %4.0f MB, peak %4.0f MB\n",
    what, took[["user.self"]] + took[["sys.self"]], took[["elapsed"]], before,
    memory("VmHWM")
  ))
  invisible(value)
}

folder <- function() Sys.getenv("FILE_LARGE_FOLDER")
kept <- function(name) file.path(folder(), paste0(name, ".rds"))
keep <- function(x, name) saveRDS(x, kept(name), compress = FALSE)

steps <- list(
  file = function() {
    file <- large_file()
    cat(sprintf(
      "%g records, %d columns: %.0f MB; load %s\n", records, ncol(file),
      as.numeric(utils::object.size(file)) / 2^20,
      substr(readLines("/proc/loadavg"), 1, 14)
    ))
    keep(file, "file")
    keep(large_book(file), "book")
  },
  plan = function() {
    file <- readRDS(kept("file"))
    book <- readRDS(kept("book"))
    keep(measure("plan", file_plan(file, book)), "plan")
  },
  release = function() {
    file <- readRDS(kept("file"))
    plan <- readRDS(kept("plan"))
    release <- measure("release", file_release(plan, epsilon = 1))
    keep(release, "release")
  },
  set = function() {
    release <- readRDS(kept("release"))
    set <- measure("set", synthesize(release))[[1]]
    file <- readRDS(kept("file"))
    stopifnot(identical(lapply(set, class), lapply(file, class)))
  },
  all = function() {
    file <- readRDS(kept("file"))
    plan <- measure("one process: plan", file_plan(file, readRDS(kept("book"))))
    release <- measure("one process: release", file_release(plan, epsilon = 1))
    measure("one process: set", synthesize(release))
  }
)

if (nzchar(folder())) {
  steps[[Sys.getenv("FILE_LARGE_STEP")]]()
} else {
  own <- tempfile("file-large")
  dir.create(own)
  Sys.setenv(FILE_LARGE_FOLDER = own)
  for (step in names(steps)) {
    Sys.setenv(FILE_LARGE_STEP = step)
    failed <- system2(
      file.path(R.home("bin"), "Rscript"),
      c("bench/file_large.R", format(c(records, categories, amounts)))
    )
    if (failed != 0) stop("The step `", step, "` failed.")
  }
  unlink(own, recursive = TRUE)
}
