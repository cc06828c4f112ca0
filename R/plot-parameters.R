# The posterior of the parameters of several fits beside each other: violins, or
# densities as in figure 1 of Hu, Williams and Savitsky.

# More panels than these are not told apart at the width of a page
most_parameters <- 12L

#' The draws of the parameters of several fits
#' @param parameters (character or `NULL`)
#' @return (data frame) `parameter`, `fit`, `value`.
#' @noRd
parameter_frame <- function(fits, parameters) {
  draws <- lapply(fits, function(fit) as.data.frame(as_draws_df(fit)))
  shared <- Reduce(intersect, lapply(draws, names))
  shared <- shared[!startsWith(shared, ".")]
  check_names(
    parameters, shared, of = "columns of {.code as_draws_df()} of every fit"
  )
  refuse_if(
    is.null(parameters) && length(shared) > most_parameters,
    "{.arg parameters} must name the parameters to show: the fits share
     {length(shared)}.",
    i = "A figure shows at most {most_parameters} unless they are named.",
    arg = "parameters"
  )
  parameters <- unique(parameters %||% shared)
  frame <- do.call(rbind, lapply(parameters, function(parameter) {
    stack_frames(draws, "fit", function(x) {
      data.frame(parameter = parameter, value = x[[parameter]])
    })
  }))
  frame$parameter <- factor(frame$parameter, parameters)
  frame
}

#' @noRd
plot_parameters <- function(fits, parameters) {
  frame <- parameter_frame(fits, parameters)
  ggplot(frame, aes(x = .data$fit, y = .data$value)) +
    group_violins("fit", release_colours(names(fits))) +
    facet_wrap(vars(.data$parameter), scales = "free_y") +
    scale_y_continuous(labels = label_amount()) +
    confidential_labs(
      title = "Posterior of the parameters", subtitle = "Circle: median",
      x = NULL, y = NULL
    ) +
    theme_columns()
}

#' Densities of the parameters as they are, and each about its own mean
#'
#' A fit without any weight is the prior, whose range would leave nothing of the
#' others: it does not widen the panels.
#' @noRd
plot_parameter_densities <- function(fits, parameters) {
  frame <- parameter_frame(fits, parameters)
  is_prior <- vapply(fits, function(fit) all(alpha_of(fit) == 0), NA)
  if (all(is_prior)) is_prior[] <- FALSE
  groups <- split(frame, list(frame$parameter, frame$fit))
  sides <- c("as it is", "about its mean")
  curves <- do.call(rbind, lapply(levels(frame$parameter), function(parameter) {
    own <- lapply(names(fits), function(fit) {
      groups[[paste(parameter, fit, sep = ".")]]$value
    })
    do.call(rbind, lapply(sides, function(side) {
      if (side == sides[2]) own <- lapply(own, function(x) x - mean(x))
      range <- range(unlist(own[!is_prior]))
      at <- seq(range[1], range[2], length.out = 200)
      do.call(rbind, Map(function(x, fit) {
        data.frame(
          parameter = parameter, side = side, kind = fit, x = at,
          y = density_at(x, at)
        )
      }, own, names(fits)))
    }))
  }))
  curves$kind <- factor(curves$kind, names(fits))
  curves$curve <- as.integer(curves$kind)
  curves$side <- factor(curves$side, sides)
  curves$parameter <- factor(curves$parameter, levels(frame$parameter))
  # The prior's line is dotted, and none of the others
  look <- look_of_releases(names(fits), is_prior, "dotted", c(0.8, 0.8))
  draw_alone(draw_curves, curves = curves, layer = geom_line(), look = look) +
    facet_wrap(
      vars(.data$parameter, .data$side), ncol = 2, scales = "free",
      labeller = joined_labels
    ) +
    scale_x_continuous(labels = label_amount(), n.breaks = 4) +
    density_axis() +
    confidential_labs(title = "Posterior of the parameters", x = NULL)
}

#' One line of text above a panel of two variables
#' @noRd
joined_labels <- function(labels) {
  list(do.call(paste, c(lapply(labels, as.character), sep = ", ")))
}

#' A kernel density, where values far out do not widen the bandwidth
#' @noRd
density_at <- function(x, at) {
  bandwidth <- stats::bw.nrd0(x)
  near <- x[x > at[1] - 5 * bandwidth & x < at[length(at)] + 5 * bandwidth]
  if (length(near) < 2) {
    return(numeric(length(at)))
  }
  found <- stats::density(
    near, bw = bandwidth, n = length(at), from = at[1], to = at[length(at)]
  )
  found$y * length(near) / length(x)
}
