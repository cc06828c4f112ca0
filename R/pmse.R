# The propensity mean squared error: how well a model tells the records of the
# file from those of a set.

#' @param method (string) `"logit"` or `"cart"`.
#' @param permutations (count) For the expectation under `"cart"`.
#' @return (named list) `pmse` and `pmse_ratio`.
#' @noRd
propensity_error <- function(data, set, variable, method, permutations = 20) {
  columns <- intersect(names(data), names(set))
  others <- setdiff(columns, variable)
  data <- as.data.frame(data)[columns]
  set <- as.data.frame(set)[columns]
  for (file in list(data, set)) Map(check_finite_column, file, columns)
  fixed <- length(others) > 0 &&
    identical(sort(row_keys(data, others)), sort(row_keys(set, others)))
  if (fixed) {
    # Twins stand in the same row: a record and its synthetic one, or another
    # with the same predictors where rows were shuffled.
    data <- data[order(row_keys(data, others)), , drop = FALSE]
    set <- set[order(row_keys(set, others)), , drop = FALSE]
  }
  both <- rbind(data, set)
  both[columns] <- lapply(both[columns], propensity_column)
  is_set <- rep(c(FALSE, TRUE), c(nrow(data), nrow(set)))
  switch(method,
    logit = logit_propensity(both, is_set, variable, others, fixed),
    cart = cart_propensity(
      if (fixed) with_residual(both, variable, others) else both,
      is_set, fixed, permutations,
      # In leaves of a few records the two differ by chance so much that no
      # relation is seen beside it: a shuffled response would have 2 or 3
      leaf = max(5, ceiling(length(is_set) / 20)), cp = 1e-8
    )
  )
}

#' A string for each row
#' @noRd
row_keys <- function(data, columns) {
  do.call(paste, c(lapply(data[columns], as.character), sep = "\r"))
}

#' Ranks for numbers, so that a heavy tail does not hide the rest; levels else
#' @noRd
propensity_column <- function(x) {
  if (is.numeric(x) || inherits(x, c("Date", "POSIXt"))) {
    return(2 * rank(as.double(x)) / length(x) - 1)
  }
  droplevels(as.factor(as.character(x)))
}

#' Logistic regression: the variable, its square, and both by each predictor
#'
#' Main effects alone would call a file with a shuffled response perfect,
#' because published predictors agree by design.
#' @noRd
logit_propensity <- function(both, is_set, variable, others, fixed) {
  published <- propensity_design(both, others)
  own <- propensity_design(both, variable)
  if (is.numeric(both[[variable]])) own <- cbind(own, both[[variable]]^2)
  # Each predictor's columns, one by one, times those of the variable
  crossed <- do.call(cbind, lapply(seq_len(ncol(own)), function(j) {
    cbind(own[, j], own[, j] * published)
  }))
  x <- cbind(1, published, crossed)
  fit <- suppressWarnings(
    stats::glm.fit(x, as.double(is_set), family = stats::binomial())
  )
  # What is the same in both files by design takes no part in chance.
  same <- if (fixed) qr(cbind(1, published))$rank else 1
  share <- mean(is_set)
  pmse <- mean((fit$fitted.values - share)^2)
  # Snoke and others (2018), theorem 1
  expected <- (fit$rank - same) * (1 - share)^2 * share / length(is_set)
  list(pmse = pmse, pmse_ratio = error_ratio(pmse, expected))
}

#' The error as a multiple of what chance gives
#'
#' Where the twins are equal, not even chance can tell them apart: both are 0.
#' @noRd
error_ratio <- function(pmse, expected) {
  if (expected == 0 && pmse < 1e-12) 0 else pmse / expected
}

#' Columns of main effects, without the intercept
#' @noRd
propensity_design <- function(frame, columns) {
  varies <- vapply(frame[columns], function(x) length(unique(x)) > 1, NA)
  columns <- columns[varies]
  if (length(columns) == 0) {
    return(matrix(0, nrow(frame), 0))
  }
  stats::model.matrix(~., frame[columns])[, -1, drop = FALSE]
}

#' What the predictors do not tell of the variable
#'
#' A tree splits one column at a time. Where the predictors of both files agree
#' and so do the margins, as with a shuffled response, no first split helps; a
#' residual shows the relation that was lost.
#' @noRd
with_residual <- function(both, variable, others) {
  y <- as.double(both[[variable]])
  x <- cbind(1, propensity_design(both, others))
  # Twins have the same up to rounding, and no tree may tell them apart by that
  both$.residual <- round(stats::lm.fit(x, y)$residuals, 8)
  both
}

#' A classification tree; what chance gives is measured by exchanging labels
#' @param fixed (flag) Are the records of the file and of the set twins, one
#'   below the other?
#' @param leaf,cp Smallest leaf, least improvement of a split, see rpart.
#' @noRd
cart_propensity <- function(both, is_set, fixed, permutations, leaf, cp) {
  rlang::check_installed("rpart", "for the propensity by classification trees.")
  share <- mean(is_set)
  error <- function(label) {
    frame <- both
    frame$.is_set <- factor(label)
    tree <- rpart::rpart(
      .is_set ~ ., frame, method = "class",
      control = rpart::rpart.control(minbucket = leaf, cp = cp, xval = 0)
    )
    mean((stats::predict(tree, type = "prob")[, "TRUE"] - share)^2)
  }
  n <- sum(!is_set)
  chance <- vapply(seq_len(permutations), function(i) {
    if (!fixed) {
      return(error(sample(is_set)))
    }
    # Twins change places: the predictors stay equal in both.
    swap <- stats::runif(n) < 0.5
    error(c(swap, !swap))
  }, 0)
  pmse <- error(is_set)
  # Exchanged labels have the chance of two samples; a set varies around the
  # file, which does not (Snoke and others 2018, section 3.3).
  list(pmse = pmse, pmse_ratio = error_ratio(pmse, (1 - share) * mean(chance)))
}
