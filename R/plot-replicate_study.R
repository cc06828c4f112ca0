#' Figure of a replicate study
#'
#' @param object (replicate_study) See [replicate_study()].
#' @param ... Not used.
#' @return A ggplot object: \eqn{2\Delta_r} of every local database, the stated
#'   epsilon and this file's own. It is drawn when it is printed.
#' @name plot.replicate_study
NULL

#' @rdname plot.replicate_study
#' @method autoplot replicate_study
#' @export
autoplot.replicate_study <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.replicate_study}.")
  frame <- object$table
  frame$above <- !(frame$epsilon <= object$epsilon & frame$converged)
  marks <- data.frame(
    at = c(object$epsilon, object$file),
    what = c(
      paste("epsilon", format_figure(object$epsilon)),
      paste("this file", format_figure(object$file))
    )
  )
  marks$what <- factor(marks$what, marks$what)
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$epsilon, y = 0)) +
    ggplot2::geom_violin(fill = "#CFE3F1", colour = NA, width = 1.6) +
    ggplot2::geom_vline(
      data = marks,
      ggplot2::aes(
        xintercept = .data$at, colour = .data$what, linetype = .data$what
      ),
      linewidth = 0.6
    ) +
    ggplot2::geom_point(
      ggplot2::aes(shape = .data$above),
      position = ggplot2::position_jitter(0, 0.18, seed = 1), size = 1.8,
      colour = "grey25", fill = "white"
    ) +
    ggplot2::scale_shape_manual(
      values = c(`FALSE` = 19, `TRUE` = 24), guide = "none"
    ) +
    ggplot2::scale_colour_manual(
      values = stats::setNames(
        c(colour_bound, colour_confidential), levels(marks$what)
      )
    ) +
    # Told apart without colour
    ggplot2::scale_linetype_manual(
      values = stats::setNames(c("dashed", "solid"), levels(marks$what))
    ) +
    ggplot2::labs(
      title = "Local databases",
      subtitle = wrapped(sprintf(
        "%s; %d of %d above epsilon", object$title,
        object$above, nrow(frame)
      )),
      x = "2 Delta of a local database", y = NULL,
      caption = confidential_caption
    ) +
    theme_pseudosynth() +
    ggplot2::theme(
      axis.text.y = ggplot2::element_blank(),
      panel.grid.major.y = ggplot2::element_blank()
    )
}
