#' Plot the utility of synthetic files
#'
#' Shows how far the sets are from the file, in one of five figures.
#'
#' `type` chooses the figure:
#' * `"pairs"`: a matrix of all pairs of columns. Each number compares two
#'   distances from the file: the distance of the pair's table in the sets,
#'   divided by the distance in a fresh sample as large as a set. So 1 is as
#'   good as a fresh sample, and 2 is twice as far from the file. The diagonal
#'   shows the tables of single columns. Numbers are means over sets.
#' * `"pmse"`: the same for the propensity error of each table. This ratio is
#'   synthpop's `S_pMSE`.
#' * `"statistics"`: the same for the means, totals, quantiles, shares and heaps
#'   of each column. A point is one statistic, averaged over the sets. The
#'   farthest statistic of each column is named beside its point.
#' * `"households"`: the same for the tables of households, or of the waves of a
#'   panel, see [utility()]; of sets with [members()] or [waves()] only.
#' * `"coefficients"`: estimates of the stated models and their 95% intervals,
#'   for the file and for the sets. The unit is the standard error of the file's
#'   estimate, and the file's estimates lie at 0. The file's intervals therefore
#'   reach about 2 to both sides.
#'
#' `plot()` and `autoplot()` give the same ggplot object; call `print()` to draw
#' it in a function or a loop.
#'
#' @param object The result of [utility()] for sets of whole files.
#' @param type (string) Which figure to draw. Default `"pairs"`, the one to look
#'   at first.
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @section Error types: `pseudosynth_error_input`: `"coefficients"` is asked
#'   for, but the utility has no models; `"households"`, but the sets have none.
#' @name plot.file_utility
#' @examples
#' people <- ce_income[c("sex", "age", "marital", "earner")]
#' book <- confirm_codebook(draft_codebook(people))
#' release <- file_release(file_plan(people, book), epsilon = 1)
#' found <- utility(
#'   synthesize(release), people,
#'   regression = earner ~ sex + age
#' )
#' plot(found)
#' plot(found, "coefficients")
NULL

#' @rdname plot.file_utility
#' @method autoplot file_utility
#' @export
autoplot.file_utility <- function(object, type = c(
                                    "pairs", "pmse", "statistics",
                                    "households", "coefficients"
                                  ), ...) {
  check_no_dots(..., hint = "See {.fn plot.file_utility}.")
  type <- check_choice(
    type, c("pairs", "pmse", "statistics", "households", "coefficients")
  )
  switch(type,
    households = plot_households(object),
    statistics = plot_file_statistics(object),
    coefficients = plot_file_coefficients(object),
    plot_file_tables(object, type)
  )
}

plot_file_tables <- function(object, type) {
  cells <- mean_pairs(object$pairs)
  cells$second[is.na(cells$second)] <- cells$first[is.na(cells$second)]
  by_pmse <- type == "pmse"
  mean <- colMeans(object$table[paste0(
    c("two_way", "one_way"), if (by_pmse) "_pmse", "_ratio"
  )])
  matrix_figure(
    cells, object$columns, if (by_pmse) cells$pmse_ratio else cells$ratio,
    "Tables of synthetic files", sprintf(
      "%s (1: as good as that). Mean over %s: pairs %s, single columns %s",
      if (by_pmse) {
        "Propensity error, divided by the error expected of a fresh sample"
      } else {
        "Total variation from the file, divided by that of a fresh sample"
      },
      counted(nrow(object$table), "set"), format_figure(mean[[1]], 2),
      format_figure(mean[[2]], 2)
    ), confidential = TRUE
  )
}

# Statistics -------------------------------------------------------------------

# Beyond so many times a fresh sample's difference all is far
farthest_statistic <- 30

plot_file_statistics <- function(object) {
  found <- mean_statistics(object$statistics)
  found <- found[!is.na(found$ratio), ]
  # A logarithmic axis has no place for 0
  points <- data.frame(
    column = factor(found$column, rev(object$columns)),
    ratio = clamp(found$ratio, 0.05, farthest_statistic),
    kind = statistic_kinds(found$statistic),
    name = ifelse(is.na(found$level), found$statistic, found$level)
  )
  near <- found$ratio <= 2
  draw_alone(draw_statistics, points = points) + titles(
    "Statistics of synthetic files", sprintf(
      "Difference from the file, divided by that of a fresh sample (line at 1).
       At most 2: %s of %s",
      format_count(sum(near)), counted(length(near), "statistic")
    ), x = "Multiple of a fresh sample's difference", confidential = TRUE
  )
}

statistic_kinds <- function(statistic) {
  kinds <- c("share of a level", "mean, sd, total", "quantile", "heap")
  factor(kinds[ifelse(
    statistic == "share", 1,
    ifelse(
      statistic %in% c("mean", "sd", "total"), 2,
      ifelse(grepl("^multiples", statistic), 4, 3)
    )
  )], kinds)
}

