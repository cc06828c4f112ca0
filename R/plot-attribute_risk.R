#' Plot attribute risks
#'
#' Answers three questions, each in its own panel. How often does a draw from
#' the matching records give a person's true value? For how many persons do all
#' matching records have one value, the right one? How many persons are unique
#' by what is known of them? Each synthetic set is a point, and a circle is the
#' mean of the sets. For comparison, the panels also show what the file itself
#' reveals and, in the first panel, a guess from the file's overall shares.
#' `plot()` and `autoplot()` give the same ggplot object; call `print()` to draw
#' it in a function or a loop.
#'
#' @param object An [attribute_risk()].
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so.
#' @name plot.attribute_risk
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' top <- topcode(income ~ age, data, top = 150000)
#' autoplot(attribute_risk(top, data, known = "age", variable = "income"))
#' @method autoplot attribute_risk
#' @export
autoplot.attribute_risk <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.attribute_risk}.")
  sources <- c("synthetic sets", "the file itself", "guess from all")
  panels <- c(
    "A random match is right", "All matches are right", "Pattern is unique"
  )
  parts <- data.frame(
    name = c(
      "attribution", "attribution_file", "attribution_margin",
      "disclosive_right", "disclosive_file", "unique_both", "unique_file"
    ),
    source = sources[c(1, 2, 3, 1, 2, 1, 2)],
    panel = panels[c(1, 1, 1, 2, 2, 3, 3)]
  )
  placed <- function(rows, share) {
    data.frame(
      source = factor(parts$source[rows], rev(sources)),
      panel = factor(parts$panel[rows], panels), share = share
    )
  }
  means <- placed(seq_len(nrow(parts)), object$overall[parts$name])
  rows <- which(parts$source == sources[1])
  sets <- do.call(rbind, lapply(rows, function(i) {
    placed(rep(i, object$m), object$set[[parts$name[i]]])
  }))
  ggplot(means, aes(x = .data$share, y = .data$source)) +
    geom_segment(
      aes(xend = 0, yend = .data$source), colour = "grey80", linewidth = 0.6
    ) +
    source_points(sets, 2.8) +
    scale_shape_manual(
      values = stats::setNames(c(21, 16, 4), sources), guide = "none"
    ) +
    facet_wrap(vars(.data$panel), labeller = label_wrap_gen(14)) +
    scale_x_continuous(
      labels = label_percent, limits = c(0, NA),
      breaks = two_breaks, expand = expansion(c(0.02, 0.12))
    ) +
    confidential_labs(
      title = sprintf("Attribute risk of %s", object$variable),
      subtitle = wrapped(paste("Known:", toString(object$known))),
      x = "Share of the file's records", y = NULL
    ) +
    theme_rows(14, grid = TRUE)
}

#' A point for each set, and a mark for the mean of each source
#' @param sets (data frame) As that of the figure.
#' @noRd
source_points <- function(sets, size) {
  list(
    geom_point(
      data = sets, colour = colour_synthetic, size = 1.8, alpha = 0.6
    ),
    geom_point(
      aes(shape = .data$source),
      size = size, fill = "white", colour = "grey25", stroke = 0.6
    )
  )
}
