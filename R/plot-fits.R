# Several fits of the same records beside each other, as in the figures of
# Savitsky, Hu and Williams: how weights change, and what it does to parameters.

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
    geom_point(
      aes(colour = .data$fit),
      shape = 16, size = 1.3, alpha = 0.35
    ) +
    scale_colour_manual(values = release_colours(names[-1]), guide = "none") +
    axis(scale_x_continuous) +
    axis(scale_y_continuous) +
    confidential_labs(
      title = "Privacy weight of each record",
      subtitle = "Above the line: a record that gained weight",
      x = paste("Weight,", names[1]),
      y = if (length(fits) == 2) paste("Weight,", names[2]) else "Weight"
    )
  figure + if (length(fits) > 2) {
    list(facet_wrap(vars(.data$fit)), theme(panel.spacing.x = unit(18, "pt")))
  }
}

# More panels than these are not told apart at the width of a page
most_parameters <- 12L

#' @param parameters (character or `NULL`)
#' @noRd
plot_parameters <- function(fits, parameters) {
  draws <- lapply(fits, function(fit) as.data.frame(as_draws_df(fit)))
  shared <- Reduce(intersect, lapply(draws, names))
  shared <- shared[!startsWith(shared, ".")]
  check_names_of(parameters, shared)
  refuse_if(
    is.null(parameters) && length(shared) > most_parameters,
    "{.arg parameters} must name those to show: the fits share
     {length(shared)}.",
    i = "A figure shows at most {most_parameters} unless they are named.",
    arg = "parameters"
  )
  parameters <- parameters %||% shared
  frame <- do.call(rbind, lapply(parameters, function(parameter) {
    stack_frames(draws, "fit", function(x) {
      data.frame(parameter = parameter, value = x[[parameter]])
    })
  }))
  frame$parameter <- factor(frame$parameter, parameters)
  ggplot(frame, aes(x = .data$fit, y = .data$value)) +
    whiskers(aes(colour = .data$fit)) +
    violins(aes(fill = .data$fit)) +
    circles(
      layer = stat_summary, geom = "point", fun = stats::median, size = 2.2,
      stroke = 0.4
    ) +
    facet_wrap(vars(.data$parameter), scales = "free_y") +
    scale_fill_manual(values = release_colours(names(fits)), guide = "none") +
    scale_colour_manual(values = release_colours(names(fits)), guide = "none") +
    scale_y_continuous(labels = label_amount()) +
    confidential_labs(
      title = "Posterior of the parameters", subtitle = "Circle: median",
      x = NULL, y = NULL
    ) +
    theme_columns()
}

check_names_of <- function(parameters, shared) {
  if (is.null(parameters)) {
    return(invisible())
  }
  refuse_if(
    !is.character(parameters) || length(parameters) == 0 ||
      anyDuplicated(parameters) > 0 || !all(parameters %in% shared),
    "{.arg parameters} must be names of columns that
     {.code as_draws_df()} has for every fit, each once.",
    i = "For instance {.val {utils::head(shared, 3)}}.", arg = "parameters"
  )
}
