# Panels: file releases of persons over waves, beside fresh samples of persons.
#
#   Rscript bench/panels.R [releases]
#
# `simulated`: 8,000 persons in five waves who enter, leave and return; status
# (three levels), health (five) and wages, which correlate over waves.
# `egsingle`: 1,721 pupils in six waves, mathematics scores (R package mlmRev).
#
# `status`, `health`, `retained`: total variation of the table of two
# neighbouring waves among persons in both, a mean over waves. `near`, `far`:
# the correlation of the amount in neighbouring waves, and in the first and the
# last of five. `patterns`: total variation of which waves persons are in.
# `two_way`: of tables of two columns of records. Ratios are those of utility(),
# beside fresh samples, of the last release alone.

suppressPackageStartupMessages(library(pseudosynth))
source(file.path("bench", "results.R"))

arguments <- commandArgs(trailingOnly = TRUE)
releases <- if (length(arguments) > 0) as.integer(arguments[1]) else 10L

ordered_levels <- function(levels, storage = "integer") {
  list(
    type = "ordered", levels = as.character(levels), storage = storage,
    lower = NA, upper = NA, digits = NA, transform = NA, family = NA,
    heaps = NA, zero = FALSE, missing = FALSE
  )
}

simulated <- function(n = 8000) {
  set.seed(1)
  pick <- function(x, p = NULL) sample(x, n, TRUE, p)
  edu <- pick(c("low", "mid", "high"), c(0.3, 0.45, 0.25))
  sex <- pick(c("f", "m"))
  born <- pick(seq(1945, 1985, 5))
  region <- pick(letters[1:6])
  enter <- pick(1:4, c(0.82, 0.07, 0.06, 0.05))
  person <- rnorm(n, 0, 0.33)
  error <- rnorm(n, 0, 0.22)
  status <- pick(1:3, c(0.62, 0.08, 0.3))
  health <- pick(1:5, c(0.1, 0.3, 0.35, 0.18, 0.07))
  moves <- rbind(c(0.88, 0.05, 0.07), c(0.35, 0.45, 0.2), c(0.08, 0.04, 0.88))
  there <- rep(FALSE, n)
  waves <- list()
  for (t in 1:5) {
    if (t > 1) {
      status <- vapply(status, function(s) sample(3, 1, prob = moves[s, ]), 1L)
      health <- pmin(5, pmax(1, health + pick(-1:1, c(0.17, 0.6, 0.23))))
      error <- 0.5 * error + rnorm(n, 0, 0.22 * sqrt(0.75))
    }
    wage <- exp(2.4 + 0.25 * (edu == "mid") + 0.55 * (edu == "high") -
      0.18 * (sex == "f") + 0.005 * (1985 - born) + 0.02 * t + person + error)
    stay <- runif(n) < ifelse(status == 2, 0.9, 0.95)
    back <- runif(n) < 0.25
    there <- t >= enter & (t == enter | ifelse(there, stay, back))
    waves[[t]] <- data.frame(
      id = seq_len(n), year = 2000L + t, sex, born, region, edu,
      status = c("work", "unemployed", "other")[status],
      health = factor(health, 1:5, ordered = TRUE),
      amount = ifelse(status == 1, round(wage, 2), NA)
    )[there, ]
  }
  do.call(rbind, waves)
}

simulated_plan <- function(file) {
  book <- edit_codebook(
    draft_codebook(file), id = "id", year = ordered_levels(2001:2005),
    born = ordered_levels(seq(1945, 1985, 5)), amount = list(
      lower = "1", upper = "300", digits = "2", transform = "log"
    )
  )
  file_plan(file, confirm_codebook(book),
    unit = "id",
    members = waves("year", constant = c("sex", "born", "region", "edu")),
    rules = list(~ is.na(amount) == (status != "work"))
  )
}

