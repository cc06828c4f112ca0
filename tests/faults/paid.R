# Small random files and plans: release, print, tables, coefficients, sets. Not
# one may fail once it is paid for:
#
#   R_LIBS=.library Rscript tests/faults/paid.R [n] [first seed] [table]
#
# Wanted: steps that are done, and refusals before the payment. Whatever failed
# is a line of the table (paid.csv).

suppressMessages(library(pseudosynth))
given <- commandArgs(trailingOnly = TRUE)
n <- if (length(given) > 0) as.integer(given[1]) else 5000L
first <- if (length(given) > 1) as.integer(given[2]) else 1L
table_file <- if (length(given) > 2) given[3] else "paid.csv"

paid <- new.env(parent = asNamespace("pseudosynth"))
for (helper in c("release", "paid")) {
  sys.source(sprintf("tests/testthat/helper-%s.R", helper), paid)
}

found <- lapply(seq(first, length.out = n), function(seed) {
  outcome <- paid$paid_outcome(seed)
  failed <- outcome$outcome == "failed"
  if (any(failed)) print(outcome[failed, ], right = FALSE)
  if (seed %% 500 == 0) message("up to seed ", seed)
  outcome
})
found <- do.call(rbind, found)
print(table(sub(" .*", "", found$step), found$outcome))
refused <- found$said[found$outcome == "refused"]
print(sort(table(substr(refused, 1, 60)), decreasing = TRUE))
failed <- found[found$outcome == "failed", ]
utils::write.csv(failed, table_file, row.names = FALSE)
cat(nrow(failed), "failures after payment\n")
if (nrow(failed) > 0) quit(status = 1)
