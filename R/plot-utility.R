#' Plot utility
#'
#' Shows how far each statistic of the synthetic sets is from the file's,
#' relative to the file's. Points are the sets; the circle is the mean over the
#' sets. A triangle at the edge stands for a value beyond the edge. A statistic
#' that is 0 in the file is left out, because nothing can be relative to 0.
#' `plot()` and `autoplot()` give the same ggplot object; call `print()` to draw
#' it in a function or a loop.
#'
#' @param object The result of [utility()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.utility
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' autoplot(utility(top, data, groups = "age"))
NULL

# Differences beyond 100% of the file's figure stand at the edge
largest_difference <- 1

#' @rdname plot.utility
#' @method autoplot utility
#' @export
autoplot.utility <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.utility}.")
  found <- object$statistics
  found$statistic <- ifelse(
    is.na(found$level), found$statistic, found$level
  )
  # Nothing is relative to 0, or to what overflowed
  found$difference <- found$value / found$file - 1
  bad <- found$statistic[!is.finite(found$difference)]
  found <- found[
    !found$statistic %in% bad & !grepl("^multiples", found$statistic),
  ]
  shown <- unique(found$statistic)
  first <- c("mean", "sd", "total")
  place <- function(x) factor(x, rev(c(first, setdiff(shown, first))))
  frame <- data.frame(
    statistic = place(found$statistic), difference = found$difference
  )
  means <- stats::aggregate(difference ~ statistic, frame, mean)
  beyond <- abs(frame$difference) > largest_difference
  frame$mark <- ifelse(beyond, "beyond", "set")
  frame$difference <- clamp(
    frame$difference, -largest_difference, largest_difference
  )
  means <- means[abs(means$difference) <= largest_difference, ]
  ggplot(frame, aes(x = .data$difference, y = .data$statistic)) +
    geom_vline(xintercept = 0, colour = "grey45", linewidth = 0.5) +
    geom_point(
      aes(shape = .data$mark),
      colour = colour_synthetic, size = 2.2, alpha = 0.7
    ) +
    circles(data = means, size = 2.8, stroke = 0.6) +
    scale_shape_manual(values = c(set = 16, beyond = 17), guide = "none") +
    scale_x_continuous(labels = label_percent, expand = expansion(0.06)) +
    confidential_labs(
      title = sprintf("Statistics of synthetic %s", object$variable),
      subtitle = sprintf(
        "Line at 0: the file's. Circle: mean of %s%s.\n%s %s, %s",
        counted(nrow(object$table), "set"),
        if (any(beyond)) ".\nTriangles: beyond the edge" else "",
        if (is.null(object$table$shares)) {
          "Largest ECDF difference"
        } else {
          "Total variation of shares"
        },
        format_figure(
          mean(object$table$shares %||% object$table$ecdf_max), 2
        ), "mean over sets"
      ),
      x = "Difference from the file's statistic", y = NULL
    ) +
    theme(axis.text.y = element_text(colour = "grey15"))
}
