# Whole files under the papers' mechanisms: joint bounds of three columns beside
# the bounds of each, and all ten columns beside file releases of the same file.
#
#   Rscript bench/file_joint.R [sets] [parts]
#   Rscript bench/file_joint.R 10 three,ten
#
# `three`: income, education and earner of the 6,208 records of `ce_income`.
# `sum of columns` adds up the largest bound of each column in the same fit,
# `sum of jobs` those of three fits of one column, each weighted alone. `ten`:
# the October file; measures as in bench/file_rivals.R. Prints results and keeps
# them in bench/results/file-joint.csv. Seconds are elapsed, on two threads.

suppressPackageStartupMessages(library(pseudosynth))
options(pseudosynth.threads = 2L)
source("bench/results.R")
source("bench/file_measures.R")
source("bench/file_cases.R")

given <- commandArgs(trailingOnly = TRUE)
sets <- if (length(given) > 0) as.integer(given[1]) else 10L
wanted <- strsplit(c(given[-1], "three,ten")[1], ",")[[1]]
stopifnot(sets > 1)

quietly <- function(expression) {
  suppressWarnings(suppressMessages(expression))
}

keep <- function(case, maker, measure, mean, error = NA) {
  cat(sprintf("  %-14s %-22s %.4g (%.2g)\n", maker, measure, mean, error),
    sep = "")
  keep_rows(
    data.frame(
      case = case, maker = maker, measure = measure, mean = mean,
      standard_error = error
    ),
    "bench/results/file-joint.csv", c("case", "maker", "measure")
  )
}

# The largest bound of each column, of the sums over its regressions
bounds_of_columns <- function(fit) {
  vapply(fit$models, function(model) {
    regressions <- c(
      model$part$steps, if (!is.null(model$value)) list(model$value)
    )
    max(Reduce(`+`, lapply(regressions, function(own) own$fit$bound$record)))
  }, 1)
}

report_three <- function() {
  file <- ce_income[c("income", "education", "earner")]
  plan_of <- function(data) {
    file_plan(data, confirm_codebook(quietly(draft_codebook(data))))
  }
  cat("three columns, 6,208 records\n")
  for (mechanism in c("lw", "lw_final")) {
    seconds <- system.time(
      fit <- quietly(fit_file(plan_of(file), mechanism, seed = 1))
    )[["elapsed"]]
    joint <- lipschitz(fit)$overall
    columns <- sum(bounds_of_columns(fit))
    keep("three", mechanism, c(
      "joint bound", "sum of columns", "joint / columns", "mean weight",
      "seconds"
    ), c(
      joint, columns, joint / columns, mean(as.double(fit$privacy_weights)),
      seconds
    ))
    if (mechanism == "lw") {
      # Each predicted by the columns before, as in the joint fit, and weighted
      # by its own bounds: the others are published
      alone <- vapply(names(file), function(name) {
        before <- names(file)[seq_len(match(name, names(file)))]
        data <- file[before]
        plan <- file_plan(
          data, confirm_codebook(quietly(draft_codebook(data))),
          publish = if (length(before) > 1) setdiff(before, name)
        )
        lipschitz(quietly(fit_file(plan, mechanism, seed = 1)))$overall
      }, 1)
      keep("three", mechanism, c("sum of jobs", "joint / jobs"), c(
        sum(alone), joint / sum(alone)
      ))
    }
  }
}

report_ten <- function() {
  case <- october_case()
  plan <- file_plan(case$file, codebook(case$book))
  measured <- function(maker, drawn, more = NULL) {
    values <- vapply(drawn, case$measure, case$measure(case$file))
    keep("ten", maker, rownames(values), rowMeans(values),
      apply(values, 1, stats::sd) / sqrt(sets))
    for (name in names(more)) keep("ten", maker, name, more[[name]])
  }
  cat("ten columns,", plan$n_records, "records\n")
  for (mechanism in c("lw", "lw_final")) {
    seconds <- system.time(
      fit <- quietly(fit_file(plan, mechanism, m = sets, seed = 1))
    )[["elapsed"]]
    measured(mechanism, as.list(quietly(synthesize(fit, m = sets, seed = 2))),
      list(
        "epsilon, add-remove" = 2 * lipschitz(fit)$overall,
        "joint / columns" = lipschitz(fit)$overall /
          sum(bounds_of_columns(fit)),
        "mean weight" = mean(as.double(fit$privacy_weights)), seconds = seconds
      ))
    if (mechanism == "lw") {
      plain <- quietly(update(fit, privacy_weights = NULL, seed = 3))
      drawn <- quietly(synthesize(
        plain, m = sets, seed = 4, allow_unconverged = TRUE
      ))
      measured("unweighted", as.list(drawn))
    }
  }
  for (epsilon in c(1, 5)) {
    measured(paste("release", epsilon), lapply(seq_len(sets), function(k) {
      release <- quietly(file_release(plan, epsilon, seed = k))
      synthesize(release, n = plan$n_records, seed = k)[[1]]
    }))
  }
  set.seed(1)
  measured("bootstrap", lapply(seq_len(sets), function(k) {
    case$file[sample(nrow(case$file), replace = TRUE), ]
  }))
}

if ("three" %in% wanted) report_three()
if ("ten" %in% wanted) report_ten()
