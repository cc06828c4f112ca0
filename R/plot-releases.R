#' Plot a whole synthesis
#'
#' Draws the stages or the result of a [pseudo_posterior()] job. `plot()` and
#' `autoplot()` give the same ggplot object; call `print()` to draw it in a
#' function or a loop.
#'
#' @param object (pseudo_posterior) The result of [pseudo_posterior()].
#' @param type (string) What to show:
#'   * `"bounds"`, the default: violins of the record bounds, one for each
#'     stage, with the overall bound;
#'   * `"weights"`: record bound against privacy weight, before and after
#'     re-weighting;
#'   * `"density"`: the distribution of the response, confidential against
#'     synthetic. Counts and yes/no responses have shares of each value, or
#'     cumulative shares, instead of densities;
#'   * `"tail"`: densities of amounts above the file's 90% quantile;
#'   * `"records"`: the synthetic value of each record in the first set against
#'     the confidential value.
#'
#'   A [score_release()] has no record bounds and no record weights. For such a
#'   job `"bounds"` shows the coefficients, and `"weights"` is an error.
#' @param prefix (string or `NULL`) Text before amounts on the axis, such as
#'   `"$"`. `NULL`, the default: no text.
#' @param ... Not used.
#' @return A ggplot object. It shows confidential values and says so. For a
#'   figure that may leave the agency, plot `$synthetic`.
#' @examples
#' columns <- c("income", "age", "earner")
#' small <- subset(ce_income, income > 0, columns)[1:200, ]
#' job <- pseudo_posterior(log(income) ~ age + earner, small, gaussian(),
#'   mechanism = "lw", m = 2, prior = prior_normal(), chains = 2, warmup = 200,
#'   draws = 1000, seed = 1
#' )
#' autoplot(job, "bounds")
#' autoplot(job, "density")
#' @name plot.pseudo_posterior
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
  # A score release bounds every record alike
  if (inherits(fits[[1]], "score_release")) {
    refuse_if(
      type == "weights", "A score release has no record weights.",
      i = "Its weights are functions of the published predictors.", arg = "type"
    )
    if (type == "bounds") {
      return(autoplot(fits[[1]]))
    }
  }
  switch(type,
    bounds = plot_stage_bounds(fits),
    weights = plot_bound_against_weight(weighted_stages(fits)),
    density = plot_densities(object, prefix),
    tail = plot_densities(object, prefix, tail = TRUE),
    records = plot_records(object, prefix)
  )
}

job_figures <- c("bounds", "weights", "density", "tail", "records")

#' Stages with weights; the unweighted one alone where there is no other
#' @noRd
weighted_stages <- function(fits) {
  weighted <- Filter(function(fit) !is.null(fit$privacy_weights), fits)
  if (length(weighted) > 0) weighted else fits
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
  m <- synthetic$m
  kinds <- c("confidential", rep(synthetic_kind(m), m))
  density_figure(
    c(list(job_data(object)[[column$name]]), drawn_values(synthetic)), kinds,
    column$transform, response_prefix(prefix),
    look_of_sets(unique(kinds), m), tail
  ) +
    confidential_labs(
      title = both_title(column),
      subtitle = wrapped(paste0(
        capitalize(describe_job(object)),
        if (tail) "; above the file's 90% quantile"
      )),
      x = axis_title(column$name, column$transform)
    )
}

# Counts and two values have shares, not a density.
plot_shares <- function(object, prefix) {
  synthetic <- object$synthetic
  column <- only_column(synthetic)
  share_figure(
    drawn_values(synthetic), column$kind, response_prefix(prefix),
    job_data(object)[[column$name]]
  ) +
    labs(
      title = both_title(column),
      subtitle = capitalize(object$internal$label$title),
      x = axis_title(column$name, column$transform),
      caption = confidential_caption
    )
}

both_title <- function(column) {
  sprintf("%s, confidential and synthetic", capitalize(column$name))
}

axis_title <- function(name, transform) {
  paste0(capitalize(name), if (transform == "log") " (log scale)")
}

# What synthesis does to single records: their synthetic value against the
# confidential one, as in the figures of Hu and Savitsky.

#' @param object (`pseudo_posterior`)
#' @noRd
plot_records <- function(object, prefix) {
  synthetic <- object$synthetic
  column <- only_column(synthetic)
  check_kind_shown(synthetic, "records", counts = TRUE)
  variable <- column$name
  prefix <- response_prefix(prefix)
  file <- job_data(object)
  set <- in_file_order(synthetic$sets[1], file, variable)[[1]]
  frame <- data.frame(
    confidential = as.double(file[[variable]]),
    synthetic = as.double(set[[variable]])
  )
  records_figure(
    frame, column$transform, prefix, colour_synthetic
  ) +
    confidential_labs(
      title = sprintf("%s of each record", capitalize(variable)),
      subtitle = wrapped(paste0(
        capitalize(describe_job(object)), "; one set. Line: the value is kept"
      )),
      x = "Confidential", y = "Synthetic"
    )
}

