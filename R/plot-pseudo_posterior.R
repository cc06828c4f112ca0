#' Figures of a whole synthesis
#'
#' `plot()` and `autoplot()` give the same ggplot object, which is drawn when it
#' is printed: at the prompt by itself, in a function or a loop by `print()`.
#'
#' @param object,x (pseudo_posterior) The result of [pseudo_posterior()].
#' @param type (string) `"bounds"`, the default: violins of the record bounds,
#'   one for each stage, with the overall bound; `"weights"`: record bound
#'   against privacy weight before and after re-weighting; `"density"`: the
#'   response, confidential against synthetic (shares of each value, or
#'   cumulative shares, for counts and yes/no); `"tail"`: densities of amounts
#'   above the file's 90% quantile; `"records"`: the synthetic value of each
#'   record in the first set against the confidential one. A [score_release()]
#'   has no record bounds and no weights of records: `"bounds"` shows its
#'   coefficients.
#' @param prefix (string or `NULL`) Put before amounts on the axis, such as
#'   `"$"`. `NULL`, the default: nothing.
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so; for a
#'   figure that may leave the agency plot `$synthetic`.
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' job <- pseudo_posterior(log(income) ~ age + earner, small, gaussian(),
#'   mechanism = "lw", m = 2, prior = prior_normal(), chains = 2, warmup = 200,
#'   draws = 500, seed = 1
#' )
#' autoplot(job, "bounds")
#' autoplot(job, "density")
#' @name plot.pseudo_posterior
NULL

#' @rdname plot.pseudo_posterior
#' @method autoplot pseudo_posterior
#' @export
autoplot.pseudo_posterior <- function(object,
                                      type = c(
                                        "bounds", "weights", "density", "tail",
                                        "records"
                                      ),
                                      prefix = NULL, ...) {
  check_no_dots(..., hint = "See {.fn plot.pseudo_posterior}.")
  type <- check_choice(type, job_figures)
  fits <- object$internal$fits
  of_fits <- type %in% c("bounds", "weights")
  if (inherits(fits[[1]], "score_release") && of_fits) {
    check_has_records(type)
    return(ggplot2::autoplot(fits[[1]]))
  }
  switch(type,
    bounds = plot_stage_bounds(fits),
    weights = plot_bound_against_weight(weighted_stages(fits)),
    density = plot_densities(object, prefix),
    tail = plot_densities(object, prefix, tail = TRUE),
    records = plot_records(object, prefix)
  )
}

#' @rdname plot.pseudo_posterior
#' @export
plot.pseudo_posterior <- function(x,
                                  type = c(
                                    "bounds", "weights", "density", "tail",
                                    "records"
                                  ),
                                  prefix = NULL, ...) {
  autoplot.pseudo_posterior(x, type, prefix, ...)
}

job_figures <- c("bounds", "weights", "density", "tail", "records")

#' A score release bounds every record alike
#' @noRd
check_has_records <- function(type) {
  if (type == "weights") {
    abort_input(
      "A score release has no weights of records.",
      i = "Its weights are functions of the published predictors.",
      arg = "type"
    )
  }
}

#' Stages with weights; the unweighted one alone where there is no other
#' @noRd
weighted_stages <- function(fits) {
  weighted <- Filter(function(fit) !is.null(fit$privacy_weights), fits)
  if (length(weighted) > 0) weighted else fits
}

