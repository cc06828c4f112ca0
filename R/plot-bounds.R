# Figures of bounds and weights of records, of one fit and of several beside
# each other.

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

# Privacy weights --------------------------------------------------------------

#' Plot privacy weights
#'
#' Shows one vector of weights as a histogram. Shows several vectors as violins,
#' one for each vector, with a circle at each mean. `plot()` and `autoplot()`
#' give the same ggplot object; call `print()` to draw it in a function or a
#' loop.
#'
#' @param object,x [`privacy_weights`][privacy_weights].
#' @param ... More vectors of weights to compare. The names of these arguments
#'   are shown in the figure; a vector without a name is shown by its scheme.
#' @param name (string or `NULL`) The name of the first vector when several are
#'   shown. `NULL`, the default: its scheme.
#' @return A ggplot object. It shows confidential values and says so.
#' @seealso [plot.pseudo_posterior()] for bounds against weights.
#' @references Savitsky, Hu and Williams, Re-weighting of vector-weighted
#'   mechanisms, figure 8.
#' @name plot.privacy_weights
#' @examples
#' ce <- subset(ce_income, income > 0)
#' w <- count_weights("income", ce, radius = 0.2)
#' narrow <- count_weights("income", ce, radius = 0.1)
#' autoplot(w)
#' autoplot(w, "CW, 10%" = narrow, name = "CW, 20%")
#' @method autoplot privacy_weights
#' @export
autoplot.privacy_weights <- function(object, ..., name = NULL) {
  check_string(name, null = TRUE)
  if (...length() > 0) {
    return(plot_weight_violins(named_parts(
      object, list(...), name, "privacy_weights", function(w, i) scheme_short(w)
    )))
  }
  values <- as.double(object)
  ggplot(data.frame(weight = values), aes(x = .data$weight)) +
    geom_histogram(
      breaks = seq(0, 1, 0.02), fill = release_colours(scheme_short(object)),
      colour = "white", linewidth = 0.1
    ) +
    scale_x_continuous(limits = c(0, 1), breaks = seq(0, 1, 0.25)) +
    scale_y_continuous(
      labels = label_amount(), expand = expansion(c(0, 0.05))
    ) +
    confidential_labs(
      title = "Privacy weights",
      subtitle = sprintf(
        "%s; N = %s records, %s of weight 0", scheme_title(object),
        format_count(length(values)), format_count(sum(values == 0))
      ),
      x = "Weight", y = "Records"
    )
}

#' @rdname plot.privacy_weights
#' @export
plot.privacy_weights <- function(x, ..., name = NULL) {
  autoplot.privacy_weights(x, ..., name = name)
}

plot_weight_violins <- function(weights) {
  frame <- stack_frames(weights, "scheme", function(w) {
    data.frame(weight = as.double(w))
  })
  ggplot(frame, aes(x = .data$scheme, y = .data$weight)) +
    group_violins(
      "scheme", release_colours(names(weights)), size = 2.6, middle = mean
    ) +
    scale_y_continuous(
      limits = c(0, 1), breaks = seq(0, 1, 0.25), expand = expansion(0.01)
    ) +
    confidential_labs(
      title = "Privacy weights by scheme", subtitle = "Circle: mean weight",
      x = NULL, y = "Weight"
    ) +
    theme_columns()
}

# Fits -------------------------------------------------------------------------

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

# Record vectors ---------------------------------------------------------------

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
    kind_marks("kind", colours, c("any record" = 3, "this record" = 16), 2.5) +
    confidential_labs(
      title = sprintf("What record %s adds", format_count(object$record)),
      subtitle = sprintf(
        "All together: %s %s of %s", object$unit, format_figure(object$moved),
        format_figure(object$claimed)
      ),
      x = "Length, in units of the noise", y = NULL
    )
}
