#' Plot an audit
#'
#' Shows the privacy loss of every neighbour against the claim. For an exact
#' audit, a neighbour has two losses: the largest over all parameters, and the
#' largest where the posterior of the file has most of its mass. A sampled audit
#' shows a lower bound and an estimate instead. A loss without bound is a
#' triangle at the upper edge.
#'
#' @param object A `guarantee_audit`, see [audit_guarantee()].
#' @param ... Not used.
#' @return A ggplot object. Call `print()` to draw it in a function or a loop.
#' @examples
#' file <- worst_case_data("clones", n = 20, value = 1, outlier = 4)
#' audit <- audit_guarantee(y ~ 1, file, gaussian(),
#'   mechanism = "censor_uw", epsilon = 1,
#'   prior = prior_normal(intercept = c(0, 2)), replacements = 8, cells = 2500
#' )
#' plot(audit)
#' @name plot-guarantee_audit
#' @method autoplot guarantee_audit
#' @export
autoplot.guarantee_audit <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.guarantee_audit}.")
  exact <- object$method == "exact"
  kinds <- if (exact) {
    c("largest over all parameters", "in the bulk of the posterior")
  } else {
    c("lower bound", "estimate")
  }
  losses <- object$losses
  second <- if (exact) losses$loss_bulk else losses$estimate
  frame <- data.frame(
    neighbours = losses$neighbours,
    rank = stats::ave(
      order(order(losses$loss, second)), losses$neighbours, FUN = rank
    ),
    loss = c(losses$loss, second), what = rep(kinds, each = nrow(losses))
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
  text <- paste(
    if (object$claimed == "epsilon") "claim" else "2 x bound",
    format_figure(claims$claim)
  )
  ggplot(frame, aes(x = .data$rank, y = .data$loss)) +
    bound_rules(data.frame(claims["neighbours"], at = claims$claim, text)) +
    geom_point(
      aes(colour = .data$what, shape = .data$infinite), size = 1.7, alpha = 0.85
    ) +
    facet_wrap(~neighbours, scales = "free_x") +
    scale_colour_manual(values = stats::setNames(chain_colours[1:2], kinds)) +
    scale_shape_manual(values = c("FALSE" = 16, "TRUE" = 17), guide = "none") +
    scale_x_continuous(
      breaks = whole_breaks, labels = label_amount(),
      expand = expansion(add = 0.4)
    ) +
    scale_y_log10(
      labels = function(x) format_figure(x, 2), expand = expansion(c(0.04, 0.1))
    ) +
    confidential_labs(
      title = paste0("Privacy losses found, ", object$mechanism),
      subtitle = paste0(object$model, ", N = ", format_count(object$n_records)),
      x = "Neighbours, in order of loss", y = "Privacy loss"
    )
}

#' Plot the audit of a score release
#'
#' Compares the errors of tests with the curve that is claimed. The tests are
#' the best ones for telling worst-case neighbours apart, and their errors are
#' found by running the release. A test below the curve would refute the claim.
#' If nothing was run (under Laplace noise or with `replicates = 0`), the figure
#' shows the exact value and the claimed one. `plot()` and `autoplot()` give the
#' same ggplot object; call `print()` to draw it in a function or a loop.
#'
#' @param object A `score_audit`, see [audit_guarantee()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.score_audit
#' @examples
#' small <- subset(ce_income, income > 0, c("income", "age"))[1:200, ]
#' released <- score_release(log(income) ~ age, small,
#'   epsilon = 2, delta = 1e-6, bounds = c(10, 2e6),
#'   reference = list("(Intercept)" = 10.8, sigma = 1)
#' )
#' autoplot(audit_guarantee(released, small, replicates = 1000, seed = 1))
#' @method autoplot score_audit
#' @export
autoplot.score_audit <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.score_audit}.")
  figure <- if (is.null(object$curve)) audit_figures else audit_curves
  figure(object) + confidential_labs(
    title = sprintf("Audit of a %s release", object$of)
  )
}

