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
#'   variable = "income", resamples = 100
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
  ggplot2::ggplot(draws, ggplot2::aes(x = .data$value, y = .data$release)) +
    ggplot2::geom_vline(
      ggplot2::aes(xintercept = .data$estimate),
      data = file, colour = "grey55", linewidth = 0.4, linetype = "dashed"
    ) +
    ggplot2::geom_violin(
      ggplot2::aes(fill = .data$release),
      scale = "width", width = 0.7, colour = NA
    ) +
    ggplot2::geom_point(
      ggplot2::aes(x = .data$estimate),
      data = table, shape = 21, size = 2.4, fill = "white", colour = "grey25",
      stroke = 0.5
    ) +
    ggplot2::scale_fill_manual(
      values = release_colours(releases), guide = "none"
    ) +
    ggplot2::scale_x_continuous(
      labels = label_thousands(), breaks = inner_breaks,
      # Long amounts near each other: better one than two that overlap
      guide = ggplot2::guide_axis(check.overlap = TRUE)
    ) +
    ggplot2::facet_wrap(ggplot2::vars(.data$statistic), scales = "free_x" ) +
    ggplot2::labs(
      title = sprintf("Statistics of %s, resampled", object$variable),
      subtitle = "Circle: estimate. Dashed: that of the confidential file",
      x = NULL, y = NULL, caption = confidential_caption
    ) +
    theme_pseudosynth() +
    ggplot2::theme(
      axis.text.y = ggplot2::element_text(colour = "grey15"),
      panel.grid.major.y = ggplot2::element_blank(),
      panel.spacing.x = ggplot2::unit(14, "pt")
    )
}
