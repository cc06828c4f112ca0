#' Plot resampled statistics
#'
#' Shows the resampling distributions as violins. Each statistic has a panel,
#' with one violin for the file and one for each release. The circle is the
#' estimate; the dashed line is the estimate from the file. `plot()` and
#' `autoplot()` give the same ggplot object; call `print()` to draw it in a
#' function or a loop.
#'
#' @param object The result of [resample_statistics()].
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
#' @method autoplot resampled_statistics
#' @export
autoplot.resampled_statistics <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.resampled_statistics}.")
  releases <- unique(object$draws$release)
  statistics <- unique(object$table$statistic)
  # From the top down
  placed <- function(frame) {
    frame$release <- factor(frame$release, rev(releases))
    frame$statistic <- factor(frame$statistic, statistics)
    frame
  }
  draws <- placed(object$draws)
  table <- placed(object$table)
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
      subtitle = "Circle: estimate. Dashed: the confidential file's estimate",
      x = NULL, y = NULL
    ) +
    theme_rows(14)
}
