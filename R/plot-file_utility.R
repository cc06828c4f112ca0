#' Figure of the utility of synthetic files
#'
#' A matrix of all pairs of columns: how much farther from the file's the table
#' of a pair is than that of a fresh sample as large as a set, mean over sets.
#' On the diagonal are the tables of one column. 1 is as good as a fresh sample.
#' `plot()` and `autoplot()` give the same ggplot object; call `print()` to draw
#' it in a function or a loop.
#'
#' @param object What [utility()] makes of sets of a [file_release()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.file_utility
#' @examples
#' people <- ce_income[c("sex", "age", "marital", "earner")]
#' book <- confirm_codebook(draft_codebook(people))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' plot(utility(synthesize(release), people))
NULL

#' @rdname plot.file_utility
#' @method autoplot file_utility
#' @export
autoplot.file_utility <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.file_utility}.")
  cells <- mean_pairs(object$pairs)
  cells$second[is.na(cells$second)] <- cells$first[is.na(cells$second)]
  mean <- colMeans(object$table[-1])
  draw_alone(
    draw_matrix,
    cells = matrix_cells(cells, object$columns, cells$ratio),
    title = "Tables of synthetic files",
    subtitle = sprintf(
      "Total variation from the file's, beside that of a fresh sample: 1 is as
       good. Mean over %s: pairs %s, single columns %s",
      counted(nrow(object$table), "set"),
      format_figure(mean[["two_way_ratio"]], 2),
      format_figure(mean[["one_way_ratio"]], 2)
    ), caption = confidential_caption
  )
}

#' The lower half of a matrix of columns
#' @noRd
matrix_cells <- function(cells, columns, value) {
  data.frame(
    column = factor(cells$first, columns),
    row = factor(cells$second, rev(columns)), value = value,
    text = format_cell(value), dark = value > 0.6 * max(value)
  )
}

format_cell <- function(x) {
  vapply(x, function(x) sprintf(if (x < 9.95) "%.1f" else "%.0f", x), "")
}

draw_matrix <- function(cells, title, subtitle, caption = NULL) {
  ggplot(cells, aes(x = .data$column, y = .data$row)) +
    geom_tile(aes(fill = .data$value), colour = "white", linewidth = 0.6) +
    # Beyond 16 columns a number has no room
    (if (nlevels(cells$column) <= 16) {
      geom_text(
        aes(label = .data$text, colour = ifelse(.data$dark, "white", "grey15")),
        size = 3
      )
    }) +
    scale_colour_identity() +
    scale_fill_gradient(
      low = "#F0F5FA", high = colour_synthetic, limits = c(0, NA),
      guide = "none"
    ) +
    labs(
      title = title, subtitle = wrapped(gsub("\\s+", " ", subtitle)),
      caption = caption, x = NULL, y = NULL
    ) +
    theme_pseudosynth() +
    theme(
      axis.text.x = element_text(angle = 40, hjust = 1),
      axis.line.x = element_blank(), axis.ticks.x = element_blank(),
      panel.grid.major = element_blank()
    )
}