egsingle <- function() {
  own <- new.env()
  utils::data("egsingle", package = "mlmRev", envir = own)
  x <- own$egsingle
  data.frame(
    id = as.character(x$childid), year = as.integer(x$year + 3.5),
    female = x$female, black = x$black, hispanic = x$hispanic,
    retained = x$retained, amount = round(x$math, 2)
  )
}

egsingle_plan <- function(file) {
  book <- edit_codebook(
    draft_codebook(file), id = "id", year = ordered_levels(1:6),
    amount = list(
      lower = "-8", upper = "8", digits = "2", transform = "identity",
      heaps = NA, zero = FALSE
    )
  )
  file_plan(file, confirm_codebook(book),
    unit = "id",
    members = waves("year", constant = c("female", "black", "hispanic"))
  )
}

over_waves <- function(file, name) {
  x <- as.character(file[[name]])
  by <- file[c("id", "year")]
  tapply(if (is.numeric(file[[name]])) file[[name]] else x, by, `[`, 1)
}

distance <- function(a, b) {
  levels <- union(a, b)
  share <- function(x) table(factor(x, levels)) / length(x)
  sum(abs(share(a) - share(b))) / 2
}

transitions <- function(file, set, name) {
  both <- lapply(list(file, set), over_waves, name)
  mean(vapply(seq_len(ncol(both[[1]]) - 1), function(k) {
    tables <- lapply(both, function(x) {
      there <- !is.na(x[, k]) & !is.na(x[, k + 1])
      paste(x[there, k], x[there, k + 1])
    })
    distance(tables[[1]], tables[[2]])
  }, 0))
}

measures <- function(file, set, columns, log) {
  amount <- over_waves(set, "amount")
  if (log) amount <- log(amount)
  related <- cor(amount, use = "pairwise.complete.obs")
  apart <- col(related) - row(related)
  pattern <- function(x) {
    there <- unclass(table(x$id, x$year)) > 0
    apply(there + 0L, 1, paste, collapse = "")
  }
  c(
    vapply(columns, function(name) transitions(file, set, name), 0),
    near = mean(related[apart == 1]), far = mean(related[apart == 4]),
    patterns = distance(pattern(file), pattern(set))
  )
}

case <- function(name, file, plan, columns, log) {
  of <- c("two_way", "transitions_ratio", "ever_ratio", "correlations_ratio")
  row <- function(epsilon, found, seconds = NA) {
    own <- rowMeans(found)
    data.frame(
      file = name, epsilon = epsilon, figure = names(own), mean = unname(own),
      sd = apply(found, 1, sd), seconds = seconds
    )
  }
  rows <- row(NA, cbind(measures(file, file, columns, log))[, c(1, 1)])
  fresh <- replicate(releases, {
    drawn <- sample(unique(file$id), replace = TRUE)
    at <- split(seq_len(nrow(file)), file$id)[as.character(drawn)]
    sample <- file[unlist(at), ]
    sample$id <- rep(seq_along(at), lengths(at))
    measures(file, sample, columns, log)
  })
  rows <- rbind(rows, row(0, fresh))
  sets <- NULL
  for (epsilon in c(1, 5)) {
    took <- system.time(found <- replicate(releases, {
      sets <<- synthesize(suppressWarnings(file_release(plan, epsilon)))
      measures(file, sets[[1]], columns, log)
    }))[[1]]
    rows <- rbind(rows, row(epsilon, found, took / releases))
    # Of the last release alone
    overall <- utility(sets, file)$overall[of]
    rows <- rbind(rows, row(epsilon, cbind(overall, overall)))
  }
  rows
}

file <- simulated()
rows <- case(
  "simulated", file, suppressMessages(simulated_plan(file)),
  c("status", "health"), TRUE
)
if (requireNamespace("mlmRev", quietly = TRUE)) {
  file <- egsingle()
  rows <- rbind(rows, case(
    "egsingle", file, suppressMessages(egsingle_plan(file)), "retained", FALSE
  ))
}
# epsilon NA: the file beside itself; 0: fresh samples of persons
keep_table(rows, "panels", character())