# The farthest of each column has its name
draw_statistics <- function(points) {
  named <- do.call(rbind, lapply(split(points, points$column), function(one) {
    one[which.max(one$ratio), ]
  }))
  # Names at the ends stay within the figure
  reach <- range(log(points$ratio), log(0.3), log(3))
  named$side <- (log(named$ratio) - reach[1]) / diff(reach)
  ggplot(points, aes(x = .data$ratio, y = .data$column)) +
    geom_vline(xintercept = 1, colour = "grey45", linewidth = 0.5) +
    geom_point(
      aes(colour = .data$kind, shape = .data$kind),
      size = 2, alpha = 0.75
    ) +
    geom_text(
      aes(label = .data$name, hjust = .data$side),
      data = named, size = 3, colour = "grey35", vjust = -0.9
    ) +
    scale_colour_manual(values = chain_colours[c(1, 6, 3, 4)]) +
    scale_shape_manual(values = c(16, 17, 15, 18)) +
    scale_x_log10(
      breaks = c(0.1, 0.3, 1, 3, 10, 30), expand = expansion(c(0.04, 0.12)),
      labels = c("0.1", "0.3", "1", "3", "10", "30+")
    ) +
    guides(
      colour = guide_legend(nrow = 2), shape = guide_legend(nrow = 2)
    ) +
    theme_pseudosynth() +
    theme(axis.text.y = element_text(colour = "grey15"))
}

# Households -------------------------------------------------------------------

#' @noRd
plot_households <- function(object) {
  refuse_if(
    is.null(object$households),
    "There are no households and no waves in these sets.",
    i = "Plan them by {.code file_plan(members = )}.", arg = "type"
  )
  found <- mean_households(object$households)
  kinds <- household_kinds(found)
  whose <- if ("transitions" %in% names(kinds)) "persons" else "households"
  points <- data.frame(
    column = factor(found$column, rev(unique(found$column))),
    ratio = clamp(found$ratio, 0.05, farthest_statistic),
    kind = factor(kinds[found$kind], kinds), name = found$table
  )
  near <- found$ratio <= 2
  draw_alone(draw_statistics, points = points) + titles(
    if (whose == "persons") {
      "Waves of synthetic files"
    } else {
      "Households of synthetic files"
    }, sprintf(
      "Distance from the file, divided by that of a fresh sample of %s (line at
       1). At most 2: %s of %s", whose,
      format_count(sum(near)), counted(length(near), "table")
    ), x = "Multiple of a fresh sample's distance", confidential = TRUE
  )
}

# Coefficients -----------------------------------------------------------------

plot_file_coefficients <- function(object) {
  found <- object$coefficients
  refuse_if(
    is.null(found), "There are no coefficients without a model.",
    i = "State one by {.arg regression} in {.fn utility}.", arg = "type"
  )
  several <- length(unique(found$model)) > 1
  scaled <- function(x) (x - found$file) / found$file_std.error
  key <- paste(found$model, found$term, sep = "\r")
  keys <- unique(key)
  lines <- data.frame(
    key = factor(key, rev(keys)),
    model = factor(found$model, unique(found$model)),
    set = found$set, estimate = scaled(found$estimate),
    low = scaled(found$conf.low), high = scaled(found$conf.high)
  )
  first <- found$set == 1
  own <- data.frame(
    lines[first, c("key", "model")],
    low = scaled(found$file_low)[first], high = scaled(found$file_high)[first]
  )
  means <- colMeans(object$models[c("overlap", "std_difference")])
  draw_alone(
    draw_models,
    lines = lines, own = own, several = several,
    kinds = c("the file", synthetic_kind(max(found$set)))
  ) + titles(
    "Coefficients of stated models", sprintf(
      "Estimates and 95%% intervals. Mean overlap of intervals %s, mean
       difference %s standard errors",
      format_figure(means[[1]], 2), format_figure(means[[2]], 2)
    ), x = "Difference from the file, in standard errors", confidential = TRUE
  )
}

draw_models <- function(lines, own, several, kinds) {
  own$kind <- kinds[1]
  lines$kind <- kinds[2]
  figure <- ggplot(lines, aes(x = .data$estimate, y = .data$key)) +
    geom_segment(
      aes(
        x = .data$low, xend = .data$high, yend = .data$key, colour = .data$kind
      ),
      data = own, linewidth = 4, alpha = 0.45
    ) +
    geom_vline(xintercept = 0, colour = "grey45", linewidth = 0.4) +
    geom_errorbar(
      aes(
        xmin = .data$low, xmax = .data$high, group = .data$set,
        colour = .data$kind
      ),
      width = 0, linewidth = 0.5, position = position_dodge(width = 0.6)
    ) +
    geom_point(
      aes(group = .data$set, colour = .data$kind),
      size = 1.7, position = position_dodge(width = 0.6)
    ) +
    scale_colour_manual(
      values = stats::setNames(c("#B3B3B3", colour_synthetic), kinds)
    ) +
    level_rows() +
    theme_pseudosynth() +
    theme(axis.text.y = element_text(colour = "grey15"))
  if (several) {
    figure + facet_wrap(vars(.data$model), scales = "free_y", ncol = 1)
  } else {
    figure
  }
}
