#' Synthesize a whole file
#'
#' Fits a model to each column of a file and draws sets, in one call:
#' [fit_file()], then [synthesize()]. With a data frame alone it makes a whole
#' file, as `syn(data)` of package synthpop does, with the label `"none"`. With
#' a plan and a mechanism it does the same under one of the papers' guarantees.
#' See [file_release()] for whole files under a strict epsilon.
#'
#' Missing values, zeros, codes and heaps keep their shares. Types, levels,
#' value labels and formats come back as they were. Each set is drawn anew from
#' the same models. [pool()] combines estimates from several sets by the rules
#' for partially synthetic data.
#'
#' @inheritParams fit_file
#' @param m (count) Number of sets. Default 1.
#' @param n (count or `NULL`) Number of records per set. `NULL`, the default: as
#'   many as the file has. With published columns, `n` must be their number of
#'   records.
#' @param seed (whole number from 0 to 2^53 or `NULL`) With a seed the sets are
#'   reproducible and marked as such. `NULL`, the default: the operating
#'   system's entropy.
#' @param ... Further arguments of [fit_file()]: `model`, `order`, `predictors`,
#'   `leaf`, `neighbours` and, under a mechanism, what stands in its `...`.
#' @return [`synthetic_data`][synthetic_data]: m data frames and their label,
#'   for [utility()], [report()] and the figures.
#' @inheritSection fit_file Mechanisms
#' @inheritSection fit_file Households
#' @inheritSection fit_file Rules
#' @inheritSection fit_file Warning types
#' @inheritSection fit_file Messages
#' @inheritSection fit_file Error types
#' @inheritSection fit_file Privacy
#' @inheritSection synthesize Many cores
#' @seealso [fit_file()] for the models, [file_plan()] for rules and published
#'   columns
#' @examplesIf requireNamespace("rpart", quietly = TRUE)
#' sets <- synthesize_file(ce_income[1:2000, ])
#' sets
#' utility(sets, ce_income[1:2000, ])
#' # By a plan: what is published, and what must hold
#' plan <- file_plan(ce_income, draft_codebook(ce_income),
#'   publish = c("sex", "region"),
#'   rules = ~ marital != "widowed" | age != "20 or under"
#' )
#' synthesize_file(plan, order = c("age", "education"))
#' @export
synthesize_file <- function(plan, mechanism = "unweighted", epsilon = NULL,
                            m = 1, n = NULL, seed = NULL, ...) {
  check_argument(n, null = TRUE)
  fit <- fit_file(
    plan, mechanism, epsilon, m = m, seed = stage_seed(seed, "file"), ...
  )
  allowed <- isTRUE(list(...)$allow_unconverged)
  synthesize(
    fit, m, n = n, seed = stage_seed(seed, "sets"), allow_unconverged = allowed
  )
}
