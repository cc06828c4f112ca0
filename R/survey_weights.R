# Survey weights: how many units of the population a record stands for. A column
# that the file and its sets have, and statistics of a column under it.

#' Refuse files whose weights are not there, or are none, and say how they come
#' @param arg (string) What `file` was given as.
#' @noRd
check_survey_weights <- function(file, name, arg, variable,
                                 call = rlang::caller_env()) {
  if (is.null(name)) {
    return(invisible())
  }
  if (identical(name, variable)) {
    abort_input(
      "Survey weights must be another column than {.val {variable}}.",
      arg = "survey_weights", call = call
    )
  }
  if (!name %in% names(file)) {
    abort_input(
      c(
        "The file and every set must have the column of survey weights.",
        x = "There is no column {.val {name}} in {.arg {arg}}.",
        i = "Jobs and synthetic sets hold the columns of the model and no
             others. Make {.val {name}} a predictor in the formula, or give
             data frames that have it."
      ),
      arg = "survey_weights", call = call
    )
  }
  w <- file[[name]]
  check_finite_column(w, name, call)
  if (!is.numeric(w) || any(w < 0) || sum(w) == 0) {
    abort_input(
      "Survey weights {.val {name}} must be numbers of at least 0, not all 0.",
      arg = "survey_weights", call = call
    )
  }
}

# Statistics of a column; `w` is `NULL` where there are no weights -------------

weighted_mean <- function(y, w) {
  if (is.null(w)) mean(y) else stats::weighted.mean(y, w)
}

weighted_total <- function(y, w) {
  sum(if (is.null(w)) y else y * w)
}

weighted_sd <- function(y, w) {
  if (is.null(w)) {
    return(stats::sd(y))
  }
  sqrt(stats::weighted.mean((y - stats::weighted.mean(y, w))^2, w))
}

#' The smallest value with at least this share of the weight up to it
#' @param share (numbers) One or several.
#' @noRd
weighted_quantile <- function(y, w, share) {
  if (is.null(w)) {
    return(stats::quantile(y, share, names = FALSE))
  }
  order <- order(y)
  up_to <- cumsum(w[order]) / sum(w)
  # A sum of all weights may miss 1 by rounding
  first <- findInterval(share - 1e-12, up_to, left.open = TRUE) + 1
  y[order][pmin(first, length(y))]
}

#' Shares of the weight up to each of `points`
#' @noRd
weighted_ecdf <- function(y, w, points) {
  if (is.null(w)) {
    return(stats::ecdf(y)(points))
  }
  order <- order(y)
  up_to <- c(0, cumsum(w[order]) / sum(w))
  up_to[findInterval(points, y[order]) + 1]
}
