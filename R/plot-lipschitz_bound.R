#' Plot Lipschitz bounds
#'
#' Draws a histogram of the record bounds, with the overall bound as a line.
#' `plot()` and `autoplot()` give the same ggplot object; call `print()` to draw
#' it in a function or a loop.
#'
#' @param object A `lipschitz_bound`, or an [external_fit()], whose bound is
#'   shown. For a [fit_file()] under a mechanism the figure shows violins of the
#'   records' summed bounds, one per stage.
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot-bounds
#' @examples
#' log_lik <- matrix(rnorm(200 * 50, -2, 0.5), nrow = 200)
#' autoplot(lipschitz(log_lik))
#' @method autoplot lipschitz_bound
#' @export
autoplot.lipschitz_bound <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.lipschitz_bound}.")
  n_infinite <- sum(!is.finite(object$record))
  frame <- data.frame(bound = object$record[is.finite(object$record)])
  ggplot(frame, aes(x = .data$bound)) +
    geom_histogram(
      bins = 60, fill = "#56B4E9", colour = "white", linewidth = 0.1
    ) +
    # A few records set the bound: their bar is too low to be seen
    geom_rug(
      sides = "b", length = unit(0.02, "npc"), colour = "#0072B2",
      alpha = 0.5, linewidth = 0.3
    ) +
    bound_line(object$overall) +
    scale_y_continuous(
      labels = label_amount(), expand = expansion(c(0.03, 0.12))
    ) +
    confidential_labs(
      title = "Record Lipschitz bounds",
      subtitle = wrapped(paste0(
        "N = ", format_count(length(object$record)), " records, S = ",
        format_count(sum(object$kept)), " draws",
        if (object$unit != "not stated") paste0(", density of ", object$unit),
        if (n_infinite > 0) {
          sprintf("; %s infinite, not shown", format_count(n_infinite))
        }
      )),
      x = "Record bound", y = "Records"
    )
}

#' The overall bound as a thin line with its value
#' @noRd
bound_line <- function(overall) {
  if (is.finite(overall)) {
    list(
      geom_vline(xintercept = overall, colour = colour_bound, linewidth = 0.5),
      annotate(
        "text", x = overall, y = Inf, label = bound_text(overall),
        hjust = 1.15, vjust = 1.4, colour = colour_bound, size = 3.9
      )
    )
  }
}

#' @rdname plot-bounds
#' @method autoplot external_fit
#' @export
autoplot.external_fit <- function(object, ...) {
  # Of a whole file all stages are known
  stages <- unclass(object)$stage_bounds
  if (!is.null(stages)) {
    check_no_dots(..., hint = "See {.fn plot.lipschitz_bound}.")
    return(plot_stage_bounds(stages))
  }
  autoplot.lipschitz_bound(object$bound, ...)
}
