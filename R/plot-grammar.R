# The grammar of all figures: dots with intervals, violins, curves, matrices,
# bars of levels, points of records; their panels, axes and words.

#' Draw a figure where nothing is at hand but what it shows
#'
#' A ggplot object keeps the environments it was made in: its own, those of its
#' aesthetics, and that of every argument which was never looked at. Here all of
#' them are a frame that holds the given parts, and above it the package.
#' @param draw (function) Its arguments are the parts; it sees no variable else.
#' @param ... The parts by name: curves, shares and text, not the values of
#'   records.
#' @noRd
draw_alone <- function(draw, ...) {
  environment(draw) <- topenv()
  do.call(draw, list(...))
}

confidential_labs <- function(...) {
  list(labs(..., caption = confidential_caption), theme_pseudosynth())
}

#' Words of a figure that is drawn alone
#' @param subtitle (string) Is put in lines that have room at five inches.
#' @noRd
titles <- function(title, subtitle = NULL, x = NULL, y = NULL,
                   confidential = FALSE) {
  labs(
    title = title, x = x, y = y,
    subtitle = if (!is.null(subtitle)) wrapped(gsub("\\s+", " ", subtitle)),
    caption = if (confidential) confidential_caption
  )
}

#' A panel for each level of a column
#' @param spacing (number) Points between panels side by side.
#' @noRd
panels <- function(column, spacing, ...) {
  list(
    facet_wrap(vars(.data[[column]]), ...),
    theme(panel.spacing.x = unit(spacing, "pt"))
  )
}

# Violins ----------------------------------------------------------------------

# A distribution of each group, its whole range, and the point that sums it up
violins <- function(mapping, width = 0.75, data = NULL) {
  geom_violin(
    mapping, data, scale = "width", width = width, colour = NA
  )
}

circles <- function(..., size = 2.4, stroke = 0.5, layer = geom_point) {
  layer(
    ..., shape = 21, size = size, fill = "white", colour = "grey25",
    stroke = stroke
  )
}

# All three, the median as the point: one column of the frame has the groups
# many (function or NULL): the rows of the frame whose groups get a violin
# dots (layer or NULL): of the others
group_violins <- function(group, colours, size = 2.2, middle = stats::median,
                          many = NULL, dots = NULL) {
  list(
    # The tails, where a violin is thinner than a line
    stat_summary(
      aes(colour = .data[[group]]), geom = "linerange", fun.min = min,
      fun.max = max, linewidth = 0.4
    ),
    violins(aes(fill = .data[[group]]), data = many), dots,
    circles(
      layer = stat_summary, geom = "point", fun = middle, size = size,
      stroke = 0.4
    ),
    scale_fill_manual(values = colours, guide = "none"),
    scale_colour_manual(values = colours, guide = "none")
  )
}

# The bound of each fit as a mark in its group, and its value as text
overall_marks <- function(fits, names, column) {
  overall <- vapply(fits, function(fit) fit$bound$overall, numeric(1))
  marks <- data.frame(factor(names, names), overall = overall)
  stats::setNames(marks, c(column, "overall"))
}

bound_labels <- function(marks, ...) {
  geom_text(
    aes(y = .data$overall, label = bound_text(.data$overall)), data = marks,
    colour = colour_bound, size = 3.9, ...
  )
}

bound_text <- function(bound) paste("bound", format_figure(bound))

# Points -----------------------------------------------------------------------

#' A point for each record, in the colour of its release
#' @noRd
record_points <- function(column, colours, alpha = 0.35) {
  list(
    geom_point(
      aes(colour = .data[[column]]), shape = 16, size = 1.3, alpha = alpha
    ),
    scale_colour_manual(values = unname(colours), guide = "none")
  )
}

#' Marks from 0 on, by kind: told apart without colour, too
#' @noRd
kind_marks <- function(column, colours, shapes, size) {
  list(
    geom_point(
      aes(colour = .data[[column]], shape = .data[[column]]), size = size,
      stroke = 1
    ),
    scale_colour_manual(values = colours),
    scale_shape_manual(values = shapes),
    scale_x_continuous(limits = c(0, NA), expand = expansion(c(0.02, 0.08)))
  )
}

#' Lines of a bound, a budget or a claim, and what they are
#' @param frame (data frame) `at`, `text`, and the panels.
#' @noRd
bound_rules <- function(frame) {
  list(
    geom_hline(
      aes(yintercept = .data$at), frame, colour = colour_bound, linewidth = 0.6
    ),
    geom_text(
      aes(x = -Inf, y = .data$at, label = .data$text), frame,
      inherit.aes = FALSE, hjust = -0.1, vjust = -0.6, colour = colour_bound,
      size = 3.7
    )
  )
}

# Bars and rows of levels ------------------------------------------------------

# Of the mean of sets, and of the file
fill_of_bars <- function(alone) if (alone) "#A6CEE8" else "#B3B3B3"

#' Rows by a key of panel and level, of which the level is written
#' @noRd
level_rows <- function() {
  scale_y_discrete(
    labels = function(key) sub("^.*\r", "", key),
    guide = guide_axis(check.overlap = TRUE)
  )
}

#' A panel for each column, with its levels one below the other
#' @noRd
column_panels <- function() {
  list(
    facet_wrap(vars(.data$column), scales = "free", ncol = 2),
    scale_x_continuous(
      labels = label_percent, expand = expansion(c(0, 0.08)),
      breaks = two_breaks
    ),
    level_rows(), theme_pseudosynth(), theme_rows(14),
    theme(axis.text.y = element_text(size = 8))
  )
}

# Matrices ---------------------------------------------------------------------

