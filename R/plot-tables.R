#' @rdname tables
#' @method autoplot released_tables
#' @export
autoplot.released_tables <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn tables}.")
  columns <- object$columns
  refuse_if(
    length(columns) > 3, "A figure shows at most three columns.",
    x = "The table has {length(columns)}.", arg = "object"
  )
  if (length(columns) > 1) plot_heat_map(object) else plot_one_way(object)
}

plot_one_way <- function(object) {
  table <- object$table
  if (!is.null(object$columns)) {
    table <- data.frame(
      column = object$columns, level = as.character(table[[1]]), table[-1]
    )
  }
  z <- stats::qnorm((1 + object$level) / 2)
  table$column <- factor(table$column, unique(table$column))
  # Levels of columns may have the same name
  table$place <- factor(
    paste(table$level, as.integer(table$column), sep = "\r"),
    rev(paste(table$level, as.integer(table$column), sep = "\r"))
  )
  table$from <- pmax(table$estimate - z * table$noise, 0)
  table$to <- pmax(table$estimate + z * table$noise, 0)
  draw_alone(
    draw_one_way, table = table, percent = object$what == "shares"
  ) + titles(
    tables_title(object), paste0(
      format(100 * object$level), "% intervals",
      if (object$about == "population") {
        "; thick: noise alone, thin: noise and sampling error"
      } else {
        " for the noise alone"
      }
    )
  )
}

draw_one_way <- function(table, percent) {
  ggplot(table, aes(y = .data$place)) +
    geom_segment(
      aes(x = .data$low, xend = .data$high, yend = .data$place),
      colour = colour_synthetic, linewidth = 0.6
    ) +
    geom_segment(
      aes(x = .data$from, xend = .data$to, yend = .data$place),
      colour = colour_synthetic, linewidth = 2, alpha = 0.45
    ) +
    circles(aes(x = pmax(.data$estimate, 0)), size = 1.5) +
    facet_wrap(vars(.data$column), scales = "free") +
    scale_x_continuous(
      labels = if (percent) label_percent else label_amount(),
      breaks = two_breaks, expand = expansion(0.06)
    ) +
    scale_y_discrete(labels = function(x) sub("\r.*", "", x)) +
    theme_pseudosynth() +
    theme_rows(12)
}

# More tiles than this have no room for figures
most_written_tiles <- 60

plot_heat_map <- function(object) {
  table <- object$table
  frame <- data.frame(
    x = table[[1]], y = factor(table[[2]], rev(levels(table[[2]]))),
    panel = if (length(object$columns) > 2) table[[3]] else "",
    estimate = table$estimate, drowned = 2 * table$noise > table$estimate
  )
  percent <- object$what == "shares"
  frame$text <- if (nrow(frame) > most_written_tiles) {
    ""
  } else if (percent) {
    sprintf("%.1f", round(100 * frame$estimate, 1) + 0)
  } else {
    format_count(round(frame$estimate) + 0)
  }
  # White on dark tiles
  frame$ink <- ifelse(
    frame$estimate > 0.55 * max(frame$estimate), "white", "grey15"
  )
  crosses <- frame[frame$drowned, ]
  draw_alone(
    draw_heat_map,
    frame = frame, crosses = crosses, percent = percent,
    several = length(object$columns) > 2
  ) + titles(
    tables_title(object), x = object$columns[1], y = object$columns[2],
    subtitle = paste0(
      if (percent) "Per cent of records. " else "Records. ",
      if (nrow(crosses) > 0) {
        "Crossed out: twice the noise exceeds the estimate"
      } else {
        "Every estimate exceeds twice its noise"
      }
    )
  )
}

draw_heat_map <- function(frame, crosses, percent, several) {
  figure <- ggplot(frame, aes(x = .data$x, y = .data$y)) +
    geom_tile(
      aes(fill = pmax(.data$estimate, 0)), colour = "white", linewidth = 0.8
    ) +
    geom_segment(
      aes(
        x = as.integer(.data$x) - 0.5, xend = as.integer(.data$x) + 0.5,
        y = as.integer(.data$y) - 0.5, yend = as.integer(.data$y) + 0.5
      ),
      data = crosses, colour = colour_bound, linewidth = 0.5
    ) +
    geom_text(
      aes(label = .data$text, colour = .data$ink), size = 3.3
    ) +
    scale_colour_identity() +
    scale_fill_gradient(
      low = "#F2F6FA", high = "#08519C", limits = c(0, NA), n.breaks = 4,
      labels = if (percent) label_percent else label_amount()
    ) +
    guides(
      x = guide_axis(check.overlap = TRUE),
      # What is written needs no key
      fill = if (any(nzchar(frame$text))) "none" else "colourbar"
    ) +
    theme_pseudosynth() +
    theme(
      panel.grid.major = element_blank(), legend.key.width = unit(36, "pt")
    )
  # Labels of the outer levels reach beyond their panel
  if (several) figure + panels("panel", 36) else figure
}