plot_stage_bounds <- function(fits) {
  stages <- mechanism_shorts(names(fits))
  colours <- mechanism_colours(names(fits))
  frame <- do.call(rbind, Map(function(fit, stage) {
    data.frame(stage = stage, bound = fit$bound$record)
  }, fits, stages))
  marks <- data.frame(
    stage = factor(stages, stages),
    overall = vapply(fits, function(fit) fit$bound$overall, numeric(1))
  )
  marks$text <- paste0("Delta == '", format_figure(marks$overall), "'")
  frame$stage <- factor(frame$stage, stages)
  n_without <- sum(!is.finite(frame$bound) | frame$bound == 0)
  frame <- frame[is.finite(frame$bound) & frame$bound > 0, ]
  ggplot2::ggplot(frame, ggplot2::aes(x = .data$stage, y = .data$bound)) +
    # The tails, where a violin is thinner than a line
    ggplot2::stat_summary(
      ggplot2::aes(colour = .data$stage),
      geom = "linerange", fun.min = min, fun.max = max, linewidth = 0.4
    ) +
    ggplot2::geom_violin(
      ggplot2::aes(fill = .data$stage),
      scale = "width", width = 0.75, colour = NA
    ) +
    ggplot2::stat_summary(
      fun = stats::median, geom = "point", shape = 21, size = 2.2,
      fill = "white", colour = "grey25", stroke = 0.4
    ) +
    ggplot2::geom_errorbar(
      ggplot2::aes(
        x = .data$stage, y = .data$overall, ymin = .data$overall,
        ymax = .data$overall
      ),
      data = marks, width = 0.5, colour = colour_bound, linewidth = 0.8
    ) +
    ggplot2::geom_text(
      ggplot2::aes(y = .data$overall, label = .data$text),
      data = marks, parse = TRUE, vjust = -0.5, colour = colour_bound,
      size = 3.9
    ) +
    ggplot2::scale_fill_manual(values = colours, guide = "none") +
    ggplot2::scale_colour_manual(values = colours, guide = "none") +
    bound_axis(frame$bound) +
    ggplot2::labs(
      title = "Record Lipschitz bounds by stage",
      subtitle = paste0(
        "Circle: median record. Bar: overall bound",
        if (n_without > 0) {
          sprintf(
            ".\nNot shown: %s of bound 0 or without a bound",
            format_count(n_without)
          )
        }
      ),
      x = NULL, caption = confidential_caption
    ) +
    theme_groups()
}

#' The axis of record bounds: from 0 on a square-root scale, whose top is many
#' times its middle; where all are of one size, as those of counts, their range
#' @param bound (numeric) Positive.
#' @noRd
bound_axis <- function(bound) {
  top <- max(bound)
  if (stats::quantile(bound, 0.02, names = FALSE) > top / 3) {
    return(list(
      ggplot2::scale_y_continuous(
        labels = label_amount(), expand = ggplot2::expansion(c(0.03, 0.1))
      ),
      ggplot2::labs(y = "Record bound")
    ))
  }
  list(
    ggplot2::scale_y_sqrt(
      breaks = root_breaks(top), labels = label_amount(),
      limits = c(0, NA), expand = ggplot2::expansion(c(0.01, 0.1))
    ),
    ggplot2::labs(y = "Record bound (root scale)")
  )
}

#' Breaks of a square-root axis that starts at 0
#' @noRd
root_breaks <- function(top) {
  # The same at any size of the bounds
  unit <- 10^floor(log10(top))
  steps <- unit * c(0, 0.05, 0.1, 0.2, 0.5, 1, 2, 4, 6, 8)
  steps <- steps[steps <= top]
  # No two labels closer than a twelfth of the axis
  kept <- 0
  for (step in steps[-1]) {
    if (sqrt(step) - sqrt(max(kept)) > sqrt(top) / 12) kept <- c(kept, step)
  }
  kept
}

#' @param tail (flag) Only above the file's 90% quantile?
#' @noRd
plot_densities <- function(object, prefix, tail = FALSE) {
  synthetic <- object$synthetic
  column <- only_column(synthetic)
  if (tail) check_kind_shown(synthetic, "tail", counts = FALSE)
  if (column$kind == "count" || has_labels(column)) {
    return(plot_shares(object, prefix))
  }
  transform <- column$transform
  prefix <- response_prefix(prefix)
  confidential <- job_data(object)[[column$name]]
  values <- c(
    list(confidential),
    lapply(synthetic$sets, function(set) set[[column$name]])
  )
  curves <- density_curves(values, transform)
  limits <- attr(curves, "limits")
  if (tail) {
    limits[1] <- stats::quantile(as.double(confidential), 0.9, names = FALSE)
    curves <- curves[curves$x >= limits[1], ]
  }
  kinds <- c(
    "confidential",
    if (synthetic$m == 1) "synthetic" else
      sprintf("synthetic (%d sets)", synthetic$m)
  )
  curves$kind <- factor(kinds[1 + (curves$curve > 1)], kinds)
  # Draw the synthetic lines last, above the confidential one
  ggplot2::ggplot(
    curves,
    ggplot2::aes(
      x = .data$x, y = .data$density, group = .data$curve,
      colour = .data$kind, linewidth = .data$kind, alpha = .data$kind
    )
  ) +
    ggplot2::geom_line() +
    ggplot2::scale_colour_manual(
      values = stats::setNames(c(colour_confidential, colour_synthetic), kinds)
    ) +
    ggplot2::scale_linewidth_manual(
      values = stats::setNames(c(1.3, 0.5), kinds)
    ) +
    ggplot2::scale_alpha_manual(
      values = stats::setNames(c(0.9, if (synthetic$m > 5) 0.5 else 0.8), kinds)
    ) +
    scale_response(transform, prefix, limits) +
    density_axis() +
    ggplot2::labs(
      title = sprintf("%s, confidential and synthetic",
        capitalize(column$name)
      ),
      subtitle = wrapped(paste0(
        capitalize(describe_job(object)),
        if (tail) "; above the file's 90% quantile"
      )),
      x = axis_title(column$name, column$transform),
      caption = confidential_caption
    ) +
    theme_pseudosynth()
}

