#' Figures of a fit
#'
#' Draws the record bounds, weights or traces of a fit. `plot()` and
#' `autoplot()` give the same ggplot object; call `print()` to draw it in a
#' function or a loop.
#'
#' @param object (synthesizer) The fit.
#' @param type (string) `"bounds"`, the default: a histogram of the record
#'   bounds with the overall bound; `"weights"`: record bound against privacy
#'   weight (flat at the overall bound means efficient); `"trace"`: the
#'   monitored quantities, draw by draw and chain by chain.
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' fit <- fit_synthesizer(log(income) ~ age + earner, small, gaussian(),
#'   prior = prior_normal(), chains = 2, warmup = 200, draws = 1000, seed = 1
#' )
#' autoplot(fit, "trace")
#' @name plot.synthesizer
NULL

#' @rdname plot.synthesizer
#' @method autoplot synthesizer
#' @export
autoplot.synthesizer <- function(object, type = c("bounds", "weights", "trace"),
                                 ...) {
  check_no_dots(..., hint = "See {.fn plot.synthesizer}.")
  type <- check_choice(type, c("bounds", "weights", "trace"))
  switch(type,
    bounds = autoplot.lipschitz_bound(object$bound),
    weights = plot_bound_against_weight(list(object)),
    trace = plot_trace(object)
  )
}

#' @param fits (list) One panel each; names are stages, none for a single fit.
#' @noRd
plot_bound_against_weight <- function(fits) {
  panels <- if (is.null(names(fits))) "fit" else mechanism_shorts(names(fits))
  frame <- stack_frames(stats::setNames(fits, panels), "panel", function(fit) {
    data.frame(weight = alpha_of(fit), bound = fit$bound$record)
  })
  marks <- overall_marks(fits, panels, "panel")
  frame <- frame[is.finite(frame$bound), ]
  figure <- ggplot(frame, aes(x = .data$weight, y = .data$bound)) +
    geom_point(
      shape = 16, size = 1.3, alpha = 0.35, colour = colour_synthetic
    ) +
    geom_hline(
      aes(yintercept = .data$overall),
      data = marks, colour = colour_bound, linewidth = 0.5
    ) +
    bound_labels(marks, x = 0, hjust = 0, vjust = -0.4) +
    scale_x_continuous(
      limits = c(0, 1), breaks = seq(0, 1, 0.25), labels = format_exact
    ) +
    scale_y_continuous(limits = c(0, NA), expand = expansion(c(0.01, 0.1))) +
    confidential_labs(
      title = "Record bound against privacy weight",
      subtitle = wrapped(flatness_text(fits[[length(fits)]])),
      x = "Privacy weight", y = "Record bound"
    )
  figure + if (length(fits) > 1) {
    list(facet_wrap(vars(.data$panel)), theme(panel.spacing.x = unit(18, "pt")))
  }
}

#' How near the bound the records are that gave up weight
#'
#' Flat at the bound is what re-weighting seeks: no record loses more weight
#' than it must.
#' @noRd
flatness_text <- function(fit) {
  alpha <- as.double(fit$spec$alpha)
  bound <- fit$bound
  below <- alpha > 0 & alpha < 1
  if (!any(below) || !is.finite(bound$overall) || bound$overall == 0) {
    return("One point is one record")
  }
  share <- stats::median(bound$record[below]) / bound$overall
  sprintf(
    "Half of the records below weight 1%s have at least %.0f%% of the bound",
    if (is.null(fit$reweighting)) "" else ", after re-weighting,",
    floor(100 * share)
  )
}

monitor_titles <- c(
  log_lik = "Weighted log-likelihood", q1 = "Predictive 1%",
  q5 = "Predictive 5%", q25 = "Predictive 25%", q50 = "Predictive median",
  q75 = "Predictive 75%", q95 = "Predictive 95%", q99 = "Predictive 99%"
)

plot_trace <- function(fit) {
  monitor <- fit$monitor
  columns <- intersect(c("log_lik", "q5", "q50", "q95"), colnames(monitor))
  if (length(columns) == 0) columns <- colnames(monitor)[1]
  draw <- stats::ave(fit$chain, fit$chain, FUN = seq_along)
  # No more points than a figure can show
  thin <- max(1, floor(max(draw) / 1000))
  shown <- which(draw %% thin == 0)
  titles <- ifelse(
    columns %in% names(monitor_titles), monitor_titles[columns], columns
  )
  frame <- data.frame(
    quantity = rep(factor(titles, titles), each = length(shown)),
    draw = draw[shown], chain = factor(fit$chain[shown]),
    value = as.vector(monitor[shown, columns])
  )
  n_chains <- nlevels(frame$chain)
  ggplot(frame, aes(x = .data$draw, y = .data$value, colour = .data$chain)) +
    geom_line(linewidth = 0.25, alpha = 0.75) +
    facet_wrap(vars(.data$quantity), ncol = 1, scales = "free_y") +
    scale_y_continuous(n.breaks = 3) +
    scale_colour_manual(
      values = rep_len(chain_colours, n_chains),
      labels = function(x) paste("chain", x)
    ) +
    guides(colour = if (n_chains > 6) "none" else guide_legend(
      override.aes = list(linewidth = 1, alpha = 1)
    )) +
    confidential_labs(
      title = "Traces", subtitle = "Chains that look alike have mixed",
      x = "Draw", y = NULL
    )
}
