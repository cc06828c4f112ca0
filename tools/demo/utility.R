# How close the synthetic sets are to the confidential file. Inside the agency
# only: all of it is computed from confidential values.

quantile_points <- c(0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
grouping_variables <- c("education", "age", "marital", "family_size", "earner")
n_resamples <- 20

#' Utility of every set, beside that of re-sampling the file itself
#'
#' @return A list with `ecdf` (one row per set and one for the re-sampled file),
#'   `quantiles` and `groups` (one row per group).
utility_of <- function(synthetic, confidential) {
  y <- confidential$income
  sets <- lapply(synthetic, function(set) set$income)
  # What chance alone does: the file drawn again with replacement
  resampled <- replicate(
    n_resamples, sample(nrow(confidential), replace = TRUE),
    simplify = FALSE
  )
  groups <- group_means(synthetic, confidential)
  list(
    ecdf = rbind(
      data.frame(
        what = paste("synthetic set", seq_along(sets)),
        max = vapply(sets, ecdf_distance, 0, y),
        error = groups$error
      ),
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
      synthetic = rowMeans(vapply(
        sets, stats::quantile, quantile_points, quantile_points,
        names = FALSE
      ))
    ),
    groups = groups$table
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

group_means <- function(synthetic, confidential) {
  truth <- log_means(confidential)
  found <- lapply(synthetic, log_means)
  key <- function(x) paste(x$variable, x$group)
  means <- vapply(found, function(x) {
    x$mean[match(key(truth), key(x))]
  }, numeric(nrow(truth)))
  list(
    table = data.frame(
      truth[c("variable", "group", "size")],
      confidential = exp(truth$mean), synthetic = exp(rowMeans(means))
    ),
    error = vapply(
      lapply(synthetic, identity), group_error, 0, confidential
    )
  )
}

#' The sets as they may leave: rows shuffled, nothing but published predictors
#' and synthetic income
write_sets <- function(synthetic, output) {
  for (i in seq_len(synthetic$m)) {
    utils::write.csv(
      as.data.frame(synthetic, set = i),
      file.path(output, sprintf("synthetic-%d.csv", i)),
      row.names = FALSE
    )
  }
}
