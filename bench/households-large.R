# How long a file of many households takes: plan, release at epsilon 1, set.
#
#   Rscript bench/households-large.R [households]
#
# Made-up households of at most six members, 2.4 persons on average; two columns
# of the household, and of each person age in 18 steps, sex, status, income and
# eight categories of two to seven levels. Printed, not kept.

suppressPackageStartupMessages(library(pseudosynth))
arguments <- commandArgs(trailingOnly = TRUE)
homes <- if (length(arguments) > 0) as.integer(arguments[1]) else 1e5L

set.seed(1)
size <- sample(1:6, homes, TRUE, c(0.3, 0.33, 0.16, 0.13, 0.05, 0.03))
n <- sum(size)
file <- data.frame(
  home = rep(seq_len(homes), size),
  region = rep(sample(letters[1:9], homes, TRUE), size),
  tenure = rep(sample(letters[1:3], homes, TRUE), size),
  age = pmin(17, floor(abs(rnorm(n, 8, 4)))),
  sex = sample(c("m", "f"), n, TRUE)
)
for (k in 1:8) {
  file[[paste0("c", k)]] <- sample(letters[seq_len(2 + k %% 6)], n, TRUE)
}
file$status <- ifelse(file$age < 3, "none", sample(c("w", "u", "r"), n, TRUE))
pay <- round(exp(rnorm(n, 10, 0.6) + 0.03 * file$age))
file$income <- ifelse(file$status == "w", pay, 0)
book <- suppressMessages(confirm_codebook(edit_codebook(
  draft_codebook(file), home = "id",
  age = list(type = "ordered", levels = as.character(0:17)),
  income = list(lower = 1, upper = 5e5, zero = TRUE, transform = "log")
)))

took <- function(call) round(system.time(call)[["elapsed"]], 1)
quiet <- function(x) suppressWarnings(suppressMessages(x))
seconds <- c(
  plan = took(plan <- quiet(file_plan(file, book,
    unit = "home",
    members = members(~ -age, 6, household = c("region", "tenure"))
  ))),
  release = took(release <- quiet(file_release(plan, 1))),
  set = took(quiet(synthesize(release)))
)
print(c(households = homes, persons = n, seconds))
