# Figures of what is estimated or released of one variable: intervals, bins.

#' Plot pooled estimates
#'
#' Shows an estimate and its interval for each term. With `confidential`, it
#' also shows the estimates and intervals of that model. `plot()` and
#' `autoplot()` give the same ggplot object; call `print()` to draw it in a
#' function or a loop.
#'
#' @param object A `pooled_estimates`, see [pool()].
#' @param confidential (model or `NULL`) The same model fitted to the
#'   confidential file; the figure then says that it is not for release. `NULL`,
#'   the default: no such model.
#' @param intercept (flag) Show the intercept? Default `FALSE`, because it is
#'   often far from the other terms.
#' @param ... Not used.
#' @return A ggplot object.
#' @name plot.pooled_estimates
#' @examples
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' fit <- fit_synthesizer(log(income) ~ ., ce, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000
#' )
#' synthetic <- synthesize(fit, m = 5)
#' pooled <- pool(with(synthetic, lm(log(income) ~ age + earner)))
#' autoplot(pooled, confidential = lm(log(income) ~ age + earner, ce))
#' @method autoplot pooled_estimates
#' @export
autoplot.pooled_estimates <- function(object, ..., confidential = NULL,
                                      intercept = FALSE) {
  check_no_dots(..., hint = "See {.fn plot.pooled_estimates}.")
  check_flag(intercept)
  name <- sprintf("pooled over %d sets", object$m)
  frame <- data.frame(
    object$table[c("term", "estimate", "conf_low", "conf_high")], kind = name
  )
  if (!is.null(confidential)) {
    check_coding(
      list(object$coding, coding_of(confidential)),
      "{.arg confidential} and the sets' models"
    )
    frame <- rbind(
      frame, intervals_of(confidential, object$level, "confidential")
    )
  }
  if (!intercept) frame <- frame[frame$term != "(Intercept)", ]
  interval_figure(
    frame, "Estimates from the synthetic sets",
    sprintf("Bars: %s%% intervals", format(100 * object$level)),
    !is.null(confidential)
  ) + theme(legend.position = "top")
}

#' Estimates with intervals, one below the other
#' @param frame (data frame) `term`, `estimate`, `conf_low`, `conf_high` and
#'   `kind`, of which there are one or two.
#' @noRd
interval_figure <- function(frame, title, subtitle, confidential = FALSE) {
  # The first term on top
  frame$term <- factor(frame$term, rev(unique(frame$term)))
  frame$kind <- factor(frame$kind, unique(frame$kind))
  draw_alone(draw_intervals, frame = frame) +
    titles(title, subtitle, x = "Estimate", confidential = confidential)
}

draw_intervals <- function(frame) {
  width <- if (nlevels(frame$kind) > 1) 0.6 else 0
  beside <- position_dodge2(width = width, reverse = TRUE)
  ggplot(
    frame,
    aes(
      x = .data$estimate, y = .data$term, colour = .data$kind,
      shape = .data$kind
    )
  ) +
    geom_vline(xintercept = 0, colour = "grey75", linewidth = 0.4) +
    geom_linerange(
      aes(xmin = .data$conf_low, xmax = .data$conf_high),
      linewidth = 0.6, position = beside
    ) +
    geom_point(size = 2.4, position = beside, fill = "white", stroke = 0.8) +
    scale_colour_manual(values = c(colour_synthetic, colour_confidential)) +
    scale_shape_manual(values = c(21, 16)) +
    theme_pseudosynth() +
    theme(legend.position = "none")
}

intervals_of <- function(fit, level, kind) {
  parts <- estimate_parts(fit, 1)
  sd <- sqrt(diag(parts$variance))
  df <- tryCatch(stats::df.residual(fit), error = function(e) NULL)
  reach <- stats::qt((1 + level) / 2, df %||% Inf) * sd
  data.frame(
    term = names(parts$estimate), estimate = unname(parts$estimate),
    conf_low = unname(parts$estimate - reach),
    conf_high = unname(parts$estimate + reach), kind = kind
  )
}

# Score release ----------------------------------------------------------------

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

# Perturbed histogram ----------------------------------------------------------

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
