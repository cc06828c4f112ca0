# Survey weights of whole-file releases: the October file of `ce_income` with
# the weights of the Consumer Expenditure Surveys (FINLWT21 of rpms::CE), 5,379
# records with a positive income and a published region and population.
#
#   Rscript bench/file_weights.R [releases]
#
# `shares` is the total variation between the weighted shares of the levels of a
# category in the set and in the file, a mean over the nine categories; `tenths`
# the same for tenths of income of the weighted file. `totals` is the mean
# relative error of sums of weights, of levels of at least 2%. `mean` is the
# relative error of the weighted mean of income.
#   weight: protected, or published beside protected columns
#   ignored: shares of the same sets without weights
#   raked: weights of the sets raked to the file's totals by region and age
#   bootstrap: the file's records drawn with replacement

suppressPackageStartupMessages(library(pseudosynth))
source(file.path("bench", "results.R"))
source(file.path("data-raw", "load_rpms_ce.R"))

arguments <- commandArgs(trailingOnly = TRUE)
releases <- if (length(arguments) > 0) as.integer(arguments[1]) else 20L

ce <- load_rpms_ce()
october <- ce_income
october$weight <- ce$FINLWT21[ce$QINTRVMO == 10]
october <- droplevels(subset(
  october,
  income > 0 & region != "not published" & population != "not published"
))

# Weights of CE are between some hundreds and a hundred thousand
book <- as.data.frame(draft_codebook(october))
amount <- match(c("income", "weight"), book$column)
book[amount, "lower"] <- c("1", "500")
book[amount, "upper"] <- c("2e6", "2e5")
book[amount, "transform"] <- "log"
book <- confirm_codebook(codebook(book))

weighted_tenths <- function(x, w) {
  order <- order(x)
  below <- cumsum(w[order]) / sum(w)
  x[order][vapply((1:9) / 10, function(p) which.max(below >= p), 1L)]
}
tenths <- weighted_tenths(october$income, october$weight)
columns <- setdiff(names(october), "weight")

codes <- function(set) {
  set$income <- factor(findInterval(set$income, tenths), 0:9)
  set[columns]
}

sums_by_level <- function(set, w) {
  lapply(codes(set), function(x) {
    sums <- tapply(w, x, sum, default = 0)
    stats::setNames(as.vector(sums), names(sums))
  })
}

truth <- sums_by_level(october, october$weight)

measures <- function(set, w = set$weight) {
  found <- sums_by_level(set, w)
  off <- Map(function(a, b) abs(a / sum(a) - b / sum(b)), found, truth)
  large <- Map(function(b) b >= sum(b) / 50, truth)
  total <- Map(function(a, b, large) abs(a / b - 1)[large], found, truth, large)
  mean_income <- function(set, w) stats::weighted.mean(set$income, w)
  distance <- vapply(off, function(x) sum(x) / 2, 0)
  c(
    shares = mean(distance[columns != "income"]),
    tenths = distance[["income"]], totals = mean(unlist(total)),
    mean = abs(
      mean_income(set, w) / mean_income(october, october$weight) - 1
    )
  )
}

row_of <- function(what, epsilon, found) {
  data.frame(
    weights = what, epsilon = epsilon, repeats = ncol(found),
    t(rowMeans(found)),
    se_shares = stats::sd(found["shares", ]) / sqrt(ncol(found))
  )
}

public_totals <- function(column) {
  sums <- truth[[column]]
  stats::setNames(
    data.frame(factor(names(sums), names(sums)), unname(sums)),
    c(column, "total")
  )
}

case <- function(epsilon, publish) {
  plan <- file_plan(october, book, publish, survey_weights = "weight")
  found <- replicate(releases, {
    sets <- synthesize(file_release(plan, epsilon))
    set <- sets[[1]]
    raked <- rake_weights(sets, lapply(c("region", "age"), public_totals))
    cbind(measures(set), measures(set, rep(1, nrow(set))), measures(raked[[1]]))
  })
  name <- if (is.null(publish)) "protected" else "published"
  rbind(
    row_of(name, epsilon, found[, 1, ]),
    row_of(paste(name, "and ignored"), epsilon, found[, 2, ]),
    row_of(paste(name, "and raked"), epsilon, found[, 3, ])
  )
}

set.seed(1)
bootstrap <- replicate(10 * releases, {
  measures(october[sample(nrow(october), replace = TRUE), ])
})
rows <- row_of("bootstrap", NA, bootstrap)
rows <- rbind(rows, row_of(
  "ignored in the file", NA, cbind(measures(october, rep(1, nrow(october))))
))
for (epsilon in c(1, 5)) rows <- rbind(rows, case(epsilon, NULL))
rows <- rbind(rows, case(1, c("weight", "region", "sex")))
keep_table(rows, "file-weights", character())