#' The lower half of a matrix of columns
#' @noRd
matrix_figure <- function(cells, columns, value, title, subtitle,
                          confidential = FALSE,
                          text = ifelse(
                            value < 9.95, sprintf("%.1f", value),
                            sprintf("%.0f", value)
                          )) {
  cells <- data.frame(
    column = factor(cells$first, columns),
    row = factor(cells$second, rev(columns)), value = value, text = text,
    ink = ifelse(value > 0.6 * max(value), "white", "grey15")
  )
  draw_alone(draw_matrix, cells = cells) +
    titles(title, subtitle, confidential = confidential)
}

draw_matrix <- function(cells) {
  ggplot(cells, aes(x = .data$column, y = .data$row)) +
    geom_tile(aes(fill = .data$value), colour = "white", linewidth = 0.6) +
    # Beyond 16 columns a number has no room
    (if (nlevels(cells$column) <= 16) {
      geom_text(aes(label = .data$text, colour = .data$ink), size = 3)
    }) +
    scale_colour_identity() +
    scale_fill_gradient(
      low = "#F0F5FA", high = colour_synthetic, limits = c(0, NA),
      guide = "none"
    ) +
    theme_pseudosynth() +
    theme(
      axis.text.x = element_text(angle = 40, hjust = 1),
      axis.line.x = element_blank(), axis.ticks.x = element_blank(),
      panel.grid.major = element_blank()
    )
}

# Curves -----------------------------------------------------------------------

#' Density curves on the plotted scale
#'
#' Curves, not values, go into the plot object.
#' @param values (list of numeric) One vector for each curve.
#' @return (data frame) `curve`, `x` (own unit), `y`; attribute `limits`.
#' @noRd
density_curves <- function(values, transform) {
  forward <- if (transform == "log") log10 else identity
  back <- if (transform == "log") function(z) 10^z else identity
  z <- lapply(values, function(y) forward(as.double(y)))
  ends <- vapply(z, stats::quantile, numeric(2), probs = c(0.002, 0.998))
  limits <- c(min(ends[1, ]), max(ends[2, ]))
  # One record has a bandwidth, too, as several equal ones have
  bandwidth <- stats::median(vapply(z, function(x) {
    stats::bw.nrd0(rep_len(x, max(2, length(x))))
  }, 1))
  reach <- if (diff(limits) > 0) 0.03 * diff(limits) else 3 * bandwidth
  limits <- limits + c(-reach, reach)
  curves <- lapply(seq_along(z), function(j) {
    fit <- stats::density(
      z[[j]], bw = bandwidth, n = 400, from = limits[1], to = limits[2]
    )
    data.frame(curve = j, x = back(fit$x), y = fit$y)
  })
  structure(do.call(rbind, curves), limits = back(limits))
}

density_axis <- function() {
  list(
    scale_y_continuous(expand = expansion(c(0, 0.05)), breaks = NULL),
    labs(y = "Density")
  )
}

synthetic_kind <- function(m) {
  if (m == 1) "synthetic" else sprintf("synthetic (%d sets)", m)
}

#' Curves of densities, one or more of a kind
#' @param values (list of numeric) Of each curve.
#' @param kinds (character) Of each curve.
#' @param tail (flag) Above the first one's 90% quantile alone?
#' @param look (list) See draw_curves().
#' @noRd
density_figure <- function(values, kinds, transform, prefix, look,
                           tail = FALSE) {
  curves <- density_curves(values, transform)
  limits <- attr(curves, "limits")
  if (tail) {
    limits[1] <- stats::quantile(
      as.double(values[[1]]), 0.9, names = FALSE
    )
    curves <- curves[curves$x >= limits[1], ]
  }
  curves$kind <- factor(kinds[curves$curve], unique(kinds))
  draw_alone(
    draw_densities, curves = curves, look = look, transform = transform,
    prefix = prefix, limits = limits
  )
}

draw_densities <- function(curves, look, transform, prefix, limits) {
  draw_curves(curves, geom_line(), look) +
    scale_response(transform, prefix, limits) +
    density_axis()
}

#' @param curves (data frame) `x`, `y`, `curve`, `kind` (factor).
#' @param layer (layer) Lines or steps.
#' @param look (list) Of each kind `colour`, `line`, `width` and `alpha`.
#' @noRd
draw_curves <- function(curves, layer, look) {
  ggplot(
    curves,
    aes(
      x = .data$x, y = .data$y, group = .data$curve, colour = .data$kind,
      linetype = .data$kind, linewidth = .data$kind, alpha = .data$kind
    )
  ) +
    layer +
    scale_colour_manual(values = look$colour) +
    scale_linetype_manual(values = look$line) +
    scale_linewidth_manual(values = look$width) +
    scale_alpha_manual(values = look$alpha) +
    theme_pseudosynth() +
    if (nlevels(curves$kind) == 1) theme(legend.position = "none")
}

#' The sets, and before them the file where it is shown: its line is thick
#' @param m (count) Sets.
#' @noRd
look_of_sets <- function(kinds, m) {
  last <- function(...) utils::tail(c(...), length(kinds))
  list(
    colour = last(colour_confidential, colour_synthetic),
    line = rep("solid", length(kinds)), width = last(1.3, 0.5),
    alpha = last(0.9, if (m > 5) 0.5 else 0.8)
  )
}

#' The file's line is thick; those of releases differ without colour, too
#' @noRd
look_of_releases <- function(names) {
  file <- names == "confidential"
  lines <- rep("solid", length(names))
  lines[!file] <- rep_len(release_lines, sum(!file))
  list(
    colour = release_colours(names), line = lines,
    width = ifelse(file, 1.3, 0.7), alpha = rep(1, length(names))
  )
}

release_lines <- c("solid", "dashed", "dotdash", "dotted", "longdash")
