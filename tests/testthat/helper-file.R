# What the tests of file releases share.

# Codes with relations: each column leans on the one before.
leaning_codes <- function(n, levels) {
  codes <- matrix(1L, n, length(levels))
  for (j in seq_along(levels)) {
    before <- if (j > 1) codes[, j - 1] else 0L
    own <- sample(levels[j], n, TRUE)
    leans <- stats::runif(n) < 0.5
    codes[, j] <- ifelse(leans, before %% levels[j] + 1L, own)
  }
  codes
}

# All records of a domain, a row each.
whole_domain <- function(levels) {
  unname(as.matrix(expand.grid(lapply(levels, seq_len))))
}

# A block that was measured, from its codes alone.
release_block <- function(codes, levels, published, tables = list(), mu,
                          neighbours = "add-remove", delta = 1e-6,
                          rules = list(), seed = NULL) {
  check_block(codes, levels, published, tables, rules)
  public_n <- if (neighbours == "replace" || any(published)) nrow(codes)
  plan <- plan_block(
    as.integer(levels), published, tables, mu, neighbours, delta, public_n
  )
  release_plan(codes, plan, rules, seed)
}

block_of <- function(codes, levels, mu = 0.5, ..., seed = 1,
                     published = rep(FALSE, length(levels))) {
  release_block(codes, levels, published, mu = mu, ..., seed = seed)
}

# A part of the Consumer Expenditure file with an amount, and its plan.
people <- function(n = 400) {
  columns <- c("income", "sex", "age", "earner")
  utils::head(subset(ce_income, income > 0, columns), n)
}

people_plan <- function(data = people(), ...) {
  book <- as.data.frame(draft_codebook(data))
  book[1, c("lower", "upper", "transform")] <- c("1", "2e6", "log")
  file_plan(data, confirm_codebook(codebook(book)), ...)
}

# Households of up to three people, in any order of records.
household_plan <- function(n = 160, publish = NULL, most = 3) {
  data <- people(n)
  data$house <- withr::with_seed(8, sample(rep(seq_len(n / 2), 2)))
  book <- edit_codebook(draft_codebook(data),
    income = list(lower = 1, upper = 2e6, transform = "log"),
    house = list(type = "id", records = most)
  )
  file_plan(data, confirm_codebook(book), publish = publish, unit = "house")
}

# An amount with several parts, missing values among them, and a count.
parts_plan <- function(n = 250) {
  data <- withr::with_seed(3, {
    pay <- round(stats::rlnorm(n, 8, 1), -1)
    data.frame(
      pay = ifelse(stats::runif(n) < 0.3, NA, pay - 800),
      visits = stats::rpois(n, 4), a = sample(letters[1:3], n, TRUE)
    )
  })
  book <- as.data.frame(draft_codebook(data))
  book[1, c("type", "lower", "upper", "transform", "heaps", "zero")] <- list(
    "amount", "-1000", "1e6", "log", "100", TRUE
  )
  book[1, "missing"] <- TRUE
  book[2, c("type", "levels", "lower", "upper", "family")] <- list(
    "count", NA, "0", "60", "neg_binomial"
  )
  file_plan(data, confirm_codebook(codebook(book)))
}

# Functions of the package with a fault, until the caller ends.
local_fault <- function(..., frame = parent.frame()) {
  package <- asNamespace("pseudosynth")
  faults <- list(...)
  own <- mget(names(faults), package)
  set <- function(values) {
    for (name in names(values)) {
      unlockBinding(name, package)
      assign(name, values[[name]], package)
      lockBinding(name, package)
    }
  }
  withr::defer(set(own), frame)
  set(faults)
}

# The rows of the measure of models
file_models <- function(regression, data, sets, weights) {
  judgement(list(
    data = data, sets = sets, regression = regression, survey_weights = weights
  ), list(measure_models))$rows
}

# The rows of the measures of statistics and of propensities
file_statistics <- function(sets, data, survey_weights) {
  sets["survey_weights"] <- list(survey_weights)
  case <- file_case(sets, data)
  said_statistics(judgement(case, list(measure_statistics))$rows$statistics)
}

file_propensities <- function(sets, data, methods) {
  case <- file_case(sets, data, list(methods = methods))
  judgement(case, list(measure_propensity), fresh = FALSE)$rows$propensity
}
