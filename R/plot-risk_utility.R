#' Figure of a risk-utility map
#'
#' @param object,x (risk_utility_map) See [risk_utility()].
#' @param measure (string) `"ecdf_max"`, the default, `"ecdf_mean_squared"`,
#'   `"groups"`, `"r_squared"` or `"overlap"`.
#' @param ... Not used.
#' @return A ggplot object: the measure against the epsilon of one set, claimed
#'   or proven (add/remove-one). `plot()` draws it and returns it invisibly.
#' @name plot.risk_utility_map
NULL

#' @rdname plot.risk_utility_map
#' @method autoplot risk_utility_map
#' @export
autoplot.risk_utility_map <- function(object, measure = "ecdf_max", ...) {
  titles <- c(
    ecdf_max = "Largest ECDF difference",
    ecdf_mean_squared = "Mean squared ECDF difference",
    groups = "Error of group means", r_squared = "R-squared",
    overlap = "Overlap of intervals"
  )
  measure <- check_choice(measure, names(titles))
  table <- object$table
  frame <- data.frame(
    epsilon = table$add_remove, value = table[[measure]],
    name = table$mechanism, mechanism = mechanism_shorts(table$mechanism),
    setting = setting_text(table[setdiff(
      object$settings, c("mechanism", "epsilon")
    )])
  )
  frame <- frame[!is.na(frame$epsilon) & !is.na(frame$value), ]
  frame$line <- paste(frame$mechanism, frame$setting)
  ggplot2::ggplot(
    frame,
    ggplot2::aes(x = .data$epsilon, y = .data$value, colour = .data$line)
  ) +
    ggplot2::geom_line(linewidth = 0.5) +
    ggplot2::geom_point(size = 2.4) +
    ggplot2::scale_x_log10() +
    ggplot2::scale_y_continuous(limits = c(0, NA)) +
    ggplot2::scale_colour_manual(values = line_colours(frame)) +
    ggplot2::labs(
      title = sprintf("Risk and utility on %s", object$variable),
      x = "Epsilon of one set, add/remove-one (log scale)",
      y = titles[[measure]], caption = confidential_caption
    ) +
    theme_pseudosynth()
}

#' A mechanism's own colour where it is one line, else one for each line
#' @noRd
line_colours <- function(frame) {
  lines <- unique(frame[c("name", "line")])
  colours <- if (anyDuplicated(lines$name) > 0) {
    rep_len(chain_colours, nrow(lines))
  } else {
    unname(mechanism_colours(lines$name))
  }
  stats::setNames(colours, lines$line)
}

setting_text <- function(settings) {
  if (ncol(settings) == 0) {
    return(rep("", nrow(settings)))
  }
  parts <- Map(function(name, x) {
    paste(name, if (is.numeric(x)) format(x, trim = TRUE) else x)
  }, names(settings), settings)
  do.call(paste, c(parts, sep = ", "))
}

#' @rdname plot.risk_utility_map
#' @export
plot.risk_utility_map <- function(x, measure = "ecdf_max", ...) {
  draw_figure(autoplot.risk_utility_map(x, measure, ...))
}
