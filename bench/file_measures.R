# How far a synthetic file is from its file. Every measure is a mean over
# tables, groups or coefficients; 0 is best but for r_squared and auc.

#' A file as level numbers. Numbers of more than 12 values are in tenths of the
#' file, the same for file and set. A value of more than a tenth of the records,
#' such as no gain, is a level of its own beside the tenths of the others.
#' @param set (data frame) With the file's columns.
#' @return (integer matrix) Attribute `levels`: their number by column.
file_codes <- function(set, file) {
  columns <- lapply(stats::setNames(nm = names(file)), function(name) {
    if (is.numeric(file[[name]])) {
      number_codes(set[[name]], file[[name]])
    } else {
      values <- unique(c(
        levels(factor(file[[name]])), as.character(set[[name]])
      ))
      list(
        codes = match(as.character(set[[name]]), values),
        levels = length(values)
      )
    }
  })
  codes <- vapply(columns, `[[`, integer(nrow(set)), "codes")
  structure(codes, levels = vapply(columns, `[[`, 0L, "levels"))
}

number_codes <- function(z, x) {
  values <- sort(unique(x))
  if (length(values) <= 12) {
    # A value that the file has not is nearest to one that it has
    middle <- (values[-1] + values[-length(values)]) / 2
    return(list(
      codes = findInterval(z, middle) + 1L, levels = length(values)
    ))
  }
  count <- tabulate(match(x, values))
  heaps <- values[count > length(x) / 10]
  ends <- unique(stats::quantile(x[!x %in% heaps], (1:9) / 10, names = FALSE))
  codes <- findInterval(z, ends) + 1L
  heap <- match(z, heaps)
  codes[!is.na(heap)] <- length(ends) + 1L + heap[!is.na(heap)]
  list(codes = codes, levels = length(ends) + 1L + length(heaps))
}

#' Mean total variation of tables of some columns.
#' @param one,other (integer matrix) Of `file_codes()`.
#' @param size (whole number) Columns of a table.
#' @param with (string or `NULL`) Only tables that have this column.
table_distance <- function(one, other, size, with = NULL) {
  levels <- pmax(attr(one, "levels"), attr(other, "levels"))
  choices <- utils::combn(colnames(one), size, simplify = FALSE)
  if (!is.null(with)) choices <- Filter(\(of) with %in% of, choices)
  shares <- function(codes, of) {
    step <- cumprod(c(1, levels[of][-size]))
    cell <- drop((codes[, of] - 1) %*% step) + 1
    tabulate(cell, prod(levels[of])) / nrow(codes)
  }
  mean(vapply(choices, function(of) {
    sum(abs(shares(one, of) - shares(other, of))) / 2
  }, 0))
}

#' Coefficients and R2 of a linear model; a level that the set lacks has no
#' coefficient.
linear_fit <- function(set, formula) {
  fit <- stats::lm(formula, droplevels(set))
  list(
    coefficients = stats::coef(fit)[-1], r_squared = summary(fit)$r.squared
  )
}

#' Median absolute error of coefficients. One that the set lacks counts as 0.
coefficient_error <- function(found, truth) {
  found <- found[names(truth)]
  found[is.na(found)] <- 0
  stats::median(abs(found - truth))
}

#' Mean absolute difference of the group means of an amount's log, weighted by
#' the file's group sizes and averaged over columns.
group_distance <- function(set, file, amount, columns) {
  mean(vapply(columns, function(column) {
    truth <- tapply(log(file[[amount]]), file[[column]], mean)
    found <- tapply(log(set[[amount]]), set[[column]], mean)[names(truth)]
    size <- as.vector(table(file[[column]])[names(truth)])
    there <- is.finite(truth) & is.finite(found)
    stats::weighted.mean(abs(found - truth)[there], size[there])
  }, 0))
}

#' Largest difference of two empirical distribution functions.
ecdf_distance_of <- function(one, other) {
  at <- sort(unique(c(one, other)))
  max(abs(stats::ecdf(one)(at) - stats::ecdf(other)(at)))
}

#' Area under the curve of a logit that is fitted to a set, on held-out records,
#' with the classes of `file_codes()` as predictors. A class that the set lacks
#' has coefficient 0.
#' @param outcome (string) A factor of two levels.
held_out_auc <- function(set, held_out, file, outcome) {
  rest <- setdiff(names(file), outcome)
  codes <- rbind(file_codes(held_out, file), file_codes(set, file))
  both <- as.data.frame(codes[, rest])
  both[] <- lapply(both, factor)
  x <- stats::model.matrix(~., both)
  test <- seq_len(nrow(held_out))
  y <- codes[, outcome] == 2
  fit <- suppressWarnings(stats::glm.fit(
    x[-test, ], y[-test],
    family = stats::binomial(), control = list(maxit = 50)
  ))
  slopes <- fit$coefficients
  slopes[is.na(slopes)] <- 0
  rank <- rank(x[test, ] %*% slopes)
  ones <- y[test]
  (mean(rank[ones]) - (sum(ones) + 1) / 2) / sum(!ones)
}
