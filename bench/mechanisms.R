# Every mechanism on the same file at the same epsilon: Consumer Expenditure
# income by student_t(3), and simulated doctorate salaries by the negative
# binomial. Add-remove epsilon, total of one set; mean over `sets` sets.
# `label` says whether an epsilon is proven or the papers' claim.
#
#   Rscript bench/mechanisms.R [sets, default 10] [ce] [salary]

suppressPackageStartupMessages(library(pseudosynth))
source("bench/results.R")

arguments <- commandArgs(trailingOnly = TRUE)
sets <- if (length(arguments) > 0) as.integer(arguments[1]) else 10L
files <- arguments[-1]
if (length(files) == 0) files <- c("ce", "salary")

mechanisms <- c(
  "unweighted", "lw", "lw_final", "cw", "cw_final", "scalar", "weighted_e",
  "censor_uw", "censor_w", "two_stage", "centred", "perturbed_histogram",
  "topcode"
)

compare_file <- function(name, ...) {
  compared <- suppressWarnings(compare(
    ...,
    mechanisms = mechanisms, epsilon = c(5, 1), m = sets, radius = 0.1,
    shift = 0, tolerance = 0.05, max_refits = 10, warmup = 500, draws = 1500,
    threads = 2,
    control = sampler_control(progress = FALSE)
  ))
  table <- compared$table[c(
    "mechanism", "asked", "label", "add_remove", "replace", "ecdf_max",
    "groups", "r_squared", "seconds", "problem"
  )]
  table$problem <- substr(table$problem, 1, 60)
  keep_table(table, paste0("mechanisms-", name))
  figure <- file.path("bench", ".cache", paste0("mechanisms-", name, ".png"))
  dir.create(dirname(figure), showWarnings = FALSE)
  ggplot2::ggsave(figure, autoplot(compared), width = 9, height = 6, dpi = 110)
}

if ("ce" %in% files) {
  compare_file("ce", log(income) ~ .,
    data = droplevels(subset(ce_income, income > 0)), family = student_t(3),
    groups = c("education", "earner", "family_size", "marital", "age"),
    reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
    weight_range = c(0, 10), known = c("age", "earner"), top = 3e5
  )
}

if ("salary" %in% files) {
  salary <- sdr_simulated
  salary$salary <- as.integer(round(salary$salary / 1000))
  compare_file("salary", salary ~ .,
    data = salary, family = neg_binomial(), groups = c("gender", "age"),
    reference = list("(Intercept)" = log(90), size = 4), window = 4,
    bounds = c(0, 1000), weight_range = c(0, 15), known = c("gender", "age"),
    top = 250
  )
}
