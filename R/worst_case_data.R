#' Files that are built to break a mechanism
#'
#' Audits of ordinary files find little. These find what a mechanism can lose:
#' * `"clones"`: n - 1 equal records and one other. Clipping is tight on it: a
#'   removal costs the whole width of the interval, a replacement twice that.
#' * `"clusters"`: two groups of clones close to each other, and an outlier. The
#'   outlier sets the largest Lipschitz bound; without it the min-max map of
#'   Lipschitz weights sends one group from a weight near 1 to 0.
#' * `"bounds"`: half of the records at either end of the range, one in the
#'   middle.
#'
#' @param design (string) `"clones"` (default), `"clusters"` or `"bounds"`.
#' @param n (count) Records, at least 3. Default 200.
#' @param value,second,outlier (numbers) The clones' value, the second group's,
#'   and the odd record's. The defaults suit a response in (0, 1).
#' @param share (number in (0, 1)) Of the first group in `"clusters"`. Default
#'   0.25.
#' @param bounds (two numbers) The ends for `"bounds"`. Default 0.001, 0.999.
#' @param variable (string) The column's name. Default `"y"`.
#' @return (data frame) One numeric column; the odd record comes last. It holds
#'   no confidential value.
#' @section Error types: `pseudosynth_error_input` for an argument out of range.
#' @seealso [audit_guarantee()]
#' @examples
#' worst_case_data("clusters", n = 10)
#' @export
worst_case_data <- function(design = c("clones", "clusters", "bounds"),
                            n = 200, value = 0.5, second = 0.52,
                            outlier = 0.9995, share = 0.25,
                            bounds = c(0.001, 0.999), variable = "y") {
  design <- check_choice(design, c("clones", "clusters", "bounds"))
  n <- check_count(n, min = 3)
  check_number(value)
  check_number(second)
  check_number(outlier)
  check_number(share, above = 0, below = 1)
  check_string(variable)
  check_bounds(bounds)
  first <- min(max(round(share * (n - 1)), 1), n - 2)
  half <- (n - 1) %/% 2
  y <- switch(design,
    clones = rep(value, n - 1),
    clusters = rep(c(value, second), c(first, n - 1 - first)),
    bounds = rep(bounds, c(half, n - 1 - half))
  )
  odd <- if (design == "bounds") mean(bounds) else outlier
  stats::setNames(data.frame(c(y, odd)), variable)
}
