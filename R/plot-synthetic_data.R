#' Figures of synthetic data
#'
#' Draws the distribution of the synthetic column: densities, one thin line for
#' each set. Counts with many values have cumulative shares, one line for each
#' set. Counts with few values, and two values, have the share of each: bars for
#' the mean over the sets and a point for each set. The figure shows and holds
#' nothing confidential and no record of the sets. The figure of sets labelled
#' `none` says that it is not for release.
#'
#' With `data`, the file, the figure sets the first set of one or several
#' releases of an amount beside it. It is then confidential and says so.
#'
#' For sets of a [file_release()] the figure has a panel for each column, with
#' the share of each level. Amounts are shown in round bins, whose ends come
#' from the sets; zero, codes and missing values stay apart. `data` puts the
#' file beside them; the figure is then confidential and says so. If a column
#' has more than 11 levels, the rarest are joined. With many columns make the
#' figure tall, about 1.7 inches for every two columns.
#'
#' @param object (synthetic_data) The sets.
#' @param prefix (string or `NULL`) Text before amounts on the axis, such as
#'   `"$"`. `NULL`, the default: nothing.
#' @param data (data frame or `NULL`) The confidential file. `NULL`, the
#'   default: the sets alone.
#' @param ... (synthetic_data) More releases of the same column to set beside
#'   the file, best named: `autoplot(LW = a, CW = b, data = file)` is written
#'   `autoplot(a, CW = b, name = "LW", data = file)`.
#' @param type (string) What is shown beside the file: `"density"`, the default;
#'   `"tail"`: densities above the file's 90% quantile; `"records"`: the
#'   synthetic value of each record against the confidential one, for sets in
#'   the order of the file; `"values"`: violins.
#' @param name (string) The name of the first release beside the file. Default
#'   `"synthetic"`.
#' @return A ggplot object. Call `print()` to draw it in a function or a loop.
#' @section Error types: `pseudosynth_error_input`: several releases, or a type
#'   other than `"density"`, without `data`; a column of levels or, for
#'   densities, of counts; for `"records"`, a set of another size than the file.
#' @references Hu and Savitsky, Risk-weighted pseudo posterior, figures 14 to
#'   18.
#' @name plot.synthetic_data
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' sets <- synthesize(fit, m = 5)
#' autoplot(sets)
#' top <- topcode(income ~ ., small, top = 150000)
#' autoplot(sets, "Top-coded" = top, data = small)
#' autoplot(top, data = small, type = "records", name = "Top-coded")
#' @method autoplot synthetic_data
#' @export
autoplot.synthetic_data <- function(
  object, prefix = NULL, data = NULL, ...,
  type = c("density", "tail", "records", "values"), name = "synthetic"
) {
  others <- only_class(
    list(...), "synthetic_data", "See {.fn plot.synthetic_data}."
  )
  type <- check_choice(type, c("density", "tail", "records", "values"))
  check_string(name)
  alone <- length(others) == 0 && type == "density"
  refuse_if(
    is.data.frame(prefix), "{.arg prefix} must be text.",
    i = "The file is given by name: {.code data = file}; {.fn utility} compares
         sets with it.", arg = "prefix"
  )
  refuse_if(
    is.null(data) && !alone,
    "{.arg data} must be the file: this figure shows sets beside it.",
    i = "For instance {.code autoplot(sets, data = file)}.", arg = "data"
  )
  if (are_files(object)) {
    refuse_if(
      !alone, "Sets of whole files have one figure.",
      i = "{.fn utility} compares them with the file.", arg = "type"
    )
    response_prefix(prefix)
    return(plot_file_sets(object, data))
  }
  if (is.null(data)) {
    return(plot_synthetic(object, prefix))
  }
  plot_releases(
    named_parts(
      object, others, name, "synthetic_data",
      function(sets, i) paste("release", i)
    ),
    data, type, response_prefix(prefix)
  )
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
