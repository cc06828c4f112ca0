# Do 95% intervals of totals of domains, from whole files without a guarantee,
# cover the population's? The population is the 68,415 interviews of the
# Consumer Expenditure Surveys (rpms::CE). Samples of them have known, unequal
# probabilities, which rise with income and with urban regions and vary besides:
# whoever ignores the survey weights finds other totals.
#
#   Rscript bench/file_domains.R [samples] [records] [sets]
#
# A domain's totals are the sum of weights (`units`) and of weighted incomes
# (`income`), of all levels of six columns and of earners by region, if 2% of
# the units are in it. Their variance is that of draws with replacement,
# n var(z) of z = w y. Intervals of sets are pooled. Sources:
#   file: the sample itself
#   drawn: every column is synthetic, the survey weights last
#   published: the columns of domains are the sample's; income and survey
#     weight are synthetic
#   ignored: the sample without its weights, all records at N / n
# Writes bench/results/file-domains.csv, a row for each source and domain:
# `covered`, relative `bias`, `error` (standard deviation of the estimate) and
# `stated` (root mean square of its standard error), both relative to the total.
# Samples that are done are kept in a folder, so that a run goes on where an
# earlier one stopped.

suppressPackageStartupMessages(library(pseudosynth))
options(pseudosynth.threads = 1L)
source("bench/results.R")
source(file.path("R", "ce_codes.R"))
source(file.path("data-raw", "load_rpms_ce.R"))

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
defaults <- c(500L, 2000L, 5L)
defaults[seq_along(arguments)] <- arguments
samples <- defaults[1]
n <- defaults[2]
m <- defaults[3]

categories <- c("sex", "age", "education", "region", "marital", "earner")
population <- ce_recode(load_rpms_ce(), rpms_columns)[
  c(categories, "urban", "income")
]

set.seed(1)
size <- sqrt(0.2 + pmin(pmax(population$income, 0), 2e5) / 56133) *
  ifelse(population$urban == "urban", 1.2, 1) *
  exp(0.3 * stats::rnorm(nrow(population)))
chance <- size / sum(size)

sample_of <- function(k) {
  set.seed(1000 + k)
  rows <- sample(nrow(population), n, TRUE, chance)
  found <- population[rows, c(categories, "income")]
  found$weight <- 1 / (n * chance[rows])
  row.names(found) <- NULL
  found
}

# Which domains each record is in: a matrix of flags
domains_of <- function(data) {
  single <- lapply(categories, function(name) {
    levels <- levels(population[[name]])
    flags <- outer(as.character(data[[name]]), levels, `==`)
    colnames(flags) <- paste(name, levels)
    flags
  })
  cells <- paste(data$region, data$earner)
  levels <- c(outer(
    levels(population$region), levels(population$earner), paste
  ))
  both <- outer(cells, levels, `==`)
  colnames(both) <- paste("region earner", levels)
  cbind(all = TRUE, do.call(cbind, single), both)
}

own <- domains_of(population)
large <- colMeans(own) >= 0.02
truth <- c(colSums(own[, large]), colSums(own[, large] * population$income))
names(truth) <- paste(
  rep(c("units", "income"), each = sum(large)), names(truth)
)

# Totals and their variances
estimated <- function(data, w = data$weight) {
  z <- domains_of(data)[, large] * w
  z <- cbind(z, z * data$income)
  list(
    estimate = stats::setNames(colSums(z), names(truth)),
    variance = stats::setNames(nrow(z) * apply(z, 2, stats::var), names(truth))
  )
}

rows_of <- function(source, k, estimate, se, reach) {
  data.frame(
    sample = k, source, total = names(truth), estimate, se,
    covered = abs(estimate - truth) <= reach, row.names = NULL
  )
}

alone <- function(source, k, found) {
  se <- sqrt(found$variance)
  rows_of(source, k, found$estimate, se, stats::qnorm(0.975) * se)
}

# Weights lie between 1 and some hundreds; amounts are as public files have them
book <- as.data.frame(draft_codebook(sample_of(0)))
amount <- match(c("income", "weight"), book$column)
book[amount, "lower"] <- c("-1e6", "1")
book[amount, "upper"] <- c("2e6", "1000")
book[amount[2], "transform"] <- "log"
book <- confirm_codebook(codebook(book))

pooled <- function(source, k, data, publish) {
  plan <- file_plan(data, book, publish, survey_weights = "weight")
  sets <- suppressWarnings(suppressMessages(synthesize_file(plan, m = m)))
  table <- as.data.frame(pool(lapply(sets$sets, estimated), rule = "reiter"))
  rows_of(
    source, k, table$estimate, table$std_error,
    (table$conf_high - table$conf_low) / 2
  )
}

one_sample <- function(k) {
  data <- sample_of(k)
  rbind(
    alone("file", k, estimated(data)),
    alone("ignored", k, estimated(data, rep(nrow(population) / n, n))),
    pooled("drawn", k, data, NULL), pooled("published", k, data, categories)
  )
}

kept <- file.path("bench", "output", sprintf("file-domains-%d-%d", n, m))
dir.create(kept, showWarnings = FALSE, recursive = TRUE)
all <- lapply(seq_len(samples), function(k) {
  path <- file.path(kept, sprintf("%d.rds", k))
  if (!file.exists(path)) saveRDS(one_sample(k), path)
  readRDS(path)
})
all <- do.call(rbind, all)
parts <- split(all, list(all$total, all$source), drop = TRUE)
table <- do.call(rbind, lapply(parts, function(x) {
  true <- truth[[x$total[1]]]
  data.frame(
    source = x$source[1], total = x$total[1], covered = mean(x$covered),
    bias = mean(x$estimate) / true - 1, error = stats::sd(x$estimate) / true,
    stated = sqrt(mean(x$se^2)) / true, samples = nrow(x), records = n, sets = m
  )
}))
row.names(table) <- NULL
print(stats::aggregate(covered ~ source, table, function(x) {
  round(c(mean = mean(x), least = min(x), most = max(x)), 3)
}))
keep_table(table, "file-domains", character())
