# Several fits of the same records beside each other, as in the figures of
# Savitsky, Hu and Williams: bounds, weights and how they change.

#' @param what (string) What a violin is of.
#' @noRd
plot_stage_bounds <- function(fits, what = "stage") {
  stages <- mechanism_shorts(names(fits))
  colours <- release_colours(stages)
  frame <- stack_frames(
    stats::setNames(fits, stages), "stage",
    function(fit) data.frame(bound = fit$bound$record)
  )
  marks <- overall_marks(fits, stages, "stage")
  n_without <- sum(!is.finite(frame$bound) | frame$bound == 0)
  frame <- frame[is.finite(frame$bound) & frame$bound > 0, ]
  ggplot(frame, aes(x = .data$stage, y = .data$bound)) +
    group_violins("stage", colours) +
    geom_errorbar(
      aes(y = .data$overall, ymin = .data$overall, ymax = .data$overall),
      data = marks, width = 0.5, colour = colour_bound, linewidth = 0.8
    ) +
    bound_labels(marks, vjust = -0.5) +
    bound_axis(frame$bound) +
    confidential_labs(
      title = paste("Record Lipschitz bounds by", what),
      subtitle = paste0(
        "Circle: median record. Bar: overall bound",
        if (n_without > 0) {
          sprintf(
            ".\nNot shown: %s with a bound of 0 or none",
            format_count(n_without)
          )
        }
      ),
      x = NULL
    ) +
    theme_columns()
}

#' The axis of record bounds: from 0 on a square-root scale, whose top is many
#' times its middle; where all are of one size, as those of counts, their range
#' @param bound (numeric) Positive.
#' @noRd
bound_axis <- function(bound) {
  top <- max(bound)
  narrow <- stats::quantile(bound, 0.02, names = FALSE) > top / 3
  scale <- if (narrow) {
    scale_y_continuous(
      labels = label_amount(), expand = expansion(c(0.03, 0.1))
    )
  } else {
    scale_y_sqrt(
      breaks = root_breaks(top), labels = label_amount(),
      limits = c(0, NA), expand = expansion(c(0.01, 0.1))
    )
  }
  list(scale, labs(y = paste0("Record bound", if (!narrow) " (root scale)")))
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

#' @param fits (list) One panel each; names are stages, none for a single fit.
#' @noRd
plot_bound_against_weight <- function(fits) {
  names <- if (is.null(names(fits))) "fit" else mechanism_shorts(names(fits))
  frame <- stack_frames(stats::setNames(fits, names), "panel", function(fit) {
    data.frame(weight = alpha_of(fit), bound = fit$bound$record)
  })
  marks <- overall_marks(fits, names, "panel")
  frame <- frame[is.finite(frame$bound), ]
  figure <- ggplot(frame, aes(x = .data$weight, y = .data$bound)) +
    record_points("panel", release_colours(names)) +
    geom_hline(
      aes(yintercept = .data$overall),
      data = marks, colour = colour_bound, linewidth = 0.5
    ) +
    bound_labels(marks, x = 0, hjust = 0, vjust = -0.4) +
    scale_x_continuous(
      limits = c(0, 1), breaks = seq(0, 1, if (length(fits) > 2) 0.5 else 0.25),
      labels = format_exact
    ) +
    scale_y_continuous(
      limits = c(0, NA),
      expand = expansion(c(0.01, if (length(fits) > 2) 0.2 else 0.1))
    ) +
    confidential_labs(
      title = "Record bound against privacy weight",
      subtitle = wrapped(paste0(
        if (length(fits) > 1) paste0(names[length(fits)], ": "),
        flatness_text(fits[[length(fits)]])
      )),
      x = "Privacy weight", y = "Record bound"
    )
  figure + if (length(fits) > 1) {
    panels("panel", 18, nrow = if (length(fits) <= 4) 1)
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
    paste(
      "Half of the records below weight 1%s have at least %.0f%% of the",
      "overall bound"
    ),
    if (is.null(fit$reweighting)) "" else ", after re-weighting,",
    floor(100 * share)
  )
}

#' The weights of all fits but the first against those of the first
#' @noRd
plot_change <- function(fits) {
  before <- alpha_of(fits[[1]])
  frame <- stack_frames(fits[-1], "fit", function(fit) {
    data.frame(before = before, after = alpha_of(fit))
  })
  names <- names(fits)
  axis <- function(scale) {
    scale(limits = c(0, 1), breaks = seq(0, 1, 0.25), labels = format_exact)
  }
  figure <- ggplot(frame, aes(x = .data$before, y = .data$after)) +
    geom_abline(colour = colour_bound, linewidth = 0.5) +
    record_points("fit", release_colours(names[-1])) +
    axis(scale_x_continuous) +
    axis(scale_y_continuous) +
    confidential_labs(
      title = "Privacy weight of each record",
      subtitle = "Above the line: a record that gained weight",
      x = paste("Weight,", names[1]),
      y = if (length(fits) == 2) paste("Weight,", names[2]) else "Weight"
    )
  figure + if (length(fits) > 2) {
    panels("fit", 18)
  }
}
