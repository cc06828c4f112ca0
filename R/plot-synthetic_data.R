#' Figure of synthetic data
#'
#' The distribution of the synthetic column: densities, one thin line for each
#' set; for counts with many values cumulative shares, one line for each set;
#' for few counts and for two values the share of each, bars for the mean over
#' the sets and a point for each set. Nothing confidential is shown or held.
#'
#' @param object,x (synthetic_data) The sets.
#' @param prefix (string or `NULL`) Put before amounts on the axis. `NULL`, the
#'   default, is `"$"` where the log of the response was modelled, else nothing.
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
  plot_synthetic(object, prefix)
}

#' The figure itself, made outside of the method
#'
#' A ggplot object keeps the environment it was made in. That of a method knows
#' its caller's, which may hold the confidential file; this one holds the two
#' arguments only.
#' @noRd
plot_synthetic <- function(object, prefix) {
  force(object)
  if (object$kind == "count" || has_labels(object)) {
    return(plot_synthetic_shares(object, prefix))
  }
  prefix <- response_prefix(prefix, object$transform)
  curves <- density_curves(
    lapply(object$sets, function(set) set[[object$variable]]),
    object$transform
  )
  ggplot2::ggplot(
    curves,
    ggplot2::aes(x = .data$x, y = .data$density, group = .data$curve)
  ) +
    ggplot2::geom_line(
      colour = colour_synthetic, linewidth = 0.5,
      alpha = if (object$m > 5) 0.5 else 0.8
    ) +
    scale_response(object$transform, prefix, attr(curves, "limits")) +
    density_axis() +
    ggplot2::labs(
      title = sprintf("Synthetic %s", object$variable),
      subtitle = sprintf(
        "%d set%s of %s records", object$m, if (object$m == 1) "" else "s",
        format_count(object$n_records)
      ),
      x = axis_title(object)
    ) +
    theme_pseudosynth()
}

# Counts and two values have shares, not a density.
plot_synthetic_shares <- function(object, prefix) {
  share_figure(
    lapply(object$sets, function(set) set[[object$variable]]),
    object$kind, response_prefix(prefix, object$transform)
  ) +
    ggplot2::labs(
      title = sprintf("Synthetic %s", object$variable),
      subtitle = sprintf(
        "%d set%s of %s records", object$m, if (object$m == 1) "" else "s",
        format_count(object$n_records)
      ),
      x = axis_title(object)
    )
}

#' @rdname plot.synthetic_data
#' @export
plot.synthetic_data <- function(x, prefix = NULL, ...) {
  autoplot.synthetic_data(x, prefix, ...)
}
