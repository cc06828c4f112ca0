# What is shown of the utility of whole files, and means over sets.

print_lines.file_utility <- function(x) {
  c(
    sprintf(
      "Utility of synthetic files, mean over %s",
      counted(nrow(x$table), "set")
    ),
    table_lines(x), propensity_lines(x$propensity), model_lines(x$models),
    statistic_lines(x), wrap_line(x$remarks),
    sprintf(
      "  Records: %s in the file, %s in a set", format_count(x$records[1]),
      format_count(x$records[2])
    ),
    paste0("  ", confidential_line())
  )
}

fresh_header <- "ratio to fresh sample"

table_lines <- function(x) {
  mean <- colMeans(x$table[-1])
  pairs <- x$pairs[!is.na(x$pairs$second), ]
  worst <- mean_pairs(pairs)
  worst <- utils::head(worst[order(-worst$ratio), ], 5)
  shown <- data.frame(
    tables = c("of one column", "of two columns"),
    distance = mean[c("one_way", "two_way")],
    fresh = mean[c("one_way_ratio", "two_way_ratio")],
    "pMSE, ratio" = mean[c("one_way_pmse_ratio", "two_way_pmse_ratio")],
    check.names = FALSE
  )
  named <- data.frame(
    pair = paste(worst$first, worst$second, sep = " x "),
    distance = worst$distance, fresh = worst$ratio,
    "pMSE, ratio" = worst$pmse_ratio, check.names = FALSE
  )
  names(shown)[3] <- names(named)[3] <- fresh_header
  c(
    paste0("  ", format_table(shown)),
    if (nrow(named) > 0) {
      c("  The pairs that are farthest off:", paste0("  ", format_table(named)))
    },
    wrap_line(paste(
      "Distances are total variation distances from the tables of the file. A",
      "fresh sample of the file, as large as a set, has a ratio of 1."
    ))
  )
}

#' @param x (data frame or `NULL`)
#' @noRd
propensity_lines <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  shown <- do.call(rbind, lapply(split(x, x$method), function(one) {
    data.frame(
      propensity = c(logit = "logistic regression", cart = "trees")[[
        one$method[1]
      ]],
      pMSE = mean(one$pmse), "by chance 1" = mean(one$pmse_ratio),
      check.names = FALSE
    )
  }))
  paste0("  ", format_table(shown))
}

model_lines <- function(x) {
  if (is.null(x)) {
    return(NULL)
  }
  shown <- do.call(rbind, lapply(unique(x$model), function(model) {
    one <- x[x$model == model, ]
    data.frame(
      model = paste0(
        substr(model, 1, 30), if (nchar(model) > 30) "..."
      ),
      overlap = mean(one$overlap), "std. difference" = mean(one$std_difference),
      R2 = mean(one$r_squared), "of the file" = one$r_squared_file[1],
      check.names = FALSE
    )
  }))
  # Logistic regressions have none
  if (all(is.na(shown$R2))) shown <- shown[1:3]
  paste0("  ", format_table(shown))
}

#' The statistics that are farthest off, and means of all amounts
#' @noRd
statistic_lines <- function(x) {
  found <- mean_statistics(x$statistics)
  shown <- found[found$statistic %in% "mean", ]
  far <- found[!found$statistic %in% "mean" & !is.na(found$ratio), ]
  shown <- rbind(shown, utils::head(far[order(-far$ratio), ], 5))
  if (nrow(shown) == 0) {
    return(NULL)
  }
  shown <- data.frame(
    column = shown$column,
    statistic = ifelse(
      is.na(shown$level), shown$statistic, paste(shown$statistic, shown$level)
    ),
    file = shown$file, sets = shown$value, fresh = shown$ratio
  )
  names(shown)[5] <- fresh_header
  c(
    sprintf(
      "  Means, and the statistics that are farthest off%s:",
      if (is.null(x$survey_weights)) "" else ", with survey weights"
    ),
    paste0("  ", format_table(shown))
  )
}

#' Statistics with their mean over sets
#' @noRd
mean_statistics <- function(statistics) {
  first <- statistics[statistics$set == 1, ]
  over <- function(x) rowMeans(matrix(x, nrow(first)))
  first$value <- over(statistics$value)
  first$ratio <- over(statistics$ratio)
  first[names(first) != "set"]
}

#' Pairs with their mean over sets
#' @noRd
mean_pairs <- function(pairs) {
  first <- pairs[pairs$set == 1, c("first", "second", "fresh")]
  over <- function(x) rowMeans(matrix(x, nrow(first)))
  first$distance <- over(pairs$distance)
  first$pmse_ratio <- over(pairs$pmse_ratio)
  # A column of one level is as good as can be
  first$ratio <- ifelse(first$fresh == 0, 1, first$distance / first$fresh)
  first
}
