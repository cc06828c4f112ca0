#' Figure of compared mechanisms
#'
#' One panel for each measure, one line for each mechanism, one point for each
#' epsilon. Smaller is better, but for R2, whose dashed line is the file's. A
#' triangle at the edge lies beyond it: above three times the third quartile.
#'
#' @param object,x (mechanism_comparison) See [compare_mechanisms()].
#' @param ... Not used.
#' @return A ggplot object; `plot()` draws it and returns it invisibly.
#' @name plot.mechanism_comparison
#' @examples
#' \donttest{
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' compared <- compare_mechanisms(log(income) ~ ., ce, student_t(3),
#'   mechanisms = c("centred", "censor_uw"), epsilon = c(5, 2),
#'   reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
#'   groups = c("age", "earner"), sets = 5, chains = 2, draws = 500
#' )
#' autoplot(compared)
#' }
NULL

#' @rdname plot.mechanism_comparison
#' @method autoplot mechanism_comparison
#' @export
autoplot.mechanism_comparison <- function(object, ...) {
  measures <- c(
    ecdf_max = "Largest ECDF difference", groups = "Error of group means",
    r_squared = "R-squared"
  )
  table <- object$table[!is.na(object$table$ecdf_max), ]
  measures <- measures[vapply(names(measures), function(name) {
    any(!is.na(table[[name]]))
  }, TRUE)]
  epsilons <- sort(unique(stats::na.omit(table$asked[table$asked > 0])), TRUE)
  other <- "no epsilon, or 0"
  levels <- c(paste("epsilon", vapply(epsilons, format, "")), other)
  index <- match(table$asked, epsilons)
  index[is.na(index)] <- length(levels)
  frame <- do.call(rbind, lapply(names(measures), function(name) {
    value <- table[[name]]
    # One useless mechanism must not press all others against the axis
    edge <- if (name == "r_squared") {
      Inf
    } else {
      3 * stats::quantile(value, 0.75, na.rm = TRUE, names = FALSE)
    }
    data.frame(
      mechanism = mechanism_shorts(table$mechanism),
      measure = measures[[name]], value = pmin(value, edge),
      beyond = value > edge, epsilon = levels[index]
    )
  }))
  frame <- frame[!is.na(frame$value), ]
  frame$measure <- factor(frame$measure, measures)
  frame$epsilon <- factor(frame$epsilon, levels)
  frame$mechanism <- factor(
    frame$mechanism, rev(unique(mechanism_shorts(table$mechanism)))
  )
  colours <- stats::setNames(
    c(rep_len(chain_colours, length(epsilons)), "grey55"), levels
  )
  truth <- data.frame(
    measure = factor("R-squared", measures),
    value = object$confidential %||% NA_real_
  )[rep("r_squared" %in% names(measures), 1), ]
  ggplot2::ggplot(
    frame, ggplot2::aes(x = .data$value, y = .data$mechanism)
  ) +
    ggplot2::geom_vline(
      ggplot2::aes(xintercept = .data$value),
      data = truth, linetype = "dashed", colour = "grey45"
    ) +
    ggplot2::geom_line(
      ggplot2::aes(group = .data$mechanism),
      colour = "grey80", linewidth = 0.5
    ) +
    ggplot2::geom_point(
      ggplot2::aes(colour = .data$epsilon, shape = .data$beyond),
      size = 2.6
    ) +
    ggplot2::scale_shape_manual(
      values = c(`FALSE` = 19, `TRUE` = 17), guide = "none"
    ) +
    ggplot2::facet_wrap(~measure, scales = "free_x") +
    ggplot2::scale_colour_manual(values = colours) +
    ggplot2::scale_x_continuous(
      limits = c(0, NA), expand = ggplot2::expansion(c(0.02, 0.08)),
      breaks = function(limits) pretty(limits, 3)
    ) +
    ggplot2::labs(
      title = sprintf("Mechanisms compared on %s", object$variable),
      subtitle = sprintf(
        "One released set at each total epsilon, mean of %d%s", object$sets,
        if (any(frame$beyond)) ". Triangles: beyond the edge" else ""
      ),
      x = NULL, y = NULL, caption = confidential_caption
    ) +
    theme_pseudosynth() +
    ggplot2::theme(
      panel.spacing.x = ggplot2::unit(14, "pt"),
      axis.text.y = ggplot2::element_text(colour = "grey15")
    )
}

#' @rdname plot.mechanism_comparison
#' @export
plot.mechanism_comparison <- function(x, ...) {
  draw_figure(autoplot.mechanism_comparison(x, ...))
}
