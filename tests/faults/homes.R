# Neighbouring files of households, of every composition: what is no noisy sum
# must be identical, and no noisy sum may move farther than was paid for.
#
#   R_LIBS=.library Rscript tests/faults/homes.R 1000 1
#
# The arguments are the number of pairs of files and the seed.

suppressPackageStartupMessages({
  library(testthat)
  library(pseudosynth)
})

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
n_pairs <- if (length(arguments) > 0) arguments[1] else 1000L
seed <- if (length(arguments) > 1) arguments[2] else 1L

tests <- new.env(parent = asNamespace("pseudosynth"))
sys.source("tests/testthat/helper-members.R", tests)
found <- evalq(function(pairs, seed) {
  plan <- home_plan(home_persons(200, seed))
  release <- home_release(plan, 1, seed = seed)
  replayed_homes(release, plan, every_home(), pairs, seed)
}, tests)(n_pairs, seed)

bad <- found$over != "" | found$differs != ""
for (r in which(bad)) {
  cat(sprintf(
    "pair %d, %s: over %s; differs %s\n", r, found$change[r], found$over[r],
    found$differs[r]
  ))
}
cat(sprintf(
  "%d pairs (%s): %d bad, largest ratio of squared mu %.4f\n", nrow(found),
  paste(table(found$change), names(table(found$change)), collapse = ", "),
  sum(bad), max(found$ratio)
))
if (any(bad) || max(found$ratio) > 1 + 1e-6) quit(status = 1)
