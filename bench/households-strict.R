# Households under one strict guarantee, with and without incomes: how far sets
# of file releases are from EU-SILC (package laeken), means over releases.
#
#   Rscript bench/households-strict.R [releases]
#
# Six slots; a whole household is added or removed; delta 1e-6. `pairs`: mean
# distance of the tables of two of region, size, sex, age and status, of persons
# in the first six places. `employed`: two or more. `apart`: quartiles of the
# age of the first less that of the second. `income`: its mean; `r2`: of log
# income on age, status, sex and region; `rank`: Spearman's correlation of a
# household's sum of incomes and the income that it states.

suppressPackageStartupMessages(library(pseudosynth))
source("bench/results.R")
source("bench/silc.R")
arguments <- commandArgs(trailingOnly = TRUE)
releases <- if (length(arguments) > 0) as.integer(arguments[1]) else 10L

slots <- 6
file <- silc_file()
ages <- list(
  type = "ordered", levels = as.character(5 * 0:17), lower = NA, upper = NA,
  digits = NA, transform = NA, family = NA, zero = FALSE, heaps = NA
)
incomes <- list(
  house = list(lower = 1, upper = 2e5, zero = TRUE),
  income = list(lower = 1, upper = 5e5, zero = TRUE)
)
plan_of <- function(with_incomes) {
  own <- if (with_incomes) incomes else list(house = "id", income = "id")
  book <- do.call(edit_codebook, c(
    list(draft_codebook(file), home = "id", age = ages), own
  ))
  file_plan(file, confirm_codebook(book),
    unit = "home", rules = list(
      ~ age >= 15 | status == "none", ~ member(1)$status != "none"
    ), members = members(~ -age, slots,
      household = c("region", if (with_incomes) "house")
    )
  )
}

columns_of <- function(x) {
  x <- x[order(x$home, -as.numeric(as.character(x$age))), ]
  data.frame(
    home = x$home, region = as.character(x$region), sex = as.character(x$sex),
    size = pmin(size_of(x), slots), place = place(x),
    age = as.numeric(as.character(x$age)), status = as.character(x$status)
  )
}
own <- columns_of(file)

of_incomes <- function(x) {
  earners <- x[x$income > 0, ]
  model <- stats::lm(
    log(income) ~ factor(as.character(age)) + factor(as.character(status)) +
      sex + region, earners
  )
  sums <- tapply(x$income, x$home, sum)
  stated <- x$house[match(names(sums), x$home)]
  c(
    income = mean(x$income), r2 = summary(model)$r.squared,
    rank = stats::cor(sums[stated > 0], stated[stated > 0], method = "spearman")
  )
}
no_incomes <- c(income = NA, r2 = NA, rank = NA)

figures <- function(set, with_incomes = TRUE) {
  x <- columns_of(set)
  first <- lapply(list(own, x), function(x) x[x$place <= slots, ])
  pairs <- utils::combn(c("region", "size", "sex", "age", "status"), 2)
  of_pairs <- apply(pairs, 2, function(pair) {
    distance(
      paste(first[[1]][[pair[1]]], first[[1]][[pair[2]]]),
      paste(first[[2]][[pair[1]]], first[[2]][[pair[2]]])
    )
  })
  second <- which(x$place == 2)
  couple <- second[x$age[second] >= 20]
  with <- function(of) rowsum(as.integer(of), x$home)
  apart <- stats::quantile(x$age[second - 1] - x$age[second], 1:3 / 4)
  working <- with(x$status %in% c("1", "2"))
  c(
    pairs = mean(of_pairs),
    sizes = distance(own$size[own$place == 1], x$size[x$place == 1]),
    children = mean(with(x$age < 15) > 0), none_employed = mean(working == 0),
    employed = mean(working > 1),
    one_sex = mean(x$sex[couple] == x$sex[couple - 1]),
    apart = unname(apart), if (with_incomes) of_incomes(set) else no_incomes
  )
}

rows <- data.frame(incomes = NA, epsilon = NA, t(figures(file)), seconds = NA)
for (with_incomes in c(FALSE, TRUE)) {
  plan <- suppressMessages(plan_of(with_incomes))
  for (epsilon in c(1, 5)) {
    took <- system.time(found <- replicate(releases, {
      figures(suppressWarnings(suppressMessages(
        synthesize(file_release(plan, epsilon))[[1]]
      )), with_incomes)
    }))[[1]]
    rows <- rbind(rows, data.frame(
      incomes = with_incomes, epsilon, t(rowMeans(found)),
      seconds = took / releases
    ))
  }
}
# The first row is the file's own
keep_table(rows, "households-strict", character())
