#' Figures of privacy weights
#'
#' One vector of weights is shown as a histogram, several as violins, one for
#' each scheme, with the mean as a circle. `plot()` and `autoplot()` give the
#' same ggplot object, which is drawn when it is printed: at the prompt by
#' itself, in a function or a loop by `print()`.
#'
#' @param object,x [`privacy_weights`][privacy_weights].
#' @param ... Further weights to compare, named as they shall be called; without
#'   a name, by their scheme.
#' @param name (string or `NULL`) What the first one is called beside others.
#'   `NULL`, the default: by its scheme.
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
NULL

#' @rdname plot.privacy_weights
#' @method autoplot privacy_weights
#' @export
autoplot.privacy_weights <- function(object, ..., name = NULL) {
  others <- list(...)
  if (length(others) > 0) {
    return(plot_weight_violins(named_weights(object, others, name)))
  }
  values <- as.double(object)
  ggplot2::ggplot(
    data.frame(weight = values), ggplot2::aes(x = .data$weight)
  ) +
    ggplot2::geom_histogram(
      breaks = seq(0, 1, 0.02), fill = scheme_colour(object),
      colour = "white",
      linewidth = 0.1
    ) +
    ggplot2::scale_x_continuous(limits = c(0, 1), breaks = seq(0, 1, 0.25)) +
    ggplot2::scale_y_continuous(
      labels = label_amount(), expand = ggplot2::expansion(c(0, 0.05))
    ) +
    ggplot2::labs(
      title = "Privacy weights",
      subtitle = sprintf(
        "%s; N = %s records, %s of weight 0",
        scheme_title(object),
        format_count(length(values)), format_count(sum(values == 0))
      ),
      x = "Weight", y = "Records", caption = confidential_caption
    ) +
    theme_pseudosynth()
}

#' @rdname plot.privacy_weights
#' @export
plot.privacy_weights <- function(x, ..., name = NULL) {
  autoplot.privacy_weights(x, ..., name = name)
}

#' Weights with the names they have in a figure
#' @return (named list)
#' @noRd
named_weights <- function(first, others, name) {
  check_string(name, null = TRUE)
  for (other in others) {
    check_class(other, "privacy_weights", arg = "...")
  }
  weights <- c(list(first), others)
  given <- c(name %||% "", names(others) %||% rep("", length(others)))
  given[given == ""] <- vapply(weights[given == ""], scheme_short, "")
  # make.unique() would write LW.1
  twice <- stats::ave(seq_along(given), given, FUN = seq_along)
  given <- paste0(given, ifelse(twice > 1, paste0(" (", twice, ")"), ""))
  stats::setNames(weights, given)
}

plot_weight_violins <- function(weights) {
  frame <- do.call(rbind, Map(function(w, name) {
    data.frame(scheme = name, weight = as.double(w), colour = scheme_colour(w))
  }, weights, names(weights)))
  frame$scheme <- factor(frame$scheme, names(weights))
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$scheme, y = .data$weight)) +
    ggplot2::stat_summary(
      ggplot2::aes(colour = .data$colour),
      geom = "linerange", fun.min = min, fun.max = max, linewidth = 0.4
    ) +
    ggplot2::geom_violin(
      ggplot2::aes(fill = .data$colour),
      scale = "width", width = 0.75, colour = NA
    ) +
    ggplot2::scale_colour_identity() +
    ggplot2::scale_fill_identity() +
    ggplot2::stat_summary(
      fun = mean, geom = "point", shape = 21, size = 2.6, fill = "white",
      colour = "grey25", stroke = 0.5
    ) +
    ggplot2::scale_y_continuous(
      limits = c(0, 1), breaks = seq(0, 1, 0.25),
      expand = ggplot2::expansion(0.01)
    ) +
    ggplot2::labs(
      title = "Privacy weights by scheme", subtitle = "Circle: mean weight",
      x = NULL, y = "Weight", caption = confidential_caption
    ) +
    theme_groups()
}
