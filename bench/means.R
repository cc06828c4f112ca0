# How far means of sets are from those of the file, beside what a release says
# of them. NMES1988 (package AER) as drafted: rare, skewed counts.
#
#   Rscript bench/means.R [releases] [epsilon]
#
# Writes bench/results/means.csv: a row for each column and release.

suppressMessages(library(pseudosynth))
asked <- commandArgs(TRUE)
releases <- if (length(asked) > 0) as.integer(asked[1]) else 20
epsilon <- if (length(asked) > 1) as.numeric(asked[2]) else 1

data("NMES1988", package = "AER")
plan <- file_plan(NMES1988, confirm_codebook(draft_codebook(NMES1988)))

table <- do.call(rbind, lapply(seq_len(releases), function(k) {
  made <- suppressMessages(suppressWarnings(
    file_release(plan, epsilon, seed = 100 + k)
  ))
  set <- synthesize(made, seed = k)[[1]]
  said <- made$means
  mean_of <- function(file) {
    vapply(said$column, function(name) mean(file[[name]]), 0)
  }
  data.frame(
    release = k, column = said$column, file = mean_of(NMES1988),
    set = mean_of(set), error = said$error, row.names = NULL
  )
}))
write.csv(
  format(table, digits = 6), "bench/results/means.csv",
  row.names = FALSE, quote = FALSE
)

off <- abs(table$set - table$file)
cat(sprintf(
  "Farther than two standard errors: %.1f%% of columns and releases\n",
  100 * mean(off > 2 * table$error)
))
far <- off > 0.1 * table$file
cat(sprintf(
  "More than 10%% off: %d, of which %d are said\n", sum(far),
  sum(far & 2 * table$error > 0.05 * table$set)
))
