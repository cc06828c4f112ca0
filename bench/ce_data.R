# The records that the benchmarks use, and the model of both programs on them.

source(file.path("data-raw", "load_rpms_ce.R"))

nine_predictors <- c(
  "sex", "age", "education", "region", "urban", "marital", "population",
  "family_size", "earner"
)

income_formula <- stats::reformulate(nine_predictors, quote(log(income)))

#' The 5,478 positive incomes of `ce_income`.
ce_october <- function() {
  subset(pseudosynth::ce_income, income > 0)
}

#' The positive incomes of all months of rpms::CE, coded as data-raw codes
#' `ce_income`; about 59,000 complete records.
ce_all_months <- function() {
  raw <- load_rpms_ce()
  code <- new.env()
  sys.source(file.path("R", "ce_codes.R"), code)
  all <- code$ce_recode(raw, rpms_columns)
  all <- all[stats::complete.cases(all), ]
  subset(all, income > 0)
}

#' What the package's core reads: the model of log income on nine predictors.
#' @param alpha (numeric, N) privacy weights; default 1 for all.
package_spec <- function(data, family, prior = NULL,
                         alpha = rep(1, nrow(data))) {
  internal <- asNamespace("pseudosynth")
  spec <- internal$new_model(
    income_formula, data, internal$as_synth_family(family), prior
  )$spec
  spec$alpha <- alpha
  spec
}

#' The same data as a Stan program reads them: a dense design matrix.
stan_records <- function(data, alpha = rep(1, nrow(data))) {
  x <- stats::model.matrix(income_formula, data)
  list(
    N = nrow(x), P = ncol(x), y = log(data$income),
    x = unname(x[, , drop = FALSE]), alpha = alpha
  )
}

#' Privacy weights for timing: random, none of them 0.
random_weights <- function(n) {
  1 - stats::runif(n)
}
