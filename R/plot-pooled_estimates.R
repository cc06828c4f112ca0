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
