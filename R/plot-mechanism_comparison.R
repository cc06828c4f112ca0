#' Plot a comparison
#'
#' Draws the result of [compare()] as one of two figures.
#'
#' `"measures"`: one panel per measure, one line per mechanism and one point per
#' epsilon. Smaller is better, except for R2 and for ratios. For R2 the dashed
#' line is the file's value; ratios are best at 1. A triangle at the edge stands
#' for a value beyond it, that is, above three times the third quartile. A cross
#' at the left edge is a run without a result; the table's `problem` says why.
#'
#' `"map"`: one measure against epsilon or risk, with one point per row. The
#' interval reaches two Monte Carlo errors to either side. A line joins the runs
#' of a mechanism or, for a setting that was run at several epsilons, the runs
#' of that setting. Lower and further left is better, except for `"r_squared"`
#' and `"overlap"`, where higher is better, and for ratios, which are best at 1.
#'
#' Both colours and shapes distinguish epsilons or settings, so the figures can
#' be read in grey.
#'
#' @param object (mechanism_comparison) See [compare()].
#' @param type (string) `"map"` or `"measures"`. Default: `"map"` for runs of a
#'   `grid`, otherwise `"measures"`.
#' @param measure (string) For a map: `"ecdf_max"`, the default,
#'   `"ecdf_mean_squared"`, `"mean_ratio"`, `"sd_ratio"` or `"q95_ratio"`
#'   (ratios, best at 1), `"shares"` (for more than two levels), `"groups"`,
#'   `"r_squared"`, `"overlap"` or `"risk"`.
#' @param against (string) For a map: `"epsilon"`, the default, is the
#'   add-remove epsilon, claimed or proven. `"risk"` is the mean identification
#'   risk, for comparisons made with a `radius`.
#' @param ... Not used.
#' @return A ggplot object. Call `print()` to draw it in a function or a loop.
#' @name plot.mechanism_comparison
#' @examples
#' \donttest{
#' ce <- subset(ce_income, income > 0, c("income", "age", "earner"))[1:300, ]
#' compared <- compare(log(income) ~ ., ce, student_t(3),
#'   mechanisms = c("score", "unweighted"), epsilon = c(5, 2),
#'   reference = list("(Intercept)" = 10.8, sigma = 1), bounds = c(10, 2e6),
#'   groups = c("age", "earner"), m = 2, chains = 2, draws = 500
#' )
#' autoplot(compared)
#' autoplot(compared, "map")
#' }
#' @method autoplot mechanism_comparison
#' @export
autoplot.mechanism_comparison <- function(
  object, type = if (is.null(object$settings)) "measures" else "map",
  measure = "ecdf_max", against = c("epsilon", "risk"), ...
) {
  check_no_dots(..., hint = "See {.fn plot.mechanism_comparison}.")
  type <- check_choice(type, c("measures", "map"))
  measure <- check_choice(measure, names(measure_titles))
  against <- check_choice(against, c("epsilon", "risk"))
  if (type == "measures") {
    plot_measures(object)
  } else {
    plot_map(object, measure, against)
  }
}

measure_titles <- c(
  ecdf_max = "Largest ECDF difference", mean_ratio = "Mean / file's",
  q95_ratio = "95% quantile / file's",
  shares = "Total variation of shares", groups = "Error of group means",
  r_squared = "R-squared", risk = "Identification risk",
  ecdf_mean_squared = "Mean squared ECDF difference",
  sd_ratio = "Sd / file's", overlap = "Overlap of intervals"
)

#' What the figures are of, in a subtitle
#' @noRd
releases_text <- function(object, one) {
  if (is.null(object$m)) "Mean over the sets given" else sprintf(one, object$m)
}

