#' Plot privacy weights
#'
#' Shows one vector of weights as a histogram. Shows several vectors as violins,
#' one for each vector, with a circle at each mean. `plot()` and `autoplot()`
#' give the same ggplot object; call `print()` to draw it in a function or a
#' loop.
#'
#' @param object,x [`privacy_weights`][privacy_weights].
#' @param ... More vectors of weights to compare. The names of these arguments
#'   are shown in the figure; a vector without a name is shown by its scheme.
#' @param name (string or `NULL`) The name of the first vector when several are
#'   shown. `NULL`, the default: its scheme.
#' @return A ggplot object. It shows confidential values and says so.
#' @seealso [plot.pseudo_posterior()] for bounds against weights.
#' @references Savitsky, Hu and Williams, Re-weighting of vector-weighted
#'   mechanisms, figure 8.
#' @name plot.privacy_weights
#' @examples
#' ce <- subset(ce_income, income > 0)
#' w <- count_weights("income", ce, radius = 0.2)
#' narrow <- count_weights("income", ce, radius = 0.1)
#' autoplot(w)
#' autoplot(w, "CW, 10%" = narrow, name = "CW, 20%")
#' @method autoplot privacy_weights
#' @export
autoplot.privacy_weights <- function(object, ..., name = NULL) {
  check_string(name, null = TRUE)
  if (...length() > 0) {
    return(plot_weight_violins(named_parts(
      object, list(...), name, "privacy_weights", function(w, i) scheme_short(w)
    )))
  }
  values <- as.double(object)
  ggplot(data.frame(weight = values), aes(x = .data$weight)) +
    geom_histogram(
      breaks = seq(0, 1, 0.02), fill = release_colours(scheme_short(object)),
      colour = "white", linewidth = 0.1
    ) +
    scale_x_continuous(limits = c(0, 1), breaks = seq(0, 1, 0.25)) +
    scale_y_continuous(
      labels = label_amount(), expand = expansion(c(0, 0.05))
    ) +
    confidential_labs(
      title = "Privacy weights",
      subtitle = sprintf(
        "%s; N = %s records, %s of weight 0", scheme_title(object),
        format_count(length(values)), format_count(sum(values == 0))
      ),
      x = "Weight", y = "Records"
    )
}

#' @rdname plot.privacy_weights
#' @export
plot.privacy_weights <- function(x, ..., name = NULL) {
  autoplot.privacy_weights(x, ..., name = name)
}

plot_weight_violins <- function(weights) {
  frame <- stack_frames(weights, "scheme", function(w) {
    data.frame(weight = as.double(w))
  })
  ggplot(frame, aes(x = .data$scheme, y = .data$weight)) +
    group_violins(
      "scheme", release_colours(names(weights)), size = 2.6, middle = mean
    ) +
    scale_y_continuous(
      limits = c(0, 1), breaks = seq(0, 1, 0.25), expand = expansion(0.01)
    ) +
    confidential_labs(
      title = "Privacy weights by scheme", subtitle = "Circle: mean weight",
      x = NULL, y = "Weight"
    ) +
    theme_columns()
}
