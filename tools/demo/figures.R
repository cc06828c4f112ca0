# The figures: the package's own, and one of group means.

#' Draw all figures
#' @return (named character) The files.
draw_figures <- function(job, strict, use, output) {
  fits <- job$internal$fits
  figures <- list(
    bounds = autoplot(job, "bounds"),
    weights = autoplot(job, "weights"),
    density = autoplot(job, "density", prefix = "$"),
    density_strict = autoplot(strict, "density", prefix = "$"),
    groups = plot_groups(use$groups),
    traces = autoplot(fits[[length(fits)]], "trace"),
    synthetic = autoplot(job$synthetic, prefix = "$")
  )
  heights <- c(
    bounds = 4.6, weights = 4.6, density = 4.6, density_strict = 4.6,
    groups = 7.6, traces = 6, synthetic = 4.2
  )
  files <- file.path(output, paste0(names(figures), ".png"))
  for (i in seq_along(figures)) {
    save_png(figures[[i]], files[i], height = heights[[names(figures)[i]]])
  }
  stats::setNames(files, names(figures))
}

save_png <- function(figure, file, width = 7.6, height = 4.6, dpi = 200) {
  type <- if (capabilities("cairo")) "cairo" else getOption("bitmapType")
  grDevices::png(
    file,
    width = width, height = height, units = "in", res = dpi, type = type
  )
  on.exit(grDevices::dev.off())
  print(figure)
}

group_titles <- c(
  education = "Education", age = "Age", marital = "Marital status",
  family_size = "Family size", earner = "Earner"
)

plot_groups <- function(groups) {
  groups$title <- factor(group_titles[groups$variable], group_titles)
  groups$place <- factor(
    paste(groups$variable, groups$group),
    rev(paste(groups$variable, groups$group))
  )
  labels <- stats::setNames(groups$group, groups$place)
  kinds <- c(
    confidential = "confidential", synthetic = "mixture (claimed)",
    strict = "strict (proven)"
  )
  long <- do.call(rbind, lapply(names(kinds), function(name) {
    data.frame(
      groups[c("title", "place")],
      kind = kinds[[name]], income = groups[[name]]
    )
  }))
  # The dot of the file above the others
  long$kind <- factor(long$kind, kinds)
  long <- long[order(-as.integer(long$kind)), ]
  range <- do.call(rbind, lapply(split(long, long$place), function(x) {
    data.frame(x[1, 1:2], low = min(x$income), high = max(x$income))
  }))
  ggplot(long) +
    geom_segment(
      aes(
        x = .data$low, xend = .data$high, y = .data$place, yend = .data$place
      ),
      data = range, colour = "grey75", linewidth = 0.6
    ) +
    geom_point(
      aes(
        x = .data$income, y = .data$place, colour = .data$kind,
        shape = .data$kind
      ),
      size = 2.4, stroke = 0.9
    ) +
    scale_colour_manual(
      values = stats::setNames(c("#333333", "#0072B2", "#D55E00"), kinds)
    ) +
    scale_shape_manual(values = stats::setNames(c(16, 1, 2), kinds)) +
    # Four labels have room at any width; groups reach from 3,000 to 100,000
    scale_x_log10(
      breaks = c(3, 10, 30, 100) * 1000,
      labels = function(x) paste0("$", count(x))
    ) +
    scale_y_discrete(labels = labels) +
    facet_grid(
      rows = vars(.data$title), scales = "free_y", space = "free_y",
      switch = "y"
    ) +
    labs(
      title = "Typical income of groups",
      subtitle = "Geometric mean; mixture: mean over the sets",
      x = "Income (log scale)", y = NULL,
      caption = "Confidential: not for release"
    ) +
    theme_minimal(base_size = 11) +
    theme(
      # To the left of the panel there is room at any width
      legend.position = "top", legend.justification = "right",
      legend.title = element_blank(), panel.grid.minor = element_blank(),
      panel.grid.major = element_line(colour = "grey92", linewidth = 0.3),
      strip.placement = "outside",
      strip.text.y.left = element_text(
        angle = 0, hjust = 0, vjust = 1, face = "bold", size = 10
      ),
      plot.title.position = "plot", plot.caption.position = "plot",
      plot.title = element_text(face = "bold", size = 14),
      plot.subtitle = element_text(colour = "grey35"),
      plot.caption = element_text(colour = "grey45", hjust = 0),
      plot.background = element_rect(fill = "white", colour = NA),
      plot.margin = margin(10, 14, 8, 10)
    )
}