#' Errors of both kinds, found and claimed
#' @noRd
audit_curves <- function(object) {
  grid <- seq(0, 1, length.out = 201)
  worst <- object$worst
  claimed <- data.frame(
    neighbours = rep(worst$neighbours, each = length(grid)),
    false_positive = grid, false_negative = stats::pnorm(
      stats::qnorm(1 - grid) - rep(worst$claimed, each = length(grid))
    )
  )
  ggplot(claimed, aes(x = .data$false_positive, y = .data$false_negative)) +
    geom_abline(
      intercept = 1, slope = -1, colour = "grey70", linetype = "dashed",
      linewidth = 0.4
    ) +
    geom_line(colour = colour_bound, linewidth = 0.7) +
    geom_point(
      data = object$curve, colour = colour_synthetic, size = 1, alpha = 0.7
    ) +
    facet_wrap(vars(.data$neighbours)) +
    scale_x_continuous(breaks = c(0, 0.5, 1)) +
    scale_y_continuous(breaks = c(0, 0.5, 1)) +
    coord_equal() +
    labs(
      subtitle = paste0(
        "Line: claimed. Points: ", format_count(object$replicates),
        " runs on each file.\nDashed: a test that learns nothing"
      ),
      x = "False alarms", y = "Missed"
    )
}

#' Exact and claimed figures alone
#' @noRd
audit_figures <- function(object) {
  worst <- object$worst
  frame <- data.frame(
    neighbours = rep(worst$neighbours, 2),
    what = rep(c("claimed", "exact"), each = nrow(worst)),
    value = c(worst$claimed, worst$exact)
  )
  if (!is.null(object$replays)) {
    moved <- tapply(object$replays$moved, object$replays$neighbours, max)
    frame <- rbind(frame, data.frame(
      neighbours = names(moved), what = "replayed", value = as.vector(moved)
    ))
  }
  colours <- c(
    claimed = colour_bound, exact = colour_synthetic, replayed = "grey30"
  )
  shapes <- c(claimed = 3, exact = 16, replayed = 1)
  shown <- unique(frame$what)
  ggplot(frame, aes(x = .data$value, y = .data$neighbours)) +
    geom_point(
      aes(colour = .data$what, shape = .data$what), size = 3, stroke = 1
    ) +
    scale_colour_manual(values = colours[shown]) +
    scale_shape_manual(values = shapes[shown]) +
    scale_x_continuous(limits = c(0, NA), expand = expansion(c(0.02, 0.08))) +
    labs(subtitle = "Worst-case neighbours", x = object$unit, y = NULL)
}

#' Plot what one record adds to a release
#'
#' Shows the sums that a record moves most, beside the farthest that any record
#' can move them. Both are in units of the noise: a length of 1 is one standard
#' deviation of Gaussian noise, or one scale of Laplace noise. `plot()` and
#' `autoplot()` give the same ggplot object; call `print()` to draw it in a
#' function or a loop.
#'
#' @param object A [record_vectors()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.record_vectors
#' @examples
#' people <- subset(ce_income, income > 0, c("income", "age"))[1:200, ]
#' counted <- perturbed_histogram(people$income,
#'   bounds = c(1, 2e6), bins = 20, epsilon = 1
#' )
#' autoplot(record_vectors(counted, people$income, 1))
#' @method autoplot record_vectors
#' @export
autoplot.record_vectors <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.record_vectors}.")
  shown <- largest_parts(object)
  frame <- data.frame(
    part = factor(shown$part, rev(unique(shown$part))),
    kind = rep(c("any record", "this record"), each = nrow(shown)),
    value = c(shown$bound / shown$noise, shown$share)
  )
  colours <- c("any record" = colour_bound, "this record" = colour_synthetic)
  ggplot(frame, aes(x = .data$value, y = .data$part)) +
    geom_point(
      aes(colour = .data$kind, shape = .data$kind), size = 2.5, stroke = 1
    ) +
    scale_colour_manual(values = colours) +
    scale_shape_manual(values = c("any record" = 3, "this record" = 16)) +
    scale_x_continuous(limits = c(0, NA), expand = expansion(c(0.02, 0.08))) +
    confidential_labs(
      title = sprintf("What record %s adds", format_count(object$record)),
      subtitle = sprintf(
        "All together: %s %s of %s", object$unit, format_figure(object$moved),
        format_figure(object$claimed)
      ),
      x = "Length, in units of the noise", y = NULL
    )
}
