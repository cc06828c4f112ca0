#' Figure of synthetic data
#'
#' Draws the distribution of the synthetic column: densities, one thin line for
#' each set. Counts with many values have cumulative shares, one line for each
#' set. Counts with few values, and two values, have the share of each: bars for
#' the mean over the sets and a point for each set. The figure shows and holds
#' nothing confidential and no record of the sets. The figure of sets labelled
#' `none` says that it is not for release.
#'
#' Sets of a [file_release()] have a panel for each column, with the share of
#' each level: of amounts in round bins, whose ends come from the sets, with
#' zero, codes and missing values apart. `data` puts the file beside them; the
#' figure is then confidential and says so. Of a column with more than 11 levels
#' the rarest are joined. Draw many columns tall, such as 1.7 inches for every
#' two.
#'
#' @param object (synthetic_data) The sets.
#' @param prefix (string or `NULL`) Text before amounts on the axis, such as
#'   `"$"`. `NULL`, the default: nothing.
#' @param data (data frame or `NULL`; for sets of a file release) The
#'   confidential file. `NULL`, the default: the sets alone.
#' @param ... Not used.
#' @return A ggplot object. Call `print()` to draw it in a function or a loop.
#' @name plot.synthetic_data
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' autoplot(synthesize(fit, m = 5))
NULL

#' @rdname plot.synthetic_data
#' @method autoplot synthetic_data
#' @export
autoplot.synthetic_data <- function(object, prefix = NULL, data = NULL, ...) {
  check_no_dots(..., hint = "See {.fn plot.synthetic_data}.")
  whole <- are_files(object)
  refuse_if(
    is.data.frame(prefix) || !whole && !is.null(data),
    "The figure of sets shows only the sets.",
    i = "{.fn utility} compares them with the file, and has a figure.",
    i = "Sets of a file release stand beside {.code data = file}.",
    arg = if (is.null(data)) "prefix" else "data"
  )
  if (whole) {
    response_prefix(prefix)
    return(plot_file_sets(object, data))
  }
  plot_synthetic(object, prefix)
}

plot_synthetic <- function(object, prefix) {
  column <- only_column(object)
  sets <- drawn_values(object)
  prefix <- response_prefix(prefix)
  # Counts and two values have shares, not a density
  figure <- if (column$kind == "count" || has_labels(column)) {
    share_figure(sets, column$kind, prefix)
  } else {
    draw_alone(
      draw_densities, curves = density_curves(sets, column$transform),
      transform = column$transform, prefix = prefix, m = object$m,
      kinds = synthetic_kind(object$m)
    )
  }
  figure +
    labs(
      title = sprintf("Synthetic %s", column$name),
      subtitle = sprintf(
        "%s of %s records", counted(object$m, "set"),
        format_count(object$n_records)
      ),
      x = axis_title(column$name, column$transform),
      caption = if (guarantee(object)$label == "none") confidential_caption
    )
}
