#' Figure of a risk-utility map
#'
#' One point for each run, with an interval of two Monte Carlo errors on either
#' side; lines join the runs of a mechanism, or of one of its settings where
#' there are several epsilons. A setting has a colour and a shape of its own, so
#' that the figure can be read in grey. Further towards the lower left is better
#' on both axes, but for `"r_squared"` and `"overlap"`, where higher is better.
#'
#' @param object (risk_utility_map) See [risk_utility()].
#' @param measure (string) `"ecdf_max"`, the default, `"ecdf_mean_squared"`,
#'   `"mean_ratio"`, `"sd_ratio"`, `"q95_ratio"` (best at 1), `"shares"` (of
#'   more than two levels), `"groups"`, `"r_squared"` or `"overlap"`.
#' @param against (string) `"epsilon"`, the default: of one set, claimed or
#'   proven (add/remove-one); `"risk"`: the mean identification risk, for maps
#'   made with `risk_radius`.
#' @param ... Not used.
#' @return A ggplot object, which is drawn when it is printed: at the prompt by
#'   itself, in a function or a loop by `print()`.
#' @name plot.risk_utility_map
NULL

#' @rdname plot.risk_utility_map
#' @method autoplot risk_utility_map
#' @export
autoplot.risk_utility_map <- function(object, measure = "ecdf_max",
                                      against = c("epsilon", "risk"), ...) {
  check_no_dots(..., hint = "See {.fn plot.risk_utility_map}.")
  titles <- c(
    ecdf_max = "Largest ECDF difference",
    ecdf_mean_squared = "Mean squared ECDF difference",
    mean_ratio = "Mean / mean of the file", sd_ratio = "Sd / sd of the file",
    q95_ratio = "95% quantile / that of the file",
    shares = "Total variation of shares", groups = "Error of group means",
    r_squared = "R-squared", overlap = "Overlap of intervals"
  )
  measure <- check_choice(measure, names(titles))
  against <- check_choice(against, c("epsilon", "risk"))
  check_measured_of(object, measure)
  if (against == "risk") check_measured_of(object, "risk")
  frame <- map_frame(object, measure, against)
  lines <- unique(frame[order(frame$line), c("name", "line")])
  n_lines <- nrow(lines)
  legend <- legend_rows(levels(frame$line))
  failed <- sum(nzchar(object$table$problem))
  figure <- ggplot(
    frame,
    aes(x = .data$at, y = .data$value, colour = .data$line, shape = .data$line)
  ) +
    geom_path(aes(group = .data$joined), colour = "grey70", linewidth = 0.4) +
    error_bars(aes(ymin = .data$low, ymax = .data$high)) +
    geom_point(size = 2.6, stroke = 0.9) +
    scale_colour_manual(values = line_colours(lines)) +
    scale_shape_manual(values = stats::setNames(
      rep_len(line_shapes, n_lines), levels(frame$line)
    )) +
    scale_y_continuous(limits = c(0, NA)) +
    guides(colour = legend, shape = legend) +
    confidential_labs(
      title = sprintf("Risk and utility on %s", object$variable),
      subtitle = map_subtitle(object, failed), y = titles[[measure]]
    ) +
    theme(
      legend.position = "bottom", legend.text = element_text(size = 9),
      legend.key.height = unit(11, "pt"), legend.key.width = unit(14, "pt"),
      axis.title.y = element_text(size = 11)
    )
  if (against == "risk") {
    return(figure + error_bars(aes(xmin = .data$left, xmax = .data$right)) +
      labs(x = "Mean identification risk"))
  }
  figure + epsilon_axis(frame$at) +
    labs(x = "Epsilon of one set, add/remove-one (log scale)")
}

error_bars <- function(mapping) {
  geom_linerange(
    mapping, linewidth = 0.5, alpha = 0.6, show.legend = FALSE, na.rm = TRUE
  )
}

# Told apart without colour
line_shapes <- c(16, 17, 15, 1, 2, 0, 18, 3, 4, 8, 5, 6)

