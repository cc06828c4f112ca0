# A file of which most columns are published: how far sets are from it.
#
#   Rscript bench/file_hybrid.R [releases] [epsilons] [makers]
#   Rscript bench/file_hybrid.R 20 0.25,1,5 ours,cart,bootstrap
#
# All 6,208 records of `ce_income`, 725 incomes of 0 and five below 0 among
# them. Seven columns are published; education, earner and income are protected.
# Add/remove, delta 1e-6. Makers: ours, cart (needs synthpop; the protected
# columns in turn, without privacy), bootstrap (of the file's protected columns
# among records: whole rows, without privacy). Prints means with standard errors
# in brackets, and what is asked; keeps them in bench/results/file-hybrid.csv.
#
# Measures, 0 is best but for r_squared:
#   zeros            absolute difference of the share of zero incomes
#   zeros_by_group   mean over columns of the absolute difference of the share
#                    of zeros in each level, weighted by the file's level sizes
#   groups           the same of the mean log of positive incomes
#   tables           mean total variation of the 15 tables of two columns with
#                    education or earner, but income
#   tables_income    mean total variation of the nine tables of income by
#                    another column: tenths of positive incomes, zero, negative
#   r_squared        of log(income) ~ . among positive incomes
# Groups are by education, earner, family size, marital status and age.

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
releases <- as.integer(argument(1, "20"))
epsilons <- as.numeric(listed(argument(2, "0.25,1,5")))
wanted <- listed(argument(3, "ours,bootstrap"))

file <- pseudosynth::ce_income
protected <- c("education", "earner", "income")
published <- setdiff(names(file), protected)
grouping <- c("education", "earner", "family_size", "marital", "age")
asked <- rbind(
  "1" = c(0.003, 0.011, 0.05, 0.025, 0.058),
  "5" = c(0.001, 0.004, 0.023, 0.008, 0.038)
)
colnames(asked) <- c(
  "zeros", "zeros_by_group", "groups", "tables", "tables_income"
)

# Measures ---------------------------------------------------------------------

income_ends <- stats::quantile(
  file$income[file$income > 0], (1:9) / 10,
  names = FALSE
)

#' Tenths of positive incomes, zero, negative
income_part <- function(x) {
  part <- findInterval(x, income_ends) + 1L
  part[x == 0] <- 11L
  part[x < 0] <- 12L
  part
}

part_codes <- function(set) {
  codes <- file_codes(set, file)
  codes[, "income"] <- income_part(set$income)
  attr(codes, "levels")["income"] <- 12L
  codes
}

own_codes <- part_codes(file)

zero_distance <- function(set) {
  mean(vapply(grouping, function(column) {
    truth <- tapply(file$income == 0, file[[column]], mean)
    found <- tapply(set$income == 0, set[[column]], mean)[names(truth)]
    size <- as.vector(table(file[[column]])[names(truth)])
    there <- is.finite(truth) & is.finite(found)
    stats::weighted.mean(abs(found - truth)[there], size[there])
  }, 0))
}

without_income <- function(codes) {
  kept <- setdiff(colnames(codes), "income")
  structure(codes[, kept], levels = attr(codes, "levels")[kept])
}

#' Tables of two columns with education, with earner, with both once
protected_tables <- function(codes) {
  one <- without_income(codes)
  other <- without_income(own_codes)
  kept <- function(x, out) {
    names <- setdiff(colnames(x), out)
    structure(x[, names], levels = attr(x, "levels")[names])
  }
  own <- length(published)
  with_education <- table_distance(one, other, 2, "education")
  with_earner <- table_distance(
    kept(one, "education"), kept(other, "education"), 2, "earner"
  )
  ((own + 1) * with_education + own * with_earner) / (2 * own + 1)
}

measure <- function(set) {
  codes <- part_codes(set)
  positive <- set[set$income > 0, ]
  c(
    zeros = abs(mean(set$income == 0) - mean(file$income == 0)),
    zeros_by_group = zero_distance(set),
    groups = group_distance(
      positive, file[file$income > 0, ], "income", grouping
    ),
    tables = protected_tables(codes),
    tables_income = table_distance(codes, own_codes, 2, "income"),
    r_squared = linear_fit(positive, log(income) ~ .)$r_squared
  )
}

# Makers -----------------------------------------------------------------------

income_row <- amount_row("income", -5e5, 2e6, "log", zero = TRUE)

ours_hybrid <- function(epsilon) {
  plan <- pseudosynth::file_plan(
    file, pseudosynth::codebook(case_book(file, income_row)),
    publish = published
  )
  release <- pseudosynth::file_release(
    plan,
    epsilon = epsilon, delta = 1e-6, neighbours = "add-remove"
  )
  pseudosynth::synthesize(release)[[1]]
}

cart_hybrid <- function(epsilon) {
  needs("synthpop")
  order <- c(published, protected)
  synthpop::syn(
    file,
    method = ifelse(names(file) %in% protected, "cart", ""),
    visit.sequence = match(order, names(file)), print.flag = FALSE,
    maxfaclevels = 100
  )$syn
}

bootstrap_hybrid <- function(epsilon) {
  file[sample(nrow(file), replace = TRUE), ]
}

makers <- list(
  ours = ours_hybrid, cart = cart_hybrid, bootstrap = bootstrap_hybrid
)
stopifnot(wanted %in% names(makers), releases > 1)

# Run --------------------------------------------------------------------------

truth <- measure(file)
cat(sprintf(
  "%d records; R2 of the file %.4f\n", nrow(file), truth[["r_squared"]]
))
for (maker in wanted) {
  for (epsilon in if (maker == "ours") epsilons else Inf) {
    found <- vapply(seq_len(releases), function(k) {
      # Draws of the others; a release of ours takes the system's entropy
      set.seed(k)
      measure(suppressMessages(makers[[maker]](epsilon)))
    }, truth)
    means <- rowMeans(found)
    errors <- apply(found, 1, stats::sd) / sqrt(releases)
    limits <- c(
      if (as.character(epsilon) %in% rownames(asked)) {
        asked[as.character(epsilon), ]
      } else {
        rep(NA, 5)
      },
      r_squared = if (epsilon == 1) 0.02 else NA
    )
    cat(sprintf("%s epsilon %s, %d releases\n", maker, epsilon, releases))
    cat(sprintf(
      "  %-16s %.4f (%.4f)%s\n", names(means), means, errors,
      ifelse(is.na(limits), "", sprintf(
        "  asked %s%s", limits,
        ifelse(names(means) == "r_squared", " around the file's", "")
      ))
    ), sep = "")
    keep_rows(
      data.frame(
        maker = maker, epsilon = epsilon, measure = names(means),
        mean = means, standard_error = errors, asked = limits,
        releases = releases
      ),
      "bench/results/file-hybrid.csv", c("maker", "epsilon", "measure")
    )
  }
}
