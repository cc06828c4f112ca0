# How close the synthetic sets are to the confidential file. Inside the agency
# only: all of it is computed from confidential values.

quantile_points <- c(0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
grouping_variables <- c("education", "age", "marital", "family_size", "earner")
n_resamples <- 20

#' Utility of every set, beside that of re-sampling the file itself
#'
#' @param synthetic,strict (synthetic_data) Of the two jobs.
#' @return A list with `ecdf` (one row per set and one for the re-sampled file),
#'   `quantiles` and `groups` (one row per group).
utility_of <- function(synthetic, strict, confidential) {
  y <- confidential$income
  # What chance alone does: the file drawn again with replacement
  resampled <- replicate(
    n_resamples, sample(nrow(confidential), replace = TRUE),
    simplify = FALSE
  )
  rows <- function(sets, what) {
    data.frame(
      what = what,
      max = vapply(sets, function(set) ecdf_distance(set$income, y), 0),
      error = vapply(sets, group_error, 0, confidential)
    )
  }
  quantiles <- function(sets) {
    rowMeans(vapply(sets, function(set) {
      stats::quantile(set$income, quantile_points, names = FALSE)
    }, quantile_points))
  }
  truth <- log_means(confidential)
  ours <- lapply(synthetic, identity)
  theirs <- lapply(strict, identity)
  list(
    ecdf = rbind(
      rows(ours, paste("mixture, set", seq_along(ours))),
      rows(theirs, "strict"),
      data.frame(
        what = "the file itself, re-sampled",
        max = mean(vapply(resampled, function(i) ecdf_distance(y[i], y), 0)),
        error = mean(vapply(resampled, function(i) {
          group_error(confidential[i, ], confidential)
        }, 0))
      )
    ),
    quantiles = data.frame(
      point = quantile_points,
      confidential = stats::quantile(y, quantile_points, names = FALSE),
      synthetic = quantiles(ours), strict = quantiles(theirs)
    ),
    groups = data.frame(
      truth[c("variable", "group", "size")],
      confidential = exp(truth$mean), synthetic = group_means(ours, truth),
      strict = group_means(theirs, truth)
    )
  )
}

#' Largest difference of two distribution functions
ecdf_distance <- function(x, y) {
  points <- sort(unique(c(x, y)))
  max(abs(stats::ecdf(x)(points) - stats::ecdf(y)(points)))
}

log_means <- function(data) {
  means <- lapply(grouping_variables, function(variable) {
    group <- droplevels(data[[variable]])
    mean <- tapply(log(data$income), group, mean)
    data.frame(
      variable = variable, group = names(mean), mean = as.vector(mean),
      size = as.vector(table(group)[names(mean)])
    )
  })
  do.call(rbind, means)
}

#' Mean absolute difference of the groups' mean log incomes, weighted by size
group_error <- function(data, confidential) {
  truth <- log_means(confidential)
  found <- log_means(data)
  key <- function(x) paste(x$variable, x$group)
  at <- match(key(truth), key(found))
  stats::weighted.mean(abs(found$mean[at] - truth$mean), truth$size,
    na.rm = TRUE
  )
}

#' Geometric means of the groups, mean over the sets on the log scale
group_means <- function(sets, truth) {
  key <- function(x) paste(x$variable, x$group)
  means <- vapply(lapply(sets, log_means), function(x) {
    x$mean[match(key(truth), key(x))]
  }, numeric(nrow(truth)))
  exp(rowMeans(means))
}

#' The sets as they may leave: rows shuffled, nothing but published predictors
#' and synthetic income
write_sets <- function(synthetic, output, name = "synthetic") {
  for (i in seq_len(synthetic$m)) {
    file <- if (synthetic$m == 1) name else paste0(name, "-", i)
    utils::write.csv(
      as.data.frame(synthetic, set = i),
      file.path(output, paste0(file, ".csv")),
      row.names = FALSE
    )
  }
}

write_label <- function(synthetic, file) {
  writeLines(utils::capture.output(print(guarantee(synthetic))), file)
}
