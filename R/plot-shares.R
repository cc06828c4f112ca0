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
  shares <- vapply(sets, value_shares, numeric(length(values)), values = values)
  shares <- matrix(shares, nrow = length(values))
  place <- if (kind == "count") values else factor(values, values)
  alone <- is.null(confidential)
  bars <- data.frame(
    value = place, kind = if (alone) "mean of the sets" else "confidential",
    share = if (alone) rowMeans(shares) else value_shares(confidential, values)
  )
  synthetic <- synthetic_kind(length(sets))
  points <- data.frame(
    value = rep(place, length(sets)), kind = synthetic,
    set = rep(seq_along(sets), each = length(values)), share = as.vector(shares)
  )
  # One set is its own mean: no points on the bars.
  with_points <- !alone || length(sets) > 1
  draw_alone(
    draw_bars,
    bars = bars, points = if (with_points) points,
    fill = fill_of_bars(alone),
    count = kind == "count", prefix = prefix, m = length(sets)
  )
}

draw_bars <- function(bars, points, fill, count, prefix, m) {
  figure <- ggplot(bars, aes(x = .data$value, y = .data$share)) +
    geom_col(aes(fill = .data$kind), width = if (count) 0.85 else 0.6) +
    scale_fill_manual(values = fill) +
    scale_y_continuous(labels = label_percent, expand = expansion(c(0, 0.06))) +
    labs(y = "Share of records") +
    theme_pseudosynth() +
    theme(panel.grid.major.x = element_blank())
  if (count) {
    figure <- figure + scale_x_continuous(
      labels = label_amount(prefix), breaks = whole_breaks
    )
  }
  if (is.null(points)) {
    return(figure + guides(fill = "none"))
  }
  figure +
    geom_point(
      aes(colour = .data$kind, group = .data$set), data = points,
      position = position_dodge(width = if (m == 1) 0 else 0.5),
      size = 1.8, alpha = if (m > 5) 0.6 else 0.9
    ) +
    scale_colour_manual(values = colour_synthetic)
}

#' Cumulative shares, one line for each set
#'
#' The lines go into the figure at a few hundred places, not the values.
#' @noRd
cumulative_figure <- function(sets, prefix, confidential) {
  first <- if (!is.null(confidential)) list(confidential)
  all <- lapply(c(first, sets), as.double)
  ends <- vapply(all, stats::quantile, numeric(2), probs = c(0.002, 0.995))
  limits <- c(min(ends[1, ]), max(ends[2, ]))
  grid <- unique(round(seq(limits[1], limits[2], length.out = 400)))
  kinds <- c(if (length(first)) "confidential", synthetic_kind(length(sets)))
  curves <- do.call(rbind, lapply(seq_along(all), function(j) {
    data.frame(
      curve = j, x = grid, y = stats::ecdf(all[[j]])(grid),
      kind = factor(kinds[min(j, length(kinds))], kinds)
    )
  }))
  draw_alone(
    draw_cumulative, curves = curves, prefix = prefix,
    look = look_of_sets(kinds, length(sets))
  )
}

draw_cumulative <- function(curves, look, prefix) {
  draw_curves(curves, geom_step(), look) +
    scale_x_continuous(
      labels = label_amount(prefix), expand = expansion(0.01)
    ) +
    scale_y_continuous(
      labels = label_percent, limits = c(0, 1), expand = expansion(c(0, 0.02))
    ) +
    labs(y = "Share of records up to the value")
}
