# Figures of counts and of two values. They have no density: the share of each
# value where there are few, else cumulative shares.

# More distinct values than this are not drawn one by one.
most_bars <- 40L

#' A figure of shares
#'
#' @param sets (list of vectors) The synthetic values of each set.
#' @param kind (string) `"count"`, `"binary"` or `"categorical"`.
#' @param confidential (vector or `NULL`) The confidential values.
#' @noRd
share_figure <- function(sets, kind, prefix = "", confidential = NULL) {
  all <- c(if (!is.null(confidential)) list(confidential), sets)
  values <- if (kind == "categorical") {
    possible_values(all[[1]])
  } else {
    sort(unique(unlist(lapply(all, possible_values))))
  }
  if (kind == "count" && length(values) > most_bars) {
    cumulative_figure(sets, prefix, confidential)
  } else {
    bar_figure(sets, values, kind, prefix, confidential)
  }
}

#' Bars with a point for each set
#' @noRd
bar_figure <- function(sets, values, kind, prefix, confidential) {
  shares <- vapply(
    sets, value_shares, numeric(length(values)),
    values = values
  )
  shares <- matrix(shares, nrow = length(values))
  place <- if (kind == "count") values else factor(values, values)
  bar_kind <- if (is.null(confidential)) {
    "mean of the sets"
  } else {
    "confidential"
  }
  bars <- data.frame(
    value = place, kind = bar_kind,
    share = if (is.null(confidential)) {
      rowMeans(shares)
    } else {
      value_shares(confidential, values)
    }
  )
  synthetic <- synthetic_kind(length(sets))
  points <- data.frame(
    value = rep(place, length(sets)), kind = synthetic,
    set = rep(seq_along(sets), each = length(values)),
    share = as.vector(shares)
  )
  fill <- if (is.null(confidential)) "#A6CEE8" else "#B3B3B3"
  # One set is its own mean: no points on the bars.
  with_points <- !is.null(confidential) || length(sets) > 1
  draw_alone(
    draw_bars,
    bars = bars, points = if (with_points) points, fill = fill,
    count = kind == "count", prefix = prefix, m = length(sets)
  )
}

draw_bars <- function(bars, points, fill, count, prefix, m) {
  figure <- ggplot2::ggplot(
    bars, ggplot2::aes(x = .data$value, y = .data$share)
  ) +
    ggplot2::geom_col(
      ggplot2::aes(fill = .data$kind),
      width = if (count) 0.85 else 0.6
    ) +
    ggplot2::scale_fill_manual(values = stats::setNames(fill, bars$kind[1])) +
    ggplot2::scale_y_continuous(
      labels = label_percent, expand = ggplot2::expansion(c(0, 0.06))
    ) +
    ggplot2::labs(y = "Share of records") +
    theme_pseudosynth() +
    ggplot2::theme(panel.grid.major.x = ggplot2::element_blank())
  if (count) {
    figure <- figure + ggplot2::scale_x_continuous(
      labels = label_amount(prefix), breaks = whole_breaks
    )
  }
  if (is.null(points)) {
    return(figure + ggplot2::guides(fill = "none"))
  }
  figure +
    ggplot2::geom_point(
      ggplot2::aes(colour = .data$kind, group = .data$set),
      data = points,
      position = ggplot2::position_dodge(width = if (m == 1) 0 else 0.5),
      size = 1.8, alpha = if (m > 5) 0.6 else 0.9
    ) +
    ggplot2::scale_colour_manual(
      values = stats::setNames(colour_synthetic, points$kind[1])
    )
}

#' Cumulative shares, one line for each set
#'
#' The lines go into the figure at a few hundred places, not the values.
#' @noRd
cumulative_figure <- function(sets, prefix, confidential) {
  all <- lapply(c(if (!is.null(confidential)) list(confidential), sets),
    as.double
  )
  ends <- vapply(all, stats::quantile, numeric(2), probs = c(0.002, 0.995))
  limits <- c(min(ends[1, ]), max(ends[2, ]))
  grid <- unique(round(seq(limits[1], limits[2], length.out = 400)))
  kinds <- c(
    if (!is.null(confidential)) "confidential", synthetic_kind(length(sets))
  )
  first <- length(all) - length(sets)
  curves <- do.call(rbind, lapply(seq_along(all), function(j) {
    data.frame(
      curve = j, x = grid, share = stats::ecdf(all[[j]])(grid),
      kind = kinds[if (j <= first) 1 else length(kinds)]
    )
  }))
  curves$kind <- factor(curves$kind, kinds)
  colours <- c(
    if (!is.null(confidential)) colour_confidential, colour_synthetic
  )
  draw_alone(
    draw_cumulative,
    curves = curves, kinds = kinds, colours = colours, prefix = prefix,
    m = length(sets)
  )
}

draw_cumulative <- function(curves, kinds, colours, prefix, m) {
  figure <- ggplot2::ggplot(
    curves,
    ggplot2::aes(
      x = .data$x, y = .data$share, group = .data$curve, colour = .data$kind,
      linewidth = .data$kind, alpha = .data$kind
    )
  ) +
    ggplot2::geom_step() +
    ggplot2::scale_colour_manual(values = stats::setNames(colours, kinds)) +
    ggplot2::scale_linewidth_manual(
      values = stats::setNames(rev(c(0.5, 1.3)[seq_along(kinds)]), kinds)
    ) +
    ggplot2::scale_alpha_manual(
      values = stats::setNames(
        rev(c(if (m > 5) 0.5 else 0.8, 0.9)[seq_along(kinds)]), kinds
      )
    ) +
    ggplot2::scale_x_continuous(
      labels = label_amount(prefix), expand = ggplot2::expansion(0.01)
    ) +
    ggplot2::scale_y_continuous(
      labels = label_percent, limits = c(0, 1),
      expand = ggplot2::expansion(c(0, 0.02))
    ) +
    ggplot2::labs(y = "Share of records up to the value") +
    theme_pseudosynth()
  if (length(kinds) == 1) {
    figure <- figure + ggplot2::theme(legend.position = "none")
  }
  figure
}

synthetic_kind <- function(m) {
  if (m == 1) "synthetic" else sprintf("synthetic (%d sets)", m)
}

label_percent <- function(x) {
  ifelse(is.na(x), NA, paste0(format(100 * x, trim = TRUE), "%"))
}

whole_breaks <- function(limits) {
  breaks <- pretty(limits)
  breaks[breaks == round(breaks)]
}
