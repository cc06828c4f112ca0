#' Plot a score release
#'
#' Draws the coefficients or the noisy margin of a release. `plot()` and
#' `autoplot()` give the same ggplot object; call `print()` to draw it in a
#' function or a loop.
#'
#' @param object (`score_release`) See [score_release()].
#' @param type (string) `"coefficients"`, the default: estimates with 95%
#'   intervals; `"margin"`: the noisy margin as a density.
#' @param prefix (string or `NULL`) Text before amounts on the margin's axis.
#'   `NULL`, the default: no text.
#' @param ... Not used.
#' @return A ggplot object. It shows only what was released.
#' @section Error types: `pseudosynth_error_input`: `"margin"` for a release
#'   that has no margin.
#' @name plot.score_release
#' @examples
#' positive <- subset(ce_income, income > 0)
#' release <- score_release(log(income) ~ age + education, positive,
#'   epsilon = 1, reference = list("(Intercept)" = 10.8, sigma = 1),
#'   bounds = c(10, 2e6)
#' )
#' autoplot(release)
#' autoplot(release, "margin")
#' @method autoplot score_release
#' @export
autoplot.score_release <- function(object, type = c("coefficients", "margin"),
                                   prefix = NULL, ...) {
  check_no_dots(..., hint = "See {.fn plot.score_release}.")
  type <- check_choice(type, c("coefficients", "margin"))
  if (type == "margin") {
    plot_released_margin(object, prefix)
  } else {
    plot_coefficients(object)
  }
}

plot_coefficients <- function(object) {
  frame <- intervals_of(object, 0.95, "released")
  # The intercept lies elsewhere and would press the others together
  level <- grepl("(Intercept)", frame$term, fixed = TRUE)
  if (!all(level)) frame <- frame[!level, ]
  interval_figure(
    frame, sprintf("Coefficients of %s", response_label(object$response)),
    "Estimates and 95% intervals, which include the noise"
  )
}

plot_released_margin <- function(object, prefix) {
  refuse_if(
    is.null(object$margin), "The release has no margin.",
    i = "State {.arg bounds} in {.fn score_release}.", arg = "type"
  )
  response <- object$response
  counts <- project_counts(object$margin$noisy)
  bin_figure(response, object$margin$breaks, counts / sum(counts), prefix) +
    labs(
      title = sprintf("Noisy margin of %s", response$name),
      subtitle = sprintf("%d bins around the public reference", length(counts)),
      x = axis_title(response$name, response$transform)
    )
}
