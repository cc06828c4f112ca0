# Survey weights: how many units of the population a record stands for. A column
# that the file and its sets have, and statistics of a column under it.

#' Refuse files whose weights are not there, or are none, and say how they come
#' @param arg (string) What `file` was given as.
#' @noRd
check_survey_weights <- function(file, name, arg, variable) {
  if (is.null(name)) {
    return(invisible())
  }
  refuse_if(
    identical(name, variable), arg = "survey_weights",
    "Survey weights must be a column other than {.val {variable}}."
  )
  refuse_if(
    !name %in% names(file),
    "The file and every set must have the column of survey weights.",
    x = "There is no column {.val {name}} in {.arg {arg}}.",
    i = "Jobs and synthetic sets hold only the columns of the model. Make
         {.val {name}} a predictor in the formula, or give data frames that have
         it, with the rows of a set for those of the file.",
    arg = "survey_weights"
  )
  w <- file[[name]]
  check_finite_column(w, name)
  refuse_if(
    !is.numeric(w) || any(w < 0) || sum(w) == 0,
    "Survey weights {.val {name}} must be numbers of at least 0, not all 0.",
    arg = "survey_weights"
  )
}

# Statistics of a column; `w` is `NULL` where there are no weights -------------

#' Shares of the weight up to each of `points`
#' @noRd
weighted_ecdf <- function(y, w, points) {
  order <- order(y)
  n <- length(y)
  up_to <- if (is.null(w)) seq_len(n) / n else cumsum(w[order]) / sum(w)
  c(0, up_to)[findInterval(points, y[order]) + 1]
}

shown_quantiles <- c(
  "5%" = 0.05, "25%" = 0.25, median = 0.5, "75%" = 0.75, "90%" = 0.9,
  "95%" = 0.95, "99%" = 0.99
)

# Heaping ----------------------------------------------------------------------

heaping_steps <- c("10" = 10, "100" = 100, "1,000" = 1000)

#' Shares of values at round numbers; 0 is a multiple of all and left out
#' @noRd
heaping_of <- function(y, w = NULL) {
  w <- (w %||% rep(1, length(y)))[y != 0]
  y <- y[y != 0]
  # Beyond 2^53 no double knows its last digit
  exact <- abs(y) < 2^53
  shares <- lapply(heaping_steps, function(step) {
    if (sum(w) > 0) sum(w[exact][y[exact] %% step == 0]) / sum(w) else 0
  })
  as.data.frame(shares, optional = TRUE)
}

# A fresh sample --------------------------------------------------------------

#' Expected distance of a fresh sample from the file, with replacement
#'
#' The exact mean of a bootstrap: a cell's count is binomial, whose mean
#' absolute deviation is 2 k (1 - p) b(k; n, p) with k = floor(n p) + 1 (de
#' Moivre).
#' @param p (numeric) Shares of the cells.
#' @param n (count) Records of the sample.
#' @noRd
fresh_distance <- function(p, n) sum(fresh_deviations(p, n)) / 2

#' Mean absolute deviation of each share
#' @param n (numeric) Records of the sample; of weighted records the number of
#'   equal ones that would vary as much, which need not be whole.
#' @noRd
fresh_deviations <- function(p, n) {
  # That of the other records is the same
  p <- pmin(p, 1 - p)
  k <- floor(n * p) + 1
  b <- exp(lchoose(n, k) + k * log(p) + (n - k) * log1p(-p))
  ifelse(p > 0, 2 * k * (1 - p) * b / n, 0)
}
