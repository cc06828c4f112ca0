#' Figure of resampled statistics
#'
#' Violins of the resampling distributions, one panel for each statistic, one
#' violin for the file and one for each release; the circle is the estimate, the
#' dashed line that of the file. `plot()` and `autoplot()` give the same ggplot
#' object, which is drawn when it is printed: at the prompt by itself, in a
#' function or a loop by `print()`.
#'
#' @param object A [resample_statistics()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.resampled_statistics
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' autoplot(resample_statistics(
#'   list("top-coded" = top), data,
#'   variable = "income", replicates = 100
#' ))
NULL

#' @rdname plot.resampled_statistics
#' @method autoplot resampled_statistics
#' @export
autoplot.resampled_statistics <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.resampled_statistics}.")
  releases <- unique(object$draws$release)
  statistics <- unique(object$table$statistic)
  draws <- object$draws
  table <- object$table
  # From the top down
  draws$release <- factor(draws$release, rev(releases))
  draws$statistic <- factor(draws$statistic, statistics)
  table$release <- factor(table$release, rev(releases))
  table$statistic <- factor(table$statistic, statistics)
  file <- table[table$release == "confidential", ]
  ggplot(draws, aes(x = .data$value, y = .data$release)) +
    geom_vline(
      aes(xintercept = .data$estimate),
      data = file, colour = "grey55", linewidth = 0.4, linetype = "dashed"
    ) +
    violins(aes(fill = .data$release), width = 0.7) +
    circles(aes(x = .data$estimate), data = table) +
    scale_fill_manual(values = release_colours(releases), guide = "none") +
    scale_x_continuous(
      labels = label_thousands(), breaks = inner_breaks,
      # Long amounts near each other: better one than two that overlap
      guide = guide_axis(check.overlap = TRUE)
    ) +
    facet_wrap(vars(.data$statistic), scales = "free_x") +
    confidential_labs(
      title = sprintf("Statistics of %s, resampled", object$variable),
      subtitle = "Circle: estimate. Dashed: that of the confidential file",
      x = NULL, y = NULL
    ) +
    theme_rows(14)
}
