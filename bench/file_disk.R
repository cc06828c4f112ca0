# A file that memory need not hold: time and memory of a plan whose records stay
# on disk, of its release, and of a set written in parts.
#
#   Rscript bench/file_disk.R [records] [records of the set] [parquet] [folder]
#
# Default: 1e6 and 1e6 records. The file is a table of SQLite, made half a
# million records at a time: 11 categories of 2 to 9 levels, two counts, three
# amounts with zeros, heaps or missing values, and a date. With `parquet` it is
# a folder of Parquet files with 60 columns: 50 categories of 2 to 20 levels and
# ten amounts with zeros, which stays in `folder` for the next run, and the set
# is one of Parquet files, too. Prints for each step the seconds by the clock
# and of processor, and the peak of resident memory (VmHWM, Linux) from the
# start of the process. The clock depends on what else runs: the machine's load
# is printed. The hash of the release tells if it is that of records in memory:
#
#   Rscript -e 'options(pseudosynth.records_in_memory = Inf)' \
#     -e 'source("bench/file_disk.R")'

suppressPackageStartupMessages(library(pseudosynth))
arguments <- commandArgs(trailingOnly = TRUE)
number <- function(k, default) {
  if (length(arguments) < k) default else as.numeric(arguments[k])
}
records <- number(1, 1e6)
set_records <- number(2, 1e6)
if (is.null(getOption("pseudosynth.records_in_memory"))) {
  options(pseudosynth.records_in_memory = 1000)
}

some_records <- function(n, seed) {
  set.seed(seed)
  d <- data.frame(
    age = sample(0:90, n, TRUE), sex = sample(c("f", "m"), n, TRUE),
    region = sample(c("n", "s", "e", "w", "c"), n, TRUE, c(5, 4, 3, 2, 1))
  )
  d$status <- ifelse(
    d$age < 15, "child", sample(c("work", "home", "none"), n, TRUE)
  )
  income <- round(exp(stats::rnorm(n, 9 + (d$status == "work"), 0.8)), 2)
  income[d$status == "child"] <- 0
  income[sample(n, n / 20)] <- NA
  whole <- which(income > 0 & stats::runif(n) < 0.2)
  income[whole] <- 100 * ceiling(income[whole] / 100)
  d$income <- income
  tax <- ifelse(is.na(income), 500, income) * stats::runif(n, 0.05, 0.4)
  d$tax <- round(tax, 2)
  d$kids <- stats::rpois(n, 1)
  d$born <- format(as.Date("1950-01-01") + sample(20000, n, TRUE))
  for (j in 1:8) {
    d[[paste0("c", j)]] <- sample(letters[seq_len(j + 1)], n, TRUE)
  }
  d$wage <- round(d$tax * stats::runif(n), 2) + 1
  d
}

# 60 columns: of one factor, so that categories and amounts go together
wide_records <- function(n, seed) {
  set.seed(seed)
  factor <- stats::rnorm(n)
  d <- lapply(1:50, function(j) {
    size <- 2 + (j - 1) %% 19
    level <- stats::pnorm(0.5 * factor + stats::rnorm(n, sd = 0.9))
    sprintf("l%d", seq_len(size))[1 + floor(level * size * 0.9999)]
  })
  names(d) <- sprintf("c%d", 1:50)
  for (j in 1:10) {
    y <- round(exp(5 + 0.6 * factor + stats::rnorm(n, sd = 0.8)), 2)
    d[[sprintf("a%d", j)]] <- ifelse(stats::runif(n) < 0.1 * (j %% 4), 0, y)
  }
  list2DF(d)
}

wide_book <- function(d) {
  amounts <- sprintf("a%d", 1:10)
  pay <- list(
    type = "amount", lower = 0.01, upper = 1e6, transform = "log", digits = 2,
    zero = TRUE
  )
  stated <- stats::setNames(rep(list(pay), 10), amounts)
  suppressMessages(confirm_codebook(
    do.call(edit_codebook, c(list(draft_codebook(d)), stated))
  ))
}

book_of <- function(d) {
  d$born <- as.Date(d$born)
  pay <- list(lower = 0.01, upper = 1e7, transform = "log", digits = 2)
  suppressMessages(confirm_codebook(edit_codebook(
    draft_codebook(d),
    age = list(type = "count", lower = 0, upper = 120),
    income = replace(pay, c("lower", "zero"), list(1, TRUE)),
    tax = c(pay, zero = TRUE), wage = pay,
    kids = list(type = "count", lower = 0, upper = 20),
    born = list(lower = as.Date("1950-01-01"), upper = as.Date("2009-12-31"))
  )))
}

peak <- function() {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

measure <- function(what, expr) {
  took <- system.time(made <- suppressWarnings(suppressMessages(expr)))
  cat(sprintf(
    "%-8s %7.1f s by the clock, %7.1f s of processor, peak %5.0f MB\n", what,
    took[["elapsed"]], took[["user.self"]] + took[["sys.self"]], peak()
  ))
  made
}

cat("load", readLines("/proc/loadavg"), "\n")
is_wide <- identical(arguments[3], "parquet")
make <- if (is_wide) wide_records else some_records
path <- tempfile(fileext = if (is_wide) "" else ".db")
# Where files may stay for the next run
if (length(arguments) > 3) path <- arguments[4]
sizes <- rep(5e5, records %/% 5e5)
if (records %% 5e5 > 0) sizes <- c(sizes, records %% 5e5)
parts <- seq_along(sizes) - 1
if (is_wide) {
  dir.create(path, showWarnings = FALSE)
  file <- file.path(path, sprintf("part-%.0f-%.0f.parquet", parts, sizes))
  for (k in which(!file.exists(file))) {
    nanoparquet::write_parquet(make(sizes[k], 3 + parts[k]), file[k])
  }
} else {
  con <- DBI::dbConnect(RSQLite::SQLite(), path)
  for (k in seq_along(sizes)) {
    part <- make(sizes[k], 3 + parts[k])
    DBI::dbWriteTable(con, "persons", part, append = TRUE)
  }
  rm(part)
  file <- dplyr::tbl(con, "persons")
}
invisible(gc())
# The peak counts from here on
cat("5", file = "/proc/self/clear_refs")
cat(sprintf("before, peak %.0f MB\n", peak()))
book <- if (is_wide) wide_book(make(20000, 3)) else book_of(make(3000, 3))
plan <- measure("plan", file_plan(file, book))
release <- measure("release", file_release(plan, epsilon = 1, seed = 1))
bare <- unclass(release)
attr(bare, "seal") <- NULL
cat("hash", rlang::hash(bare), "\n")
rm(plan, bare)
folder <- tempfile("sets")
written <- measure("set", synthesize(
  release, n = set_records, into = folder,
  format = if (is_wide) "parquet" else "csv"
))
