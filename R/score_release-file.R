# A file in memory as a score release asks for it; engine-file.R has files that
# databases hold.

#' The file as the sums need it: equal design rows once, and what is added up
#'
#' Whatever holds the records says the same of them; see engine_file() for those
#' that a database holds. `row` is the design row of each item, which is a
#' record here.
#' @return (list) `n`, `spec`, distinct_rows(), and functions:
#'   * `outside(bounds)`: how many records lie outside of them;
#'   * `whole(frame, clip, lowest)`: whole scores, see whole_scores();
#'   * `margin(breaks)`: how many records each bin holds;
#'   * `levels()`: `row`, `level` (from 0) and `count` (`NULL`: 1) of items;
#'   * `coded()`: the predictors in tables, see coded_cells();
#'   * `tables(plan, breaks)`: counts of the tables of a plan.
#' @noRd
score_file <- function(model) {
  spec <- model$spec
  check_not_copied(
    spec$y, model$data[setdiff(names(model$data), model$response$name)]
  )
  check_design_not_copied(spec, model$design)
  y <- spec$y
  rows <- distinct_rows(spec)
  coding <- table_coding(model$design, model$data)
  codes <- NULL
  # Only where a release has tables
  codes_once <- function() {
    if (is.null(codes)) codes <<- table_codes(coding, model$data)
    codes
  }
  c(list(n = length(y), spec = spec), rows, list(
    coding = coding,
    outside = function(bounds) {
      own <- as.double(model$data[[model$response$name]])
      sum(own < bounds[1] | own > bounds[2])
    },
    whole = whole_of_records(y, rows$row),
    margin = function(breaks) bin_counts(y, breaks),
    levels = function() list(row = rows$row, level = y),
    coded = function() coded_cells(rows$row, codes_once()),
    tables = function(plan, breaks) {
      bin <- findInterval(y, breaks) + 1L
      told <- codes_once()[, plan$told, drop = FALSE]
      block_counts(cbind(told, bin), plan)
    }
  ))
}

#' Whole scores of records in memory, added up by design row
#' @return (function) See score_file().
#' @noRd
whole_of_records <- function(y, row) {
  size <- tabulate(row)
  function(frame, clip, lowest) {
    sums <- whole_sums_(
      y, row, frame$centre, frame$spread, clip, lowest, score_steps
    )
    c(list(row = seq_along(size), most = max(size)), sums)
  }
}
