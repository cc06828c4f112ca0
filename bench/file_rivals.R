# Whole-file releases beside rivals: how far sets are from the file.
#
#   Rscript bench/file_rivals.R [file] [makers] [releases] [epsilons]
#   Rscript bench/file_rivals.R october ours,aim 20 0.25,1,5
#
# Files: october (default), xor, adult, health, shop, diamonds; see
# bench/file_cases.R.
# Makers: ours, aim, aim_loops, mst, mst_three, cart, itself, bootstrap,
# permuted; default ours, bootstrap, permuted. Those of aim and mst need the
# CRAN package flexsynth, cart needs synthpop, the last three files need liver.
# Add/remove, delta 1e-6. Prints means, their standard errors in brackets and
# seconds; keeps both in bench/results/file-rivals.csv.

suppressPackageStartupMessages(library(pseudosynth))
source("bench/results.R")
source("bench/file_measures.R")
source("bench/file_cases.R")
source("bench/file_makers.R")

arguments <- commandArgs(trailingOnly = TRUE)
argument <- function(k, default) {
  if (length(arguments) < k) default else arguments[k]
}
listed <- function(text) strsplit(text, ",")[[1]]

files <- list(
  october = october_case, xor = xor_case, adult = adult_case,
  health = health_case, shop = shop_case, diamonds = diamonds_case
)
makers <- list(
  ours = ours, aim = aim, aim_loops = aim_loops, mst = mst,
  mst_three = mst_three, cart = cart, itself = itself, bootstrap = bootstrap,
  permuted = permuted
)
without_privacy <- c("cart", "itself", "bootstrap", "permuted")

chosen <- argument(1, "october")
wanted <- listed(argument(2, "ours,bootstrap,permuted"))
releases <- as.integer(argument(3, "20"))
epsilons <- as.numeric(listed(argument(4, "0.25,1,5")))
stopifnot(chosen %in% names(files), wanted %in% names(makers), releases > 0)

standard_error <- function(x) stats::sd(x) / sqrt(length(x))

measure_maker <- function(case, maker, epsilon) {
  found <- vapply(seq_len(releases), function(k) {
    # Draws of the others; a release of ours takes the system's entropy
    set.seed(k)
    made <- suppressMessages(makers[[maker]](case, epsilon))
    stopifnot(identical(names(made$set), names(case$file)))
    c(
      case$measure(made$set), seconds_release = made$release,
      seconds_set = made$draw
    )
  }, c(case$measure(case$file), seconds_release = 0, seconds_set = 0))
  report(maker, epsilon, found)
}

report <- function(maker, epsilon, found) {
  means <- rowMeans(found)
  errors <- apply(found, 1, standard_error)
  cat(sprintf("%-10s epsilon %s, %d releases\n", maker, epsilon, releases))
  cat(sprintf(
    "  %-16s %.4f (%.4f)\n", names(means), means, errors
  )[!is.na(means)], sep = "")
  keep_rows(
    data.frame(
      file = chosen, maker = maker, epsilon = epsilon,
      measure = names(means), mean = means, standard_error = errors,
      releases = releases
    )[!is.na(means), ],
    "bench/results/file-rivals.csv", c("file", "maker", "epsilon", "measure")
  )
}

case <- files[[chosen]]()
cat(sprintf(
  "%s: %d records, %d columns\n", chosen, nrow(case$file), ncol(case$file)
))
for (maker in wanted) {
  for (epsilon in if (maker %in% without_privacy) Inf else epsilons) {
    measure_maker(case, maker, epsilon)
  }
}
