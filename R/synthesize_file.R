#' Synthesize a whole file
#'
#' Fits a model to each column of a file and draws sets, in one call:
#' [fit_file()], then [synthesize()]. With a data frame alone it makes a whole
#' file, as `syn(data)` of package synthpop does. The label is `"none"`: see
#' [file_release()] for whole files under a guarantee.
#'
#' Missing values, zeros, codes and heaps keep their shares. Types, levels,
#' value labels and formats come back as they were. Each set is drawn anew from
#' the same models. [pool()] combines estimates from several sets by the rules
#' for partially synthetic data.
#'
#' @inheritParams fit_file
#' @param m (count) Number of sets. Default 1.
#' @param n (count or `NULL`) Records of a set. `NULL`, the default: as many as
#'   the file has. With published columns it is theirs.
#' @param seed (whole number from 0 to 2^53 or `NULL`) With a seed the sets are
#'   reproducible, and marked so. `NULL`, the default: the operating system's
#'   entropy.
#' @return [`synthetic_data`][synthetic_data]: m data frames and their label,
#'   for [utility()], [report()] and the figures.
#' @inheritSection fit_file Rules
#' @inheritSection fit_file Warning types
#' @inheritSection fit_file Messages
#' @inheritSection fit_file Error types
#' @inheritSection fit_file Privacy
#' @seealso [fit_file()] for the models alone and what they do, [file_plan()]
#'   for rules and published columns
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
synthesize_file <- function(plan, mechanism = "unweighted", m = 1,
                            model = "tree", order = NULL, predictors = NULL,
                            leaf = 10, n = NULL, seed = NULL, ...) {
  check_no_dots(..., hint = "See {.fn synthesize_file}.")
  fit <- fit_file(
    plan, mechanism, model, order, predictors, leaf, m,
    stage_seed(seed, "file")
  )
  synthesize(fit, m, n = n, seed = stage_seed(seed, "sets"))
}
