# What strict release keeps: the positive incomes of `ce_income` under
# reference-centred censoring with a calibrated margin, against the gates of
# the design; other references, windows, splits, families and months; the
# negative binomial on SDR salary.
#
#   Rscript bench/strict-utility.R [sets] [part ...]
#
# Parts: gates references windows splits bins combined families months salary.
# Writes bench/results/strict-utility.csv, one row for each case. Every figure
# is the mean over `sets` independent releases of one set: a parameter draw and
# a histogram of its own for each.

suppressPackageStartupMessages(library(pseudosynth))

arguments <- commandArgs(trailingOnly = TRUE)
sets <- if (length(arguments) > 0) as.integer(arguments[1]) else 20L
parts <- arguments[-1]
all_parts <- c(
  "gates", "references", "windows", "splits", "bins", "combined", "families",
  "months", "salary"
)
if (length(parts) == 0) parts <- all_parts

source("bench/strict_cases.R")

path <- "bench/results/strict-utility.csv"

add <- function(...) {
  keep_rows(compared_rows(..., sets = sets), path, c("part", "case"))
}

totals <- c(5, 1, 0.5, 0.25)

if ("gates" %in% parts) {
  add("gates", "default", epsilon = totals, alone = TRUE)
}

if ("references" %in% parts) {
  for (name in names(other_references)) {
    add("references", name, reference = other_references[[name]],
      epsilon = c(1, 0.25), alone = TRUE)
  }
}

if ("windows" %in% parts) {
  for (window in c(1.5, 3)) {
    add("windows", paste("window", window), window = window,
      epsilon = c(1, 0.25))
  }
}

if ("splits" %in% parts) {
  for (share in c(0.1, 0.2, 0.3, 0.5)) {
    add("splits", paste("margin share", share), margin_share = share,
      epsilon = c(1, 0.25))
  }
}

if ("bins" %in% parts) {
  for (bins in 30) {
    add("bins", paste(bins, "bins"), bins = bins, epsilon = c(1, 0.25))
  }
}

# The best split and number of bins together
if ("combined" %in% parts) {
  for (share in c(0.4, 0.5)) {
    add("combined", paste("30 bins, margin share", share), bins = 30,
      margin_share = share, epsilon = c(1, 0.5, 0.25))
  }
}

if ("families" %in% parts) {
  add("families", "normal errors, window 4", family = gaussian(),
    epsilon = c(1, 0.25))
  add("families", "student_t(5)", family = student_t(5),
    epsilon = c(1, 0.25))
  add("families", "normal errors, as published", family = gaussian(),
    mechanisms = "censor_uw", epsilon = c(5, 1),
    prior = prior_normal(1, c(10.8, 2.5)), bounds = NULL, bins = NULL,
    margin_share = NULL)
}

if ("months" %in% parts) {
  # The split, too, is judged on other months than the one it was found on
  for (month in c(1, 4, 7)) {
    for (share in c(0.2, 0.4)) {
      add("months", sprintf("month %d, margin share %s", month, share),
        data = ce_month(month), margin_share = share, epsilon = c(1, 0.25))
    }
  }
}

if ("salary" %in% parts) {
  for (window in c(2, 4)) {
    add("salary", paste("neg_binomial, window", window),
      data = salary_thousands(),
      family = neg_binomial(), formula = salary ~ .,
      reference = list("(Intercept)" = log(90), size = 4), window = window,
      bounds = c(0, 1000), measured = c("gender", "age"),
      epsilon = totals, alone = window == 2)
  }
}

gates <- data.frame(
  asked = c(1, 0.25), ecdf_max = c(0.02, 0.055), groups = c(0.07, 0.21),
  r_squared = c(0.03, 0.04)
)
found <- subset(
  utils::read.csv(path), part == "gates" & mechanism == "centred"
)
for (i in seq_len(nrow(gates))) {
  row <- found[as.numeric(found$asked) == gates$asked[i], ]
  if (nrow(row) == 0 || is.na(row$ecdf_max)) next
  miss <- abs(as.numeric(row$r_squared) - as.numeric(row$r_squared_file))
  cat(sprintf(
    paste(
      "epsilon %-5s ECDF %.4f (gate %.3f)  groups %.4f (%.2f)",
      "R2 off %.4f (%.2f)  %s\n"
    ),
    gates$asked[i], as.numeric(row$ecdf_max), gates$ecdf_max[i],
    as.numeric(row$groups), gates$groups[i], miss, gates$r_squared[i],
    if (as.numeric(row$ecdf_max) <= gates$ecdf_max[i] &&
      as.numeric(row$groups) <= gates$groups[i] &&
      miss <= gates$r_squared[i]) "passes" else "FAILS"
  ))
}
