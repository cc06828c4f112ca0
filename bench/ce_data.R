# The records that the benchmarks use, and the model of both programs on them.

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
  all <- code$ce_recode(raw, c(
    income = "FINCBTAX", sex = "SEX", age = "AGE", education = "EDUCA",
    region = "REGION", urban = "BLS_URBN", marital = "MARITAL",
    population = "POPSIZE", family_size = "FAM_SIZE", earner = "EARNER"
  ))
  all <- all[stats::complete.cases(all), ]
  subset(all, income > 0)
}

# rpms::CE from the installed package, else from the source package on CRAN.
load_rpms_ce <- function() {
  target <- new.env()
  if (requireNamespace("rpms", quietly = TRUE)) {
    utils::data("CE", package = "rpms", envir = target)
    return(target$CE)
  }
  folder <- tempfile("rpms-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  if (identical(getOption("repos")[["CRAN"]], "@CRAN@")) {
    utils::chooseCRANmirror(ind = 1, local.only = TRUE)
  }
  tarball <- utils::download.packages(
    "rpms", folder,
    type = "source", quiet = TRUE
  )[1, 2]
  utils::untar(tarball, files = "rpms/data/CE.rda", exdir = folder)
  load(file.path(folder, "rpms", "data", "CE.rda"), envir = target)
  target$CE
}

#' What the package's core reads: the model of log income on nine predictors.
#' @param alpha (numeric, N) privacy weights; default 1 for all.
package_spec <- function(data, family, prior = NULL,
                         alpha = rep(1, nrow(data))) {
  internal <- asNamespace("pseudosynth")
  family <- internal$as_synth_family(family)
  response <- internal$new_response(
    income_formula, data, family$log_response, environment()
  )
  model <- list(
    family = family, prior = internal$resolve_prior(prior, family),
    response = response,
    design = internal$new_design(income_formula, data, response$variable),
    data = data
  )
  internal$model_spec(model, alpha, NULL)
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
