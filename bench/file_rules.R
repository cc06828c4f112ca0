# Rules of whole files over a million rows: how many does a set break?
#
#   Rscript bench/file_rules.R [rows]
#
# All records of `ce_income` with zeros and negative incomes, and an amount made
# from income. Rules tie categories, parts, amounts and a number. Prints how
# many rows were drawn, and how many break each rule.

suppressPackageStartupMessages(library(pseudosynth))
rows <- as.numeric(c(commandArgs(trailingOnly = TRUE), 1e6)[1])

set.seed(1)
file <- ce_income
file$tax <- floor(pmax(file$income, 0) * stats::rbeta(nrow(file), 2, 8))
file$bonus <- ifelse(
  file$earner == "yes", round(pmax(file$income, 0) / 10), 0
)
book <- as.data.frame(draft_codebook(file))
amounts <- match(c("income", "tax", "bonus"), book$column)
book$lower[amounts] <- c("-1e5", "0", "0")
book$upper[amounts] <- "2e6"
book$zero[amounts] <- "TRUE"
book$transform[amounts] <- "log"
book$digits[amounts] <- "0"
book$codes[amounts] <- book$heaps[amounts] <- rep(list(double()), 3)
book$type[amounts] <- "amount"
book$family[amounts] <- "student_t"
book <- confirm_codebook(codebook(book))

rules <- list(
  ~ tax <= income | part(income) == "negative", ~ bonus < income | bonus == 0,
  ~ earner == "yes" | bonus == 0, ~ income > 0 | tax == 0
)
plan <- file_plan(file, book, rules = rules)
release <- file_release(plan, epsilon = 1)
broken <- numeric(length(rules))
drawn <- 0
while (drawn < rows) {
  for (set in as.list(synthesize(release, 5))) {
    met <- list(
      set$tax <= set$income | set$income < 0,
      set$bonus < set$income | set$bonus == 0,
      set$earner == "yes" | set$bonus == 0, set$income > 0 | set$tax == 0
    )
    broken <- broken + vapply(met, function(x) sum(!x), 0)
    stopifnot(
      identical(lapply(set, class), lapply(file, class)),
      identical(lapply(set, levels), lapply(file, levels))
    )
    drawn <- drawn + nrow(set)
  }
}
cat(sprintf("%.0f rows drawn\n", drawn))
cat(sprintf(
  "%-50s %d broken\n", vapply(rules, function(r) deparse1(r[[2]]), ""),
  as.integer(broken)
), sep = "")