check_measured_of <- function(object, name) {
  refuse_if(
    all(is.na(object$table[[name]])), "The map must hold {.val {name}}.",
    i = switch(name,
      risk = "Make it with {.arg risk_radius}.",
      groups = "Make it with {.arg groups}.",
      "No run gave it."
    ),
    arg = if (name == "risk") "against" else "measure"
  )
}

#' @return (data frame) A row for each run that has both: `at`, `value`, their
#'   intervals, `name` (of the mechanism), `line` (mechanism and settings),
#'   `joined` (what a grey line joins).
#' @noRd
map_frame <- function(object, measure, against) {
  table <- object$table
  at <- if (against == "risk") "risk" else "add_remove"
  around <- function(name, times) {
    table[[name]] + times * (table[[paste0(name, "_se")]] %||% NA_real_)
  }
  settings <- setdiff(object$settings, c("mechanism", "epsilon"))
  names <- mechanism_shorts(vapply(table$mechanism, function(x) {
    find_mechanism(x, "stages")$name
  }, ""))
  setting <- setting_text(table[settings])
  frame <- data.frame(
    at = table[[at]], value = table[[measure]],
    low = pmax(around(measure, -2), 0), high = around(measure, 2),
    left = if (against == "risk") around("risk", -2) else NA_real_,
    right = if (against == "risk") around("risk", 2) else NA_real_,
    name = names,
    line = trimws(paste0(names, ifelse(nzchar(setting), ": ", ""), setting))
  )
  order_given <- unique(frame$line)
  # Paths go from the smallest epsilon to the largest
  frame <- frame[order(table$add_remove), ]
  frame <- frame[!is.na(frame$at) & !is.na(frame$value), ]
  # A setting that is run once is joined with the mechanism's others
  often <- table(frame$line)[frame$line] > 1
  frame$joined <- ifelse(often, frame$line, frame$name)
  frame$line <- factor(frame$line, intersect(order_given, frame$line))
  frame
}

#' A mechanism's own colour where it is one line, else one for each line
#' @noRd
line_colours <- function(lines) {
  colours <- if (anyDuplicated(lines$name) > 0) {
    rep_len(chain_colours, nrow(lines))
  } else {
    known <- vapply(mechanisms(), `[[`, "", "colour")
    shorts <- vapply(mechanisms(), `[[`, "", "short")
    unname(known[match(lines$name, shorts)])
  }
  stats::setNames(colours, lines$line)
}

setting_text <- function(settings) {
  if (ncol(settings) == 0) {
    return(rep("", nrow(settings)))
  }
  text <- lapply(settings, function(x) {
    if (is.numeric(x)) vapply(x, format, "") else as.character(x)
  })
  apply(as.data.frame(text), 1, function(row) {
    stated <- !is.na(row) & row != "NA"
    paste(names(settings)[stated], row[stated], collapse = ", ")
  })
}

map_subtitle <- function(object, failed) {
  paste0(
    sprintf("One released set, mean of %d", object$sets),
    if (object$sets > 1) ". Bars: two Monte Carlo errors",
    if (failed > 0) {
      sprintf(
        ".\nNot shown: %d run%s without a result", failed,
        if (failed == 1) "" else "s"
      )
    }
  )
}

#' Rows of a legend under the figure, so that its words fit at five inches
#' @param words (character)
#' @noRd
legend_rows <- function(words) {
  # About 72 letters of the legend's size, of which a key takes 5
  columns <- max(1, min(length(words), floor(72 / (max(nchar(words)) + 5))))
  guide_legend(ncol = columns, byrow = TRUE, title = NULL)
}

#' A logarithmic axis of epsilons with figures where there are any
#' @noRd
epsilon_axis <- function(at) {
  limits <- range(at)
  round <- log_breaks(limits)
  # Between two round numbers there are the ends
  breaks <- if (length(round) < 2) limits else round
  scale_x_log10(
    breaks = breaks, labels = function(x) vapply(signif(x, 2), format, ""),
    expand = expansion(0.06)
  )
}
