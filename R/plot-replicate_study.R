#' Plot a replicate study
#'
#' Shows \eqn{2\Delta_r} of every local database, the stated epsilon and this
#' file's own.
#'
#' @param object (replicate_study) See [replicate_study()].
#' @param ... Not used.
#' @return A ggplot object. Call `print()` to draw it in a function or a loop.
#' @name plot.replicate_study
#' @method autoplot replicate_study
#' @export
autoplot.replicate_study <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.replicate_study}.")
  frame <- object$table
  frame$above <- !(frame$epsilon <= object$epsilon & frame$converged)
  at <- c(object$epsilon, object$file)
  what <- paste(c("epsilon", "this file"), format_figure(at))
  marks <- data.frame(at = at, what = factor(what, what))
  ggplot(frame, aes(x = .data$epsilon, y = 0)) +
    geom_violin(fill = "#CFE3F1", colour = NA, width = 1.6) +
    geom_vline(
      data = marks,
      aes(xintercept = .data$at, colour = .data$what, linetype = .data$what),
      linewidth = 0.6
    ) +
    geom_point(
      aes(shape = .data$above), position = position_jitter(0, 0.18, seed = 1),
      size = 1.8, colour = "grey25", fill = "white"
    ) +
    scale_shape_manual(values = c(`FALSE` = 19, `TRUE` = 24), guide = "none") +
    scale_colour_manual(values = c(colour_bound, colour_confidential)) +
    # Told apart without colour
    scale_linetype_manual(values = c("dashed", "solid")) +
    confidential_labs(
      title = "Local databases",
      subtitle = wrapped(sprintf(
        "%s; %d of %d above epsilon", object$title, object$above, nrow(frame)
      )),
      x = "Twice the Lipschitz bound of a local database", y = NULL
    ) +
    theme(axis.text.y = element_blank(), panel.grid.major.y = element_blank())
}