# Counts and two values have shares, not a density.
plot_shares <- function(object, prefix) {
  synthetic <- object$synthetic
  column <- only_column(synthetic)
  variable <- column$name
  confidential <- job_data(object)[[variable]]
  sets <- lapply(synthetic$sets, function(set) set[[variable]])
  share_figure(sets, column$kind, response_prefix(prefix), confidential) +
    ggplot2::labs(
      title = sprintf("%s, confidential and synthetic", capitalize(variable)),
      subtitle = capitalize(capitalize(object$internal$label$title)),
      x = axis_title(column$name, column$transform),
      caption = confidential_caption
    )
}

axis_title <- function(name, transform) {
  paste0(capitalize(name), if (transform == "log") " (log scale)")
}

# What synthesis does to single records: their synthetic value against the
# confidential one, as in the figures of Hu and Savitsky.

#' @param object (`pseudo_posterior`) Whose sets are in the order of the file.
#' @noRd
plot_records <- function(object, prefix) {
  synthetic <- object$synthetic
  column <- only_column(synthetic)
  check_kind_shown(synthetic, "records", counts = TRUE)
  variable <- column$name
  prefix <- response_prefix(prefix)
  frame <- data.frame(
    confidential = as.double(job_data(object)[[variable]]),
    synthetic = as.double(synthetic$sets[[1]][[variable]])
  )
  # The same on both axes, so that the line of equal values is the diagonal
  limits <- range(frame)
  scale <- function(axis) {
    if (column$transform == "log") {
      axis$log(
        limits = limits, breaks = far_apart(log_breaks(limits)),
        labels = label_amount(prefix)
      )
    } else {
      axis$plain(
        limits = limits, breaks = inner_breaks, labels = label_amount(prefix)
      )
    }
  }
  ggplot2::ggplot(
    frame, ggplot2::aes(x = .data$confidential, y = .data$synthetic)
  ) +
    ggplot2::geom_abline(colour = colour_bound, linewidth = 0.5) +
    ggplot2::geom_point(
      shape = 16, size = 1.3, alpha = if (nrow(frame) > 2000) 0.15 else 0.35,
      colour = colour_synthetic
    ) +
    scale(list(
      log = ggplot2::scale_x_log10, plain = ggplot2::scale_x_continuous
    )) +
    scale(list(
      log = ggplot2::scale_y_log10, plain = ggplot2::scale_y_continuous
    )) +
    ggplot2::labs(
      title = sprintf("%s of each record", capitalize(variable)),
      subtitle = wrapped(paste0(
        capitalize(describe_job(object)), "; one set. Line: the value is kept"
      )),
      x = "Confidential", y = "Synthetic", caption = confidential_caption
    ) +
    theme_pseudosynth()
}

#' Every other break, as long as more than four are left
#' @noRd
far_apart <- function(breaks) {
  while (length(breaks) > 5) breaks <- breaks[c(TRUE, FALSE)]
  breaks
}

#' Refuse levels, yes/no and counts, as far as a figure is not of them
#' @noRd
check_kind_shown <- function(synthetic, type, counts) {
  column <- only_column(synthetic)
  count <- column$kind == "count"
  if (has_labels(column) || (count && !counts)) {
    abort_input(
      "{.arg type} {.val {type}} is for amounts{if (counts) ' and counts'}.",
      x = if (count) {
        "{.val {column$name}} is a count."
      } else {
        "{.val {column$name}} has levels."
      },
      i = "{.code type = \"density\"} shows their shares.",
      arg = "type"
    )
  }
}
