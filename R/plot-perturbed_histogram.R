#' Plot a perturbed histogram
#'
#' Draws the noisy counts as densities on the modelled scale. It shows nothing
#' confidential.
#'
#' @param object (perturbed_histogram) See [perturbed_histogram()].
#' @param prefix (string or `NULL`) Text before amounts on the axis, such as
#'   `"$"`. `NULL`, the default: no text.
#' @param ... Not used.
#' @return A ggplot object. Call `print()` to draw it in a function or a loop.
#' @name plot.perturbed_histogram
#' @examples
#' positive <- subset(ce_income, income > 0)
#' histogram <- perturbed_histogram(
#'   log(income) ~ 1, positive,
#'   bounds = c(10, 2e6), epsilon = 0.5
#' )
#' autoplot(histogram)
#' @method autoplot perturbed_histogram
#' @export
autoplot.perturbed_histogram <- function(object, prefix = NULL, ...) {
  check_no_dots(..., hint = "See {.fn plot.perturbed_histogram}.")
  response <- object$response
  bin_figure(response, object$breaks, histogram_shares(object), prefix) +
    labs(
      title = sprintf("Perturbed histogram of %s", response$name),
      subtitle = sprintf(
        "%d bins, epsilon %s for %s neighbours", length(object$counts),
        format(object$epsilon), object$neighbours
      ),
      x = axis_title(response$name, response$transform)
    )
}

#' A figure of bins on the modelled scale
#' @param shares (numeric) Of each bin.
#' @noRd
bin_figure <- function(response, breaks, shares, prefix) {
  # Not rounded to the response's digits: breaks are public
  response$digits <- NA_integer_
  response$type <- "double"
  # The bin of 0 begins at -0.5
  edge <- if (response$kind == "count") {
    breaks
  } else {
    response_inverse(response, breaks)
  }
  frame <- data.frame(
    left = utils::head(edge, -1), right = edge[-1],
    density = shares / diff(breaks)
  )
  draw_alone(
    draw_bins, frame = frame, transform = response$transform,
    prefix = response_prefix(prefix), limits = range(edge)
  )
}

draw_bins <- function(frame, transform, prefix, limits) {
  ggplot(frame) +
    geom_rect(
      aes(
        xmin = .data$left, xmax = .data$right, ymin = 0, ymax = .data$density
      ),
      fill = colour_synthetic, colour = "white", linewidth = 0.2
    ) +
    scale_response(transform, prefix, limits) +
    density_axis() +
    theme_pseudosynth()
}
