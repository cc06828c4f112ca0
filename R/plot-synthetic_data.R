#' Plot synthetic data
#'
#' Draws the distribution of the synthetic column. Amounts have densities, with
#' one thin line for each set. Counts with many values have cumulative shares,
#' with one line for each set. Counts with few values and columns of labels have
#' the share of each value: bars for the mean over the sets and a point for each
#' set. The figure holds nothing confidential and no record of the sets. If the
#' label of the sets is `none`, it says that it is not for release.
#'
#' With `data`, the confidential file, the figure compares the file with the
#' first set of one or several releases. It is then confidential and says so.
#'
#' For sets of a [file_release()] the figure has a panel for each column, with
#' the share of each level. Amounts are shown in round bins, whose ends come
#' from the sets; zero, codes and missing values have bars of their own. `data`
#' adds the file to the panels; the figure is then confidential and says so. If
#' a column has more than 11 levels, the rarest are joined. If there are many
#' columns, make the figure tall: about 1.7 inches for every two columns.
#'
#' @param object (synthetic_data) The sets.
#' @param prefix (string or `NULL`) Text before amounts on the axis, such as
#'   `"$"`. `NULL`, the default: no text.
#' @param data (data frame or `NULL`) The confidential file. `NULL`, the
#'   default: the figure shows the sets alone.
#' @param ... (synthetic_data) More releases of the same column to compare with
#'   the file, best named. To name `object` as well, use `name`: write
#'   `autoplot(a, CW = b, name = "LW", data = file)`, not
#'   `autoplot(LW = a, CW = b, data = file)`.
#' @param type (string) What to show; types other than `"density"` need `data`:
#'   * `"density"`, the default;
#'   * `"tail"`: densities above the file's 90% quantile;
#'   * `"records"`: the synthetic value of each record against the confidential
#'     value, for sets of the file's own rows;
#'   * `"values"`: violins of the values.
#' @param name (string) The name of `object` in a figure with the file. Default
#'   `"synthetic"`.
#' @return A ggplot object. Call `print()` to draw it in a function or a loop.
#' @section Error types: `pseudosynth_error_input`: several releases, or a type
#'   other than `"density"`, without `data`; with `data`, a column of labels, or
#'   a column of counts for `"density"` and `"tail"`; for `"records"`, a set
#'   whose number of records differs from the file's.
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
    i = "Give the file by name: {.code data = file}. {.fn utility} compares
         sets with it.", arg = "prefix"
  )
  refuse_if(
    is.null(data) && !alone,
    "{.arg data} must be the file: this figure compares the sets with it.",
    i = "For instance {.code autoplot(sets, data = file)}.", arg = "data"
  )
  if (are_files(object)) {
    refuse_if(
      !alone, "Sets of whole files have only one type of figure.",
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
    density_figure(
      sets, rep(synthetic_kind(object$m), object$m), column$transform, prefix,
      look_of_sets("synthetic", object$m)
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
