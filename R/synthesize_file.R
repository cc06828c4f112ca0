#' Synthesize a whole file
#'
#' @export
synthesize_file <- function(plan, mechanism = "unweighted", m = 1,
                            model = "tree", order = NULL, predictors = NULL,
                            leaf = 20, n = NULL, seed = NULL, ...) {
  check_no_dots(..., hint = "See {.fn synthesize_file}.")
  fit <- fit_file(
    plan, mechanism, model, order, predictors, leaf, m,
    stage_seed(seed, "file")
  )
  synthesize(fit, m, n = n, seed = stage_seed(seed, "sets"))
}