#' A panel for each measure
#' @noRd
plot_measures <- function(object) {
  table <- object$table
  # The others are of maps alone
  measures <- Filter(
    function(name) any(!is.na(table[[name]])), names(measure_titles)[1:7]
  )
  measures <- measure_titles[measures]
  refuse_if(
    length(measures) == 0,
    "{.arg object} must hold a mechanism that produced sets.",
    x = "None did: the column {.field problem} says why.", arg = "object"
  )
  epsilons <- sort(unique(stats::na.omit(table$asked[table$asked > 0])), TRUE)
  levels <- c(
    sprintf("epsilon %s", vapply(epsilons, format, "")), "no epsilon, or 0"
  )
  # The last level is no epsilon
  index <- match(table$asked, epsilons, length(levels))
  failed <- nzchar(table$problem)
  # Where the file lies: its own R2, and 1 for ratios to its figures
  truth <- stats::setNames(
    c(object$confidential %||% NA_real_, rep(1, length(ratio_columns))),
    c("r_squared", names(ratio_columns))
  )
  truth <- truth[names(truth) %in% names(measures)]
  frame <- do.call(rbind, lapply(names(measures), function(name) {
    value <- table[[name]]
    # One useless mechanism must not press all others against the axis
    edge <- 3 * stats::quantile(value, 0.75, na.rm = TRUE, names = FALSE)
    if (name %in% names(truth)) edge <- Inf
    data.frame(
      mechanism = mechanism_shorts(table$mechanism), measure = measures[[name]],
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
  mechanisms <- unique(mechanism_shorts(table$mechanism))
  frame$mechanism <- factor(frame$mechanism, rev(mechanisms))
  reached <- frame[frame$mark != "failed", ]
  # A line needs two points
  line <- paste(reached$mechanism, reached$measure)
  reached <- reached[line %in% line[duplicated(line)], ]
  n <- length(epsilons)
  colours <- stats::setNames(c(rep_len(chain_colours, n), "grey55"), levels)
  # Told apart without colour
  shapes <- stats::setNames(c(rep_len(c(16, 1, 15, 0, 18, 5), n), 10), levels)
  shapes <- c(shapes, beyond = 17, failed = 4)
  ggplot(frame, aes(x = .data$value, y = .data$mechanism)) +
    geom_vline(
      aes(xintercept = .data$value),
      data = data.frame(
        value = truth, measure = factor(measures[names(truth)], measures)
      ),
      linetype = "dashed", colour = "grey45"
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
      ~measure, scales = "free_x",
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
      limits = c(0, NA), expand = expansion(c(0.06, 0.1)),
      breaks = two_breaks, labels = function(x) vapply(x, format, "")
    ) +
    confidential_labs(
      title = sprintf("Mechanisms compared on %s", object$variable),
      subtitle = paste0(
        releases_text(
          object, "One released set per total epsilon, mean over %d"
        ),
        if (any(frame$mark == "beyond")) ". Triangles: beyond the edge",
        if (any(failed)) ".\nCrosses: no result"
      ),
      x = NULL, y = NULL
    ) +
    theme(
      panel.spacing.x = unit(12, "pt"),
      # Three titles side by side in five inches
      strip.text = element_text(size = if (length(measures) > 4) 8.5 else 11),
      axis.text.y = element_text(
        colour = "grey15", size = if (length(measures) > 3) 8.5 else 10
      )
    )
}

# Maps -------------------------------------------------------------------------

#' A measure against epsilon or risk
#' @noRd
plot_map <- function(object, measure, against) {
  at <- if (against == "risk") "risk" else "add_remove"
  check_measured_of(object, measure, "measure")
  check_measured_of(object, at, "against")
  frame <- map_frame(object, measure, at)
  lines <- unique(frame[order(frame$line), c("name", "line")])
  n_lines <- nrow(lines)
  legend <- legend_rows(levels(frame$line))
  failed <- sum(nzchar(object$table$problem))
  interval <- function(...) {
    geom_linerange(
      aes(...), linewidth = 0.5, alpha = 0.6, show.legend = FALSE, na.rm = TRUE
    )
  }
  figure <- ggplot(
    frame,
    aes(x = .data$at, y = .data$value, colour = .data$line, shape = .data$line)
  ) +
    geom_path(aes(group = .data$joined), colour = "grey70", linewidth = 0.4) +
    interval(ymin = .data$low, ymax = .data$high) +
    geom_point(size = 2.6, stroke = 0.9) +
    scale_colour_manual(values = line_colours(lines)) +
    scale_shape_manual(values = stats::setNames(
      rep_len(line_shapes, n_lines), levels(frame$line)
    )) +
    scale_y_continuous(limits = c(0, NA)) +
    guides(colour = legend, shape = legend) +
    confidential_labs(
      title = sprintf("Risk and utility on %s", object$variable),
      subtitle = paste0(
        releases_text(object, "One released set, mean over %d"),
        if (!identical(object$m, 1L)) ". Bars: two Monte Carlo errors",
        if (failed > 0) {
          sprintf(".\nNot shown: %s without a result", counted(failed, "run"))
        }
      ),
      y = measure_titles[[measure]]
    ) +
    theme(
      legend.position = "bottom", legend.text = element_text(size = 9),
      legend.key.height = unit(11, "pt"), legend.key.width = unit(14, "pt"),
      axis.title.y = element_text(size = 11)
    )
  if (against == "risk") {
    figure + interval(xmin = .data$left, xmax = .data$right) +
      labs(x = "Mean identification risk")
  } else {
    figure + epsilon_axis(frame$at) +
      labs(x = "Epsilon of one set, add-remove (log scale)")
  }
}

# Told apart without colour
line_shapes <- c(16, 17, 15, 1, 2, 0, 18, 3, 4, 8, 5, 6)

check_measured_of <- function(object, name, arg) {
  needs <- c(risk = "radius", groups = "groups")[name]
  refuse_if(
    all(is.na(object$table[[name]])), "A map needs rows with a {.val {name}}.",
    i = if (!is.na(needs)) "Give {.arg {needs}} to {.fn compare}.", arg = arg
  )
}

#' @return (data frame) A row for each run that has both: `at`, `value`, their
#'   intervals, `name` (of the mechanism), `line` (mechanism and settings),
#'   `joined` (what a grey line joins).
#' @noRd
map_frame <- function(object, measure, at) {
  table <- object$table
  around <- function(name, times) {
    table[[name]] + times * (table[[paste0(name, "_se")]] %||% NA_real_)
  }
  names <- mechanism_shorts(table$mechanism)
  setting <- setting_text(table[object$settings])
  frame <- data.frame(
    at = table[[at]], value = table[[measure]],
    low = pmax(around(measure, -2), 0), high = around(measure, 2),
    left = around(at, -2), right = around(at, 2), name = names,
    line = trimws(paste0(names, ifelse(nzchar(setting), ": ", ""), setting))
  )
  order_given <- unique(frame$line)
  # Paths go from the smallest epsilon to the largest
  frame <- frame[order(table$add_remove), ]
  frame <- frame[!is.na(frame$at) & !is.na(frame$value), ]
  # A setting that is run once is joined with the mechanism's others
  often <- table(frame$line)[frame$line] > 1
  frame$joined <- ifelse(often, frame$line, frame$name)
  frame$line <- factor(frame$line, intersect(order_given, frame$line))
  frame
}

#' A mechanism's own colour where it is one line, else one for each line
#' @noRd
line_colours <- function(lines) {
  colours <- rep_len(chain_colours, nrow(lines))
  if (anyDuplicated(lines$name) == 0) colours <- release_colours(lines$name)
  stats::setNames(colours, lines$line)
}

setting_text <- function(settings) {
  if (ncol(settings) == 0) {
    return(rep("", nrow(settings)))
  }
  text <- lapply(settings, function(x) {
    if (is.numeric(x)) vapply(x, format, "") else as.character(x)
  })
  apply(as.data.frame(text), 1, function(row) {
    stated <- !is.na(row) & row != "NA"
    paste(names(settings)[stated], row[stated], collapse = ", ")
  })
}

#' Rows of a legend under the figure, so that its words fit at five inches
#' @param words (character)
#' @noRd
legend_rows <- function(words) {
  # About 72 letters of the legend's size, of which a key takes 5
  columns <- max(1, min(length(words), floor(72 / (max(nchar(words)) + 5))))
  guide_legend(ncol = columns, byrow = TRUE, title = NULL)
}

#' A logarithmic axis of epsilons with figures where there are any
#' @noRd
epsilon_axis <- function(at) {
  limits <- range(at)
  breaks <- log_breaks(limits)
  # Between two round numbers there are the ends
  if (length(breaks) < 2) breaks <- limits
  scale_x_log10(
    breaks = breaks, labels = function(x) vapply(signif(x, 2), format, ""),
    expand = expansion(0.06)
  )
}
