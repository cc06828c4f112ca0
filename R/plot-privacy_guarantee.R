#' Plot a label
#'
#' Shows epsilon under both neighbour relations: for one parameter draw, for
#' what is spent once, and in total. Solid bars are proven; hollow bars are only
#' claimed. `plot()` and `autoplot()` give the same ggplot object; call
#' `print()` to draw it in a function or a loop.
#'
#' @param object A label, see [guarantee()].
#' @param ... Not used.
#' @return A ggplot object. The figure of a public label may leave the agency;
#'   the figure of any other label says that it may not.
#' @section Error types:
#' `pseudosynth_error_input`: a label without an epsilon, such as the label of
#' an unweighted fit, or a label that withholds its epsilon.
#' @name plot.privacy_guarantee
#' @examples
#' data <- subset(ce_income, income > 0)[1:300, ]
#' histogram <- perturbed_histogram(log(income) ~ 1, data,
#'   bounds = c(10, 2e6), epsilon = 1
#' )
#' autoplot(guarantee(histogram))
#' @method autoplot privacy_guarantee
#' @export
autoplot.privacy_guarantee <- function(object, ...) {
  check_no_dots(..., hint = "See {.fn plot.privacy_guarantee}.")
  label <- intact_label(object)
  check_states_epsilon(label)
  draw_alone(
    draw_label, frame = label_frame(label), holds = label$holds
  ) + titles(
    "Epsilon of the label", capitalize(paste0(
      label$title, ": ", label_title(label), delta_note(label)
    )), x = "Epsilon", confidential = !label$public
  )
}

draw_label <- function(frame, holds) {
  ggplot(frame, aes(x = .data$epsilon, y = .data$part)) +
    geom_col(
      width = 0.2 * nlevels(frame$part), linewidth = 0.6,
      colour = colour_synthetic,
      fill = if (holds) colour_synthetic else "white"
    ) +
    geom_text(
      aes(label = .data$text), hjust = -0.25, size = 3.6, colour = "grey15"
    ) +
    facet_wrap(vars(.data$neighbours)) +
    scale_x_continuous(
      # Room for the figures
      limits = c(0, NA), breaks = two_breaks, expand = expansion(c(0, 0.5))
    ) +
    theme_pseudosynth() +
    theme_rows(18)
}

check_states_epsilon <- function(label) {
  refuse_if(
    label$label == "none" || anyNA(label$epsilon$total),
    "A label without an epsilon has no figure.",
    x = if (label$label == "none") {
      "It is {.val none}: nothing is claimed."
    } else {
      "It withholds epsilon, which is computed from the file."
    },
    i = "{.fn print} shows the whole label.", arg = "object"
  )
}

#' @return (data frame) A row for each part and relation: `part`, `relation`,
#'   `epsilon`, `text`.
#' @noRd
label_frame <- function(label) {
  one <- all(label$epsilon$one_off == 0) && label$m == 1
  parts <- if (anyNA(label$draws)) {
    c(total = "spent once")
  } else if (one) {
    c(total = "one set")
  } else {
    c(
      per_draw = "each set", one_off = "spent once",
      total = sprintf("total, m = %d", label$m)
    )
  }
  frame <- do.call(rbind, lapply(names(parts), function(part) {
    data.frame(
      part = parts[[part]], neighbours = label$neighbours,
      epsilon = unname(label$epsilon[[part]][label$neighbours])
    )
  }))
  frame$part <- factor(frame$part, rev(unname(parts)))
  frame$neighbours <- factor(frame$neighbours, label$neighbours)
  frame$text <- format_up(frame$epsilon)
  frame
}
