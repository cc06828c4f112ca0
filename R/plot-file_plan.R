#' Plot a plan
#'
#' Draws a line for each column of the file. The line shows how many levels the
#' column has in the discrete block, whether its values are modelled as well,
#' and what happens to the column. `plot()` and `autoplot()` give the same
#' ggplot object; call `print()` to draw it in a function or a loop.
#'
#' @param object (`file_plan`) See [file_plan()].
#' @param ... Not used.
#' @return A ggplot object. It shows the codebook and no value of a record.
#' @name plot.file_plan
#' @examples
#' plan <- file_plan(ce_income, draft_codebook(ce_income), publish = "region")
#' plot(plan)
NULL

#' @rdname plot.file_plan
#' @method autoplot file_plan
#' @export
autoplot.file_plan <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.file_plan}.")
  table <- object$table
  table$column <- factor(table$column, rev(table$column))
  table$role <- factor(table$role, plan_roles)
  table$role <- droplevels(table$role)
  table$levels <- pmax(table$levels, 1)
  table$becomes <- plan_steps(table)
  draft <- length(unconfirmed(object$codebook)) > 0
  draw_alone(draw_plan, table = table) + titles(
    "What happens to each column", paste0(
      "Levels of each column in the discrete block, and what is modelled",
      if (draft) ". The codebook is a draft"
    ), x = "Levels, logarithmic"
  )
}

draw_plan <- function(table) {
  ggplot(table, aes(y = .data$column, colour = .data$role)) +
    geom_segment(
      aes(x = 1, xend = .data$levels, yend = .data$column), linewidth = 1.2
    ) +
    geom_point(aes(x = .data$levels, shape = .data$role), size = 2.8) +
    geom_text(
      aes(x = .data$levels, label = paste0("   ", .data$becomes)),
      hjust = 0, size = 3.3, colour = "grey30"
    ) +
    scale_x_log10(
      breaks = c(1, 2, 5, 10, 20, 50, 100, 200), expand = expansion(c(0.02, 0)),
      # Room for what stands beside the last point
      limits = c(1, 14 * max(table$levels))
    ) +
    scale_colour_manual(values = c(
      protected = colour_synthetic, published = colour_bound,
      "survey weight" = colour_synthetic,
      "published survey weight" = colour_bound,
      constant = "#8C8C8C", "left out" = "#8C8C8C"
    )) +
    scale_shape_manual(values = c(
      protected = 19, published = 17, "survey weight" = 1,
      "published survey weight" = 2, constant = 15, "left out" = 4
    )) +
    theme_pseudosynth() +
    theme_rows(0)
}
