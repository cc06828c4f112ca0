#' Figure of compared mechanisms
#'
#' One panel for each measure, one line for each mechanism, one point for each
#' epsilon. Smaller is better, but for R2, whose dashed line is the file's. A
#' triangle at the edge lies beyond it: above three times the third quartile. A
#' cross at the left edge is a run without a result, as the table's `problem`
#' tells. Epsilons differ in colour and, but for these two, in shape.
#'
#' @param object (mechanism_comparison) See [compare_mechanisms()] and
#'   [compare()].
#' @param ... Not used.
#' @return A ggplot object, which is drawn when it is printed: at the prompt by
#'   itself, in a function or a loop by `print()`.
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
  check_no_dots(..., hint = "See {.fn plot.mechanism_comparison}.")
  measures <- c(
    ecdf_max = "Largest ECDF difference", mean_ratio = "Mean / file's",
    q95_ratio = "95% quantile / file's",
    shares = "Total variation of shares", groups = "Error of group means",
    r_squared = "R-squared", risk = "Identification risk"
  )
  table <- object$table
  measures <- measures[vapply(names(measures), function(name) {
    any(!is.na(table[[name]]))
  }, TRUE)]
  refuse_if(
    length(measures) == 0,
    "{.arg object} must hold a mechanism that gave sets.",
    x = "None did: the column {.field problem} says why.", arg = "object"
  )
  epsilons <- sort(unique(stats::na.omit(table$asked[table$asked > 0])), TRUE)
  other <- "no epsilon, or 0"
  levels <- c(sprintf("epsilon %s", vapply(epsilons, format, "")), other)
  index <- match(table$asked, epsilons)
  index[is.na(index)] <- length(levels)
  failed <- nzchar(table$problem)
  frame <- do.call(rbind, lapply(names(measures), function(name) {
    value <- table[[name]]
    # One useless mechanism must not press all others against the axis
    edge <- if (name == "r_squared" || name %in% names(ratio_columns)) {
      Inf
    } else {
      3 * stats::quantile(value, 0.75, na.rm = TRUE, names = FALSE)
    }
    data.frame(
      mechanism = mechanism_shorts(table$mechanism),
      measure = measures[[name]],
      # Crosses of several epsilons beside each other
      value = ifelse(
        failed, 0.05 * (index - 1) * max(pmin(value, edge), na.rm = TRUE),
        pmin(value, edge)
      ),
      mark = ifelse(
        failed, "failed", ifelse(value > edge, "beyond", levels[index])
      ),
      epsilon = levels[index]
    )
  }))
  frame <- frame[!is.na(frame$value), ]
  frame$measure <- factor(frame$measure, measures)
  frame$epsilon <- factor(frame$epsilon, levels)
  frame$mechanism <- factor(
    frame$mechanism, rev(unique(mechanism_shorts(table$mechanism)))
  )
  reached <- frame[frame$mark != "failed", ]
  # A line needs two points
  points <- table(reached$mechanism, reached$measure)
  reached <- reached[
    points[cbind(
      as.character(reached$mechanism), as.character(reached$measure)
    )] > 1,
  ]
  colours <- stats::setNames(
    c(rep_len(chain_colours, length(epsilons)), "grey55"), levels
  )
  # Told apart without colour; the last is no epsilon
  shapes <- stats::setNames(
    c(rep_len(c(16, 1, 15, 0, 18, 5), length(epsilons)), 10), levels
  )
  shapes <- c(shapes, beyond = 17, failed = 4)
  # Where the file lies: its own R2, and 1 for ratios to its figures
  truth <- data.frame(
    name = c("r_squared", names(ratio_columns)),
    value = rep(
      c(object$confidential %||% NA_real_, 1), c(1, length(ratio_columns))
    )
  )
  truth <- truth[truth$name %in% names(measures), ]
  truth$measure <- factor(measures[truth$name], measures)
  ggplot(frame, aes(x = .data$value, y = .data$mechanism)) +
    geom_vline(
      aes(xintercept = .data$value),
      data = truth, linetype = "dashed", colour = "grey45"
    ) +
    geom_line(
      aes(group = .data$mechanism),
      data = reached, colour = "grey80", linewidth = 0.5
    ) +
    geom_point(
      aes(colour = .data$epsilon, shape = .data$mark), size = 2.6, stroke = 0.9
    ) +
    scale_shape_manual(values = shapes, guide = "none") +
    facet_wrap(
      ~measure,
      scales = "free_x",
      # Three titles side by side have little room
      labeller = label_wrap_gen(14)
    ) +
    scale_y_discrete(limits = levels(frame$mechanism)) +
    scale_colour_manual(values = colours) +
    guides(colour = guide_legend(
      # The legend has the levels that there are
      override.aes = list(shape = unname(
        shapes[levels[levels %in% frame$epsilon]]
      ))
    )) +
    scale_x_continuous(
      limits = c(0, NA), expand = expansion(c(0.06, 0.1)), breaks = two_breaks,
      labels = function(x) vapply(x, format, "")
    ) +
    confidential_labs(
      title = sprintf("Mechanisms compared on %s", object$variable),
      subtitle = sprintf(
        "%s%s%s",
        if (isTRUE(object$jobs)) {
          "Finished jobs, mean over their sets"
        } else {
          sprintf(
            "One released set at each total epsilon, mean of %d", object$sets
          )
        },
        if (any(frame$mark == "beyond")) ". Triangles: beyond the edge" else "",
        if (any(failed)) ".\nCrosses: no result" else ""
      ),
      x = NULL, y = NULL
    ) +
    theme(
      panel.spacing.x = unit(12, "pt"),
      # Three titles side by side in five inches
      strip.text = element_text(
        size = if (length(measures) > 4) 8.5 else 11
      ),
      axis.text.y = element_text(
        colour = "grey15",
        size = if (length(measures) > 3) 8.5 else 10
      )
    )
}
