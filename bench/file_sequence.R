# Whole files without a guarantee: synthesize_file() beside synthpop's CART, on
# the survey that synthpop ships and on the October file.
#
#   Rscript bench/file_sequence.R [sets] [files]
#   Rscript bench/file_sequence.R 20 survey,october,large
#   Rscript bench/file_sequence.R 200 floor
#
# Needs the CRAN package synthpop. Prints means over sets with their standard
# errors in brackets, and keeps them in bench/results/file-sequence.csv. Ratios
# are to the mean of as many bootstraps of the file. Seconds are of the
# processor, one thread. `replicated`: share of a set's records that equal, in
# all columns, a record which the file has once. `floor` has the coefficients
# of the October file alone, of many sets: is any maker nearer to the file than
# a bootstrap, or than one half of the file to the other?

suppressPackageStartupMessages(library(pseudosynth))
options(pseudosynth.threads = 1L)
source("bench/results.R")
source("bench/file_measures.R")
source("bench/file_cases.R")
source("bench/file_makers.R")
needs("synthpop")
needs("rpart")

given <- commandArgs(trailingOnly = TRUE)
sets <- if (length(given) > 0) as.integer(given[1]) else 20L
wanted <- strsplit(c(given[-1], "survey,october,large")[1], ",")[[1]]
stopifnot(sets > 1)

#' Share of a set's records that equal a record which the file has once
replicated_share <- function(set, file) {
  words <- function(x) do.call(paste, c(lapply(x, as.character), sep = "|"))
  own <- words(file)
  once <- setdiff(own, own[duplicated(own)])
  mean(words(set) %in% once)
}

#' SD2011: 5,000 records, with missing values, a code and heaps
survey_case <- function() {
  found <- new.env()
  utils::data("SD2011", package = "synthpop", envir = found)
  file <- found$SD2011[c(
    "sex", "age", "edu", "marital", "income", "ls", "wkabint", "placesize"
  )]
  known <- function(set) {
    as.data.frame(lapply(set, function(x) {
      if (is.factor(x)) {
        x <- as.character(x)
        factor(ifelse(is.na(x), "missing", x))
      } else {
        ifelse(is.na(x), -99, x)
      }
    }))
  }
  own <- known(file)
  codes <- file_codes(own, own)
  heaped <- function(x) mean(x[!is.na(x)] %% 100 == 0)
  list(file = file, measure = function(set) {
    c(
      pairs = table_distance(file_codes(known(set), own), codes, 2),
      missing = max(abs(colMeans(is.na(set)) - colMeans(is.na(file)))),
      hundreds = abs(heaped(set$income) - heaped(file$income))
    )
  })
}

processor_seconds <- function(expression) sum(system.time(expression)[1:2])

makers <- list(
  trees = function(file) {
    suppressWarnings(suppressMessages(synthesize_file(file)))[[1]]
  },
  regressions = function(file) {
    suppressWarnings(suppressMessages(
      synthesize_file(file, model = "regression")
    ))[[1]]
  },
  cart = function(file) {
    suppressWarnings(synthpop::syn(
      file, method = "cart", print.flag = FALSE, maxfaclevels = 100
    ))$syn
  },
  bootstrap = function(file) file[sample(nrow(file), replace = TRUE), ]
)

report_case <- function(name, case) {
  cat(sprintf("%s: %d records, %d columns\n", name, nrow(case$file),
    ncol(case$file)))
  found <- lapply(makers, function(make) {
    vapply(seq_len(sets), function(k) {
      set.seed(k)
      seconds <- processor_seconds(set <- make(case$file))
      c(
        case$measure(set), replicated = replicated_share(set, case$file),
        seconds = seconds
      )
    }, c(case$measure(case$file), replicated = 0, seconds = 0))
  })
  fresh <- mean(found$bootstrap["pairs", ])
  for (maker in names(makers)) {
    values <- rbind(
      found[[maker]], pairs_ratio = found[[maker]]["pairs", ] / fresh
    )
    means <- rowMeans(values)
    errors <- apply(values, 1, stats::sd) / sqrt(sets)
    cat(" ", maker, "\n")
    cat(sprintf("    %-14s %.4f (%.4f)\n", names(means), means, errors),
      sep = "")
    keep_rows(
      data.frame(
        file = name, maker = maker, measure = names(means), mean = means,
        standard_error = errors, sets = sets
      ),
      "bench/results/file-sequence.csv", c("file", "maker", "measure")
    )
  }
}

if ("survey" %in% wanted) report_case("survey", survey_case())
if ("october" %in% wanted) report_case("october", october_case())

# 20 columns of 10,000 records: two columns of each of the October file
report_large <- function() {
  file <- october_case()$file
  set.seed(1)
  some <- function() file[sample(nrow(file), 10000, replace = TRUE), ]
  large <- data.frame(some(), some())
  for (model in c("tree", "regression")) {
    seconds <- processor_seconds(suppressWarnings(
      suppressMessages(synthesize_file(large, model = model))
    ))
    cat(sprintf(
      "20 columns of 10,000 records, %s: %.1f seconds\n", model, seconds
    ))
  }
}
if ("large" %in% wanted) report_large()

# Coefficients alone, of many sets. Two halves of a file are twice as far from
# each other as a bootstrap is from the file: half of that distance counts.
report_floor <- function() {
  file <- october_case()$file
  coefficients <- function(x) linear_fit(x, log(income) ~ .)$coefficients
  truth <- coefficients(file)
  error_of <- function(make) {
    function() coefficient_error(coefficients(make(file)), truth)
  }
  trees_of <- function(leaf) {
    error_of(function(file) {
      suppressWarnings(suppressMessages(
        synthesize_file(file, leaf = leaf)
      ))[[1]]
    })
  }
  ways <- list(
    bootstrap = error_of(makers$bootstrap),
    halves = function() {
      first <- sample(nrow(file), nrow(file) %/% 2)
      coefficient_error(
        coefficients(file[first, ]), coefficients(file[-first, ])
      ) / 2
    },
    trees = trees_of(10), trees_leaf_5 = trees_of(5),
    cart = error_of(makers$cart)
  )
  for (way in names(ways)) {
    found <- vapply(seq_len(sets), function(k) {
      set.seed(k)
      ways[[way]]()
    }, 1)
    error <- stats::sd(found) / sqrt(sets)
    cat(sprintf(
      "coefficients, %s: %.4f (%.4f), of %d sets %.0f%% at most .062\n", way,
      mean(found), error, sets, 100 * mean(found <= 0.062)
    ))
    keep_rows(
      data.frame(
        file = "october, many sets", maker = way,
        measure = c("coefficients", "share at most .062"),
        mean = c(mean(found), mean(found <= 0.062)),
        standard_error = c(error, stats::sd(found <= 0.062) / sqrt(sets)),
        sets = sets
      ),
      "bench/results/file-sequence.csv", c("file", "maker", "measure")
    )
  }
}
if ("floor" %in% wanted) report_floor()
