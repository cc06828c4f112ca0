#' Figure of synthetic data
#'
#' The distribution of the synthetic column: densities, one thin line for each
#' set; for counts with many values cumulative shares, one line for each set;
#' for few counts and for two values the share of each, bars for the mean over
#' the sets and a point for each set. Nothing confidential is shown or held, and
#' of the sets no record. Sets labelled `none` have a figure that says that it
#' is not for release.
#'
#' @param object,x (synthetic_data) The sets.
#' @param prefix (string or `NULL`) Put before amounts on the axis, such as
#'   `"$"`. `NULL`, the default: nothing.
#' @param ... Not used.
#' @return A ggplot object, which is drawn when it is printed: at the prompt by
#'   itself, in a function or a loop by `print()`.
#' @name plot.synthetic_data
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 500, seed = 1
#' )
#' autoplot(synthesize(fit, m = 5))
NULL

#' @rdname plot.synthetic_data
#' @method autoplot synthetic_data
#' @export
autoplot.synthetic_data <- function(object, prefix = NULL, ...) {
  check_no_dots(..., hint = "See {.fn plot.synthetic_data}.")
  if (is.data.frame(prefix)) {
    abort_input(
      "The figure of sets shows them alone.",
      i = "{.fn utility} compares them with the file, and has a figure.",
      arg = "prefix"
    )
  }
  plot_synthetic(object, prefix)
}

plot_synthetic <- function(object, prefix) {
  column <- only_column(object)
  sets <- lapply(object$sets, function(set) set[[column$name]])
  prefix <- response_prefix(prefix)
  # Counts and two values have shares, not a density
  figure <- if (column$kind == "count" || has_labels(column)) {
    share_figure(sets, column$kind, prefix)
  } else {
    draw_alone(
      draw_densities,
      curves = density_curves(sets, column$transform),
      transform = column$transform, prefix = prefix, m = object$m
    )
  }
  figure +
    ggplot2::labs(
      title = sprintf("Synthetic %s", column$name),
      subtitle = sprintf(
        "%d set%s of %s records", object$m, if (object$m == 1) "" else "s",
        format_count(object$n_records)
      ),
      x = axis_title(column$name, column$transform),
      caption = if (guarantee(object)$label == "none") confidential_caption
    )
}

draw_densities <- function(curves, transform, prefix, m) {
  ggplot2::ggplot(
    curves,
    ggplot2::aes(x = .data$x, y = .data$density, group = .data$curve)
  ) +
    ggplot2::geom_line(
      colour = colour_synthetic, linewidth = 0.5,
      alpha = if (m > 5) 0.5 else 0.8
    ) +
    scale_response(transform, prefix, attr(curves, "limits")) +
    density_axis() +
    theme_pseudosynth()
}

#' @rdname plot.synthetic_data
#' @export
plot.synthetic_data <- function(x, prefix = NULL, ...) {
  autoplot.synthetic_data(x, prefix, ...)
}
