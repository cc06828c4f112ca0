#' Figure of an audit
#'
#' The privacy loss of every neighbour against the claim: where it is largest
#' over all parameters, and where the posterior of the file has its mass. A loss
#' without bound is a triangle at the upper edge.
#'
#' @param object,x A `guarantee_audit`, see [audit_guarantee()].
#' @param ... Not used.
#' @return A ggplot object, which is drawn when it is printed: at the prompt by
#'   itself, in a function or a loop by `print()`.
#' @examples
#' file <- worst_case_data("clones", n = 20, value = 1, outlier = 4)
#' audit <- audit_guarantee(y ~ 1, file, gaussian(),
#'   mechanism = "censor_uw", epsilon = 1,
#'   prior = prior_normal(intercept = c(0, 2)), replacements = 8, cells = 2500
#' )
#' plot(audit)
#' @name plot-guarantee_audit
NULL

#' @rdname plot-guarantee_audit
#' @method autoplot guarantee_audit
#' @export
autoplot.guarantee_audit <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.guarantee_audit}.")
  exact <- object$method == "exact"
  all <- if (exact) "largest over all parameters" else "lower bound"
  bulk <- if (exact) "in the bulk of the posterior" else "estimate"
  losses <- object$neighbours
  second <- if (exact) losses$loss_bulk else losses$estimate
  frame <- data.frame(
    relation = losses$relation,
    rank = rank_within(losses$relation, losses$loss, second),
    loss = c(losses$loss, second),
    what = rep(c(all, bulk), each = nrow(losses))
  )
  finite <- is.finite(frame$loss)
  largest <- max(c(frame$loss[finite], object$worst$claim))
  smallest <- max(
    min(c(frame$loss[finite & frame$loss > 0], object$worst$claim)),
    largest * 1e-4
  )
  frame$infinite <- !finite
  frame$loss <- pmax(pmin(frame$loss, largest * 2), smallest)
  claims <- object$worst
  claims$text <- paste(
    if (object$claimed == "epsilon") "claim" else "2 Delta",
    format_figure(claims$claim)
  )
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$rank, y = .data$loss)) +
    ggplot2::geom_hline(
      data = claims, ggplot2::aes(yintercept = .data$claim),
      colour = colour_bound, linewidth = 0.6
    ) +
    ggplot2::geom_text(
      data = claims, x = -Inf,
      ggplot2::aes(y = .data$claim, label = .data$text), hjust = -0.1,
      vjust = -0.6, colour = colour_bound, size = 3.7
    ) +
    ggplot2::geom_point(
      ggplot2::aes(colour = .data$what, shape = .data$infinite),
      size = 1.7, alpha = 0.85
    ) +
    ggplot2::facet_wrap(~relation, scales = "free_x") +
    ggplot2::scale_colour_manual(
      values = stats::setNames(c("#0072B2", "#E69F00"), c(all, bulk))
    ) +
    ggplot2::scale_shape_manual(
      values = c("FALSE" = 16, "TRUE" = 17), guide = "none"
    ) +
    ggplot2::scale_x_continuous(
      breaks = whole_breaks, labels = label_amount(),
      expand = ggplot2::expansion(add = 0.4)
    ) +
    ggplot2::scale_y_log10(
      labels = function(x) format_figure(x, 2),
      expand = ggplot2::expansion(c(0.04, 0.1))
    ) +
    ggplot2::labs(
      title = paste0("Privacy losses found, ", object$mechanism),
      subtitle = paste0(object$model, ", N = ", format_count(object$n_records)),
      x = "Neighbours, by their largest loss", y = "Privacy loss",
      caption = confidential_caption
    ) +
    theme_pseudosynth()
}

#' Ranks by two columns within groups
#' @noRd
rank_within <- function(group, first, second) {
  ranks <- integer(length(group))
  for (rows in split(seq_along(group), group)) {
    ranks[rows[order(first[rows], second[rows])]] <- seq_along(rows)
  }
  ranks
}

#' @rdname plot-guarantee_audit
#' @export
plot.guarantee_audit <- function(x, ...) {
  autoplot.guarantee_audit(x, ...)
}