#' @param frame (data frame) `confidential`, `synthetic`, and `release` where
#'   there are several.
#' @param colours (character) Of each release.
#' @noRd
records_figure <- function(frame, transform, prefix, colours) {
  # The same on both axes, so that the line of equal values is the diagonal
  limits <- range(frame[c("confidential", "synthetic")])
  log <- transform == "log"
  # Panels side by side have room for fewer
  most <- if (length(colours) > 1) 3 else 5
  breaks <- if (log) far_apart(log_breaks(limits), most) else inner_breaks
  axis <- function(scale) {
    scale(limits = limits, breaks = breaks, labels = label_amount(prefix))
  }
  many <- nrow(frame) / length(colours) > 2000
  frame$release <- frame$release %||% factor("synthetic")
  ggplot(frame, aes(x = .data$confidential, y = .data$synthetic)) +
    geom_abline(colour = colour_bound, linewidth = 0.5) +
    record_points("release", colours, if (many) 0.15 else 0.35) +
    axis(if (log) scale_x_log10 else scale_x_continuous) +
    axis(if (log) scale_y_log10 else scale_y_continuous)
}

#' Every other break, as long as there are too many
#' @noRd
far_apart <- function(breaks, most = 5) {
  while (length(breaks) > most) breaks <- breaks[c(TRUE, FALSE)]
  breaks
}

#' Refuse levels, yes/no and counts, as far as a figure is not of them
#' @noRd
check_kind_shown <- function(synthetic, type, counts) {
  column <- only_column(synthetic)
  count <- column$kind == "count"
  refuse_if(
    has_labels(column) || (count && !counts),
    "{.arg type} {.val {type}} only applies to
     amounts{if (counts) ' and counts'}.",
    x = "{.val {column$name}} {if (count) 'is a count' else 'has levels'}.",
    i = "{.code type = \"density\"} shows their shares.", arg = "type"
  )
}

# Releases ---------------------------------------------------------------------

# Releases of an amount beside the file, as in the figures of Hu and Savitsky:
# the first set of each.

#' @param releases (named list of `synthetic_data`)
#' @param data (data frame) The file.
#' @noRd
plot_releases <- function(releases, data, type, prefix) {
  columns <- lapply(releases, only_column)
  column <- columns[[1]]
  names <- vapply(columns, `[[`, "", "name")
  refuse_if(
    any(names != names[1]),
    "All releases must have the same synthetic column.",
    x = "They have {.val {unique(names)}}.", arg = "..."
  )
  for (sets in releases) {
    check_kind_shown(sets, type, counts = type %in% c("records", "values"))
  }
  check_data_frame(data)
  refuse_if(
    !column$name %in% names(data),
    "{.arg data} must be the file, with column {.val {column$name}}.",
    arg = "data", column = column$name
  )
  truth <- data[[column$name]]
  refuse_if(
    !is.numeric(truth) || anyNA(truth),
    "Column {.val {column$name}} of {.arg data} must hold numbers, none of them
     missing.",
    arg = "data", column = column$name
  )
  truth <- as.double(truth)
  sets <- lapply(releases, function(x) {
    set <- in_file_order(x$sets[1], data, column$name)[[1]]
    as.double(set[[column$name]])
  })
  transform <- column$transform
  # A file may have zeros and losses that a model of the log had not
  if (transform == "log" && min(truth, unlist(sets)) <= 0) {
    transform <- "identity"
  }
  figure <- switch(type,
    records = plot_pairs(sets, truth, transform, prefix),
    values = plot_values(sets, truth, transform, prefix),
    plot_curves(sets, truth, transform, prefix, type == "tail")
  )
  figure +
    labs(title = if (type == "records") {
      sprintf("%s of each record", capitalize(column$name))
    } else {
      both_title(column)
    }) +
    if (type %in% c("density", "tail")) {
      labs(x = axis_title(column$name, transform))
    }
}

plot_curves <- function(sets, truth, transform, prefix, tail) {
  names <- c("confidential", names(sets))
  density_figure(
    c(list(truth), sets), names, transform, prefix, look_of_releases(names),
    tail
  ) +
    confidential_labs(subtitle = paste0(
      "One set per release", if (tail) ", above the file's 90% quantile"
    ))
}

#' The synthetic value of each record against the confidential one
#' @noRd
plot_pairs <- function(sets, truth, transform, prefix) {
  sizes <- lengths(sets)
  refuse_if(
    any(sizes != length(truth)),
    "Sets must have the records of {.arg data}, in the same order.",
    x = "They have {.val {unique(sizes)}} records, and {.arg data} has
         {.val {length(truth)}}.",
    arg = "data"
  )
  frame <- stack_frames(sets, "release", function(y) {
    data.frame(confidential = truth, synthetic = y)
  })
  records_figure(frame, transform, prefix, release_colours(names(sets))) +
    confidential_labs(
      subtitle = "One set. Line: the value is kept", x = "Confidential",
      y = "Synthetic"
    ) +
    if (length(sets) > 1) {
      list(
        panels("release", 26), guides(x = guide_axis(check.overlap = TRUE)),
        theme(axis.text = element_text(size = 8.5))
      )
    }
}

plot_values <- function(sets, truth, transform, prefix) {
  parts <- c(list(confidential = truth), sets)
  frame <- stack_frames(parts, "release", function(y) data.frame(value = y))
  colours <- release_colours(names(parts))
  limits <- range(frame$value)
  labels <- label_amount(prefix)
  ggplot(frame, aes(x = .data$release, y = .data$value)) +
    group_violins("release", colours) +
    (if (transform == "log") {
      scale_y_log10(breaks = far_apart(log_breaks(limits)), labels = labels)
    } else {
      scale_y_continuous(labels = labels)
    }) +
    confidential_labs(
      subtitle = "One set per release. Circle: median", x = NULL, y = NULL
    ) +
    theme_columns()
}
